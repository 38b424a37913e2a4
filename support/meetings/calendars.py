"""iCalendar files (RFC 5545): busy times out of a calendar, the chosen slot as an invitation. No clock, no network.

Moments are aware datetimes in UTC. What does not keep anybody from meeting is left out when a calendar is read:
events that are cancelled, shown as free (transparent), or of no length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import icalendar

from support.errors import DamagedFile
from support.meetings.data import Meeting
from support.meetings.records import Option
from support.solvers.scheduling import merged

MARGIN = timedelta(
    days=2
)  # floating times and whole days move by up to a day with their zone


def busy(
    path: Path, low: datetime, high: datetime, zone: str = "UTC"
) -> tuple[tuple[datetime, datetime], ...]:
    """Busy times in UTC that overlap [low, high), in order, overlapping and touching ones made one.

    `zone` is the owner's, for whole days and times without a zone, unless the calendar names its own (X-WR-TIMEZONE).
    """
    try:
        calendars = icalendar.Calendar.from_ical(path.read_bytes(), multiple=True)
    except ValueError as error:
        raise _damaged(path, str(error)) from error
    if not calendars or any(made.name != "VCALENDAR" for made in calendars):
        raise _damaged(path, "it holds no complete VCALENDAR; it may have been cut off")
    found = [
        span for made in calendars for span in _events(path, made, low, high, zone)
    ]
    return merged((start, end) for start, end in found if start < high and low < end)


def _events(
    path: Path, made: Any, low: datetime, high: datetime, zone: str
) -> Iterator[tuple[datetime, datetime]]:
    import recurring_ical_events

    try:
        local = ZoneInfo(str(made.get("X-WR-TIMEZONE", zone)))
    except (KeyError, ValueError, OSError) as error:
        raise _damaged(path, f"X-WR-TIMEZONE is no IANA time zone ({error})") from error
    for component in made.walk("VEVENT"):
        _check(path, component)
    try:
        occurrences = list(
            recurring_ical_events.of(made).between(low - MARGIN, high + MARGIN)
        )
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(
            path, f"a recurring event cannot be expanded ({error})"
        ) from error
    for event in occurrences:
        shown, status = (
            str(event.get("TRANSP", "")).upper(),
            str(event.get("STATUS", "")).upper(),
        )
        start, end = _utc(event.start, local), _utc(event.end, local)
        if start < end and shown != "TRANSPARENT" and status != "CANCELLED":
            yield start, end


def _utc(moment: date, local: ZoneInfo) -> datetime:
    """The moment in UTC; a whole day begins at midnight, and a time without a zone is the calendar's own."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    return (moment if moment.tzinfo else moment.replace(tzinfo=local)).astimezone(UTC)


def _check(path: Path, event: Any) -> None:
    """Find out now what the libraries would skip or mend in silence."""
    title = f"event {str(event.get('SUMMARY', event.get('UID', '?')))!r}"
    for field, why in event.errors:
        raise _damaged(path, f"{title}: {field} cannot be read ({why})")
    for field, value in event.property_items(recursive=False, sorted=False):
        if zone := _unknown_zone(value):
            raise _damaged(
                path,
                f"{title}: {field} names the unknown time zone {zone!r}; expected an IANA name",
            )
    try:
        start, end = event.start, event.end
    except (ValueError, KeyError) as error:
        raise _damaged(path, f"{title}: {error}") from error
    if (getattr(start, "tzinfo", None) is None) != (
        getattr(end, "tzinfo", None) is None
    ):
        raise _damaged(
            path,
            f"{title}: only one of its start ({start}) and its end ({end}) has a time zone",
        )
    if _utc(end, ZoneInfo("UTC")) < _utc(start, ZoneInfo("UTC")):
        raise _damaged(path, f"{title} ends ({end}) before it begins ({start})")


def _unknown_zone(value: Any) -> str:
    """The zone that a property names and that left its time without one; "" when there is none such."""
    zone = str(getattr(value, "params", {}).get("TZID", ""))
    times = [getattr(t, "dt", None) for t in (value, *getattr(value, "dts", ()))]
    return (
        zone if any(isinstance(t, datetime) and t.tzinfo is None for t in times) else ""
    )


def _damaged(path: Path, why: str) -> DamagedFile:
    return DamagedFile(
        f"{path}: not a calendar that can be read: {why.rstrip('.')}. Nothing was changed; export it again."
    )


# ---- invitations -----------------------------------------------------------------------------------------------------


def invitation_of(option: Option, meeting: Meeting) -> bytes:
    """The chosen option as a METHOD:REQUEST of iTIP (RFC 5546); the same arguments give the same bytes.

    Addresses are at example.org, where no mail arrives. InvalidInput when the option is none of the meeting's slots.
    """
    start = meeting.slot(option.start)
    texts = {"uid": f"{meeting.id}@convene.example.org", "summary": meeting.subject,
             "description": "\n".join([meeting.invitation, *option.reasons]), "status": "CONFIRMED"}  # fmt: skip
    moments = {
        "dtstamp": meeting.sent_at,
        "dtstart": start,
        "dtend": start + timedelta(minutes=meeting.duration),
    }
    event, calendar = icalendar.Event(), icalendar.Calendar()
    # In UTC, so that no calendar has to know the zone.
    for field, value in {
        **texts,
        **{f: m.astimezone(UTC) for f, m in moments.items()},
        "sequence": 0,
    }.items():
        event.add(field, value)
    event.add("organizer", _calendar_user(meeting.organiser))
    for name in meeting.members:
        role = "REQ-PARTICIPANT" if name in meeting.required else "OPT-PARTICIPANT"
        event.add(
            "attendee",
            _calendar_user(name, ROLE=role, PARTSTAT="NEEDS-ACTION", RSVP="TRUE"),
            encode=False,
        )
    about = {
        "prodid": "-//Convene//meeting coordination//EN",
        "version": "2.0",
        "method": "REQUEST",
    }
    for field, text in about.items():
        calendar.add(field, text)
    calendar.add_component(event)
    return calendar.to_ical()


def _calendar_user(name: str, **params: str) -> Any:
    address = re.sub(r"[^a-z0-9]+", ".", name.casefold()).strip(".") or "somebody"
    return icalendar.vCalAddress(
        f"mailto:{address}@example.org", params={"CN": name, **params}
    )
