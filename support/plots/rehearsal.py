"""One rehearsal of the organiser's agent as a figure: days, people, mails and dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from support.draw import COLOURS
from support.errors import InvalidInput
from support.seminar.records import CLARIFICATION, CONFIRMATION, FOLLOW_UP, INVITATION, REPLY, THANKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY, BLACK = "#777777", "#000000"
EVENTS: Mapping[str, tuple[str, str, bool]] = {
    INVITATION: (COLOURS[0], "o", True),
    FOLLOW_UP: (COLOURS[1], "^", True),
    CLARIFICATION: (COLOURS[5], "D", True),
    CONFIRMATION: (COLOURS[2], "s", True),
    THANKS: (COLOURS[7], "P", True),
    REPLY: (BLACK, "o", False),
    "flag": (COLOURS[4], "X", True),
    "date given": (COLOURS[2], "*", True),
    "date taken back": (COLOURS[4], "v", False),
}
"""Colour, mark, and whether it is filled, of each event of a rehearsal."""

ASIDE: Mapping[str, float] = {REPLY: -0.24, "flag": -0.38, "date given": 0.24, "date taken back": 0.4}
"""Where an event stands in its person's row: what comes in above, what goes out in the middle, dates below."""

LARGE = ("date given", "date taken back", "flag")


def plot_timeline(events: pd.DataFrame, ax: Axes, *, people: Sequence[str] | None = None) -> Axes:
    """A rehearsal: days on x, a row for each person; what came in above its middle, dates given or lost below.

    A bar along the row shows how long somebody has had a date, which stands at its end (month and day); days in grey
    are Saturdays and Sundays.

    Parameters
    ----------
    events : as `support.analysis.organizing.timeline` gives it
    people : who is shown, the first on top; by default all on the list, or all who occur
    """
    need = ["day", "date", "person", "event", "slot"]
    if missing := [column for column in need if column not in events]:
        raise InvalidInput(f"timeline: columns {missing} missing; it has {list(events.columns)}")
    rows = list(people or events.attrs.get("people") or dict.fromkeys(events["person"]))
    last = int(events.attrs.get("days") or events["day"].max())
    place = {name: k for k, name in enumerate(rows)}
    shown = events[events["person"].isin(rows)]
    _weekends(events, ax, last)
    for name, slot, since, until in _held(shown, last):
        ax.plot([since, until], [place[name] + 0.24] * 2, color=COLOURS[2], linewidth=4, alpha=0.35)
        # A date that is held to the end stands outside, where the axis does not cross it out.
        end = (1, "axes fraction", 3) if until == last else (until, "data", 7)
        ax.annotate(_short(slot), (end[0], place[name] + 0.24), (end[2], 0), xycoords=(end[1], "data"),
                    textcoords="offset points", va="center", fontsize=6, annotation_clip=False)  # fmt: skip
    for event, (colour, mark, filled) in EVENTS.items():
        part = shown[shown["event"] == event]
        if not part.empty:
            ax.plot(part["day"], part["person"].map(place) + ASIDE.get(event, 0.0), mark, color=colour,
                    markersize=8 if event in LARGE else 5, markerfacecolor=colour if filled else "white",
                    label=event.replace("_", "-"), linestyle="")  # fmt: skip
    ax.set(xlabel="day of the rehearsal", yticks=range(len(rows)), xlim=(0.4, last + 0.6), ylim=(len(rows) - 0.5, -0.5))
    ax.set_yticklabels(rows)
    ax.locator_params("x", integer=True)
    if not shown.empty:
        ax.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), borderaxespad=4)
    return ax


def _weekends(events: pd.DataFrame, ax: Axes, last: int) -> None:
    if events.empty:
        return
    first = pd.Timestamp(events["date"].iloc[0]) - pd.Timedelta(days=int(events["day"].iloc[0]) - 1)
    for day in range(1, last + 1):
        if (first + pd.Timedelta(days=day - 1)).weekday() > 4:
            ax.axvspan(day - 0.5, day + 0.5, color=GREY, alpha=0.15, linewidth=0)


def _held(events: pd.DataFrame, last: int) -> list[tuple[str, str, int, int]]:
    """Who had which date from which day to which."""
    held: list[tuple[str, str, int, int]] = []
    since: dict[tuple[str, str], int] = {}
    for row in events.itertuples():
        key = str(row.person), str(row.slot)
        if row.event == "date given":
            since[key] = int(str(row.day))
        elif row.event == "date taken back" and key in since:
            held.append((*key, since.pop(key), int(str(row.day))))
    return held + [(*key, day, last) for key, day in since.items()]


def _short(slot: str) -> str:
    """A date as a label: 15 Sep."""
    day = pd.Timestamp(slot)
    return f"{day.day} {day:%b}"
