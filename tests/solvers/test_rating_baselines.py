"""Means and effects are those of the ratings given, and whoever is unseen adds nothing."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.solvers.rating_baselines import fit_effects, fit_means

BASE = pd.DataFrame(
    {"user": [1, 1, 2, 3], "item": [10, 11, 10, 12], "rating": [5, 3, 4, 2]}
)
RATINGS = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 5)),
    min_size=1,
    max_size=30,
)
FITS = (fit_effects, partial(fit_means, of="user"), partial(fit_means, of="item"))


def ratings(seed, users=150, items=80, n=6000, user_sd=0.5, item_sd=0.4, noise_sd=0.8):
    rng = np.random.default_rng(seed)
    u, i = rng.integers(users, size=n), rng.integers(items, size=n)
    effects = rng.normal(0, user_sd, users)[u] + rng.normal(0, item_sd, items)[i]
    return pd.DataFrame(
        {"user": u, "item": i, "rating": 3 + effects + rng.normal(0, noise_sd, n)}
    )


def test_means_by_hand_and_shrunken_as_if_the_mean_of_all_were_given_so_often():
    assert fit_means(BASE, "user").predict([1, 2, 3, 99], [0] * 4) == pytest.approx(
        [4, 4, 2, 3.5]
    )
    assert fit_means(BASE, "item").predict([0] * 4, [10, 11, 12, 99]) == pytest.approx(
        [4.5, 3, 2, 3.5]
    )
    assert fit_means(BASE, "item", 2).predict([0], [10]) == pytest.approx(
        [(5 + 4 + 2 * 3.5) / 4]
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_three_variances_are_found_again(seed):
    found = fit_effects(ratings(seed))
    assert found.noise_sd == pytest.approx(0.8, rel=0.05)
    assert found.user_sd == pytest.approx(
        0.5, rel=0.2
    ) and found.item_sd == pytest.approx(0.4, rel=0.3)


def test_effects_predict_new_ratings_better_than_any_mean():
    rows = ratings(5)
    base, new = rows.iloc[:5000], rows.iloc[5000:]
    effects, *means = (
        ((f(base).predict(new["user"], new["item"]) - new["rating"]) ** 2).mean()
        for f in FITS
    )
    assert (
        effects < min(means)
        and max(means) < ((new["rating"] - base["rating"].mean()) ** 2).mean()
    )


@settings(max_examples=20)
@given(RATINGS)
def test_property_predictions_stay_on_the_scale_and_do_not_depend_on_the_order_of_ratings(
    rows,
):
    base = pd.DataFrame(rows, columns=["user", "item", "rating"])
    users, items = np.arange(9), np.arange(9)
    for fit in FITS:
        predicted = fit(base).predict(users, items)
        assert predicted.shape == (9,) and ((predicted >= 1) & (predicted <= 5)).all()
        assert fit(base.iloc[::-1]).predict(users, items) == pytest.approx(
            predicted, abs=1e-9
        )
