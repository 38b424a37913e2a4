"""One row a run: the chosen plan's quality, what it took, and which instance it was."""

import json

import numpy as np
import pytest

from support.analysis.fairness import instance_key, run_columns, runs_of
from support.runs.study import Unit


def test_a_run_has_the_quality_of_its_chosen_plan_in_truth(made):
    record = made.search(made.entry(1, (0, 0), best=(0, 0)), made.entry(2, (0, 1), best=(0, 0)), chosen=(0, 1))
    row = runs_of([({}, record)]).iloc[0]
    assert (row["divergence"], row["welfare"], row["least"], row["most"]) == (14, 28, 2, 16)  # totals 16, 2, 10
    assert row["shortfall"] == 16  # the second could have had 10 + 8
    assert row["nash"] == pytest.approx(320 ** (1 / 3))
    assert row["envy"] == pytest.approx((14 + 6 + 8) / 6)
    assert row["gini"] == pytest.approx(28 / (3 * 28))
    assert row["found"]


def test_what_a_run_took_is_counted(made):
    rounds = (
        made.entry(1, (0, 0), (1, 1), replies=4, tokens=900),
        made.entry(2, errors=2, replies=1, tokens=80),
        made.entry(3, (1, 1), finish=True),
    )
    row = runs_of([({}, made.search(*rounds, chosen=(1, 1)))]).iloc[0]
    assert (row["rounds_used"], row["evaluations"], row["replies"], row["format_errors"]) == (3, 6, 5, 2)
    assert row["tokens"] == 980 and row["stopped"]


def test_changes_are_counted_from_the_nearest_earlier_plan_and_a_stop_is_none(made):
    rounds = [made.entry(1, (0, 0)), made.entry(2, (1, 1)), made.entry(3, (1, 0)), made.entry(4, (1, 0), finish=True)]
    assert runs_of([({}, made.search(*rounds, chosen=(1, 0)))])["changed"][0] == 1.5
    assert np.isnan(runs_of([({}, made.search(made.entry(1, (0, 0)), chosen=(0, 0)))])["changed"][0])


def test_a_run_without_a_plan_has_no_quality_and_is_not_found(made):
    row = runs_of([({}, made.search(made.entry(1, errors=1)))]).iloc[0]
    assert np.isnan(row["divergence"]) and not row["found"] and row["evaluations"] == 0


def test_settings_come_from_the_unit_then_the_record_then_the_seats(made):
    record = made.search(
        made.entry(1, (0, 0)), chosen=(0, 0), coordinator="mcts (compiled)", feedback="score", rounds=5
    )
    unit = Unit("study", json.dumps({"coordinator": "mcts", "decisions": 99, "seats": {"Ana": "terse"}}), 4)
    row = runs_of([(unit, record)]).iloc[0]
    assert (row["coordinator"], row["feedback"], row["rounds"], row["estimator"]) == ("mcts", "score", 5, "none")
    assert (row["repetition"], row["seats"]) == (4, '{"Ana": "terse"}')
    assert (row["participants"], row["decisions"], row["options"]) == (3, 2, 2)  # as the gains have them
    assert runs_of([({}, record)])["coordinator"][0] == "mcts (compiled)"


def test_an_instance_is_named_by_its_gains_alone(made):
    other = tuple(tuple(row) for row in np.array(made.gains)[:, ::-1].tolist())
    assert instance_key(made.gains) == instance_key(np.array(made.gains, dtype=np.int32))
    assert instance_key(made.gains) != instance_key(other)
    assert instance_key(np.ones((1, 2, 3))) != instance_key(np.ones((1, 3, 2)))


def test_the_columns_of_a_run_are_those_that_nobody_measured(made):
    frame = runs_of([({"coordinator": "mcts"}, made.search(made.entry(1, (0, 0)), chosen=(0, 0)))])
    assert set(run_columns(frame)) == {
        "coordinator",
        "estimator",
        "solver",
        "participants",
        "decisions",
        "options",
        "instance",
    }
