"""Figures of the conversation: the heatmaps of Table 8, and its features over the rounds for agents and people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from support.analysis.conversation import FEATURES
from support.draw import COLOURS, LINES, MARKS
from support.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

DECIMALS = {"words": 0, "grade": 1, "difference": 2}
"""As Table 8 prints them."""


def plot_heatmap(tidy: pd.DataFrame, ax: Axes, feature: str, order: Sequence[str]) -> Axes:
    """Rows by rounds, a number in each cell (Table 8).

    The paper colours from red to green, which some readers cannot tell apart; here dark is low and bright is high
    (cividis), which also survives greyscale. Cells without a value stay white.

    `tidy` is what `by_round` gives, of one environment; `order` says which rows to draw, in which order.
    """
    from seaborn import heatmap

    part = _cells(tidy, feature)
    table = part.pivot(index="row", columns="round", values="value")
    rounds = range(1, int(tidy["round"].max()) + 1)
    table = table.reindex(index=list(order), columns=rounds)
    heatmap(table, ax=ax, annot=True, fmt=f".{DECIMALS[feature]}f", cmap="cividis", linewidths=1,
            linecolor="white", cbar=False, annot_kws={"fontsize": 8})  # fmt: skip
    ax.set(xlabel="round", ylabel="", title=FEATURES[feature])
    ax.tick_params(axis="y", rotation=0)
    return ax


def plot_rounds(tidy: pd.DataFrame, ax: Axes, feature: str) -> Axes:
    """A feature over the rounds, one line for each row of `by_round`, with its intervals as bands."""
    part = _cells(tidy, feature)
    for i, name in enumerate(part["row"].unique()):
        line = part[part["row"] == name].sort_values("round")
        ax.plot(line["round"], line["value"], label=str(name), color=COLOURS[i % 8], linestyle=LINES[i % 8],
                marker=MARKS[i % 8], markersize=4)  # fmt: skip
        ax.fill_between(line["round"], line["low"], line["high"], color=COLOURS[i % 8], alpha=0.15, linewidth=0)
    ax.set(xlabel="round", ylabel=FEATURES[feature], xticks=_ticks(part["round"]))
    ax.legend(fontsize=8, frameon=False)
    return ax


def _cells(tidy: pd.DataFrame, feature: str) -> pd.DataFrame:
    part = tidy[(tidy["feature"] == feature) & tidy["value"].notna()]
    if part.empty:
        there = ", ".join(tidy["feature"].unique())
        raise InvalidInput(
            f"feature: {feature!r} has no cell; there are: {there}. A difference needs an encoder and a second round."
        )
    if part.duplicated(["row", "round"]).any():
        raise InvalidInput("tidy: a row and round are there twice; draw one environment at a time")
    return part


def _ticks(rounds: pd.Series) -> np.ndarray:
    """Every round, or about ten of many."""
    last = int(rounds.max())
    return np.arange(1, last + 1, max(1, last // 10))
