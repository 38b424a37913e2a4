"""Our results beside the published ones, and tables for the page and for LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot, isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import t

from support.analysis.frames import check_level, need_columns, need_keys, numbers
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
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
    }
    | {sign: rf"\{sign}" for sign in "&%$#_"}
)


def against_published(
    ours: pd.DataFrame,
    published: pd.DataFrame,
    *,
    margin: float | Mapping[str, float] | None = None,
    reference: str | None = None,
    level: float = 0.95,
    participant: str = "",
) -> pd.DataFrame:
    """Set our figures beside the published ones, cell by cell, with a verdict and what it rests on.

    A cell *agrees* when two one-sided tests at 1 - `level` place the difference within `margin` (so that little data
    earns no agreement), else *differs* when the interval of the difference excludes 0, else there is *too little
    data*, and `needed` says how many cases would tell: inf where the printed figure's own error is too wide for any.
    A missing published error counts as 0. Without a spread of ours (one case, or repetitions that are all alike)
    there is no interval, and too little data.

    Parameters
    ----------
    ours : row, column, value, se, n (distinct cases behind the value); a cell that was not run may be absent or NaN.
    published : one table of `support.published.load`.
    margin : the largest difference that does not matter, in the unit of the cells, for all of them or by column, where
        "utility" stands for "utility@3" as well. Without one nothing can agree.
    reference : the row against which `direction` is read in every column.
    participant : which kind made ours ("rule-based", "model:gpt-4o-mini", "human"), unless `ours` has a column
        `participant`: then there is a table for each of them, one below the other.

    Returns
    -------
    DataFrame
        row, column, published, published_se, ours, ours_se, n, difference (ours - published), low, high, margin,
        verdict, needed, direction ("same" where ours is on the same side of the reference row as the paper's figure,
        else "other", or empty), note, participant; the published cells in their order, then cells that only we have.
    """
    if not participant and "participant" in ours:
        options: dict[str, Any] = {"margin": margin, "reference": reference, "level": level}
        return pd.concat(
            [
                against_published(part, published, participant=str(name), **options)
                for name, part in ours.groupby("participant", sort=False)
            ],
            ignore_index=True,
        )
    if not participant:
        raise InvalidInput("participant is empty; a result always says which kind of participant produced it.")
    mine = _cells(ours, "our results", {"value": "ours", "se": "ours_se", "n": "n"})
    theirs = _cells(
        published, "the published numbers", {"value": "published", "spread": "published_se", "note": "note"}
    )
    _check_reference(reference, mine, theirs)
    table = theirs.merge(mine, on=_KEYS, how="outer")
    table = _in_order(table, theirs, mine).assign(participant=participant)
    table["difference"] = table["ours"] - table["published"]
    table["margin"] = [_margin(margin, str(column)) for column in table["column"]]
    judged = [_judged(row, check_level(level)) for row in table.to_dict("records")]
    for place, name in enumerate(("low", "high", "verdict", "needed")):
        table[name] = [found[place] for found in judged]
    table["direction"] = _directions(table, reference)
    table["note"] = [_note(row, reference) for row in table.to_dict("records")]
    order = "row column published published_se ours ours_se n difference low high margin verdict needed direction"
    return table[[*order.split(), "note", "participant"]]


def agreement(comparison: pd.DataFrame, by: str = "column") -> pd.DataFrame:
    """How often each verdict occurs in each column (or row): by, the four verdicts, cells."""
    need_columns(comparison, [by, "verdict"], "the comparison")
    counts = pd.crosstab(comparison[by], comparison["verdict"])
    counts = counts.reindex(index=comparison[by].unique(), columns=list(VERDICTS), fill_value=0)
    return counts.assign(cells=counts.sum(axis=1)).rename_axis(columns=None).reset_index()


def wide(comparison: pd.DataFrame, decimals: int = 2) -> pd.DataFrame:
    """The layout of the paper: "79.61 (0.88)"; for each row a line of the paper and one for each participant."""
    need_columns(comparison, [*_KEYS, "published", "published_se", "ours", "ours_se", "participant"], "the comparison")
    columns = list(comparison["column"].unique())
    lines = []
    alone = comparison["participant"].nunique() == 1
    for row, cells in comparison.groupby("row", sort=False):
        sides = [("paper", "published", next(iter(cells.groupby("participant", sort=False)))[1])]
        for who, own in cells.groupby("participant", sort=False):
            sides.append(("ours" if alone and len(str(who)) > UNBROKEN else str(who), "ours", own))
        for source, side, part in sides:
            by_column = part.set_index("column").reindex(columns)
            pairs = zip(by_column[side], by_column[f"{side}_se"], strict=True)
            shown = [_with_spread(value, se, decimals) for value, se in pairs]
            lines.append({"row": row, "source": source} | dict(zip(columns, shown, strict=True)))
    return pd.DataFrame(lines)


def for_page(frame: pd.DataFrame, title: str, subtitle: str = "", decimals: int = 2) -> GT:
    """A table for a notebook or a page; a column of verdicts gets symbols and colours.

    The element ids come from the title, so that the output of a notebook that runs again does not
    change, and a page that holds two tables gives them two titles.
    """
    from great_tables import GT, loc, style

    name = "table-" + "-".join("".join(c if c.isalnum() else " " for c in title.lower()).split())
    shown = frame.reset_index(drop=True)
    table = GT(_marked(shown), id=name).tab_header(title, subtitle or None)
    if len(shown.columns) > WIDE:
        table = table.tab_options(table_font_size="12px", data_row_padding="3px")
    fractions = [column for column in shown if pd.api.types.is_float_dtype(shown[column])]
    short = [column for column in shown if shown[column].astype(str).str.len().max() <= UNBROKEN]
    table = table.tab_style(style.css("white-space: nowrap;"), loc.body(columns=short)) if short else table
    table = table.fmt_number(fractions, decimals=decimals, use_seps=False).sub_missing(missing_text="–")
    table = table.tab_source_note(partial()) if partial() else table
    for column in _verdict_columns(shown):
        for verdict, (_, colour) in _MARKS.items():
            if chosen := shown.index[shown[column] == verdict].tolist():
                table = table.tab_style(style.fill(colour), loc.body(columns=column, rows=chosen))
    return table


def to_latex(frame: pd.DataFrame, caption: str, label: str, decimals: int = 2) -> str:
    """A floating table with booktabs rules; all text but the label is escaped.

    The document needs `\\usepackage{booktabs}`.
    """
    shown = frame.rename(columns=_escaped).map(lambda cell: _escaped(cell) if isinstance(cell, str) else cell)
    styler = shown.style.hide(axis="index").format(precision=decimals, na_rep="--")
    return styler.to_latex(
        caption=_escaped(caption),
        label=label,
        hrules=True,
        position_float="centering",
        column_format="".join("r" if pd.api.types.is_numeric_dtype(frame[name]) else "l" for name in frame),
    )


def _cells(frame: pd.DataFrame, what: str, names: Mapping[str, str]) -> pd.DataFrame:
    need_columns(frame, [*_KEYS, *names], what)
    need_keys(frame, _KEYS, what)
    twice = frame[frame.duplicated(_KEYS)]
    if not twice.empty:
        cell = ", ".join(map(str, twice.iloc[0][_KEYS]))
        raise InvalidInput(f"{what} hold the cell {cell} twice; give one table, with one figure for each cell.")
    figures: dict[str, Any] = {old: numbers(frame, old) for old in names if old != "note"}
    if "n" in figures:
        figures["n"] = figures["n"].round().astype("Int64")  # a count stays a count beside missing ones
    return frame[[*_KEYS, *names]].assign(**figures).rename(columns=dict(names))


def _check_reference(reference: str | None, mine: pd.DataFrame, theirs: pd.DataFrame) -> None:
    if reference is None:
        return
    for frame, what in ((mine, "our results"), (theirs, "the published numbers")):
        if reference not in frame["row"].unique():
            there = ", ".join(map(str, frame["row"].unique()))
            raise InvalidInput(f"reference {reference!r} is no row of {what}; the rows are: {there}.")


def _in_order(table: pd.DataFrame, theirs: pd.DataFrame, mine: pd.DataFrame) -> pd.DataFrame:
    # An outer merge sorts its keys; the paper's order is the one that readers know.
    cells = pd.concat([theirs[_KEYS], mine[_KEYS]]).drop_duplicates()
    return cells.merge(table, on=_KEYS, how="left")


def _margin(margin: float | Mapping[str, float] | None, column: str) -> float:
    if not isinstance(margin, Mapping):
        return nan if margin is None else margin
    name = column if column in margin else column.partition("@")[0]
    if name not in margin:
        raise InvalidInput(f"margin: none for the column {column!r}; there are: {', '.join(margin)}.")
    return margin[name]


def _judged(row: Mapping[Any, Any], level: float) -> tuple[float, float, str, float]:
    """Low and high of the difference, the verdict, and how many cases would tell."""
    gap, own, printed, n, margin = (row[name] for name in ("difference", "ours_se", "published_se", "n", "margin"))
    if isnan(gap):
        return nan, nan, "not testable here", nan
    if isnan(own) or own <= 1e-9 * abs(row["ours"]) or pd.isna(n) or n < 2:  # what is smaller is rounding
        return nan, nan, "too little data", nan
    other = 0.0 if isnan(printed) else printed
    se = hypot(own, other)
    freedom = (n - 1) / max((own / se) ** 4, 1e-12)  # Welch and Satterthwaite, the printed error taken as known
    half = float(t.ppf((1 + level) / 2, freedom)) * se
    if equivalent(gap, se, margin, freedom) < 1 - level:
        verdict = "agrees"
    else:
        verdict = "differs" if abs(gap) > half else "too little data"
    needed = enough(n, own, margin, other, 1 - level) if verdict == "too little data" and not isnan(margin) else nan
    return gap - half, gap + half, verdict, needed


def _directions(table: pd.DataFrame, reference: str | None) -> list[str]:
    if reference is None:
        return [""] * len(table)
    mark = table[table["row"] == reference].set_index("column")
    mine = table["ours"] - table["column"].map(mark["ours"])
    theirs = table["published"] - table["column"].map(mark["published"])
    known = (table["row"] != reference) & mine.notna() & theirs.notna()
    return [
        "" if not told else "same" if same else "other"
        for told, same in zip(known, np.sign(mine) == np.sign(theirs), strict=True)
    ]


def _note(row: Mapping[Any, Any], reference: str | None) -> str:
    own = ""
    if isnan(row["published"]):
        own = "The paper prints no figure."
    elif isnan(row["ours"]):
        own = "Not run here."
    elif isnan(row["low"]):
        own = "No interval: one case, or repetitions that are all alike."
    elif row["row"] == reference:
        own = "Reference row."
    printed = row["note"] if isinstance(row["note"], str) else ""
    return " ".join(part for part in (own, printed) if part)


def _with_spread(value: float, se: float, decimals: int) -> str:
    if isnan(value):
        return "–"
    return f"{value:.{decimals}f}" + ("" if isnan(se) else f" ({se:.{decimals}f})")


def _marked(frame: pd.DataFrame) -> pd.DataFrame:
    marks = {verdict: f"{symbol} {verdict}" for verdict, (symbol, _) in _MARKS.items()}
    return frame.assign(**{column: frame[column].map(marks) for column in _verdict_columns(frame)})


def _verdict_columns(frame: pd.DataFrame) -> list[str]:
    """Columns that hold verdicts and nothing else; one that is named `verdict` has to."""
    unknown = sorted(set(frame.get("verdict", ())) - set(_MARKS))
    if unknown:
        raise InvalidInput(f"verdict {unknown[0]!r} is unknown; expected one of: {', '.join(VERDICTS)}.")
    return [str(column) for column in frame if len(frame) and frame[column].isin(list(_MARKS)).all()]


def _escaped(text: Any) -> str:
    return str(text).translate(_LATEX)
