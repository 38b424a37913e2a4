"""One rehearsal of the organiser's agent as a figure: days, people, mails and dates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from support.analysis.frames import need_columns
from support.draw import COLOURS
from support.seminar.records import (
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    REPLY,
    THANKS,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EVENTS = {
    INVITATION: (COLOURS[0], "o", True, 0.0),
    FOLLOW_UP: (COLOURS[1], "^", True, 0.0),
    CLARIFICATION: (COLOURS[5], "D", True, 0.0),
    CONFIRMATION: (COLOURS[2], "s", True, 0.0),
    THANKS: (COLOURS[7], "P", True, 0.0),
    REPLY: ("#000000", "o", False, -0.24),
    "flag": (COLOURS[4], "X", True, -0.38),
    "date given": (COLOURS[2], "*", True, 0.24),
    "date taken back": (COLOURS[4], "v", False, 0.4),
}
"""Colour, mark, whether it is filled, and place in its person's row: what comes in above, dates below."""


def plot_timeline(events: pd.DataFrame, ax: Axes) -> Axes:
    """A rehearsal (`analysis.seminar.timeline`): days on x, a row for each person.

    A bar along the row shows how long somebody has had a date, which stands at its end (month and day); days in grey
    are Saturdays and Sundays.
    """
    need_columns(events, ["day", "date", "person", "event", "slot"], "the timeline")
    rows, last = events.attrs["people"], events.attrs["days"]
    first = pd.Timestamp(events["date"].iloc[0]) - pd.Timedelta(
        days=int(events["day"].iloc[0]) - 1
    )
    for number, date in enumerate(pd.date_range(first, periods=last), start=1):
        if date.day_of_week > 4:
            ax.axvspan(
                number - 0.5, number + 0.5, color="#777777", alpha=0.15, linewidth=0
            )
    for (name, slot), part in events[events["slot"] != ""].groupby(
        ["person", "slot"], sort=False
    ):
        given, back = (
            part.loc[part["event"] == event, "day"].tolist()
            for event in ("date given", "date taken back")
        )
        for k, since in enumerate(given):
            until, row = back[k] if k < len(back) else last, rows.index(name) + 0.24
            ax.plot(
                [since, until], [row] * 2, color=COLOURS[2], linewidth=4, alpha=0.35
            )
            # A date that is held to the end stands outside, where the axis does not cross it out.
            end, where, away = (
                (1, "axes fraction", 3) if until == last else (until, "data", 7)
            )
            ax.annotate(f"{pd.Timestamp(str(slot)):%-d %b}", (end, row), (away, 0), xycoords=(where, "data"),
                        textcoords="offset points", va="center", fontsize=6, annotation_clip=False)  # fmt: skip
    for event, (colour, mark, filled, aside) in EVENTS.items():
        part = events[events["event"] == event]
        if not part.empty:
            size = 8 if event.startswith("date") or event == "flag" else 5
            ax.plot(part["day"], part["person"].map(rows.index) + aside, mark, color=colour, markersize=size,
                    markerfacecolor=colour if filled else "white", label=event.replace("_", "-"))  # fmt: skip
    ax.set(
        xlabel="day of the rehearsal",
        xlim=(0.4, last + 0.6),
        ylim=(len(rows) - 0.5, -0.5),
    )
    ax.set_yticks(range(len(rows)), rows)
    ax.locator_params("x", integer=True)
    ax.legend(
        fontsize=7,
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1, 0.5),
        borderaxespad=4,
    )
    return ax
