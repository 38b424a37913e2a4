"""Schedule preferences as structures: what free text says about the time of a meeting, and whether a slot fulfils it.

Times of day are texts "HH:MM" in the member's own zone, weekdays the English names. A preference is wanted with a
priority: 3 above all, 2 as a rule, 1 if possible.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from support.environments.meetings.checks import (
    WEEKDAYS,
    check_avoid,
    check_date,
    check_positive,
    check_priority,
    check_weekdays,
    check_window,
    minutes,
)
from support.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Situation:
    """A slot as one member sees it.

    `start` and `end` are moments in the member's zone; `sent` is when the invitation went out; `busy` holds the
    member's other events as (start, end) moments, None where nobody knows the calendar.
    """

    start: datetime
    end: datetime
    sent: datetime
    busy: tuple[tuple[datetime, datetime], ...] | None = None


@dataclass(frozen=True, slots=True)
class Preference(ABC):
    """One wish about a meeting's time."""

    kind: ClassVar[str] = ""

    priority: int = 2

    def __post_init__(self) -> None:
        check_priority(self.kind, self.priority)

    @abstractmethod
    def fulfilled(self, at: Situation) -> bool:
        """Whether a slot fulfils it."""

    def spec(self) -> dict[str, Any]:
        """Plain data that build the preference again."""
        rest = {f.name: getattr(self, f.name) for f in fields(self)}
        return {"kind": self.kind} | {k: list(v) if isinstance(v, tuple) else v for k, v in rest.items()}


@dataclass(frozen=True, slots=True)
class Window(Preference):
    """The meeting lies within a part of the day, or, with `avoid`, outside of it; on given weekdays only, or on all."""

    kind: ClassVar[str] = "window"

    start: str = "00:00"
    end: str = "24:00"
    avoid: bool = False
    weekdays: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Preference.__post_init__(self)
        check_window(self.kind, self.start, self.end)
        check_avoid(self.kind, self.avoid)
        check_weekdays(self.kind, self.weekdays)

    def fulfilled(self, at: Situation) -> bool:
        """Within the window, or clear of it; a day that the preference says nothing of is fine."""
        if self.weekdays and WEEKDAYS[at.start.weekday()] not in self.weekdays:
            return True
        start, end = _minutes_of(at)
        low, high = minutes(self.start), minutes(self.end)
        return end <= low or start >= high if self.avoid else low <= start and end <= high


@dataclass(frozen=True, slots=True)
class Focus(Window):
    """A block of the day kept free for work that needs quiet: a window to avoid, by another name."""

    kind: ClassVar[str] = "focus"

    avoid: bool = True

    def __post_init__(self) -> None:
        Window.__post_init__(self)
        if not self.avoid:
            raise InvalidInput("focus: avoid = false given; a focus block is kept free of meetings, write a window")


@dataclass(frozen=True, slots=True)
class Weekdays(Preference):
    """The meeting is on one of some weekdays, or, with `avoid`, on none of them."""

    kind: ClassVar[str] = "weekdays"

    weekdays: tuple[str, ...] = ()
    avoid: bool = False

    def __post_init__(self) -> None:
        Preference.__post_init__(self)
        check_weekdays(self.kind, self.weekdays)
        check_avoid(self.kind, self.avoid)
        if not self.weekdays:
            raise InvalidInput("weekdays: none given; expected at least one of " + ", ".join(WEEKDAYS))

    def fulfilled(self, at: Situation) -> bool:
        """By the weekday on which it begins."""
        return (WEEKDAYS[at.start.weekday()] in self.weekdays) != self.avoid


@dataclass(frozen=True, slots=True)
class Notice(Preference):
    """At least `hours` lie between the invitation and the meeting."""

    kind: ClassVar[str] = "notice"

    hours: int = 24

    def __post_init__(self) -> None:
        Preference.__post_init__(self)
        check_positive(self.kind, "hours", self.hours)

    def fulfilled(self, at: Situation) -> bool:
        """From when the invitation was sent to the start."""
        return at.start - at.sent >= timedelta(hours=self.hours)


@dataclass(frozen=True, slots=True)
class Gap(Preference):
    """At least `minutes` lie between the meeting and the member's other events."""

    kind: ClassVar[str] = "gap"

    minutes: int = 15

    def __post_init__(self) -> None:
        Preference.__post_init__(self)
        check_positive(self.kind, "minutes", self.minutes)

    def fulfilled(self, at: Situation) -> bool:
        """Judged on the member's calendar; without one, nothing is known to stand in the way."""
        room = timedelta(minutes=self.minutes)
        return all(end + room <= at.start or start >= at.end + room for start, end in at.busy or ())


