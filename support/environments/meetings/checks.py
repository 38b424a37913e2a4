"""What the fields of a preference may hold; anything else is refused by field and value, with what was expected.

Times of day are texts "HH:MM" in the member's own zone, weekdays the English names.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from support.errors import InvalidInput

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PRIORITIES = {3: "above all", 2: "as a rule", 1: "if possible"}


def minutes(time: str) -> int:
    """Minutes after midnight of "HH:MM"; "24:00" is the end of the day.

    >>> minutes("09:30")
    570
    """
    hours, colon, rest = time.partition(":") if isinstance(time, str) else ("", "", "")
    if colon and hours.isdigit() and rest.isdigit() and len(rest) == 2:
        total = int(hours) * 60 + int(rest)
        if int(rest) < 60 and total <= 24 * 60:
            return total
    raise InvalidInput(f"time {time!r} given; expected a time of day between 00:00 and 24:00, as HH:MM")


def check_priority(kind: str, priority: Any) -> None:
    """One of `PRIORITIES`."""
    if isinstance(priority, bool) or priority not in PRIORITIES:
        raise InvalidInput(f"{kind}: priority {priority!r} given; expected 1, 2 or 3")


def check_avoid(kind: str, avoid: Any) -> None:
    """True or false, and nothing that merely counts as it."""
    if not isinstance(avoid, bool):
        raise InvalidInput(f"{kind}: avoid {avoid!r} given; expected true or false")


def check_window(kind: str, start: str, end: str) -> None:
    """Two times of one day, in their order."""
    if minutes(start) >= minutes(end):
        raise InvalidInput(f"{kind}: {start} to {end} given; expected a start before the end, on one day")


def check_weekdays(kind: str, names: Sequence[str]) -> None:
    """A sequence of names out of `WEEKDAYS`."""
    if isinstance(names, str) or (wrong := [n for n in names if n not in WEEKDAYS]):
        given = names if isinstance(names, str) else ", ".join(map(repr, wrong))
        raise InvalidInput(f"{kind}: {given} given; expected a list of weekdays out of {', '.join(WEEKDAYS)}")


def check_positive(kind: str, field: str, value: Any) -> None:
    """A whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(f"{kind}: {field} {value!r} given; expected a whole number of at least 1")


def check_date(kind: str, text: str) -> None:
    """An ISO date."""
    try:
        date.fromisoformat(text)
    except (TypeError, ValueError):
        raise InvalidInput(f"{kind}: date {text!r} given; expected YYYY-MM-DD") from None
