"""Coordination over the rounds (Papachristou, Yang and Hsu, Figures 4 to 6, 8 to 10), scores, evaluators' agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.analysis.meetings import METRICS, gap_closed, run_columns
from support.draw import COLOURS, LINES, MARKS
from support.errors import InvalidInput
from support.meetings.satisfaction import HIGHEST, equity, satisfaction_ratio, satisfaction_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from support.meetings.records import CoordinationRound

LABELS: Mapping[str, str] = {
    "interactions": "interactions of a member (turns)",
    "satisfaction_ratio": "satisfaction ratio (%)",
    "satisfaction_score": "satisfaction score (0 to 3)",
    "equity": "equity score (Gini, lower is more even)",
    "true_ratio": "satisfaction ratio on the truth (%)",
    "true_score": "satisfaction score on the truth (0 to 3)",
    "true_equity": "equity score on the truth (Gini)",
}
"""What a metric's axis says, with its unit."""

LIMITS = {
    "satisfaction_ratio": (0, 100), "true_ratio": (0, 100), "satisfaction_score": (0, HIGHEST),
    "true_score": (0, HIGHEST), "equity": (0, 1), "true_equity": (0, 1),
}  # fmt: skip
DECIMALS = {"satisfaction_ratio": 1, "true_ratio": 1}
APART = 0.06  # rounds between the marks of neighbouring lines
GREY = "#777777"
PAPER = "the paper's text, about"


def plot_changes(
    table: pd.DataFrame,
    ax: Axes,
    metric: str,
    by: str = "setting",
    *,
    order: Sequence[Any] | None = None,
    published: pd.DataFrame | None = None,
) -> Axes:
    """Mean change of one metric from round 1, with t intervals: a line for each setting (Figures 4 to 6).

    The legend says each setting's mean in round 1, and how many runs are left out because they have no change.

    Parameters
    ----------
    table : as `mean_changes` gives it, grouped by `by`
    order : which values of `by` to draw, in which order
    published : row (a value of `by`), column (the metric), value
        Approximate changes that the text prints for the last round: dashes on the right, in the line's colour.
    """
    need_columns(table, [by, "metric", "round", "mean", "low", "high", "start", "n", "left_out", "unit"], "changes")
    levels = _levels(table, by, order)
    shown = table[table["metric"] == metric]
    if shown.empty:
        raise InvalidInput(f"metric: {metric!r} given; expected one of {', '.join(table['metric'].unique())}")
    last = int(shown["round"].max())
    for i, name in enumerate(levels):
        part = shown[shown[by] == name].sort_values("round")
        at = part["round"] + APART * (i - (len(levels) - 1) / 2)
        errors = np.vstack([part["mean"] - part["low"], part["high"] - part["mean"]]).clip(0)
        ax.errorbar(at, part["mean"], errors, label=_legend(part, str(name), metric), color=COLOURS[i % 8],
                    linestyle=LINES[i % 8], marker=MARKS[i % 8], markersize=5, capsize=3)  # fmt: skip
    ax.axhline(0, color=GREY, linewidth=0.8)
    if published is not None:
        _printed(published, ax, metric, levels, last)
    unit = str(shown["unit"].iloc[0])
    ax.set(xlabel="round", ylabel=f"{metric.replace('_', ' ')} ({unit})", xticks=sorted(shown["round"].unique()))
    handles, names = ax.get_legend_handles_labels()
    last_first = sorted(range(len(names)), key=lambda i: names[i] == PAPER)  # the paper's mark below ours
    ax.legend([handles[i] for i in last_first], [names[i] for i in last_first], fontsize=8, frameon=False,
              title=f"{by}: mean in round 1", title_fontsize=8)  # fmt: skip
    return ax


def _legend(part: pd.DataFrame, name: str, metric: str) -> str:
    start, out = part["start"].iloc[0], int(part["left_out"].max())
    text = f"{name}: {start:.{DECIMALS.get(metric, 2)}f}"
    return text + (f" ({out} of {out + int(part['n'].min())} left out)" if out else "")


