"""A sentence with marks in the place of its time expressions.

A marked sentence reads "no meetings @w1 on @d0", with what the marks stand for beside it: `t` a time of day, `w` a
window, `d` weekdays, `a` a date, `u` an amount of time. The rules then look at the few words that remain.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

END = 24 * 60


@dataclass(frozen=True, slots=True)
class Span:
    """A window in minutes after midnight, with the part of the day it is named by and the way in which it is said."""

    start: int
    end: int
    part: str | None = None
    via: str = ""

    @property
    def open(self) -> bool:
        """Whether one side of it is not said."""
        return self.start == 0 or self.end == END


@dataclass(frozen=True, slots=True)
class Day:
    """A date, ISO or None where the year is unknown, and its weekday if known."""

    iso: str | None
    weekday: str | None


@dataclass
class Marked:
    """A sentence with marks in place of time expressions."""

    text: str
    times: dict[str, int] = field(default_factory=dict)
    windows: dict[str, Span] = field(default_factory=dict)
    weekdays: dict[str, tuple[str, ...]] = field(default_factory=dict)
    dates: dict[str, Day] = field(default_factory=dict)
    amounts: dict[str, int] = field(default_factory=dict)
    plural: set[str] = field(default_factory=set)

    def put(self, kind: str, value: Any) -> str:
        """Note a value; gives the mark to write in its place."""
        kinds: dict[str, dict[str, Any]] = {
            "t": self.times,
            "w": self.windows,
            "d": self.weekdays,
            "a": self.dates,
            "u": self.amounts,
        }
        name = f"@{kind}{sum(map(len, kinds.values()))}"
        kinds[kind][name] = value
        return name

    def replace(self, pattern: str, make: Callable[[re.Match[str]], str]) -> None:
        """Write marks in place of what a pattern finds."""
        self.text = re.sub(pattern, make, self.text)


def clock(minutes: int) -> str:
    """ "HH:MM" of minutes after midnight.

    >>> clock(570)
    '09:30'
    """
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
