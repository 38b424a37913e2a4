"""iCalendar files (RFC 5545): busy times out of a calendar, an invitation into one. No clock, no network.

Moments are aware datetimes in UTC. What does not keep anybody from meeting is left out when a calendar is read:
events that are cancelled, shown as free (transparent), or of no length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from support.errors import DamagedFile, InvalidInput, MissingData
from support.solvers.scheduling import Block, merged

if TYPE_CHECKING:
    import icalendar

MARGIN = timedelta(days=2)  # floating times and whole days move by up to a day with their zone


@dataclass(frozen=True, slots=True, order=True)
class Event:
    """A time at which somebody is busy, [start, end) in UTC."""

    start: datetime
    end: datetime
    summary: str = ""
    uid: str = ""
    all_day: bool = False


def read(source: str | Path | bytes, start: datetime, end: datetime, zone: str = "UTC") -> tuple[Event, ...]:
    """The events that overlap [start, end), in order, each occurrence of a recurring one for itself.

    Parameters
    ----------
    source : path or bytes
        An .ics file, or what stands in one. A calendar without events is fine: its owner is free.
    start, end : aware datetime
        The horizon.
    zone : str
        IANA name of the owner's zone, for whole days and times without a zone, unless the calendar names its own
        (X-WR-TIMEZONE).

    Raises
    ------
    MissingData
        When there is no such file.
    DamagedFile
        When it is no calendar, or an event in it has a time, a rule or a zone that cannot be read.
    InvalidInput
        When the horizon or the zone does not fit.
    """
    low, high = _moment("start", start), _moment("end", end)
    if low >= high:
        raise InvalidInput(f"end: {end.isoformat()} given; expected a moment after the start, {start.isoformat()}.")
    _zone("zone", zone)
    name, data = _bytes(source)
    found = [event for made in _parsed(name, data) for event in _events(name, made, low, high, zone)]
    return tuple(sorted(event for event in found if event.start < high and low < event.end))


def busy(events: Iterable[Event]) -> tuple[tuple[datetime, datetime], ...]:
    """Busy times in order: overlapping and touching events made one.

    >>> nine, ten = (datetime(2026, 2, 16, hour, tzinfo=UTC) for hour in (9, 10))
    >>> busy([Event(nine, ten), Event(ten, ten + timedelta(hours=1))]) == ((nine, ten + timedelta(hours=1)),)
    True
    """
    return merged((event.start, event.end) for event in events)


def blocks(events: Iterable[Event], person: str, origin: datetime, label: str = "") -> tuple[Block, ...]:
    """Busy times as constraints of `support.solvers.scheduling`, in minutes since `origin`, seconds rounded outwards.

    What lies before the origin is cut off. By default one constraint, "…'s calendar", for the whole calendar.
    """
    found, zero = [], _moment("origin", origin)
    for start, end in busy(events):
        low = max(0, (start - zero) // timedelta(minutes=1))
        high = -((zero - end) // timedelta(minutes=1))
        if low < high:
            found.append(Block(low, high, label or f"{person}'s calendar", person))
    return tuple(found)


def _bytes(source: str | Path | bytes) -> tuple[str, bytes]:
    if isinstance(source, bytes):
        return "calendar", source
    path = Path(source)
    if not path.is_file():
        raise MissingData(f"calendar {path} is not there; give the path of an .ics file, or its bytes.")
    return str(path), path.read_bytes()


def _parsed(name: str, data: bytes) -> list[icalendar.Calendar]:
    import icalendar

    try:
        found = icalendar.Calendar.from_ical(data, multiple=True)
    except ValueError as error:
        raise _damaged(name, str(error)) from error
    if not found or any(made.name != "VCALENDAR" for made in found):
        raise _damaged(name, "it holds no complete VCALENDAR; it may have been cut off")
    return found


def _events(name: str, made: icalendar.Calendar, low: datetime, high: datetime, zone: str) -> Iterator[Event]:
    import recurring_ical_events

    local = _zone(f"{name}: X-WR-TIMEZONE", str(made.get("X-WR-TIMEZONE", zone)))
    for component in made.walk("VEVENT"):
        _check(name, component)
    try:
        occurrences = list(recurring_ical_events.of(made).between(low - MARGIN, high + MARGIN))
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(name, f"a recurring event cannot be expanded ({error})") from error
    for component in occurrences:
        event = _event(component, local)
        if event.start < event.end and not _leaves_free(component):
            yield event


def _event(component: Any, local: ZoneInfo) -> Event:
    return Event(
        start=_utc(component.start, local),
        end=_utc(component.end, local),
        summary=str(component.get("SUMMARY", "")),
        uid=str(component.get("UID", "")),
        all_day=not isinstance(component.start, datetime),
    )


def _leaves_free(component: Any) -> bool:
    shown, status = str(component.get("TRANSP", "")).upper(), str(component.get("STATUS", "")).upper()
    return shown == "TRANSPARENT" or status == "CANCELLED"


def _utc(moment: date, local: ZoneInfo) -> datetime:
    """The moment in UTC; a whole day begins at midnight, and a time without a zone is the calendar's own."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    return (moment if moment.tzinfo else moment.replace(tzinfo=local)).astimezone(UTC)


def _check(name: str, component: Any) -> None:
    """Find out now what the libraries would skip or mend in silence."""
    title = f"event {str(component.get('SUMMARY', component.get('UID', '?')))!r}"
    for field, why in component.errors:
        raise _damaged(name, f"{title}: {field} cannot be read ({why})")
    for field, value in component.property_items(recursive=False, sorted=False):
        if zone := _unknown_zone(value):
            raise _damaged(name, f"{title}: {field} names the unknown time zone {zone!r}; expected an IANA name")
    try:
        start, end = component.start, component.end
    except (ValueError, KeyError) as error:
        raise _damaged(name, f"{title}: {error}") from error
    if (getattr(start, "tzinfo", None) is None) != (getattr(end, "tzinfo", None) is None):
        raise _damaged(name, f"{title}: only one of its start ({start}) and its end ({end}) has a time zone")
    if _utc(end, ZoneInfo("UTC")) < _utc(start, ZoneInfo("UTC")):
        raise _damaged(name, f"{title} ends ({end}) before it begins ({start})")


def _unknown_zone(value: Any) -> str:
    """The zone that a property names and that left its time without one; "" when there is none such."""
    zone = str(getattr(value, "params", {}).get("TZID", ""))
    times = [value, *getattr(value, "dts", ())]
    naive = any(isinstance(t, datetime) and t.tzinfo is None for t in (getattr(t, "dt", None) for t in times))
    return zone if naive else ""


def _damaged(name: str, why: str) -> DamagedFile:
    why = why.rstrip(".")
    return DamagedFile(f"{name}: not a calendar that can be read: {why}. Nothing was changed; export it again.")


def _moment(field: str, moment: datetime) -> datetime:
    """The moment in UTC."""
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise InvalidInput(f"{field}: {moment!r} given; expected a datetime with a time zone.")
    return moment.astimezone(UTC)


def _zone(field: str, name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, malformed, or a folder of zones
        raise InvalidInput(f"{field}: time zone {name!r} given; expected an IANA name such as Europe/Berlin.") from None
