"""Figures of surveys: answers around the middle, which n fits a printed mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support import draw
from support.analysis.answers import need_answers
from support.analysis.printed import FIVE, Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDS = ("#D9A066", "#EEEEEE", "#7FB0E0")  # the low side is hatched, for grey paper


def plot_diverging(answers: pd.DataFrame, ax: Axes, scale: Scale = FIVE) -> Axes:
    """Stacked bars around the middle answer, in percent: low answers left, high right.

    Tidy answers of one source; a bar for each group of each item.
    """
    from matplotlib.colors import LinearSegmentedColormap

    given = need_answers(answers, scale).dropna(subset=["answer"])
    [source] = given["source"].unique()
    steps = range(scale.low, scale.high + 1)
    counts = pd.crosstab([given["item"], given["group"]], given["answer"])
    for level, name in enumerate(["group", "item"]):
        counts = counts.reindex(given[name].unique(), level=1 - level)
    counts = counts.reindex(columns=steps, fill_value=0)
    n = counts.sum(axis=1)
    shares = 100 * counts.div(n, axis=0)

    middle = (scale.low + scale.high) / 2
    below = np.clip(middle + 0.5 - np.array(steps), 0, 1)
    left = -(shares @ below)
    names = []
    for (item, group), people in zip(n.index, n, strict=True):
        names.append(f"{item}, {group} ({people})".replace("_", " "))
    colours = LinearSegmentedColormap.from_list("ends", ENDS, len(steps))
    for step in steps:
        bars = ax.barh(
            names,
            shares[step],
            left=left,
            color=colours(step - scale.low),
            edgecolor="white",
            hatch="///" if step < middle else None,
            label=step,
        )
        numbers = shares[step].map("{:.0f}".format)
        numbers = numbers.where(shares[step] > 6, "")
        ax.bar_label(bars, numbers, label_type="center", fontsize=9)
        left = left + shares[step]
    ax.invert_yaxis()
    ax.xaxis.set_major_formatter(lambda share, _: f"{abs(share):.0f}")
    ax.set_xlabel(f"{source}: answers (%), around the middle of the scale")
    draw.key(ax)
    return ax


def plot_grim(frame: pd.DataFrame, ax: Axes, stated: Mapping[str, int]) -> Axes:
    """Which printed mean can come from how many answers: filled where it can.

    `frame` as `printed.grim_table` gives it; framed at the n that the paper states.
    """
    item = frame["item"].str.replace("_", " ")
    mean = frame["mean"].map("{:.2f}".format)
    rows = frame["group"] + ": " + item + ", " + mean
    wide = frame.assign(row=rows).pivot(index="row", columns="n", values="fits")
    wide = wide.reindex(rows.unique()).astype(float)
    sizes: list[Any] = list(wide.columns)
    groups = frame["group"].groupby(rows, sort=False).first()
    frames = []
    for i, group in enumerate(groups):
        n = stated.get(group)
        if n in sizes:
            frames.append((i, sizes.index(n)))
    draw.tiles(ax, wide, text=False, frames=frames, vmin=0, vmax=1)
    ax.set_xlabel("answers (filled: they can give the printed mean; framed: as stated)")
    ax.set_ylabel("")
    return ax
