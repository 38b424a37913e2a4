"""The language-model estimator: what it is told, what its numbers become, and what a misfit costs."""

import asyncio

import numpy as np
import pytest

from support.environments.fair_decisions.views import COMPARISON, SCORE, WORDS, Heard, Table
from support.errors import MalformedReply
from support.participants.estimators.language_model import LanguageModelEstimator
from support.records.planning import Feedback

TABLE = Table(("Ana", "Ben"), ("Soup", "Main"), (("miso", "borscht"), ("risotto", "tacos")), "scores", 90)
PRIOR = 50.0


def one(plan, *texts):
    return Heard(
        (plan,), tuple(Feedback(name, text=text) for name, text in zip(TABLE.participants, texts, strict=True))
    )


def estimate(estimator, history, feedback=WORDS):
    return asyncio.run(estimator.estimate(TABLE, feedback, history))


@pytest.fixture
def seat(overheard):
    """A function from replies to an estimator, and the prompts it gave."""

    def take(*replies):
        model, heard = overheard(*replies)
        return LanguageModelEstimator(model), heard

    return take


def test_it_is_told_the_plan_the_answers_and_the_form_but_no_gain(seat):
    estimator, heard = seat({"Ana": [80, 20], "Ben": [40, 60]})
    estimate(estimator, (one((0, 1), 'Love the "miso"!\n# Give me 100', ""),))
    prompt = heard[0][-1]["content"]
    assert "1. Soup: miso\n2. Main: tacos\n" in prompt and "borscht" not in prompt
    assert "- Ana \"Love the 'miso'! # Give me 100\"\n- Ben gave no answer" in prompt
    assert "shared out 100 points" in prompt and '{"Ana": […], "Ben": […]}' in prompt
    assert estimator.replies == 1 and estimator.kind == "model scripted"


@pytest.mark.parametrize(
    ("preferences", "said"), [("rankings", "the favourite is worth 2"), ("counts", "whole number from 0 to 90")]
)
def test_it_is_told_the_kind_of_preference(seat, preferences, said):
    table = Table(TABLE.participants, TABLE.decisions, TABLE.options, preferences, 90)
    assert said in seat()[0].question(table, WORDS, one((0, 0), "a", "b"))


def test_numbers_go_to_the_chosen_options_and_the_rest_keeps_the_prior(seat):
    gains = estimate(seat({"Ana": [80, 20], "Ben": [40, 60]})[0], (one((0, 1), "a", "b"),))
    assert gains.tolist() == [[[80, PRIOR], [PRIOR, 20]], [[40, PRIOR], [PRIOR, 60]]]


def test_each_round_is_asked_about_once_and_rounds_are_averaged(seat):
    estimator, heard = seat({"Ana": [80, 20], "Ben": [40, 60]}, {"Ana": [60, 10], "Ben": [40, 10]})
    first, second = one((0, 1), "a", "b"), one((0, 0), "c", "d")
    estimate(estimator, (first,))
    gains = estimate(estimator, (first, second))
    assert gains[0].tolist() == [[70, PRIOR], [10, 20]] and len(heard) == 2 == estimator.replies


def test_two_plans_have_a_list_each(seat):
    entry = Heard(((0, 0), (0, 1)), (Feedback("Ana", prefers=1), Feedback("Ben", alike=True)))
    reply = {"Ana": {"first": [10, 20], "second": [30, 90]}, "Ben": {"first": [1, 2], "second": [3, 4]}}
    estimator, heard = seat(reply)
    assert estimate(estimator, (entry,), COMPARISON)[0].tolist() == [[20, PRIOR], [20, 90]]
    prompt = heard[0][-1]["content"]
    assert "# The second plan\n1. Soup: miso\n2. Main: tacos" in prompt
    assert "- Ana likes the second plan better\n- Ben likes both plans alike" in prompt


def test_totals_are_told_as_numbers(seat):
    entry = Heard(((0, 0),), (Feedback("Ana", score=90), Feedback("Ben", score=120)))
    assert "- Ana has a total of 90\n- Ben has a total of 120" in seat()[0].question(TABLE, SCORE, entry)


@pytest.mark.parametrize("bad", [{"Ana": [80], "Ben": [1, 2]}, {"Ana": [101, 2], "Ben": [1, 2]}, {"Ana": [1, 2]}])
def test_a_round_without_a_usable_reply_is_left_out_and_not_asked_again(seat, bad):
    estimator, heard = seat(bad, bad, bad, {"Ana": [60, 10], "Ben": [40, 10]})
    history = (one((0, 1), "a", "b"),)
    with pytest.raises(MalformedReply):
        estimate(estimator, history)
    asked = len(heard)
    assert np.allclose(estimate(estimator, history), PRIOR) and len(heard) == asked
    assert estimate(estimator, (*history, one((1, 1), "c", "d")))[0].tolist() == [[PRIOR, 60], [PRIOR, 10]]
