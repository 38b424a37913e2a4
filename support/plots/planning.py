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
    "divergence": "divergence (points)",
    "welfare": "welfare (points of all together)",
    "shortfall": "shortfall (points, lower is better)",
    "regret": "behind the optimum (points)",
    "decisions": "decisions n",
    "options": "options m of a decision",
    "rounds": "rounds at most",
    "evaluations": "judgements (a person, a plan)",
}
"""What an axis says, with its unit."""

FIXED = (
    ("mcts", "local", "exact", "random"),
    (
        "score",
        "words",
        "comparison",
        "comparison in words",
        "complete",
    ),
)
"""Coordinators, and kinds of feedback, at their place among colours, lines and marks."""

GREY = "#777777"
RED = "#B00000"
MANY = 9  # places on x, each of which has its number


def styles(names: Sequence[Any]) -> dict[Any, int]:
    """Which colour, line and mark each name has: the same in every figure.

    Names of `FIXED` have their own, others what is left, in their order.

    >>> styles(["local", "mcts", "mine"])
    {'mcts': 0, 'local': 1, 'mine': 2}
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
    col: str | None = None,
) -> None:
    """Mean quality of runs with t intervals, a line for each level of `hue`, in a panel
    for each level of `col`.

    Behind the lines stands what the instances allow, where the frame has that and
    `value` is their objective: a random plan (grey: mean, and the middle 80 percent),
    the mean best of k random plans (dotted), the optimum (black).
    """
    need_columns(frame, [x, hue, value], "runs")
    bounded = "optimum" in frame and (frame["objective"] == value).all()
    columns = [value, "random"] if bounded else [value]
    most: Any = frame.groupby([hue, x])[columns].mean().max(axis=None)
    at = sorted(frame[x].unique())
    for panel, part in draw.facets(ax, frame, col):
        if bounded:
            _references(part, panel, x)
        table = describe(part, value, [hue, x])
        names = [name for name in order or table[hue].unique() if name in {*table[hue]}]
        draw.lines(
            panel,
            table,
            x,
            hue=hue,
            order=names,
            places=styles(names),
        )
        panel.set(xlabel=LABELS.get(x, x), ylabel=LABELS.get(value, value))
        panel.set_ylim(0, 1.3 * most)
        if len(at) <= MANY:
            panel.set_xticks(at)


def _references(frame: pd.DataFrame, ax: Axes, x: str) -> None:
    there = frame.drop_duplicates(["instance", x]).groupby(x).mean(numeric_only=True)
    low, high = there["random_low"], there["random_high"]
    ax.fill_between(there.index, low, high, color=GREY, alpha=0.15, lw=0)
    lines = {
        "random": ("random plan, mean", GREY, "-"),
        "random_best": (f"best of {frame['k'].iloc[0]:g} random plans", GREY, ":"),
        "optimum": ("optimum (exact solver)", "#000000", "-"),
    }
    if x == "rounds":  # k is one number, and rounds are many
        del lines["random_best"]
    for column, (label, colour, line) in lines.items():
        look: dict[str, Any] = {
            "color": colour,
            "linestyle": line,
            "gid": NAMED,
        }
        ax.plot(there.index, there[column], label=label, **look)


def plot_budget(
    rounds: pd.DataFrame,
    ax: Axes,
    order: Sequence[Any] | None = None,
    col: str | None = None,
) -> None:
    """Mean divergence of the standing plan against how often a participant has judged a plan, with t bands, in a
    panel for each level of `col`.

    `rounds` as `rounds_of` gives it; runs that stop early keep what they have.
    """
    by = "coordinator"
    value = "standing_divergence"
    most: Any = rounds.groupby([by, "evaluations"])[value].mean().max()
    for panel, part in draw.facets(ax, rounds, col):
        table = describe(budget(part, by, value), value, [by, "evaluations"])
        names = [name for name in order or table[by].unique() if name in {*table[by]}]
        draw.lines(
            panel,
            table,
            "evaluations",
            hue=by,
            order=names,
            places=styles(names),
        )
        panel.set(xlabel=LABELS["evaluations"], ylabel=LABELS["divergence"])
        panel.set_ylim(0, 1.3 * most)


def plot_trajectory(table: pd.DataFrame, ax: Axes, col: str | None = None) -> None:
    """Every participant's total round by round, and above each plan its divergence, in a
    panel for each level of `col`.

    The smallest divergence is bold and red, the plan that the group ended with has a
    frame. `table` has round, participant and total, and perhaps position (of two plans
    of a round) and chosen.
    """
    need_columns(table, ["round", "participant", "total"], "trajectory")
    for panel, part in draw.facets(ax, table, col):
        _path(part.dropna(axis=1), panel)
        panel.set(xlabel="round", ylabel="total (points)")
        panel.margins(0.12, 0.2)
        panel.set_xticks(sorted(table["round"].unique()))


def _path(part: pd.DataFrame, ax: Axes) -> None:
    shown = part.assign(at=part["round"] + 0.3 * part.get("position", 0))
    wide = shown.pivot(
        index="at",
        columns="participant",
        values="total",
    )
    wide = wide[shown["participant"].unique()]
    top = wide.max(axis=1)
    bottom = wide.min(axis=1)
    gaps = top - bottom
    ax.vlines(
        wide.index,
        bottom,
        top,
        color=GREY,
        linewidth=6,
        alpha=0.3,
    )
    for i, name in enumerate(wide):
        ax.plot(
            wide.index,
            wide[name],
            label=str(name),
            gid=NAMED,
            **style(i),
        )
    chosen = shown.loc[shown.get("chosen", shown["at"] < 0).astype(bool), "at"].max()
    for at, gap, high in zip(wide.index, gaps, top, strict=True):
        look: dict[str, Any] = {"textcoords": "offset points", "ha": "center"}
        if gap == gaps.min():
            look |= {"color": RED, "fontweight": "bold"}
        if at == chosen:
            look["bbox"] = {"boxstyle": "round", "fill": False}
        ax.annotate(f"{gap:.0f}", (at, high), (0, 9), fontsize=9, **look)
