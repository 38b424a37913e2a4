"""Wishes about a decision, as data: whether a slot fulfils one, and what a wish is worth.

A slot is what may be chosen: a start (an ISO moment, "2026-02-16T10:00-05:00") or a
venue (its name). Times of day are texts "HH:MM" on the member's own clock, weekdays
English names. A wish has a priority: above all (3), as a rule (2), if possible (1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import Annotated, Any, ClassVar, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import ConfigDict, Field, TypeAdapter

from support.errors import InvalidInput
from support.prompts import listed
from support.spelling import alike

Day = Literal[
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
]
WEEKDAYS = get_args(Day)
STRICT = ConfigDict(extra="forbid")

Time = Annotated[str, Field(pattern=r"^(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00)$")]
Weekday = Annotated[Day, alike(WEEKDAYS)]
Priority = Annotated[int, Field(ge=1, le=3)]


@cache
def minutes(time: str) -> int:
    """Minutes after midnight of "HH:MM"; "24:00" is the end of the day."""
    hour, _, rest = time.partition(":")
    return int(hour) * 60 + int(rest)


def moment(start: datetime) -> str:
    """A moment as people read it.

    >>> moment(datetime(2026, 2, 16, 9, 30))
    'Monday 16 February at 09:30'
    """
    return f"{start:%A} {start.day} {start:%B} at {start:%H:%M}"


def short(start: datetime) -> str:
    """A moment as forms have it: "Mon 16 Feb 09:30"."""
    return f"{start:%a} {start.day} {start:%b} {start:%H:%M}"


@dataclass(frozen=True)
class Situation:
    """A start as one member sees it, on the member's clock."""

    slot: str
    start: datetime
    end: datetime
    sent: datetime

    @property
    def name(self) -> str:
        """The start in words."""
        return moment(self.start)

    @property
    def label(self) -> str:
        """The start in a form."""
        return short(self.start)

    @cached_property
    def span(self) -> tuple[int, int]:
        """Start and end in minutes after the start day's midnight, by the clock."""
        days = (self.end.date() - self.start.date()).days
        first = self.start.hour * 60 + self.start.minute
        last = days * 1440 + self.end.hour * 60 + self.end.minute
        return first, last

    def within(self, start: str, end: str) -> bool:
        """Whether it lies between two times of the start's day."""
        first, last = self.span
        return minutes(start) <= first and last <= minutes(end)

    def clear(self, busy: Busy, around: timedelta = timedelta(0)) -> bool:
        """Whether another event leaves so much time before and after."""
        first, last = busy.span
        return last + around <= self.start or self.end <= first - around


def situation(
    slot: str,
    duration: int,
    sent: datetime,
    zone: str,
) -> Situation:
    """A start of so many minutes as a member in an IANA zone sees it."""
    here, start = ZoneInfo(zone), datetime.fromisoformat(slot).astimezone(UTC)
    end = start + timedelta(minutes=duration)
    return Situation(
        slot,
        start.astimezone(here),
        end.astimezone(here),
        sent,
    )


@dataclass(frozen=True)
class Venue:
    """A place as everybody sees it."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    slot: str
    features: tuple[str, ...]
    price: int
    walk: int

    @property
    def name(self) -> str:
        """The venue's name, in words and in forms."""
        return self.slot

    label = name

    @property
    def shown(self) -> str:
        """With all that everybody knows of it."""
        has = f"{self.price} euros a head, {self.walk} minutes' walk"
        return f"{self.slot} ({has}; {listed(self.features)})"


# ---- wishes about times ---------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Preference:
    """One wish. `fulfilled` takes a slot as the member sees it."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    speaks: ClassVar[bool] = True
    condition: ClassVar[bool] = False

    priority: Priority = 2

    @property
    def supports(self) -> bool:
        """Whether it speaks for some slots. What only rules slots out does not."""
        return self.speaks and not getattr(self, "avoid", False)

    @property
    def binds(self) -> bool:
        """Whether the member does not come where it is not fulfilled."""
        return self.condition or self.priority == 3


@dataclass(frozen=True, kw_only=True)
class Window(Preference):
    """Within hours of the day or, with `avoid`, outside; on some weekdays or on all."""

    kind: Literal["window"] = "window"
    start: Time = "00:00"
    end: Time = "24:00"
    avoid: bool = False
    weekdays: tuple[Weekday, ...] = ()

    def __post_init__(self) -> None:
        if minutes(self.start) >= minutes(self.end):
            given = f"{self.start} to {self.end} given"
            raise InvalidInput(f"window: {given}; expected a start before the end")

    def fulfilled(self, at: Situation) -> bool:
        """A day of which the wish says nothing is fine."""
        if self.weekdays and WEEKDAYS[at.start.weekday()] not in self.weekdays:
            return True
        if not self.avoid:
            return at.within(self.start, self.end)
        start, end = at.span
        return end <= minutes(self.start) or start >= minutes(self.end)


@dataclass(frozen=True, kw_only=True)
class Weekdays(Preference):
    """On one of some weekdays or, with `avoid`, on none of them."""

    kind: Literal["weekdays"] = "weekdays"
    weekdays: Annotated[tuple[Weekday, ...], Field(min_length=1)]
    avoid: bool = False

    def fulfilled(self, at: Situation) -> bool:
        """By the weekday of the start."""
        return (WEEKDAYS[at.start.weekday()] in self.weekdays) != self.avoid


@dataclass(frozen=True, kw_only=True)
class Notice(Preference):
    """At least `hours` lie between the invitation and the start."""

    kind: Literal["notice"] = "notice"
    speaks: ClassVar[bool] = False
    hours: Annotated[int, Field(ge=1)]

    def fulfilled(self, at: Situation) -> bool:
        """By when the invitation went out."""
        return at.start - at.sent >= timedelta(hours=self.hours)


@dataclass(frozen=True, kw_only=True)
class Gap(Preference):
    """At least `minutes` lie between the meeting and the member's other events."""

    kind: Literal["gap"] = "gap"
    speaks: ClassVar[bool] = False
    minutes: Annotated[int, Field(ge=1)]

    def fulfilled(self, at: Situation, busy: Iterable[Busy] = ()) -> bool:
        """By the events that are known."""
        room = timedelta(minutes=self.minutes)
        return all(at.clear(event, room) for event in busy)


