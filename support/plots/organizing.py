"""The organiser's agent ("DoubleAgents", 002): outcomes of policy sets, selection and detection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.analysis.stats import describe
from support.draw import COLOURS, MARKS
from support.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS: Mapping[str, str] = {
    "full": "share of rehearsals that filled every seat",
    "share_filled": "share of seats filled",
    "speakers": "people with a date",
    "possible": "people who could have had a date",
    "days_until_filled": "day from which on the programme was full",
    "filled": "seats filled",
    "days": "days of a rehearsal",
    "mails": "mails sent in a rehearsal",
    "mails_per_person": "mails for each person written to",
    "most_mails": "mails to the person who got most",
    "follow_ups": "follow-ups in a rehearsal",
    "answers": "replies received in a rehearsal",
    "flags": "flags in a rehearsal",
    "decided": "flags that somebody decided",
    "violations": "policies broken in a rehearsal",
    "declined": "people who declined",
    "cancellations": "dates given back",
    "never_offered": "dates read that nobody had offered",
    "edits": "edits in a rehearsal",
    "format_errors": "replies of the model that did not fit",
    "replies": "replies of models in a rehearsal",
    "tokens": "tokens of a rehearsal",
    "F1": "F1 (mean over states)",
    "f1": "F1 (mean over states)",
    "micro_f1": "micro F1",
    "accuracy": "accuracy (share of replies)",
    "steadiness": "steadiness (correlation of two answers to one case)",
    "runs": "runs of each technique",
    "difference": "true difference in accuracy",
}
"""What an axis says, with its unit."""

HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++")
GREY, BLACK = "#777777", "#000000"


def plot_outcomes(
    frame: pd.DataFrame,
    ax: Axes,
    *,
    value: str = "share_filled",
    by: str = "policies",
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Axes:
    """Mean outcome of each policy set as bars with t intervals.

    At the foot of a bar stand the rehearsals behind it: "12 of 20" where eight have no such outcome.

    Parameters
    ----------
    frame : as `support.analysis.organizing.runs_of` gives it
    value : one of its outcomes
    hue : a second setting, such as the scenario: a bar for each of its levels
    """
    keys = [by] if hue is None else [by, hue]
    need_columns(frame, [*keys, value], "rehearsals")
    table = describe(frame, value, keys, level)
    places = _levels(table, by, order)
    hues = [None] if hue is None else list(dict.fromkeys(table[hue]))
    width = 0.8 / len(hues)
    for i, name in enumerate(hues):
        part = (table if hue is None else table[table[hue] == name]).set_index(by).reindex(places)
        at = np.arange(len(places)) - 0.4 + width * (i + 0.5)
        errors = np.nan_to_num(np.vstack([part["mean"] - part["low"], part["high"] - part["mean"]])).clip(0)
        ax.bar(at, part["mean"], width * 0.95, color=COLOURS[i % 8], hatch=HATCHES[i % 6], alpha=0.7,
               edgecolor="white", label=None if name is None else str(name))  # fmt: skip
        ax.errorbar(at, part["mean"], errors, fmt="none", ecolor=BLACK, capsize=3)
        box = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1}
        for x, row in zip(at, part.itertuples(), strict=True):
            ax.annotate(_count(row, hue is None), (x, 0), (0, 3), textcoords="offset points", ha="center", fontsize=7,
                        color=BLACK, bbox=box)  # fmt: skip
    ax.set(xlabel=by.replace("_", " "), ylabel=LABELS.get(value, value), xticks=range(len(places)), ylim=(0, None))
    ax.set_xticklabels([str(place) for place in places])
    if hue is not None:
        ax.legend(title=hue, fontsize=8, title_fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def _count(row: Any, roomy: bool) -> str:
    if pd.isna(row.n):
        return "none"
    return (
        f"{'n = ' if roomy else ''}{int(row.n)}" if not row.missing else f"{int(row.n)} of {int(row.n + row.missing)}"
    )


def _levels(table: pd.DataFrame, by: str, order: Sequence[Any] | None) -> list[Any]:
    there = list(dict.fromkeys(table[by]))
    if order is not None and (strange := [name for name in order if name not in there]):
        raise InvalidInput(f"order: {strange[0]!r} is no value of {by!r}; there are: {', '.join(map(str, there))}")
    return there if order is None else list(order)


def plot_scores(
    runs: pd.DataFrame,
    ax: Axes,
    *,
    value: str,
    intervals: pd.DataFrame | None = None,
    published: pd.DataFrame | None = None,
    order: Sequence[str] | None = None,
    chance: float | None = None,
) -> Axes:
    """A score of each technique: every run as a dot, their mean as a mark, what the paper prints as a hollow one.

    Parameters
    ----------
    runs : as `selection_runs` or `detection_runs` gives it: technique, run and `value` ("f1", "accuracy")
    intervals : as `bootstrap_mean` gives it; the interval over cases, or states for F1, which runs do not show
    published : as `support.published.load` gives Table 1 or 2; techniques that are only there are drawn too
    chance : a line to beat, such as 0.5
    """
    need_columns(runs, ["technique", "run", value], "runs")
    printed = pd.DataFrame() if published is None else published.dropna(subset=["spread"]).set_index("row")
    names = list(order or dict.fromkeys([*runs["technique"], *printed.index]))
    for k, name in enumerate(names):
        ours = runs.loc[runs["technique"] == name, value].to_numpy(dtype=float)
        aside = np.linspace(-0.08, 0.08, len(ours)) if len(ours) > 1 else np.zeros(len(ours))
        ax.plot(k - 0.15 + aside, ours, ".", color=COLOURS[0], markersize=8, zorder=4, markeredgecolor="white",
                markeredgewidth=0.5)  # fmt: skip
        if len(ours):
            ax.errorbar(k - 0.15, ours.mean(), _error(intervals, name, ours.mean()), color=COLOURS[0], capsize=3,
                        marker=MARKS[0], markersize=7)  # fmt: skip
        if name in printed.index:
            ax.errorbar(k + 0.15, printed.loc[name, "value"], printed.loc[name, "spread"], color=COLOURS[1],
                        marker=MARKS[3], markersize=7, markerfacecolor="white", capsize=3)  # fmt: skip
    _keys(ax, "" if intervals is None else _of_what(intervals, value), len(printed) > 0)
    if chance is not None:
        ax.axhline(chance, color=GREY, linestyle=":", linewidth=1)
        ax.annotate("chance", (1, chance), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=7,
                    color=GREY)  # fmt: skip
    ax.set(ylabel=LABELS.get(value, value), ylim=(0, 1.03), xticks=range(len(names)), xlim=(-0.5, len(names) - 0.5))
    ax.set_xticklabels([fill(str(name), 13) for name in names])
    return ax


def _error(intervals: pd.DataFrame | None, name: str, mean: float) -> np.ndarray | None:
    part = intervals[intervals["technique"] == name] if intervals is not None else pd.DataFrame()
    if part.empty:
        return None
    return np.nan_to_num(np.array([[mean - part["low"].iloc[0]], [part["high"].iloc[0] - mean]])).clip(0)


def _of_what(intervals: pd.DataFrame, value: str) -> str:
    level = intervals["level"].iloc[0] if "level" in intervals else 0.95
    return f", {100 * level:g} % over {'states' if 'f1' in value.lower() else 'cases'}"


def _keys(ax: Axes, interval: str, printed: bool) -> None:
    said = f"here: mean{interval}"
    ax.plot([], [], marker=MARKS[0], color=COLOURS[0], linestyle="-" if interval else "", label=said)
    ax.plot([], [], ".", color=COLOURS[0], label="here: single runs")
    if printed:
        ax.plot(
            [], [], marker=MARKS[3], markerfacecolor="white", color=COLOURS[1], label="published: mean, SD of 3 runs"
        )
    ax.legend(fontsize=7, frameon=False)


def plot_confusion(table: pd.DataFrame, ax: Axes, *, technique: str) -> Axes:
    """How often each case was flagged, over its voices and runs: cases to flag on top, the most often flagged first.

    Parameters
    ----------
    table : as `confusion_by_case` gives it
    """
    need_columns(table, ["technique", "case", "flag", "flagged"], "confusion")
    part = table[table["technique"] == technique].sort_values(["flag", "flagged"], ascending=False)
    if part.empty:
        there = ", ".join(map(str, table["technique"].unique()))
        raise InvalidInput(f"technique: none is {technique!r}; there are: {there}")
    for flag, colour, hatch, said in ((True, 4, "", "to flag"), (False, 0, "///", "routine")):
        at = np.flatnonzero(part["flag"].astype(bool).to_numpy() == flag)
        ax.barh(
            at, part["flagged"].iloc[at], color=COLOURS[colour], hatch=hatch, edgecolor="white", alpha=0.8, label=said
        )
    ax.set(
        xlabel="share of replies that were flagged", xlim=(0, 1), yticks=range(len(part)), ylim=(len(part) - 0.5, -0.5)
    )
    ax.set_yticklabels([str(case).replace("_", " ") for case in part["case"]])
    ax.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def plot_three_runs(table: pd.DataFrame, ax: Axes, *, x: str = "steadiness", level: float = 0.05) -> Axes:
    """How often each test calls two techniques different, against `x` of `three_runs`; the line is the level.

    Parameters
    ----------
    table : rows of `support.analysis.organizing.three_runs`, for several values of `x`
    """
    need_columns(table, ["test", x, "significant", "se"], "simulations")
    for i, (name, part) in enumerate(table.groupby("test", sort=False)):
        drawn = part.sort_values(x)
        ax.errorbar(drawn[x], drawn["significant"], 1.96 * drawn["se"], color=COLOURS[i % 8], marker=MARKS[i % 8],
                    linestyle=("-", "--", "-.", ":")[i % 4], capsize=2, markersize=5, label=str(name))  # fmt: skip
    ax.axhline(level, color=GREY, linewidth=1)
    ax.set(xlabel=LABELS.get(x, x), ylabel="share of simulations\nwith a significant difference", ylim=(0, 1.02))
    ax.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax
