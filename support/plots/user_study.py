"""Figures of the user study: means over the points in time, correlations with reliance, and bounds of changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from support.analysis.frames import need_columns
from support.draw import COLOURS, LINES, MARKS
from support.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

WIDTH = 30  # letters of a label before it breaks
GREY = "#777777"
PS = {"p": "uncorrected p", "p_fdr": "FDR-corrected p", "p_holm": "Holm-corrected p"}


def plot_points(
    frame: pd.DataFrame,
    ax: Axes,
    *,
    order: Sequence[str],
    points: Sequence[str],
    marks: Mapping[str, str] | None = None,
    scale: tuple[int, int] = (1, 7),
) -> Axes:
    """Means on the scale, a row an item, a mark a point in time, joined in their order (DoubleAgents, Figures 7, 8).

    Parameters
    ----------
    frame : DataFrame
        item, group (the point), mean, source (one); low and high where there are intervals. A hollow mark is a mean
        that is printed as an approximation (column about). A point without a mean has no mark.
    order : sequence
        The items, from the top; those without any mean are left out.
    points : sequence
        The points in time, in order.
    marks : mapping, optional
        From an item to what is written beside it, such as the printed p.

    Raises
    ------
    InvalidInput
        Several sources, or a cell that is there twice.
    """
    need_columns(frame, ["item", "group", "mean", "source"], "the means")
    _check(frame)
    items = [item for item in order if item in set(frame["item"])]
    wide = frame.pivot(index="item", columns="group", values="mean").reindex(index=items, columns=list(points))
    shifts = np.linspace(-1, 1, len(points)) * 0.16  # equal means stay apart
    for place, row in enumerate(wide.to_numpy()):
        there = ~np.isnan(row)
        ax.plot(row[there], place + shifts[there], color=GREY, linewidth=1.2, zorder=1)
    for i, point in enumerate(points):
        _point(frame[frame["group"] == point].set_index("item").reindex(items), ax, point, i, shifts[i])
    for place, item in enumerate(items):
        if marks and item in marks:
            ax.annotate(marks[item], (1, place), xycoords=("axes fraction", "data"), xytext=(5, 0), fontsize=8,
                        textcoords="offset points", va="center", color="#333333", annotation_clip=False)  # fmt: skip
    ax.set_yticks(range(len(items)), [fill(str(item).replace("_", " "), WIDTH) for item in items])
    ax.set_ylim(len(items) - 0.5, -0.5)
    ax.set(xlabel=f"mean answer (points, {scale[0]} to {scale[1]})", xlim=(scale[0] - 0.1, scale[1] + 0.1))
    ax.grid(axis="x", color="#E3E3E3", linewidth=0.8)
    ax.set_axisbelow(True)
    return ax


def plot_correlations(
    frame: pd.DataFrame, ax: Axes, *, alpha: float = 0.05, column: str = "p_fdr", target: str = "reliance"
) -> Axes:
    """Correlations with one item: a row an item, a mark each kind of forms, filled where the corrected p is small.

    Parameters
    ----------
    frame : DataFrame
        As `correlations.spearman` gives it, of one source: forms, item, rho and `column`.
    column : str
        Whose values under `alpha` fill a mark: "p_fdr", "p_holm" or "p".
    target : str
        The item that all others were correlated with.
    """
    need_columns(frame, ["source", "forms", "item", "rho", column], "the correlations")
    _check(frame.rename(columns={"forms": "group"}))
    first = frame["forms"].iloc[0]
    items = list(frame[frame["forms"] == first].sort_values("rho", ascending=False)["item"])
    kinds = list(dict.fromkeys(frame["forms"]))
    for i, kind in enumerate(kinds):
        part = frame[frame["forms"] == kind].set_index("item").reindex(items)
        shown = (part[column] < alpha).to_numpy()
        places = np.arange(len(items)) + (i - (len(kinds) - 1) / 2) * 0.18
        faces = [COLOURS[i % 8] if filled else "white" for filled in shown]
        ax.scatter(part["rho"], places, marker=MARKS[i % 8], facecolors=faces, edgecolors=COLOURS[i % 8], s=28,
                   label=kind, zorder=2)  # fmt: skip
    ax.axvline(0, color="#444444", linewidth=0.8)
    ax.set_yticks(range(len(items)), [str(item).replace("_", " ") for item in items], fontsize=8)
    ax.set_ylim(len(items) - 0.5, -0.5)
    said = f"filled: {PS.get(column, column)} < {alpha:g}"
    ax.set(xlabel=f"Spearman's correlation with {target.replace('_', ' ')} (-1 to 1); {said}", xlim=(-1.05, 1.05))
    ax.grid(axis="y", color="#EEEEEE", linewidth=0.8)
    ax.legend(title=f"forms ({frame['source'].iloc[0]})", fontsize=8, title_fontsize=8, frameon=False,
              loc="center left", bbox_to_anchor=(1.0, 0.5))  # fmt: skip
    return ax


def plot_bounds(frame: pd.DataFrame, ax: Axes) -> Axes:
    """What the paired change of each item can have been: a bar from bound to bound, the printed difference on it.

    Parameters
    ----------
    frame : DataFrame
        As `printed.bounds_table` gives it: item, printed, low, high, sign_known.
    """
    need_columns(frame, ["item", "printed", "low", "high", "sign_known"], "the bounds")
    places = np.arange(len(frame))
    for known, name in ((True, "the sign is known"), (False, "the sign is open")):
        part = (frame["sign_known"] == known).to_numpy()
        i = int(not known)
        ax.hlines(places[part], frame.loc[part, "low"], frame.loc[part, "high"], color=COLOURS[i], linewidth=5,
                  linestyle=LINES[i] if known else (0, (1, 0.5)), label=name, alpha=0.7)  # fmt: skip
    ax.plot(frame["printed"], places, "D", color="black", markersize=4, linestyle="none",
            label="difference of the printed means")  # fmt: skip
    ax.axvline(0, color="#444444", linewidth=0.8)
    ax.set_yticks(places, [str(item) for item in frame["item"]], fontsize=8)
    ax.set_ylim(len(frame) - 0.5, -0.5)
    ax.set_xlabel("mean change of those who came twice (points)")
    ax.legend(fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return ax


def _point(rows: pd.DataFrame, ax: Axes, point: str, index: int, shift: float) -> None:
    colour, marker = COLOURS[index % 8], MARKS[index % 8]
    places = np.arange(len(rows)) + shift
    if "low" in rows:
        ax.hlines(places, rows["low"], rows["high"], color=colour, linewidth=1.2, zorder=1)
    loose = rows["about"].fillna(False).astype(bool).to_numpy() if "about" in rows else np.zeros(len(rows), dtype=bool)
    faces = ["white" if hollow else colour for hollow in loose]
    ax.scatter(rows["mean"], places, marker=marker, facecolors=faces, edgecolors=colour, s=42, label=point, zorder=2)


def _check(frame: pd.DataFrame) -> None:
    sources = frame["source"].unique()
    if len(sources) > 1:
        raise InvalidInput(f"source: {', '.join(map(str, sources))} in one frame; draw one source an Axes.")
    twice = frame.duplicated(["item", "group"])
    if twice.any():
        item, group = frame.loc[twice, ["item", "group"]].iloc[0]
        raise InvalidInput(f"item {item!r} is there twice for {group!r}; pass one table at a time.")
