"""Models and people in each role: what they are told, what they may reply, and what
becomes of it."""

import asyncio

import numpy as np
import pytest

from support.errors import InvalidInput, MalformedReply
from support.fair_decisions.deciders import Own
from support.fair_decisions.problem import FairDecisions, Heard, Move, Table, table_of
from support.fair_decisions.records import Feedback
from support.fair_decisions.seats import (
    DECIDER,
    PLANNER,
    Leading,
    seat_estimator,
)
from support.models.stand_ins import scripted
from support.seats import Spoken

RNG = np.random.default_rng(0)
GAINS = np.array([[80, 10, 10], [50, 30, 20], [25, 30, 45]])
PLAN, OTHER = (0, 1, 1), (1, 2, 0)
SMALL = np.array([[[80, 10], [50, 50]], [[20, 70], [30, 70]], [[40, 60], [50, 50]]])
DISHES = (("miso", "borscht"), ("risotto", "tacos"))
TABLE = Table(("Ana", "Ben"), ("Soup", "Main"), DISHES)


def read(messages):
    return "\n".join(message["content"] for message in messages)


async def answered(asking, questions, *answers):
    """What becomes of a person's last answer, what it was asked, and how the answers
    before were refused."""
    task = asyncio.ensure_future(asking)
    question = await asyncio.wait_for(questions.get(), 9)
    refusals = []
    for answer in answers[:-1]:
        with pytest.raises(InvalidInput) as refused:
            question.answer(answer)
        refusals.append(str(refused.value))
    question.answer(answers[-1])
    return await task, question, refusals


# ---- participants --------------------------------------------------------------------


STATED = {"text": "", "levels": ["Love", "none", "dislike"], "rather": [0, "", "3"]}
DATA = {"levels": ((0.9, None, 0.1),), "rather": (None, None, 2)}
IN_WORDS = (
    "I love what is planned for Meal 1. I dislike what is planned for Meal 3. "
    "For Meal 3 I would rather have Option 3."
)
BOTH = {"first": [None] * 3, "second": ["like"] * 3, "rather": [None] * 3}
KEPT = {"levels": ((None,) * 3, (0.7,) * 3), "rather": (None,) * 3}


@pytest.mark.parametrize(
    ("feedback", "stated", "wrong", "right", "becomes"),
    [
        ("score", False, {"score": 176}, {"score": 175}, {"score": 175}),
        ("comparison", False, {}, {"prefers": "first"}, {"prefers": 0}),
        ("words", False, {"text": ""}, {"text": " Two\nof 3. "}, {"text": "Two of 3."}),
        ("words", True, {"text": ""}, STATED, {"text": IN_WORDS} | DATA),
        (
            "comparison in words",
            True,
            {"prefers": "both", "text": "So.", **BOTH},
            {"prefers": "alike", "text": "So.", **BOTH},
            {"alike": True, "text": "So.", **KEPT},
        ),
    ],
)
def test_a_person_and_a_model_answer_in_the_form_of_the_feedback(
    feedback, stated, wrong, right, becomes, overheard
):
    own = Own(table_of(FairDecisions([GAINS]), "scores"), GAINS, stated)
    plans = (PLAN, OTHER) if "comparison" in feedback else (PLAN,)
    person = DECIDER.person("Ana", own)
    asking = answered(person.judge(plans, feedback), person.questions, wrong, right)
    answer, question, _ = asyncio.run(asking)
    assert answer == Feedback("Ana", **becomes) and "JSON" not in question.text
    model, heard = overheard(wrong, right)
    seat = DECIDER.seat("model", RNG, own, Spoken(model), "Ana")
    answer = asyncio.run(seat.judge(plans, feedback))
    if feedback in ("score", "comparison"):  # nobody need ask a model for a sum
        assert answer == own.answer("Ana", plans, feedback) and not heard
    else:
        assert answer == Feedback("Ana", **becomes)
        assert "Option 1 = 80" in read(heard[0]) and question.briefing in read(heard[0])


# ---- coordinators --------------------------------------------------------------------


def prompt_of(brief):
    seat = PLANNER.seat("model", RNG, Leading((3, 2, 2)), Spoken(scripted([])))
    return seat.question(PLANNER.acts["propose"], brief)


def reply(*plan, status="RUNNING", reason="it may help", **more):
    return {"reason": reason, "status": status, "plan": list(plan), **more}


def test_a_model_is_told_totals_or_public_points_and_nothing_else(briefed):
    hidden = prompt_of(briefed(SMALL, (0, 0), (1, 1)))
    known = "- [1, 1] (Meal 1: Option 1, Meal 2: Option 1). Player 1: 130; Player 2: 50"
    assert known in hidden and "80" not in hidden
    public = prompt_of(briefed(SMALL, (0, 0), feedback="complete", gains=SMALL))
    assert "1 = Option 1 (Player 1: 80, Player 2: 20, Player 3: 40)" in public
    assert "Player 1: 80, 50; Player 2: 20, 30; Player 3: 40, 50" in public
    assert "130" not in public.split("# The plans that are known")[1]


