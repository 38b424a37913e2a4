"""One coordination while it runs: the newest scores, the candidate's measures by round, and how much was talked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.draw import COLOURS, LINES, MARKS
from support.meetings.satisfaction import HIGHEST
from support.plots.coordination import plot_scores

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from support.meetings.records import CoordinationRound

MEASURES = {
    "satisfaction_ratio": ("satisfied members", 100.0),
    "satisfaction_score": ("mean score, of 3", float(HIGHEST)),
    "equity": ("inequality (Gini)", 1.0),
}
"""Metric, its label, and what is 1 on the shared axis."""


def draw_coordination(frame: pd.DataFrame, newest: CoordinationRound | None, rounds: int) -> Figure:
    """The live figure of one run.

    Parameters
    ----------
    frame : frame
        A row for each round played: "round" and the metrics of `support.analysis.meetings.rounds_of`.
    newest : CoordinationRound, optional
        The round whose scores are shown; None before the first.
    rounds : int
        How many rounds the run has, played or not.
    """
    from matplotlib.figure import Figure

    fig = Figure(figsize=(12, 3.4), layout="constrained")
    left, middle, right = fig.subplots(1, 3, width_ratios=(6, 4, 3))
    if newest is None or not newest.scores:
        note = "no option yet" if newest is None or not newest.options else "the options have no scores"
        left.text(0.5, 0.5, note, ha="center", va="center", color="#555555")
        left.set_axis_off()
    else:
        plot_scores(newest, left, rounds=frame if "chance_ratio" in frame else None).tick_params(
            axis="both", labelsize=8
        )
        left.tick_params(axis="x", rotation=25)  # five long names have no room side by side
    plot_measures(frame, middle, rounds)
    plot_turns(frame, right, rounds)
    return fig


def plot_measures(frame: pd.DataFrame, ax: Axes, rounds: int) -> Axes:
    """The candidate's satisfaction ratio, satisfaction score and inequality by round, all on an axis from 0 to 1."""
    for i, (metric, (name, one)) in enumerate(MEASURES.items()):
        if len(frame):
            ax.plot(frame["round"], frame[metric] / one, color=COLOURS[i], linestyle=LINES[i], marker=MARKS[i],
                    label=name)  # fmt: skip
    ax.set(title="the candidate", xlabel="round", ylabel="share (1 = all, or 3 points)", ylim=(-0.04, 1.08))
    ax.set(xlim=(0.7, rounds + 0.3), xticks=range(1, rounds + 1))
    ax.title.set_fontsize(10)
    if len(frame):
        ax.legend(fontsize=7, frameon=False, loc="best")
    return ax


def plot_turns(frame: pd.DataFrame, ax: Axes, rounds: int) -> Axes:
    """The members' mean number of turns by round."""
    from matplotlib.ticker import MaxNLocator

    if len(frame):
        ax.bar(frame["round"], frame["interactions"].fillna(0), color=COLOURS[5], edgecolor="#333333", width=0.6)
    ax.set(title="interactions", xlabel="round", ylabel="turns per member (mean)")
    ax.set(xlim=(0.4, rounds + 0.6), xticks=range(1, rounds + 1))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.title.set_fontsize(10)
    return ax
