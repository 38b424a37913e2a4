"""Figures of the conversation: the heatmaps of Table 8, and its features over the rounds for agents and people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from support.analysis.conversation import FEATURES
from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.figures import COLOURS, MARKERS, STYLES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

DECIMALS = {"words": 0, "grade": 1, "difference": 2}
"""As Table 8 prints them."""


def plot_heatmap(
    tidy: pd.DataFrame, ax: Axes, feature: str = "words", *, order: Sequence[str] | None = None, colourbar: bool = True
) -> Axes:
    """Rows by rounds, a number in each cell (Table 8).

    The paper colours from red to green, which some readers cannot tell apart; here dark is low and bright is high
    (cividis), which also survives greyscale. Cells without a value stay white.

    Parameters
    ----------
    tidy : frame
        As `by_round` gives it, of one environment: feature, row, round, value.
    feature : {"words", "grade", "difference"}
    order : sequence, optional
        Which rows to draw, in which order.
    colourbar : bool
        Draw the scale beside the cells.

    Raises
    ------
    InvalidInput
        No cell of this feature (a transcript with one round has no difference), or a cell that is there twice.
    """
    from seaborn import heatmap

    part = _cells(tidy, feature)
    if part.duplicated(["row", "round"]).any():
        raise InvalidInput("tidy: a row and round are there twice; draw one environment at a time")
    table = part.pivot(index="row", columns="round", values="value")
    rounds = range(1, int(tidy["round"].max()) + 1)
    table = table.reindex(index=list(order) if order is not None else part["row"].unique(), columns=rounds)
    label = FEATURES.get(feature, feature)
    heatmap(table, ax=ax, annot=True, fmt=f".{DECIMALS.get(feature, 2)}f", cmap="cividis", linewidths=1,
            linecolor="white", cbar=colourbar, cbar_kws={"label": label} if colourbar else None,
            annot_kws={"fontsize": 8})  # fmt: skip
    ax.set(xlabel="round", ylabel="", title="" if colourbar else label)
    ax.tick_params(axis="y", rotation=0)
    return ax


def plot_rounds(
    tidy: pd.DataFrame, ax: Axes, feature: str = "words", *, by: str = "row", order: Sequence[str] | None = None
) -> Axes:
    """A feature over the rounds, one line for each value of `by`, with its intervals as bands; agents beside people.

    Parameters
    ----------
    tidy : frame
        As `by_round` gives it: `by`, feature, round, value, low, high.
    by : str
        Which column names a line: "row", or "environment" where every row is one.
    order : sequence, optional
        Which lines to draw, in which order.
    """
    part = _cells(tidy, feature, by)
    if part.duplicated([by, "round"]).any():
        raise InvalidInput(f"tidy: a {by} and round are there twice; draw one environment at a time, or choose by=")
    for i, name in enumerate(order if order is not None else part[by].unique()):
        line = part[part[by] == name].sort_values("round")
        ax.plot(line["round"], line["value"], label=str(name), color=COLOURS[i % 8], linestyle=STYLES[i % 8],
                marker=MARKERS[i % 8], markersize=4)  # fmt: skip
        ax.fill_between(line["round"], line["low"], line["high"], color=COLOURS[i % 8], alpha=0.15, linewidth=0)
    ax.set(xlabel="round", ylabel=FEATURES.get(feature, feature), xticks=_ticks(part["round"]))
    ax.legend(fontsize=8, frameon=False, title=None if by == "row" else by)
    return ax


def _cells(tidy: pd.DataFrame, feature: str, by: str = "row") -> pd.DataFrame:
    need_columns(tidy, ["feature", by, "round", "value"], "tidy")
    part = tidy[(tidy["feature"] == feature) & tidy["value"].notna()]
    if part.empty:
        there = ", ".join(tidy["feature"].unique())
        raise InvalidInput(
            f"feature: {feature!r} has no cell; there are: {there}. A difference needs an encoder and a second round."
        )
    return part


def _ticks(rounds: pd.Series) -> np.ndarray:
    """Every round, or about ten of many."""
    last = int(rounds.max())
    return np.arange(1, last + 1, max(1, last // 10))
