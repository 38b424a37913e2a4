"""The recommender finds interactions and drift, repeats itself for a seed, and copes with whoever is unseen."""

import numpy as np
import pandas as pd
import pytest

from support.solvers.rating_baselines import fit_effects
from support.solvers.recommender import WEEK, fit_factorisation

FEW = {"rank": 3, "iterations": 30}


def ratings(seed=0, users=80, items=60, n=4000):
    """Tastes and films on two axes, and stars that rise over the year."""
    rng = np.random.default_rng(seed)
    pairs = rng.permutation(users * items)[:n]
    u, i = pairs // items, pairs % items
    at = rng.integers(0, 52 * WEEK, n)
    taste = (rng.normal(size=(users, 2))[u] * rng.normal(size=(items, 2))[i]).sum(axis=1) * 0.6
    stars = np.clip(3 + taste + 1.2 * (at / (52 * WEEK) - 0.5) + rng.normal(0, 0.3, n), 1, 5)
    return pd.DataFrame({"user": u + 1, "item": i + 1, "rating": stars, "timestamp": at + 10**9})


ROWS = ratings()
BASE, NEW = ROWS.iloc[:3400], ROWS.iloc[3400:]
FITTED = fit_factorisation(BASE, **FEW)


def predict(*asked, fitted=FITTED):
    return fitted.predict_with_error(*asked)[0]


def error(predicted):
    return float(np.abs(predicted - NEW["rating"]).mean())


def test_interactions_are_found_that_effects_alone_cannot_hold():
    effects = fit_effects(BASE).predict(NEW["user"], NEW["item"])
    assert error(predict(NEW["user"], NEW["item"], NEW["timestamp"])) < 0.7 * error(effects)


def test_equal_seeds_give_equal_predictions_and_other_seeds_others():
    asked = (NEW["user"], NEW["item"], NEW["timestamp"])
    first, again, other = (predict(*asked, fitted=fit_factorisation(BASE, **FEW, seed=seed)) for seed in (1, 1, 2))
    assert first.tobytes() == again.tobytes() != other.tobytes()


def test_an_unseen_user_is_the_average_user_and_an_unseen_film_the_average_film():
    def usual(item):
        return predict([9999] * len(BASE), [item] * len(BASE), BASE["timestamp"]).mean()

    popular = BASE.groupby("item")["rating"].mean()
    assert usual(popular.idxmax()) > usual(9999) > usual(popular.idxmin())
    assert usual(9999) == pytest.approx(BASE["rating"].mean(), abs=0.4)


def test_times_outside_the_fitted_weeks_count_as_the_nearest():
    first, last = BASE["timestamp"].min(), BASE["timestamp"].max()
    at = predict([1] * 4, [1] * 4, [0, first, last, 2 * 10**9])
    assert at[0] == at[1] and at[2] == at[3]


def test_predictions_stay_on_the_scale_and_errors_are_positive():
    predicted, spread = FITTED.predict_with_error(NEW["user"], NEW["item"], NEW["timestamp"])
    assert ((predicted >= 1) & (predicted <= 5)).all() and (spread > 0).all()
