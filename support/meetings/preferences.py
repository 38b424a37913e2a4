"""Wishes about a decision, as data: whether a slot fulfils one, and what a wish is worth.

A slot is what may be chosen: a start (an ISO moment, "2026-02-16T10:00-05:00") or a
venue (its name). Times of day are texts "HH:MM" on the member's own clock, weekdays
English names. A wish has a priority: above all (3), as a rule (2), if possible (1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import Annotated, Any, ClassVar, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

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

Time = Annotated[str, Field(pattern=r"^(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00)$")]
Weekday = Annotated[Day, alike(WEEKDAYS)]


class Strict(BaseModel):
    """What a file or a form says: whole, as it was checked, and nothing beside it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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
    here = ZoneInfo(zone)
    start = datetime.fromisoformat(slot).astimezone(UTC)
    end = start + timedelta(minutes=duration)
    return Situation(slot, start.astimezone(here), end.astimezone(here), sent)


class Venue(Strict):
    """A place as everybody sees it."""

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


class Preference(Strict):
    """One wish. `fulfilled` takes a slot as the member sees it."""

    speaks: ClassVar[bool] = True
    condition: ClassVar[bool] = False

    priority: Annotated[int, Field(ge=1, le=3)] = 2

    @property
    def supports(self) -> bool:
        """Whether it speaks for some slots. What only rules slots out does not."""
        rules_out = self.condition or getattr(self, "avoid", False)
        return self.speaks and not rules_out

    @property
    def binds(self) -> bool:
        """Whether the member does not come where it is not fulfilled."""
        return self.condition or self.priority == 3


def in_order(wish: Any) -> Any:
    """A wish whose span ends after its start; ValueError otherwise."""
    first, last = wish.span
    if first >= last:
        given = f"{wish.start} to {wish.end} given"
        raise ValueError(f"{given}; expected a start before the end")
    return wish


class Span(Strict):
    """From one time of a day to another."""

    start: Time
    end: Time
    _ordered = model_validator(mode="after")(in_order)

    @property
    def span(self) -> tuple[int, int]:
        """Start and end in minutes after midnight."""
        return minutes(self.start), minutes(self.end)


class Window(Span, Preference):
    """Within hours of the day or, with `avoid`, outside; on some weekdays or on all."""

    kind: Literal["window"] = "window"
    start: Time = "00:00"
    end: Time = "24:00"
    avoid: bool = False
    weekdays: tuple[Weekday, ...] = ()

    def fulfilled(self, at: Situation) -> bool:
        """A day of which the wish says nothing is fine."""
        if self.weekdays and WEEKDAYS[at.start.weekday()] not in self.weekdays:
            return True
        (start, end), (first, last) = at.span, self.span
        if self.avoid:
            return end <= first or last <= start
        return first <= start and end <= last


class Weekdays(Preference):
    """On one of some weekdays or, with `avoid`, on none of them."""

    kind: Literal["weekdays"] = "weekdays"
    weekdays: Annotated[tuple[Weekday, ...], Field(min_length=1)]
    avoid: bool = False

    def fulfilled(self, at: Situation) -> bool:
        """By the weekday of the start."""
        return (WEEKDAYS[at.start.weekday()] in self.weekdays) != self.avoid


class Notice(Preference):
    """At least `hours` lie between the invitation and the start."""

    kind: Literal["notice"] = "notice"
    speaks: ClassVar[bool] = False
    hours: Annotated[int, Field(ge=1)]

    def fulfilled(self, at: Situation) -> bool:
        """By when the invitation went out."""
        return at.start - at.sent >= timedelta(hours=self.hours)


class Gap(Preference):
    """At least `minutes` lie between the meeting and the member's other events."""

    kind: Literal["gap"] = "gap"
    speaks: ClassVar[bool] = False
    minutes: Annotated[int, Field(ge=1)]

    def fulfilled(self, at: Situation, busy: Iterable[Busy] = ()) -> bool:
        """By the events that are known."""
        room = timedelta(minutes=self.minutes)
        return all(at.clear(event, room) for event in busy)


class Deadline(Preference):
    """Over by a time on a weekday of its week."""

    kind: Literal["deadline"] = "deadline"
    weekday: Weekday
    time: Time = "24:00"

    def fulfilled(self, at: Situation) -> bool:
        """By the end of the meeting."""
        last = WEEKDAYS.index(self.weekday), minutes(self.time)
        return (at.start.weekday(), at.span[1]) <= last


class Flexible(Preference):
    """Anything will do."""

    kind: Literal["flexible"] = "flexible"

    def fulfilled(self, at: Any) -> bool:
        """Always."""
        return True


class Choice(Preference):
    """One slot that the member asks for, or agrees to; of a member's the last counts."""

    kind: Literal["choice"] = "choice"
    slot: str

    def fulfilled(self, at: Any) -> bool:
        """By that slot alone."""
        return at.slot == self.slot


# ---- what keeps a member away, and is no wish ----------------------------------------


class Busy(Preference):
    """Another event, from one ISO moment to another."""

    kind: Literal["busy"] = "busy"
    condition: ClassVar[bool] = True
    start: str
    end: str
    _ordered = model_validator(mode="after")(in_order)

    @cached_property
    def span(self) -> tuple[datetime, datetime]:
        """Start and end in UTC."""
        start, end = map(datetime.fromisoformat, (self.start, self.end))
        return start.astimezone(UTC), end.astimezone(UTC)

    def fulfilled(self, at: Situation) -> bool:
        """Clear of it."""
        return at.clear(self)


class Hours(Span, Preference):
    """The working day on the member's clock."""

    kind: Literal["hours"] = "hours"
    condition: ClassVar[bool] = True

    def fulfilled(self, at: Situation) -> bool:
        """Within it."""
        (start, end), (first, last) = at.span, self.span
        return first <= start and end <= last


# ---- wishes about venues --------------------------------------------------------------


class Feature(Preference):
    """A venue that has something or, with `avoid`, has it not."""

    kind: Literal["feature"] = "feature"
    feature: str
    avoid: bool = False

    def fulfilled(self, at: Venue) -> bool:
        """By what the venue has."""
        return (self.feature in at.features) != self.avoid


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


class Words(Preference):
    """A wish in words, with what they say as data; without data nobody understood it."""

    kind: Literal["words"] = "words"
    speaks: ClassVar[bool] = False
    text: str
    says: SkipJsonSchema[tuple[Stated, ...]] = ()


Wish = Annotated[Stated | Words, Field(discriminator="kind")]
KINDS = {made.__name__.lower(): made for made in Preference.__subclasses__()}


def understood(wishes: Iterable[Any]) -> tuple[Any, ...]:
    """Wishes as data: what words say in their place, each once."""
    found: list[Any] = []
    for wish in wishes:
        found += wish.says if isinstance(wish, Words) else [wish]
    return tuple(dict.fromkeys(found))
