"""Runs of coordination in numbers: rounds, changes from round 1, the tables of the paper, and the evaluator's audit."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from support import published
from support.analysis.meetings import (
    audit,
    changes,
    final,
    gap_closed,
    kappa,
    mean_changes,
    name_settings,
    rounds_of,
    table_1,
    table_2,
    with_standard_errors,
)
from support.meetings.records import (
    Conversation,
    Coordination,
    CoordinationRound,
    Option,
    Score,
    Turn,
)
from support.runs.study import Unit
from support.tables import against_published

PAPER = published.load("000_cf17db17b5f2de1a")
MEMBERS = ("Ana", "Ben", "Chi")


def played(number, scores, turns=1, audit=(), candidate="O1"):
    """A round whose option O1 has these scores of Ana, Ben and Chi; `turns` None where nobody was talked to."""
    ours, true = (
        tuple(Score("O1", m, s) for m, s in zip(MEMBERS, row, strict=False))
        for row in (scores, audit)
    )
    said = (Turn("assistant", "When?"),) if turns is not None else ()
    chats = tuple(
        Conversation(m, said + (Turn(m, "In the morning."),) * (turns or 0))
        for m in MEMBERS
    )
    options = (Option("O1", "2026-02-16T10:00-05:00"),) if candidate else ()
    return CoordinationRound(number, chats, options, ours, candidate, true)


def run(*rounds, meeting="M1", **settings):
    return Coordination(
        {"id": meeting, "members": list(MEMBERS)},
        {"evaluator": "rule-based"},
        rounds,
        settings,
    )


def frame_of(paths):
    """Rounds of runs, given their satisfaction ratio round by round; equity is a hundredth of it."""
    rows = [
        (f"M{i}", t, value)
        for i, path in enumerate(paths)
        for t, value in enumerate(path, start=1)
    ]
    frame = pd.DataFrame(
        rows, columns=["meeting", "round", "satisfaction_ratio"]
    ).assign(setting="a")
    return frame.assign(
        satisfaction_score=1.0,
        interactions=1.0,
        equity=frame["satisfaction_ratio"] / 100,
    )


def test_the_metrics_are_those_of_the_decision_candidate_and_a_unit_gives_its_settings():
    entry = played(1, (3, 1, 0), turns=2, audit=(2, 0, 0))
    entry = replace(entry, scores=(Score("O2", "Ana", 0), *entry.scores))
    unit = Unit("study", json.dumps({"K": 2, "seats": {"Ana": "terse"}}), 4)
    row = rounds_of(
        [(unit, run(entry, yardstick=[{"chance_ratio": 0.3, "best_ratio": 1.0}]))]
    ).iloc[0]
    metrics = row[
        ["satisfaction_ratio", "satisfaction_score", "true_ratio", "equity"]
    ].tolist()
    assert metrics == pytest.approx(
        [200 / 3, 4 / 3, 100 / 3, (3 + 2 + 1) * 2 / (2 * 3 * 4)]
    )
    assert row[["interactions", "members", "chance_ratio", "best_ratio"]].tolist() == [
        2,
        3,
        30,
        100,
    ]
    assert row[["K", "seats", "repetition", "meeting"]].tolist() == [
        2,
        '{"Ana": "terse"}',
        4,
        "M1",
    ]


def test_a_round_without_options_satisfies_nobody_and_what_was_not_measured_has_no_number():
    names = [
        "interactions",
        "satisfaction_ratio",
        "equity",
        "true_ratio",
        "chance_ratio",
    ]
    rows = [
        played(1, (), candidate=None),
        played(1, (), turns=None),
        played(1, (3, 3, 3), turns=0),
    ]
    found = [rounds_of([({}, run(entry))]).iloc[0][names].tolist() for entry in rows]
    nan = np.nan
    assert np.array_equal(
        found, [[1, 0, 1, 0, nan], [nan] * 5, [0, 100, 0, nan, nan]], equal_nan=True
    )


def test_the_way_from_chance_to_the_best_is_a_ratio_of_means_with_student_s_interval():
    true, chance, best = (
        np.array([50.0, 60, 40]),
        np.array([30.0, 40, 20]),
        np.array([70.0, 80, 90]),
    )
    runs = {"setting": "a", "meeting": ["M1", "M2", "M3"], "round": 1}
    frame = pd.DataFrame(
        runs | {"true_ratio": true, "chance_ratio": chance, "best_ratio": best}
    )
    row = gap_closed(frame).iloc[0]
    half = (
        100
        * stats.sem((true - chance - 0.4 * (best - chance)) / 50)
        * stats.t.ppf(0.975, 2)
    )
    assert row[["share", "low", "high", "n"]].tolist() == pytest.approx(
        [40, 40 - half, 40 + half, 3]
    )
    assert np.isnan(gap_closed(frame.assign(best_ratio=chance)).iloc[0]["share"])


def test_settings_are_named_as_table_1_heads_its_parts():
    named = name_settings(
        pd.DataFrame({"members": [3, 5], "options": [2, 4], "database": [False, True]})
    )["setting"]
    assert [f"Table 1 {name}" in set(PAPER["table"]) for name in named] == [True, True]


def test_final_is_the_last_round_of_each_run_whatever_the_order_of_rows():
    runs = (
        run(played(1, (1, 0, 0)), played(2, (3, 3, 3))),
        run(played(1, (1, 1, 1)), meeting="M2"),
    )
    last = final(
        rounds_of([({}, one) for one in runs]).sample(frac=1, random_state=1)
    ).set_index("meeting")
    assert (last.loc["M1", "round"], last.loc["M2", "round"]) == (2, 1)


def test_changes_are_in_percent_of_round_1_run_by_run_and_a_run_that_starts_at_zero_is_left_out_and_counted():
    table = changes(frame_of([(20, 60), (80, 100), (0, 60)]))
    change = table.groupby("metric")["change"].agg(list)
    assert change["satisfaction_ratio"] == pytest.approx(
        [0, 200, 0, 25, np.nan, np.nan], nan_ok=True
    )
    assert change["equity"] == pytest.approx(
        [0, 0.4, 0, 0.2, 0, 0.6]
    )  # in its own unit, and nothing is left out
    last = mean_changes(table).set_index(["metric", "round"])[
        ["mean", "n", "left_out", "start"]
    ]
    assert last.loc[("satisfaction_ratio", 2)].tolist() == pytest.approx(
        [112.5, 2, 1, 100 / 3]
    )
    assert last.loc[("equity", 2)].tolist() == pytest.approx([0.4, 3, 0, 1 / 3])


def test_table_1_has_the_last_round_of_each_design_and_stands_beside_the_published_one():
    """Ten meetings, each in the three designs; the rounds add a satisfied member to whom the single round has."""
    records = []
    for i in range(10):
        first, last = (3, i % 2, 0), (3, 3 if i else 0, i % 2)
        for design, rounds in (
            ("no conversation", (played(1, first, turns=None),)),
            ("single round", (played(1, first, turns=1 + i % 3),)),
            ("rounds", (played(1, first, turns=1 + i % 3), played(2, last, turns=1))),
        ):
            records.append(({"design": design}, run(*rounds, meeting=f"M{i}")))
    table = table_1(rounds_of(records))
    value = table.set_index(["row", "column"])["value"]
    assert ("no conversation", "interactions") not in value and value[
        "rounds", "interactions"
    ] == 1
    assert (
        value["rounds", "satisfaction_ratio"]
        > value["single round", "satisfaction_ratio"]
    )
    assert set(table["n"]) == {10}
    printed = with_standard_errors(PAPER[PAPER["table"] == "Table 1 n = 3, K = 2"])
    table = table.assign(participant="rule-based")
    beside = against_published(table, printed, 1.0)
    assert len(beside) == 11 and not (beside["verdict"] == "not testable here").any()


def test_table_2_names_its_rows_as_the_paper_and_has_the_spread_of_its_means():
    records = [
        ({"paraphrase": k}, run(played(1, (3, k, 0), turns=None))) for k in (0, 1, 2)
    ]
    table = table_2(rounds_of(records)).set_index(["row", "column"])["value"]
    printed = PAPER[PAPER["table"] == "Table 2"]
    assert set(table.index) == set(zip(printed["row"], printed["column"], strict=True))
    assert table["std of the means", "satisfaction_score"] == pytest.approx(
        np.std([1, 4 / 3, 5 / 3], ddof=1)
    )


def test_standard_errors_are_those_that_the_printed_intervals_have():
    printed = PAPER[PAPER["table"] == "Table 1 n = 5, K = 3"]
    found = with_standard_errors(printed).set_index(["row", "column"])["spread"][
        "rounds", "satisfaction_ratio"
    ]
    assert found == pytest.approx(5.22 / stats.t.ppf(0.95, 16) * np.sqrt(17 / 16))


# -- the audit -------------------------------------------------------------------------------------------------------


def pairs(values, meetings=None):
    frame = pd.DataFrame(values, columns=["score", "exact"]).assign(
        evaluator="rule-based"
    )
    return frame.assign(meeting=meetings if meetings is not None else range(len(frame)))


def agreed(frame, draws=2000):
    return kappa(frame, np.random.default_rng(1), by="evaluator", draws=draws).iloc[0]


def test_there_is_a_pair_for_each_option_and_member_that_both_scored():
    frame = audit([({"n": 2}, run(played(1, (3, 2, 1), audit=(3, 3))))])
    assert frame[["n", "meeting", "score", "exact"]].values.tolist() == [
        [2, "M1", 3, 3],
        [2, "M1", 2, 3],
    ]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)
)
def test_property_kappa_is_scikit_learns(scores):
    a, b = zip(*scores, strict=True)
    if len(set(a)) > 1 and len(set(b)) > 1:
        expected = cohen_kappa_score(a, b, weights="quadratic", labels=[0, 1, 2, 3])
        assert agreed(pairs(scores), draws=2)["kappa"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("frame", "note"),
    [
        (pairs([(3, 3)]), "fewer than two pairs"),
        (pairs([(3, 1), (3, 2)]), "score never varies: agreement is not defined"),
        (pairs([(3, 3), (1, 2), (0, 0)], meetings="M1"), "one meeting: no interval"),
    ],
)
def test_where_there_is_no_kappa_or_interval_it_is_empty_and_says_why(frame, note):
    row = agreed(frame)
    assert (
        row["note"] == note
        and np.isnan(row["low"])
        and np.isnan(row["kappa"]) == ("interval" not in note)
    )
