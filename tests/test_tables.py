"""Ours beside the published: the verdicts, the counts, and the table of a page."""

import re
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import published
from support.errors import InvalidInput
from support.tables import VERDICTS, against_published, agreement, for_page, wide

SEED = "001_5dc2ef75221ed897"
FIGURES = st.floats(0, 100, allow_nan=False)


def printed(**cells):
    """A published table with one column, `u`: row = (value, spread)."""
    rows = [
        ("T", row, "u", value, spread, "percent", "")
        for row, (value, spread) in cells.items()
    ]
    return pd.DataFrame(
        rows, columns=["table", "row", "column", "value", "spread", "unit", "note"]
    )


def made(n=30, **cells):
    """Our results in one column, `u`: row = (value, se)."""
    rows = [(row, "u", *cell, n) for row, cell in cells.items()]
    return pd.DataFrame(rows, columns=["row", "column", "value", "se", "n"])


def verdicts(ours, theirs, margin=None):
    table = against_published(ours, theirs, participant="rule-based", margin=margin)
    return dict(zip(table["row"], table["verdict"], strict=True))


@pytest.fixture(scope="module")
def table_1():
    return published.load(SEED, "Table 1")


@pytest.fixture(scope="module")
def ours(table_1):
    """Our results: Table 1 moved by a little, without unanimous, one rule upside down."""
    frame = table_1.rename(columns={"spread": "se"})[
        ["row", "column", "value", "se"]
    ].assign(n=100)
    frame["value"] += 0.5 * frame["se"]
    frame.loc[frame["row"] == "rated", "value"] -= 30
    return frame[frame["row"] != "unanimous"]


def test_each_verdict_has_its_case_and_cells_of_one_side_alone_are_kept():
    theirs = printed(
        majority=(80, 1),
        rated=(85, 1),
        ranked=(90, 1),
        plurality=(70, 1),
        unanimous=(40, 1),
        gone=(1, 0),
    )
    ours = made(
        majority=(60, 1),
        rated=(84.5, 1),
        ranked=(89, 3),
        plurality=(70, 0),
        unanimous=(nan, nan),
        mine=(3, 1),
    )
    assert verdicts(ours, theirs, margin=4.0) == {
        "majority": "differs", "rated": "agrees", "ranked": "too little data", "plurality": "too little data",
        "unanimous": "not testable here", "gone": "not testable here", "mine": "not testable here",
    }  # fmt: skip


def test_the_interval_is_that_of_the_difference_of_two_means():
    # t of 29 (5 / 3)^4 = 223.8 degrees of freedom: 1.9706; sqrt(3^2 + 4^2) = 5
    assert verdicts(made(a=(59.8, 3)), printed(a=(50, 4))) == {"a": "too little data"}
    assert verdicts(made(a=(59.9, 3)), printed(a=(50, 4))) == {"a": "differs"}


def test_little_data_earns_no_agreement_and_says_how_much_would():
    row = against_published(
        made(n=2, a=(50, 3)), printed(a=(50, 0.5)), participant="random", margin=2.0
    ).iloc[0]
    assert (
        row["verdict"] == "too little data" and row["needed"] == 83
    )  # 18 / ((2 / (1.645 + 1.282))^2 - 0.5^2)
    assert verdicts(
        made(n=83, a=(50, 3 * np.sqrt(2 / 83))), printed(a=(50, 0.5)), margin=2.0
    ) == {"a": "agrees"}
    hopeless = against_published(
        made(n=2, a=(50, 3)), printed(a=(50, 3)), participant="random", margin=2.0
    )
    assert hopeless["needed"][0] == inf


def test_a_margin_may_be_given_by_column_and_none_is_made_up():
    ours, theirs = (
        made(a=(50, 1)).assign(column="u@3"),
        printed(a=(50, 0.1)).assign(column="u@3"),
    )
    assert verdicts(ours, theirs, margin={"u": 5.0}) == {"a": "agrees"}
    assert verdicts(ours, theirs) == {"a": "too little data"}
    with pytest.raises(
        InvalidInput, match="margin: none for the column 'u@3'; there are: gini"
    ):
        verdicts(ours, theirs, margin={"gini": 0.1})


