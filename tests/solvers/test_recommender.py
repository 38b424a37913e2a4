"""The recommender finds interactions and drift, repeats itself for a seed, and copes with whoever is unseen."""

import numpy as np
import pandas as pd
import pytest

from support.solvers.rating_baselines import fit_effects
from support.solvers.recommender import WEEK, fit_factorisation


@pytest.fixture(scope="module")
def ratings():
    """Tastes and films on two axes, and stars that rise over the year."""
    rng, n = np.random.default_rng(0), 4000
    u, i = np.divmod(rng.permutation(80 * 60)[:n], 60)
    weeks = rng.integers(0, 52, n)
    taste = rng.normal(size=(80, 2)) @ rng.normal(size=(2, 60))
    stars = 2.4 + 0.6 * taste[u, i] + weeks / 43 + rng.normal(0, 0.3, n)
    when = 10**9 + weeks * WEEK
    rows = {"user": u, "item": i, "rating": stars.clip(1, 5), "timestamp": when}
    rows = pd.DataFrame(rows)
    return rows.iloc[:3400], rows.iloc[3400:]


@pytest.fixture(scope="module")
def fitted(ratings):
    return fit_factorisation(ratings[0], rank=3, iterations=30)


def test_interactions_are_found_that_effects_alone_cannot_hold(ratings, fitted):
    base, new = ratings
    asked, truth = (new["user"], new["item"]), new["rating"]
    predicted, spread = fitted.predict_with_error(*asked, new["timestamp"])
    assert ((predicted >= 1) & (predicted <= 5)).all() and (spread > 0).all()
    by_effects = fit_effects(base).predict(*asked)
    missed = [np.abs(stars - truth).mean() for stars in (predicted, by_effects)]
    assert missed[0] < 0.7 * missed[1]


def test_equal_seeds_give_equal_predictions(ratings):
    base, new = ratings[0].head(400), ratings[1]
    found = set()
    for seed in (1, 1, 2):
        fitted = fit_factorisation(base, 2, 10, seed)
        stars, _ = fitted.predict_with_error(new["user"], new["item"], new["timestamp"])
        found.add(stars.tobytes())
    assert len(found) == 2


def test_who_is_unseen_is_the_average_one_and_a_time_outside_counts_as_the_nearest(
    ratings, fitted
):
    base, _ = ratings
    when, who = base["timestamp"], [9999] * len(base)
    usual, _ = fitted.predict_with_error(who, who, when)
    assert usual.mean() == pytest.approx(base["rating"].mean(), abs=0.15)
    times = [0, when.min(), when.max(), 2 * 10**9]
    at, _ = fitted.predict_with_error([1] * 4, [1] * 4, times)
    assert at[0] == at[1] and at[2] == at[3]
