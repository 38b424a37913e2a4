"""Figures of "Investigating Language Models for Supporting Complex Group Decisions" (003): quality, budgets, people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support import draw
from support.analysis.bargains import frontier, possible
from support.analysis.fairness import budget
from support.analysis.frames import need_columns
from support.analysis.stats import describe
from support.draw import COLOURS, LINES, MARKS
from support.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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

GREY, RED = "#777777", "#B00000"
MANY = 9  # places on x above which intervals are bands


def plot_quality(
    frame: pd.DataFrame,
    ax: Axes,
    *,
    x: str = "decisions",
    hue: str = "coordinator",
    value: str = "divergence",
    order: Sequence[Any] | None = None,
) -> Axes:
    """Mean quality against n, m or rounds: a line with t intervals for each level of `hue` (Figures 2 to 7, 10).

    Behind the lines stand what a random plan has (grey: mean, and the middle 80 percent of single plans), the mean
    best of k random plans (dotted) and the optimum (black), where `frame` (of `fairness.runs_of`) has references. The
    names in `FIXED` have one colour in every figure, others what is left in theirs.
    """
    need_columns(frame, [x, hue, value], "runs")
    if {"instance", "optimum", "random"} <= set(frame.columns) and value in ("divergence", "welfare"):
        _references(frame, ax, x)
    table, levels = describe(frame, value, [hue, x]), _levels(frame, hue, order)
    places = sorted(table[x].unique())
    draw.lines(ax, table, x, hue=hue, order=levels, band=len(places) > MANY, places=styles(levels))
    ax.set(xlabel=LABELS.get(x, x), ylabel=LABELS.get(value, value))
    ax.set_xticks(places if len(places) <= 2 * MANY else places[::3])
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
) -> Axes:
    """Mean quality against how often a participant has judged a plan, with t bands: any two coordinators compare.

    `rounds` as `fairness.rounds_of` gives it; runs that stop early keep what they have.
    """
    followed = budget(rounds, by, value)
    runs = followed.groupby(by)["run"].nunique()
    table, levels = describe(followed, value, [by, "evaluations"]), _levels(followed, by, order)
    told = {name: f"{name} ({runs[name]} runs)" for name in levels}
    looks = {told[name]: place for name, place in styles(levels).items()}
    named = table[table[by].isin(levels)].assign(**{by: lambda t: t[by].map(told)})
    draw.lines(ax, named, "evaluations", hue=by, order=list(looks), band=True, places=looks)
    ax.set(xlabel=LABELS["evaluations"], ylabel=LABELS.get(value, value))
    if table["evaluations"].nunique() <= 2 * MANY:
        ax.set_xticks(sorted(table["evaluations"].unique()))
    ax.legend(fontsize=8, frameon=False, title=by, title_fontsize=8)
    return ax


def plot_ablation(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Mean divergence under each prompt as bars with t intervals, every case as a dot, joined by instance (Figure 11).

    `frame` as `fairness.runs_of` gives it; five cases of each prompt in the paper.
    """
    need_columns(frame, ["decisions", "prompt", "divergence", "instance"], "runs")
    levels, places = list(dict.fromkeys(frame["prompt"])), sorted(frame["decisions"].unique())
    cases = frame.dropna(subset=["divergence"])
    draw.bars(ax, describe(cases, "divergence", ["prompt", "decisions"]), "decisions", hue="prompt", order=places)
    at = cases["decisions"].map(places.index) + 0.8 * ((cases["prompt"].map(levels.index) + 0.5) / len(levels) - 0.5)
    ax.plot(at, cases["divergence"], ".", color="#000000", markersize=4)
    for _, case in cases.assign(at=at).groupby(["decisions", "instance"]):
        ax.plot(case["at"], case["divergence"], color=GREY, linewidth=0.6)
    ax.set(xlabel=LABELS["decisions"], ylabel=LABELS["divergence"], ylim=(0, None))
    return ax


