"""A participant whom a model plays: it is told its gains, sums are done for it, and numbers come back to it."""

import asyncio

import numpy as np
import pytest

from support.errors import MalformedReply
from support.participants.deciders.language_model import LanguageModelDecider
from support.records import Feedback

GAINS = np.array([[80, 10, 10], [50, 30, 20], [25, 30, 45]])
PLAN, OTHER = (0, 1, 1), (1, 2, 0)


@pytest.fixture
def decider(overheard, sit):
    """A function to a participant whose model gives these replies, and the messages that the model was given."""

    def seat(*replies, preferences="scores", **more):
        model, heard = overheard(*replies, name="tiny")
        return LanguageModelDecider("Ana", sit(preferences=preferences), GAINS, model, **more), heard

    return seat


def judged(who, *plans, feedback="words"):
    return asyncio.run(who.judge(plans, feedback))


def test_it_is_told_its_gains_and_the_plan_and_answers_in_its_words(decider):
    who, heard = decider({"text": " I love\nMeal 1; Meals 2 and 3 are fine. "})
    assert judged(who, PLAN) == Feedback("Ana", text="I love Meal 1; Meals 2 and 3 are fine.")
    system, user = (message["content"] for message in heard[0])
    assert "You are Ana" in system and "Meal 1: Option 1 = 80, Option 2 = 10, Option 3 = 10\nMeal 2:" in system
    assert "- Meal 1: Option 1\n- Meal 2: Option 2\n- Meal 3: Option 2\n" in user
    assert "Never tell a number" in user and "At most 40 words" in user
    assert (who.replies, who.kind) == (1, "model tiny")


@pytest.mark.parametrize(
    ("preferences", "said"), [("scores", "points over"), ("rankings", "to 3 for the"), ("counts", "0 means")]
)
def test_it_is_told_what_its_numbers_mean(decider, preferences, said):
    assert said in decider(preferences=preferences)[0].briefing()


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ("Meal 1 gives me 80 points.", "the number '80' given"),
        ("A solid eighty for Meal 1.", "the number 'eighty' given"),
        ("so " * 41, "41 words"),
        ("  ", "expected words"),
    ],
)
def test_numbers_too_many_words_and_none_go_back_with_a_complaint(decider, wrong, complaint):
    who, heard = decider({"text": wrong}, {"text": "Fine by me."})
    assert judged(who, PLAN).text == "Fine by me."
    assert complaint in heard[1][-1]["content"]


def test_a_model_that_goes_on_giving_numbers_is_not_recorded_as_words(decider):
    with pytest.raises(MalformedReply, match="the number '80' given"):
        judged(decider(*[{"text": "80"}] * 9)[0], PLAN)


def test_scores_and_comparisons_are_sums_and_ask_no_model(decider):
    who, heard = decider()
    assert judged(who, PLAN, feedback="score").score == 140
    assert judged(who, OTHER, PLAN, feedback="comparison").prefers == 1
    assert judged(who, PLAN, PLAN, feedback="comparison") == Feedback("Ana", alike=True)
    assert not heard and who.replies == 0


def test_a_model_can_be_left_to_its_own_arithmetic(decider):
    who, heard = decider({"score": 999}, {"score": 120}, arithmetic=False)
    assert judged(who, PLAN, feedback="score").score == 120  # what it said, though its total is 140
    assert "less than or equal to 175" in heard[1][-1]["content"]
    for answer, prefers in [("first", 0), ("second", 1), ("neither", None)]:
        who, heard = decider({"prefers": answer}, arithmetic=False)
        wanted = Feedback("Ana", prefers=prefers, alike=prefers is None)
        assert judged(who, PLAN, OTHER, feedback="comparison") == wanted
        first, second = heard[0][1]["content"].split("The second plan:")
        assert "The first plan:\n- Meal 1: Option 1" in first and "- Meal 1: Option 2" in second