def _printed(published: pd.DataFrame, ax: Axes, metric: str, levels: Sequence[Any], last: int) -> None:
    need_columns(published, ["row", "column", "value"], "the published numbers")
    chosen = published[(published["column"] == metric) & published["row"].isin(levels)]
    for k, (row, value) in enumerate(zip(chosen["row"], chosen["value"], strict=True)):
        i = list(levels).index(row)
        # Several settings may print the same number: the dashes stand side by side.
        left = last + 0.2 + 0.16 * i
        ax.plot([left, left + 0.13], [value, value], color=COLOURS[i % 8], linewidth=4, solid_capstyle="butt",
                label=PAPER if k == 0 else None)  # fmt: skip


def _levels(table: pd.DataFrame, by: str, order: Sequence[Any] | None) -> list[Any]:
    there = list(dict.fromkeys(table[by]))
    if order is not None and (strange := [name for name in order if name not in there]):
        raise InvalidInput(f"order: {strange[0]!r} is no value of {by!r}; there are: {', '.join(map(str, there))}")
    return there if order is None else list(order)


def plot_gap(table: pd.DataFrame, ax: Axes, by: str = "setting", *, order: Sequence[Any] | None = None) -> Axes:
    """How much of the way from chance (0 %) to the best start (100 %) the candidates go, in truth, with t intervals.

    The legend says the mean ratio of chance and of the best start.

    Parameters
    ----------
    table : as `gap_closed` gives it, grouped by `by`
    order : which values of `by` to draw, in which order
    """
    need_columns(table, [by, "round", "chance", "best", "share", "low", "high"], "gaps")
    levels = _levels(table, by, order)
    for i, name in enumerate(levels):
        part = table[table[by] == name].sort_values("round")
        at = part["round"] + APART * (i - (len(levels) - 1) / 2)
        errors = np.vstack([part["share"] - part["low"], part["high"] - part["share"]])
        said = f"{name}: {part['chance'].iloc[0]:.0f} to {part['best'].iloc[0]:.0f} %"
        ax.errorbar(at, part["share"], errors, label=said, color=COLOURS[i % 8], linestyle=LINES[i % 8],
                    marker=MARKS[i % 8], markersize=5, capsize=3)  # fmt: skip
    for level in (0, 100):
        ax.axhline(level, color=GREY, linewidth=0.8)
    ax.set(xlabel="round", ylabel="way from chance to optimum, true ratio (%)", xticks=sorted(table["round"].unique()))
    ax.set_ylim(min(ax.get_ylim()[0], -45), max(ax.get_ylim()[1], 105))  # room for the legend
    ax.legend(fontsize=8, frameon=False, loc="lower right", title=f"{by}: chance to optimum", title_fontsize=8)
    return ax


def closed(rounds: pd.DataFrame) -> str:
    """Chance, optimum and what was reached of the way between, of the last round, in words."""
    found = gap_closed(rounds[rounds["round"] == rounds["round"].max()], by=[])
    if found.empty:
        return "chance and optimum: not kept"
    row = found.iloc[0]
    reached = f"{row['share']:.0f} % of the way" if row["best"] > row["chance"] else "every start is worth the same"
    return f"true ratio: chance {row['chance']:.0f}, reached {row['true']:.0f}, optimum {row['best']:.0f} % ({reached})"


