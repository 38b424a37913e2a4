"""An invitation out: read back, it is the same time, on days when clocks change as well."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from icalendar import Calendar

from support.environments.meetings.calendars import read
from support.environments.meetings.invitations import invitation
from support.errors import InvalidInput

ZONES = (
    "UTC",
    "America/New_York",
    "Europe/Berlin",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "America/St_Johns",
)
STAMP = datetime(2026, 2, 1, tzinfo=UTC)
START = datetime(2026, 2, 16, 10, tzinfo=ZoneInfo("America/New_York"))


def made(**changes):
    fields = {
        "uid": "M1@convene", "organiser": ("Uma Ode", "uma@example.org"),
        "attendees": {"Ana": "ana@example.org", "Zoë, PhD": "zoe@example.org"}, "required": ["Ana"],
        "subject": "Plan; review, and more", "start": START, "end": START + timedelta(hours=1),
        "description": "Why this time:\nAna is free.", "stamp": STAMP,
    }  # fmt: skip
    return invitation(**{**fields, **changes})


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2050, 1, 1)).map(lambda d: d.replace(microsecond=0)),
    st.integers(1, 60 * 24 * 3),
    st.sampled_from(ZONES),
    st.integers(0, 1),
)
@example(datetime(2026, 3, 8, 1, 30), 60, "America/New_York", 0)  # the clock jumps from 2 to 3
@example(datetime(2026, 11, 1, 1, 30), 45, "America/New_York", 0)  # the first 1:30 of two
@example(datetime(2026, 11, 1, 1, 30), 45, "America/New_York", 1)  # the second
@example(datetime(2026, 10, 25, 2, 0), 1, "Europe/Berlin", 1)
@example(datetime(2026, 4, 5, 1, 45), 30, "Australia/Lord_Howe", 1)  # half an hour of change
def test_an_invitation_is_read_back_at_the_same_moment(local, minutes, zone, fold):
    start = local.replace(tzinfo=ZoneInfo(zone), fold=fold)
    end = start.astimezone(UTC) + timedelta(minutes=minutes)
    data = made(start=start, end=end)
    (event,) = read(data, start - timedelta(days=1), end + timedelta(days=1), zone)
    assert (event.start, event.end) == (start.astimezone(UTC), end)
    assert (event.uid, event.summary, event.all_day) == ("M1@convene", "Plan; review, and more", False)


def test_it_says_who_has_to_come_and_who_may():
    parsed = Calendar.from_ical(made())
    (event,) = parsed.walk("VEVENT")
    assert (parsed["METHOD"], parsed["VERSION"], str(event["ORGANIZER"])) == (
        "REQUEST",
        "2.0",
        "mailto:uma@example.org",
    )
    roles = {str(a): (a.params["CN"], a.params["ROLE"], a.params["RSVP"]) for a in event["ATTENDEE"]}
    assert roles == {
        "mailto:ana@example.org": ("Ana", "REQ-PARTICIPANT", "TRUE"),
        "mailto:zoe@example.org": ("Zoë, PhD", "OPT-PARTICIPANT", "TRUE"),
    }
    assert str(event["DESCRIPTION"]) == "Why this time:\nAna is free." and event["DTSTAMP"].dt == STAMP


def test_one_attendee_is_written_like_several():
    (event,) = Calendar.from_ical(made(attendees={"Ana": "ana@example.org"})).walk("VEVENT")
    assert event["ATTENDEE"].params["ROLE"] == "REQ-PARTICIPANT"


def test_lines_are_folded_and_end_as_the_standard_asks():
    data = made(description="long " * 60)
    assert all(len(line) <= 75 for line in data.split(b"\r\n")) and data.endswith(b"END:VCALENDAR\r\n")
    assert b"\n" not in data.replace(b"\r\n", b"")


def test_the_same_arguments_give_the_same_bytes():
    assert made() == made()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"uid": " "}, "uid: none given"),
        ({"required": ["Zed"]}, "required: Zed given"),
        ({"attendees": {"Ana": "ana"}}, "address 'ana' of Ana"),
        ({"attendees": {"Ana": "ana@example.org\r\nX:1"}}, "address .* of Ana"),
        ({"attendees": {"Ana\r\nX:1": "ana@example.org", "Ana": "a@example.org"}}, "name 'Ana"),
        ({"organiser": ("", "uma@example.org")}, "name ''"),
        ({"start": START.replace(tzinfo=None)}, "start: .* with a zone"),
        ({"start": START.replace(microsecond=5)}, "in whole seconds"),
        ({"stamp": "now"}, "stamp: 'now'"),
        ({"end": START}, "after the start"),
    ],
)
def test_a_field_that_does_not_fit_is_named(changes, said):
    with pytest.raises(InvalidInput, match=said):
        made(**changes)
