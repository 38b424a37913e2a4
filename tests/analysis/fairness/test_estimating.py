"""Estimates from words are held to the true totals, beside what exact words could give."""

import asyncio

import numpy as np
import pytest

from support.analysis.fairness.estimating import EXACTLY, estimates, likeness
from support.fair_decisions.problem import FairDecisions

PLANS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
FEW_MANY_NOISY = ({"noises": [0.0], "rounds": 1}, {"noises": [0.0]}, {"noises": [0.4]})


def run(seed=0, **settings):
    given = {"decisions": [4], "instances": 4} | settings
    return asyncio.run(estimates(np.random.default_rng(seed), **given))


def test_likeness_is_that_of_ranks_and_nothing_where_estimates_tell_nothing():
    problem = FairDecisions(np.array([[[1, 0], [5, 0]], [[1, 0], [5, 0]]]))
    assert likeness(problem, problem.gains * 3.0 + 1, PLANS) == pytest.approx(1.0)
    assert likeness(problem, -problem.gains.astype(float), PLANS) == pytest.approx(-1.0)
    half = np.stack([problem.gains[0], np.full((2, 2), 1 / 3)])
    assert likeness(problem, half, PLANS) == pytest.approx(0.5)


def test_every_style_noise_and_size_has_a_row_for_each_estimator():
    frame = run(styles=["plain", "blunt"], noises=[0.0, 0.2], instances=2, decisions=[3, 4])
    assert len(frame) == 2 * 2 * 2 * 2 * 3 and not frame["spearman"].isna().any()
    assert set(frame["estimator"]) == {"lexical", "bayesian", EXACTLY}


def test_exact_words_are_a_bound_that_no_style_touches():
    frame = run(styles=["plain", "understated"], noises=[0.0])
    wide = frame.pivot_table(index=["style", "instance"], columns="estimator", values="spearman")
    assert (wide[EXACTLY].xs("plain") == wide[EXACTLY].xs("understated")).all()
    assert wide[EXACTLY].mean() > 0.9 > wide["lexical"].xs("understated").mean()


def test_five_rounds_tell_more_than_one_and_noise_takes_away():
    few, many, noisy = (run(styles=["plain"], **more) for more in FEW_MANY_NOISY)
    means = [frame.set_index("estimator").loc["bayesian", "spearman"].mean() for frame in (few, many, noisy)]
    assert means[0] + 0.1 < means[1] and means[2] + 0.1 < means[1]
