"""One group's search for a fair plan: its trajectory (003, appendix D), its totals now, and people's deals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.draw import COLOURS, LINES, MARKS
from support.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY, RED = "#777777", "#B00000"


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
    from support.analysis.bargains import frontier, possible

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
