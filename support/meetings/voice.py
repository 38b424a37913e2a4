"""The sentences of rule-based members: varied wordings of each preference, in the first person.

A full sentence and a fragment say all that the structure holds: hours, weekdays, lengths and priority. A vague sentence
holds back the hours, as people often do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np

from support.english import say
from support.meetings.preferences import (
    At,
    Deadline,
    Focus,
    Gap,
    Notice,
    Preference,
    Weekdays,
    Window,
    minutes,
)

TOLD = "members"
NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
LENGTHS = {
    15: "a quarter of an hour",
    30: "half an hour",
    45: "three quarters of an hour",
    60: "an hour",
}
IN_PART = {
    "early morning": "early in the morning",
    "morning": "in the morning",
    "lunchtime": "at lunchtime",
    "afternoon": "in the afternoon",
    "late afternoon": "late in the afternoon",
    "evening": "in the evening",
}


@dataclass(frozen=True)
class Voice:
    """How one member words things; `twelve` reads the clock in twelve hours ("2 pm"), else in twenty-four ("14:00")."""

    rng: np.random.Generator
    twelve: bool = False

    def say(self, act: str, /, **slots: object) -> str:
        """One sentence of an act, filled with its slots and capitalised."""
        text = say(TOLD, act, self.rng, **slots)
        return text[0].upper() + text[1:]

    def full(self, given: Preference) -> str:
        """A sentence that says the preference and its priority."""
        given = _plain(given)
        return self.say(f"{act(given)} {given.priority}", **self._slots(given))

    def short(self, given: Preference) -> str:
        """The preference as a fragment, with its priority unless that is the usual one."""
        given = _plain(given)
        text = self.say(f"short {act(given)}", **self._slots(given))
        return (
            text
            if given.priority == 2
            else f"{text[:-1]}, {say(TOLD, f'short {given.priority}', self.rng)}"
        )

    def vague(self, given: Preference) -> str | None:
        """The preference with a part of the day in the place of its hours; None where it has no such part."""
        if not isinstance(given, Window) or (part := part_of_day(given)) is None:
            return None
        parts = f"{listed(given.weekdays, '')} {part}s".strip()
        slots = self._slots(given) | {"part": IN_PART[part], "parts": parts}
        return self.say(f"vague {act(given)} {given.priority}", **slots)

    def time(self, text: str) -> str:
        """A time of day by the member's clock."""
        hour, minute = divmod(minutes(text), 60)
        if hour == 24:
            return "midnight"
        if not self.twelve:
            return f"{hour:02d}:{minute:02d}"
        if (hour, minute) == (12, 0):
            return "noon"
        return f"{(hour - 1) % 12 + 1}{f':{minute:02d}' if minute else ''} {'am' if hour < 12 else 'pm'}"

    def moment(self, start: datetime) -> str:
        """A start in the member's zone: weekday, day, month and time."""
        return f"{_day(start)} at {self.time(f'{start:%H:%M}')}"

    def span(self, start: str, end: str) -> str:
        """A part of the day, with one bound where the other is the day's own."""
        open_start, open_end = minutes(start) == 0, minutes(end) == 24 * 60
        if open_start and open_end:
            return "at any time of the day"
        if open_start:
            return f"before {self.time(end)}"
        if open_end:
            return (f"after {self.time(start)}", f"from {self.time(start)} on")[
                self.rng.integers(2)
            ]
        first, last = self.time(start), self.time(end)
        if self.twelve and first[-3:] == last[-3:] and first != "noon":
            first = first[:-3]  # "between 9 and 11 am"
        return (f"between {first} and {last}", f"from {first} to {last}")[
            self.rng.integers(2)
        ]

    def _slots(self, given: Preference) -> dict[str, str]:
        if isinstance(given, Window):
            days = f"on {listed(given.weekdays)}" if given.weekdays else ""
            when = self.span(given.start, given.end)
            return {
                "when": when,
                "on": days and f"{days}, ",
                "days": days and f" {days}",
            }
        if isinstance(given, Weekdays):
            return {"names": listed(given.weekdays)}
        if isinstance(given, Notice | Gap):
            return {"length": duration(given)}
        if isinstance(given, Deadline):
            whole = minutes(given.time) == 24 * 60
            return {
                "limit": f"the end of {given.weekday}"
                if whole
                else f"{self.time(given.time)} on {given.weekday}"
            }
        if isinstance(given, At):
            day = f"on {_day(date.fromisoformat(given.date))} " if given.date else ""
            return {"time": f"{day}at {self.time(given.time)}"}
        return {}


def act(given: Preference) -> str:
    """The preference's key in the wordings, without its priority."""
    return (
        f"{given.kind} avoid"
        if getattr(given, "avoid", False) and given.kind != Focus.kind
        else given.kind
    )


def listed(weekdays: Sequence[str], plural: str = "s") -> str:
    """Weekdays in a row, as recurring days."""
    names = [f"{day}{plural}" for day in weekdays]
    return (
        f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
    )


def duration(given: Notice | Gap) -> str:
    """How long a notice or a gap is.

    >>> duration(Notice(hours=48)), duration(Notice(hours=4)), duration(Gap(minutes=15))
    ('two days', 'four hours', 'a quarter of an hour')
    """
    if isinstance(given, Gap):
        return LENGTHS.get(given.minutes) or f"{given.minutes} minutes"
    count, unit = (
        (given.hours // 24, "day") if given.hours % 24 == 0 else (given.hours, "hour")
    )
    if count == 1:
        return "a day" if unit == "day" else "an hour"
    return f"{NUMBERS[count] if count < len(NUMBERS) else count} {unit}s"


def part_of_day(given: Window) -> str | None:
    """The part of the day that people would call a window or a focus block; None for one that spans several."""
    start, end = minutes(given.start) / 60, minutes(given.end) / 60
    if start >= 11 and end <= 14.5:
        return "lunchtime"
    if end <= 13:
        return "early morning" if end <= 10 else "morning"
    if start >= 17:
        return "evening"
    if start >= 12:
        return "late afternoon" if start >= 15 else "afternoon"
    return None


def _plain(given: Preference) -> Preference:
    """A whole day to avoid on some weekdays is those weekdays to avoid, and is said so."""
    whole = (
        isinstance(given, Window)
        and minutes(given.start) == 0
        and minutes(given.end) == 24 * 60
    )
    if isinstance(given, Window) and whole and given.avoid and given.weekdays:
        return Weekdays(given.priority, given.weekdays, avoid=True)
    return given


def _day(of: date) -> str:
    return f"{of:%A} {of.day} {of:%B}"
