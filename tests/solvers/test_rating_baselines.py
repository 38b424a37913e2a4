"""Means and effects are those of the ratings given, and whoever is unseen adds nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.solvers.rating_baselines import (
    constant,
    fit_effects,
    fit_global_mean,
    fit_item_means,
    fit_user_means,
)

BASE = pd.DataFrame({"user": [1, 1, 2, 3], "item": [10, 11, 10, 12], "rating": [5, 3, 4, 2]})
RATINGS = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 5)), min_size=1, max_size=30)


def ratings(seed, users=150, items=80, n=6000, user_sd=0.5, item_sd=0.4, noise_sd=0.8):
    rng = np.random.default_rng(seed)
    u, i = rng.integers(users, size=n), rng.integers(items, size=n)
    effects = rng.normal(0, user_sd, users)[u] + rng.normal(0, item_sd, items)[i]
    return pd.DataFrame({"user": u, "item": i, "rating": 3 + effects + rng.normal(0, noise_sd, n)})


def test_means_by_hand():
    assert fit_global_mean(BASE).predict([1, 99], [10, 99]).tolist() == [3.5, 3.5]
    assert fit_user_means(BASE).predict([1, 2, 3], [0, 0, 0]) == pytest.approx([4, 4, 2])
    assert fit_item_means(BASE).predict([0, 0, 0], [10, 11, 12]) == pytest.approx([4.5, 3, 2])


def test_a_shrunken_mean_counts_the_mean_of_all_so_many_times():
    assert fit_item_means(BASE, shrink=2).predict([0], [10]) == pytest.approx([(5 + 4 + 2 * 3.5) / 4])


def test_who_is_unseen_gets_the_mean_of_all():
    for fitted in (fit_user_means(BASE), fit_item_means(BASE, 3)):
        assert fitted.predict([99], [99]) == pytest.approx([3.5])


@pytest.mark.parametrize("seed", range(3))
def test_the_three_variances_are_found_again(seed):
    found = fit_effects(ratings(seed))
    assert found.noise_sd == pytest.approx(0.8, rel=0.05)
    assert found.user_sd == pytest.approx(0.5, rel=0.2) and found.item_sd == pytest.approx(0.4, rel=0.3)


def test_effects_predict_new_ratings_better_than_any_mean():
    rows = ratings(5)
    base, new = rows.iloc[:5000], rows.iloc[5000:]
    errors = [
        float(((model.predict(new["user"], new["item"]) - new["rating"]) ** 2).mean())
        for model in (fit_effects(base), fit_user_means(base), fit_item_means(base), fit_global_mean(base))
    ]
    assert errors[0] < min(errors[1:]) and errors[3] == max(errors)


@settings(max_examples=40, deadline=None)
@given(RATINGS)
def test_property_predictions_stay_on_the_scale_and_do_not_depend_on_the_order_of_ratings(rows):
    base = pd.DataFrame(rows, columns=["user", "item", "rating"])
    users, items = np.arange(9), np.arange(9)
    for fit in (fit_effects, fit_user_means, fit_item_means, fit_global_mean):
        predicted = fit(base).predict(users, items)
        assert predicted.shape == (9,) and ((predicted >= 1) & (predicted <= 5)).all()
        assert fit(base.iloc[::-1]).predict(users, items) == pytest.approx(predicted, abs=1e-9)


@pytest.mark.parametrize("fit", [fit_effects, fit_user_means, fit_item_means, fit_global_mean])
def test_no_ratings_are_refused(fit):
    with pytest.raises(InvalidInput, match="no ratings given"):
        fit(BASE.iloc[:0])


@pytest.mark.parametrize("shrink", [-1, float("nan")])
def test_a_negative_shrinkage_is_refused(shrink):
    with pytest.raises(InvalidInput, match="shrink"):
        fit_user_means(BASE, shrink)


def test_the_constant_is_constant():
    assert constant().predict([1, 2, 3], [1, 1, 1]).tolist() == [4, 4, 4]
