"""Estimates agree with how instances are drawn, obey Gaussian updating, and find the gains that answers speak of."""

import asyncio
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from support.fair_decisions import estimators
from support.fair_decisions.estimators import (
    BayesianEstimator,
    LexicalEstimator,
    chosen,
    preferred,
    prior_for,
)
from support.fair_decisions.instances import DRAWS, HIGHEST, instance
from support.fair_decisions.problem import (
    COMPARED,
    COMPARISON,
    PAIRED,
    SCORE,
    WORDS,
    Heard,
    Table,
    table_of,
)
from support.fair_decisions.records import Feedback
from support.fair_decisions.seats import seat_deciders
from support.fair_decisions.study import fair_decisions

KINDS = st.sampled_from(["scores", "rankings", "counts"])
SEEDS = st.integers(0, 10**6)


def prior_of(kind, m, highest=HIGHEST):
    return prior_for(Table(("A",), ("D",), (tuple(map(str, range(m))),), kind, highest))


def played(feedback, kind="scores", *, style="plain", n=4, rounds=5, seed=0):
    """A problem, its table, and rounds of random plans with the answers of rule-based participants."""
    problem, rng = instance(kind, n, 3, 0, seed), np.random.default_rng(seed)
    people, history = seat_deciders(problem, kind, style, rng).values(), []
    for drawn in rng.integers(3, size=(rounds, 1 + (feedback in PAIRED), n)).tolist():
        plans = tuple(map(tuple, drawn))
        history.append(
            Heard(
                plans, tuple(asyncio.run(who.judge(plans, feedback)) for who in people)
            )
        )
    return problem, table_of(problem, kind), tuple(history)


def believe(table, feedback, history):
    """The estimator, with what it believes."""
    estimator = BayesianEstimator()
    asyncio.run(estimator.estimate(table, feedback, history))
    return estimator


def lexical(table, history):
    return asyncio.run(LexicalEstimator().estimate(table, WORDS, history))


def totals(gains, plan):
    return gains[:, np.arange(len(plan)), list(plan)].sum(axis=1)


def likeness(problem, gains):
    """The rank correlation of estimated with true totals over random plans, the mean of participants."""
    plans = np.random.default_rng(1).integers(
        problem.shape[2], size=(200, problem.shape[1])
    )
    guessed = (
        gains[:, np.arange(gains.shape[1]), plans].sum(axis=2).round(6)
    )  # sums differ in their last digits
    pairs = zip(guessed, problem.totals_of(plans).T, strict=True)
    return float(
        np.mean([spearmanr(a, b).statistic if np.ptp(a) else 0.0 for a, b in pairs])
    )


# ---- priors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "m"), [("scores", 2), ("scores", 8), ("rankings", 5), ("counts", 4)]
)
def test_mean_and_covariance_are_those_of_the_generator(kind, m):
    drawn = DRAWS[kind][1](np.random.default_rng(0), (1, 20000, m))[0]
    prior = prior_of(kind, m)
    scale = np.sqrt(prior.variance)
    assert np.allclose(drawn.mean(axis=0), prior.mean, atol=0.04 * scale)
    assert np.allclose(np.cov(drawn.T), prior.covariance, atol=0.04 * scale**2)


@given(
    KINDS,
    st.integers(2, 12),
    st.integers(1, 40),
    st.lists(st.floats(0, 1), min_size=2, max_size=6),
)
def test_the_marginal_has_the_prior_s_moments_and_a_higher_level_is_never_worth_less(
    kind, m, highest, levels
):
    prior = prior_of(kind, m, highest)
    mean = prior.chances @ prior.values
    assert prior.chances.sum() == pytest.approx(1) and mean == pytest.approx(
        prior.mean[0]
    )
    assert prior.chances @ (prior.values - mean) ** 2 == pytest.approx(prior.variance)
    if kind != "counts":  # gains with a constant sum have no variance in it
        assert (
            np.allclose(prior.covariance.sum(axis=0), 0)
            and np.linalg.eigvalsh(prior.covariance).min() > -1e-9
        )
    for values in (prior.quantile(np.sort(levels)), prior.total(np.sort(levels), 7)):
        assert (np.diff(values) >= 0).all()
    assert float(prior.total(0.5, 6)) == pytest.approx(6 * mean)


