"""Differences between settings, each with its interval: a row for each comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from support import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_differences(table: pd.DataFrame, ax: Axes, unit: str) -> Axes:
    """Differences of `a` (a, difference, low, high) from a reference; hollow where nothing ever differed."""
    draw.dots(ax, table, "a", "difference", hollow=table["low"].isna())
    ax.axvline(0, color="#777777", linewidth=1)
    ax.set_xlabel(unit)
    return ax
