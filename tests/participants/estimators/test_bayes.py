"""Bayesian estimates obey the laws of Gaussian updating, and find the gains that the answers speak of."""

import asyncio
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.environments.fair_decisions.views import COMPARISON, COMPLETE, SCORE, WORDS, Heard
from support.errors import InvalidInput
from support.participants.estimators.bayes import BayesianEstimator, observed, preferred
from support.participants.estimators.hearing import chosen
from support.participants.estimators.priors import prior_for
from support.records.planning import Feedback

KINDS = st.sampled_from(["scores", "rankings", "counts"])
SEEDS = st.integers(0, 10**6)


def believe(table, feedback, history, **noises):
    return BayesianEstimator(**noises).believe(table, feedback, history)


def totals(gains, plan):
    return gains[:, np.arange(len(plan)), list(plan)].sum(axis=1)


@given(KINDS, SEEDS)
@settings(max_examples=25, deadline=None)
def test_the_mean_reproduces_reported_totals(played, kind, seed):
    problem, table, history = played(SCORE, preferences=kind, seed=seed)
    mean = believe(table, SCORE, history, score_noise=0.001).mean
    for entry in history:
        assert np.allclose(totals(mean, entry.plans[0]), problem.totals(entry.plans[0]), atol=0.05)


@given(KINDS, SEEDS, st.sampled_from([SCORE, WORDS, COMPARISON]))
@settings(max_examples=25, deadline=None)
def test_variances_never_grow(played, kind, seed, feedback):
    _, table, history = played(feedback, preferences=kind, seed=seed)
    before = believe(table, feedback, ()).covariance
    for rounds in range(1, len(history) + 1):
        after = believe(table, feedback, history[:rounds]).covariance
        assert (np.diagonal(after - before, axis1=1, axis2=2) < 1e-6 * before.max()).all()
        assert np.linalg.eigvalsh(after).min() > -1e-6 * before.max()
        before = after


@given(KINDS, SEEDS, st.permutations(range(5)), st.sampled_from([SCORE, WORDS]))
@settings(max_examples=25, deadline=None)
def test_the_order_of_totals_and_words_does_not_matter(played, kind, seed, order, feedback):
    _, table, history = played(feedback, preferences=kind, seed=seed)
    one, other = believe(table, feedback, history), believe(table, feedback, [history[k] for k in order])
    assert np.allclose(one.mean, other.mean, atol=1e-4) and np.allclose(one.covariance, other.covariance, atol=1e-4)


@pytest.mark.parametrize("kind", ["scores", "rankings", "counts"])
def test_as_many_independent_totals_as_gains_identify_them(played, kind):
    every = [[(a, b, c)] for a in range(3) for b in range(3) for c in range(3)]
    problem, table, history = played(SCORE, preferences=kind, n=3, plans=every)
    posterior = believe(table, SCORE, history, score_noise=0.01)
    shared = 0.5 if kind == "counts" else 0.05  # without a known sum, a constant between decisions stays open
    means, truth = posterior.mean, problem.gains
    if kind == "counts":
        means, truth = (x - x.mean(axis=2, keepdims=True) for x in (means, truth))
    assert np.abs(means - truth).max() < shared


@given(SEEDS, st.sampled_from(["scores", "rankings"]), st.sampled_from([SCORE, WORDS, COMPARISON]))
@settings(max_examples=15, deadline=None)
def test_a_sum_that_everybody_knows_is_kept(played, seed, kind, feedback):
    _, table, history = played(feedback, preferences=kind, seed=seed)
    known = 100 if kind == "scores" else 6
    posterior = believe(table, feedback, history)
    assert np.allclose(posterior.mean.sum(axis=2), known)
    assert np.allclose(posterior.draw(np.random.default_rng(0)).sum(axis=2), known, atol=1e-3)


