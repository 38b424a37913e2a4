"""Preferences said again in one compact sentence each, in words that the reader reads back exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from support.environments.meetings.preferences import (
    At,
    Deadline,
    Flexible,
    Focus,
    Gap,
    Notice,
    Preference,
    Weekdays,
    Window,
)

_ENDING = {1: ", if possible", 2: "", 3: ", above all"}


def restate(given: Preference) -> str:
    """One sentence in the third person, without a subject or a full stop, that `read` gives back exactly.

    Times stay in the speaker's own zone.

    >>> restate(Window(3, "09:00", "12:00"))
    'Prefers meetings between 09:00 and 12:00, above all'
    """
    return _SENTENCES[type(given)](given) + _ENDING[given.priority]


def _window(w: Window) -> str:
    return f"{'Avoids' if w.avoid else 'Prefers'} meetings {_hours(w)}{_on(w.weekdays)}"


def _hours(w: Window) -> str:
    if w.start == "00:00" and w.end != "24:00":
        return f"before {w.end}"
    if w.end == "24:00" and w.start != "00:00":
        return f"after {w.start}"
    return f"between {w.start} and {w.end}"


def _at(a: At) -> str:
    if a.date is None:
        return f"Asks for {a.time}"
    day = date.fromisoformat(a.date)
    return f"Asks for {day:%A} {day.day} {day:%B} {day.year:04d} at {a.time}"


def _on(weekdays: Sequence[str]) -> str:
    return f" on {_list(weekdays)}" if weekdays else ""


def _list(weekdays: Sequence[str]) -> str:
    names = [f"{day}s" for day in weekdays]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _some(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


_SENTENCES: dict[type[Preference], Callable[[Any], str]] = {
    Window: _window,
    Focus: lambda f: f"Keeps {f.start} to {f.end} free for focused work{_on(f.weekdays)}",
    Weekdays: lambda d: f"{'Avoids' if d.avoid else 'Prefers'} meetings{_on(d.weekdays)}",
    Notice: lambda n: f"Wants at least {_some(n.hours, 'hour')} of notice",
    Gap: lambda g: f"Wants at least {_some(g.minutes, 'minute')} between meetings",
    Deadline: lambda d: f"Wants the meeting done by {d.weekday} at {d.time}",
    At: _at,
    Flexible: lambda f: "Is flexible about the time",
}
