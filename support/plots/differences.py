"""Differences between settings, each with its interval: a row for each comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.draw import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_differences(table: pd.DataFrame, ax: Axes, *, by: str = "a", unit: str = "difference") -> Axes:
    """Differences as dots with intervals, the first comparison on top; a hollow dot where nothing ever differed.

    Parameters
    ----------
    table : as `compare_sets` or `paired` gives it: `by`, difference, low, high
    by : the column that names a comparison
    unit : what the axis says
    """
    need_columns(table, [by, "difference", "low", "high"], "the comparisons")
    at = np.arange(len(table))
    gap = table["difference"].to_numpy(dtype=float)
    low, high = (table[side].to_numpy(dtype=float) for side in ("low", "high"))
    none = np.isnan(low)
    error = np.nan_to_num(np.vstack([gap - low, high - gap])).clip(0)
    ax.errorbar(gap, at, xerr=error, fmt="none", ecolor=COLOURS[0], capsize=3)
    ax.plot(gap[~none], at[~none], "o", color=COLOURS[0], markersize=6)
    ax.plot(gap[none], at[none], "o", color=COLOURS[0], markerfacecolor="white", markersize=6)
    ax.axvline(0, color="#777777", linewidth=1)
    ax.set(xlabel=unit, ylim=(len(table) - 0.5, -0.5), yticks=at)
    ax.set_yticklabels([str(name) for name in table[by]])
    return ax
