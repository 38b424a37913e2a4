"""The chosen slot as an invitation that calendars take in: a METHOD:REQUEST of iTIP (RFC 5546)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from support.errors import InvalidInput

if TYPE_CHECKING:
    from icalendar import vCalAddress

MAKER = "-//Convene//meeting coordination//EN"


def invitation(
    uid: str,
    organiser: tuple[str, str],
    attendees: Mapping[str, str],
    required: Collection[str],
    subject: str,
    start: datetime,
    end: datetime,
    description: str,
    stamp: datetime,
) -> bytes:
    """What an .ics file holds that invites to one meeting. The same arguments give the same bytes.

    Parameters
    ----------
    uid : str
        Names the meeting for good: an invitation with the same one replaces it.
    organiser : (name, address)
    attendees : mapping of name to address
    required : names
        Those among the attendees without whom the meeting does not take place; the others are optional.
    subject, description : str
    start, end : aware datetime
        Written in UTC, so that no calendar has to know the zone.
    stamp : aware datetime
        When the invitation is made; nobody reads the clock here.

    Raises
    ------
    InvalidInput
        When a field does not fit.
    """
    _check(uid, organiser, attendees, required)
    _check_times(start, end, stamp)
    from icalendar import Calendar, Event

    event = Event()
    for field, text in (("uid", uid), ("summary", subject), ("description", description), ("status", "CONFIRMED")):
        event.add(field, text)
    for field, moment in (("dtstamp", stamp), ("dtstart", start), ("dtend", end)):
        event.add(field, moment.astimezone(UTC))
    event.add("sequence", 0)
    event.add("organizer", _address(*organiser))
    for name, address in attendees.items():
        event.add("attendee", _invited(name, address, name in required), encode=False)
    calendar = Calendar()
    for field, text in (("prodid", MAKER), ("version", "2.0"), ("method", "REQUEST")):
        calendar.add(field, text)
    calendar.add_component(event)
    return calendar.to_ical()


def _address(name: str, address: str) -> vCalAddress:
    from icalendar import vCalAddress

    made = vCalAddress(f"mailto:{address}")
    made.params["CN"] = name
    return made


def _invited(name: str, address: str, required: bool) -> vCalAddress:
    made = _address(name, address)
    made.params["ROLE"] = "REQ-PARTICIPANT" if required else "OPT-PARTICIPANT"
    made.params["PARTSTAT"], made.params["RSVP"] = "NEEDS-ACTION", "TRUE"
    return made


def _check(uid: str, organiser: tuple[str, str], attendees: Mapping[str, str], required: Collection[str]) -> None:
    if not uid.strip():
        raise InvalidInput("uid: none given; expected a text that names the meeting for good.")
    if strangers := sorted(set(required) - set(attendees)):
        raise InvalidInput(f"required: {', '.join(strangers)} given, who is not among the attendees; invite them.")
    for name, address in (organiser, *attendees.items()):
        if not name.strip() or not name.isprintable() or '"' in name:
            raise InvalidInput(f"attendees: name {name!r} given; expected one line of text without quotation marks.")
        user, _, host = address.partition("@")
        if not user or not host or "@" in host or not address.isprintable() or " " in address:
            raise InvalidInput(f"attendees: address {address!r} of {name} given; expected one like ana@example.org.")


def _check_times(start: datetime, end: datetime, stamp: datetime) -> None:
    for field, moment in (("start", start), ("end", end), ("stamp", stamp)):
        if not isinstance(moment, datetime) or moment.tzinfo is None or moment.microsecond:
            raise InvalidInput(f"{field}: {moment!r} given; expected a datetime with a zone, in whole seconds.")
    if start.astimezone(UTC) >= end.astimezone(UTC):
        raise InvalidInput(f"end: {end.isoformat()} given; expected a moment after the start, {start.isoformat()}.")
