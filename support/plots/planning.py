"""Figures of fair decisions (003): quality, searches and how they fail, people's deals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support import draw
from support.analysis.fairness import MEASURED, budget
from support.analysis.frames import need_columns
from support.analysis.stats import describe
from support.draw import BESIDE, COLOURS, HATCHES, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABELS: Mapping[str, str] = {
    "divergence": "divergence (points, lower is fairer)",
    "standing_divergence": "divergence of the plan known as best\n(points, lower is fairer)",
    "best_divergence": "divergence of the best plan so far\n(points, lower is fairer)",
    "welfare": "welfare (points of all together)",
    "regret": "behind the optimum (points)",
    "decisions": "decisions n",
    "options": "options m of a decision",
    "rounds": "rounds at most",
    "evaluations": "evaluations by participants",
    "worse": "worse than the plan before",
    "away": "worse than its best plan",
    "returned": "back to near a worse plan",
    "few": "less than half changed",
    "many": "more than half changed",
    "weakest": "only who had least got more",
}
"""What an axis says, with its unit."""

FIXED: Mapping[Any, int] = {
    **{
        name: i
        for i, name in enumerate(
            ("random", "mcts", "local", "exact", "thompson", "model", "human")
        )
    },
    **{name: i for i, name in enumerate(("score", "words", "comparison", "complete"))},
}
"""The place of a coordinator, or of a feedback, among colours, lines and marks: the same in every figure."""

GREY, RED = "#777777", "#B00000"
MANY = 9  # places on x above which intervals are bands


def styles(names: Sequence[Any]) -> dict[Any, int]:
    """Which colour, line and mark each name has: those of `FIXED` their own, the others what is left, in their order.

    >>> styles(["local", "mcts", "mine"])
    {'local': 2, 'mcts': 1, 'mine': 0}
    """
    left = [
        i for i in range(len(COLOURS)) if i not in {FIXED.get(name) for name in names}
    ]
    others = {
        name: left[i % len(left)]
        for i, name in enumerate(name for name in names if name not in FIXED)
    }
    return {name: FIXED.get(name, others.get(name, 0)) for name in names}


def plot_quality(
    frame: pd.DataFrame,
    ax: Axes,
    x: str = "decisions",
    hue: str = "coordinator",
    value: str = "divergence",
    order: Sequence[Any] | None = None,
) -> Axes:
    """Mean quality of runs with t intervals, a line for each level of `hue` (Figures 2 to 7 and 10).

    Where the frame has references, behind the lines stand what a random plan has (grey: mean, and the middle 80
    percent of single plans), the mean best of k random plans (dotted) and the optimum (black).
    """
    need_columns(frame, [x, hue, value], "runs")
    if {"instance", "optimum", "random"} <= set(frame) and value in MEASURED:
        _references(frame, ax, x)
    table = describe(frame, value, [hue, x])
    levels, places = _levels(table, hue, order), sorted(table[x].unique())
    draw.lines(
        ax,
        table,
        x,
        hue=hue,
        order=levels,
        band=len(places) > MANY,
        places=styles(levels),
    )
    ax.set(xlabel=LABELS.get(x, x), ylabel=LABELS.get(value, value))
    ax.set_xticks(places if len(places) <= 2 * MANY else places[::3])
    return ax


def _levels(table: pd.DataFrame, by: str, order: Sequence[Any] | None) -> list[Any]:
    there = list(dict.fromkeys(table[by]))
    return there if order is None else [name for name in order if name in there]


def _references(frame: pd.DataFrame, ax: Axes, x: str) -> None:
    there = frame.drop_duplicates(["instance", x]).groupby(x).mean(numeric_only=True)
    ax.fill_between(there.index, there["random_low"], there["random_high"], color=GREY, alpha=0.15, linewidth=0,
                    label="random plans, middle 80 %")  # fmt: skip
    ax.plot(
        there.index,
        there["random"],
        color=GREY,
        linewidth=1.5,
        label="random plan, mean",
    )
    if x != "rounds":  # k is one number, and rounds are many
        ax.plot(there.index, there["random_best"], color=GREY, linestyle=":", linewidth=1.5,
                label=f"best of {frame['k'].iloc[0]:g} random plans")  # fmt: skip
    ax.plot(
        there.index,
        there["optimum"],
        color="#000000",
        linewidth=1.5,
        label="optimum (exact solver)",
    )


def plot_budget(
    rounds: pd.DataFrame,
    ax: Axes,
    by: str = "coordinator",
    value: str = "standing_divergence",
    order: Sequence[Any] | None = None,
) -> Axes:
    """Mean quality against how often a participant has judged a plan, with t bands: any two coordinators compare.

    `rounds` as `rounds_of` gives it; runs that stop early keep what they have.
    """
    followed = budget(rounds, by, value)
    runs = followed.groupby(by)["run"].nunique()
    named = {
        name: f"{name} ({runs[name]} runs)" for name in _levels(followed, by, order)
    }
    table = describe(
        followed[followed[by].isin(named)].replace({by: named}),
        value,
        [by, "evaluations"],
    )
    places = {named[name]: place for name, place in styles(list(named)).items()}
    draw.lines(
        ax, table, "evaluations", hue=by, order=list(places), band=True, places=places
    )
    ax.set(xlabel=LABELS["evaluations"], ylabel=LABELS.get(value, value))
    return ax


def plot_ablation(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Mean divergence under each prompt as bars with t intervals and counts at their foot, cases as dots, an instance's
    joined (Figure 11)."""
    need_columns(frame, ["decisions", "prompt", "divergence", "instance"], "runs")
    table = describe(frame, "divergence", ["prompt", "decisions"])
    levels, places = list(table["prompt"].unique()), sorted(table["decisions"].unique())
    aside = {
        name: 0.8 * ((i + 0.5) / len(levels) - 0.5) for i, name in enumerate(levels)
    }
    for i, (name, part) in enumerate(table.groupby("prompt", sort=False)):
        at = part["decisions"].map(places.index) + aside[name]
        ax.bar(at, part["mean"], 0.76 / len(levels), yerr=draw.margins(part, "mean"), color=COLOURS[i % 8], capsize=3,
               hatch=HATCHES[i % 8], alpha=0.7, edgecolor="white", ecolor="black", label=name)  # fmt: skip
        for k, n in zip(at, part["n"], strict=True):
            box = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1}
            ax.annotate(
                f"{n}",
                (k, 0),
                (0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=7,
                bbox=box,
            )
    for (place, _), case in frame.dropna(subset=["divergence"]).groupby(
        ["decisions", "instance"]
    ):
        at = places.index(place) + case["prompt"].map(aside)
        ax.plot(at, case["divergence"], ".-", color="#000000", linewidth=0.6)
    ax.set_xticks(range(len(places)), [str(place) for place in places])
    ax.set(xlabel=LABELS["decisions"], ylabel=LABELS["divergence"], ylim=(0, None))
    ax.legend(title="prompt", **BESIDE)
    return ax


def plot_trajectory(
    table: pd.DataFrame, ax: Axes, optimum: float | None = None
) -> Axes:
    """Every participant's total round by round, and between the largest and the smallest the divergence, in points.

    The plan with the smallest divergence is printed bold and red, the one that the group ended with has a frame.
    `table` is as `support.analysis.fairness.trajectory` gives it; a published table of totals will do.
    """
    need_columns(table, ["round", "plan", "participant", "total"], "trajectory")
    shown = table.assign(at=table["round"] + 0.3 * table.get("position", 0))
    wide = shown.pivot(index="at", columns="participant", values="total")[
        list(dict.fromkeys(shown["participant"]))
    ]
    top, bottom = wide.max(axis=1), wide.min(axis=1)
    ax.vlines(wide.index, bottom, top, color=GREY, linewidth=6, alpha=0.3)
    for i, name in enumerate(wide):
        ax.plot(wide.index, wide[name], label=str(name), **style(i))
    chosen = (
        shown[shown["chosen"]]["at"].max()
        if "chosen" in shown and shown["chosen"].any()
        else None
    )
    for at, gap, high in zip(wide.index, top - bottom, top, strict=True):
        frame = (
            {"boxstyle": "round", "fill": False, "edgecolor": "#000000"}
            if at == chosen
            else None
        )
        least: dict[str, Any] = (
            {"color": RED, "fontweight": "bold"} if gap == (top - bottom).min() else {}
        )
        ax.annotate(f"{gap:.0f}", (at, high), (0, 9), textcoords="offset points", ha="center", fontsize=9,
                    bbox=frame, **least)  # fmt: skip
    said = [
        "above: divergence",
        "bold and red: smallest",
        *(["framed: chosen"] if chosen is not None else []),
    ]
    said += [f"optimum: {optimum:.0f}"] if optimum is not None else []
    told = "\n".join(filter(None, ("  ".join(said[:2]), "  ".join(said[2:]))))
    ax.annotate(told, (0.01, 0.01), xycoords="axes fraction", fontsize=7)
    low, room = float(bottom.min()), max(float(top.max() - bottom.min()), 1.0)
    ax.set(
        xlabel="round",
        ylabel="total of a participant (points)",
        ylim=(low - 0.25 * room, low + 1.2 * room),
    )
    ax.set_xticks(sorted(table["round"].unique()))
    ax.legend(**BESIDE)
    return ax


def plot_totals(
    totals: Mapping[str, float],
    ax: Axes,
    highest: float,
    before: Mapping[str, float] | None = None,
    optimum: float | None = None,
) -> Axes:
    """The participants' totals for one plan as bars, the divergence as an arrow; hollow: the plan before."""
    names, values = list(totals), np.array(list(totals.values()), dtype=float)
    shown = ax.bar(
        names, values, color=[COLOURS[i % 8] for i in range(len(names))], width=0.6
    )
    ax.bar_label(
        shown,
        [f"{v:g}" if float(v).is_integer() else f"{v:.1f}" for v in values],
        padding=3,
        fontsize=9,
    )
    if before:
        ax.bar(names, [before.get(name, np.nan) for name in names], width=0.7, fill=False, edgecolor="#000000",
               linestyle="--", label="plan before")  # fmt: skip
        ax.legend(fontsize=8, frameon=False, loc="upper left")
    low, high, beside = float(values.min()), float(values.max()), len(names) - 0.35
    ax.hlines([low, high], -0.4, beside + 0.1, color=RED, linewidth=1, linestyle="--")
    ax.annotate(
        "",
        (beside, high),
        (beside, low),
        arrowprops={"arrowstyle": "<->", "color": RED},
    )
    best = "" if optimum is None else f"\n(optimum {optimum:.0f})"
    ax.annotate(f"divergence\n{high - low:.0f}{best}", (beside + 0.12, (low + high) / 2), va="center", color=RED,
                fontsize=9, annotation_clip=False)  # fmt: skip
    # There is room for what stands beside the arrow.
    ax.set(ylabel="total (points)", ylim=(0, highest), xlim=(-0.5, 1.35 * len(names)))
    ax.tick_params(axis="x", rotation=25 if len(names) > 4 else 0)
    return ax


def draw_planning(
    table: pd.DataFrame, rounds: int, title: str, optimum: float | None = None
) -> Figure:
    """The live figure of one search of so many rounds: the totals of one plan as bars, and of all plans round by round.

    `table` is as `support.analysis.fairness.trajectory` gives it, with what the viewer may know as `total`, NaN where
    that is nothing; the bars are of the `chosen` plan if there is one, else of the newest. `title` says whose knowledge
    that is: "as reported", "the truth".
    """
    from matplotlib.figure import Figure

    fig = Figure(figsize=(11, 3.4), layout="constrained")
    known = table[table["total"].notna()] if len(table) else table
    if known.empty:
        note = "no plan yet" if table.empty else "the group knows no totals yet"
        fig.text(0.5, 0.5, note, ha="center", va="center", color="#555555")
        return fig
    left, right = fig.subplots(1, 2, width_ratios=(4, 5))
    plans = [
        part.set_index("participant")
        for _, part in known.groupby(["round", "position"], sort=True)
    ]
    marked = (
        [i for i, part in enumerate(plans) if part["chosen"].iloc[0]]
        if "chosen" in known
        else []
    )
    at = marked[0] if marked else len(plans) - 1
    one = plans[at]
    totals = [
        dict(zip(map(str, part.index), part["total"].astype(float), strict=True))
        for part in plans
    ]
    two = "AB"[one["position"].iloc[0]] if (known["position"] > 0).any() else ""
    top = 1.3 * max(float(known["total"].max()), 1.0)
    plot_totals(
        totals[at], left, top, None if marked or not at else totals[at - 1], optimum
    )
    name = f"{'the chosen ' * bool(marked)}plan {one['round'].iloc[0]}{two}"
    left.set_title(f"{name}, {title}", fontsize=10)
    plot_trajectory(known, right, optimum)
    right.set(xlim=(0.6, rounds + 0.6), xticks=range(1, rounds + 1))
    right.set_title(f"all plans, {title}", fontsize=10)
    return fig
