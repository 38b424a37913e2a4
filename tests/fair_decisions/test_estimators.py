"""Estimates agree with how instances are drawn, obey Bayes' rule, and find the gains
that answers speak of."""

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from support.fair_decisions import estimators
from support.fair_decisions.estimators import BayesianEstimator, Prior
from support.fair_decisions.instances import DRAWS, instance
from support.fair_decisions.problem import PAIRED, PREFERENCES, Heard, table_of
from support.fair_decisions.records import Feedback
from support.fair_decisions.seats import seat_deciders
from support.solvers.fair import totals

KINDS, SEEDS = st.sampled_from(PREFERENCES), st.integers(0, 10**6)


def played(feedback, kind="scores", seed=0, plans=None):
    """A problem, what everybody knows, and rounds of random plans, truly answered."""
    rng = np.random.default_rng(seed)
    problem = instance(kind, 4, 3, 0, seed)
    seats = seat_deciders(problem, kind, "plain", rng).values()
    drawn = rng.integers(3, size=(5, 1 + (feedback in PAIRED), 4))
    history = []
    for chosen in drawn.tolist() if plans is None else plans:
        proposed = tuple(map(tuple, chosen))
        said = [asyncio.run(who.judge(proposed, feedback)) for who in seats]
        history.append(Heard(proposed, tuple(said)))
    return problem, table_of(problem, kind), history


def believe(table, history):
    return asyncio.run(BayesianEstimator().estimate(table, "", history))


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


LIKED = {"levels": ((0.7, None), (None, 0.3))}


@pytest.mark.parametrize(
    ("answers", "within"),
    [
        ([{"prefers": 0}], 0.05),
        ([{"prefers": 1}], 0.05),
        ([LIKED | {"alike": True}], 0.05),
        ([LIKED | {"rather": (None, 0)}], 0.05),
        ([LIKED | {"prefers": 1}], 0.05),
        ([{"prefers": 0}, LIKED], 2),  # the first leaves no Gaussian
    ],
)
def test_what_is_expected_is_what_a_sum_over_all_gains_says(answers, within):
    """Two decisions: x and y points for their first options, 100 - x and 100 - y for
    the second ones; levels are known to 0.2."""
    x, y = np.meshgrid(*[np.linspace(-150, 250, 401)] * 2, indexing="ij")
    spread = np.sqrt(100 * 102 / 12)
    weights = norm.pdf(x, 50, spread) * norm.pdf(y, 50, spread)
    ahead = (2 * x + 2 * y - 200) / (spread / 4)
    history = []
    for told in answers:
        answer = Feedback("Player 1", **told)
        history.append(Heard(((0, 0), (1, 1)), (answer, Feedback("Player 2"))))
        if answer.alike:
            weights *= norm.pdf(ahead)
        elif answer.prefers is not None:
            weights *= norm.cdf(-ahead if answer.prefers else ahead)
        if answer.levels:
            weights *= norm.pdf(x, 70, 20) * norm.pdf(100 - y, 30, 20)
        if answer.rather:
            weights *= norm.pdf(y, 90, 15)
    gains = believe(table_of(instance("scores", 2, 2, 0, 0, 2), "scores"), history)
    mean = [np.average(one, weights=weights) for one in (x, y)]
    assert np.allclose(gains[0, :, 0], mean, atol=within)
    assert np.allclose(gains.sum(axis=2), 100) and np.allclose(gains[1], 50)


@given(KINDS, SEEDS, st.permutations(range(5)), st.sampled_from(["score", "words"]))
@settings(max_examples=25)
def test_totals_are_reproduced_and_in_any_order(kind, seed, order, feedback):
    problem, table, history = played(feedback, kind, seed=seed)
    gains = believe(table, history)
    again = believe(table, [history[i] for i in order])
    assert np.allclose(gains, again, atol=1e-3)
    assert np.allclose(gains.sum(axis=2), {"scores": 100, "rankings": 6}[kind])
    if feedback == "score":
        plans = np.array([entry.plans[0] for entry in history])
        assert np.allclose(totals(gains, plans), problem.totals(plans), atol=0.5)


@given(SEEDS)
@settings(max_examples=25)
def test_levels_of_all_options_give_back_every_rank(seed):
    plans = [[[k] * 4] for k in range(3)]
    problem, table, history = played("words", "rankings", seed=seed, plans=plans)
    assert np.array_equal(np.rint(believe(table, history)), problem.gains)


@pytest.mark.parametrize("feedback", ["comparison", "score"])
def test_the_last_digits_of_a_processor_change_no_estimate(feedback, monkeypatch):
    _, table, history = played(feedback)
    before = believe(table, history)
    drawn = np.random.default_rng(0)

    def elsewhere(update):
        def shaken(belief, *given):
            mean, covariance = belief
            noise = drawn.uniform(-1e-13, 1e-13, mean.shape)
            return update((mean * (1 + noise), covariance), *given)

        return shaken

    for name in ("observed", "preferred"):
        monkeypatch.setattr(estimators, name, elsewhere(getattr(estimators, name)))
    assert np.array_equal(believe(table, history), before)