def plot_trajectory(table: pd.DataFrame, ax: Axes, *, optimum: float | None = None) -> Axes:
    """Every participant's total round by round, and between the largest and the smallest the divergence, in points.

    The plan with the smallest divergence is printed bold and red, the one that the group ended with has a frame.

    Parameters
    ----------
    table : as `support.analysis.fairness.trajectory` gives it: round, plan, participant, total, divergence, chosen,
        and position where a round had two plans; a published table of totals will do
    optimum : the smallest divergence that there is, said in the corner
    """
    need_columns(table, ["round", "plan", "participant", "total"], "trajectory")
    shown = table.assign(at=table["round"] + 0.3 * table.get("position", 0))
    wide = shown.pivot(index="at", columns="participant", values="total")[list(dict.fromkeys(shown["participant"]))]
    gap = wide.max(axis=1) - wide.min(axis=1)
    ax.vlines(wide.index, wide.min(axis=1), wide.max(axis=1), color=GREY, linewidth=6, alpha=0.3)
    for i, name in enumerate(wide):
        ax.plot(wide.index, wide[name], color=COLOURS[i % 8], linestyle=LINES[i % 8], marker=MARKS[i % 8],
                label=str(name))  # fmt: skip
    chosen = shown[shown["chosen"]]["at"].max() if "chosen" in shown and shown["chosen"].any() else None
    for at, value, top in zip(wide.index, gap, wide.max(axis=1), strict=True):
        frame = {"boxstyle": "round", "fill": False, "edgecolor": "#000000"} if at == chosen else None
        least: dict[str, Any] = {"color": RED, "fontweight": "bold"} if value == gap.min() else {}
        ax.annotate(f"{value:.0f}", (at, top), (0, 9), textcoords="offset points", ha="center", fontsize=9,
                    bbox=frame, **least)  # fmt: skip
    ends = "  framed: chosen" if chosen is not None else ""
    best = f"  optimum: {optimum:.0f}" if optimum is not None else ""
    ax.annotate(
        f"above: divergence  bold and red: smallest{ends}{best}", (0.01, 0.01), xycoords="axes fraction", fontsize=8
    )
    low, high = float(wide.min().min()), float(wide.max().max())
    room = max(high - low, 1.0)
    ax.set(xlabel="round", ylabel="total of a participant (points)", ylim=(low - 0.15 * room, high + 0.2 * room))
    ax.set_xticks(sorted(table["round"].unique()))
    ax.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def plot_totals(
    totals: Mapping[str, float],
    ax: Axes,
    *,
    highest: float | None = None,
    before: Mapping[str, float] | None = None,
    optimum: float | None = None,
) -> Axes:
    """The participants' totals for one plan as bars, the divergence between them as an arrow: a view for a widget.

    Parameters
    ----------
    totals : participant to total; the truth, or what the group believes
    highest : where the axis ends, so that it stands still from plan to plan
    before : totals of the plan before, as hollow bars
    optimum : the smallest divergence that there is, where the viewer may know it

    Raises
    ------
    InvalidInput
        Without anybody.
    """
    if not totals:
        raise InvalidInput("totals: nobody given; expected a total for each participant")
    names, values = list(totals), np.array(list(totals.values()), dtype=float)
    colours = [COLOURS[i % 8] for i in range(len(names))]
    ax.bar(names, values, color=colours, width=0.6)
    for i, value in enumerate(values):
        ax.annotate(f"{value:g}" if float(value).is_integer() else f"{value:.1f}", (i, value), (0, 3), ha="center",
                    textcoords="offset points", fontsize=9)  # fmt: skip
    if before:
        ax.bar(names, [before.get(name, np.nan) for name in names], width=0.7, fill=False, edgecolor="#000000",
               linestyle="--", label="plan before")  # fmt: skip
        ax.legend(fontsize=8, frameon=False, loc="upper left")
    low, high, beside = float(values.min()), float(values.max()), len(names) - 0.35
    ax.hlines([low, high], -0.4, beside + 0.1, color=RED, linewidth=1, linestyle="--")
    ax.annotate("", (beside, high), (beside, low), arrowprops={"arrowstyle": "<->", "color": RED})
    best = "" if optimum is None else f"\n(optimum {optimum:.0f})"
    ax.annotate(f"divergence\n{high - low:.0f}{best}", (beside + 0.12, (low + high) / 2), va="center", color=RED,
                fontsize=9, annotation_clip=False)  # fmt: skip
    top = highest if highest is not None else 1.15 * max(high, *(before or {}).values(), 1.0)
    ax.set(ylabel="total (points)", ylim=(0, top), xlim=(-0.5, len(names) + 0.25))
    return ax


