"""Our results beside the published ones, and tables for the page."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot, isnan, nan
from typing import TYPE_CHECKING, Any

import pandas as pd
from scipy.stats import t

from support.analysis.frames import need_columns, need_keys, numbers
from support.analysis.stats import enough, equivalent
from support.data import partial
from support.errors import InvalidInput

if TYPE_CHECKING:
    from great_tables import GT

VERDICTS: Mapping[str, str] = {
    "agrees": "two one-sided tests: the difference lies within the margin that the table names",
    "differs": "the difference is not zero, nor shown to be within the margin",
    "too little data": "neither of the two can be said; `needed` is the number of cases that would tell",
    "not testable here": "one of the two figures is missing: not run here, or not printed there",
}
"""The four verdicts of `against_published` and what each one means."""

WIDE = 8
"""A page's table of more columns is set in small type."""

UNBROKEN = 24
"""A column of a page's table whose cells are at most this long is not broken into lines."""

_KEYS = ["row", "column"]
# Light enough for black text; the symbols carry the verdict where colours are not seen.
_MARKS = {
    "agrees": ("✓", "#cce5f6"),
    "differs": ("✗", "#f9d9b8"),
    "too little data": ("?", "#efe7f3"),
    "not testable here": ("–", "#f2f2f2"),
}


def against_published(
    ours: pd.DataFrame,
    published: pd.DataFrame,
    *,
    margin: float | Mapping[str, float] | None = None,
    participant: str = "",
) -> pd.DataFrame:
    """Set our figures beside the published ones, cell by cell, with a verdict and what it rests on.

    A cell *agrees* when two one-sided tests at 5 % place the difference within `margin` (so that little data earns no
    agreement), else *differs* when the 95 % interval of the difference excludes 0, else there is *too little data*, and
    `needed` says how many cases would tell: inf where the printed figure's own error is too wide for any. A missing
    published error counts as 0. Without a spread of ours (one case, or repetitions that are all alike) there is no
    interval, and too little data.

    `ours` has row, column, value, se, n (distinct cases behind the value); a cell that was not run may be absent or
    NaN. `published` is one table of `support.published.load`. `margin` is the largest difference that does not matter,
    in the unit of the cells, for all of them or by column, where "utility" stands for "utility@3" as well; without one
    nothing can agree. `participant` is which kind made ours ("rule-based", "model:gpt-4o-mini", "human"), unless `ours`
    has a column `participant`: then there is a table for each of them, one below the other.

    Columns: row, column, published, published_se, ours, ours_se, n, difference (ours - published), low, high, margin,
    verdict, needed, participant; the published cells in their order, then cells that only we have.
    """
    if not participant and "participant" in ours:
        parts = ours.groupby("participant", sort=False)
        tables = [
            against_published(part, published, margin=margin, participant=str(name))
            for name, part in parts
        ]
        return pd.concat(tables, ignore_index=True)
    if not participant:
        raise InvalidInput(
            "participant is empty; a result always says which kind of participant produced it."
        )
    mine = _cells(ours, "our results", {"value": "ours", "se": "ours_se", "n": "n"})
    theirs = _cells(
        published,
        "the published numbers",
        {"value": "published", "spread": "published_se"},
    )
    # An outer merge sorts its keys; the paper's order is the one that readers know.
    order = pd.concat([theirs[_KEYS], mine[_KEYS]]).drop_duplicates()
    table = order.merge(theirs.merge(mine, on=_KEYS, how="outer"), on=_KEYS, how="left")
    table["difference"] = table["ours"] - table["published"]
    table["margin"] = [_margin(margin, str(column)) for column in table["column"]]
    judged = [_judged(row) for row in table.to_dict("records")]
    for place, name in enumerate(("low", "high", "verdict", "needed")):
        table[name] = [found[place] for found in judged]
    names = "row column published published_se ours ours_se n difference low high margin verdict needed"
    return table[names.split()].assign(participant=participant)


def agreement(comparison: pd.DataFrame, by: str) -> pd.DataFrame:
    """How often each verdict occurs in each level of a column: by, the four verdicts, cells."""
    need_columns(comparison, [by, "verdict"], "the comparison")
    counts = pd.crosstab(comparison[by], comparison["verdict"])
    counts = counts.reindex(
        index=comparison[by].unique(), columns=list(VERDICTS), fill_value=0
    )
    return (
        counts.assign(cells=counts.sum(axis=1)).rename_axis(columns=None).reset_index()
    )


def wide(comparison: pd.DataFrame) -> pd.DataFrame:
    """The layout of the paper: "79.61 (0.88)"; for each row a line of the paper and one for each participant."""
    need_columns(
        comparison,
        [*_KEYS, "published", "published_se", "ours", "ours_se", "participant"],
        "the comparison",
    )
    columns = list(comparison["column"].unique())
    alone = comparison["participant"].nunique() == 1
    lines = []
    for row, cells in comparison.groupby("row", sort=False):
        each = [
            (str(who), part.set_index("column"))
            for who, part in cells.groupby("participant", sort=False)
        ]
        sides = [("paper", "published", each[0][1])]
        sides += [
            ("ours" if alone and len(who) > UNBROKEN else who, "ours", part)
            for who, part in each
        ]
        for source, side, part in sides:
            pairs = part.reindex(columns)[[side, f"{side}_se"]].itertuples(index=False)
            shown = [
                "–" if isnan(v) else f"{v:.2f}" + ("" if isnan(se) else f" ({se:.2f})")
                for v, se in pairs
            ]
            lines.append(
                {"row": row, "source": source} | dict(zip(columns, shown, strict=True))
            )
    return pd.DataFrame(lines)


def for_page(
    frame: pd.DataFrame, title: str, subtitle: str = "", decimals: int = 2
) -> GT:
    """A table for a notebook or a page; a column of verdicts gets symbols and colours.

    The element ids come from the title, so that the output of a notebook that runs again does not
    change, and a page that holds two tables gives them two titles.
    """
    from great_tables import GT, loc, style

    name = "table-" + "-".join(
        "".join(c if c.isalnum() else " " for c in title.lower()).split()
    )
    shown = frame.reset_index(drop=True)
    judged = [
        str(column)
        for column in shown
        if len(shown) and shown[column].isin(list(_MARKS)).all()
    ]
    marks = {verdict: f"{symbol} {verdict}" for verdict, (symbol, _) in _MARKS.items()}
    table = GT(
        shown.assign(**{column: shown[column].map(marks) for column in judged}), id=name
    )
    table = table.tab_header(title, subtitle or None)
    if len(shown.columns) > WIDE:
        table = table.tab_options(table_font_size="12px", data_row_padding="3px")
    fractions = [
        column for column in shown if pd.api.types.is_float_dtype(shown[column])
    ]
    short = [
        column
        for column in shown
        if shown[column].astype(str).str.len().max() <= UNBROKEN
    ]
    table = (
        table.tab_style(style.css("white-space: nowrap;"), loc.body(columns=short))
        if short
        else table
    )
    table = table.fmt_number(fractions, decimals=decimals, use_seps=False).sub_missing(
        missing_text="–"
    )
    table = table.tab_source_note(partial()) if partial() else table
    for column in judged:
        for verdict, (_, colour) in _MARKS.items():
            if chosen := shown.index[shown[column] == verdict].tolist():
                table = table.tab_style(
                    style.fill(colour), loc.body(columns=column, rows=chosen)
                )
    return table


def _cells(frame: pd.DataFrame, what: str, names: Mapping[str, str]) -> pd.DataFrame:
    need_columns(frame, [*_KEYS, *names], what)
    need_keys(frame, _KEYS, what)
    twice = frame[frame.duplicated(_KEYS)]
    if not twice.empty:
        cell = ", ".join(map(str, twice.iloc[0][_KEYS]))
        raise InvalidInput(
            f"{what} hold the cell {cell} twice; give one table, with one figure for each cell."
        )
    figures: dict[str, Any] = {old: numbers(frame, old) for old in names}
    if "n" in figures:
        figures["n"] = (
            figures["n"].round().astype("Int64")
        )  # a count stays a count beside missing ones
    return frame[[*_KEYS, *names]].assign(**figures).rename(columns=dict(names))


def _margin(margin: float | Mapping[str, float] | None, column: str) -> float:
    if not isinstance(margin, Mapping):
        return nan if margin is None else margin
    name = column if column in margin else column.partition("@")[0]
    if name not in margin:
        raise InvalidInput(
            f"margin: none for the column {column!r}; there are: {', '.join(margin)}."
        )
    return margin[name]


def _judged(row: Mapping[Any, Any]) -> tuple[float, float, str, float]:
    """Low and high of the difference, the verdict, and how many cases would tell."""
    gap, own, printed, n, margin = (
        row[name] for name in ("difference", "ours_se", "published_se", "n", "margin")
    )
    if isnan(gap):
        return nan, nan, "not testable here", nan
    if (
        isnan(own) or own <= 1e-9 * abs(row["ours"]) or pd.isna(n) or n < 2
    ):  # what is smaller is rounding
        return nan, nan, "too little data", nan
    other = 0.0 if isnan(printed) else printed
    se = hypot(own, other)
    freedom = (n - 1) / max(
        (own / se) ** 4, 1e-12
    )  # Welch and Satterthwaite, the printed error taken as known
    half = float(t.ppf(0.975, freedom)) * se
    if equivalent(gap, se, margin, freedom) < 0.05:
        verdict = "agrees"
    else:
        verdict = "differs" if abs(gap) > half else "too little data"
    needed = (
        enough(n, own, margin, other)
        if verdict == "too little data" and not isnan(margin)
        else nan
    )
    return gap - half, gap + half, verdict, needed
