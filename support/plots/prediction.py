"""The error of a table's prediction, round by round (RoundTable, Figure 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from support.analysis.prediction import scores, undecided_share, with_undecided
from support.draw import COLOURS, LINES, MARKS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MARGIN = 0.05  # stars above and below what is drawn
NAMES = {"mae": "mean absolute error (stars)", "rmse": "root mean squared error (stars)"}


def plot_error(
    errors: pd.DataFrame,
    ax: Axes,
    measure: str = "mae",
    by: str = "rule",
    *,
    order: Sequence[str] | None = None,
    published: pd.DataFrame | None = None,
    references: pd.DataFrame | None = None,
    intervals: bool = True,
) -> Axes:
    """Error over rounds as lines with bands of t intervals, the share still undecided as bars.

    The axis spans the lines and marks; bands that are wider, where few have decided, are cut. `intervals` says whether
    to draw them: they are of each line alone, and groups that had the same cases differ more surely than their bands
    suggest, as a paired test shows.

    Parameters
    ----------
    errors : frame
        As `prediction.errors_of` gives it; undecided cases are left out of the lines. The bars are on a twin axis.
    published : frame, optional
        Printed values beside ours: "row", "column" ("mae@3", …) and "value". Hollow marks, in the colour and shape of
        the line of the same name; rows without a line of ours are left out.
    references : frame, optional
        Other predictors as grey horizontal lines: "method", "column" (the measure) and "value", as `scores` gives them.
    """
    levels = list(order) if order is not None else list(dict.fromkeys(errors[by]))
    decided = scores(with_undecided(errors), [by, "round"])
    bars = ax.twinx()
    ax.set_zorder(bars.get_zorder() + 1)  # lines in front of bars
    ax.patch.set_visible(False)
    for i, name in enumerate(levels):
        _line(decided[(decided[by] == name) & (decided["column"] == measure)], ax, str(name), i, intervals)
    _bars(undecided_share(errors, by), bars, by, levels)
    if published is not None:
        _printed(published, ax, measure, levels)
    if references is not None:
        _references(references[references["column"] == measure], ax)
    ax.set(xlabel="round", ylabel=NAMES[measure], xticks=sorted(errors["round"].unique()), ylim=_span(ax))
    bars.set(ylabel="bars: discussions still undecided (%)", ylim=(0, 108))
    ax.legend(title=by, fontsize=8, loc="center left", bbox_to_anchor=(1.12, 0.5), frameon=False)
    return ax


def _line(part: pd.DataFrame, ax: Axes, name: str, i: int, intervals: bool) -> None:
    part = part.sort_values("round")
    colour, x = COLOURS[i % 8], part["round"]
    ax.plot(x, part["value"], color=colour, linestyle=LINES[i % 8], marker=MARKS[i % 8], markersize=4, label=name)
    if intervals:
        ax.fill_between(x, part["low"], part["high"], color=colour, alpha=0.08, linewidth=0)


def _span(ax: Axes) -> tuple[float, float]:
    """From below the lowest line or mark to above the highest."""
    heights = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in ax.lines])
    heights = heights[np.isfinite(heights)]
    return (heights.min() - MARGIN, heights.max() + MARGIN) if len(heights) else (0.0, 1.0)


def _bars(share: pd.DataFrame, ax: Axes, by: str, levels: Sequence[str]) -> None:
    width = 0.8 / len(levels)
    for i, name in enumerate(levels):
        part = share[share[by] == name]
        place = part["round"] - 0.4 + width * (i + 0.5)
        ax.bar(place, part["undecided"], width, color=COLOURS[i % 8], alpha=0.35, linewidth=0)


def _printed(published: pd.DataFrame, ax: Axes, measure: str, levels: Sequence[str]) -> None:
    cells = published[published["column"].str.startswith(f"{measure}@")]
    for i, row in enumerate(levels):
        part = cells[cells["row"] == row]
        label = None if i else "paper (hollow marks)"
        rounds = part["column"].str.removeprefix(f"{measure}@").astype(int) + 0.07 * (i - (len(levels) - 1) / 2)
        ax.plot(rounds, part["value"], MARKS[i % 8], color=COLOURS[i % 8], fillstyle="none", markersize=8, label=label)


def _references(rows: pd.DataFrame, ax: Axes) -> None:
    for i, (name, value) in enumerate(zip(rows["method"], rows["value"], strict=True)):
        ax.axhline(value, color="#777777", linewidth=1, linestyle=LINES[i % 8])
        ax.annotate(str(name), (0.005, value), xycoords=("axes fraction", "data"), va="bottom", fontsize=7)