def plot_runs(frame: pd.DataFrame, ax: Axes, metric: str, *, colour: str = COLOURS[0]) -> Axes:
    """Every meeting of one setting as a thin line over the rounds, the mean as a thick one (Figures 8 to 10).

    Values of few members repeat: the thin lines are moved apart by at most one percent of the axis.

    Parameters
    ----------
    frame : as `rounds_of` gives it, one setting
    """
    need_columns(frame, ["round", metric], "rounds")
    runs = list(frame.groupby(run_columns(frame), sort=False, dropna=False))
    low, high = LIMITS.get(metric, (0.0, float(frame[metric].max())))
    offsets = np.linspace(-0.01, 0.01, len(runs)) * (high - low) if len(runs) > 1 else [0.0]
    for offset, (_, run) in zip(offsets, runs, strict=True):
        ax.plot(run["round"], run[metric] + offset, color=GREY, linewidth=0.8, alpha=0.6)
    mean = frame.groupby("round")[metric].mean()
    ax.plot(mean.index, mean, color=colour, linewidth=3, marker="o", label=f"mean of {len(runs)} meetings")
    if metric in ("true_ratio", "true_score"):
        for kind, style in (("chance", ":"), ("best", "--")):
            line = frame.groupby("round")[metric.replace("true", kind)].mean()
            ax.plot(line.index, line, color="black", linestyle=style, label={"best": "optimum"}.get(kind, kind))
        if metric == "true_ratio":
            ax.set_title(closed(frame).removeprefix("true ratio: "), fontsize=8)
    margin = 0.04 * (high - low)
    ax.set(xlabel="round", ylabel=LABELS.get(metric, metric), xticks=sorted(frame["round"].unique()),
           ylim=(low - margin, high + margin))  # fmt: skip
    ax.legend(fontsize=8, frameon=False)
    return ax


def plot_scores(entry: CoordinationRound, ax: Axes, *, truth: bool = False, rounds: pd.DataFrame | None = None) -> Axes:
    """One round's options by members as a heatmap of scores; the decision candidate is framed.

    Beside each option stand its satisfaction ratio, score and equity.

    Parameters
    ----------
    truth : bool
        Write the score on the member's true preferences in brackets, where it was audited.
    rounds : frame, optional
        The run as `rounds_of` gives it: chance, optimum and the way between them go below the figure.

    Raises
    ------
    InvalidInput
        In a round without options.
    """
    import seaborn as sns
    from matplotlib.patches import Rectangle

    if not entry.options:
        raise InvalidInput(f"round {entry.number}: no options to show")
    members = list(dict.fromkeys(score.member for score in entry.scores))
    values = pd.DataFrame(index=[o.id for o in entry.options], columns=members, dtype=float)
    for score in entry.scores:
        values.loc[score.option, score.member] = score.value
    sns.heatmap(values, ax=ax, annot=_written(values, entry, truth), fmt="", cmap="Blues", vmin=0, vmax=HIGHEST + 0.5,
                cbar=False, linewidths=1, annot_kws={"fontsize": 9})  # fmt: skip
    ax.set_facecolor("#DDDDDD")
    ax.set_yticklabels([f"{o.id}, {_short(o.start)}" for o in entry.options], rotation=0)
    ax.set_xticklabels([name.replace(" ", "\n", 1) for name in members], rotation=0)
    for i, option in enumerate(entry.options):
        found = values.fillna(0).to_numpy()[i].tolist()
        summary = f"{100 * satisfaction_ratio(found):.0f} %   {satisfaction_score(found):.2f}   {equity(found):.2f}"
        ax.annotate(summary, (len(members) + 0.08, i + 0.5), va="center", fontsize=9, annotation_clip=False)
        if option.id == entry.candidate:
            ax.add_patch(Rectangle((0, i), len(members), 1, fill=False, edgecolor=COLOURS[4], linewidth=3,
                                   clip_on=False))  # fmt: skip
    ax.annotate("ratio   score   equity", (len(members) + 0.08, -0.08), fontsize=8, color=GREY, annotation_clip=False)
    brackets = "; in brackets: on the truth" if truth else ""
    below = f"\n{closed(rounds)}" if rounds is not None else ""
    ax.set(
        xlabel=f"member (score 0 to 3{brackets}){below}", ylabel=f"options of round {entry.number}\n(framed: candidate)"
    )
    return ax


def _written(values: pd.DataFrame, entry: CoordinationRound, truth: bool) -> np.ndarray:
    true = {(s.option, s.member): s.value for s in entry.audit}
    cells = np.empty(values.shape, dtype=object)
    for i, option in enumerate(values.index):
        for j, member in enumerate(values.columns):
            given = values.loc[option, member]
            there = truth and (option, member) in true
            cells[i, j] = ("" if pd.isna(given) else f"{given:.0f}") + (f" ({true[option, member]})" if there else "")
    return cells


def _short(start: str) -> str:
    """A start as a row of a figure names it.

    >>> _short("2026-02-16T09:30-05:00")
    'Mon 16 Feb 09:30'
    """
    moment = datetime.fromisoformat(start)
    return f"{moment:%a} {moment.day} {moment:%b %H:%M}"


def plot_kappa(table: pd.DataFrame, ax: Axes, by: str = "evaluator") -> Axes:
    """Weighted kappa with its interval: a row for each evaluator, a mark for each weight; notes where there is none.

    Parameters
    ----------
    table : as `support.analysis.meetings.kappa` gives it; several of them one below the other, by a and b
    """
    need_columns(table, [by, "a", "b", "weights", "kappa", "low", "high", "n", "note"], "kappa")
    rows = list(dict.fromkeys(zip(table[by], table["a"], table["b"], strict=True)))
    for i, (weights, part) in enumerate(table.groupby("weights", sort=False)):
        y = np.array([rows.index(key) for key in zip(part[by], part["a"], part["b"], strict=True)]) + 0.16 * (i - 0.5)
        errors = np.vstack([part["kappa"] - part["low"], part["high"] - part["kappa"]]).clip(0)
        ax.errorbar(part["kappa"], y, xerr=np.nan_to_num(errors), fmt=MARKS[i], color=COLOURS[i], capsize=3,
                    label=f"{weights} weights")  # fmt: skip
    for k, key in enumerate(rows):
        mine = table[[k == key for k in zip(table[by], table["a"], table["b"], strict=True)]].iloc[0]
        if np.isnan(mine["kappa"]):
            ax.annotate(f"no kappa: {mine['note']}", (0.02, k), va="center", fontsize=8, color="#8a3b00")
    ax.axvline(0, color="#777777", linewidth=0.8)
    ax.set(xlabel="weighted kappa (1: always equal, 0: as by chance)", yticks=range(len(rows)), xlim=(-0.25, 1.05))
    sizes = table.drop_duplicates([by, "a", "b"]).set_index([by, "a", "b"])["n"]
    ax.set_yticklabels([f"{name}\n{a} against {b}\n{sizes[name, a, b]} pairs" for name, a, b in rows], fontsize=8)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def plot_confusion(table: pd.DataFrame, ax: Axes) -> Axes:
    """Pairs of scores as a heatmap of counts, rows one evaluator's, columns the other's; equal scores are framed.

    Parameters
    ----------
    table : as `support.analysis.meetings.confusion` gives it
    """
    import seaborn as sns
    from matplotlib.patches import Rectangle

    sns.heatmap(table, ax=ax, annot=True, fmt="d", cmap="Blues", cbar=False, linewidths=1, square=True)
    for i in range(len(table)):
        ax.add_patch(Rectangle((i, i), 1, 1, fill=False, edgecolor=COLOURS[4], linewidth=1.5))
    ax.set(xlabel=f"{table.columns.name} (0 to 3)", ylabel=f"{table.index.name} (0 to 3)")
    return ax


def metric_grid(
    table: pd.DataFrame, gaps: pd.DataFrame, axes: Sequence[Axes], by: str = "setting", **given: Any
) -> Sequence[Axes]:
    """`plot_changes` of the four metrics in the paper's order, and `plot_gap`, on five axes."""
    for metric, ax in zip(METRICS, axes, strict=False):
        plot_changes(table, ax, metric, by, **given)
    plot_gap(gaps, axes[len(METRICS)], by, order=given.get("order"))
    return axes
