"""Figures of learned stopping: what a rule saves beside what it costs, and when it stops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from support.analysis.frames import need_columns
from support.draw import COLOURS, MARKS
from support.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def plot_frontier(
    frontier: pd.DataFrame, ax: Axes, *, saving: str = "rounds saved", unit: str = "share of the maximum"
) -> Axes:
    """Performance lost over what is saved, one mark with both intervals for each stopping rule.

    Parameters
    ----------
    frontier : frame
        As `support.analysis.stopping.frontier` gives it: stopping, measure, mean, low, high.
    ax : Axes
        Down and to the right is better; marks on the line joined by steps are the frontier: no other mark saves as
        much and loses less. The Oracle, which no rule can be, is hollow and no part of it.
    saving : {"rounds saved", "words saved"}
    unit : str
        Of the performance.
    """
    need_columns(frontier, ["stopping", "measure", "mean", "low", "high"], "the frontier")
    saved, lost = (frontier[frontier["measure"] == m].set_index("stopping") for m in (saving, "loss"))
    if saved.empty or lost.empty:
        there = ", ".join(dict.fromkeys(frontier["measure"]))
        raise InvalidInput(f"saving: {saving!r} given; the frontier measures {there}")
    for i, name in enumerate(lost.index):
        x, y = saved.loc[name], lost.loc[name]
        ax.errorbar(x["mean"], y["mean"], xerr=_bar(x), yerr=_bar(y), fmt=MARKS[i % 8], color=COLOURS[i % 8],
                    label=name, capsize=2, fillstyle="none" if name == "Oracle" else "full")  # fmt: skip
    _steps(saved["mean"].drop("Oracle", errors="ignore"), lost["mean"].drop("Oracle", errors="ignore"), ax)
    ax.axhline(0, color="#555555", linewidth=0.8)
    ax.set(xlabel=f"{saving} (%)", ylabel=f"performance lost ({unit})")
    ax.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.02, 0.5))
    return ax


def _bar(row: pd.Series[float]) -> np.ndarray:
    return np.array([[row["mean"] - row["low"]], [row["high"] - row["mean"]]])


def _steps(saved: pd.Series[float], lost: pd.Series[float], ax: Axes) -> None:
    """Join the rules that no other rule beats on both counts."""
    best = [
        name for name in saved.index
        if not ((saved >= saved[name]) & (lost <= lost[name]) & ((saved > saved[name]) | (lost < lost[name]))).any()
    ]  # fmt: skip
    order = saved[best].sort_values().index
    ax.plot(saved[order], lost[order], drawstyle="steps-pre", color="#555555", linestyle=":", linewidth=1.2, zorder=0)


def plot_stops(tested: pd.DataFrame, ax: Axes, *, order: Sequence[str] | None = None) -> Axes:
    """When each stopping rule stops: the share of discussions that end in each round, darker for more.

    Parameters
    ----------
    tested : frame
        As `support.analysis.stopping.cross_validate` gives it: stopping, stop.
    ax : Axes
        One row for each stopping rule, one column for each round, percent written in each cell.
    order : sequence, optional
        Which rules to draw, from top to bottom.
    """
    need_columns(tested, ["stopping", "stop"], "the tested rules")
    names = list(order) if order is not None else list(dict.fromkeys(tested["stopping"]))
    rounds = np.arange(1, int(tested["stop"].max()) + 1)
    stops = [tested.loc[tested["stopping"] == name, "stop"].to_numpy() for name in names]
    shares = np.array([[100 * np.mean(stop == number) for number in rounds] for stop in stops])
    ax.imshow(shares, cmap="Greys", vmin=0, vmax=100, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        if share >= 0.5:
            ax.text(column, row, f"{share:.0f}", ha="center", va="center", fontsize=8,
                    color="white" if share > 55 else "black")  # fmt: skip
    ax.set(xticks=rounds - 1, xticklabels=rounds, yticks=range(len(names)), yticklabels=names,
           xlabel="last round held (% of discussions in each cell)")  # fmt: skip
    return ax
