"""The recommender finds interactions and drift, repeats itself for a seed, and copes with whoever is unseen."""

import numpy as np
import pandas as pd
import pytest

from support.solvers.rating_baselines import fit_effects
from support.solvers.recommender import WEEK, fit_factorisation


@pytest.fixture(scope="module")
def ratings():
    """Tastes and films on two axes, and stars that rise over the year: those to learn from, and new ones."""
    rng, users, items, n = np.random.default_rng(0), 80, 60, 4000
    pairs = rng.permutation(users * items)[:n]
    u, i = pairs // items, pairs % items
    at = rng.integers(0, 52 * WEEK, n)
    taste = (rng.normal(size=(users, 2))[u] * rng.normal(size=(items, 2))[i]).sum(
        axis=1
    ) * 0.6
    stars = np.clip(
        3 + taste + 1.2 * (at / (52 * WEEK) - 0.5) + rng.normal(0, 0.3, n), 1, 5
    )
    rows = pd.DataFrame(
        {"user": u + 1, "item": i + 1, "rating": stars, "timestamp": at + 10**9}
    )
    return rows.iloc[:3400], rows.iloc[3400:]


@pytest.fixture(scope="module")
def fitted(ratings):
    return fit_factorisation(ratings[0], rank=3, iterations=30)


def test_interactions_are_found_that_effects_alone_cannot_hold(ratings, fitted):
    base, new = ratings
    asked = new["user"], new["item"]
    predicted, spread = fitted.predict_with_error(*asked, new["timestamp"])
    assert ((predicted >= 1) & (predicted <= 5)).all() and (spread > 0).all()
    by_effects = fit_effects(base).predict(*asked)
    assert (
        np.abs(predicted - new["rating"]).mean()
        < 0.7 * np.abs(by_effects - new["rating"]).mean()
    )


def test_equal_seeds_give_equal_predictions_and_other_seeds_others(ratings):
    base, asked = (
        ratings[0].head(400),
        [ratings[1][name] for name in ("user", "item", "timestamp")],
    )
    first, again, other = (
        fit_factorisation(base, 2, 10, seed).predict_with_error(*asked)[0].tobytes()
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_who_is_unseen_is_the_average_one_and_a_time_outside_counts_as_the_nearest(
    ratings, fitted
):
    base, _ = ratings

    def usual(item):
        return fitted.predict_with_error(
            [9999] * len(base), [item] * len(base), base["timestamp"]
        )[0].mean()

    popular = base.groupby("item")["rating"].mean()
    assert usual(popular.idxmax()) > usual(9999) > usual(popular.idxmin())
    assert usual(9999) == pytest.approx(base["rating"].mean(), abs=0.4)
    first, last = base["timestamp"].min(), base["timestamp"].max()
    at, _ = fitted.predict_with_error([1] * 4, [1] * 4, [0, first, last, 2 * 10**9])
    assert at[0] == at[1] and at[2] == at[3]
