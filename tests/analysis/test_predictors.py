"""Baselines and groups on many cases; these need MovieLens-100k and are skipped where it cannot be had."""

import asyncio

import numpy as np
import pytest

from support.analysis import predictors
from support.analysis.prediction import scores
from support.errors import InvalidInput
from support.roundtable.movielens import draw_cases
from support.roundtable.ratings import load


@pytest.fixture(scope="module", autouse=True)
def data(have):
    return have(load)


def values(frame, column="mae"):
    table = scores(frame, "method")
    return table[table["column"] == column].set_index("method")["value"]


def test_baselines_on_all_test_ratings_have_the_errors_that_a_hand_computes(data):
    frame = predictors.baselines()
    assert frame.groupby("method").size().eq(20_000).all() and not frame["undecided"].any()
    mae, rmse = values(frame), values(frame, "rmse")
    assert mae["always 4"] == pytest.approx((data.test["rating"] - 4).abs().mean())
    mean = data.base["rating"].mean()
    assert rmse["global mean"] == pytest.approx(np.sqrt(((data.test["rating"] - mean) ** 2).mean()))
    assert rmse["recommender"] < rmse["user and film effects"] < rmse["film mean"] < rmse["global mean"]
    assert mae["recommender"] < 0.72


def test_baselines_on_some_cases_are_those_of_these_cases():
    cases = draw_cases(7)
    frame = predictors.baselines(cases)
    truth = [c.rating for c in cases]
    assert frame[frame["method"] == "always 4"]["error"].tolist() == [4 - t for t in truth]


def test_no_cases_are_refused():
    with pytest.raises(InvalidInput, match="cases: none given"):
        predictors.baselines([])


def test_a_case_is_the_same_discussion_wherever_it_is_played():
    job = {"rule": "majority", "rounds": 3, "seed": 1}
    together, alone = (asyncio.run(predictors.play_cases(job, numbers)) for numbers in (range(4), [3]))
    assert len(together) == 12
    last = together[together["case"] == 3]["prediction"].to_numpy()
    assert np.array_equal(last, alone["prediction"].to_numpy(), equal_nan=True)


def test_processes_bring_back_every_case_in_order(monkeypatch):
    monkeypatch.setattr(predictors, "PIECE", 3)
    frame = predictors.group_on_all("rated", 5, rounds=2, progress=False)
    assert frame["case"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert set(frame["rule"]) == {"rated"}


def test_rule_based_groups_beat_the_means_and_stay_behind_the_recommender():
    frame = asyncio.run(predictors.play_cases({"rule": "rated", "rounds": 6, "seed": 1}, range(250)))
    group = frame[frame["round"] == 6]["absolute"].mean()
    mae = values(predictors.baselines(draw_cases(250)))
    assert mae["recommender"] < group < min(mae["user mean"], mae["film mean"], mae["always 4"])
