"""Wishes about a meeting's time: what free text says of it as structures, and whether a slot fulfils them.

Times of day are texts "HH:MM" on the member's own clock, weekdays the English names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter

from support.errors import InvalidInput

WEEKDAYS = (
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
)
STRICT = ConfigDict(extra="forbid")


def minutes(time: str) -> int:
    """Minutes after midnight of "HH:MM"; "24:00" is the end of the day."""
    hour, _, rest = time.partition(":")
    return int(hour) * 60 + int(rest)


# Checked where files are read; whoever builds these in code is trusted.
Time = Annotated[str, Field(pattern=r"^(([01]?\d|2[0-3]):[0-5]\d|24:00)$")]
Weekday = Annotated[str, Field(pattern=rf"^({'|'.join(WEEKDAYS)})$")]
Date = Annotated[str, AfterValidator(lambda text: date.fromisoformat(text).isoformat())]


@dataclass(frozen=True, slots=True)
class Situation:
    """A slot as one member sees it: moments in the member's zone, when the invitation went out, and the member's other
    events as (start, end), None where nobody knows the calendar."""

    start: datetime
    end: datetime
    sent: datetime
    busy: tuple[tuple[datetime, datetime], ...] | None = None

    @property
    def span(self) -> tuple[int, int]:
        """Start and end in minutes after the start day's midnight, by the clock on the wall."""
        days = (self.end.date() - self.start.date()).days
        return (
            self.start.hour * 60 + self.start.minute,
            days * 1440 + self.end.hour * 60 + self.end.minute,
        )


@dataclass(frozen=True)
class Preference:
    """One wish about a meeting's time, wanted above all (3), as a rule (2) or if possible (1)."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    kind: ClassVar[str] = ""

    priority: Annotated[int, Field(ge=1, le=3)] = 2

    def fulfilled(self, at: Situation) -> bool:
        """Whether a slot fulfils it."""
        raise NotImplementedError

    def spec(self) -> dict[str, Any]:
        """Plain data that build it again."""
        return {"kind": self.kind, **plain(self)}


@dataclass(frozen=True)
class Window(Preference):
    """Within a part of the day, or, with `avoid`, outside of it; on given weekdays only, or on all."""

    kind = "window"
    start: Time = "00:00"
    end: Time = "24:00"
    avoid: bool = False
    weekdays: tuple[Weekday, ...] = ()

    def __post_init__(self) -> None:
        if minutes(self.start) >= minutes(self.end):
            raise InvalidInput(
                f"{self.kind}: {self.start} to {self.end} given; expected a start before the end"
            )

    def fulfilled(self, at: Situation) -> bool:
        """Within the window, or clear of it; a day that the preference says nothing of is fine."""
        if self.weekdays and WEEKDAYS[at.start.weekday()] not in self.weekdays:
            return True
        (start, end), low, high = at.span, minutes(self.start), minutes(self.end)
        return (
            end <= low or start >= high if self.avoid else low <= start and end <= high
        )


@dataclass(frozen=True)
class Focus(Window):
    """A block of the day kept free for work that needs quiet: a window to avoid, by another name."""

    kind = "focus"
    avoid: Literal[True] = True


@dataclass(frozen=True)
class Weekdays(Preference):
    """On one of some weekdays, or, with `avoid`, on none of them."""

    kind = "weekdays"
    weekdays: tuple[Weekday, ...] = ()
    avoid: bool = False

    def __post_init__(self) -> None:
        if not self.weekdays:
            raise InvalidInput(
                f"weekdays: none given; expected at least one of {', '.join(WEEKDAYS)}"
            )

    def fulfilled(self, at: Situation) -> bool:
        """By the weekday on which it begins."""
        return (WEEKDAYS[at.start.weekday()] in self.weekdays) != self.avoid


@dataclass(frozen=True)
class Notice(Preference):
    """At least `hours` lie between the invitation and the meeting."""

    kind = "notice"
    hours: Annotated[int, Field(ge=1)] = 24

    def fulfilled(self, at: Situation) -> bool:
        """From when the invitation was sent to the start."""
        return at.start - at.sent >= timedelta(hours=self.hours)


@dataclass(frozen=True)
class Gap(Preference):
    """At least `minutes` lie between the meeting and the member's other events."""

    kind = "gap"
    minutes: Annotated[int, Field(ge=1)] = 15

    def fulfilled(self, at: Situation) -> bool:
        """Judged on the member's calendar; without one, nothing is known to stand in the way."""
        room = timedelta(minutes=self.minutes)
        return all(
            end + room <= at.start or start >= at.end + room
            for start, end in at.busy or ()
        )


