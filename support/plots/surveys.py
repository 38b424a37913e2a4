"""Figures of surveys: distributions around the middle, means beside published ones, which n fits a printed mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from support import draw
from support.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDS = (
    "#B35806",
    "#E8E8E8",
    "#2166AC",
)  # brown, grey, blue; the low side is hatched as well, for grey paper
FIVE_POINTS, OTHERS = (
    ("worst", "best"),
    ("lowest", "highest"),
)  # what the ends of a scale are called (appendix D)


def plot_diverging(
    frame: pd.DataFrame, ax: Axes, order: Sequence[str] | None = None
) -> Axes:
    """Stacked bars around the middle answer, in percent of those who answered: low answers left, high ones right.

    `frame` as `answers.distribution` gives it, of one source; a bar for each group of each item of `order`.
    """
    from matplotlib.colors import LinearSegmentedColormap

    if frame["source"].nunique() > 1:
        raise InvalidInput(
            f"source: {', '.join(frame['source'].unique())} in one frame; draw one source an Axes."
        )
    bars = [
        (i, g)
        for i in draw.levels_of(frame, "item", order)
        for g in draw.levels_of(frame, "group")
    ]
    wide = (
        frame.pivot(index=["item", "group"], columns="answer", values="share")
        .reindex(bars)
        .sort_index(axis=1)
        * 100
    )
    shares, sizes = (
        wide.fillna(0).to_numpy(),
        frame.groupby(["item", "group"])["n"].first().reindex(bars, fill_value=0),
    )
    half, odd = divmod(shares.shape[1], 2)
    places, left = (
        np.arange(len(bars)),
        -shares[:, :half].sum(axis=1) - (shares[:, half] / 2 if odd else 0),
    )
    shades = LinearSegmentedColormap.from_list("ends", ENDS)(
        np.linspace(0, 1, shares.shape[1])
    )
    ends = dict(
        zip(
            wide.columns[[0, -1]],
            FIVE_POINTS if shares.shape[1] == 5 else OTHERS,
            strict=True,
        )
    )
    for i, answer in enumerate(wide.columns):
        hatch = "///" if i < half else None
        ax.barh(places, shares[:, i], 0.75, left, color=shades[i], edgecolor="white", linewidth=0.8, hatch=hatch,
                label=f"{answer}, {ends[answer]}" if answer in ends else str(answer))  # fmt: skip
        bright = np.dot(shades[i][:3], (0.299, 0.587, 0.114)) > 0.5
        for place, start, width in zip(
            places.tolist(), left, shares[:, i], strict=True
        ):
            if width >= 6:  # a narrower piece has no room for its number
                ax.text(start + width / 2, place, f"{width:.0f}", ha="center", va="center", fontsize=8,
                        color="black" if bright else "white",
                        bbox={"facecolor": shades[i], "edgecolor": "none", "pad": 0.8})  # fmt: skip
        left = left + shares[:, i]
    edge = max(abs(end) for end in ax.get_xlim())
    ticks = np.arange(-100, 101, 25)
    ax.set_xticks(ticks, np.abs(ticks))
    ax.set(
        xlim=(-edge, edge),
        xlabel="share of answers (%), around the middle of the scale",
    )
    ax.set_yticks(
        places,
        [
            fill(f"{i}, {g}".replace("_", " "), 30) + f" (n = {sizes[i, g]})"
            for i, g in bars
        ],
    )
    ax.invert_yaxis()
    ax.axvline(0, color="#444444", linewidth=0.8, zorder=0)
    ax.legend(ncols=shares.shape[1], fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0),
              title=f"answers: {frame['source'].iloc[0]}", title_fontsize=9)  # fmt: skip
    return ax


def plot_grim(frame: pd.DataFrame, ax: Axes, stated: Mapping[str, int]) -> Axes:
    """Which printed mean can come from how many answers: filled where it can, framed at the n that the paper states.

    `frame` as `printed.grim_table` gives it.
    """
    rows = (
        frame["group"]
        + ": "
        + frame["item"].str.replace("_", " ")
        + ", "
        + frame["mean"].map("{:.2f}".format)
    )
    wide = (
        frame.assign(row=rows)
        .pivot(index="row", columns="n", values="fits")
        .reindex(rows.unique())
        .astype(float)
    )
    columns: list[object] = list(wide.columns)
    sizes = [stated.get(str(row).split(":")[0]) for row in wide.index]
    frames = [(i, columns.index(n)) for i, n in enumerate(sizes) if n in columns]
    draw.tiles(ax, wide, text=False, frames=frames, vmin=0, vmax=1)
    ax.set(
        xlabel="n (answers); filled: whole answers can give the printed mean; framed: n stated",
        ylabel="",
    )
    return ax
