"""RoundTable's figures: utility by round, and who gets what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from support.analysis.stats import describe
from support.draw import BESIDE, COLOURS, HATCHES, MARKS, lines

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

UTILITY = "total utility (% of maximum)"


def yardsticks(ax: Axes, even: float | None) -> None:
    """The largest total, and what an even split has without a word."""
    ax.axhline(100, color="#B00000", linewidth=1, label="largest possible")
    if even is not None:
        label = "even split, nobody talks"
        ax.axhline(even, color="black", linewidth=1, linestyle=":", label=label)
    ax.set(ylabel=UTILITY, ylim=(0, 108))


def plot_utility(
    curves: pd.DataFrame,
    ax: Axes,
    below: Axes,
    *,
    order: Sequence[str],
    published: pd.DataFrame,
    by: str = "rule",
    even: float | None = None,
) -> Axes:
    """Total utility over rounds with 95 % t intervals as lines, `below` the share still
    undecided as bars (Figure 2).

    `curves` as `metrics.curves_of` gives them. `published` are printed values (row,
    column "utility@3" …, value): hollow marks in the colour and shape of the line of the
    same name, grey where there is none. `even` is what an even split has.
    """
    means = describe(curves, "utility", [by, "round"])
    means[["low", "high"]] = means[["low", "high"]].clip(0, 100)
    lines(ax, means, "round", "mean", by, order, band=True)
    yardsticks(ax, even)
    ax.set(xlabel="", xticks=sorted(curves["round"].unique()))
    cells = published[published["column"].str.startswith("utility@")]
    rows = [*order, *sorted(set(cells["row"]) - set(order))]
    for row, part in cells.groupby("row", sort=False):
        i = rows.index(row)
        ours = row in order
        rounds = part["column"].str.removeprefix("utility@").astype(int)
        ax.plot(
            rounds,
            part["value"],
            MARKS[i % 8],
            color=COLOURS[i % 8] if ours else "#777777",
            fillstyle="none",
            markersize=9,
            label=None if ours else f"paper: {row}",
        )
    ax.legend(title=f"{by} (hollow: paper)", **BESIDE)
    waiting = 100 * curves.groupby(["round", by])["undecided"].mean().unstack()
    width = 0.8 / len(order)
    for i, name in enumerate(order):
        place = waiting.index - 0.4 + width * (i + 0.5)
        below.bar(place, waiting[name], width, color=COLOURS[i % 8], alpha=0.35)
    below.set(xlabel="round", ylim=(0, 108), ylabel="still undecided (%)")
    return ax


def plot_allocation(
    allocation: Sequence[Sequence[float]],
    agents: Sequence[str],
    goods: Sequence[str],
    ax: Axes,
) -> Axes:
    """Who gets how much of each good: one stacked bar per good, one shade and hatch per
    agent."""
    base = np.zeros(len(goods))
    for i, (agent, row) in enumerate(zip(agents, allocation, strict=True)):
        ax.bar(
            goods,
            row,
            bottom=base,
            label=agent,
            color=COLOURS[i % 8],
            hatch=HATCHES[i % 8],
            edgecolor="white",
        )
        base += row
    ax.set(xlabel="good", ylabel="amount (units)")
    ax.legend(
        fontsize=8, ncols=len(agents), loc="lower center", bbox_to_anchor=(0.5, 1)
    )
    return ax