@given(KINDS, SEEDS)
@settings(max_examples=25, deadline=None)
def test_a_comparison_moves_the_mean_to_the_preferred_plan(played, kind, seed):
    _, table, history = played(COMPARISON, preferences=kind, seed=seed, rounds=1)
    first, second = history[0].plans
    before, after = believe(table, COMPARISON, ()).mean, believe(table, COMPARISON, history).mean
    moved = totals(after - before, first) - totals(after - before, second)
    for i, answer in enumerate(history[0].feedback):
        if answer.prefers is None or first == second:
            assert np.allclose(after[i], before[i])
        else:
            assert moved[i] > 0 if answer.prefers == 0 else moved[i] < 0


def test_a_tie_says_that_two_plans_differ_by_about_nothing(played):
    """What is 0 in expectation already becomes more certain; what other answers raised comes down."""
    problem, table, _ = played()
    first, second = (0,) * 4, (1,) * 4
    tie = Heard((first, second), tuple(Feedback(name, alike=True) for name in problem.participants))
    row = chosen(first, 3) - chosen(second, 3)
    spread = [row @ believe(table, COMPARISON, history).covariance[0] @ row for history in ((), (tie,))]
    noise = 0.25 * np.sqrt(prior_for(table).variance)
    assert 1 / spread[1] == pytest.approx(1 / spread[0] + 1 / noise**2)
    liked = Heard((first, second), tuple(Feedback(name, prefers=0) for name in problem.participants))
    gaps = [
        float(row @ believe(table, COMPARISON, history).mean[0].ravel()) for history in ((liked,), (liked, tie, tie))
    ]
    assert 0 < gaps[1] < gaps[0] / 3


def test_no_answer_to_a_comparison_is_no_tie(played):
    problem, table, _ = played()
    plans = ((0,) * 4, (1,) * 4)
    silent = Heard(plans, tuple(Feedback(name) for name in problem.participants))
    before, after = believe(table, COMPARISON, ()), believe(table, COMPARISON, (silent,))
    assert np.array_equal(before.mean, after.mean) and np.array_equal(before.covariance, after.covariance)


def test_moments_under_a_comparison_are_those_of_samples():
    mean, covariance = np.array([1.0, 0.0]), np.array([[2.0, 0.5], [0.5, 1.0]])
    row, rng = np.array([-1.0, 1.0]), np.random.default_rng(0)
    drawn = rng.multivariate_normal(mean, covariance, size=400_000)
    kept = drawn[drawn @ row + 0.5 * rng.standard_normal(len(drawn)) > 0]
    after = preferred(mean, covariance, row, 0.5)
    assert np.allclose(after[0], kept.mean(axis=0), atol=0.02) and np.allclose(after[1], np.cov(kept.T), atol=0.02)


def test_a_preference_against_all_expectation_stays_finite():
    mean, covariance = preferred(np.array([1e4]), np.eye(1), np.array([-1.0]), 0.1)
    assert mean[0] == pytest.approx(1e4 * 0.1**2 / 1.01, rel=0.01) and 0 <= covariance[0, 0] < 0.1


def test_an_observation_weighs_by_precision():
    mean, covariance = observed(np.zeros(1), np.eye(1), np.ones((1, 1)), np.array([2.0]), np.array([1.0]))
    assert mean.tolist() == [1.0] and covariance.tolist() == [[0.5]]


def test_what_is_not_answered_or_not_read_leaves_the_prior(played):
    _, table, _ = played()
    silent = Heard(((0, 0, 0, 0),), (Feedback("Player 1"), Feedback("Player 2", text="Hm, who knows?")))
    both = Heard(((0, 0, 0, 0), (1, 1, 1, 1)), (Feedback("Player 1"),))
    posterior, prior = believe(table, WORDS, (silent, both)), prior_for(table)
    assert np.allclose(posterior.mean, prior.mean)
    assert np.allclose(posterior.covariance[0], np.kron(np.eye(4), prior.covariance))


def test_one_who_speaks_leaves_the_others_as_they_were(played):
    _, table, _ = played()
    heard = Heard(((0, 0, 0, 0),), (Feedback("Player 2", text="I love Meal 1."),))
    change = believe(table, WORDS, (heard,)).mean - prior_for(table).mean
    assert change[1, 0, 0] > 5 and change[1, 0, 1] < -2
    assert np.allclose(change[[0, 2]], 0) and np.allclose(change[1, 1:], 0)


