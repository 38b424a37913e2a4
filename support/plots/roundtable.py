"""RoundTable's figures: utility by round, and who gets what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from support.analysis.stats import describe
from support.draw import COLOURS, facets, key, lines, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo", "--")
UTILITY = "% of the largest total"
SILENCE = "even split, no talk"


def plot_utility(
    curves: pd.DataFrame,
    ax: Axes,
    *,
    by: str = "rule",
    printed: pd.DataFrame | None = None,
    even: float | None = None,
    col: str | None = "seats",
) -> None:
    """Total utility round by round with 95 % t intervals (Figure 2), a panel for each level of `col`.

    `curves` as `metrics.curves_of` gives them. `printed` are published cells (row,
    "utility@3" …, value): hollow marks in the look of the line of the same name. `even`
    is what an even split has.
    """
    names = list(dict.fromkeys(curves[by]))
    for panel, part in facets(ax, curves, col):
        means = describe(part, "utility", [by, "round"])
        means[["low", "high"]] = means[["low", "high"]].clip(0, 100)
        base = (SILENCE, even) if even is not None else None
        lines(panel, means, "round", "mean", by, names, base=base)
        if printed is not None:
            _marks(panel, printed, names)
        rounds = sorted(part["round"].unique())
        panel.set(
            ylabel=UTILITY,
            ylim=(-3, 103),
            xticks=rounds,
        )


def _marks(ax: Axes, printed: pd.DataFrame, names: Sequence[str]) -> None:
    cells = printed[printed["column"].str.startswith("utility@")]
    cells = cells[cells["row"].isin(names)]
    for row, part in cells.groupby("row"):
        look = style(names.index(row)) | {"linestyle": "", "markersize": 8}
        rounds = part["column"].str.removeprefix("utility@").astype(int)
        ax.plot(rounds, part["value"], fillstyle="none", **look)


def plot_allocation(
    allocation: Sequence[Sequence[float]],
    agents: Sequence[str],
    goods: Sequence[str],
    ax: Axes,
) -> None:
    """Who gets how much of each good: one stacked bar per good, one shade and hatch per
    agent."""
    base = np.zeros(len(goods))
    for i, (agent, row) in enumerate(zip(agents, allocation, strict=True)):
        look: Any = {"color": COLOURS[i % 8], "hatch": HATCHES[i % 8]}
        ax.bar(
            goods,
            row,
            bottom=base,
            label=agent,
            edgecolor="white",
            **look,
        )
        base += row
    ax.set(xlabel="good", ylabel="units")
    key(ax)
