"""Figures of what calls to models came to: money over the calls of a run, and tokens, time or money of its units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from support.analysis.frames import need_columns
from support.draw import COLOURS, LINES, MARKS
from support.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

LIMIT = "#B00000"
HEADROOM = 1.06  # above the highest mark
MEASURES = {
    "tokens": "tokens of a unit (prompts and replies)",
    "seconds": "seconds that a unit took",
    "usd": "US dollars that a unit cost",
    "calls": "calls of a unit",
}


def plot_spent(calls: pd.DataFrame, ax: Axes, *, by: str = "model", budget: float | None = None) -> Axes:
    """What was spent over the calls of a run, in all and by model: each call that was sent is a step.

    Calls without a price cost nothing here, and the axis says how many they are; cached ones cost nothing anywhere.

    Parameters
    ----------
    calls : frame
        As `support.runs.calls.calls_of` gives it: `by`, "usd", "cached", "error", in the order of spending.
    by : str
        A column whose values have a line each, where there are several: the model, or a setting.
    budget : float, optional
        US dollars, drawn as a line.

    Raises
    ------
    InvalidInput
        On a column that is missing.
    """
    need_columns(calls, [by, "usd", "cached", "error"], "calls")
    paid, number = calls["usd"].fillna(0.0), np.arange(1, len(calls) + 1)
    groups = list(dict.fromkeys(calls[by]))
    for i, group in enumerate(groups if len(groups) > 1 else []):
        part = paid.where(calls[by] == group, 0.0).cumsum()
        ax.step(number, part, where="post", color=COLOURS[i % 6], linestyle=LINES[1 + i % 5], label=str(group))
    ax.step(number, paid.cumsum(), where="post", color="#000000", label="in all" if len(groups) > 1 else "spent")
    if budget is not None:
        ax.axhline(budget, color=LIMIT, linewidth=1, linestyle="--", label=f"budget of ${budget:g}")
    unpriced = int((calls["usd"].isna() & ~calls["cached"] & (calls["error"] == "")).sum())
    said = [f"{int(calls['cached'].sum())} cached"] + ([f"{unpriced} without a price"] if unpriced else [])
    ax.set(xlabel=f"calls, in the order in which their units ended ({', '.join(said)})", ylabel="spent (US dollars)")
    ax.set_ylim(0, HEADROOM * max(paid.sum(), budget or 0.0) or 1.0)
    ax.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.02, 0.5))
    return ax


def plot_units(
    units: pd.DataFrame, ax: Axes, by: str, measure: str = "tokens", *, order: Sequence[object] | None = None
) -> Axes:
    """What units took, by a setting: each unit a mark, the median of a value a bar.

    Parameters
    ----------
    units : frame
        As `support.runs.calls.units_of` gives it; units that are not done are left out.
    by : str
        The setting.
    measure : {"tokens", "seconds", "usd", "calls"}
        Tokens are those of all calls, cached ones included; money and time are what was really spent.
    order : sequence, optional
        Which values of the setting to draw, in which order.

    Raises
    ------
    InvalidInput
        On another measure, or a column that is missing.
    """
    if measure not in MEASURES:
        raise InvalidInput(f"measure: {measure!r} given; expected one of {', '.join(MEASURES)}")
    need_columns(units, [by, "status", *_columns(measure)], "units")
    done = units[units["status"] == "done"]
    heights = done[_columns(measure)].sum(axis=1, min_count=1)
    levels = list(order) if order is not None else list(dict.fromkeys(units[by]))
    for i, level in enumerate(levels):
        part = heights[done[by] == level].dropna().sort_values()
        aside = np.linspace(-0.25, 0.25, len(part)) if len(part) > 1 else np.zeros(len(part))
        ax.plot(i + aside, part, MARKS[i % 8], color=COLOURS[i % 8], markersize=4, alpha=0.7)
        if len(part):
            ax.hlines(part.median(), i - 0.35, i + 0.35, color="#000000", linewidth=1.5)
    ax.set(xlabel=f"{by} (bar: the median)", ylabel=MEASURES[measure], xlim=(-0.6, len(levels) - 0.4))
    ax.set_xticks(range(len(levels)), [str(level) for level in levels])
    ax.set_ylim(0, HEADROOM * heights.max() if heights.any() else 1.0)
    return ax


def _columns(measure: str) -> list[str]:
    return ["prompt_tokens", "completion_tokens"] if measure == "tokens" else [measure]
