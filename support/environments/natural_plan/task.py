"""What a NaturalPlan problem says, as data. Times of the day are minutes since midnight, intervals half-open."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from support.errors import InvalidInput
from support.solvers.scheduling_problem import merged

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")

MIDNIGHT = 24 * 60


@dataclass(frozen=True, slots=True, order=True)
class DaySlot:
    """A time on a day of the week.

    >>> DaySlot.read("Here is the proposed time: Monday, 14:30 - 15:30")
    DaySlot(day='Monday', start=870, end=930)
    >>> str(_)
    'Monday, 14:30 - 15:30'
    """

    day: str
    start: int
    end: int

    @classmethod
    def read(cls, text: str) -> DaySlot:
        """The slot in a plan's words.

        Raises
        ------
        InvalidInput
            When there is not exactly one.
        """
        found = re.findall(rf"({'|'.join(DAYS)}), (\d?\d:\d\d) - (\d?\d:\d\d)", text)
        if len(found) != 1:
            raise InvalidInput(f"plan {text!r}: {len(found)} slots found; expected one like Monday, 14:30 - 15:30.")
        day, start, end = found[0]
        return cls(day, minutes(start), minutes(end))

    def __str__(self) -> str:
        return f"{self.day}, {clock_time(self.start)} - {clock_time(self.end)}"


@dataclass(frozen=True, slots=True, order=True)
class Busy:
    """A block in somebody's calendar."""

    person: str
    day: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, order=True)
class Limit:
    """A stated preference against a part of a day, [start, end), and the sentence that stated it."""

    person: str
    day: str
    start: int
    end: int
    said: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """A meeting to schedule: who, how long (minutes), when at all, what stands against it.

    `days` and `hours` are the allowed days and the working hours of each; `earliest` asks for the first slot that
    works. Everybody in `people` has to be there.
    """

    people: tuple[str, ...]
    duration: int
    days: tuple[str, ...]
    hours: tuple[int, int]
    busy: tuple[Busy, ...] = ()
    limits: tuple[Limit, ...] = ()
    earliest: bool = False

    @property
    def meaning(self) -> tuple[object, ...]:
        """What it comes to, whatever the order and the way of saying it: equal for two readings of the same text."""
        return (
            frozenset(self.people),
            self.duration,
            frozenset(self.days),
            self.hours,
            taken(self.busy),
            taken(self.limits),
            self.earliest,
        )


def taken(items: Iterable[Busy | Limit]) -> frozenset[tuple[str, str, int, int]]:
    """(person, day, start, end) of blocks, overlapping and touching ones made one."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for item in items:
        found.setdefault((item.person, item.day), []).append((item.start, item.end))
    return frozenset((*key, *span) for key, spans in found.items() for span in merged(spans))


def minutes(time: str) -> int:
    """Minutes since midnight.

    >>> minutes("9:30")
    570
    """
    found = re.fullmatch(r"(\d?\d):(\d\d)", time.strip())
    if not found or int(found[2]) > 59 or int(found[1]) * 60 + int(found[2]) > MIDNIGHT:
        raise InvalidInput(f"time {time!r}: expected hours and minutes from 0:00 to 24:00, such as 9:30.")
    return int(found[1]) * 60 + int(found[2])


def clock_time(minute: int) -> str:
    """Minutes since midnight as the problems write them.

    >>> clock_time(570)
    '9:30'
    """
    return f"{minute // 60}:{minute % 60:02d}"
