"""Our results beside the published ones, and tables for the page."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import pandas as pd

from support.analysis.claims import CLOSE, NO, UNTESTED, YES, tally, total
from support.analysis.frames import need_columns
from support.data import partial
from support.errors import InvalidInput

if TYPE_CHECKING:
    from great_tables import GT

VERDICTS = {
    YES: "agrees",
    NO: "differs",
    CLOSE: "too little data",
    UNTESTED: "not testable here",
}
"""What a verdict on a printed cell is called."""

# Light enough for black text; the symbols carry the verdict where colours are not seen.
MARKS = {
    YES: ("✓", "#cce5f6"),
    NO: ("✗", "#f9d9b8"),
    CLOSE: ("?", "#efe7f3"),
    UNTESTED: ("–", "#f2f2f2"),
}
MARKS |= {VERDICTS[verdict]: mark for verdict, mark in MARKS.items()}

UNBROKEN = 24
"""A column of a page's table whose cells are at most this long is not broken."""

_KEYS = ["row", "column"]
_PRINTED = {"value": "published", "spread": "published_se"}
_OURS = {"value": "ours", "se": "ours_se", "n": "n"}


def against_published(
    ours: pd.DataFrame,
    published: pd.DataFrame,
    *,
    margin: float | Mapping[str, float] | None = None,
    participant: str = "",
) -> pd.DataFrame:
    """Set our figures beside the published ones, cell by cell, with a verdict.

    A cell *agrees* when two one-sided tests at 5 % place the difference within `margin`
    (so that little data earns no agreement); it *differs* when the difference is larger
    than the margin and its 95 % interval excludes 0; else there is *too little data*, as
    where our cases show no spread. A missing published error counts as 0.

    `ours` has row, column, value, se, n (distinct cases behind the value); a cell that
    was not run may be absent or NaN. `published` is one table of `published.load`.
    `margin` is the largest difference that does not matter, for all cells or by column,
    where "utility" stands for "utility@3" as well; without one nothing can agree.
    `participant` is who made ours, unless `ours` has a column `participant`: then there
    is a table for each of them, one below the other.

    Columns: row, column, published, published_se, ours, ours_se, n, difference (ours -
    published), low, high, margin, verdict, participant; the published cells in their
    order, then cells that only we have.
    """
    if participant:
        ours = ours.assign(participant=participant)
    if "participant" not in ours:
        raise InvalidInput("participant is empty; a result says who produced it.")
    theirs = _cells(published, "the published numbers", _PRINTED)
    tables = []
    for who, part in ours.groupby("participant", sort=False):
        mine = _cells(part, "our results", _OURS)
        cells = theirs.index.union(mine.index, sort=False)
        table = theirs.reindex(cells).join(mine).reset_index()
        table["difference"] = table["ours"] - table["published"]
        margins = [_margin(margin, name) for name in table["column"]]
        judged = map(_judged, table.to_dict("records"), margins)
        names = ["low", "high", "margin", "verdict"]
        table = table.join(pd.DataFrame(judged, columns=names))
        tables.append(table.assign(participant=who))
    both = pd.concat(tables, ignore_index=True)
    return both.astype({"n": "Int64"})  # stays a count beside missing ones


def _cells(frame: pd.DataFrame, what: str, names: Mapping[str, str]) -> pd.DataFrame:
    """The figures of a table by row and column, under their new names."""
    need_columns(frame, [*_KEYS, *names], what)
    table = frame.set_index(_KEYS)[list(names)].rename(columns=names)
    twice = table.index[table.index.duplicated()]
    if len(twice):
        raise InvalidInput(
            f"{what} hold the cell {', '.join(twice[0])} twice; give one table, with "
            "one figure for each cell."
        )
    return table.astype(float)