def test_a_level_becomes_the_prior_s_quantile_averaged_over_rounds_and_all_else_the_mean():
    _, table, _ = played(SCORE)
    meal = table.decisions[1]
    said = (f"I love {meal}.", f"{meal} is bad.")
    gains = lexical(
        table,
        [Heard(((0, 0, 0, 0),), (Feedback("Player 1", text=text),)) for text in said],
    )
    prior = prior_for(table)
    assert gains[0, 1, 0] == pytest.approx(
        np.mean([prior.quantile(0.9), prior.quantile(0.2)])
    )
    gains[0, 1, 0] = prior.mean[0]
    assert np.allclose(gains, prior.mean)


# ---- by Bayes' rule --------------------------------------------------------------------------------------------------


@given(KINDS, SEEDS)
@settings(max_examples=25)
def test_the_mean_reproduces_reported_totals(kind, seed):
    problem, table, history = played(SCORE, kind, seed=seed)
    mean = believe(table, SCORE, history).mean
    for entry in history:
        assert np.allclose(
            totals(mean, entry.plans[0]), problem.totals(entry.plans[0]), atol=0.5
        )


@given(KINDS, SEEDS, st.sampled_from([SCORE, WORDS, COMPARISON]))
@settings(max_examples=25)
def test_variances_never_grow_and_a_sum_that_everybody_knows_is_kept(
    kind, seed, feedback
):
    _, table, history = played(feedback, kind, seed=seed)
    beliefs = [
        believe(table, feedback, history[:rounds]) for rounds in range(len(history) + 1)
    ]
    for before, after in pairwise(belief.covariance for belief in beliefs):
        if feedback != WORDS:  # who says another word the next time is less sure
            assert (
                np.diagonal(after - before, axis1=1, axis2=2) < 1e-6 * before.max()
            ).all()
        assert np.linalg.eigvalsh(after).min() > -1e-6 * before.max()
    if known := {"scores": 100, "rankings": 6}.get(kind):
        assert np.allclose(beliefs[-1].mean.sum(axis=2), known)
        assert np.allclose(
            beliefs[-1].draw(np.random.default_rng(0)).sum(axis=2), known, atol=1e-3
        )


def test_draws_have_the_posterior_s_mean_and_spread():
    _, table, history = played(SCORE)
    belief, rng = believe(table, SCORE, history), np.random.default_rng(0)
    drawn = np.array([belief.draw(rng) for _ in range(3000)])
    assert np.allclose(drawn.mean(axis=0), belief.mean, atol=2)
    assert np.allclose(
        np.cov(drawn[:, 0].reshape(3000, -1).T), belief.covariance[0], atol=60
    )


@given(KINDS, SEEDS, st.permutations(range(5)), st.sampled_from([SCORE, WORDS]))
@settings(max_examples=25)
def test_the_order_of_totals_and_words_does_not_matter(kind, seed, order, feedback):
    _, table, history = played(feedback, kind, seed=seed)
    one, other = (
        believe(table, feedback, history),
        believe(table, feedback, [history[k] for k in order]),
    )
    assert np.allclose(one.mean, other.mean, atol=1e-4) and np.allclose(
        one.covariance, other.covariance, atol=1e-4
    )


@given(KINDS, SEEDS)
@settings(max_examples=25)
def test_a_comparison_moves_the_mean_to_the_preferred_plan(kind, seed):
    _, table, history = played(COMPARISON, kind, seed=seed, rounds=1)
    first, second = history[0].plans
    before, after = (
        believe(table, COMPARISON, ()).mean,
        believe(table, COMPARISON, history).mean,
    )
    moved = totals(after - before, first) - totals(after - before, second)
    for i, answer in enumerate(history[0].feedback):
        if answer.prefers is None or first == second:
            assert np.allclose(after[i], before[i])
        else:
            assert moved[i] > 0 if answer.prefers == 0 else moved[i] < 0


