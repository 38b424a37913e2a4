"""Estimates agree with how instances are drawn, obey Gaussian updating, and find the
gains that answers speak of."""

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from support.fair_decisions import estimators
from support.fair_decisions.estimators import (
    BayesianEstimator,
    Prior,
    preferred,
)
from support.fair_decisions.instances import DRAWS, instance
from support.fair_decisions.problem import (
    COMPARED,
    COMPARISON,
    PAIRED,
    PREFERENCES,
    SCORE,
    WORDS,
    Heard,
    table_of,
)
from support.fair_decisions.records import Feedback
from support.fair_decisions.seats import seat_deciders
from support.fair_decisions.study import fair_decisions

KINDS, SEEDS = st.sampled_from(PREFERENCES), st.integers(0, 10**6)


def played(feedback, kind="scores", *, n=4, rounds=5, seed=0):
    """A problem, its table, and rounds of random plans with true answers."""
    problem, rng = instance(kind, n, 3, 0, seed), np.random.default_rng(seed)
    people, history = seat_deciders(problem, kind, "plain", rng).values(), []
    for drawn in rng.integers(3, size=(rounds, 1 + (feedback in PAIRED), n)).tolist():
        plans = tuple(map(tuple, drawn))
        said = [asyncio.run(who.judge(plans, feedback)) for who in people]
        history.append(Heard(plans, tuple(said)))
    return problem, table_of(problem, kind), tuple(history)


def believe(table, history):
    return asyncio.run(BayesianEstimator().estimate(table, "", history))


def totals(gains, plan):
    return gains[:, np.arange(len(plan)), list(plan)].sum(axis=1)


# ---- priors --------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "m"), [("scores", 2), ("scores", 8), ("rankings", 5)])
def test_the_prior_is_that_of_the_generator(kind, m):
    gains = DRAWS[kind](np.random.default_rng(0), (1, 20000, m))[0]
    prior = Prior(m, kind == "rankings")
    scale = np.sqrt(prior.variance)
    assert np.allclose(gains.mean(axis=0), prior.mean, atol=0.04 * scale)
    assert np.allclose(np.cov(gains.T), prior.covariance, atol=0.04 * scale**2)
    levels = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    found = np.quantile(gains, levels)
    assert np.allclose(prior.quantile(levels), found, atol=0.6 if m < 8 else 1)


# ---- by Bayes' rule ------------------------------------------------------------------


@given(KINDS, SEEDS)
@settings(max_examples=25)
def test_estimates_reproduce_reported_totals_and_the_sum_that_everybody_knows(
    kind, seed
):
    problem, table, history = played(SCORE, kind, seed=seed)
    mean = believe(table, history)
    for entry in history:
        told = problem.totals(entry.plans[0])
        assert np.allclose(totals(mean, entry.plans[0]), told, atol=0.5)
    assert np.allclose(mean.sum(axis=2), {"scores": 100, "rankings": 6}[kind])


@given(SEEDS)
@settings(max_examples=25)
def test_levels_give_back_the_gains_that_were_felt_within_a_fifth(seed):
    """Rankings of three: with all options judged every gain is found."""
    problem, table, _ = played(WORDS, "rankings", seed=seed)
    rng = np.random.default_rng(seed)
    people = seat_deciders(problem, "rankings", "plain", rng).values()
    history = []
    for k in range(3):
        plans = ((k,) * 4,)
        said = [asyncio.run(who.judge(plans, WORDS)) for who in people]
        history.append(Heard(plans, tuple(said)))
    assert np.array_equal(np.rint(believe(table, history)), problem.gains)


def test_what_somebody_would_rather_have_is_worth_more_and_silence_says_nothing():
    _, table, _ = played(WORDS)
    wish = Feedback(
        "Player 1", levels=((0.1, None, None, None),), rather=(2, 1, None, None)
    )
    gains = believe(table, [Heard(((0,) * 4,), (wish, Feedback("Player 2")))])
    assert gains[0, 0, 2] > gains[0, 0, 1] > gains[0, 0, 0]
    assert gains[0, 1, 1] > gains[0, 1, 0] == gains[0, 1, 2]
    assert np.allclose(gains[0, 2:], 100 / 3) and np.allclose(gains[1:], 100 / 3)