@dataclass(frozen=True, kw_only=True)
class Deadline(Preference):
    """Over by a time on a weekday of its week."""

    kind: Literal["deadline"] = "deadline"
    weekday: Weekday
    time: Time = "24:00"

    def fulfilled(self, at: Situation) -> bool:
        """By the end of the meeting."""
        last = WEEKDAYS.index(self.weekday), minutes(self.time)
        return (at.start.weekday(), at.span[1]) <= last


@dataclass(frozen=True, kw_only=True)
class Flexible(Preference):
    """Anything will do."""

    kind: Literal["flexible"] = "flexible"

    def fulfilled(self, at: Any) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, kw_only=True)
class Choice(Preference):
    """One slot that the member asks for, or agrees to; of a member's the last counts."""

    kind: Literal["choice"] = "choice"
    slot: str

    def fulfilled(self, at: Any) -> bool:
        """By that slot alone."""
        return at.slot == self.slot


# ---- what keeps a member away, and is no wish ----------------------------------------


@dataclass(frozen=True, kw_only=True)
class Busy(Preference):
    """Another event, from one ISO moment to another."""

    kind: Literal["busy"] = "busy"
    speaks: ClassVar[bool] = False
    condition: ClassVar[bool] = True
    start: str
    end: str

    def __post_init__(self) -> None:
        if self.start >= self.end:
            given = f"{self.start} to {self.end} given"
            raise InvalidInput(f"busy: {given}; expected a start before the end")

    @cached_property
    def span(self) -> tuple[datetime, datetime]:
        """Start and end in UTC."""
        start, end = map(datetime.fromisoformat, (self.start, self.end))
        return start.astimezone(UTC), end.astimezone(UTC)

    def fulfilled(self, at: Situation) -> bool:
        """Clear of it."""
        return at.clear(self)


@dataclass(frozen=True, kw_only=True)
class Hours(Preference):
    """The working day on the member's clock."""

    kind: Literal["hours"] = "hours"
    speaks: ClassVar[bool] = False
    condition: ClassVar[bool] = True
    start: Time
    end: Time

    def fulfilled(self, at: Situation) -> bool:
        """Within it."""
        return at.within(self.start, self.end)


# ---- wishes about venues --------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Feature(Preference):
    """A venue that has something or, with `avoid`, has it not."""

    kind: Literal["feature"] = "feature"
    feature: str
    avoid: bool = False

    def fulfilled(self, at: Venue) -> bool:
        """By what the venue has."""
        return (self.feature in at.features) != self.avoid


@dataclass(frozen=True, kw_only=True)
class Limit(Preference):
    """A price (euros a head) or a walk (minutes) of at most so much."""

    kind: Literal["limit"] = "limit"
    of: Literal["price", "walk"]
    most: Annotated[int, Field(ge=0)]

    def fulfilled(self, at: Venue) -> bool:
        """By the venue's number."""
        return getattr(at, self.of) <= self.most


# ---- words ----------------------------------------------------------------------------

Stated = Annotated[
    Window
    | Weekdays
    | Notice
    | Gap
    | Deadline
    | Flexible
    | Choice
    | Busy
    | Hours
    | Feature
    | Limit,
    Field(discriminator="kind"),
]


@dataclass(frozen=True, kw_only=True)
class Words(Preference):
    """A wish in words, with what they say as data; without data nobody understood it."""

    kind: Literal["words"] = "words"
    speaks: ClassVar[bool] = False
    text: str
    says: tuple[Stated, ...] = ()


Wish = Annotated[Stated | Words, Field(discriminator="kind")]
KINDS = {made.kind: made for made in (*get_args(get_args(Stated)[0]), Words)}
_WISH: TypeAdapter[Any] = TypeAdapter(Wish)


def preference(spec: Mapping[str, Any]) -> Any:
    """A wish from plain data; ValueError (of pydantic) where they do not fit."""
    return _WISH.validate_python(dict(spec))


def understood(wishes: Iterable[Any]) -> tuple[Any, ...]:
    """Wishes as data: what words say in their place, each once."""
    found: list[Any] = []
    for wish in wishes:
        found += wish.says if isinstance(wish, Words) else [wish]
    return tuple(dict.fromkeys(found))
