"""A meeting that waits for its time: who invites whom, to what, for how long, and the slots that come into question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from support.errors import InvalidInput

FIRST, LAST = time(8, 0), time(18, 0)
"""The organiser's day, in the organiser's zone: no slot begins earlier or ends later."""

STEP = 30
"""Minutes from one slot's start to the next."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """One meeting of the synthetic company (Table 5 of the paper; `days`, `sent` and `zone` are ours).

    Attributes
    ----------
    id : str
    organiser, members : who invites, and the group whose preferences count; the organiser is not among the members.
    subject, invitation : what it is about, and the text that members get.
    date : ISO date of the first day in question.
    days : how many working days from `date` on come into question (1 in the paper).
    duration : minutes.
    required : members without whom the organiser will not meet.
    sent : ISO moment, with offset, at which the invitation went out.
    zone : the organiser's IANA time zone.
    """

    id: str
    organiser: str
    members: tuple[str, ...]
    subject: str
    date: str
    duration: int
    invitation: str
    sent: str
    zone: str
    required: tuple[str, ...] = ()
    days: int = 1

    def __post_init__(self) -> None:
        _check_people(self)
        _check_date(self)
        _check_zone(f"meeting {self.id}", self.zone)
        if isinstance(self.duration, bool) or not isinstance(self.duration, int) or not 5 <= self.duration <= 600:
            raise InvalidInput(f"meeting {self.id}: duration {self.duration!r} given; expected 5 to 600 minutes")
        if isinstance(self.days, bool) or not isinstance(self.days, int) or not 1 <= self.days <= 20:
            raise InvalidInput(f"meeting {self.id}: days {self.days!r} given; expected 1 to 20 working days")
        if _moment(self, self.sent) >= self.slots()[-1]:
            raise InvalidInput(f"meeting {self.id}: sent {self.sent}; expected a moment before {self.slots()[-1]}")

    def slots(self, step: int = STEP) -> tuple[datetime, ...]:
        """Every start that comes into question, in order, in the organiser's zone."""
        day, found, zone = date.fromisoformat(self.date), [], ZoneInfo(self.zone)
        for _ in range(self.days):
            while day.weekday() > 4:
                day += timedelta(days=1)
            minute, last = FIRST.hour * 60, LAST.hour * 60 - self.duration
            starts = range(minute, last + 1, step)
            found += [datetime(day.year, day.month, day.day, m // 60, m % 60, tzinfo=zone) for m in starts]
            day += timedelta(days=1)
        return tuple(found)

    def slot(self, start: str) -> datetime:
        """The moment of an option's start, checked to be one that comes into question.

        Raises
        ------
        InvalidInput
            When it is no moment, or none of `slots`.
        """
        moment = _moment(self, start)
        if moment not in self.slots():
            first, last = self.slots()[0], self.slots()[-1]
            raise InvalidInput(
                f"start: {start!r} given; expected one of the {len(self.slots())} slots of meeting {self.id}, every "
                f"{STEP} minutes from {first.isoformat(timespec='minutes')} to {last.isoformat(timespec='minutes')}"
            )
        return moment.astimezone(ZoneInfo(self.zone))

    @property
    def sent_at(self) -> datetime:
        """When the invitation went out."""
        return _moment(self, self.sent)

    def spec(self) -> dict[str, Any]:
        """Plain data that build the meeting again."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}


def meeting(spec: Mapping[str, Any]) -> Meeting:
    """A meeting from plain data.

    Raises
    ------
    InvalidInput
        When a field is missing, unknown or does not fit.
    """
    known = {f.name for f in fields(Meeting)}
    needed = known - {"required", "days"}
    if (missing := needed - set(spec)) or set(spec) - known:
        wrong = f"lacks {', '.join(sorted(missing))}" if missing else f"has {', '.join(sorted(set(spec) - known))}"
        raise InvalidInput(f"meeting {spec.get('id', '?')}: {wrong}; expected {', '.join(sorted(known))}")
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in spec.items()}
    return Meeting(**given)


def iso(start: datetime) -> str:
    """A start as records hold it.

    >>> iso(datetime(2026, 2, 16, 10, tzinfo=ZoneInfo("America/New_York")))
    '2026-02-16T10:00-05:00'
    """
    return start.isoformat(timespec="minutes")


def in_words(start: datetime) -> str:
    """A start as people read it.

    >>> in_words(datetime(2026, 2, 16, 9, 30))
    'Monday 16 February at 09:30'
    """
    return f"{start:%A} {start.day} {start:%B} at {start:%H:%M}"


def _check_date(given: Meeting) -> None:
    try:
        weekend = date.fromisoformat(given.date).weekday() > 4
    except (TypeError, ValueError):
        weekend = True
    if weekend:
        raise InvalidInput(f"meeting {given.id}: date {given.date!r} given; expected a working day as YYYY-MM-DD")


def _check_people(given: Meeting) -> None:
    for field in ("members", "required"):
        if isinstance(getattr(given, field), str):
            raise InvalidInput(f"meeting {given.id}: {field} {getattr(given, field)!r} given; expected a list of names")
    if not given.members:
        raise InvalidInput(f"meeting {given.id}: no members given; expected at least one besides the organiser")
    if len(set(given.members)) < len(given.members):
        raise InvalidInput(f"meeting {given.id}: members {list(given.members)} given; expected each one once")
    if given.organiser in given.members:
        raise InvalidInput(f"meeting {given.id}: the organiser {given.organiser} is among the members; leave one out")
    if strangers := [r for r in given.required if r not in given.members]:
        raise InvalidInput(f"meeting {given.id}: required {strangers} given; expected some of {list(given.members)}")


def _check_zone(what: str, name: str) -> None:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError, TypeError):  # a folder of zones is an OSError
        raise InvalidInput(f"{what}: time zone {name!r} given; expected an IANA name such as Europe/Berlin") from None


def _moment(given: Meeting, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidInput(
            f"meeting {given.id}: moment {text!r} given; expected an ISO date and time with its offset from UTC, "
            "such as 2026-02-16T10:00-05:00"
        )
    return moment


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
