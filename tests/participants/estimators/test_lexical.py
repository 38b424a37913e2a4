"""The lexical estimator turns what was said into quantiles of the prior, and leaves all else at its mean."""

import asyncio

import numpy as np
import pytest

from support.environments.fair_decisions.views import COMPARISON, SCORE, WORDS, Heard
from support.participants.estimators.lexical import LexicalEstimator
from support.participants.estimators.priors import prior_for
from support.records.planning import Feedback


def estimate(table, history, feedback=WORDS):
    return asyncio.run(LexicalEstimator().estimate(table, feedback, history))


def said(*texts, plan=(0, 0, 0, 0)):
    return tuple(Heard((plan,), (Feedback("Player 1", text=text),)) for text in texts)


def test_a_level_becomes_the_prior_s_quantile_and_all_else_its_mean(played):
    _, table, _ = played()
    gains, prior = estimate(table, said("I love Meal 2.")), prior_for(table)
    assert gains[0, 1, 0] == prior.quantile(0.9)
    gains[0, 1, 0] = prior.mean[0]
    assert np.allclose(gains, prior.mean)


def test_rounds_are_averaged(played):
    _, table, _ = played()
    prior = prior_for(table)
    gains = estimate(table, said("Meal 2 is great.", "Meal 2 is bad."))
    assert gains[0, 1, 0] == pytest.approx(np.mean([prior.quantile(0.9), prior.quantile(0.2)]))


def test_a_remark_on_the_whole_counts_where_nothing_else_was_said(played):
    _, table, _ = played()
    gains = estimate(table, said("I'm pleased overall. Meal 1 is bad."))[0]
    assert gains[1, 0] == gains[2, 0] > prior_for(table).mean[0] > gains[0, 0]


@pytest.mark.parametrize("feedback", [SCORE, COMPARISON])
def test_numbers_and_comparisons_are_no_words(played, feedback):
    _, table, history = played(feedback)
    assert np.allclose(estimate(table, history, feedback), prior_for(table).mean)


@pytest.mark.parametrize("preferences", ["scores", "rankings", "counts"])
def test_estimates_rank_plans_as_the_truth_does(played, likeness, preferences):
    found = []
    for seed in range(8):
        problem, table, history = played(WORDS, preferences=preferences, n=5, seed=seed)
        found.append(likeness(problem, estimate(table, history)))
    assert np.mean(found) > 0.75
