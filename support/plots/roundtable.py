"""RoundTable's figures: utility by round, who gets what, one discussion."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from support.analysis.stats import describe
from support.draw import COLOURS, HATCHES, NAMED, baseline, facets, key, lines, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
        panel.set(ylabel=UTILITY, ylim=(-3, 103), xticks=rounds)


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
        ax.bar(goods, row, bottom=base, label=agent, edgecolor="white", **look)
        base += row
    ax.set(xlabel="good", ylabel="units")
    key(ax)


def draw_discussion(
    curve: Sequence[float] | np.ndarray,
    allocation: Sequence[Sequence[float]] | None,
    agents: Sequence[str],
    goods: Sequence[str],
    rounds: int,
    crowd: np.ndarray | None = None,
    told: str = "",
    even: float | None = None,
) -> Figure:
    """One discussion: its total utility (percent) after each round played, and the
    standing allocation.

    `allocation` is None before the first decision, and for one that is no table but is
    `told` in words. `crowd`, of shape (discussions, rounds), are curves of rule-based
    discussions with the same settings: their mean and middle 80 %.
    """
    from matplotlib.figure import Figure

    fig = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=(3, 2))
    numbers = np.arange(1, rounds + 1)
    if crowd is not None:
        low, high = np.quantile(crowd, (0.1, 0.9), axis=0)
        left.fill_between(numbers, low, high, color="#DDDDDD")
        mean = crowd.mean(axis=0)
        name = f"rule-based,\nmean of {len(crowd)}"
        left.plot(numbers, mean, "--", color="#777777", label=name, gid=NAMED)
    played, look = numbers[: len(curve)], style(0)
    left.plot(played, curve, label="this discussion", gid=NAMED, **look)
    if even is not None:
        baseline(left, SILENCE, even)
    left.set(xlabel="round", ylabel=UTILITY, xticks=numbers, ylim=(-3, 103))
    if allocation is not None:
        plot_allocation(allocation, agents, goods, right)
        right.set_xlabel(f"good (standing after round {len(curve)})")
    else:
        words = fill(told, 32) or "nothing decided yet"
        right.text(0.5, 0.5, words, ha="center", va="center")
        right.set_axis_off()
    return fig
