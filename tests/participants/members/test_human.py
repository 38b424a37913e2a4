"""A person as a member: the seat waits, and an answer without words can be given again."""

import asyncio

import pytest

from support.environments.meetings.meeting import Meeting
from support.environments.meetings.views import Chat
from support.errors import InvalidInput
from support.participants.members.human import MOST, HumanMember
from support.records import Turn

MEETING = Meeting(
    "M1", "Ina", ("Ana",), "Trial", "2026-02-16", 60, "Monday?", "2026-02-10T09:00-05:00", "America/New_York"
)
CHAT = Chat("Ana", MEETING, 2, turns=(Turn("assistant", "When?"),))


def asked(*answers):
    """What the seat says when it is given these answers in turn, and what the refused ones said."""

    async def sit():
        seat, refused = HumanMember("Ana"), []
        acting = asyncio.create_task(seat.answer(CHAT))
        question = await asyncio.wait_for(seat.questions.get(), 5)
        assert question.view is CHAT
        for answer in answers:
            assert not acting.done()
            try:
                question.answer(answer)
            except InvalidInput as error:
                refused.append(str(error))
        return await asyncio.wait_for(acting, 5), refused

    return asyncio.run(sit())


def test_a_seat_waits_for_its_answer_and_gives_it_as_it_was_typed():
    assert asked("  At ten,\nor later. ") == ("At ten,\nor later.", [])


@pytest.mark.parametrize("wrong", ["", "  \n", None, 3])
def test_an_answer_without_words_is_refused_and_the_question_stays_open(wrong):
    answer, (refusal,) = asked(wrong, "At ten.")
    assert answer == "At ten." and f"answer: {wrong!r} given; expected words" in refusal


def test_a_very_long_answer_is_refused_with_its_length_and_can_be_shortened():
    answer, (refusal,) = asked("x" * (MOST + 1), "x" * MOST)
    assert len(answer) == MOST and f"{MOST + 1} characters given; expected at most {MOST}" in refusal


def test_a_question_is_answered_once():
    answer, (refusal,) = asked("At ten.", "At two.")
    assert answer == "At ten." and "round 2 was answered already" in refusal


def test_the_record_says_that_a_person_sat_there():
    assert HumanMember("Ana").kind == "human"