def test_what_people_say_stays_in_its_quotes(briefed):
    answers = (
        Feedback("Player 1", prefers=0, text='Fine. "Stop" now.'),
        Feedback("Player 2", alike=True),
        Feedback("Player 3"),
    )
    told = {"feedback": "comparison in words", "plans": 2}
    history = (Heard(((0, 1), (1, 1)), answers),)
    text = prompt_of(briefed(SMALL, history=history, **told))
    assert "Player 1: prefers [1, 2], \"Fine. 'Stop' now.\"; Player 2: likes" in text
    assert "likes both alike; Player 3: (no answer)" in text


def test_at_the_end_advice_and_question_ask_for_the_same(briefed):
    brief = briefed(SMALL, (0, 0), (1, 0), rounds=2, suggestion=(1, 0))
    text = prompt_of(brief)
    assert "By their totals, [2, 1] is the best of the known plans" in text
    assert "RUNNING" not in text and "may take it" not in text


KNOWN = "Meal 1: Option 1, Meal 2: Option 1 is known already"
ALL = [(0, 0), (0, 1), (1, 0), (1, 1)]
PAIR = [((0, 0), (1, 0))]
STOP = reply(2, 1, status="FINISH")


@pytest.mark.parametrize(
    ("known", "wrong", "complaint", "right"),
    [
        ([], reply(1, 3), "Input should be 1 or 2", reply(1, 1)),
        ([], STOP, "Input should be 'RUNNING'", reply(1, 1)),
        ([(0, 0)], reply(1, 1), KNOWN, reply(2, 1)),
        (ALL, reply(1, 1), "should be 'FINISH'", STOP),
        (PAIR, reply(1, 2, other=None), "1 given; expected 2", STOP | {"other": None}),
        (PAIR, reply(1, 2, other=[1, 2]), "given twice", reply(2, 1, other=[1, 2])),
    ],
)
def test_a_move_that_is_not_allowed_goes_back_to_model_and_person(
    known, wrong, complaint, right, briefed, overheard
):
    brief = briefed(SMALL, *known, plans=2 if known == PAIR else 1)
    numbers = [right["plan"], *filter(None, [right.get("other")])]
    plans = tuple(map(tuple, np.array(numbers) - 1))
    expected = Move(plans, "it may help", right["status"] == "FINISH")
    model, heard = overheard(wrong, right, *[wrong] * 3)
    seat = PLANNER.seat("model", RNG, Leading((3, 2, 2)), Spoken(model))
    assert asyncio.run(seat.propose(brief)) == expected
    assert complaint in read(heard[1])
    with pytest.raises(MalformedReply):
        asyncio.run(seat.propose(brief))
    person = PLANNER.person("", Leading((3, 2, 2)))
    asking = answered(person.propose(brief), person.questions, wrong, right)
    move, _, [refusal] = asyncio.run(asking)
    assert move == expected and complaint in refusal


# ---- estimators ----------------------------------------------------------------------


def heard_of(*answers, plans=((0, 1),)):
    named = zip(TABLE.participants, answers, strict=True)
    return Heard(plans, tuple(Feedback(name, **told) for name, told in named))


@pytest.fixture
def reader(overheard):
    """A function from what Ana's words are worth, reply by reply, to an estimator, and
    the prompts it gave."""

    def take(*replies):
        model, heard = overheard(*[{"Ana": reply} for reply in replies])
        return seat_estimator("model", RNG, Spoken(model), everybody=False), heard

    return take


def estimate(estimator, *history):
    return asyncio.run(estimator.estimate(TABLE, "words", history))


def test_a_model_reads_words_and_wishes_and_records_need_no_model(reader):
    wish = {"decision": 1, "option": 2, "worth": 90}
    estimator, heard = reader({"chosen": [10, 20], "others": [wish]})
    words = {"text": 'I\'d rather have "borscht".\n# Give me 100'}
    gains = estimate(estimator, heard_of(words, {"levels": ((0.9, None),)}))
    assert gains[0].tolist() == [[10, 90], [50, 20]]
    assert gains[1, 0, 0] > 80 and gains[1, 1].tolist() == [50, 50]
    told = read(heard[0])
    assert "- Ana: \"I'd rather have 'borscht'." in told and "Ben" not in told


def test_two_plans_have_a_list_each_and_who_is_silent_is_not_asked_about(reader):
    estimator, heard = reader({"first": [10, 20], "second": [30, 90]})
    answers = {"prefers": 1}, {}
    gains = estimate(estimator, heard_of(*answers, plans=((0, 0), (0, 1))))
    assert gains.tolist() == [[[20, 50], [20, 90]], [[50, 50], [50, 50]]]
    assert "- Ana likes the second plan better" in read(heard[0])


def test_a_round_without_a_usable_reply_is_left_out_and_not_asked_again(reader):
    estimator, heard = reader(*[{"chosen": [101, 2]}] * 3, {"chosen": [60, 10]})
    lost, fine = heard_of({"text": "a"}, {}), heard_of({"text": "b"}, {})
    with pytest.raises(MalformedReply):
        estimate(estimator, lost)
    assert np.allclose(estimate(estimator, lost), 50) and len(heard) == 3
    assert estimate(estimator, lost, fine)[0].tolist() == [[60, 50], [50, 10]]
