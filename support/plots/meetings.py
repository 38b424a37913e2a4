"""Meetings (Papachristou, Yang and Hsu): change over rounds, scores and evaluators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pandas as pd

from support import draw
from support.analysis.meetings import METRICS, gap_closed
from support.draw import COLOURS, LINES, MARKS
from support.meetings.satisfaction import (
    HIGHEST,
    equity,
    satisfaction_ratio,
    satisfaction_score,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from support.meetings.records import CoordinationRound

GREY = "#777777"
BELOW: Mapping[str, Any] = {
    "fontsize": 8,
    "frameon": False,
    "title_fontsize": 8,
    "loc": "upper center",
    "bbox_to_anchor": (0.5, -0.3),
}
"""A legend below its axes, where it hides no interval."""
MEASURES = {
    "satisfaction_ratio": ("satisfied members", 100.0),
    "satisfaction_score": ("mean score, of 3", float(HIGHEST)),
    "equity": ("inequality (Gini)", 1.0),
}
"""Metric, its label, and what is 1 on the shared axis of a live figure."""


def plot_changes(table: pd.DataFrame, ax: Axes, metric: str) -> Axes:
    """Mean change of one metric from round 1, with t intervals: a line for each setting (Figures 4 to 6).

    The legend says each setting's mean in round 1, and how many runs are left out because they have no change. `table`
    as `mean_changes` gives it.
    """
    shown, decimals = (
        table[table["metric"] == metric],
        1 if metric == "satisfaction_ratio" else 2,
    )
    told = {}
    for name, part in shown.groupby("setting", sort=False):
        out, n = int(part["left_out"].max()), int(part["n"].min())
        dropped = f" ({out} of {out + n} left out)" if out else ""
        told[name] = f"{name}: {part['start'].iloc[0]:.{decimals}f}{dropped}"
    draw.lines(
        ax, shown.assign(setting=shown["setting"].map(told)), "round", hue="setting"
    )
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.set(
        ylabel=f"{metric.replace('_', ' ')}\n({shown['unit'].iloc[0]})",
        xticks=sorted(shown["round"].unique()),
    )
    ax.legend(title="setting: mean in round 1", **BELOW)
    return ax


def plot_gap(table: pd.DataFrame, ax: Axes) -> Axes:
    """How much of the way from chance (0 %) to the best start (100 %) the candidates go, in truth, with t intervals.

    The legend says the mean ratio of chance and of the best start. `table` as `gap_closed` gives it.
    """
    first = table.drop_duplicates("setting")
    ends = zip(first["setting"], first["chance"], first["best"], strict=True)
    told = {
        name: f"{name}: {chance:.0f} to {best:.0f} %" for name, chance, best in ends
    }
    draw.lines(
        ax,
        table.assign(setting=table["setting"].map(told)),
        "round",
        "share",
        hue="setting",
    )
    for level in (0, 100):
        ax.axhline(level, color=GREY, linewidth=0.8)
    ax.set(
        ylabel="way from chance to\noptimum, true ratio (%)",
        xticks=sorted(table["round"].unique()),
    )
    ax.legend(title="setting: chance to optimum", **BELOW)
    return ax


def metric_grid(table: pd.DataFrame, gaps: pd.DataFrame, axes: Sequence[Axes]) -> None:
    """`plot_changes` of the four metrics in the paper's order, and `plot_gap`, on five axes."""
    for metric, ax in zip(METRICS, axes, strict=False):
        plot_changes(table, ax, metric)
    plot_gap(gaps, axes[len(METRICS)])


def closed(rounds: pd.DataFrame) -> str:
    """Chance, optimum and what was reached of the way between, of the last round, in words."""
    found = gap_closed(rounds[rounds["round"] == rounds["round"].max()], by=[])
    if found.empty:
        return "chance and optimum: not kept"
    row = found.iloc[0]
    reached = (
        f"{row['share']:.0f} % of the way"
        if row["best"] > row["chance"]
        else "every start is worth the same"
    )
    return f"true ratio: chance {row['chance']:.0f}, reached {row['true']:.0f}, optimum {row['best']:.0f} % ({reached})"


