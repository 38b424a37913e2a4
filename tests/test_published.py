"""The published numbers: whole, printed where they are said to stand, and held against the papers' own arithmetic."""

import itertools
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

from support import data, published
from support.fair_decisions.measures import divergence

PAPERS = published.PAPERS
TEXTS = data.ROOT.parent / "shared" / "seeds"
NEEDS_TEXT = pytest.mark.skipif(
    not TEXTS.is_dir(), reason="the papers' texts are not on this machine"
)
WORDS = dict(
    enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], 1
    )
)
JOINED = {"000": "{} ± {}", "001": "{} ({})"}
SPELT = "A full week.", "A single one.", "Written as twice", "Counted"
"""In a note: the number does not stand in the text in digits."""
SETTINGS = [
    "n = 3, K = 2",
    "n = 4, K = 2",
    "n = 5, K = 2",
    "n = 5, K = 3",
    "n = 5, K = 4",
    "n = 5, K = 4, database",
]
METRICS = ["satisfaction_ratio", "satisfaction_score", "equity", "interactions"]
PLAYERS, MEALS = ["p1", "p2", "p3"], [f"meal {k}" for k in range(1, 5)]


def wide(paper, table, of="value"):
    return published.load(paper, table).pivot(index="row", columns="column", values=of)


@cache
def raw(paper):
    return pd.read_csv(
        data.inputs("published", f"{paper}.csv"),
        dtype=str,
        keep_default_na=False,
    )


@cache
def lines(paper):
    [path] = TEXTS.glob(f"{paper}_*.txt")
    text = path.read_text(encoding="utf-8")
    return text.replace("$", "").replace(r"\pm", "±").replace("−", "-").splitlines()


def notes(paper):
    return published.statements(published.load(paper)).set_index(
        ["where", "statement"]
    )["note"]


# -- every file ------------------------------------------------------------------------------------------------------


COLUMNS = ["table", "row", "column", "value", "spread", "unit", "note"]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_names_its_place_once_and_has_a_number_or_a_statement_in_words(paper):
    frame, loaded = raw(paper), published.load(paper)["value"]
    assert list(frame) == COLUMNS
    assert (frame[COLUMNS[:3]] != "").all(axis=None)
    assert not frame.duplicated(COLUMNS[:3]).any()
    said = frame["column"] == "direction"
    assert ((frame["value"] == "") == said).all()
    assert (frame.loc[said, "note"] != "").all()
    assert (np.isfinite(loaded) == ~said).all()


@cache
def place(paper, table):
    """The lines among which a table of ours is printed: its section, or those around its caption."""
    text, name = lines(paper), table.removeprefix("text ")
    if paper == "001":
        return text  # tables are torn, and sections run into each other
    if name == table:
        caption = re.match(r"\w+ \d+", table)[0] + "[.:] "
        at = next(i for i, line in enumerate(text) if re.match(caption, line))
        return text[max(at - 10, 0) : at + 40]
    marks = "#+ " if paper == "003" else ""
    heads = [re.match(marks + r"([A-E]|\d)((\.\d)*)\.? [A-Z]", line) for line in text]
    numbers = {i: head[1] + head[2] for i, head in enumerate(heads) if head}
    first = next(i for i, number in numbers.items() if number == name)
    later = [i for i, n in numbers.items() if i > first and not n.startswith(name)]
    return text[first : min(later, default=len(text))]


@NEEDS_TEXT
@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_stands_in_its_place_in_the_papers_text(paper):
    missing = []
    for table, row, column, *cells, _, note in raw(paper).to_numpy():
        if any(words in note for words in SPELT):
            continue
        where = place(paper, table)
        if all(cells) and paper in JOINED:
            cells = [JOINED[paper].format(*cells)]
        for cell in filter(None, cells):
            bare = cell.removeprefix("-") if paper == "000" else cell
            short = bare.removeprefix("0") if table.startswith("Table") else bare
            forms = "|".join(map(re.escape, (bare, short)))
            near = "\n".join([line for line in where if short in line])
            found = re.search(rf"(?<![\d.])({forms})(?!\.?\d)", near)
            word = WORDS.get(int(cell)) if cell.isdigit() else None
            if not found and not (word and word in "\n".join(where).lower()):
                missing.append((table, row, column, cell))
    assert not missing


# -- 000, meetings ---------------------------------------------------------------------------------------------------


@NEEDS_TEXT
def test_rows_of_table_1_and_columns_of_table_3_stand_in_the_text_in_order():
    text, frame = "\n".join(lines("000")), raw("000")
    table, column = frame["table"], frame["column"]
    cells = frame["value"] + " ± " + frame["spread"]
    for setting, metric in itertools.product(SETTINGS, METRICS):
        mine = (table == f"Table 1 {setting}") & (column == metric)
        assert "\t".join(cells[mine]) in text
    three = [cells[(table == "Table 3") & (column == one)] for one in ("all", *"ABC")]
    ours = pd.concat(three).tolist()
    printed = re.findall(r"\t([\d.]+ ± [\d.]+)", text[text.index("Table 3. ") :])
    assert printed[: len(ours)] == ours