@dataclass(frozen=True)
class Deadline(Preference):
    """Over by a time on a weekday of its week."""

    kind = "deadline"
    weekday: Weekday = "Friday"
    time: Time = "24:00"

    def fulfilled(self, at: Situation) -> bool:
        """By the end of the meeting, in the member's zone."""
        return (at.start.weekday(), at.span[1]) <= (
            WEEKDAYS.index(self.weekday),
            minutes(self.time),
        )


@dataclass(frozen=True)
class At(Preference):
    """One start: a time of day, on a date (ISO) or on any. An option that a member agrees to or asks for."""

    kind = "at"
    time: Time = "00:00"
    date: Date | None = None

    def fulfilled(self, at: Situation) -> bool:
        """By its start, to the minute."""
        return at.span[0] == minutes(self.time) and self.date in (
            None,
            at.start.date().isoformat(),
        )


@dataclass(frozen=True)
class Flexible(Preference):
    """Any time will do."""

    kind = "flexible"

    def fulfilled(self, at: Situation) -> bool:
        """Always."""
        return True


KINDS: Mapping[str, type[Preference]] = {
    made.kind: made
    for made in (Window, Focus, Weekdays, Notice, Gap, Deadline, At, Flexible)
}


def preference(spec: Mapping[str, Any]) -> Preference:
    """A preference from plain data; ValueError (of pydantic) where they do not fit."""
    rest = dict(spec)
    kind = rest.pop("kind", None)
    if kind not in KINDS:
        raise InvalidInput(
            f"preference: kind {kind!r} given; expected one of {', '.join(KINDS)}"
        )
    return TypeAdapter(KINDS[kind]).validate_python(rest)


def situation(
    start: datetime, duration: int, sent: datetime, zone: str, busy: Any = None
) -> Situation:
    """A slot of `duration` minutes as a member in `zone` (an IANA name) sees it."""
    here = ZoneInfo(zone)
    # Sums and differences within one ZoneInfo go by the clock on the wall; in UTC they are what passes.
    end = start.astimezone(UTC) + timedelta(minutes=duration)
    return Situation(
        start.astimezone(here), end.astimezone(here), sent.astimezone(UTC), busy
    )


WEEK = [
    datetime(2026, 1, day, *divmod(m, 60), tzinfo=UTC)
    for day in range(5, 10)
    for m in range(480, 1080, 30)
]
"""The half hours of a working week from 08:00 to 18:00."""


@lru_cache(maxsize=1024)
def breadth(wish: Preference) -> float:
    """The share of a working week's half hours that fulfil a wish, of somebody with nothing else in the calendar."""
    long_ago = datetime(2025, 1, 1, tzinfo=UTC)
    return sum(
        wish.fulfilled(situation(start, 30, long_ago, "UTC")) for start in WEEK
    ) / len(WEEK)


def contradictions(
    preferences: Sequence[Preference],
) -> list[tuple[Preference, Preference]]:
    """Pairs that no slot of any length can fulfil together: windows, weekdays, exact times."""
    return [
        (a, b)
        for a, b in combinations(preferences, 2)
        if _exclude(a, b) or _exclude(b, a)
    ]


def _exclude(a: Preference, b: Preference) -> bool:
    if (
        isinstance(a, Window)
        and isinstance(b, Window)
        and not a.avoid
        and not (a.weekdays or b.weekdays)
    ):
        low, high = (
            (minutes(a.start), minutes(a.end)),
            (minutes(b.start), minutes(b.end)),
        )
        return (
            high[0] <= low[0] and low[1] <= high[1]
            if b.avoid
            else low[1] <= high[0] or high[1] <= low[0]
        )
    if isinstance(a, Weekdays) and isinstance(b, Weekdays) and not a.avoid:
        return (
            set(a.weekdays) <= set(b.weekdays)
            if b.avoid
            else not set(a.weekdays) & set(b.weekdays)
        )
    if isinstance(a, At) and isinstance(b, At):
        return a.time != b.time or (None not in (a.date, b.date) and a.date != b.date)
    return False


def plain(given: Any) -> dict[str, Any]:
    """A record as plain data."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in vars(given).items()
    }
