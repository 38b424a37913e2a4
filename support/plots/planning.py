"""Figures of fair decisions (003): quality, budgets, and one search round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from support import draw
from support.analysis.fairness import budget
from support.analysis.frames import need_columns
from support.analysis.stats import describe
from support.draw import COLOURS, NAMED, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS: Mapping[str, str] = {
    "divergence": "divergence (points, lower is fairer)",
    "standing_divergence": "divergence of the plan known as best\n(points)",
    "best_divergence": "divergence of the best plan so far\n(points)",
    "welfare": "welfare (points of all together)",
    "shortfall": "shortfall (points, lower is better)",
    "regret": "behind the optimum (points)",
    "decisions": "decisions n",
    "options": "options m of a decision",
    "rounds": "rounds at most",
    "evaluations": "evaluations by participants",
}
"""What an axis says, with its unit."""

FIXED = (
    ("random", "mcts", "local", "exact"),
    (
        "score",
        "words",
        "comparison",
        "comparison in words",
        "complete",
    ),
)
"""Coordinators, and kinds of feedback, at their place among colours, lines and marks."""

GREY, RED = "#777777", "#B00000"
MANY = 9  # places on x above which not each has its number


def styles(names: Sequence[Any]) -> dict[Any, int]:
    """Which colour, line and mark each name has: the same in every figure.

    Names of `FIXED` have their own, others what is left, in their order.

    >>> styles(["local", "mcts", "mine"])
    {'mcts': 1, 'local': 2, 'mine': 0}
    """
    places: dict[Any, int] = {}
    for group in FIXED:
        places |= {name: i for i, name in enumerate(group) if name in names}
    left = [i for i in range(len(COLOURS)) if i not in places.values()]
    others = [name for name in names if name not in places]
    for i, name in enumerate(others):
        places[name] = left[i % len(left)]
    return places


def plot_quality(
    frame: pd.DataFrame,
    ax: Axes,
    x: str = "decisions",
    hue: str = "coordinator",
    value: str = "divergence",
    order: Sequence[Any] | None = None,
) -> Axes:
    """Mean quality of runs with t intervals, a line for each level of `hue`.

    Behind the lines stands what the instances allow, where the frame has that and
    `value` is their objective: a random plan (grey: mean, and the middle 80 percent),
    the mean best of k random plans (dotted), the optimum (black).
    """
    need_columns(frame, [x, hue, value], "runs")
    if "optimum" in frame and (frame["objective"] == value).all():
        _references(frame, ax, x)
    table = describe(frame, value, [hue, x])
    levels = [name for name in order or table[hue].unique() if name in {*table[hue]}]
    at = sorted(table[x].unique())
    draw.lines(ax, table, x, hue=hue, order=levels, places=styles(levels))
    ax.set(xlabel=LABELS.get(x, x), ylabel=LABELS.get(value, value))
    ax.set_xticks(at if len(at) <= 2 * MANY else at[::3])
    return ax


def _references(frame: pd.DataFrame, ax: Axes, x: str) -> None:
    there = frame.drop_duplicates(["instance", x]).groupby(x).mean(numeric_only=True)
    low, high = there["random_low"], there["random_high"]
    name = "random plans, middle 80 %"
    ax.fill_between(there.index, low, high, color=GREY, alpha=0.15, lw=0, label=name)
    lines = {
        "random": ("random plan, mean", GREY, "-"),
        "random_best": (f"best of {frame['k'].iloc[0]:g} random plans", GREY, ":"),
        "optimum": ("optimum (exact solver)", "#000000", "-"),
    }
    if x == "rounds":  # k is one number, and rounds are many
        del lines["random_best"]
    for column, (label, colour, line) in lines.items():
        look: dict[str, Any] = {"color": colour, "linestyle": line, "gid": NAMED}
        ax.plot(there.index, there[column], label=label, **look)


def plot_budget(
    rounds: pd.DataFrame,
    ax: Axes,
    by: str = "coordinator",
    value: str = "standing_divergence",
    order: Sequence[Any] | None = None,
) -> Axes:
    """Mean quality against how often a participant has judged a plan, with t bands.

    `rounds` as `rounds_of` gives it; runs that stop early keep what they have.
    """
    followed = budget(rounds, by, value)
    names = [name for name in order or followed[by].unique() if name in {*followed[by]}]
    runs = followed.groupby(by)["run"].nunique()
    labels = {name: f"{name} ({runs[name]} runs)" for name in names}
    table = describe(followed[followed[by].isin(names)], value, [by, "evaluations"])
    places = {labels[name]: place for name, place in styles(names).items()}
    look: dict[str, Any] = {"order": [*labels.values()], "places": places}
    draw.lines(ax, table.replace({by: labels}), "evaluations", hue=by, **look)
    ax.set(xlabel=LABELS["evaluations"], ylabel=LABELS.get(value, value))
    return ax


def plot_trajectory(
    table: pd.DataFrame, ax: Axes, optimum: float | None = None
) -> Axes:
    """Every participant's total round by round, and above each plan its divergence.

    The smallest divergence is bold and red, the plan that the group ended with has a
    frame. `table` is as `support.analysis.fairness.trajectory` gives it; a published
    table of totals will do.
    """
    need_columns(table, ["round", "participant", "total"], "trajectory")
    shown = table.assign(at=table["round"] + 0.3 * table.get("position", 0))
    wide = shown.pivot(index="at", columns="participant", values="total")
    wide = wide[shown["participant"].unique()]
    top, bottom = wide.max(axis=1), wide.min(axis=1)
    gaps = top - bottom
    ax.vlines(wide.index, bottom, top, color=GREY, linewidth=6, alpha=0.3)
    for i, name in enumerate(wide):
        ax.plot(wide.index, wide[name], label=str(name), gid=NAMED, **style(i))
    chosen = shown.loc[shown.get("chosen", shown["at"] < 0), "at"].max()
    for at, gap, high in zip(wide.index, gaps, top, strict=True):
        look: dict[str, Any] = {"textcoords": "offset points", "ha": "center"}
        if gap == gaps.min():
            look |= {"color": RED, "fontweight": "bold"}
        if at == chosen:
            look["bbox"] = {"boxstyle": "round", "fill": False}
        ax.annotate(f"{gap:.0f}", (at, high), (0, 9), fontsize=9, **look)
    told = "number: divergence, red: the smallest"
    told += "" if pd.isna(chosen) else "\nframed: chosen"
    told += "" if optimum is None else f"; optimum: {optimum:.0f}"
    ax.annotate(told, (0.01, 0.01), xycoords="axes fraction", fontsize=9)
    room = max(top.max() - bottom.min(), 1.0)
    ax.set(xlabel="round", ylabel="total of a participant (points)")
    ax.set_ylim(bottom.min() - 0.25 * room, top.max() + 0.2 * room)
    ax.set_xticks(sorted(table["round"].unique()))
    return ax
