"""The live figure of a rehearsal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.analysis.seminar import timeline
from support.plots.rehearsal import plot_timeline
from support.seminar.records import Organizing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DAYS = 7
"""Days that the axis shows at least, so that it does not jump at the beginning."""


def draw_rehearsal(record: Organizing) -> Figure:
    """What happened so far, by days and people."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(9.6, 1.2 + 0.28 * len(record.people)), layout="constrained")
    ax = figure.subplots()
    if not (events := timeline(record)).empty:
        plot_timeline(events, ax)
        ax.set_xlim(0.4, max(len(record.days), DAYS) + 0.6)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    else:
        ax.text(0.5, 0.5, "nothing was written yet", ha="center", va="center", color="#555555")
        ax.set_axis_off()
    return figure
