"""Mail: what became of mails whose sending broke off, and what is done with mails that arrive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.draw import COLOURS
from support.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Looks = Mapping[str, tuple[str, str]]

FATES: Looks = {
    "arrived once": (COLOURS[0], ""),
    "listed as uncertain: arrived": (COLOURS[5], "///"),
    "listed as uncertain: not arrived": ("#b5b5b5", "..."),
    "arrived twice": (COLOURS[1], "xxx"),
    "lost, though noted as sent": (COLOURS[4], "\\\\\\"),
}
"""Of each outcome of `support.seminars.breaking.Fate` its colour and hatch."""

HELD, AUTOMATIC, BOUNCE, ASKED, HANDED_ON = (
    "held for a person", "noted as automatic", "noted as a bounce", "handed on with a question", "handed on",
)  # fmt: skip
HANDLING: Looks = {
    HELD: (COLOURS[0], ""),
    AUTOMATIC: (COLOURS[5], "..."),
    BOUNCE: ("#b5b5b5", "xxx"),
    ASKED: (COLOURS[1], "///"),
    HANDED_ON: (COLOURS[3], "\\\\\\"),
}
"""Of each thing that is done with a mail its colour and hatch."""

NARROW = 0.02
"""A part of a bar that is narrower than this share of the axis has its number left out: the next ones cover it."""


def plot_fates(frame: pd.DataFrame, ax: Axes, *, order: Sequence[str] | None = None) -> Axes:
    """Outcomes of mails whose sending broke off, a bar for each order of sending and noting.

    Parameters
    ----------
    frame : as `support.seminars.breaking.break_offs` gives it
        A row for each mail: "order" and "outcome", one of `FATES`.
    order : sequence, optional
        The values of "order" from above; by default as they come.
    """
    ax = _stacked(frame, ax, "order", "outcome", FATES, order)
    ax.set_xlabel("mails whose sending broke off once")
    return ax


def plot_handling(frame: pd.DataFrame, ax: Axes, *, by: str = "kind") -> Axes:
    """What is done with mails that arrive, a bar for each kind; kinds of which more is handed on stand further below.

    Parameters
    ----------
    frame : DataFrame
        A row for each mail: `by`, and "handling", one of `HANDLING`.
    """
    need_columns(frame, [by, "handling"], "mails")
    counts = pd.crosstab(frame[by], frame["handling"]).reindex(columns=list(HANDLING), fill_value=0)
    shares = counts.div(counts.sum(axis=1), axis=0).assign(many=counts.sum(axis=1), name=counts.index)
    ranked = shares.sort_values([HANDED_ON, ASKED, HELD, "many", "name"], ascending=[True, True, False, False, True])
    ax = _stacked(frame, ax, by, "handling", HANDLING, list(ranked.index))
    ax.set_xlabel("mails")
    return ax


def _stacked(frame: pd.DataFrame, ax: Axes, by: str, outcome: str, looks: Looks, order: Sequence[str] | None) -> Axes:
    need_columns(frame, [by, outcome], "mails")
    if strange := sorted(set(frame[outcome]) - set(looks)):
        raise InvalidInput(f"{outcome}: {strange[0]!r} given; expected one of {', '.join(looks)}")
    places = list(dict.fromkeys(frame[by])) if order is None else list(order)
    counts = pd.crosstab(frame[by], frame[outcome]).reindex(index=places, columns=list(looks), fill_value=0)
    widest = max(counts.sum(axis=1).max(), 1)
    left = np.zeros(len(places))
    for name, (colour, hatch) in looks.items():
        if counts[name].any():
            ax.barh(places, counts[name], left=left, color=colour, hatch=hatch, edgecolor="white", label=name)
            _numbers(ax, counts[name], left, widest * NARROW)
            left = left + counts[name].to_numpy()
    ax.invert_yaxis()
    ax.set_xlim(0, widest * 1.02)
    ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return ax


def _numbers(ax: Axes, counts: pd.Series, left: np.ndarray, narrow: float) -> None:
    box = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 1}
    for place, (number, start) in enumerate(zip(counts, left, strict=True)):
        if number > narrow:
            ax.annotate(str(number), (start + number / 2, place), ha="center", va="center", fontsize=8, bbox=box)
