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
    zip(
        "123456789",
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
        strict=True,
    )
)
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


@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_names_its_place_once_and_has_a_number_or_a_statement_in_words(paper):
    frame = raw(paper)
    assert list(frame.columns) == [
        "table",
        "row",
        "column",
        "value",
        "spread",
        "unit",
        "note",
    ]
    assert (frame[["table", "row", "column"]] != "").all(axis=None)
    assert not frame.duplicated(["table", "row", "column"]).any()
    said = frame["column"] == "direction"
    assert ((frame["value"] == "") == said).all() and (
        frame.loc[said, "note"] != ""
    ).all()
    loaded = published.load(paper)
    assert (loaded["value"].notna() == ~said).all() and np.isfinite(
        loaded["value"].dropna()
    ).all()


def place(paper, table):
    """The text in which a table of ours is printed: its section, or the lines around its caption."""
    text, name = lines(paper), table.removeprefix("text ")
    if paper == "001":
        return "\n".join(text)  # tables are torn, and sections run into each other
    if name == table:
        caption = re.match(r"(Table|Figure) \d+", table)[0]
        at = next(
            i for i, line in enumerate(text) if re.match(rf"{caption}[.:] ", line)
        )
        return "\n".join(text[max(at - 10, 0) : at + 40])
    heading = re.compile(
        ("#+ " if paper == "003" else "") + r"([A-E]|\d)((\.\d)*)\.? [A-Z]"
    )
    numbered = [
        (i, found[1] + found[2])
        for i, line in enumerate(text)
        if (found := heading.match(line))
    ]
    first = next(i for i, number in numbered if number == name)
    return "\n".join(
        text[
            first : next(
                (i for i, n in numbered if i > first and not n.startswith(name)),
                len(text),
            )
        ]
    )


@NEEDS_TEXT
@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_stands_in_its_place_in_the_papers_text(paper):
    missing = []
    for _, row in raw(paper)[raw(paper)["value"] != ""].iterrows():
        where, note = place(paper, row["table"]), row["note"]
        spelt = (
            note in ("A full week.", "A single one.")
            or "Written as twice" in note
            or "Counted" in note
        )
        joined = (
            {"000": "{} ± {}", "001": "{} ({})"}.get(paper) if row["spread"] else None
        )
        cells = (
            [joined.format(row["value"], row["spread"])]
            if joined
            else [row["value"], row["spread"]]
        )
        for cell in filter(None, cells):
            bare = cell.removeprefix("-") if paper == "000" else cell
            forms = (
                {bare, bare.removeprefix("0")}
                if row["table"].startswith("Table")
                else {bare}
            )
            found = any(
                re.search(rf"(?<![\d.]){re.escape(form)}(?!\.?\d)", where)
                for form in forms
            )
            if not (found or spelt or WORDS.get(cell, "\0") in where.lower()):
                missing.append((row["table"], row["row"], row["column"], cell))
    assert not missing


# -- 000, meetings ---------------------------------------------------------------------------------------------------


@NEEDS_TEXT
def test_rows_of_table_1_and_columns_of_table_3_stand_in_the_text_in_order():
    text, cells = (
        "\n".join(lines("000")),
        raw("000")["value"] + " ± " + raw("000")["spread"],
    )
    for setting in SETTINGS:
        for metric in METRICS:
            mine = (raw("000")["table"] == f"Table 1 {setting}") & (
                raw("000")["column"] == metric
            )
            assert "\t".join(cells[mine]) in text
    three = raw("000")[raw("000")["table"] == "Table 3"]
    ours = [
        cell
        for column in ("all", "A", "B", "C")
        for cell in cells[three.index[three["column"] == column]]
    ]
    at = text.index("Table 3. ")
    assert re.findall(r"\t([\d.]+ ± [\d.]+)", text[at:])[: len(ours)] == ours


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
    frame = published.load("000")
    of_45 = frame["table"].isin(["text 2.1", "text 2.2", "text 7.3"]) & (
        frame["row"] != "administrators"
    )
    shares = frame[(frame["unit"] == "percent") & of_45]
    marked = shares["note"].str.startswith("No whole number out of 45")
    assert (
        marked == ~shares["value"].isin({round(100 * k / 45) for k in range(46)})
    ).all() and marked.any()


# -- 001, the round table --------------------------------------------------------------------------------------------


def test_rigidity_and_rationality_are_whole_counts():
    """Of 10 rounds, and of 10 rounds of every agent; 100 simulations, 30 for a model."""
    one, six = wide("001", "Table 1"), wide("001", "Table 6")
    models = ["gpt-4o-mini", "llama3-1-8b", "llama3-1-70b"]
    for percent, count in (
        (one["rigidity"], 1000), (one["rationality"], 3000), (six.loc[["K = 4", "K = 5"], "rigidity"], 1000),
        (six.loc[[*models, "gpt-3.5-turbo", "gpt-4o"], "rigidity"], 300), (six.loc[models, "rationality"], 900),
        (six.loc[["K = 4"], "rationality"], 4000), (six.loc[["K = 5"], "rationality"], 5000),
    ):  # fmt: skip
        assert (
            np.abs(np.round(percent * count / 100) * 100 / count - percent)
            <= 0.005 + 1e-9
        ).all()


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


def spread(table):
    return divergence(wide("003", table)[PLAYERS].to_numpy()).astype(int).tolist()


def test_divergences_in_the_notes_are_those_of_the_totals_and_no_mix_of_plans_is_fairer():
    for table, expected in (
        ("Table 2", [64, 26, 51, 74, 166]),
        ("Table 3", [177, 220, 82, 94, 177]),
    ):
        frame = published.load("003", table)
        said = (
            frame[frame["column"] == "p1"]["note"]
            .str.extract(r"Divergence (\d+)\.")[0]
            .astype(int)
            .tolist()
        )
        assert said == expected == spread(table)
    totals = wide("003", "Table 2")[PLAYERS].to_numpy()
    # Plans 2 to 5 each take option 2 in one meal, and gains add up: the five rows give the totals of all 16 plans.
    mixes = [
        totals[0] + np.array(taken) @ (totals[1:] - totals[0])
        for taken in itertools.product((0, 1), repeat=4)
    ]
    assert min(divergence(np.array(mixes))) == 26


@NEEDS_TEXT
def test_rows_of_tables_2_and_3_stand_in_the_papers_text():
    three = published.load("003", "Table 3")
    dishes = three[three["column"] == "p1"]["note"].str.extract(r"Plan: ([^.]+)\.")[0]
    options = [
        ", ".join(f"option{int(k)}" for k in row)
        for row in wide("003", "Table 2")[MEALS].to_numpy()
    ]
    for table, plans in (("Table 2", options), ("Table 3", dishes)):
        for number, (plan, totals) in enumerate(
            zip(plans, wide("003", table)[PLAYERS].to_numpy(), strict=True), 1
        ):
            row = (
                f"{number} [{plan}]\t({', '.join(str(int(total)) for total in totals)})"
            )
            assert any(line.startswith(row) for line in lines("003"))
