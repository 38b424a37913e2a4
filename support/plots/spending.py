"""A figure of what calls to models came to: money over the calls of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from support.analysis.frames import need_columns
from support.draw import BESIDE, COLOURS, LINES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

LIMIT = "#B00000"
HEADROOM = 1.06  # above the highest mark


def plot_spent(calls: pd.DataFrame, ax: Axes, *, budget: float | None = None) -> Axes:
    """What was spent over the calls of a run (`support.runs.calls.calls_of`), in all and by model: a step each.

    Calls without a price cost nothing here, and the axis says how many they are; cached ones cost nothing anywhere.
    `budget`, in US dollars, is drawn as a line.
    """
    need_columns(calls, ["model", "usd", "cached", "error"], "calls")
    paid, number = calls["usd"].fillna(0.0), np.arange(1, len(calls) + 1)
    models = list(dict.fromkeys(calls["model"]))
    for i, model in enumerate(models if len(models) > 1 else []):
        part = paid.where(calls["model"] == model, 0.0).cumsum()
        ax.step(
            number,
            part,
            where="post",
            color=COLOURS[i % 6],
            linestyle=LINES[1 + i % 5],
            label=model,
        )
    ax.step(
        number,
        paid.cumsum(),
        where="post",
        color="#000000",
        label="in all" if len(models) > 1 else "spent",
    )
    if budget is not None:
        ax.axhline(
            budget,
            color=LIMIT,
            linewidth=1,
            linestyle="--",
            label=f"budget of ${budget:g}",
        )
    unpriced = int(
        (calls["usd"].isna() & ~calls["cached"] & (calls["error"] == "")).sum()
    )
    said = [f"{int(calls['cached'].sum())} cached"] + (
        [f"{unpriced} without a price"] if unpriced else []
    )
    ax.set(
        xlabel=f"calls, in the order in which their units ended ({', '.join(said)})",
        ylabel="spent (US dollars)",
    )
    ax.set_ylim(0, HEADROOM * max(paid.sum(), budget or 0.0) or 1.0)
    ax.legend(**BESIDE)
    return ax
