"""Calendars in: what keeps somebody busy and what does not, in every zone, and what a damaged file says."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.environments.meetings.calendars import Event, blocks, busy, read
from support.errors import DamagedFile, InvalidInput, MissingData
from support.solvers.scheduling import SchedulingProblem, exhaustive

LOW, HIGH = datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)


def calendar(*events, head=""):
    """The bytes of a calendar; each event is given by its lines."""
    body = "".join(
        f"BEGIN:VEVENT\r\nUID:{n}\r\n" + "\r\n".join(lines) + "\r\nEND:VEVENT\r\n" for n, lines in enumerate(events)
    )
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//\r\n{head}{body}END:VCALENDAR\r\n".encode()


def at(day, hour, minute=0, month=2):
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


def spans(data, zone="UTC", low=LOW, high=HIGH):
    return [(event.start, event.end) for event in read(data, low, high, zone)]


def test_a_calendar_without_events_means_free():
    assert read(calendar(), LOW, HIGH) == ()


def test_times_come_out_in_utc_whatever_their_zone():
    data = calendar(
        ("DTSTART:20260216T090000Z", "DTEND:20260216T100000Z"),
        ("DTSTART;TZID=America/New_York:20260217T090000", "DURATION:PT90M"),
        ("DTSTART:20260218T090000", "DTEND:20260218T093000"),
    )
    assert spans(data, "Asia/Kolkata") == [
        (at(16, 9), at(16, 10)),
        (at(17, 14), at(17, 15, 30)),
        (at(18, 3, 30), at(18, 4)),
    ]


def test_the_calendar_s_own_zone_comes_before_the_one_given():
    data = calendar(("DTSTART:20260218T090000", "DTEND:20260218T093000"), head="X-WR-TIMEZONE:Europe/Berlin\r\n")
    assert spans(data, "Asia/Kolkata") == [(at(18, 8), at(18, 8, 30))]


def test_a_zone_that_the_file_itself_defines_is_understood():
    zone = (
        "BEGIN:VTIMEZONE\r\nTZID:Our Island\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0500\r\n"
        "TZOFFSETTO:+0500\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    )
    data = calendar(("DTSTART;TZID=Our Island:20260216T100000", "DURATION:PT1H"), head=zone)
    assert spans(data) == [(at(16, 5), at(16, 6))]


@pytest.mark.parametrize(
    ("day", "hours"), [("20260328", 24), ("20260329", 23), ("20261025", 25)], ids=["plain", "spring", "autumn"]
)
def test_a_whole_day_is_as_long_as_the_day_is_there(day, hours):
    (event,) = read(calendar((f"DTSTART;VALUE=DATE:{day}",)), at(1, 0), at(1, 0, month=12), "Europe/Berlin")
    assert event.all_day and event.end - event.start == timedelta(hours=hours)
    assert event.start.astimezone(ZoneInfo("Europe/Berlin")).hour == 0


def test_overlapping_whole_days_are_one_busy_time():
    data = calendar(
        ("DTSTART;VALUE=DATE:20260216", "DTEND;VALUE=DATE:20260218"),
        ("DTSTART;VALUE=DATE:20260217", "DTEND;VALUE=DATE:20260219"),
        ("DTSTART;VALUE=DATE:20260217",),
    )
    assert busy(read(data, LOW, HIGH)) == ((at(16, 0), at(19, 0)),)


def test_a_weekly_event_keeps_its_local_hour_over_the_change_of_clocks():
    data = calendar(("DTSTART;TZID=America/New_York:20260301T090000", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;COUNT=3"))
    found = spans(data, low=at(1, 0, month=3), high=at(1, 0, month=4))
    assert [start for start, _ in found] == [at(1, 14, month=3), at(8, 13, month=3), at(15, 13, month=3)]


def test_an_occurrence_that_was_left_out_moved_or_cancelled_is_not_where_the_rule_puts_it():
    data = calendar(
        ("DTSTART:20260216T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY", "EXDATE:20260217T090000Z"),
    ).replace(b"UID:0", b"UID:same")
    data = data.replace(
        b"END:VCALENDAR",
        b"BEGIN:VEVENT\r\nUID:same\r\nRECURRENCE-ID:20260218T090000Z\r\nDTSTART:20260218T150000Z\r\nDURATION:PT1H\r\n"
        b"END:VEVENT\r\nBEGIN:VEVENT\r\nUID:same\r\nRECURRENCE-ID:20260219T090000Z\r\nDTSTART:20260219T090000Z\r\n"
        b"DURATION:PT1H\r\nSTATUS:CANCELLED\r\nEND:VEVENT\r\nEND:VCALENDAR",
    )
    found = spans(data, high=at(21, 0))
    assert [start for start, _ in found] == [at(16, 9), at(18, 15), at(20, 9)]


@pytest.mark.parametrize("line", ["TRANSP:TRANSPARENT", "STATUS:CANCELLED", "DURATION:PT0M"])
def test_what_keeps_nobody_from_meeting_is_left_out(line):
    end = () if line.startswith("DURATION") else ("DURATION:PT1H",)
    assert spans(calendar(("DTSTART:20260216T090000Z", *end, line))) == []


def test_only_what_overlaps_the_horizon_is_read_and_an_event_from_before_may_reach_into_it():
    data = calendar(
        ("DTSTART:20260131T230000Z", "DTEND:20260201T010000Z"),
        ("DTSTART:20260131T230000Z", "DTEND:20260201T000000Z"),
        ("DTSTART:20260301T000000Z", "DURATION:PT1H"),
        ("DTSTART:20251201T000000Z", "DTEND:20260601T000000Z"),
    )
    assert [event.uid for event in read(data, LOW, HIGH)] == ["3", "0"]


def test_a_path_and_its_bytes_are_the_same_calendar(tmp_path):
    data = calendar(("SUMMARY:Planung – Zürich", "DTSTART:20260216T090000Z", "DURATION:PT1H"))
    (tmp_path / "a.ics").write_bytes(data)
    (event,) = read(tmp_path / "a.ics", LOW, HIGH)
    assert (event,) == read(data, LOW, HIGH) and event.summary == "Planung – Zürich"


# -- busy times as constraints ----------------------------------------------------------------------------------------


def test_a_calendar_keeps_the_solver_from_proposing_its_hours():
    data = calendar(("DTSTART:20260216T090000Z", "DURATION:PT1H"), ("DTSTART:20260216T100030Z", "DURATION:PT30M"))
    made = blocks(read(data, LOW, HIGH), "Ana", at(16, 0))
    assert [(b.start, b.end, b.label, b.person) for b in made] == [
        (540, 600, "Ana's calendar", "Ana"), (600, 631, "Ana's calendar", "Ana"),
    ]  # fmt: skip
    problem = SchedulingProblem(60, ((540, 1020),), required=("Ana",), blocks=made)
    assert exhaustive(problem).best.start == 660


def test_what_lies_before_the_origin_is_cut_off():
    events = [Event(at(15, 22), at(15, 23)), Event(at(15, 23), at(16, 1))]
    assert [(b.start, b.end) for b in blocks(events[1:], "Ana", at(16, 0))] == [(0, 60)]
    assert blocks(events[:1], "Ana", at(16, 0)) == ()


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 400))))
def test_busy_times_cover_the_events_and_nothing_else(pairs):
    events = [Event(LOW + timedelta(minutes=a), LOW + timedelta(minutes=a + b)) for a, b in pairs]
    made = blocks(events, "Ana", LOW)
    covered = {m for a, b in pairs for m in range(a, a + b)}
    assert {m for block in made for m in range(block.start, block.end)} == covered
    assert all(left.end < right.start for left, right in pairwise(made))


# -- what does not fit ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            ("SUMMARY:Tea", "DTSTART;TZID=Mars/Olympus:20260216T100000"),
            "'Tea': DTSTART names the unknown time zone 'Mars/Olympus'",
        ),
        (
            ("DTSTART:20260216T100000Z", "RRULE:FREQ=DAILY", "EXDATE;TZID=Foo/Bar:20260217T100000"),
            "EXDATE names the unknown",
        ),
        (("DTSTART:soon",), "DTSTART cannot be read"),
        (("DTSTART:20261316T100000Z",), "DTSTART cannot be read"),
        (("SUMMARY:no start",), "'no start': No DTSTART given"),
        (("DTSTART:20260216T100000Z", "DTEND:20260216T090000Z"), "ends .* before it begins"),
        (("DTSTART:20260216T100000", "DTEND:20260216T110000Z"), "only one of its start .* has a time zone"),
        (("DTSTART:20260216T100000Z", "RRULE:FREQ=SOMETIMES"), "RRULE cannot be read"),
    ],
)
def test_an_event_that_cannot_be_read_damages_the_file_and_is_named(tmp_path, lines, said):
    path = tmp_path / "ana.ics"
    path.write_bytes(calendar(lines))
    before = path.read_bytes()
    with pytest.raises(DamagedFile, match=said) as error:
        read(path, LOW, HIGH)
    assert "ana.ics" in str(error.value) and path.read_bytes() == before


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", b"\xff\xfe\x00", b"BEGIN:VEVENT\r\nEND:VEVENT\r\n", calendar(("DTSTART:20260216T090000Z",))[:-20]],
)
def test_what_is_no_calendar_says_so(data):
    with pytest.raises(DamagedFile, match="not a calendar that can be read"):
        read(data, LOW, HIGH)


def test_a_missing_file_an_unknown_zone_and_a_horizon_without_zone_are_refused(tmp_path):
    with pytest.raises(MissingData, match=r"ana\.ics is not there"):
        read(tmp_path / "ana.ics", LOW, HIGH)
    for zone in ("Mars/Olympus", "", "Europe"):
        with pytest.raises(InvalidInput, match=r"expected an IANA name such as Europe/Berlin"):
            read(calendar(), LOW, HIGH, zone)
    with pytest.raises(InvalidInput, match="X-WR-TIMEZONE: time zone 'Atlantis'"):
        read(calendar(head="X-WR-TIMEZONE:Atlantis\r\n"), LOW, HIGH)
    with pytest.raises(InvalidInput, match=r"start: .* expected a datetime with a time zone"):
        read(calendar(), datetime(2026, 2, 1), HIGH)
    with pytest.raises(InvalidInput, match="after the start"):
        read(calendar(), HIGH, LOW)
