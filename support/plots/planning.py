"""Fair decisions ("Investigating Language Models for Supporting Complex Group Decisions"): quality, budgets, people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.fairness import budget
from support.analysis.frames import need_columns
from support.analysis.stats import describe
from support.draw import COLOURS, LINES, MARKS
from support.errors import InvalidInput
from support.plots.planning_runs import plot_people, plot_totals, plot_trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_ablation",
    "plot_budget",
    "plot_people",
    "plot_quality",
    "plot_totals",
    "plot_trajectory",
    "plot_tuning",
]

LABELS: Mapping[str, str] = {
    "divergence": "divergence (points, lower is fairer)",
    "standing_divergence": "divergence of the plan known as best\n(points, lower is fairer)",
    "best_divergence": "divergence of the best plan so far\n(points, lower is fairer)",
    "welfare": "welfare (points of all together)",
    "standing_welfare": "welfare of the plan known as best (points)",
    "regret": "behind the optimum (points)",
    "closed": "share of the gap from random to optimum",
    "decisions": "decisions n",
    "options": "options m of a decision",
    "rounds": "rounds at most",
    "evaluations": "evaluations by participants",
    "replies": "replies of a model in a run",
    "tokens": "tokens of a run",
    "seconds": "seconds of a run",
}
"""What an axis says, with its unit."""

FIXED: Mapping[Any, int] = {
    **{name: i for i, name in enumerate(("random", "mcts", "local", "exact", "thompson", "model", "human"))},
    **{name: i for i, name in enumerate(("score", "words", "comparison", "complete"))},
}
"""The place of a coordinator, or of a feedback, among colours, lines and marks: the same in every figure."""

HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++")
GREY = "#777777"
DODGE = 0.05  # of a step of x, between the marks of neighbouring lines
MANY = 9  # places on x above which intervals are bands


def plot_quality(
    frame: pd.DataFrame,
    ax: Axes,
    *,
    x: str = "decisions",
    hue: str = "coordinator",
    value: str = "divergence",
    order: Sequence[Any] | None = None,
    references: pd.DataFrame | None = None,
    level: float = 0.95,
) -> Axes:
    """Mean quality against n or m: a line with t intervals for each level of `hue` (Figures 2 to 7).

    Behind the lines stand what a random plan has (grey: mean, and the middle 80 percent of single plans), the mean
    best of k random plans (dotted) and the optimum (black). The names in `FIXED` have one colour in every figure,
    others what is left in theirs.

    Parameters
    ----------
    frame : as `runs_of` gives it
    order : which values of `hue` to draw, in which order
    references : as `support.analysis.fairness.references` gives it; by default those in the frame, if any
    """
    need_columns(frame, [x, hue, value], "runs")
    behind = frame if references is None else references
    if {"instance", "optimum", "random"} <= set(behind.columns) and value in ("divergence", "welfare"):
        _references(behind, ax, x)
    table = describe(frame, value, [hue, x], level)
    places = sorted(table[x].unique())
    levels = _levels(table, hue, order)
    for i, (name, style) in enumerate(styles(levels).items()):
        part = table[table[hue] == name].sort_values(x)
        _line(part, ax, str(name), style, part[x] + _aside(i, len(levels), places), band=len(places) > MANY)
    ax.set(xlabel=LABELS.get(x, x), ylabel=LABELS.get(value, value))
    ax.set_xticks(places if len(places) <= 2 * MANY else places[::3])
    ax.legend(fontsize=8, frameon=False, title=hue, title_fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def _references(table: pd.DataFrame, ax: Axes, x: str) -> None:
    need_columns(table, [x, "random_low", "random_high", "random_best"], "references")
    there = table.drop_duplicates(["instance", x]).groupby(x).mean(numeric_only=True)
    ax.fill_between(there.index, there["random_low"], there["random_high"], color=GREY, alpha=0.15, linewidth=0,
                    label="random plans, middle 80 %")  # fmt: skip
    ax.plot(there.index, there["random"], color=GREY, linewidth=1.5, label="random plan, mean")
    if x != "rounds":  # k is one number, and rounds are many
        k = f"{table['k'].iloc[0]:g}" if "k" in table and table["k"].nunique() == 1 else "k"
        ax.plot(there.index, there["random_best"], color=GREY, linestyle=":", linewidth=1.5,
                label=f"best of {k} random plans")  # fmt: skip
    ax.plot(there.index, there["optimum"], color="#000000", linewidth=1.5, label="optimum (exact solver)")


def _line(
    part: pd.DataFrame, ax: Axes, name: str, i: int, at: pd.Series[float], *, band: bool, marks: bool = True
) -> None:
    style: dict[str, Any] = {
        "color": COLOURS[i % 8],
        "linestyle": LINES[i % 8],
        "marker": MARKS[i % 8] if marks else "",
    }
    if band:
        ax.plot(at, part["mean"], label=name, markersize=4, **style)
        ax.fill_between(at, part["low"], part["high"], color=COLOURS[i % 8], alpha=0.15, linewidth=0)
        return
    errors = np.nan_to_num(np.vstack([part["mean"] - part["low"], part["high"] - part["mean"]])).clip(0)
    ax.errorbar(at, part["mean"], errors, label=name, markersize=5, capsize=3, **style)


def _aside(i: int, count: int, places: Sequence[float]) -> float:
    step = float(np.diff(places).min()) if len(places) > 1 else 1.0
    return DODGE * step * (i - (count - 1) / 2)


def styles(names: Sequence[Any]) -> dict[Any, int]:
    """Which colour, line and mark each name has: those of `FIXED` their own, the others what is left, in their order.

    >>> styles(["local", "mcts", "mine"])
    {'local': 2, 'mcts': 1, 'mine': 0}
    """
    left = [i for i in range(len(COLOURS)) if i not in {FIXED.get(name) for name in names}]
    strange = [name for name in names if name not in FIXED]
    others = {name: left[i % len(left)] for i, name in enumerate(strange)}
    return {name: FIXED.get(name, others.get(name, 0)) for name in names}


def _levels(table: pd.DataFrame, by: str, order: Sequence[Any] | None) -> list[Any]:
    there = list(dict.fromkeys(table[by]))
    if order is not None and (strange := [name for name in order if name not in there]):
        raise InvalidInput(f"order: {strange[0]!r} is no value of {by!r}; there are: {', '.join(map(str, there))}")
    return there if order is None else list(order)


def plot_budget(
    rounds: pd.DataFrame,
    ax: Axes,
    *,
    by: str = "coordinator",
    value: str = "standing_divergence",
    order: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Axes:
    """Mean quality against how often a participant has judged a plan, with t bands: any two coordinators compare.

    Parameters
    ----------
    rounds : as `rounds_of` gives it; runs that stop early keep what they have
    """
    followed = budget(rounds, by, value)
    table = describe(followed, value, [by, "evaluations"], level)
    for name, i in styles(_levels(table, by, order)).items():
        part = table[table[by] == name].sort_values("evaluations")
        runs = followed.loc[followed[by] == name, "run"].nunique()
        _line(part, ax, f"{name} ({runs} runs)", i, part["evaluations"], band=True, marks=len(part) <= 2 * MANY)
    ax.set(xlabel=LABELS["evaluations"], ylabel=LABELS.get(value, value))
    if table["evaluations"].nunique() <= 2 * MANY:
        ax.set_xticks(sorted(table["evaluations"].unique()))
    ax.legend(fontsize=8, frameon=False, title=by, title_fontsize=8)
    return ax


def plot_tuning(
    frame: pd.DataFrame,
    axes: Sequence[Axes],
    *,
    hue: str = "coordinator",
    shown: Sequence[str] | None = None,
    level: float = 0.95,
) -> Sequence[Axes]:
    """Quality and what it costs against the number of rounds, a panel each (Figure 10).

    Parameters
    ----------
    frame : as `runs_of` gives it, with `rounds`; seconds as `Store.units` tells them, and tokens, where they were kept
    axes : as many as there are columns to show, three in the paper
    shown : by default divergence, then tokens (else replies), then seconds (else evaluations)
    """
    columns = list(shown or ("divergence", _first(frame, "tokens", "replies"), _first(frame, "seconds", "evaluations")))
    need_columns(frame, ["rounds", hue, *columns], "runs")
    if len(axes) != len(columns):
        raise InvalidInput(f"axes: {len(axes)} given; expected {len(columns)}, for {', '.join(columns)}")
    for ax, column in zip(axes, columns, strict=True):
        plot_quality(frame, ax, x="rounds", hue=hue, value=column, level=level)
        if column != "divergence":
            ax.set_ylim(bottom=0)
        if ax is not axes[-1] and (legend := ax.get_legend()):
            legend.remove()
    return axes


def _first(frame: pd.DataFrame, *columns: str) -> str:
    return next((c for c in columns if c in frame and frame[c].notna().any()), columns[-1])


def plot_ablation(
    frame: pd.DataFrame,
    ax: Axes,
    *,
    x: str = "decisions",
    by: str = "prompt",
    value: str = "divergence",
    order: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Axes:
    """Mean quality under each prompt as bars with t intervals, every single case as a dot (Figure 11).

    Where the frame has a column `instance`, a line joins the dots of one instance.

    Parameters
    ----------
    frame : as `runs_of` gives it; five cases of each prompt in the paper
    """
    need_columns(frame, [x, by, value], "runs")
    levels, places = _levels(frame, by, order), sorted(frame[x].unique())
    table = describe(frame, value, [by, x], level).set_index([by, x])
    width = 0.8 / len(levels)
    dots: list[pd.DataFrame] = []
    for i, name in enumerate(levels):
        here = [k for k, place in enumerate(places) if (name, place) in table.index]
        rows = table.loc[[(name, places[k]) for k in here]]
        at = np.array(here) - 0.4 + width * (i + 0.5)
        errors = np.nan_to_num(np.vstack([rows["mean"] - rows["low"], rows["high"] - rows["mean"]])).clip(0)
        ax.bar(at, rows["mean"], width, color=COLOURS[i % 8], hatch=HATCHES[i % 6], alpha=0.6, edgecolor="white",
               label=f"{name} ({int(rows['n'].min())} cases)")  # fmt: skip
        ax.errorbar(at, rows["mean"], errors, fmt="none", ecolor="#000000", capsize=3)
        for k, middle in zip(here, at, strict=True):
            cases = frame[(frame[by] == name) & (frame[x] == places[k])].dropna(subset=[value])
            dots.append(cases.assign(at=middle + np.linspace(-0.2, 0.2, len(cases)) * width))
            ax.plot(dots[-1]["at"], cases[value], ".", color="#000000", markersize=4)
    if "instance" in frame:
        for _, case in pd.concat(dots).groupby([x, "instance"]):
            ax.plot(case["at"], case[value], color=GREY, linewidth=0.6)
    ax.set(xlabel=LABELS.get(x, x), ylabel=LABELS.get(value, value), xticks=range(len(places)), ylim=(0, None))
    ax.set_xticklabels([str(place) for place in places])
    ax.legend(fontsize=8, frameon=False, title=by, title_fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax
