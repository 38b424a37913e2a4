"""Errors of predicted ratings equal what a hand computes, and undecided cases count as the convention says."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import published
from support.analysis.prediction import errors_of, mae_table, predictions, scores, undecided_share, with_undecided
from support.errors import InvalidInput
from support.roundtable.records import Decision, Round, Transcript
from support.runs.study import Unit
from support.tables import against_published


def transcript(stars, truth=4.0, name="movielens"):
    """A discussion with these standing predictions; None before the first decision."""
    rounds = tuple(
        Round(n, (), (), (), (), None, (), "", None if value is None else Decision("P1", value, n))
        for n, value in enumerate(stars, 1)
    )
    return Transcript({"name": name, "rating": truth}, "majority", {}, rounds)


def record(stars, truth=4.0, rule="majority", repetition=0):
    return Unit("s", json.dumps({"rule": rule}), repetition), transcript(stars, truth)


RECORDS = [record([None, 3.0, 4.0], 4.0), record([2.0, 2.0, 5.0], 3.0, repetition=1)]


def test_predictions_stand_until_the_next_decision_and_after_an_early_stop():
    made = predictions(transcript([None, 3.0, 3.5]), 5)
    assert np.isnan(made[0]) and made[1:].tolist() == [3.0, 3.5, 3.5, 3.5]
    assert predictions(transcript([3.0, 3.5]), 1).tolist() == [3.0]


@pytest.mark.parametrize("wrong", [transcript([]), transcript([3.0], name="exchange_economy")])
def test_a_transcript_of_another_study_or_without_rounds_is_refused(wrong):
    with pytest.raises(InvalidInput, match="expected one or more on 'movielens'"):
        predictions(wrong)


def test_one_row_per_discussion_and_round_with_its_errors():
    errors = errors_of(RECORDS, rounds=3)
    assert len(errors) == 6
    first = errors.iloc[0]
    assert first["undecided"] and np.isnan(first["error"])
    assert errors["error"].tolist()[1:] == [-1.0, 0.0, -1.0, -1.0, 2.0]
    assert errors["squared"].tolist()[1:] == [1.0, 0.0, 1.0, 1.0, 4.0]
    assert list(errors["repetition"].unique()) == [0, 1] and list(errors["rule"].unique()) == ["majority"]


def test_of_no_records_there_is_an_empty_frame():
    assert errors_of([]).empty


def test_undecided_cases_are_left_out_or_count_as_the_mean_of_all_ratings():
    errors = errors_of(RECORDS, rounds=3)
    out = mae_table(errors).set_index("column")
    assert (out.loc["mae@1", "value"], out.loc["mae@1", "n"]) == (1.0, 1)
    filled = mae_table(errors, undecided="mean", mean=3.5).set_index("column")
    assert (filled.loc["mae@1", "value"], filled.loc["mae@1", "n"]) == (0.75, 2)
    assert filled.loc["rmse@1", "value"] == pytest.approx(np.sqrt((0.25 + 1) / 2))
    assert filled.loc["mae@3", "value"] == out.loc["mae@3", "value"] == 1.0
    assert undecided_share(errors)["undecided"].tolist() == [50.0, 0.0, 0.0]


@pytest.mark.parametrize("options", [{"undecided": "zero"}, {"undecided": "mean"}])
def test_another_convention_or_a_mean_that_is_missing_is_refused(options):
    with pytest.raises(InvalidInput, match="expected 'left out', or 'mean' and the mean in stars"):
        with_undecided(errors_of(RECORDS, rounds=3), **options)


def test_a_row_in_which_nobody_had_decided_has_no_value_and_says_so():
    table = mae_table(errors_of([record([None, 3.0])], rounds=2)).set_index("column")
    assert np.isnan(table.loc["mae@1", "value"]) and table.loc["mae@1", "n"] == 0


ERRORS = st.lists(st.floats(-4, 4), min_size=2, max_size=40)


@settings(deadline=None, max_examples=30)
@given(ERRORS)
def test_property_the_scores_are_the_formulas(errors):
    frame = pd.DataFrame({"m": "a", "absolute": np.abs(errors), "squared": np.square(errors)})
    mae, rmse = scores(frame, "m").itertuples()
    assert mae.value == pytest.approx(np.mean(np.abs(errors)))
    assert rmse.value == pytest.approx(np.sqrt(np.mean(np.square(errors))))
    assert rmse.value >= mae.value - 1e-9
    assert mae.se == pytest.approx(np.std(np.abs(errors), ddof=1) / np.sqrt(len(errors)), abs=1e-9)
    assert mae.low <= mae.value <= mae.high or np.isnan(mae.se)


def test_the_interval_of_the_rmse_covers_as_a_bootstrap_does():
    rng = np.random.default_rng(0)
    errors = rng.normal(0, 1, 400)
    frame = pd.DataFrame({"m": "a", "absolute": np.abs(errors), "squared": errors**2})
    rmse = scores(frame, "m").set_index("column").loc["rmse"]
    drawn = np.sqrt((errors[rng.integers(0, 400, (4000, 400))] ** 2).mean(axis=1))
    assert rmse["se"] == pytest.approx(drawn.std(), rel=0.1)


def test_the_table_stands_beside_table_7():
    errors = errors_of([record([3.5] * 10, rule=r, repetition=i) for r in ("majority", "ranked") for i in range(3)])
    printed = published.load("001_5dc2ef75221ed897", "Table 7")
    table = against_published(mae_table(errors), printed, participant="rule-based")
    ours = table[table["row"] == "majority"]
    assert len(ours) == 20 and ours["ours"].notna().all() and ours["published"].notna().all()
