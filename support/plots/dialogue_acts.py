"""Dialogue acts by round (RoundTable, Table 9), and how far an annotator's labels can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts.acts import LABELS
from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.figures import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {"kappa": "Cohen's kappa", "alpha": "Krippendorff's alpha", "f1": "F1", "precision": "precision",
         "recall": "recall"}  # fmt: skip


def plot_shares(shares: pd.DataFrame, ax: Axes, *, blind: Sequence[str] = (), warning: str = "") -> Axes:
    """A heatmap of the share of messages that perform each act in each round, from white (0) to dark (1).

    Parameters
    ----------
    shares : frame
        One environment and one rule of `support.analysis.dialogue_acts.shares.act_shares`.
    ax : Axes
        Acts down, rounds across, the share in each cell.
    blind : sequence of str
        Acts that the annotator cannot give: hatched, since 0 would be a claim.
    warning : str
        From `support.analysis.dialogue_acts.trust.warning`; stands below the axes.

    Raises
    ------
    InvalidInput
        When a cell is there twice: choose one environment and one rule.
    """
    need_columns(shares, ["row", "round", "value"], "shares")
    if shares.duplicated(["row", "round"]).any():
        raise InvalidInput("shares: an act has two values in one round; choose one environment and one rule")
    table = shares.pivot(index="row", columns="round", values="value").reindex(list(LABELS))
    ax.imshow(table, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for i, act in enumerate(table.index):
        if act in blind:
            ax.axhspan(i - 0.5, i + 0.5, facecolor="#eeeeee", edgecolor="#999999", hatch="//", linewidth=0)
        else:
            _numbers(table.loc[act].to_numpy(), i, ax)
    ax.set_xticks(range(len(table.columns)), [str(r) for r in table.columns])
    ax.set_yticks(range(len(LABELS)), list(LABELS))
    ax.set(xlabel="round", ylabel="dialogue act (share of messages, 0 to 1)")
    return warn(ax, warning)


def _numbers(values: np.ndarray, i: int, ax: Axes) -> None:
    for x, value in enumerate(values):
        shown = "–" if np.isnan(value) else f"{value:.2f}"
        ax.text(x, i, shown, ha="center", va="center", fontsize=7, color="white" if value > 0.6 else "black")


def plot_agreement(
    scores: pd.DataFrame, ax: Axes, *, measure: str = "kappa", by: str = "annotator", warning: str = ""
) -> Axes:
    """Agreement of each act with intervals, one mark for each annotator; hollow where it cannot give the act.

    Parameters
    ----------
    scores : frame
        One test of `support.analysis.dialogue_acts.testing.scores`.
    ax : Axes
        Acts down, the measure across; 0 is chance for kappa and alpha.
    measure : {"kappa", "alpha", "f1", "precision", "recall"}
    by : str
        The column that tells the marks apart.
    """
    need_columns(scores, [by, "act", "measure", "value", "low", "high", "covered"], "scores")
    if measure not in NAMES:
        raise InvalidInput(f"measure: {measure!r} given; expected one of {', '.join(NAMES)}")
    part = scores[scores["measure"] == measure]
    acts, levels = list(dict.fromkeys(part["act"])), list(dict.fromkeys(part[by]))
    for i, name in enumerate(levels):
        rows = part[part[by] == name].drop_duplicates("act").set_index("act").reindex(acts)
        _marks(rows, np.arange(len(acts)) + 0.6 * ((i + 0.5) / len(levels) - 0.5), ax, str(name), i)
    ax.axvline(0, color="#777777", linewidth=0.8)
    ax.set_yticks(range(len(acts)), acts)
    ax.set(xlabel=f"{NAMES[measure]} (95 % over groups)" if _is_usual(part) else NAMES[measure], ylabel="dialogue act")
    ax.set_ylim(len(acts) - 0.5, -0.5)
    ax.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.02, 0.5))
    return warn(ax, warning)


def _is_usual(part: pd.DataFrame) -> bool:
    return "level" in part and bool((part["level"] == 0.95).all())


def _marks(rows: pd.DataFrame, y: np.ndarray, ax: Axes, name: str, i: int) -> None:
    colour = COLOURS[i % 8]
    ax.hlines(y, rows["low"].to_numpy(dtype=float), rows["high"].to_numpy(dtype=float), color=colour, linewidth=1)
    blind = rows["covered"].eq(False).fillna(False).to_numpy(dtype=bool)
    values = rows["value"].to_numpy(dtype=float)
    ax.plot(values[~blind], y[~blind], MARKERS[i % 8], color=colour, markersize=5, label=name)
    ax.plot(values[blind], y[blind], MARKERS[i % 8], color=colour, markersize=5, fillstyle="none")


def warn(ax: Axes, warning: str) -> Axes:
    """Write an annotator's warning below an Axes, in lines that fit; nothing when there is none."""
    import textwrap

    if warning:
        lines = "\n".join(textwrap.wrap(warning, 90))
        ax.annotate(lines, (0, 0), (0, -36), xycoords="axes fraction", textcoords="offset points", fontsize=7,
                    color="#8a3b00", va="top", ha="left")  # fmt: skip
    return ax
