"""One rehearsal of the organiser's agent as a figure: days, people, mails and dates."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import pandas as pd

from support.draw import COLOURS, key
from support.seminar.data import working
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

GIVEN = "date given"
BACK = "date taken back"
EVENTS = {
    INVITATION: (COLOURS[0], "o", 0.0),
    FOLLOW_UP: (COLOURS[1], "^", 0.0),
    CLARIFICATION: (COLOURS[5], "D", 0.0),
    CONFIRMATION: (COLOURS[2], "s", 0.0),
    THANKS: (COLOURS[7], "P", 0.0),
    REPLY: (COLOURS[3], ".", -0.24),
    "flag": (COLOURS[4], "X", -0.38),
    GIVEN: (COLOURS[2], "*", 0.24),
    BACK: (COLOURS[4], "v", 0.4),
}
"""Colour, mark, and place in its person's row: what comes in above, dates below."""


def plot_timeline(events: pd.DataFrame, ax: Axes) -> Axes:
    """A rehearsal (`analysis.seminar.timeline`): days on x, a row for each person.

    A bar along the row shows how long somebody has had a date, which stands at its end
    (month and day); days in grey are Saturdays and Sundays. Of panels below each other the
    first has the key, the last the label of days.
    """
    people = events.attrs["people"]
    last = events.attrs["days"]
    first = events.iloc[0]
    for number in range(1, last + 1):
        date = first["date"] + pd.Timedelta(days=number - int(first["day"]))
        if not working(date):
            ax.axvspan(number - 0.5, number + 0.5, color="#dddddd", linewidth=0)
    rows = events["person"].map(people.index)
    held: Any = events.groupby([rows, "slot"])
    for (row, slot), part in held:
        days = {
            event: part.loc[part["event"] == event, "day"] for event in (GIVEN, BACK)
        }
        for since, until in zip_longest(days[GIVEN], days[BACK], fillvalue=last):
            y = row + EVENTS[GIVEN][2]
            ax.plot(
                [since, until],
                [y, y],
                color=COLOURS[2],
                linewidth=4,
                alpha=0.35,
            )
            ax.text(until + 0.2, y, f"{slot:%-d %b}", va="center", fontsize=9)
    for event, (colour, mark, aside) in EVENTS.items():
        one = events["event"] == event
        if one.any():
            name = event.replace("_", "-")
            x = events["day"][one]
            places = rows[one] + aside
            ax.scatter(
                x,
                places,
                color=colour,
                marker=mark,
                label=name,
                s=28,
                zorder=2,
            )
    ax.set(
        xlabel="day",
        xlim=(0.4, last + 2.5),
        ylim=(len(people) - 0.5, -0.5),
    )
    ax.set_yticks(range(len(people)), people)
    place: Any = ax.get_subplotspec()
    if place.is_first_row():
        key(ax)
    ax.label_outer()
    return ax
