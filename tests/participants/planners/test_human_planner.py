"""A person as the coordinator: the seat waits, and a move that is not allowed can be made again."""

import asyncio

import pytest

from support.environments.fair_decisions.views import Move
from support.errors import InvalidInput
from support.participants.planners.human import HumanPlanner
from support.participants.planners.seating import seat_planner

GAINS = [[[80, 10], [50, 50]], [[20, 70], [30, 70]]]


def asked(brief, *answers):
    """The move after these answers in turn, and what the refused ones said."""

    async def sit():
        seat, refused = HumanPlanner(), []
        acting = asyncio.create_task(seat.propose(brief))
        question = await asyncio.wait_for(seat.questions.get(), 5)
        assert question.view is brief and question.phase == "propose"
        for answer in answers:
            assert not acting.done()
            try:
                question.answer(answer)
            except InvalidInput as error:
                refused.append(str(error))
        return await asyncio.wait_for(acting, 5), refused

    return asyncio.run(sit())


def test_a_person_proposes_or_stops(briefed):
    brief = briefed(GAINS, (0, 0))
    assert asked(brief, Move(((0, 1),))) == (Move(((0, 1),)), [])
    assert asked(brief, Move(((0, 0),), "good enough", True))[0].finish
    pair = Move(((0, 0), (1, 1)))
    assert asked(briefed(GAINS, plans=2), pair) == (pair, [])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Move(((0, 0),)), "is known already"),
        (Move(((1, 1),), finish=True), "is not known yet"),
        (Move(((1,),)), "no option for Meal 2"),
        (None, "expected a Move"),
    ],
)
def test_a_move_that_is_not_allowed_is_refused_and_the_question_stays_open(wrong, said, briefed):
    move, (refusal,) = asked(briefed(GAINS, (0, 0)), wrong, Move(((1, 1),)))
    assert move.plans == ((1, 1),) and said in refusal


def test_a_question_is_answered_once_and_the_record_says_that_a_person_sat_there(briefed):
    _, (refusal,) = asked(briefed(GAINS, (0, 0)), Move(((1, 1),)), Move(((0, 1),)))
    assert "round 2 was answered already" in refusal
    seat = HumanPlanner()
    assert seat.kind == "human" and seat_planner(seat, (2, 2, 2), None) is seat
