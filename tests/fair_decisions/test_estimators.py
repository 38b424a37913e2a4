"""Estimates agree with how instances are drawn, obey Bayes' rule, and find the gains
that answers speak of."""

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from support.fair_decisions.estimators import BayesianEstimator, Prior
from support.fair_decisions.instances import DRAWS, instance
from support.fair_decisions.problem import PREFERENCES, Heard, table_of
from support.fair_decisions.records import Feedback
from support.fair_decisions.seats import seat_deciders
from support.solvers.fair import totals

KINDS, SEEDS = st.sampled_from(PREFERENCES), st.integers(0, 10**6)


def played(feedback, kind, seed):
    """A problem, what everybody knows, and rounds of random plans, truly answered."""
    rng = np.random.default_rng(seed)
    problem = instance(kind, 4, 3, 0, seed)
    seats = seat_deciders(problem, kind, "plain", rng).values()
    history = []
    for proposed in rng.integers(3, size=(5, 1, 4)).tolist():
        said = [asyncio.run(who.judge(proposed, feedback)) for who in seats]
        history.append(Heard(proposed, tuple(said)))
    return problem, table_of(problem, kind), history


def believe(table, history):
    return asyncio.run(BayesianEstimator().estimate(table, "", history))


@pytest.mark.parametrize(("kind", "m"), [("scores", 2), ("scores", 8), ("rankings", 5)])
def test_the_prior_is_that_of_the_generator(kind, m):
    gains = DRAWS[kind](np.random.default_rng(0), (1, 20000, m))[0]
    prior = Prior(m, kind == "rankings")
    room = 0.04 * prior.variance
    assert np.allclose(gains.mean(axis=0), prior.mean, atol=room**0.5 / 5)
    assert np.allclose(np.cov(gains.T), prior.covariance, atol=room)
    levels = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    assert np.allclose(prior.quantile(levels), np.quantile(gains, levels), atol=1)


LIKED = {"levels": ((0.7, None), (None, 0.3))}


@pytest.mark.parametrize(
    "answers",
    [
        [{"prefers": 1}],
        [{"prefers": 0}, LIKED],  # the first leaves no Gaussian
        [LIKED | {"alike": True}],
        [LIKED | {"rather": (None, 0)}],
    ],
)
def test_what_is_expected_is_what_a_sum_over_all_gains_says(answers):
    """Two decisions: x and y points for their first options, 100 - x and 100 - y for
    the second ones; levels are known to 0.2."""
    x, y = np.meshgrid(*[np.linspace(-150, 250, 401)] * 2, indexing="ij")
    spread = np.sqrt(100 * 102 / 12)
    weights = norm.pdf(x, 50, spread) * norm.pdf(y, 50, spread)
    ahead = (2 * x + 2 * y - 200) / (spread / 4)
    liked = norm.pdf(x, 70, 20) * norm.pdf(100 - y, 30, 20)
    means = {"levels": liked, "alike": norm.pdf(ahead), "rather": norm.pdf(y, 90, 15)}
    history = []
    for told in answers:
        both = Feedback("Player 1", **told), Feedback("Player 2")
        history.append(Heard(((0, 0), (1, 1)), both))
        if "prefers" in told:
            means["prefers"] = norm.cdf(-ahead if told["prefers"] else ahead)
        weights *= np.prod([means[name] for name in told], axis=0)
    gains = believe(table_of(instance("scores", 2, 2, 0, 0, 2), "scores"), history)
    mean = [np.average(one, weights=weights) for one in (x, y)]
    assert np.allclose(gains[0, :, 0], mean, atol=0.05 if len(answers) == 1 else 2)
    assert np.allclose(gains.sum(axis=2), 100) and np.allclose(gains[1], 50)


@given(KINDS, SEEDS, st.sampled_from(["score", "words"]))
@settings(max_examples=25)
def test_totals_are_reproduced_and_in_any_order(kind, seed, feedback):
    problem, table, history = played(feedback, kind, seed)
    gains = believe(table, history)
    assert np.array_equal(gains, np.round(gains, 6))  # last digits differ by processor
    assert np.allclose(gains, believe(table, history[::-1]), atol=1e-3)
    assert np.allclose(gains.sum(axis=2), {"scores": 100, "rankings": 6}[kind])
    if feedback == "score":
        plans = np.array([entry.plans[0] for entry in history])
        assert np.allclose(totals(gains, plans), problem.totals(plans), atol=0.5)
