"""RoundTable's figures: utility and errors by round, who gets what, one discussion, what stopping saves and costs."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from support.analysis.prediction import scores, undecided_share, with_undecided
from support.analysis.stats import describe
from support.draw import BESIDE, COLOURS, HATCHES, LINES, MARKS, lines, margins

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_utility(
    curves: pd.DataFrame,
    ax: Axes,
    below: Axes,
    *,
    order: Sequence[str],
    published: pd.DataFrame,
    by: str = "rule",
) -> Axes:
    """Total utility over rounds with 95 % t intervals as lines, `below` the share still undecided as bars (Figure 2).

    `curves` has a row for each discussion and round: `by`, "round", "utility" (percent of the maximum), "undecided".
    `published` are printed values (row, column "utility@3" …, value): hollow marks in the colour and shape of the line
    of the same name; rows without a line of ours in grey.
    """
    told = describe(curves, "utility", [by, "round"])
    told[["low", "high"]] = told[["low", "high"]].clip(0, 100)
    lines(ax, told, "round", "mean", by, order, band=True)
    ax.axhline(100, color="#B00000", linewidth=1)
    ax.annotate("largest possible", (0.995, 100), xycoords=("axes fraction", "data"), ha="right", va="bottom",
                fontsize=8, color="#B00000")  # fmt: skip
    _printed(published, ax, "utility", order)
    ax.set(
        xlabel="",
        ylabel="total utility (% of maximum)",
        ylim=(0, 108),
        xticks=sorted(curves["round"].unique()),
    )
    _undecided(curves, below, by, order, "still undecided (%)")
    ax.legend(title=by, **BESIDE)
    return ax


def plot_error(
    errors: pd.DataFrame,
    ax: Axes,
    *,
    order: Sequence[str],
    published: pd.DataFrame,
    references: pd.DataFrame,
) -> Axes:
    """Mean absolute error over rounds under each rule, the share still undecided as bars on a twin axis (Figure 3).

    No bands: groups that had the same cases differ more surely than intervals of each alone suggest, as a paired test
    shows. `errors` as `prediction.errors_of` gives them; undecided cases are left out of the lines. `published` as in
    `plot_utility`. `references` are other predictors (method, column, value, as `scores` gives them): grey lines.
    """
    told = scores(with_undecided(errors), ["rule", "round"]).drop(
        columns=["low", "high"]
    )
    lines(ax, told[told["column"] == "mae"], "round", "value", "rule", order)
    _printed(published, ax, "mae", order)
    rows = references[references["column"] == "mae"]
    for i, (name, value) in enumerate(zip(rows["method"], rows["value"], strict=True)):
        ax.axhline(value, color="#777777", linewidth=1, linestyle=LINES[i % 8])
        ax.annotate(
            str(name),
            (0.005, value),
            xycoords=("axes fraction", "data"),
            va="bottom",
            fontsize=7,
        )
    ax.set(
        ylabel="mean absolute error (stars)", xticks=sorted(errors["round"].unique())
    )
    bars = ax.twinx()
    _undecided(errors, bars, "rule", order, "bars: still undecided (%)")
    ax.set_zorder(bars.get_zorder() + 1)  # lines in front of bars
    ax.patch.set_visible(False)
    ax.legend(title="rule", **dict(BESIDE, bbox_to_anchor=(1.12, 0.5)))
    return ax


def _printed(
    published: pd.DataFrame, ax: Axes, measure: str, levels: Sequence[str]
) -> None:
    cells = published[published["column"].str.startswith(f"{measure}@")]
    others = [row for row in cells["row"].unique() if row not in levels]
    for row, part in cells.groupby("row", sort=False):
        i = levels.index(row) if row in levels else others.index(row)
        colour = COLOURS[i % 8] if row in levels else "#777777"
        label = (
            "paper (hollow marks)"
            if row == levels[0]
            else f"paper: {row}"
            if row in others
            else None
        )
        aside = (
            0.07 * (i - (len(levels) - 1) / 2) if row in levels else 0.0
        )  # marks of equal height stay apart
        rounds = part["column"].str.removeprefix(f"{measure}@").astype(int) + aside
        ax.plot(
            rounds,
            part["value"],
            MARKS[i % 8],
            color=colour,
            fillstyle="none",
            markersize=9,
            label=label,
        )


def _undecided(
    cases: pd.DataFrame, ax: Axes, by: str, levels: Sequence[str], label: str
) -> None:
    share, width = undecided_share(cases, [by]), 0.8 / len(levels)
    for i, name in enumerate(levels):
        part = share[share[by] == name]
        place = part["round"] - 0.4 + width * (i + 0.5)
        ax.bar(
            place,
            part["undecided"],
            width,
            color=COLOURS[i % 8],
            alpha=0.35,
            linewidth=0,
        )
    ax.set(xlabel="round", ylim=(0, 108), ylabel=label)


def plot_frontier(frontier: pd.DataFrame, ax: Axes, unit: str) -> Axes:
    """Performance lost (in `unit`) over the words saved, one mark with both intervals for each stopping rule.

    `frontier` as `stopping.frontier` gives it. Down and to the right is better; marks on the line joined by steps are
    the frontier: no other mark saves as much and loses less. The Oracle, which no rule can be, is hollow and no part of
    it.
    """
    saved, lost = (
        frontier[frontier["measure"] == m].set_index("stopping")
        for m in ("words saved", "loss")
    )
    for i, name in enumerate(lost.index):
        x, y = saved.loc[[name]], lost.loc[[name]]
        ax.errorbar(x["mean"], y["mean"], margins(y, "mean"), margins(x, "mean"), fmt=MARKS[i % 8], capsize=2,
                    color=COLOURS[i % 8], label=name, fillstyle="none" if name == "Oracle" else "full")  # fmt: skip
    much, cost = (
        part["mean"].drop("Oracle", errors="ignore") for part in (saved, lost)
    )
    beaten = [
        ((much >= m) & (cost <= c) & ((much > m) | (cost < c))).any()
        for m, c in zip(much, cost, strict=True)
    ]
    order = much[~np.array(beaten, dtype=bool)].sort_values().index
    ax.plot(
        much[order],
        cost[order],
        drawstyle="steps-pre",
        color="#555555",
        linestyle=":",
        linewidth=1.2,
        zorder=0,
    )
    ax.axhline(0, color="#555555", linewidth=0.8)
    ax.set(xlabel="words saved (%)", ylabel=f"performance lost ({unit})")
    ax.legend(**BESIDE)
    return ax


def plot_allocation(
    allocation: Sequence[Sequence[float]],
    agents: Sequence[str],
    goods: Sequence[str],
    ax: Axes,
) -> Axes:
    """Who gets how much of each good: one stacked bar per good, one shade and hatch per agent."""
    base = np.zeros(len(goods))
    for i, (agent, row) in enumerate(
        zip(agents, np.asarray(allocation, dtype=float), strict=True)
    ):
        look: dict[str, Any] = {
            "color": COLOURS[i % 8],
            "hatch": HATCHES[i % 8],
            "edgecolor": "white",
        }
        ax.bar(goods, row, bottom=base, label=agent, **look)
        base += row
    ax.set(xlabel="good", ylabel="amount (units)")
    ax.legend(
        fontsize=8,
        frameon=False,
        ncols=len(agents),
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
    )
    return ax


def draw_discussion(
    curve: Sequence[float] | np.ndarray,
    allocation: Sequence[Sequence[float]] | None,
    agents: Sequence[str],
    goods: Sequence[str],
    rounds: int,
    crowd: np.ndarray | None = None,
    told: str = "",
) -> Figure:
    """One discussion: its total utility (percent) after each round played, and the standing allocation.

    `allocation` is None before the first decision, and for one that is no table but is `told` in words. `crowd`, of
    shape (discussions, rounds), are curves of rule-based discussions with the same settings: drawn as their mean and
    middle 80 %.
    """
    from matplotlib.figure import Figure

    fig = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=(3, 2))
    numbers = np.arange(1, rounds + 1)
    if crowd is not None and len(crowd):
        low, high = np.quantile(crowd, (0.1, 0.9), axis=0)
        mean, of = crowd.mean(axis=0), f"rule-based, mean of {len(crowd)}"
        left.fill_between(
            numbers,
            low,
            high,
            color="#BBBBBB",
            alpha=0.5,
            linewidth=0,
            label="rule-based, middle 80 %",
        )
        left.plot(numbers, mean, color="#777777", linestyle="--", label=of)
    if len(curve):
        left.plot(
            numbers[: len(curve)],
            curve,
            color=COLOURS[0],
            marker="o",
            label="this discussion",
        )
    left.axhline(100, color="#B00000", linewidth=1, label="largest possible")
    left.set(
        xlabel="round",
        ylabel="total utility (% of maximum)",
        ylim=(0, 108),
        xlim=(0.8, rounds + 0.2),
    )
    left.set_xticks(numbers)
    left.legend(fontsize=8, loc="lower right")
    if allocation is not None:
        plot_allocation(allocation, agents, goods, right)
        right.set_xlabel(f"good (standing after round {len(curve)})")
    else:
        words = fill(told, 32) or "nothing decided yet"
        right.text(0.5, 0.5, words, ha="center", va="center", color="#555555")
        right.set_axis_off()
    return fig
