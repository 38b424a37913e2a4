"""Errors of predicted ratings equal what a hand computes, and undecided cases count as the convention says."""

import asyncio
import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support.analysis import prediction
from support.analysis.prediction import (
    errors_of,
    mae_changes,
    mae_table,
    scores,
    undecided_share,
)
from support.roundtable.movielens import draw_cases
from support.roundtable.ratings import load
from support.roundtable.records import Decision, Round, Transcript
from support.runs.study import Unit


def record(stars, truth=4.0, rule="majority", repetition=0):
    """A discussion with these standing predictions; None before the first decision."""
    decisions = [
        None if value is None else Decision("P1", value, n)
        for n, value in enumerate(stars, 1)
    ]
    rounds = tuple(
        Round(n, (), (), (), (), None, (), "", said)
        for n, said in enumerate(decisions, 1)
    )
    about = {"name": "movielens", "rating": truth}
    return Unit("s", json.dumps({"rule": rule}), repetition), Transcript(
        about, rule, {}, rounds
    )


RECORDS = [record([None, 3.0, 4.0], 4.0), record([2.0, 2.0, 5.0], 3.0, repetition=1)]


def test_errors_of_each_discussion_and_round_also_after_an_early_stop():
    errors = errors_of(RECORDS, rounds=4)
    assert errors["undecided"].tolist() == [True] + [False] * 7 and np.isnan(
        errors["error"][0]
    )
    assert errors["error"].tolist()[1:] == [-1.0, 0.0, 0.0, -1.0, -1.0, 2.0, 2.0]
    assert errors["squared"].tolist()[1:] == [1.0, 0.0, 0.0, 1.0, 1.0, 4.0, 4.0]
    assert errors_of(RECORDS, rounds=1)["error"].tolist()[1:] == [-1.0]


def test_undecided_cases_are_left_out_or_count_as_the_mean_of_all_ratings():
    errors = errors_of(RECORDS, rounds=3)
    out = mae_table(errors).set_index("column")
    assert (out.loc["mae@1", "value"], out.loc["mae@1", "n"]) == (1.0, 1)
    filled = mae_table(errors, mean=3.5).set_index("column")
    assert (filled.loc["mae@1", "value"], filled.loc["mae@1", "n"]) == (0.75, 2)
    assert filled.loc["rmse@1", "value"] == pytest.approx(np.sqrt((0.25 + 1) / 2))
    assert filled.loc["mae@3", "value"] == out.loc["mae@3", "value"] == 1.0
    assert undecided_share(errors, ["rule"])["undecided"].tolist() == [50.0, 0.0, 0.0]
    nobody = mae_table(errors_of([record([None, 3.0])], rounds=2)).set_index("column")
    assert np.isnan(nobody.loc["mae@1", "value"]) and nobody.loc["mae@1", "n"] == 0


def test_the_scores_are_the_formulas_and_the_interval_of_the_rmse_covers_as_a_bootstrap_does():
    rng = np.random.default_rng(0)
    errors = rng.normal(0, 1, 400)
    table = scores(
        pd.DataFrame({"m": "a", "absolute": np.abs(errors), "squared": errors**2}), "m"
    )
    mae, rmse = table.set_index("column").loc[["mae", "rmse"]].itertuples()
    assert (mae.value, mae.se) == pytest.approx(
        (np.abs(errors).mean(), np.abs(errors).std(ddof=1) / 20)
    )
    assert (mae.high - mae.value) / mae.se == pytest.approx(stats.t.ppf(0.975, 399))
    drawn = np.sqrt((errors[rng.integers(0, 400, (4000, 400))] ** 2).mean(axis=1))
    assert (rmse.value, rmse.se) == (
        pytest.approx(np.sqrt(np.mean(errors**2))),
        pytest.approx(drawn.std(), rel=0.1),
    )


def test_baselines_have_the_errors_that_a_hand_computes_on_all_and_on_some_cases(have):
    data, frame = have(load), prediction.baselines()
    assert (
        frame.groupby("method").size().eq(20_000).all() and not frame["undecided"].any()
    )
    mae, rmse = (
        part.set_index("method")["value"]
        for _, part in scores(frame, "method").groupby("column")
    )
    assert mae["always 4"] == pytest.approx((data.test["rating"] - 4).abs().mean())
    deviations = data.test["rating"] - data.base["rating"].mean()
    assert rmse["global mean"] == pytest.approx(np.sqrt((deviations**2).mean()))
    assert (
        rmse["recommender"]
        < rmse["user and film effects"]
        < rmse["film mean"]
        < rmse["global mean"]
    )
    assert mae["recommender"] < 0.72
    cases = draw_cases(7)
    some = prediction.baselines(cases)
    assert some[some["method"] == "always 4"]["error"].tolist() == [
        4 - c.rating for c in cases
    ]


def test_a_case_is_the_same_discussion_whatever_else_is_played(have):
    have(load)
    job = {"rule": "majority", "rounds": 10, "seed": 1, "seats": "mixed"}
    alone, together = (
        asyncio.run(prediction.play_cases(job, numbers)) for numbers in ([2], range(3))
    )
    assert together["case"].tolist() == [0] * 10 + [1] * 10 + [2] * 10
    mine = together[together["case"] == 2]["prediction"].to_numpy()
    assert np.array_equal(mine, alone["prediction"].to_numpy(), equal_nan=True)


def test_changes_of_the_error_are_those_of_cases_decided_in_both_rounds():
    said = [
        record(stars, rule="rated", repetition=k)
        for k, stars in enumerate([[5, 4], [2, 3], [None, 4]])
    ]
    row = mae_changes(errors_of(said, 2)).iloc[0]  # the truth is 4
    assert (row["row"], row["column"], row["value"], row["n"]) == (
        "rated",
        "mae@2 - mae@1",
        -1,
        2,
    )
    assert row["se"] == 0


def test_errors_clustered_by_user_and_film_are_those_of_statsmodels():
    import statsmodels.api as sm
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "user": rng.integers(15, size=400),
            "item": rng.integers(40, size=400),
            "m": "a",
        }
    )
    level = (
        rng.normal(0, 0.3, 15)[frame["user"]] + rng.normal(0, 0.2, 40)[frame["item"]]
    )
    frame = frame.assign(absolute=1 + level + rng.normal(0, 0.3, 400)).drop_duplicates(
        ["user", "item"]
    )
    frame["squared"] = frame["absolute"] ** 2
    fitted = sm.OLS(frame["absolute"], np.ones(len(frame))).fit()
    groups = [frame[name].to_numpy() for name in ("user", "item")]
    expected = float(np.sqrt(cov_cluster_2groups(fitted, *groups)[0].squeeze()))
    row = scores(frame, "m").iloc[0]
    assert row["se"] == pytest.approx(
        expected, rel=0.01
    )  # its factors (n - 1) / (n - k) are ours but for k = 1
    assert (
        row["se"] > 2 * scores(frame.drop(columns=["user", "item"]), "m").iloc[0]["se"]
    )