def plot_scores(entry: CoordinationRound, ax: Axes, rounds: pd.DataFrame) -> None:
    """One round's options by members as a heatmap of scores; the decision candidate is framed.

    Beside each option stand its satisfaction ratio, score and equity; below the figure chance, optimum and the way
    between them. `rounds` is the run as `rounds_of` gives it.
    """
    import seaborn as sns
    from matplotlib.patches import Rectangle

    scores = pd.DataFrame(
        [(s.option, s.member, s.value) for s in entry.scores],
        columns=["option", "member", "value"],
    )
    members = list(scores["member"].unique())
    values = scores.pivot(index="option", columns="member", values="value")
    values = values.reindex(
        index=[o.id for o in entry.options], columns=members
    ).astype(float)
    sns.heatmap(values, ax=ax, annot=True, fmt=".0f", cmap="Blues", vmin=0, vmax=HIGHEST + 0.5, cbar=False,
                linewidths=1, annot_kws={"fontsize": 9})  # fmt: skip
    starts = [datetime.fromisoformat(o.start) for o in entry.options]
    told = [
        f"{o.id}, {start:%a} {start.day} {start:%b %H:%M}"
        for o, start in zip(entry.options, starts, strict=True)
    ]
    ax.set_yticklabels(told, rotation=0)
    ax.set_xticklabels([name.replace(" ", "\n", 1) for name in members], rotation=0)
    for i, option in enumerate(entry.options):
        found = values.to_numpy()[i].tolist()
        summary = f"{100 * satisfaction_ratio(found):.0f} %   {satisfaction_score(found):.2f}   {equity(found):.2f}"
        ax.annotate(
            summary,
            (len(members) + 0.08, i + 0.5),
            va="center",
            fontsize=9,
            annotation_clip=False,
        )
        if option.id == entry.candidate:
            ax.add_patch(Rectangle((0, i), len(members), 1, fill=False, edgecolor=COLOURS[4], linewidth=3,
                                   clip_on=False))  # fmt: skip
    ax.annotate(
        "ratio   score   Gini",
        (len(members) + 0.08, -0.08),
        fontsize=8,
        color=GREY,
        annotation_clip=False,
    )
    ax.set_xlabel(f"member (score 0 to 3)\n{closed(rounds)}")
    ax.set_ylabel(f"options of round {entry.number}\n(framed: candidate)")


# -- one coordination while it runs ----------------------------------------------------------------------------------


def draw_coordination(
    frame: pd.DataFrame, newest: CoordinationRound | None, rounds: int
) -> Figure:
    """The live figure of one run: its rounds so far as `rounds_of` gives them, the newest of them, how many it has."""
    from matplotlib.figure import Figure

    fig = Figure(figsize=(12, 3.4), layout="constrained")
    left, middle, right = fig.subplots(1, 3, width_ratios=(6, 4, 3))
    if newest is None or not newest.scores:
        note = (
            "no option yet"
            if newest is None or not newest.options
            else "the options have no scores"
        )
        left.text(0.5, 0.5, note, ha="center", va="center", color="#555555")
        left.set_axis_off()
    else:
        plot_scores(newest, left, frame)
        left.tick_params(axis="both", labelsize=8)
        left.tick_params(
            axis="x", rotation=25
        )  # five long names have no room side by side
    plot_measures(frame, middle, rounds)
    plot_turns(frame, right, rounds)
    return fig


def plot_measures(frame: pd.DataFrame, ax: Axes, rounds: int) -> None:
    """The candidate's satisfaction ratio, satisfaction score and inequality by round, all on an axis from 0 to 1."""
    if len(frame):
        for i, (metric, (name, one)) in enumerate(MEASURES.items()):
            ax.plot(frame["round"], frame[metric] / one, color=COLOURS[i], linestyle=LINES[i], marker=MARKS[i],
                    label=name)  # fmt: skip
        ax.legend(fontsize=7, frameon=False, loc="best")
    ax.set(xlabel="round", ylabel="share (1 = all, or 3 points)", ylim=(-0.04, 1.08))
    ax.set(xlim=(0.7, rounds + 0.3), xticks=range(1, rounds + 1))
    ax.set_title("the candidate", fontsize=10)


def plot_turns(frame: pd.DataFrame, ax: Axes, rounds: int) -> None:
    """The members' mean number of turns by round."""
    from matplotlib.ticker import MaxNLocator

    if len(frame):
        ax.bar(
            frame["round"],
            frame["interactions"].fillna(0),
            color=COLOURS[5],
            edgecolor="#333333",
            width=0.6,
        )
    ax.set(
        xlabel="round",
        ylabel="turns per member (mean)",
        xlim=(0.4, rounds + 0.6),
        xticks=range(1, rounds + 1),
    )
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_title("interactions", fontsize=10)
