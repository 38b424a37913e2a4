"""RoundTable's figures: total utility by round, who gets what, one discussion beside simulated ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from support.analysis.frames import need_columns
from support.draw import COLOURS, LINES, MARKS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_utility(
    curves: pd.DataFrame,
    ax: Axes,
    *,
    by: str = "rule",
    order: Sequence[str] | None = None,
    published: pd.DataFrame | None = None,
    below: Axes | None = None,
    level: float = 0.95,
) -> Axes:
    """Total utility over rounds with t intervals as lines, the share still undecided as bars (RoundTable, Figure 2).

    Parameters
    ----------
    curves : frame
        Tidy, one row per discussion and round: `by`, "round", "utility" (percent of the maximum), "undecided".
    ax : Axes
        Takes the lines, in percent; a twin on the right, or `below`, takes the bars, in percent of discussions.
    order : sequence, optional
        Which values of `by` to draw, in which order.
    published : frame, optional
        Printed values beside ours: "row", "column" ("utility@3", …) and "value". Hollow marks, in the colour and shape
        of the line of the same name; rows without a line of ours in grey.
    """
    levels = list(order) if order is not None else list(dict.fromkeys(curves[by]))
    need_columns(curves, [by, "round", "utility", "undecided"], "the curves")
    bars = ax.twinx() if below is None else below
    if below is None:
        ax.set_zorder(bars.get_zorder() + 1)  # lines in front of bars
        ax.patch.set_visible(False)
    for i, name in enumerate(levels):
        part = curves[curves[by] == name]
        _line(part, ax, str(name), i, level)
        _bars(part, bars, i, len(levels))
    ax.axhline(100, color="#B00000", linewidth=1)
    ax.annotate("largest possible", (0.995, 100), xycoords=("axes fraction", "data"), ha="right", va="bottom",
                fontsize=8, color="#B00000")  # fmt: skip
    if published is not None:
        _printed(published, ax, levels)
    rounds = sorted(curves["round"].unique())
    ax.set(xlabel="round", ylabel="total utility (% of maximum)", ylim=(0, 108), xticks=rounds)
    bars.set(ylabel="still undecided (%)" if below else "bars: discussions still undecided (%)", ylim=(0, 108))
    bars.set(xlabel="round", xticks=rounds)
    ax.legend(
        title=by, fontsize=8, loc="center left", bbox_to_anchor=(1.12 if below is None else 1.01, 0.5), frameon=False
    )
    return ax


def _line(part: pd.DataFrame, ax: Axes, name: str, i: int, level: float) -> None:
    from scipy.stats import t

    groups = part.groupby("round")["utility"]
    mean, n = groups.mean(), groups.count()
    half = groups.sem().fillna(0) * t.ppf((1 + level) / 2, np.maximum(n - 1, 1))
    colour = COLOURS[i % 8]
    ax.plot(mean.index, mean, color=colour, linestyle=LINES[i % 8], marker=MARKS[i % 8], markersize=4, label=name)
    low, high = (mean - half).clip(0, 100), (mean + half).clip(0, 100)
    ax.fill_between(mean.index, low, high, color=colour, alpha=0.15, linewidth=0)


def _printed(published: pd.DataFrame, ax: Axes, levels: Sequence[str]) -> None:
    totals = published[published["column"].str.startswith("utility@")]
    others = [row for row in totals["row"].unique() if row not in levels]
    for row, part in totals.groupby("row", sort=False):
        i = levels.index(row) if row in levels else others.index(row)
        colour = COLOURS[i % 8] if row in levels else "#777777"
        label = "paper (hollow marks)" if row == levels[0] else f"paper: {row}" if row in others else None
        aside = 0.07 * (i - (len(levels) - 1) / 2) if row in levels else 0.0  # marks of equal height stay apart
        rounds = part["column"].str.removeprefix("utility@").astype(int) + aside
        ax.plot(rounds, part["value"], MARKS[i % 8], color=colour, fillstyle="none", markersize=9, label=label)


def _bars(part: pd.DataFrame, ax: Axes, i: int, count: int) -> None:
    share = 100 * part.groupby("round")["undecided"].mean()
    width = 0.8 / count
    ax.bar(share.index - 0.4 + width * (i + 0.5), share, width, color=COLOURS[i % 8], alpha=0.35, linewidth=0)


def plot_allocation(
    allocation: Sequence[Sequence[float]], agents: Sequence[str], goods: Sequence[str], ax: Axes
) -> Axes:
    """Who gets how much of each good: one stacked bar per good, one shade and hatch per agent."""
    amounts = np.asarray(allocation, dtype=float)
    base = np.zeros(len(goods))
    for i, (agent, row) in enumerate(zip(agents, amounts, strict=True)):
        ax.bar(goods, row, bottom=base, label=agent, color=COLOURS[i % 8], hatch=("", "//", "..", "xx", "\\\\")[i % 5],
               edgecolor="white")  # fmt: skip
        base += row
    ax.set(xlabel="good", ylabel="amount (units)")
    ax.legend(fontsize=8, frameon=False, ncols=len(agents), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return ax


def draw_discussion(
    curve: Sequence[float] | np.ndarray,
    allocation: Sequence[Sequence[float]] | None,
    agents: Sequence[str],
    goods: Sequence[str],
    rounds: int,
    crowd: np.ndarray | None = None,
) -> Figure:
    """One discussion: its total utility by round, beside simulated ones if given, and the standing allocation.

    Parameters
    ----------
    curve : sequence of float
        Total utility after each round that was played, percent of the maximum.
    allocation : rows of amounts, optional
        The standing decision, one row per agent; None before the first.
    crowd : array of shape (discussions, rounds), optional
        Curves of rule-based discussions with the same settings: drawn as their mean and middle 80 %.
    """
    from matplotlib.figure import Figure

    fig = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=(3, 2))
    numbers = np.arange(1, rounds + 1)
    if crowd is not None and len(crowd):
        low, high = np.quantile(crowd, (0.1, 0.9), axis=0)
        left.fill_between(numbers, low, high, color="#BBBBBB", alpha=0.5, linewidth=0, label="rule-based, middle 80 %")
        left.plot(
            numbers, crowd.mean(axis=0), color="#777777", linestyle="--", label=f"rule-based, mean of {len(crowd)}"
        )
    if len(curve):
        left.plot(numbers[: len(curve)], curve, color=COLOURS[0], marker="o", label="this discussion")
    left.axhline(100, color="#B00000", linewidth=1, label="largest possible")
    left.set(xlabel="round", ylabel="total utility (% of maximum)", ylim=(0, 108), xlim=(0.8, rounds + 0.2))
    left.set_xticks(numbers)
    if left.get_legend_handles_labels()[0]:
        left.legend(fontsize=8, loc="lower right")
    if allocation is not None:
        plot_allocation(allocation, agents, goods, right)
        right.set_xlabel(f"good (standing after round {len(curve)})")
    else:
        right.text(0.5, 0.5, "nothing decided yet", ha="center", va="center", color="#555555")
        right.set_axis_off()
    return fig
