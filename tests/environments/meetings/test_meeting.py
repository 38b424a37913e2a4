"""A meeting's slots, and what is refused."""

from datetime import date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.environments.meetings.meeting import FIRST, LAST, STEP, Meeting, in_words, iso, meeting
from support.errors import InvalidInput

SPEC = {
    "id": "m1",
    "organiser": "Ann",
    "members": ["Bob", "Cai"],
    "subject": "Beds",
    "date": "2026-02-16",
    "duration": 30,
    "invitation": "Beds?",
    "sent": "2026-02-13T10:00-05:00",
    "zone": "America/New_York",
}


def test_slots_fill_the_organisers_day_every_half_hour(invite):
    slots = invite(duration=60).slots()
    assert (iso(slots[0]), iso(slots[-1])) == ("2026-02-16T08:00-05:00", "2026-02-16T17:00-05:00")
    assert {b - a for a, b in pairwise(slots)} == {timedelta(minutes=STEP)}


@given(
    st.dates(date(2026, 1, 1), date(2027, 12, 31)).filter(lambda day: day.weekday() < 5),
    st.integers(5, 600),
    st.integers(1, 20),
    st.sampled_from(["America/New_York", "Europe/Berlin", "Asia/Kolkata"]),
)
def test_property_slots_lie_on_as_many_working_days_as_asked_and_end_in_time(day, duration, days, zone):
    sent = datetime.combine(day - timedelta(days=1), FIRST, ZoneInfo("UTC")).isoformat()
    slots = Meeting("m", "Ann", ("Bob",), "s", day.isoformat(), duration, "i", sent, zone, days=days).slots()
    assert len({s.date() for s in slots}) == days
    assert min(s.date() for s in slots) >= day
    for s in slots:
        assert s.weekday() < 5
        assert s.time() >= FIRST
        assert s + timedelta(minutes=duration) <= datetime.combine(s.date(), LAST, s.tzinfo)
    assert list(slots) == sorted(slots)


def test_days_in_question_leave_out_the_weekend_and_follow_the_clock_change(invite):
    slots = invite(date="2026-03-06", sent="2026-03-02T10:00-05:00", days=2).slots()
    assert {iso(s)[:10] for s in slots} == {"2026-03-06", "2026-03-09"}
    assert iso(slots[0]).endswith("08:00-05:00")
    assert iso(slots[-1]).endswith("17:30-04:00")


def test_an_option_may_name_its_slot_in_any_zone_but_no_other_moment(invite):
    made = invite()
    assert iso(made.slot("2026-02-16T15:00+01:00")) == "2026-02-16T09:00-05:00"
    for start in ("2026-02-16T09:15-05:00", "2026-02-17T09:00-05:00"):
        with pytest.raises(InvalidInput) as caught:
            made.slot(start)
        assert f"start: '{start}' given; expected one of the 20 slots of meeting m1" in str(caught.value)
    with pytest.raises(InvalidInput, match="moment 'soon' given; expected an ISO date and time with its offset"):
        made.slot("soon")
    with pytest.raises(InvalidInput, match="with its offset"):
        made.slot("2026-02-16T09:00")


def test_plain_data_build_the_same_meeting_again(invite):
    made = invite(required=("Cai",), days=3)
    assert meeting(made.spec()) == made
    assert meeting(SPEC).members == ("Bob", "Cai")


def test_a_start_in_words_can_be_said_aloud():
    assert in_words(datetime(2026, 3, 9, 14, 30)) == "Monday 9 March at 14:30"


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ({"members": []}, "meeting m1: no members given; expected at least one besides the organiser"),
        ({"members": ["Bob", "Bob"]}, "members ['Bob', 'Bob'] given; expected each one once"),
        ({"members": ["Ann", "Bob"]}, "the organiser Ann is among the members"),
        ({"required": ["Zoe"]}, "required ['Zoe'] given; expected some of ['Bob', 'Cai']"),
        ({"duration": 0}, "duration 0 given; expected 5 to 600 minutes"),
        ({"duration": "30"}, "duration '30' given"),
        ({"days": 0}, "days 0 given; expected 1 to 20 working days"),
        ({"zone": "Mars/Base"}, "time zone 'Mars/Base' given; expected an IANA name"),
        ({"sent": "2026-02-16T18:00-05:00"}, "sent 2026-02-16T18:00-05:00; expected a moment before 2026-02-16 17:30"),
        ({"sent": "yesterday"}, "moment 'yesterday' given; expected an ISO date"),
        ({"sent": "2026-02-13T10:00"}, "moment '2026-02-13T10:00' given"),
        ({"place": "Room 4"}, "meeting m1: has place; expected"),
    ],
)
def test_what_is_no_meeting_is_refused_by_field_and_value(given_, told):
    with pytest.raises(InvalidInput) as caught:
        meeting(SPEC | given_)
    assert told in str(caught.value)


def test_a_missing_field_is_named():
    with pytest.raises(InvalidInput, match="meeting m1: lacks duration; expected"):
        meeting({k: v for k, v in SPEC.items() if k != "duration"})