def test_a_tie_says_that_two_plans_differ_by_about_nothing_and_silence_says_nothing():
    problem, table, _ = played(COMPARISON)
    first, second = (0,) * 4, (1,) * 4
    tie = Heard(
        (first, second),
        tuple(Feedback(name, alike=True) for name in problem.participants),
    )
    row = chosen(first, 3) - chosen(second, 3)
    spread = [
        row @ believe(table, COMPARISON, history).covariance[0] @ row
        for history in ((), (tie,))
    ]
    noise = 0.25 * np.sqrt(prior_for(table).variance)
    assert 1 / spread[1] == pytest.approx(1 / spread[0] + 1 / noise**2)
    silent = Heard(
        (first, second), tuple(Feedback(name) for name in problem.participants)
    )
    before, after = (
        believe(table, COMPARISON, (tie,)),
        believe(table, COMPARISON, (tie, silent)),
    )
    assert np.array_equal(before.mean, after.mean) and np.array_equal(
        before.covariance, after.covariance
    )


def test_moments_under_a_comparison_are_those_of_samples():
    mean, covariance = np.array([1.0, 0.0]), np.array([[2.0, 0.5], [0.5, 1.0]])
    row, rng = np.array([-1.0, 1.0]), np.random.default_rng(0)
    drawn = rng.multivariate_normal(mean, covariance, size=400_000)
    kept = drawn[drawn @ row + 0.5 * rng.standard_normal(len(drawn)) > 0]
    after = preferred(mean, covariance, row, 0.5)
    assert np.allclose(after[0], kept.mean(axis=0), atol=0.02) and np.allclose(
        after[1], np.cov(kept.T), atol=0.02
    )


# ---- what estimates are worth ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("feedback", "style", "rounds", "least", "lexically"),
    [
        (SCORE, "plain", 5, 0.5, None),
        (SCORE, "plain", 9, 0.75, None),
        (COMPARISON, "plain", 5, 0.35, None),
        (
            COMPARED,
            "plain",
            5,
            0.6,
            None,
        ),  # plans compared in words tell more than one bit
        (COMPARED, "enthusiastic", 5, 0.6, None),
        (WORDS, "plain", 5, 0.8, 0.8),
        (WORDS, "blunt", 5, 0.68, 0.68),
        (WORDS, "understated", 5, 0.12, 0.12),
    ],
)
def test_estimates_rank_plans_as_the_truth_does(
    feedback, style, rounds, least, lexically
):
    ours, read = [], []
    for seed in range(9):
        problem, table, history = played(
            feedback, style=style, n=(3, 6, 8)[seed % 3], rounds=rounds, seed=seed
        )
        ours.append(likeness(problem, believe(table, feedback, history).mean))
        read.append(likeness(problem, lexical(table, history)) if lexically else 1)
    assert np.mean(ours) > least and np.mean(read) > (lexically or 0)


@pytest.mark.parametrize("feedback", [COMPARISON, SCORE])
def test_the_last_digits_of_a_processor_change_no_plan(feedback, monkeypatch):
    drawn = np.random.default_rng(0)

    def elsewhere(update):
        return lambda mean, *given: update(
            mean * (1 + drawn.uniform(-1e-13, 1e-13, mean.shape)), *given
        )

    def plays():
        how = {
            "feedback": feedback,
            "estimator": "bayesian",
            "coordinator": "exact",
            "decisions": 6,
        }
        return [
            asyncio.run(fair_decisions(np.random.default_rng(i), repetition=i, **how))
            for i in range(12)
        ]

    before = plays()
    for name in ("observed", "preferred"):
        monkeypatch.setattr(estimators, name, elsewhere(getattr(estimators, name)))
    assert plays() == before