def _margin(margin: float | Mapping[str, float] | None, column: str) -> float:
    if not isinstance(margin, Mapping):
        return nan if margin is None else margin
    name = column if column in margin else column.partition("@")[0]
    if name not in margin:
        raise InvalidInput(
            f"margin: none for the column {column!r}; there are: {', '.join(margin)}."
        )
    return margin[name]


def _judged(row: Mapping[Any, Any], margin: float) -> tuple[float, float, float, str]:
    """Low and high of the difference, the margin, the verdict."""
    ours, se, n = row["ours"], row["ours_se"], row["n"]
    if isnan(row["difference"]):
        return nan, nan, margin, VERDICTS[UNTESTED]
    if not se > 1e-9 * abs(ours) or not n > 1:  # what is smaller is rounding
        return nan, nan, margin, VERDICTS[CLOSE]
    printed = (-row["published"], row["published_se"], nan)
    gap = total([(ours, se, n), printed])
    verdict = gap.near(0.0 if isnan(margin) else margin)
    half = gap.half()
    return gap.value - half, gap.value + half, margin, VERDICTS[verdict]


def agreement(comparison: pd.DataFrame, by: str) -> pd.DataFrame:
    """How often each verdict occurs in each level of a column."""
    counts = tally(comparison, by, VERDICTS.values())
    return counts.rename(columns={"all": "cells"})


def wide(comparison: pd.DataFrame) -> pd.DataFrame:
    """The layout of the paper: "79.61 (0.88)".

    For each row a line of the paper and one for each participant.
    """
    paper = comparison.drop_duplicates(_KEYS).assign(source="paper")
    paper["cell"] = _shown(paper["published"], paper["published_se"])
    ours = comparison.assign(source=comparison["participant"])
    ours["cell"] = _shown(ours["ours"], ours["ours_se"])
    both = pd.concat([paper, ours])
    both = both.sort_values("row", key=lambda row: pd.factorize(row)[0], kind="stable")
    lines = both.pivot_table(
        values="cell",
        index=["row", "source"],
        columns="column",
        aggfunc="first",
        sort=False,
    )
    return lines.fillna("–").rename_axis(columns=None).reset_index()


def _shown(values: pd.Series[float], errors: pd.Series[float]) -> pd.Series[str]:
    shown = values.map("{:.2f}".format) + errors.map(" ({:.2f})".format)
    return shown.str.replace(" (nan)", "").replace("nan", "–")


def for_page(
    frame: pd.DataFrame, title: str, subtitle: str = "", decimals: int = 2
) -> GT:
    """A table for a notebook or a page; a column of verdicts gets symbols and colours.

    The element ids come from the title, so that the output of a notebook that runs
    again does not change, and a page that holds two tables gives them two titles.
    """
    from great_tables import GT, loc, style

    letters = "".join(c if c.isalnum() else " " for c in title.lower())
    name = "-".join(["table", *letters.split()])
    shown = frame.reset_index(drop=True).rename(columns=str)
    table = GT(shown, id=name).tab_header(title, subtitle or None)
    if len(shown.columns) > 8:
        table = table.tab_options(table_font_size="12px", data_row_padding="3px")
    widths = shown.map(lambda cell: len(str(cell))).max()
    if short := list(widths.index[widths <= UNBROKEN]):
        unbroken = style.css("white-space: nowrap;")
        table = table.tab_style(unbroken, loc.body(columns=short))
    fractions = list(shown.select_dtypes("float"))
    table = table.fmt_number(fractions, decimals=decimals, use_seps=False)
    table = table.sub_missing(missing_text="–")
    if partial():
        table = table.tab_source_note(partial())
    for column in map(str, shown):
        if shown.empty or not shown[column].isin(list(MARKS)).all():
            continue
        table = table.fmt(lambda verdict: f"{MARKS[verdict][0]} {verdict}", column)
        for verdict, rows in shown.groupby(column).groups.items():
            fill = style.fill(MARKS[str(verdict)][1])
            table = table.tab_style(fill, loc.body(columns=column, rows=list(rows)))
    return table
