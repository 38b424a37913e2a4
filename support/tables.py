"""Our results beside the published ones, and tables for the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import nan
from typing import TYPE_CHECKING, Any

import pandas as pd

from support.analysis.claims import CLOSE, UNTESTED, VERDICTS, total
from support.analysis.frames import need_columns
from support.data import partial

if TYPE_CHECKING:
    from great_tables import GT

LOOKS = [
    ("✓", "#cce5f6"),
    ("✗", "#f9d9b8"),
    ("?", "#efe7f3"),
    ("–", "#f2f2f2"),
]
"""Of the verdicts in their order: light enough for black text, and told by the symbol
where colours are not seen."""
MARKS = dict(zip([*VERDICTS, *VERDICTS.values()], LOOKS * 2, strict=True))


def against_published(
    ours: pd.DataFrame,
    published: pd.DataFrame,
    margin: float | Mapping[str, float],
) -> pd.DataFrame:
    """Set our figures beside the published ones, cell by cell, with a verdict.

    A cell *agrees* when two one-sided tests at 5 % place the difference within `margin`
    (so that little data earns no agreement); it *differs* when the difference is larger
    than the margin and its 95 % interval excludes 0; else there is *too little data*, as
    where our cases show no spread. A missing published error counts as 0.

    `ours` has participant, row, column, value, se, n (distinct cases behind the value);
    a cell that was not run may be absent or NaN. `published` is one table of
    `published.load`. `margin` is the largest difference that does not matter, for all
    cells or by column, where "utility" stands for "utility@3" as well.

    Columns: participant, row, column, published, published_se, ours, ours_se, n,
    margin, difference (ours - published), low, high, verdict; the published cells in
    their order for each participant.
    """
    columns = ["participant", "row", "column", "value", "se", "n"]
    need_columns(ours, columns, "our results")
    mine = ours[columns].rename(columns={"value": "ours", "se": "ours_se"})
    printed = published[["row", "column", "value", "spread"]]
    printed = printed.set_axis(
        ["row", "column", "published", "published_se"],
        axis=1,
    )
    cells = mine[["participant"]].drop_duplicates()
    cells = cells.merge(printed, how="cross")
    cells = cells.merge(mine, how="left", validate="1:1")

    figures = cells["column"].str.partition("@")[0]
    if not isinstance(margin, Mapping):
        margin = dict.fromkeys(figures, margin)
    cells["margin"] = [margin[name] for name in figures]
    cells["difference"] = cells["ours"] - cells["published"]
    judged = pd.DataFrame(
        map(_judged, cells.itertuples()),
        columns=["low", "high", "verdict"],
    )
    return cells.join(judged).astype({"n": "Int64"})  # counts, beside missing ones


def _judged(cell: Any) -> tuple[float, float, str]:
    """Low and high of a cell's difference, and its verdict."""
    if pd.isna(cell.difference):
        return nan, nan, VERDICTS[UNTESTED]
    rounding = 1e-9 * abs(cell.ours)
    if not cell.ours_se > rounding or not cell.n > 1:
        return nan, nan, VERDICTS[CLOSE]
    mine = (cell.ours, cell.ours_se, cell.n)
    gap = total([mine, (-cell.published, cell.published_se, nan)])
    half = gap.half()
    return gap.value - half, gap.value + half, VERDICTS[gap.near(cell.margin)]


def wide(comparison: pd.DataFrame) -> pd.DataFrame:
    """The layout of the paper: "79.61 (0.88)".

    For each row a line of the paper and one for each participant.
    """
    printed = comparison.assign(
        participant="paper",
        ours=comparison["published"],
        ours_se=comparison["published_se"],
    )
    lines = pd.concat([printed, comparison]).rename(columns={"participant": "source"})
    values = lines["ours"].map("{:.2f}".format)
    values += lines["ours_se"].map(" ({:.2f})".format)
    lines["cell"] = values.str.replace(" (nan)", "").replace("nan", "–")
    table = lines.pivot_table(
        values="cell",
        index=["row", "source"],
        columns="column",
        aggfunc="first",
        sort=False,
    )
    table = table.loc[comparison["row"].unique()].fillna("–")
    return table.rename_axis(columns=None).reset_index()


def for_page(
    frame: pd.DataFrame,
    title: str,
    subtitle: str = "",
    decimals: int = 2,
) -> GT:
    """A table for a notebook or a page; a column of verdicts gets symbols and colours.

    The element ids come from the title, so that the output of a notebook that runs
    again does not change, and a page that holds two tables gives them two titles.
    """
    from great_tables import GT, from_column, loc, style

    shown = frame.reset_index(drop=True).rename(columns=str)
    words = re.findall(r"[^\W_]+", title.lower())
    name = "-".join(["table", *words])
    table = GT(shown, id=name).tab_header(title, subtitle or None)
    if len(shown.columns) > 8:
        table = table.tab_options(
            table_font_size="12px",
            data_row_padding="3px",
        )
    widths = shown.map(lambda cell: len(str(cell))).max()
    unbroken = loc.body(columns=list(widths.index[widths <= 24]))
    table = table.tab_style(style.css("white-space: nowrap;"), unbroken)
    table = table.fmt_number(
        list(shown.select_dtypes("float")),
        decimals=decimals,
        use_seps=False,
    ).sub_missing(missing_text="–")
    if said := partial():
        table = table.tab_source_note(said)
    for column in map(str, shown):
        if shown[column].isin([*MARKS]).all():
            colour = from_column(column, fn=lambda verdict: MARKS[verdict][1])
            table = table.tab_style(style.fill(colour), loc.body(column))
            table = table.fmt(
                lambda verdict: f"{MARKS[verdict][0]} {verdict}",
                column,
            )
    return table
