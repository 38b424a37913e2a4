"""Errors of predicted ratings equal what a hand computes, and undecided cases count as
the mean of all ratings."""

import json

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from support.analysis.prediction import MEASURES, PAIR, errors_of, scores
from support.analysis.stopping import performance_of
from support.roundtable.ratings import load
from support.roundtable.records import Decision, Round, Transcript
from support.runs.study import Unit


def record(stars, truth, user):
    """A discussion with these standing predictions; None before the first decision."""
    rounds = []
    for number, value in enumerate(stars, start=1):
        decision = value and Decision("P1", value, number)
        rounds.append(Round(number, (), (), (), (), None, (), "", decision))
    about = {"name": "movielens", "rating": truth, "user": user, "item": 7}
    unit = Unit("s", json.dumps({"rule": "majority"}), user)
    return unit, Transcript(about, "majority", {}, tuple(rounds))


def test_errors_by_hand_also_of_the_undecided_and_after_an_early_stop(have):
    mean = have(load).base["rating"].mean()
    records = [record([None, 3.0, 4.0], 4.0, 0), record([2.0, 2.0, 5.0], 3.0, 1)]
    errors = errors_of(records, rounds=4)
    assert errors["undecided"].tolist() == [True] + [False] * 7
    expected = [mean - 4, -1, 0, 0, -1, -1, 2, 2]
    assert errors["error"].tolist() == pytest.approx(expected)
    assert performance_of(records[0][1]) == pytest.approx([4 - mean, 1, 0])
    first = scores(errors, ["rule", "round"]).iloc[0]
    assert (first["value"], first["n"]) == (pytest.approx((5 - mean) / 2), 2)


def test_errors_are_clustered_by_user_and_film():
    """As statsmodels has them; the error of a root is that of the mean below it over twice the root."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers((15, 40), size=(400, 2)), columns=PAIR)
    level = np.sin(frame["user"]) + np.cos(frame["item"])
    frame["squared"] = (1 + level + rng.normal(0, 0.3, 400)) ** 2
    frame["absolute"] = frame["squared"] ** 0.5
    found = scores(frame.assign(m="a"), ["m"]).set_index("column")
    by = {"cov_type": "cluster", "cov_kwds": {"groups": frame[PAIR].to_numpy()}}
    for name, measure in MEASURES.items():
        fit = sm.OLS(frame[measure], np.ones(400)).fit(**by)
        value, se = fit.params.item(), fit.bse.item()
        if name == "rmse":
            value, se = value**0.5, se / (2 * value**0.5)
        half = stats.t.ppf(0.975, 15 - 1) * se
        expected = pytest.approx([value, se, value - half, value + half])
        assert found.loc[name, ["value", "se", "low", "high"]].tolist() == expected
