"""The published numbers of DoubleAgents: whole, as printed, and in agreement with what the README says of them."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from support import data, published
from support.analysis.printed import Scale, grim

SEED = "002_0d724da09908f95e"
TEXT = data.ROOT.parent / "shared" / "seeds" / f"{SEED}.txt"
NEEDS_TEXT = pytest.mark.skipif(not TEXT.is_file(), reason="the paper's text is not on this machine")
WORDS = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "8": "eight"}
POINTS = ["before session 1", "after session 1", "after session 2"]
STARTS = {
    "3": "3 DoubleAgents System",
    "3.3": "3.3 Coordination Agent",
    "3.4": "3.4 Simulated Respondent Agent",
    "3.5": "3.5 Edge Case Detector",
    "4.1": "4.1 Policy Selection Experiments",
    "4.2": "4.2 Edge Case Detection Experiments",
    "5.1": "5.1 Goal and Overview",
    "5.2": "5.2 Participants",
    "5.3": "5.3 Result",
    "6.2": "6.2 Deployment Participants and Procedures",
    "6.3": "6.3 Deployment Results",
    "7": "7 Discussion",
    "A": "A Seminar Planning: A Human Coordination Problem",
    "B": "B User Study Procedures and Data Analysis",
    "C": "C DoubleAgents Prompts",
    "D": "D Technical Evaluation Details",
}
ENDS = {"3": "4.1", "3.3": "3.4", "3.4": "3.5", "4.1": "4.2", "4.2": "5.1", "5.1": "5.2", "5.2": "5.3", "5.3": "6.2"}
ENDS |= {"6.2": "6.3", "6.3": "7", "A": "B", "B": "C", "C": "D"}


@pytest.fixture(scope="module")
def frame():
    return published.load(SEED)


@pytest.fixture(scope="module")
def raw():
    return pd.read_csv(data.inputs("published", f"{SEED}.csv"), dtype=str, keep_default_na=False)


@pytest.fixture(scope="module")
def lines():
    return [line.strip() for line in TEXT.read_text(encoding="utf-8").splitlines()]


def wide(table):
    return published.load(SEED, table).pivot(index="row", columns="column", values="value")


def section(lines, table):
    """The text in which a table of ours is printed."""
    if table.startswith("text "):
        name = table.removeprefix("text ")
        first = lines.index(STARTS[name])
        last = lines.index(STARTS[ENDS[name]]) if name in ENDS else len(lines)
        return "\n".join(lines[first:last])
    at = next(i for i, line in enumerate(lines) if line.startswith(f"{table}: "))
    return lines[at] if table.startswith("Figure") else "\n".join(lines[at - 10 : at + 1])


def test_tables_have_their_conditions_with_sds(frame):
    one, two = (frame[(frame["table"] == f"Table {k}") & frame["spread"].notna()] for k in (1, 2))
    assert one["row"].tolist() == ["speaker", "slot", "both", "summary"] and set(one["column"]) == {"F1"}
    assert two["row"].tolist() == ["zero", "few", "few with policies"] and set(two["column"]) == {"accuracy"}
    assert frame["spread"].notna().sum() == 7 and one["unit"].str.contains("SD of 3 runs").all()


def test_f1_of_the_section_is_that_of_the_table():
    text, table = wide("text 4.1"), wide("Table 1")
    for row in ("summary", "both"):
        assert text.loc[row, "F1"] == table.loc[row, "F1"]


def test_sds_of_accuracy_are_those_of_three_runs_over_100_replies(frame):
    table = frame[(frame["table"] == "Table 2") & frame["spread"].notna()].set_index("row")
    expected = {"zero": [(77, 78, 81), (77, 80, 81)], "few": [(88, 88, 88)]}
    expected["few with policies"] = [(91, 93, 94), (92, 93, 95)]
    for row, runs in expected.items():
        assert possible(table.loc[row], ddof=1) == runs, row
    assert possible(table.loc["few with policies"], ddof=0) == []


def fits(value, n):
    return grim(value, n, Scale(1, 7))


def possible(row, ddof):
    runs = np.array(list(itertools.combinations_with_replacement(range(60, 101), 3)))
    mean, sd = runs.mean(axis=1) / 100, runs.std(axis=1, ddof=ddof) / 100
    near = (np.abs(mean - row["value"]) < 0.005 + 1e-9) & (np.abs(sd - row["spread"]) < 0.0005 + 1e-9)
    return [tuple(found) for found in runs[near].tolist()]


def test_means_before_session_2_fit_ten_answers_and_after_it_eight_but_for_one(raw):
    means = raw[raw["column"].isin(POINTS) & raw["value"].str.fullmatch(r"\d\.\d\d")]
    late = means[means["column"] == "after session 2"]
    early = means.drop(late.index)
    assert len(early) == 22 and all(fits(value, 10) for value in early["value"])
    strange = [row for row, value in zip(late["row"], late["value"], strict=True) if not fits(value, 8)]
    assert strange == ["draft and send: clarification"] and fits("3.90", 10)
    for value in ("6.62", "5.88", "6.38", "6.75", "2.13", "1.13", "5.75"):
        assert value in set(late["value"]) and not fits(value, 10)


def test_participants_add_up_to_ten():
    people = wide("text 5.2").loc["participants"]
    parts = [["women", "men"], ["know models in depth", "know the key concepts"]]
    parts.append([name for name in people.index if name.startswith("coordination: ")])
    assert all(people[names].sum() == 10 for names in parts) and len(parts[2]) == 4


def test_the_days_of_deployment_3_agree_with_its_policy():
    told = wide("text 6.3").loc["D3"]
    friday = pd.Timestamp("2026-01-02")
    days = pd.date_range(friday, periods=int(told["last day"]))
    assert [k for k, day in enumerate(days, 1) if day.weekday() > 4] == [2, 3, 9, 10]
    follow_up = days[int(told["day of the first follow-ups"]) - 1]
    waited = np.busday_count(friday.date(), follow_up.date())
    assert waited == told["working days until a follow-up"] == 4
    later = friday + pd.Timedelta(days=int(told["day to which a follow-up was put off"]) - 1)
    assert later.day_name() == "Thursday"


def test_deployments_are_three_with_their_days():
    table = wide("text 6.2")
    assert table.loc[["D1", "D2", "D3"], "days"].tolist() == [7, 7, 11] and table.loc["D2", "days in 6.2.3"] == 4
    assert table.loc[["D1", "D2", "D3"], "candidates"].tolist() == [23, 18, 20]
    assert (table.loc[["D1", "D3"], "slots"] == table.loc[["D1", "D3"], "speakers invited"]).all()


def test_the_suite_is_cases_times_voices():
    suite = wide("text D").loc["test suite"]
    assert (suite["cases to flag"] + suite["clear cases"]) * suite["voices"] == suite["replies"] == 100


def test_what_is_said_of_correlations_is_so(frame):
    note = frame[(frame["row"] == "reliance with mental demand") & (frame["column"] == "r")]["note"].item()
    for n, r, p in (
        (20, -0.47, "0.037"),
        (18, -0.47, "0.049"),
        (10, 0.51, "0.13"),
        (18, 0.51, "0.031"),
        (20, 0.51, "0.022"),
    ):
        t = abs(r) * np.sqrt((n - 2) / (1 - r * r))
        assert f"{2 * stats.t.sf(t, n - 2):.{len(p) - 2}f}" == p
        assert r > 0 or p in note


def test_statements_are_in_words_and_of_four_sections(frame):
    said = published.statements(frame)
    assert set(said["table"]) == {"text 4.1", "Table 1", "text 4.2", "Table 2", "text 5.3", "text 6.3"}
    assert len(said) == 34 and said["note"].str.endswith(".").all()


@NEEDS_TEXT
def test_every_number_stands_in_its_place_in_the_papers_text(raw, lines):
    numbers = raw[(raw["value"] != "") & ~raw["note"].str.contains("Counted")]
    for _, row in numbers.iterrows():
        place = section(lines, row["table"]).replace("−", "-")
        for printed in filter(None, (row["value"], row["spread"])):
            bare = printed.removeprefix("0") if row["table"].startswith("Table") else printed
            found = re.search(rf"(?<![\d.]){re.escape(bare)}(?!\.?\d)", place) or re.search(
                rf"(?<![\d.]){re.escape(printed)}(?!\.?\d)", place
            )
            in_words = "ritten as" in row["note"] and WORDS.get(printed, "\0") in place.lower()
            spelt = row["note"] in ("A full week.", "A single one.") or "Written as twice" in row["note"]
            assert found or in_words or spelt, f"{row['table']}, {row['row']}, {row['column']}: {printed}"


@NEEDS_TEXT
def test_pairs_of_means_stand_together_in_the_papers_text(raw, lines):
    place = section(lines, "text 5.3")
    means = raw[raw["column"].isin(POINTS) & raw["value"].str.fullmatch(r"\d\.\d\d")]
    for item, part in means.groupby("row"):
        first, last = part["value"].iloc[0], part["value"].iloc[-1]
        assert re.search(rf"{first}(/7)?\b.{{0,80}}?\bto {last}", place), item
