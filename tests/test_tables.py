"""Ours beside the published: the verdicts, the counts, and the table of a page."""

import re
from math import nan

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.errors import MergeError

from support.analysis.claims import counted
from support.errors import InvalidInput
from support.tables import against_published, for_page, wide

FIGURES = st.floats(0, 100, allow_nan=False)
NUMBERS = ["published", "spread", "value", "se"]
CASES = {
    "apart": (80, 1, 60, 1, "differs"),
    "near": (85, 1, 84.5, 1, "agrees"),
    "wide": (90, 1, 89, 3, "too little data"),
    "clear, and within the margin": (50, 0, 53.5, 1, "too little data"),
    "no spread": (70, 1, 70, 0, "too little data"),
    "undecided": (40, 1, nan, nan, "not testable here"),
}


def judged(cells, margin):
    """Published and ours, value and spread by row, of thirty cases of column u@3; a row
    that nobody decided was not run."""
    frame = pd.DataFrame(cells.values(), columns=NUMBERS, index=cells.keys())
    frame = frame.rename_axis("row").reset_index()
    frame = frame.assign(column="u@3", n=30, participant="p")
    printed = frame[["row", "column", "published", "spread"]]
    printed = printed.rename(columns={"published": "value"})
    ours = frame.dropna(subset="value")
    return against_published(ours, printed, margin)


@pytest.fixture
def comparison():
    cells = {name: case[:4] for name, case in CASES.items()}
    return judged(cells, {"u": 4.0})


def test_each_verdict_has_its_case(comparison):
    found = dict(zip(comparison["row"], comparison["verdict"], strict=True))
    assert found == {name: case[4] for name, case in CASES.items()}


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(59.8, "too little data"), (59.9, "differs")],
)
def test_the_interval_is_that_of_the_difference_of_two_means(value, verdict):
    # t of 29 (5 / 3)^4 = 223.8 degrees of freedom: 1.9706; sqrt(3^2 + 4^2) = 5
    [found] = judged({"a": (50, 4, value, 3)}, 0.0)["verdict"]
    assert found == verdict


@settings(max_examples=8)
@given(FIGURES, st.floats(0.01, 20), FIGURES)
def test_property_a_wider_margin_never_loses_a_cell(value, se, other):
    order = ["differs", "too little data", "agrees"]
    cells = {"a": (other, 1, value, se)}
    tables = [judged(cells, margin) for margin in (1, 5, 25, 125)]
    ranks = [order.index(table["verdict"].item()) for table in tables]
    assert ranks == sorted(ranks)


def test_bad_input_is_refused():
    ours = pd.DataFrame({"row": ["a"], "column": "u", "participant": "p"})
    with pytest.raises(InvalidInput, match="our results has no column 'value'"):
        against_published(ours, ours, 1.0)
    ours = ours.assign(value=1.0, se=1.0, spread=1.0, n=30)
    with pytest.raises(MergeError, match="not unique"):
        against_published(ours, pd.concat([ours] * 2), 1.0)


def test_cells_are_counted_and_laid_out_as_in_the_paper(comparison):
    [counts] = counted(comparison).drop(columns="participant").to_numpy()
    assert counts.tolist() == [1, 1, 3, 1, 6]
    shown = wide(comparison).to_numpy().tolist()
    assert shown[:2] == [
        ["apart", "paper", "80.00 (1.00)"],
        ["apart", "p", "60.00 (1.00)"],
    ]
    assert shown[-1] == ["undecided", "p", "–"]


def test_a_page_marks_verdicts_escapes_rounds_and_is_always_the_same(comparison):
    pages = [for_page(comparison, "Ours & theirs").as_raw_html() for _ in range(2)]
    page, again = pages
    assert page == again
    assert page.count("background-color") >= len(comparison)
    assert not re.search("http|<script|@import|NA", page)
    cells = {
        "<b>me</b>": "&lt;b&gt;me&lt;/b&gt;",
        1234.5678: "1234.6",
        nan: "–",
        "yes": "✓ yes",
    }
    row = pd.DataFrame([[*cells]], columns=["who", "share", "gone", "x"])
    html = for_page(row, "A <i> title", decimals=1).as_raw_html()
    for shown in cells.values():
        assert f">{shown}</td>" in html
    assert "<i>" not in html
