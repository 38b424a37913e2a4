"""The published numbers of the meeting paper: whole, as printed, and in agreement with what their notes say."""

import re

import pandas as pd
import pytest

from support import data, published

SEED = "000_cf17db17b5f2de1a"
TEXT = data.ROOT.parent / "shared" / "seeds" / f"{SEED}.txt"
NEEDS_TEXT = pytest.mark.skipif(not TEXT.is_file(), reason="the paper's text is not on this machine")
SETTINGS = ["n = 3, K = 2", "n = 4, K = 2", "n = 5, K = 2", "n = 5, K = 3", "n = 5, K = 4", "n = 5, K = 4, database"]
METRICS = ["satisfaction_ratio", "satisfaction_score", "equity", "interactions"]
DESIGNS = ["no conversation", "single round", "rounds"]
ITEMS = [
    "preferences_considered",
    "reasons_acceptable",
    "preferences_considered_all",
    "reasons_acceptable_all",
    "options_reflect_members",
    "confidence",
]
WORDS = {"3": "three"}
HEADINGS = {"text 2": "2 REQ", "text 7": "7 EVAL"}


@pytest.fixture(scope="module")
def frame():
    return published.load(SEED)


@pytest.fixture(scope="module")
def raw():
    return pd.read_csv(data.inputs("published", f"{SEED}.csv"), dtype=str, keep_default_na=False)


@pytest.fixture(scope="module")
def lines():
    return TEXT.read_text(encoding="utf-8").replace("$", "").replace(r"\pm", "±").splitlines()


def wide(table, of="value"):
    return published.load(SEED, table).pivot(index="row", columns="column", values=of)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("of", ["value", "spread"])
def test_each_setting_of_table_1_has_three_designs_and_four_metrics_but_one_cell(setting, of):
    table = wide(f"Table 1 {setting}", of)
    assert sorted(table.index) == sorted(DESIGNS) and sorted(table.columns) == sorted(METRICS)
    assert table.isna().sum(axis=None) == 1 and pd.isna(table.loc["no conversation", "interactions"])


@pytest.mark.parametrize("setting", SETTINGS)
def test_metrics_of_table_1_lie_in_their_ranges(setting):
    table = wide(f"Table 1 {setting}")
    assert table["satisfaction_ratio"].between(0, 100).all() and table["satisfaction_score"].between(0, 3).all()
    assert table["equity"].between(0, 1).all() and (table["interactions"].dropna() > 1).all()


def test_no_perturbation_in_table_2_is_the_first_baseline_of_table_1():
    for of in ("value", "spread"):
        ours, theirs = wide("Table 2", of).loc["perturbations 0"], wide("Table 1 n = 3, K = 2", of)
        assert ours.equals(theirs.loc["no conversation", ours.index].rename("perturbations 0"))


def test_table_3_has_six_items_in_three_groups_and_overall(frame):
    table = wide("Table 3")
    assert sorted(table.index) == sorted(ITEMS) and sorted(table.columns) == ["A", "B", "C", "all"]
    assert table.notna().all(axis=None) and wide("Table 3", "spread").gt(0).all(axis=None)
    # The pooled mean lies between those of the groups whatever their sizes.
    groups = table[["A", "B", "C"]]
    assert (table["all"].between(groups.min(axis=1), groups.max(axis=1))).all()


def test_a_spread_says_that_it_is_a_half_width(frame):
    printed = frame[frame["spread"].notna()]
    assert printed["unit"].str.endswith("; spread: 95 % half-width").all()
    assert not frame.loc[frame["spread"].isna(), "unit"].str.contains("half-width").any()


def test_stated_groups_add_up_and_give_the_degrees_of_freedom():
    people, freedom = wide("text 7").loc["responses"], wide("text 7.2").loc["degrees of freedom"]
    assert people[["A", "B", "C"]].sum() == people["all"] and freedom.equals((people - 1).rename("degrees of freedom"))


def test_rounds_beat_the_single_round_in_every_cell_as_the_notes_say(frame):
    for setting in SETTINGS:
        table = wide(f"Table 1 {setting}")
        assert (better(table, "rounds", "single round", METRICS)).all()


def test_rounds_beat_no_conversation_but_for_three_cells_as_the_note_says(frame):
    worse = [
        (setting, metric)
        for setting in SETTINGS
        for metric, won in better(wide(f"Table 1 {setting}"), "rounds", "no conversation", METRICS[:3]).items()
        if not won
    ]
    assert worse == [
        ("n = 4, K = 2", "satisfaction_score"),
        ("n = 4, K = 2", "equity"),
        ("n = 5, K = 3", "satisfaction_score"),
    ]
    note = published.statements(frame).set_index("statement")["note"]["rounds > no conversation: almost every metric"]
    assert "three exceptions in 18" in note