def test_repeated_words_count_less_than_new_ones(played):
    _, table, _ = played()
    heard = Heard(((0, 0, 0, 0),), (Feedback("Player 1", text="I love Meal 1."),))
    spread = [believe(table, WORDS, (heard,) * k).covariance[0, 0, 0] for k in (1, 2, 50)]
    single = (1 / spread[0] - 1 / prior_for(table).variance) ** -1
    assert spread[0] > spread[1] > spread[2] > single / 4


def test_a_remark_on_the_plan_lifts_all_of_it(played):
    _, table, _ = played()
    heard = Heard(((0, 1, 2, 0),), (Feedback("Player 1", text="Overall I am thrilled."),))
    change = believe(table, WORDS, (heard,)).mean[0] - prior_for(table).mean
    assert np.allclose(change[range(4), (0, 1, 2, 0)], change[0, 0]) and change[0, 0] > 1


@pytest.mark.parametrize(
    ("feedback", "rounds", "least"), [(SCORE, 5, 0.5), (SCORE, 9, 0.75), (WORDS, 5, 0.85), (COMPARISON, 5, 0.35)]
)
def test_estimates_rank_plans_as_the_truth_does(played, likeness, feedback, rounds, least):
    found = []
    for seed in range(8):
        problem, table, history = played(feedback, rounds=rounds, n=5, seed=seed)
        found.append(likeness(problem, believe(table, feedback, history).mean))
    assert np.mean(found) > least


def test_draws_have_the_posterior_s_mean_and_spread(played):
    _, table, history = played(SCORE)
    posterior, rng = believe(table, SCORE, history), np.random.default_rng(0)
    drawn = np.array([posterior.draw(rng) for _ in range(3000)])
    assert np.allclose(drawn.mean(axis=0), posterior.mean, atol=2)
    assert np.allclose(np.cov(drawn[:, 0].reshape(3000, -1).T), posterior.covariance[0], atol=60)
    assert (posterior.draw(np.random.default_rng(3)) == posterior.draw(np.random.default_rng(3))).all()


def test_the_estimator_keeps_what_it_last_believed(played):
    _, table, history = played(SCORE)
    estimator = BayesianEstimator()
    with pytest.raises(InvalidInput, match="nothing was estimated yet"):
        estimator.draw(np.random.default_rng(0))
    gains = asyncio.run(estimator.estimate(table, COMPLETE, history))
    assert (gains == estimator.posterior.mean).all() and gains.shape == table.shape
    assert estimator.covariance.shape == (3, 12, 12) and estimator.draw(np.random.default_rng(0)).shape == table.shape


@pytest.mark.parametrize(("n", "m"), [(35, 3), (5, 30)])
def test_an_update_takes_no_time_worth_waiting_for(played, n, m):
    _, table, history = played(SCORE, n=n, m=m)
    spent = []
    for _ in range(5):
        start = time.process_time()
        believe(table, SCORE, history)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.1  # some 0.01 s here; machines differ


@pytest.mark.parametrize(
    ("feedback", "noises", "said"),
    [
        ("shouts", {}, "feedback: 'shouts' given"),
        (SCORE, {"score_noise": -1}, "score_noise: -1 given"),
        (SCORE, {"word_noise": float("nan")}, "word_noise: nan given"),
    ],
)
def test_bad_settings_are_refused(played, feedback, noises, said):
    _, table, history = played()
    with pytest.raises(InvalidInput, match=said):
        believe(table, feedback, history, **noises)


def test_a_stranger_s_answer_is_refused(played):
    _, table, _ = played()
    with pytest.raises(InvalidInput, match="an answer of 'Eve' given; expected one of Player 1"):
        believe(table, SCORE, (Heard(((0, 0, 0, 0),), (Feedback("Eve", score=3),)),))
