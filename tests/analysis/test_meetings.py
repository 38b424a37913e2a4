"""Runs of coordination in numbers: rounds, changes from round 1, the tables of the paper."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from support import published
from support.analysis.meetings import (
    changes,
    final,
    gap_closed,
    mean_changes,
    name_settings,
    rounds_of,
    table_1,
    table_2,
    with_standard_errors,
)
from support.errors import InvalidInput
from support.meetings.records import Conversation, Coordination, CoordinationRound, Option, Score, Turn
from support.runs.study import Unit
from support.tables import against_published

PAPER = published.load("000_cf17db17b5f2de1a")
MEMBERS = ("Ana", "Ben", "Chi")


def talk(member, turns):
    said = (Turn("assistant", "When?"),) + (Turn(member, "In the morning."),) * turns if turns is not None else ()
    return Conversation(member, said, ("Prefers mornings",))


def played(number, scores, turns=1, audit=None, candidate="O1", **more):
    """A round whose option O1 has these scores of Ana, Ben and Chi."""
    given = tuple(Score("O1", m, s) for m, s in zip(MEMBERS, scores, strict=False))
    true = tuple(Score("O1", m, s) for m, s in zip(MEMBERS, audit or (), strict=False))
    options = (Option("O1", "2026-02-16T10:00-05:00"),) if candidate else ()
    chats = tuple(talk(m, turns) for m in MEMBERS)
    return CoordinationRound(number, chats, options, given, candidate, true, **more)


def run(*rounds, meeting="M1"):
    return Coordination({"id": meeting, "members": list(MEMBERS)}, {"evaluator": "rule-based"}, rounds)


def frame_of(values, metric="satisfaction_ratio", **columns):
    """Rounds of runs, given their metric round by round."""
    rows = [
        {"setting": "a", "meeting": f"M{i}", "round": t, metric: value} | columns
        for i, path in enumerate(values)
        for t, value in enumerate(path, start=1)
    ]
    return pd.DataFrame(rows)


def test_the_metrics_are_those_of_the_decision_candidate():
    other = Score("O2", "Ana", 0)
    entry = played(1, (3, 1, 0), turns=2, audit=(2, 0, 0))
    entry = CoordinationRound(1, entry.conversations, (*entry.options, Option("O2", "2026-02-16T11:00-05:00")),
                              (other, *entry.scores), "O1", entry.audit, breaches=("too few",))  # fmt: skip
    row = rounds_of([({"setting": "a"}, run(entry))]).iloc[0]
    assert row["satisfaction_ratio"] == pytest.approx(200 / 3)
    assert row["satisfaction_score"] == pytest.approx(4 / 3)
    assert row["equity"] == pytest.approx((3 + 2 + 1) * 2 / (2 * 3 * 4))
    assert (row["true_ratio"], row["true_equity"]) == (pytest.approx(100 / 3), pytest.approx(2 / 3))
    assert (row["interactions"], row["proposed"], row["breaches"], row["members"]) == (2, 2, 1, 3)


def test_the_way_from_chance_to_the_best_is_a_ratio_of_means_with_student_s_interval():
    true, chance, best = np.array([50.0, 60, 40]), np.array([30.0, 40, 20]), np.array([70.0, 80, 90])
    runs = {"setting": "a", "meeting": ["M1", "M2", "M3"], "round": 1}
    frame = pd.DataFrame(runs | {"true_ratio": true, "chance_ratio": chance, "best_ratio": best})
    row = gap_closed(frame).iloc[0]
    share = 20 / 50
    residual = (true - chance - share * (best - chance)) / 50
    half = 100 * stats.sem(residual) * stats.t.ppf(0.975, 2)
    assert (row["share"], row["n"]) == (pytest.approx(100 * share), 3)
    assert (row["low"], row["high"]) == pytest.approx((40 - half, 40 + half))
    assert np.isnan(gap_closed(frame.assign(best_ratio=chance)).iloc[0]["share"])


def test_a_run_carries_its_yardstick_and_one_that_was_kept_without_has_none():
    entry, measured = played(1, (3, 1, 0)), {"chance_ratio": 0.3, "best_ratio": 1.0, "chance_score": 1, "best_score": 2}
    made = Coordination({"id": "M1", "members": list(MEMBERS)}, {}, (entry,), {"yardstick": [measured]})
    row = rounds_of([({}, made)]).iloc[0]
    assert tuple(row[["chance_ratio", "best_ratio", "chance_score", "best_score"]]) == (30, 100, 1, 2)
    assert np.isnan(rounds_of([({}, run(entry))]).iloc[0]["chance_ratio"])


def test_equity_as_printed_is_an_option():
    records = [({}, run(played(1, (3, 0, 0))))]
    assert rounds_of(records)["equity"][0] == pytest.approx(3 * rounds_of(records, printed=True)["equity"][0])


def test_a_unit_gives_its_settings_and_repetition():
    unit = Unit("study", json.dumps({"n": 3, "seats": {"Ana": "terse"}}), 4)
    row = rounds_of([(unit, run(played(1, (3, 3, 3))))]).iloc[0]
    assert (row["n"], row["repetition"], row["meeting"]) == (3, 4, "M1")
    assert row["seats"] == '{"Ana": "terse"}'


def test_a_round_without_options_satisfies_nobody():
    row = rounds_of([({}, run(played(1, (), candidate=None)))]).iloc[0]
    assert (row["satisfaction_ratio"], row["satisfaction_score"], row["equity"], row["proposed"]) == (0, 0, 1, 0)
    assert (row["true_ratio"], row["true_equity"]) == (0, 1)


def test_a_round_whose_evaluator_failed_has_no_metrics_and_no_change():
    frame = rounds_of([({"setting": "a"}, run(played(1, (3, 3, 0)), played(2, ())))])
    assert frame.loc[1, ["satisfaction_ratio", "satisfaction_score", "equity"]].isna().all()
    table = changes(frame)
    assert table[(table["metric"] == "satisfaction_ratio") & (table["round"] == 2)]["left_out"].all()


def test_settings_are_named_as_table_1_heads_its_parts():
    frame = pd.DataFrame({"members": [3, 5], "options": [2, 4], "database": [False, True]})
    named = name_settings(frame)["setting"].tolist()
    assert named == ["n = 3, K = 2", "n = 5, K = 4, database"]
    assert {f"Table 1 {name}" for name in named} <= set(PAPER["table"])


def test_without_conversation_there_are_no_interactions_and_without_audit_no_truth():
    row = rounds_of([({}, run(played(1, (3, 3, 3), turns=None)))]).iloc[0]
    assert np.isnan(row["interactions"])
    assert np.isnan(row["true_ratio"])
    silent = rounds_of([({}, run(played(1, (3, 3, 3), turns=0)))]).iloc[0]
    assert silent["interactions"] == 0


def test_final_is_the_last_round_of_each_run_whatever_the_order_of_rows():
    frame = rounds_of(
        [({}, run(played(1, (1, 0, 0)), played(2, (3, 3, 3)))), ({}, run(played(1, (1, 1, 1)), meeting="M2"))]
    )
    last = final(frame.sample(frac=1, random_state=1)).set_index("meeting")
    assert (last.loc["M1", "round"], last.loc["M2", "round"]) == (2, 1)


def test_changes_are_in_percent_of_round_1_run_by_run():
    table = changes(frame_of([(20, 60), (80, 100)]), metrics=["satisfaction_ratio"])
    assert table[table["round"] == 2]["change"].tolist() == [200, 25]
    assert (table[table["round"] == 1]["change"] == 0).all()


def test_a_mean_of_percentages_is_not_the_percentage_of_means():
    table = mean_changes(changes(frame_of([(20, 60), (80, 100)]), metrics=["satisfaction_ratio"]))
    last = table[table["round"] == 2].iloc[0]
    assert (last["mean"], last["of_means"], last["start"]) == (112.5, 60, 50)


def test_a_run_that_starts_at_zero_is_left_out_and_counted():
    table = mean_changes(changes(frame_of([(0, 60), (50, 100), (50, 75)]), metrics=["satisfaction_ratio"]))
    last = table[table["round"] == 2].iloc[0]
    assert (last["mean"], last["n"], last["left_out"]) == (75, 2, 1)
    assert last["of_means"] == pytest.approx(135)  # with the run that was left out


def test_a_gini_coefficient_changes_in_its_own_unit_and_leaves_no_run_out():
    table = changes(frame_of([(0.0, 0.2), (0.5, 0.4)], "equity"), metrics=["equity"])
    assert table[table["round"] == 2]["change"].tolist() == pytest.approx([0.2, -0.1])
    assert not table["left_out"].any() and set(table["unit"]) == {"difference from round 1"}
    assert mean_changes(table)["of_means"].iloc[-1] == pytest.approx(0.05)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.floats(1, 100), st.floats(0, 100)), min_size=3, max_size=20))
def test_property_the_interval_is_student_s_over_the_runs_changes(paths):
    table = mean_changes(changes(frame_of(paths), metrics=["satisfaction_ratio"]))
    last = table[table["round"] == 2].iloc[0]
    gains = np.array([100 * (b - a) / a for a, b in paths])
    half = stats.t.ppf(0.975, len(gains) - 1) * gains.std(ddof=1) / np.sqrt(len(gains))
    assert last["mean"] == pytest.approx(gains.mean(), abs=1e-6)
    assert last["high"] - last["mean"] == pytest.approx(half, abs=1e-6)


def test_changes_refuse_what_they_cannot_tell_apart():
    frame = frame_of([(20, 60)])
    with pytest.raises(InvalidInput, match="occurs twice"):
        changes(pd.concat([frame, frame]), metrics=["satisfaction_ratio"])
    with pytest.raises(InvalidInput, match="no round 1"):
        changes(frame[frame["round"] == 2], metrics=["satisfaction_ratio"])


def designs():
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
    return rounds_of(records)


def test_table_1_has_the_last_round_of_each_design_and_leaves_out_what_was_not_measured():
    table = table_1(designs()).set_index(["row", "column"])
    assert ("no conversation", "interactions") not in table.index
    assert table.loc[("rounds", "interactions"), "value"] == 1
    assert (
        table.loc[("rounds", "satisfaction_ratio"), "value"]
        > table.loc[("single round", "satisfaction_ratio"), "value"]
    )
    assert (table["n"] == 10).all()


def test_table_1_stands_beside_the_published_one():
    printed = with_standard_errors(PAPER[PAPER["table"] == "Table 1 n = 3, K = 2"])
    beside = against_published(table_1(designs()), printed, participant="rule-based")
    assert len(beside) == 11
    assert not (beside["verdict"] == "not testable here").any()


def test_table_2_names_its_rows_as_the_paper_and_has_the_spread_of_its_means():
    records = [
        ({"paraphrase": k}, run(played(1, (3, k, 0), turns=None), meeting=f"M{i}")) for k in (0, 1, 2) for i in (1, 2)
    ]
    table = table_2(rounds_of(records)).set_index(["row", "column"])["value"]
    printed = PAPER[PAPER["table"] == "Table 2"]
    assert set(table.index) == set(zip(printed["row"], printed["column"], strict=True))
    assert table["std of the means", "satisfaction_score"] == pytest.approx(np.std([1, 4 / 3, 5 / 3], ddof=1))


def test_standard_errors_as_the_text_and_as_the_numbers_say():
    printed = PAPER[PAPER["table"] == "Table 1 n = 5, K = 3"]
    text, found = (with_standard_errors(printed, reading)["spread"].to_numpy() for reading in ("text", "numbers"))
    row = list(zip(printed["row"], printed["column"], strict=True)).index(("rounds", "satisfaction_ratio"))
    assert text[row] == pytest.approx(5.22 / stats.t.ppf(0.975, 19))
    assert found[row] == pytest.approx(5.22 / stats.t.ppf(0.95, 16) * np.sqrt(17 / 16))
    with pytest.raises(InvalidInput, match="expected 'numbers' or 'text'"):
        with_standard_errors(printed, "mine")