@dataclass(frozen=True, slots=True)
class Deadline(Preference):
    """The meeting is over by a time on a weekday of its week."""

    kind: ClassVar[str] = "deadline"

    weekday: str = "Friday"
    time: str = "24:00"

    def __post_init__(self) -> None:
        Preference.__post_init__(self)
        check_weekdays(self.kind, (self.weekday,))
        minutes(self.time)

    def fulfilled(self, at: Situation) -> bool:
        """By the end of the meeting, in the member's zone."""
        limit = (WEEKDAYS.index(self.weekday), minutes(self.time))
        return (at.start.weekday(), _minutes_of(at)[1]) <= limit


@dataclass(frozen=True, slots=True)
class At(Preference):
    """One start: a time of day, on a date (ISO) or on any. An option that a member agrees to or asks for."""

    kind: ClassVar[str] = "at"

    time: str = "00:00"
    date: str | None = None

    def __post_init__(self) -> None:
        Preference.__post_init__(self)
        minutes(self.time)
        if self.date is not None:
            check_date(self.kind, self.date)

    def fulfilled(self, at: Situation) -> bool:
        """By its start, to the minute."""
        on_the_day = self.date is None or at.start.date() == date.fromisoformat(self.date)
        return on_the_day and _minutes_of(at)[0] == minutes(self.time)


@dataclass(frozen=True, slots=True)
class Flexible(Preference):
    """Any time will do."""

    kind: ClassVar[str] = "flexible"

    def fulfilled(self, at: Situation) -> bool:
        """Always."""
        return True


KINDS: Mapping[str, type[Preference]] = {
    made.kind: made for made in (Window, Focus, Weekdays, Notice, Gap, Deadline, At, Flexible)
}


def preference(spec: Mapping[str, Any]) -> Preference:
    """A preference from plain data.

    Raises
    ------
    InvalidInput
        On an unknown kind or field, or a value that does not fit; the message names it.

    Examples
    --------
    >>> preference({"kind": "window", "start": "09:00", "end": "12:00"}).priority
    2
    """
    rest = dict(spec)
    kind = rest.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidInput(f"preference: kind {kind!r} given; expected one of {', '.join(KINDS)}")
    known = {f.name for f in fields(KINDS[kind])}
    if unknown := set(rest) - known:
        raise InvalidInput(f"{kind}: {', '.join(sorted(unknown))} given; it takes {', '.join(sorted(known))}")
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in rest.items()}
    return KINDS[kind](**given)


def situation(
    start: datetime,
    duration: int,
    sent: datetime,
    zone: str,
    busy: Sequence[tuple[datetime, datetime]] | None = None,
) -> Situation:
    """A slot of `duration` minutes as a member in `zone` (an IANA name) sees it."""
    here = ZoneInfo(zone)
    # Sums and differences within one ZoneInfo go by the clock on the wall; in UTC they are what passes.
    end = start.astimezone(UTC) + timedelta(minutes=duration)
    taken = None if busy is None else tuple(busy)
    return Situation(start.astimezone(here), end.astimezone(here), sent.astimezone(UTC), taken)


def contradictions(preferences: Sequence[Preference]) -> list[str]:
    """Pairs that no slot of any length can fulfil together, in words: windows, weekdays and exact times that exclude
    each other.

    >>> contradictions([Window(start="09:00", end="11:00"), Window(start="13:00", end="15:00")])
    ['window 09:00 to 11:00 and window 13:00 to 15:00 exclude each other']
    """
    found = []
    for i, a in enumerate(preferences):
        for b in preferences[i + 1 :]:
            if _exclude(a, b) or _exclude(b, a):
                found.append(f"{_short(a)} and {_short(b)} exclude each other")
    return found


def _exclude(a: Preference, b: Preference) -> bool:
    if isinstance(a, Window) and isinstance(b, Window) and not a.avoid and not (a.weekdays or b.weekdays):
        low, high = (minutes(a.start), minutes(a.end)), (minutes(b.start), minutes(b.end))
        return high[0] <= low[0] and low[1] <= high[1] if b.avoid else low[1] <= high[0] or high[1] <= low[0]
    if isinstance(a, Weekdays) and isinstance(b, Weekdays) and not a.avoid:
        return set(a.weekdays) <= set(b.weekdays) if b.avoid else not set(a.weekdays) & set(b.weekdays)
    if isinstance(a, At) and isinstance(b, At):
        return a.time != b.time or (a.date is not None and b.date is not None and a.date != b.date)
    return False


def _short(given: Preference) -> str:
    avoid = "not " if getattr(given, "avoid", False) else ""
    if isinstance(given, Window):
        return f"{given.kind} {avoid}{given.start} to {given.end}"
    if isinstance(given, Weekdays):
        return f"weekdays {avoid}{', '.join(given.weekdays)}"
    return f"{given.kind} {getattr(given, 'time', '')}".strip()


def _minutes_of(at: Situation) -> tuple[int, int]:
    """Start and end in minutes after the start day's midnight, by the clock on the wall."""
    start = at.start.hour * 60 + at.start.minute
    days = (at.end.date() - at.start.date()).days
    return start, days * 24 * 60 + at.end.hour * 60 + at.end.minute
