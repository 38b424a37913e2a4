"""Errors of predicted ratings equal what a hand computes, and undecided cases count as the mean of all ratings."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support.analysis.prediction import errors_of, scores
from support.roundtable.ratings import load
from support.roundtable.records import Decision, Round, Transcript
from support.runs.study import Unit


def record(stars, truth=4.0, repetition=0):
    """A discussion with these standing predictions; None before the first decision."""
    rounds = []
    for number, value in enumerate(stars, start=1):
        decision = value and Decision("P1", value, number)
        rounds.append(Round(number, (), (), (), (), None, (), "", decision))
    about = {"name": "movielens", "rating": truth, "user": repetition, "item": 7}
    unit = Unit("s", json.dumps({"rule": "majority"}), repetition)
    return unit, Transcript(about, "majority", {}, tuple(rounds))


def test_errors_by_hand_also_of_the_undecided_and_after_an_early_stop(have):
    mean = have(load).base["rating"].mean()
    records = [record([None, 3.0, 4.0]), record([2.0, 2.0, 5.0], 3.0, repetition=1)]
    errors = errors_of(records, rounds=4)
    assert errors["undecided"].tolist() == [True] + [False] * 7
    expected = [mean - 4, -1, 0, 0, -1, -1, 2, 2]
    assert errors["error"].tolist() == pytest.approx(expected)
    assert errors["squared"].tolist() == pytest.approx(np.square(expected))
    assert errors_of(records, rounds=1)["error"].tolist() == pytest.approx(
        [mean - 4, -1]
    )
    first = scores(errors, ["rule", "round"]).iloc[0]
    assert (first["value"], first["n"]) == (pytest.approx((5 - mean) / 2), 2)


def drawn(users, items, n=400):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"user": users(rng, n), "item": items(rng, n), "m": "a"})
    level = np.sin(frame["user"]) / 4 + np.cos(frame["item"]) / 5
    error = 1 + level + rng.normal(0, 0.3, n)
    return frame.assign(absolute=error.abs(), squared=error**2)


def one_each(rng, n):
    return np.arange(n)


def test_the_scores_are_the_formulas_and_the_rmse_s_interval_covers_as_a_bootstrap_does():
    frame = drawn(one_each, one_each)
    mae, rmse = scores(frame, ["m"]).itertuples()
    errors = frame["absolute"].to_numpy()
    spread = pytest.approx((errors.mean(), errors.std(ddof=1) / 20))
    assert (mae.value, mae.se) == spread
    assert (mae.high - mae.value) / mae.se == pytest.approx(stats.t.ppf(0.975, 399))
    rows = np.random.default_rng(0).integers(0, 400, (4000, 400))
    again = np.sqrt((errors[rows] ** 2).mean(axis=1))
    assert rmse.value == pytest.approx(np.sqrt(np.mean(errors**2)))
    assert rmse.se == pytest.approx(again.std(), rel=0.1)


def test_errors_are_clustered_by_user_and_film():
    """V(users) + V(films) - V(ratings), each of sums of residuals within clusters."""
    frame = drawn(
        lambda rng, n: rng.integers(15, size=n), lambda rng, n: rng.integers(40, size=n)
    )
    residual = frame["absolute"] - frame["absolute"].mean()
    parts = []
    for by in (["user"], ["item"], ["user", "item"]):
        sums = residual.groupby([frame[name] for name in by]).sum()
        parts.append((sums**2).sum() * len(sums) / (len(sums) - 1))
    expected = np.sqrt(parts[0] + parts[1] - parts[2]) / len(frame)
    assert scores(frame, ["m"]).iloc[0]["se"] == pytest.approx(expected)
