"""Dialogue acts by round (RoundTable, Table 9), and how far an annotator's labels can be trusted."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import LABELS
from support.draw import BESIDE, COLOURS, MARKS
from support.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_shares(shares: pd.DataFrame, ax: Axes) -> Axes:
    """A heatmap of the share of messages that perform each act in each round, from white (0) to dark (1).

    `shares` is one environment and one rule of `support.analysis.conversation.act_shares`; what is known of the
    annotator stands below.
    """
    if shares.duplicated(["row", "round"]).any():
        raise InvalidInput(
            "shares: an act has two values in one round; choose one environment and one rule"
        )
    table = shares.pivot(index="row", columns="round", values="value").reindex(
        list(LABELS)
    )
    ax.imshow(table, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for i, act in enumerate(LABELS):
        for x, value in enumerate(table.loc[act]):
            shown, colour = (
                "–" if np.isnan(value) else f"{value:.2f}",
                "white" if value > 0.6 else "black",
            )
            ax.text(x, i, shown, ha="center", va="center", fontsize=7, color=colour)
    ax.set_xticks(range(len(table.columns)), [str(r) for r in table.columns])
    ax.set_yticks(range(len(LABELS)), list(LABELS))
    ax.set(xlabel="round", ylabel="dialogue act (share of messages, 0 to 1)")
    return warn(ax, shares.attrs.get("trust", ""), 36)


def plot_agreement(scores: pd.DataFrame, ax: Axes) -> Axes:
    """Cohen's kappa of each act with intervals, one mark for each annotator; hollow where it cannot give the act.

    `scores` is one test of `support.analysis.agreement.scores`; 0 is chance.
    """
    part = scores[scores["measure"] == "kappa"]
    acts, names = (
        list(dict.fromkeys(part["act"])),
        list(dict.fromkeys(part["annotator"])),
    )
    for i, name in enumerate(names):
        rows = part[part["annotator"] == name].set_index("act").reindex(acts)
        y = np.arange(len(acts)) + 0.6 * ((i + 0.5) / len(names) - 0.5)
        value, low, high = rows[["value", "low", "high"]].to_numpy(dtype=float).T
        blind = rows["covered"].eq(False).fillna(False).to_numpy(dtype=bool)
        ax.hlines(y, low, high, color=COLOURS[i % 8], linewidth=1)
        ax.plot(
            value[~blind],
            y[~blind],
            MARKS[i % 8],
            color=COLOURS[i % 8],
            markersize=5,
            label=name,
        )
        ax.plot(
            value[blind],
            y[blind],
            MARKS[i % 8],
            color=COLOURS[i % 8],
            markersize=5,
            fillstyle="none",
        )
    ax.axvline(0, color="#777777", linewidth=0.8)
    ax.set_yticks(range(len(acts)), acts)
    ax.set(
        xlabel="Cohen's kappa (95 % over groups)",
        ylabel="dialogue act",
        ylim=(len(acts) - 0.5, -0.5),
    )
    ax.legend(**BESIDE)
    return ax


def warn(ax: Axes, line: str, below: int) -> Axes:
    """Write what is known of an annotator so many points below an Axes, in lines that fit; nothing for none."""
    if line:
        ax.annotate(fill(line, 90), (0.5, 0), (0, -below), xycoords="axes fraction", textcoords="offset points",
                    fontsize=8, color="#8a3b00", va="top", ha="center")  # fmt: skip
    return ax