def better(table, one, other, metrics):
    """Whether the first design has the better figure, metric by metric; lower is better for the last two."""
    sign = pd.Series([1, 1, -1, -1], METRICS)[metrics]
    return (table.loc[one, metrics] - table.loc[other, metrics]) * sign > 0


def test_changes_of_the_means_in_the_notes_are_those_of_table_1(frame):
    said = published.statements(frame).set_index("statement")["note"]
    for metric, statement in (
        ("interactions", "n = 5 > n = 3, n = 4: change of interactions"),
        ("satisfaction_ratio", "n = 5 > n = 3, n = 4: change of satisfaction_ratio"),
        ("satisfaction_score", "n = 5 > n = 3, n = 4: change of satisfaction_score"),
    ):
        five, three, four = (abs(change(n, metric)) for n in (5, 3, 4))
        assert f"{five:.0f} percent against {three:.0f} and {four:.0f}" in said[statement]


def change(n, metric):
    table = wide(f"Table 1 n = {n}, K = 2")[metric]
    return 100 * (table["rounds"] / table["single round"] - 1)


def test_a_fall_is_negative_and_a_rise_positive(frame):
    changes = frame[frame["unit"].str.startswith("percent change")]
    falls = changes["column"] == "interactions"
    assert len(changes) == 21 and (changes.loc[falls, "value"] < 0).all() and (changes.loc[~falls, "value"] > 0).all()


def test_shares_marked_as_no_whole_number_are_those(frame):
    shares = frame[(frame["unit"] == "percent") & frame["table"].isin(["text 2.1", "text 2.2", "text 7.3"])]
    shares = shares[shares["row"] != "administrators"]
    possible = {round(100 * k / 45) for k in range(46)}
    marked = shares["note"].str.startswith("No whole number out of 45")
    assert len(shares) == 10 and (marked == ~shares["value"].isin(possible)).all()


def test_statements_of_sections_6_and_8_are_there_in_words(frame):
    said = published.statements(frame)
    assert {"text 6.1", "text 6.2", "text 6.3", "text 6.4", "text 8.1", "text 8.2"} <= set(said["table"])
    assert (said["note"].str.len() > 10).all() and len(said) >= 25


@NEEDS_TEXT
def test_every_number_stands_in_its_place_in_the_papers_text(raw, lines):
    for _, row in raw[raw["value"] != ""].iterrows():
        place = "\n".join(section(lines, row["table"]))
        printed = row["value"].removeprefix("-")
        cell = f"{printed} ± {row['spread']}" if row["spread"] else printed
        found = re.search(rf"(?<![\d.]){re.escape(cell)}(?!\.?\d)", place) or WORDS.get(cell, "\0") in place
        assert found, f"{row['table']}, {row['row']}, {row['column']}: {cell}"


@NEEDS_TEXT
def test_rows_of_table_1_stand_in_the_papers_text_in_order(raw, lines):
    for setting in SETTINGS:
        place = "\n".join(section(lines, f"Table 1 {setting}"))
        for metric in METRICS:
            rows = raw[(raw["table"] == f"Table 1 {setting}") & (raw["column"] == metric)]
            cells = [f"{row['value']} ± {row['spread']}" for _, row in rows.iterrows()]
            assert "\t".join(cells) in place and list(rows["row"]) == DESIGNS[-len(cells) :]


@NEEDS_TEXT
def test_columns_of_table_3_stand_in_the_papers_text_in_order(raw, lines):
    table = raw[raw["table"] == "Table 3"]
    printed = re.findall(r"\t([\d.]+ ± [\d.]+)", "\n".join(section(lines, "Table 3")))
    ours = [
        f"{row['value']} ± {row['spread']}"
        for column in ("all", "A", "B", "C")
        for _, row in table[table["column"] == column].iterrows()
    ]
    assert ours == printed


def section(lines, table):
    """The lines of the text in which a table of ours is printed."""
    if table.startswith("Table 1 "):
        setting = re.match(r"Table 1 (n = \d, K = \d)(, database)?$", table)
        return after(lines, f"{setting[1]}{' (w/ database)' if setting[2] else ''}", 5)
    if table.startswith("Table "):
        return after(lines, f"{table}. ", 38)
    heading = HEADINGS.get(table, table.removeprefix("text ") + " ")
    first = next(i for i, line in enumerate(lines) if line.startswith(heading))
    ends = (i for i, line in enumerate(lines) if i > first and re.match(r"\d(\.\d)? [A-Z]", line))
    return lines[first : next(ends)]


def after(lines, beginning, count):
    """Lines from the one that begins so; the heading of a setting fills its line."""
    titled = beginning.endswith(". ")
    first = next(
        i for i, line in enumerate(lines) if line.strip() == beginning or (titled and line.startswith(beginning))
    )
    return lines[first : first + count]