def plot_people(table: pd.DataFrame, ax: Axes) -> Axes:
    """What both sides of a negotiation got: people's deals, the solver's fair deal, all deals and their frontier.

    Frontier and possible deals are drawn where all rows are negotiations with the same priorities; people's deals are
    circles whose area tells how many groups reached them.

    Parameters
    ----------
    table : as `support.analysis.bargains.against_solver` gives it
    """
    need_columns(table, ["gains", "reached", "points_a", "points_b", "fair_a", "fair_b"], "deals")
    if table["gains"].map(str).nunique() == 1:
        gains = table["gains"].iloc[0]
        every, edge = possible(gains), frontier(gains)
        ax.plot(every["points_a"], every["points_b"], ".", color=GREY, markersize=4, label="possible deals")
        ax.plot(edge["points_a"], edge["points_b"], "-", color="#000000", linewidth=1.2, label="efficient deals")
    reached = table[table["reached"]]
    deals = reached.groupby(["points_a", "points_b"]).size().rename("count").reset_index()
    ax.scatter(deals["points_a"], deals["points_b"], s=40 * deals["count"], color=COLOURS[0], alpha=0.5, linewidth=0,
               label=f"people's deals ({len(reached)} of {len(table)} groups), area: how many")  # fmt: skip
    fair = table.drop_duplicates(["fair_a", "fair_b"])
    ax.plot(fair["fair_a"], fair["fair_b"], MARKS[7], color=COLOURS[4], markersize=11, markeredgecolor="#000000",
            linestyle="", label="fairest deal (solver)")  # fmt: skip
    top = 1.08 * float(np.nanmax([*table["points_a"], *table["points_b"], *table["fair_a"], *table["fair_b"], 36]))
    ax.plot([0, top], [0, top], color=GREY, linewidth=0.8, linestyle=":", label="equal points")
    ax.set(xlabel="points of the first party", ylabel="points of the second party", xlim=(0, top), ylim=(0, top))
    ax.set_aspect("equal")
    ax.legend(fontsize=8, frameon=False, loc="upper right")  # nobody gets near everything on both sides
    return ax


def draw_planning(table: pd.DataFrame, rounds: int, *, title: str = "", optimum: float | None = None) -> Figure:
    """The live figure of one search.

    Parameters
    ----------
    table : DataFrame
        As `support.analysis.fairness.trajectory` gives it, with what the viewer may know as `total`: what the group
        knows while it searches, the truth after it. Rows without a total are left out. With `chosen`, that plan is the
        one whose totals are bars, else the newest one.
    rounds : int
        How many rounds the search has, played or not.
    title : whose knowledge that is: "as reported", "the truth"
    optimum : the smallest divergence that there is, where the viewer may know it
    """
    from matplotlib.figure import Figure

    fig = Figure(figsize=(11, 3.4), layout="constrained")
    known = table[table["total"].notna()] if len(table) else table
    if known.empty:
        note = "no plan yet" if table.empty else "the group knows no totals yet"
        fig.text(0.5, 0.5, note, ha="center", va="center", color="#555555")
        return fig
    left, right = fig.subplots(1, 2, width_ratios=(4, 5))
    name, totals, before = _shown(known)
    top = 1.3 * max(float(known["total"].max()), 1.0)
    plot_totals(totals, left, highest=top, before=before, optimum=optimum)
    left.set_xlim(right=1.35 * len(totals))  # room for what stands beside the arrow
    left.tick_params(axis="x", rotation=25 if len(totals) > 4 else 0)
    left.set_title(f"{name}, {title}", fontsize=10)
    plot_trajectory(known, right, optimum=optimum)
    right.set(xlim=(0.6, rounds + 0.6), xticks=range(1, rounds + 1))
    right.set_title(f"all plans, {title}", fontsize=10)
    return fig


def _shown(known: pd.DataFrame) -> tuple[str, dict[str, float], dict[str, float] | None]:
    """The plan of the bars: its name, its totals, and those of the plan before, of which something is known."""
    plans = [part for _, part in known.groupby(["round", "position"], sort=True)]
    marked = [i for i, part in enumerate(plans) if part["chosen"].iloc[0]] if "chosen" in known else []
    at = marked[0] if marked else len(plans) - 1
    one = plans[at].iloc[0]
    two = (known["position"] > 0).any()
    name = f"plan {one['round']}{'AB'[one['position']] if two else ''}"
    before = _totals(plans[at - 1]) if at and not marked else None
    return f"{'the chosen ' if marked else ''}{name}", _totals(plans[at]), before


def _totals(part: pd.DataFrame) -> dict[str, float]:
    return dict(zip(part["participant"], part["total"].astype(float), strict=True))
