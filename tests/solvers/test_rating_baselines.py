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


@pytest.mark.parametrize(
    ("of", "shrink", "stars"),
    [
        ("user", 0, [4, 4, 2, 3.5]),
        ("item", 0, [4.5, 3, 2, 3.5]),
        ("item", 2, [4, 10 / 3, 3, 3.5]),  # as if the mean of all were given twice more
    ],
)
def test_means_by_hand_and_who_is_unseen_has_that_of_all(of, shrink, stars):
    users, items = [1, 2, 3, 99], [10, 11, 12, 99]
    assert fit_means(BASE, of, shrink).predict(users, items) == pytest.approx(stars)


def test_the_three_variances_are_found_again():
    rng, n = np.random.default_rng(0), 6000
    u, i = rng.integers(150, size=n), rng.integers(80, size=n)
    stars = 3 + rng.normal(0, 0.5, 150)[u] + rng.normal(0, 0.4, 80)[i]
    noisy = stars + rng.normal(0, 0.8, n)
    found = fit_effects(pd.DataFrame({"user": u, "item": i, "rating": noisy}))
    assert found.noise_sd == pytest.approx(0.8, rel=0.05)
    assert found.user_sd == pytest.approx(0.5, rel=0.2)
    assert found.item_sd == pytest.approx(0.4, rel=0.3)


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
