"""Ours beside the published: the verdicts, the counts, and the table of a page."""

import re
from math import nan

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.errors import MergeError

from support import published
from support.analysis.claims import VERDICTS, counted
from support.errors import InvalidInput
from support.tables import against_published, for_page, wide

FIGURES = st.floats(0, 100, allow_nan=False)


def printed(**cells):
    """A published table with one column, `u`: row = (value, spread)."""
    frame = pd.DataFrame(cells, index=["value", "spread"]).T
    return frame.rename_axis("row").reset_index().assign(column="u")


def made(n=30, **cells):
    """Our results in one column, `u`: row = (value, se)."""
    return printed(**cells).rename(columns={"spread": "se"}).assign(n=n)


def verdicts(ours, theirs, margin=0.0):
    table = against_published(ours.assign(participant="p"), theirs, margin)
    return dict(zip(table["row"], table["verdict"], strict=True))


def test_each_verdict_has_its_case_and_what_nobody_printed_is_left_out():
    cases = {  # published, ours
        "apart": ((80, 1), (60, 1), "differs"),
        "near": ((85, 1), (84.5, 1), "agrees"),
        "wide": ((90, 1), (89, 3), "too little data"),
        "clear, and within the margin": ((50, 0), (53.5, 1), "too little data"),
        "no spread": ((70, 1), (70, 0), "too little data"),
        "undecided": ((40, 1), (nan, nan), "not testable here"),
    }
    theirs = printed(**{name: case[0] for name, case in cases.items()}, gone=(1, 0))
    ours = made(**{name: case[1] for name, case in cases.items()}, mine=(3, 1))
    expected = {name: case[2] for name, case in cases.items()}
    expected["gone"] = "not testable here"
    assert verdicts(ours, theirs, margin=4.0) == expected


def test_the_interval_is_that_of_the_difference_of_two_means():
    # t of 29 (5 / 3)^4 = 223.8 degrees of freedom: 1.9706; sqrt(3^2 + 4^2) = 5
    for value, verdict in ((59.8, "too little data"), (59.9, "differs")):
        assert verdicts(made(a=(value, 3)), printed(a=(50, 4))) == {"a": verdict}


def test_a_margin_may_be_given_by_column():
    ours = made(a=(50, 1)).assign(column="u@3")
    theirs = printed(a=(50, 0.1)).assign(column="u@3")
    assert verdicts(ours, theirs, margin={"u": 5.0}) == {"a": "agrees"}


@settings(max_examples=8)
@given(FIGURES, st.floats(0.01, 20), FIGURES)
def test_property_a_wider_margin_never_loses_a_cell(value, se, other):
    cells = made(a=(value, se)), printed(a=(other, 1))
    found = [verdicts(*cells, margin=margin)["a"] for margin in (1, 5, 25, 125)]
    assert sorted(found, key=["differs", "too little data", "agrees"].index) == found


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"ours": made(a=(1, 1))}, InvalidInput, "our results has no column"),
        ({"published": pd.concat([printed(a=(1, 1))] * 2)}, MergeError, "not unique"),
        ({"margin": {"gini": 0.1}}, KeyError, "u"),
    ],
)
def test_bad_input_is_refused(change, error, message):
    ours = made(a=(1, 1)).assign(participant="p")
    given = {"ours": ours, "published": printed(a=(1, 1)), "margin": 1.0}
    with pytest.raises(error, match=message):
        against_published(**given | change)


@pytest.fixture(scope="module")
def comparison():
    """Table 1 of 001 beside itself, moved by a little, without unanimous."""
    table = published.load("001_5dc2ef75221ed897", "Table 1")
    ours = table.rename(columns={"spread": "se"}).assign(n=100)
    ours["value"] += 0.5 * ours["se"]
    ours = ours[ours["row"] != "unanimous"]
    return against_published(ours.assign(participant="linear"), table, 20.0)


def test_cells_are_counted_once_and_laid_out_as_in_the_paper(comparison):
    by_row = counted(comparison, by="row").set_index("row")
    assert list(by_row) == [*VERDICTS.values(), "cells"]
    assert by_row.loc["unanimous"].tolist() == [0, 0, 0, 9, 9]
    assert by_row.loc["majority"].tolist() == [9, 0, 0, 0, 9]
    assert comparison[["low", "high", "margin"]].dtypes.eq(float).all()
    shown = wide(comparison)[["row", "source", "utility@10"]]
    assert shown.to_numpy().tolist()[1:4] == [
        ["unanimous", "linear", "–"],
        ["majority", "paper", "79.61 (0.88)"],
        ["majority", "linear", "80.05 (0.88)"],
    ]


def test_a_page_marks_verdicts_escapes_rounds_and_is_always_the_same(comparison):
    row = {"who": "<b>me</b>", "share": 1234.5678, "n": 3, "gone": nan, "x": "yes"}
    pages = [for_page(comparison, "Ours & theirs").as_raw_html() for _ in range(2)]
    assert pages[0] == pages[1]
    assert pages[0].count("background-color") >= len(comparison)
    assert 'id="table-ours-theirs"' in pages[0]
    assert not re.search("http|<script|@import|NA", pages[0])
    html = for_page(pd.DataFrame([row]), "A <i> title", decimals=1).as_raw_html()
    for cell in ("&lt;b&gt;me&lt;/b&gt;", "1234.6", "3", "–", "✓ yes"):
        assert f">{cell}</td>" in html
    assert "<i>" not in html