def test_changes_of_the_means_in_the_notes_are_those_of_table_1():
    said = notes("000").droplevel("where")
    for metric in ("interactions", "satisfaction_ratio", "satisfaction_score"):
        five, three, four = (abs(change(n, metric)) for n in (5, 3, 4))
        note = said[f"n = 5 > n = 3, n = 4: change of {metric}"]
        assert f"{five:.0f} percent against {three:.0f} and {four:.0f}" in note


def change(n, metric):
    table = wide("000", f"Table 1 n = {n}, K = 2")[metric]
    return 100 * (table["rounds"] / table["single round"] - 1)


def test_shares_marked_as_no_whole_number_out_of_45_are_those():
    frame = published.load("000").query("unit == 'percent' and row != 'administrators'")
    shares = frame[frame["table"].isin(["text 2.1", "text 2.2", "text 7.3"])]
    marked = shares["note"].str.startswith("No whole number out of 45")
    whole = shares["value"].isin({round(100 * k / 45) for k in range(46)})
    assert (marked == ~whole).all() and marked.any()


# -- 001, the round table --------------------------------------------------------------------------------------------


def test_rigidity_and_rationality_are_whole_counts():
    """Of 10 rounds, and of 10 rounds of every agent; 100 simulations, 30 for a model."""
    one, six = wide("001", "Table 1"), wide("001", "Table 6")
    models = ["gpt-4o-mini", "llama3-1-8b", "llama3-1-70b"]
    more, groups = [*models, "gpt-3.5-turbo", "gpt-4o"], ["K = 4", "K = 5"]
    for percent, count in (
        (one["rigidity"], 1000),
        (one["rationality"], 3000),
        (six.loc[groups, "rigidity"], 1000),
        (six.loc[more, "rigidity"], 300),
        (six.loc[models, "rationality"], 900),
        (six.loc[groups, "rationality"], [4000, 5000]),
    ):
        counted = np.round(percent * count / 100) * 100 / count
        assert np.abs(counted - percent).max() <= 0.005 + 1e-9


# -- 002, the seminar ------------------------------------------------------------------------------------------------


def test_sds_of_accuracy_are_those_of_three_runs_over_100_replies_with_divisor_n_less_one():
    table = published.load("002", "Table 2").dropna(subset="spread").set_index("row")
    expected = {"zero": [(77, 78, 81), (77, 80, 81)], "few": [(88, 88, 88)]}
    expected["few with policies"] = [(91, 93, 94), (92, 93, 95)]
    assert {row: possible(table.loc[row], ddof=1) for row in expected} == expected
    assert possible(table.loc["few with policies"], ddof=0) == []


def possible(row, ddof):
    runs = np.array(list(itertools.combinations_with_replacement(range(60, 101), 3)))
    mean, sd = runs.mean(axis=1) / 100, runs.std(axis=1, ddof=ddof) / 100
    near = (np.abs(mean - row["value"]) < 0.005 + 1e-9) & (
        np.abs(sd - row["spread"]) < 0.0005 + 1e-9
    )
    return [tuple(found) for found in runs[near].tolist()]


# -- 003, fair decisions ---------------------------------------------------------------------------------------------


def totals(table):
    return wide("003", table)[PLAYERS].to_numpy()


def test_divergences_in_the_notes_are_those_of_the_totals_and_no_mix_of_plans_is_fairer():
    expected = [64, 26, 51, 74, 166], [177, 220, 82, 94, 177]
    for table, worth in zip(("Table 2", "Table 3"), expected, strict=True):
        frame = published.load("003", table)
        notes = frame[frame["column"] == "p1"]["note"]
        said = notes.str.extract(r"Divergence (\d+)\.")[0].astype(int)
        assert said.tolist() == worth == divergence(totals(table)).tolist()
    two = totals("Table 2")
    # Plans 2 to 5 each take option 2 in one meal, and gains add up: the five rows give the totals of all 16 plans.
    taken = np.array(list(itertools.product((0, 1), repeat=4)))
    assert min(divergence(two[0] + taken @ (two[1:] - two[0]))) == 26


@NEEDS_TEXT
def test_rows_of_tables_2_and_3_stand_in_the_papers_text():
    three = published.load("003", "Table 3")
    dishes = three[three["column"] == "p1"]["note"].str.extract(r"Plan: ([^.]+)\.")[0]
    taken = wide("003", "Table 2")[MEALS].to_numpy().astype(int)
    options = [", ".join(f"option{k}" for k in row) for row in taken]
    text = "\n".join(["", *lines("003")])
    for table, plans in (("Table 2", options), ("Table 3", dishes)):
        rows = zip(plans, totals(table).astype(int).tolist(), strict=True)
        for number, (plan, worth) in enumerate(rows, 1):
            assert f"\n{number} [{plan}]\t{tuple(worth)}" in text