@given(KINDS, SEEDS, st.permutations(range(5)), st.sampled_from([SCORE, WORDS]))
@settings(max_examples=25)
def test_the_order_of_totals_and_words_does_not_matter(kind, seed, order, feedback):
    _, table, history = played(feedback, kind, seed=seed)
    again = [history[k] for k in order]
    assert np.allclose(believe(table, history), believe(table, again), atol=1e-3)


@given(KINDS, SEEDS)
@settings(max_examples=25)
def test_a_comparison_moves_the_mean_to_the_preferred_plan(kind, seed):
    _, table, history = played(COMPARISON, kind, seed=seed, rounds=1)
    first, second = history[0].plans
    change = believe(table, history) - believe(table, ())
    moved = totals(change, first) - totals(change, second)
    for answer, more in zip(history[0].feedback, moved, strict=True):
        towards = {None: 0, 0: 1, 1: -1}[answer.prefers]
        assert np.sign(np.round(more, 3)) == towards


def test_a_tie_says_that_two_plans_are_worth_the_same():
    problem, table, _ = played(COMPARISON)
    plans = (0,) * 4, (1, 1, 0, 0)
    scores = tuple(Feedback(name, score=250) for name in problem.participants)
    tie = tuple(Feedback(name, alike=True) for name in problem.participants)
    history = [Heard(plans[:1], scores), Heard(plans, tie)]
    gaps = []
    for known in (history[:1], history):
        gains = believe(table, known)
        gaps.append(np.abs(totals(gains, plans[0]) - totals(gains, plans[1])).max())
    assert gaps[1] < gaps[0] / 10


def test_moments_under_a_comparison_are_those_of_samples():
    mean, covariance = np.array([1.0, 0.0]), np.array([[2.0, 0.5], [0.5, 1.0]])
    row, rng = np.array([-1.0, 1.0]), np.random.default_rng(0)
    drawn = rng.multivariate_normal(mean, covariance, size=400_000)
    kept = drawn[drawn @ row + 0.5 * rng.standard_normal(len(drawn)) > 0]
    after = preferred((mean, covariance), row, 0.5)
    assert np.allclose(after[0], kept.mean(axis=0), atol=0.02)
    assert np.allclose(after[1], np.cov(kept.T), atol=0.02)


# ---- what estimates are worth --------------------------------------------------------


@pytest.mark.parametrize(
    ("feedback", "rounds", "least"),
    [
        (SCORE, 5, 0.5),
        (SCORE, 9, 0.75),
        (COMPARISON, 5, 0.35),
        (COMPARED, 5, 0.8),
        (WORDS, 5, 0.85),
    ],
)
def test_estimates_rank_plans_as_the_truth_does(feedback, rounds, least):
    found = []
    for seed in range(9):
        n = (3, 6, 8)[seed % 3]
        problem, table, history = played(feedback, n=n, rounds=rounds, seed=seed)
        gains = believe(table, history)
        plans = np.random.default_rng(1).integers(3, size=(200, n))
        guessed = gains[:, np.arange(n), plans].sum(axis=2).round(6)
        for one, other in zip(guessed, problem.totals_of(plans).T, strict=True):
            found.append(spearmanr(one, other).statistic if np.ptp(one) else 0.0)
    assert np.mean(found) > least


@pytest.mark.parametrize("feedback", [COMPARISON, SCORE])
def test_the_last_digits_of_a_processor_change_no_plan(feedback, monkeypatch):
    drawn = np.random.default_rng(0)

    def elsewhere(update):
        def shaken(belief, *given):
            mean, covariance = belief
            noise = drawn.uniform(-1e-13, 1e-13, mean.shape)
            return update((mean * (1 + noise), covariance), *given)

        return shaken

    def plays():
        how = {"feedback": feedback, "coordinator": "exact", "decisions": 6}
        streams = [np.random.default_rng(i) for i in range(12)]
        searches = [
            fair_decisions(rng, repetition=i, **how) for i, rng in enumerate(streams)
        ]
        return [asyncio.run(search) for search in searches]

    before = plays()
    for name in ("observed", "preferred"):
        monkeypatch.setattr(estimators, name, elsewhere(getattr(estimators, name)))
    assert plays() == before
