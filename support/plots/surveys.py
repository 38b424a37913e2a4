"""Answers on a scale as bars around its middle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDS = ("#D9A066", "#EEEEEE", "#7FB0E0")  # the low side is hatched, for grey paper


def plot_diverging(
    ax: Axes, answers: pd.DataFrame, y: str, steps: int = 5, col: str | None = None
) -> None:
    """Stacked bars around the middle answer, in percent: low answers left, high right.

    A bar for each level of `y`, in the order of appearance; `answer` is whole, from 1 to
    `steps`; `col` makes panels.
    """
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("ends", ENDS, steps)
    scale = np.arange(1, steps + 1)
    below = np.clip(steps / 2 + 1 - scale, 0, 1)  # half of the middle one
    for panel, part in draw.facets(ax, answers, col):
        counts = pd.crosstab(part[y], part["answer"])
        counts = counts.reindex(part[y].unique()).reindex(columns=scale, fill_value=0)
        shares = 100 * counts.div(counts.sum(axis=1), axis=0)
        left, names = -(shares @ below), shares.index.astype(str)
        for step in scale:
            look: Any = {"color": colours(step - 1), "edgecolor": "white"}
            hatch = "///" if 2 * step <= steps else None
            bars = panel.barh(
                names, shares[step], left=left, hatch=hatch, label=step, **look
            )
            numbers = shares[step].map("{:.0f}".format).where(shares[step] > 6, "")
            panel.bar_label(bars, numbers, label_type="center", fontsize=9)
            left = left + shares[step]
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.xaxis.set_major_formatter(lambda share, _: f"{abs(share):.0f}")
        panel.set_xlabel("answers (%) from the middle")
        draw.key(panel)
