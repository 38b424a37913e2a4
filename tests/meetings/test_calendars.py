"""Calendars in: what keeps somebody busy, in every zone, and what a damaged file says. Invitations out, read back."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar

from support.errors import DamagedFile, InvalidInput
from support.meetings.calendars import busy, invitation_of
from support.meetings.data import iso
from support.meetings.records import Option

LOW, HIGH = datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)


def calendar(*events, head=""):
    """The bytes of a calendar; each event is given by its lines."""
    body = "".join(
        f"BEGIN:VEVENT\r\nUID:{n}\r\n" + "\r\n".join(lines) + "\r\nEND:VEVENT\r\n"
        for n, lines in enumerate(events)
    )
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//\r\n{head}{body}END:VCALENDAR\r\n".encode()


def at(day, hour, minute=0, month=2):
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


@pytest.fixture
def spans(tmp_path):
    """A function that reads a calendar's bytes as a file."""

    def found(data, zone="UTC", low=LOW, high=HIGH):
        (tmp_path / "ana.ics").write_bytes(data)
        return list(busy(tmp_path / "ana.ics", low, high, zone))

    return found


def test_times_come_out_in_utc_whatever_their_zone(spans):
    data = calendar(
        ("DTSTART:20260216T090000Z", "DTEND:20260216T100000Z"),
        ("DTSTART;TZID=America/New_York:20260217T090000", "DURATION:PT90M"),
        ("DTSTART:20260218T090000", "DTEND:20260218T093000"),
    )
    assert spans(data, "Asia/Kolkata") == [
        (at(16, 9), at(16, 10)), (at(17, 14), at(17, 15, 30)), (at(18, 3, 30), at(18, 4)),
    ]  # fmt: skip
    own = calendar(
        ("DTSTART:20260218T090000", "DTEND:20260218T093000"),
        head="X-WR-TIMEZONE:Europe/Berlin\r\n",
    )
    assert spans(own, "Asia/Kolkata") == [(at(18, 8), at(18, 8, 30))]
    for day, hours in (
        ("20260328", 24),
        ("20260329", 23),
        ("20261025", 25),
    ):  # a whole day is as long as it is there
        [(start, end)] = spans(
            calendar((f"DTSTART;VALUE=DATE:{day}",)),
            "Europe/Berlin",
            at(1, 0),
            at(1, 0, month=12),
        )
        assert (
            end - start == timedelta(hours=hours)
            and start.astimezone(ZoneInfo("Europe/Berlin")).hour == 0
        )


def test_what_keeps_nobody_or_lies_elsewhere_is_left_out(spans):
    event = "DTSTART:20260216T090000Z", "DURATION:PT1H"
    for lines in (
        (*event, "TRANSP:TRANSPARENT"),
        (*event, "STATUS:CANCELLED"),
        (event[0], "DURATION:PT0M"),
    ):
        assert spans(calendar(lines)) == []
    data = calendar(
        ("DTSTART:20260131T230000Z", "DTEND:20260201T010000Z"),
        ("DTSTART:20260131T230000Z", "DTEND:20260201T000000Z"),
        ("DTSTART:20260301T000000Z", "DURATION:PT1H"),
    )
    assert spans(data) == [(at(31, 23, month=1), at(1, 1))]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            calendar(("SUMMARY:Tea", "DTSTART;TZID=Mars/Olympus:20260216T100000")),
            "'Tea': DTSTART names the unknown",
        ),
        (calendar(("DTSTART:20261316T100000Z",)), "DTSTART cannot be read"),
        (
            calendar(("DTSTART:20260216T100000Z", "DTEND:20260216T090000Z")),
            "ends .* before it begins",
        ),
        (
            calendar(("DTSTART:20260216T100000", "DTEND:20260216T110000Z")),
            "only one of its start .* has a time zone",
        ),
        (b"", "not a calendar"),
        (calendar(("DTSTART:20260216T090000Z",))[:-20], "not a calendar"),
        (calendar(head="X-WR-TIMEZONE:Atlantis\r\n"), "no IANA time zone"),
    ],
)
def test_what_cannot_be_read_damages_the_file_and_is_named(spans, data, said):
    with pytest.raises(DamagedFile, match=rf"ana\.ics: .*{said}"):
        spans(data)


@pytest.mark.parametrize(
    "zone", ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]
)
@pytest.mark.parametrize(
    "day", ["2026-03-09", "2026-10-26", "2031-01-01"]
)  # the first two after clocks changed
def test_an_invitation_is_read_back_at_the_same_moment(spans, invite, zone, day):
    made = invite(
        ("Ana",), zone=zone, date=day, duration=45, subject="Plan; review, and more"
    )
    start = made.slots()[4]
    end = start.astimezone(UTC) + timedelta(minutes=45)
    sent, again = (invitation_of(Option("O1", iso(start)), made) for _ in range(2))
    assert sent == again and spans(sent, zone, start - timedelta(days=1), end) == [
        (start.astimezone(UTC), end)
    ]


def test_an_invitation_says_who_has_to_come_who_may_and_why_and_refuses_what_does_not_fit(
    invite,
):
    made = invite(("Ana", "Zoë, PhD"), required=("Ana",))
    option = Option("O1", iso(made.slots()[4]), (), ("free for all 3",))
    (event,) = Calendar.from_ical(invitation_of(option, made)).walk("VEVENT")
    roles = {str(a): (a.params["CN"], a.params["ROLE"]) for a in event["ATTENDEE"]}
    assert roles["mailto:ana@example.org"] == ("Ana", "REQ-PARTICIPANT")
    assert roles["mailto:zo.phd@example.org"] == ("Zoë, PhD", "OPT-PARTICIPANT")
    assert (
        event["DESCRIPTION"] == "Let us meet on Monday.\nfree for all 3"
        and event["DTSTAMP"].dt == made.sent_at
    )
    with pytest.raises(InvalidInput, match="start:"):
        invitation_of(Option("O1", "2026-02-16T03:00-05:00"), made)
