"""Which cells of the printed tables can be, and how their intervals were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from support.analysis.consistency import CHECKS
from support.analysis.frames import need_columns
from support.draw import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HOLDS, FAILS = "#dbe9f6", "#f6b26b"  # light and dark in grey as well


def plot_consistency(checked: pd.DataFrame, ax: Axes) -> Axes:
    """Rows of the printed tables by checks: light where the cell can be, orange with the excess where it cannot.

    Parameters
    ----------
    checked : as `support.analysis.consistency.check_table` gives it
        The excess is in percentage points for ratios, in points of the score, and in Gini coefficients.
    """
    need_columns(checked, ["table", "row", "check", "holds", "by"], "the checks")
    rows = list(dict.fromkeys(zip(checked["table"], checked["row"], strict=True)))
    checks = [check for check in CHECKS if check in set(checked["check"])]
    for cell in checked.to_dict("records"):
        x, y = checks.index(cell["check"]), rows.index((cell["table"], cell["row"]))
        _tile(ax, x, y, bool(cell["holds"]), "✓" if cell["holds"] else f"✗ {cell['by']:.3f}")
    ax.set(xlim=(0, len(checks)), ylim=(len(rows), 0), xticks=np.arange(len(checks)) + 0.5,
           yticks=np.arange(len(rows)) + 0.5)  # fmt: skip
    ax.set_xticklabels([check.replace(" ", "\n", 1) for check in checks])
    ax.set_yticklabels([f"{table.removeprefix('Table 1 ')}: {row}" for table, row in rows], fontsize=8)
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.set_xlabel("✗: not possible, and by how much after rounding in its favour")
    return ax


def _tile(ax: Axes, x: int, y: int, holds: bool, text: str) -> None:
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((x, y), 1, 1, facecolor=HOLDS if holds else FAILS, edgecolor="white"))
    ax.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=8, color="#555555" if holds else "black")


def plot_readings(found: pd.DataFrame, ax: Axes) -> Axes:
    """How many printed intervals each reading can have made, beside the number expected by chance.

    Parameters
    ----------
    found : as `support.analysis.consistency.readings` gives it
    """
    need_columns(found, ["reading", "rows", "fit", "by_chance"], "the readings")
    at = np.arange(len(found))
    ax.barh(at, found["fit"], color=COLOURS[0], height=0.6, label="printed intervals that fit")
    ax.plot(found["by_chance"], at, "D", color=COLOURS[4], label="expected by chance")
    for y, fit, chance in zip(at, found["fit"], found["by_chance"], strict=True):
        ax.annotate(str(fit), (max(fit, chance), y), xytext=(8, 0), textcoords="offset points", va="center", fontsize=8)
    ax.set(yticks=at, xlabel=f"intervals of the satisfaction ratio (of {int(found['rows'].max())})",
           xlim=(0, 1.08 * found["rows"].max()))  # fmt: skip
    ax.set_yticklabels(found["reading"], fontsize=8)
    ax.invert_yaxis()
    ax.legend(fontsize=8, frameon=False, loc="lower right")
    return ax