def test_the_paper_agrees_with_itself_in_its_own_order(table_1):
    same = (
        table_1.rename(columns={"spread": "se"})
        .assign(n=100)
        .sample(frac=1, random_state=0)
    )
    table = against_published(same, table_1, margin=20.0, participant="the paper")
    assert (table["verdict"] == "agrees").all() and (table["difference"] == 0).all()
    assert table[["row", "column"]].equals(table_1[["row", "column"]])


@settings(max_examples=8)
@given(FIGURES, st.floats(0.01, 20), FIGURES)
def test_property_a_wider_margin_never_loses_a_cell(value, se, other):
    held = [
        verdicts(made(a=(value, se)), printed(a=(other, 1)), margin=m)["a"] == "agrees"
        for m in (1, 5, 25, 125)
    ]
    assert held == sorted(held)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ours": lambda f: f.drop(columns="se")}, "our results has no column 'se'"),
        (
            {"ours": lambda f: f.assign(row=None)},
            "column 'row' of our results is empty",
        ),
        (
            {"published": lambda f: published.load(SEED)},
            "the published numbers hold the cell .* give one table",
        ),
        ({"participant": lambda _: ""}, "participant is empty"),
    ],
)
def test_bad_input_is_refused(ours, table_1, change, message):
    given = {"ours": ours, "published": table_1, "participant": "rule-based"}
    given |= {name: function(given[name]) for name, function in change.items()}
    with pytest.raises(InvalidInput, match=message):
        against_published(given.pop("ours"), given.pop("published"), **given)


def test_agreement_counts_every_cell_once_and_wide_is_laid_out_as_the_paper(
    ours, table_1
):
    table = against_published(ours, table_1, margin=20.0, participant="rule-based")
    by_row = agreement(table, by="row").set_index("row")
    assert by_row.columns.tolist() == [*VERDICTS, "cells"]
    assert (
        by_row.loc["unanimous", "not testable here"] == 9
        and by_row.loc["majority", "agrees"] == 9
    )
    shown = wide(table)
    assert shown["row"].tolist()[:4] == [
        "unanimous",
        "unanimous",
        "majority",
        "majority",
    ]
    assert shown["source"].tolist()[:2] == ["paper", "rule-based"]
    assert (
        shown.loc[2, "utility@10"] == "79.61 (0.88)"
        and shown.loc[3, "utility@10"] == "80.05 (0.88)"
    )
    assert (shown.loc[1].drop(["row", "source"]) == "–").all()


# --- pages ---


def test_a_verdict_shows_a_symbol_and_a_colour_on_a_page_that_is_always_the_same_and_needs_no_network(
    ours, table_1
):
    comparison = against_published(ours, table_1, participant="rule-based")
    html, again = (
        for_page(comparison, "Ours & theirs").as_raw_html() for _ in range(2)
    )
    cells = re.findall(
        r'<td style="[^"]*background-color: (#\w+);"[^>]*>(\S) ([\w ]+)</td>', html
    )
    assert len(cells) == len(comparison) == len(re.findall(r"<tr>\s*<td", html))
    assert len(set(cells)) == len(set(comparison["verdict"]))
    assert html == again and 'id="table-ours-theirs"' in html
    assert "http" not in html and "<script" not in html and "@import" not in html


def test_a_page_escapes_text_rounds_numbers_and_marks_what_is_missing():
    frame = pd.DataFrame(
        {"who": ["<b>me</b>"], "share": [1234.5678], "n": [3], "gone": [np.nan]}
    )
    html = for_page(frame, "A <i> title", decimals=1).as_raw_html()
    assert "&lt;b&gt;me" in html and "<i>" not in html
    assert ">1234.6<" in html and ">3<" in html and ">–<" in html
    counted = against_published(
        made(a=(1, 0)), printed(a=(1, 0), b=(2, 0)), participant="human"
    )
    assert (
        ">30<" in (html := for_page(counted, "Counts").as_raw_html())
        and "NA" not in html
    )
