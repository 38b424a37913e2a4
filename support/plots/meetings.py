"""One coordination (Papachristou, Yang and Hsu): who scores what, and how it went."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pandas as pd

from support import draw
from support.analysis.meetings import measures
from support.meetings.scores import HIGHEST

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from support.meetings.records import Option, Round

MEASURES = {
    "ratio": ("satisfied", 100),
    "true_ratio": ("satisfied in truth", 100),
    "score": ("mean score, of 3", HIGHEST),
    "gini": ("inequality (Gini)", 1),
}
"""Measure, its name, and what is 1 on the axis of a figure."""


def draw_coordination(rounds: pd.DataFrame, newest: Round | None, count: int) -> Figure:
    """One run: the newest round's scores, and of its `rounds_of` so far the course.

    `count` is how many rounds it will have.
    """
    from matplotlib.figure import Figure

    fig = Figure(figsize=(12, 3.4), layout="constrained")
    left, middle, right = fig.subplots(1, 3, width_ratios=(6, 4, 3))
    if newest is None or not newest.scores:
        left.text(0.5, 0.5, "no scores yet", ha="center", va="center")
        left.set_axis_off()
    else:
        plot_scores(newest, left)
    for ax, title in ((middle, "the candidate"), (right, "interactions")):
        ax.set(xlabel="round", xlim=(0.5, count + 0.5), xticks=range(1, count + 1))
        ax.set_title(title, fontsize=10)
    middle.set(ylim=(-0.04, 1.08), ylabel="share of what is possible")
    right.set_ylabel("turns of a member (mean)")
    if len(rounds):
        plot_course(rounds, middle)
        turns = rounds["interactions"].fillna(0)
        right.bar(rounds["round"], turns, color=draw.COLOURS[5])
    return fig


def plot_course(rounds: pd.DataFrame, ax: Axes) -> None:
    """What the candidate is worth round by round, and what chance and the best would be."""
    for i, (measure, (name, most)) in enumerate(MEASURES.items()):
        look = draw.style(i) | {"gid": draw.NAMED}
        ax.plot(rounds["round"], rounds[measure] / most, label=name, **look)
    plot_levels(rounds[["chance", "optimum"]] / 100, ax)


def plot_levels(meetings: pd.DataFrame, ax: Axes) -> None:
    """Where chance and the optimum of some meetings lie, the means of two columns."""
    for name in ("chance", "optimum"):
        draw.baseline(ax, name, meetings[name].mean())


def plot_scores(entry: Round, ax: Axes) -> Axes:
    """A round's options by members as tiles of scores, the candidate framed.

    Beside each option stand its ratio, score and Gini coefficient.
    """
    values = pd.DataFrame(entry.scores).T.astype(float)
    place = list(values.index)
    frames = []
    if entry.candidate in place:
        row = place.index(entry.candidate)
        frames = [(row, column) for column in range(values.shape[1])]
    draw.tiles(ax, values, fmt=".0f", frames=frames, vmin=0, vmax=HIGHEST + 0.5)
    named = {option.id: _named(option) for option in entry.options}
    ax.set_yticklabels([named[id] for id in place])
    ax.set_xticklabels([str(name).replace(" ", "\n") for name in values], rotation=0)
    beside = values.shape[1] + 0.08
    ax.annotate("ratio  score  Gini", (beside, -0.1), annotation_clip=False)
    for row, scores in enumerate(entry.scores.values()):
        told = "{ratio:.0f} %  {score:.2f}  {gini:.2f}".format(**measures(scores))
        ax.annotate(told, (beside, row + 0.5), va="center", annotation_clip=False)
    ax.tick_params(labelsize=8)
    ax.set_title(f"scores of round {entry.number}, the candidate framed", fontsize=10)
    return ax


def _named(option: Option) -> str:
    """An option as a label; a slot that is no moment is a place."""
    try:
        start = datetime.fromisoformat(option.slot)
    except ValueError:
        return f"{option.id}, {option.slot}"
    return f"{option.id}, {start:%a} {start.day} {start:%b %H:%M}"
