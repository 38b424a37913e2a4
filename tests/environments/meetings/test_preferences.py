"""What each kind of preference holds of a slot, by the clock on the member's wall."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.environments.meetings.preferences import (
    KINDS,
    WEEKDAYS,
    At,
    Deadline,
    Flexible,
    Focus,
    Gap,
    Notice,
    Weekdays,
    Window,
    contradictions,
    minutes,
    preference,
    situation,
)
from support.errors import InvalidInput

NY, LONDON, BERLIN = "America/New_York", "Europe/London", "Europe/Berlin"
TIMES = st.integers(0, 24 * 60).map(lambda m: f"{m // 60:02d}:{m % 60:02d}")
PRIORITY = st.sampled_from([1, 2, 3])
DAYS = st.lists(st.sampled_from(WEEKDAYS), unique=True, min_size=1).map(tuple)


def at(text, duration=30, zone=NY, sent="2026-02-13T10:00-05:00", busy=None, home=NY):
    """A slot that begins at `text` by the clock in `home`, as a member in `zone` sees it."""
    start = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(home))
    return situation(start, duration, datetime.fromisoformat(sent), zone, busy)


def busy_times(*pairs):
    return tuple(tuple(datetime.fromisoformat(f"2026-02-16T{t}-05:00") for t in pair) for pair in pairs)


@st.composite
def windows(draw, kind=Window):
    start, end = sorted(draw(st.lists(TIMES, min_size=2, max_size=2, unique=True)))
    days = draw(st.just(()) | DAYS)
    return kind(
        start=start, end=end, weekdays=days, avoid=kind is Focus or draw(st.booleans()), priority=draw(PRIORITY)
    )


ANY = st.one_of(
    windows(),
    windows(Focus),
    st.builds(Weekdays, weekdays=DAYS, avoid=st.booleans(), priority=PRIORITY),
    st.builds(Notice, hours=st.integers(1, 500), priority=PRIORITY),
    st.builds(Gap, minutes=st.integers(1, 500), priority=PRIORITY),
    st.builds(Deadline, weekday=st.sampled_from(WEEKDAYS), time=TIMES, priority=PRIORITY),
    st.builds(At, time=TIMES, date=st.none() | st.dates().map(lambda d: d.isoformat()), priority=PRIORITY),
    st.builds(Flexible, priority=PRIORITY),
)


@given(ANY)
def test_plain_data_build_the_same_preference_again(wish):
    assert preference(wish.spec()) == wish


def test_a_window_holds_from_its_start_to_its_end_and_no_minute_more():
    wish = Window(start="09:00", end="12:00")
    held = [wish.fulfilled(at(f"2026-02-16T{t}", 60)) for t in ("08:30", "09:00", "11:00", "11:30")]
    assert held == [False, True, True, False]


def test_a_window_to_avoid_may_be_touched_but_not_entered():
    wish = Window(start="12:00", end="13:00", avoid=True)
    held = [wish.fulfilled(at(f"2026-02-16T{t}", 60)) for t in ("11:00", "11:30", "12:00", "13:00")]
    assert held == [True, False, False, True]
    assert not wish.fulfilled(at("2026-02-16T11:30", 120))  # all around it


def test_a_window_says_nothing_of_the_days_that_it_does_not_name():
    wish = Window(start="09:00", end="10:00", weekdays=("Tuesday",))
    assert wish.fulfilled(at("2026-02-16T15:00"))
    assert not wish.fulfilled(at("2026-02-17T15:00"))


def test_a_focus_block_is_kept_free():
    wish = Focus(start="13:00", end="15:00", weekdays=("Monday",))
    assert not wish.fulfilled(at("2026-02-16T14:30"))
    assert wish.fulfilled(at("2026-02-16T15:00"))
    assert wish.fulfilled(at("2026-02-17T14:30"))
    with pytest.raises(InvalidInput, match=r"focus: avoid = false given.*write a window"):
        Focus(start="13:00", end="15:00", avoid=False)


@given(windows(), st.integers(0, 47), st.integers(0, 13), st.sampled_from([15, 30, 60, 90]))
def test_a_slot_cannot_be_inside_a_window_and_clear_of_it(wish, half_hours, day, duration):
    slot = at((datetime(2026, 2, 16) + timedelta(days=day, minutes=30 * half_hours)).isoformat(), duration)
    inside = Window(start=wish.start, end=wish.end)
    assert not (inside.fulfilled(slot) and Window(start=wish.start, end=wish.end, avoid=True).fulfilled(slot))


def test_times_are_those_of_the_members_zone():
    wish = Window(start="14:00", end="18:00")
    assert wish.fulfilled(at("2026-02-16T09:00", zone=BERLIN))  # 15:00 there
    assert not wish.fulfilled(at("2026-02-16T13:00", zone=BERLIN))  # 19:00
    assert not wish.fulfilled(at("2026-02-16T09:00", zone=NY))


@pytest.mark.parametrize(
    ("day", "london", "berlin"),
    [("2026-03-06", "20:00", "21:00"), ("2026-03-09", "19:00", "20:00"), ("2026-03-30", "20:00", "21:00")],
)
def test_the_hour_of_difference_follows_the_clock_changes_of_both_sides(day, london, berlin):
    # the United States change on 8 March 2026, Europe on 29 March
    for zone, clock in ((LONDON, london), (BERLIN, berlin)):
        assert At(time=clock).fulfilled(at(f"{day}T15:00", zone=zone))


def test_the_weekday_is_the_members_own():
    evening = at("2026-02-16T20:00", zone=BERLIN)  # 02:00 on Tuesday there
    assert Weekdays(weekdays=("Tuesday",)).fulfilled(evening)
    assert Weekdays(weekdays=("Monday",), avoid=True).fulfilled(evening)
    assert not Weekdays(weekdays=("Monday",)).fulfilled(evening)


def test_a_slot_over_midnight_is_outside_of_a_window_that_ends_with_the_day():
    assert not Window(start="09:00").fulfilled(at("2026-02-16T23:30", 60))
    assert Window(start="09:00").fulfilled(at("2026-02-16T23:00", 60))


def test_notice_counts_from_the_invitation_to_the_start():
    slot = at("2026-02-16T10:00", sent="2026-02-14T10:00-05:00")
    assert Notice(hours=48).fulfilled(slot)
    assert not Notice(hours=49).fulfilled(slot)


def test_notice_counts_hours_that_passed_not_hours_on_the_clock():
    slot = at("2026-03-09T09:00", sent="2026-03-06T09:00-05:00")  # the clocks go forward in between
    assert Notice(hours=71).fulfilled(slot)
    assert not Notice(hours=72).fulfilled(slot)
    elsewhere = at("2026-03-09T09:00", sent="2026-03-06T15:00+01:00", zone=BERLIN)
    assert Notice(hours=71).fulfilled(elsewhere)
    assert not Notice(hours=72).fulfilled(elsewhere)


def test_notice_does_not_depend_on_the_zone_in_which_the_invitation_is_dated():
    zone = ZoneInfo(NY)
    slot = situation(datetime(2026, 3, 9, 9, tzinfo=zone), 30, datetime(2026, 3, 6, 9, tzinfo=zone), NY)
    assert not Notice(hours=72).fulfilled(slot)


def test_a_gap_is_wanted_on_both_sides_of_the_meeting():
    wish, calendar = Gap(minutes=15), busy_times(("10:00", "11:00"))
    starts = ("09:15", "09:16", "10:15", "11:14", "11:15")
    assert [wish.fulfilled(at(f"2026-02-16T{t}", busy=calendar)) for t in starts] == [True, False, False, False, True]


def test_a_gap_looks_at_every_event_also_where_events_overlap():
    wish = Gap(minutes=30)
    calendar = busy_times(("09:00", "12:00"), ("09:30", "10:00"), ("11:00", "11:30"))
    assert not wish.fulfilled(at("2026-02-16T10:30", busy=calendar))  # after the second, inside the first
    assert wish.fulfilled(at("2026-02-16T12:30", busy=calendar))


def test_without_events_or_without_a_calendar_nothing_breaks_a_gap():
    assert Gap(minutes=60).fulfilled(at("2026-02-16T10:00", busy=()))
    assert Gap(minutes=60).fulfilled(at("2026-02-16T10:00", busy=None))


@given(st.integers(0, 23), st.integers(1, 120), st.integers(1, 120))
def test_a_gap_depends_on_moments_not_on_how_an_event_is_written(hour, length, gap):
    start = datetime(2026, 3, 9, hour, tzinfo=UTC)
    pair = (start, start + timedelta(minutes=length))
    elsewhere = tuple(moment.astimezone(ZoneInfo(BERLIN)) for moment in pair)
    wish = Gap(minutes=gap)
    slots = [at("2026-03-09T10:00", busy=(events,)) for events in (pair, elsewhere)]
    assert wish.fulfilled(slots[0]) == wish.fulfilled(slots[1])


def test_a_deadline_lets_pass_what_is_over_by_then_in_its_week():
    wish = Deadline(weekday="Thursday", time="16:00")
    days = {"2026-02-16T17:00": True, "2026-02-19T15:00": True, "2026-02-19T15:30": False, "2026-02-20T09:00": False}
    assert {t: wish.fulfilled(at(t, 60)) for t in days} == days
    assert Deadline(weekday="Wednesday").fulfilled(at("2026-02-18T23:00", 60))


def test_an_exact_start_holds_to_the_minute_and_on_its_date():
    wish = At(time="10:00", date="2026-02-17")
    days = {"2026-02-17T10:00": True, "2026-02-17T10:30": False, "2026-02-18T10:00": False}
    assert {t: wish.fulfilled(at(t)) for t in days} == days
    assert At(time="10:00").fulfilled(at("2026-02-18T10:00"))


def test_who_is_flexible_takes_any_slot():
    assert all(Flexible().fulfilled(at(f"2026-02-{day}T{hour:02d}:00")) for day in (16, 21) for hour in range(24))


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"kind": "moon"}, "kind 'moon' given; expected one of window, focus"),
        ({}, "kind None given"),
        ({"kind": "notice", "days": 2}, "notice: days given; it takes hours, priority"),
        ({"kind": "window", "start": "12:00", "end": "09:00"}, "window: 12:00 to 09:00 given; expected a start before"),
        ({"kind": "window", "start": "25:00"}, "time '25:00' given; expected a time of day"),
        ({"kind": "window", "start": "9"}, "time '9' given"),
        ({"kind": "weekdays"}, "weekdays: none given; expected at least one of Monday"),
        ({"kind": "weekdays", "weekdays": ["Caturday"]}, "'Caturday' given; expected a list of weekdays"),
        ({"kind": "weekdays", "weekdays": "Monday"}, "weekdays: Monday given; expected a list"),
        ({"kind": "notice", "hours": 0}, "notice: hours 0 given; expected a whole number of at least 1"),
        ({"kind": "gap", "minutes": 7.5}, "gap: minutes 7.5 given"),
        ({"kind": "deadline", "weekday": "Payday"}, "deadline: 'Payday' given"),
        ({"kind": "at", "time": "10:00", "date": "2026-02-30"}, "date '2026-02-30' given; expected YYYY-MM-DD"),
        ({"kind": "flexible", "priority": 4}, "flexible: priority 4 given; expected 1, 2 or 3"),
    ],
)
def test_what_is_no_preference_is_refused_by_name(spec, told):
    with pytest.raises(InvalidInput) as caught:
        preference(spec)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "pair",
    [
        (Window(start="09:00", end="11:00"), Window(start="13:00", end="15:00")),
        (Focus(start="08:00", end="12:00"), Window(start="09:00", end="11:00")),
        (Weekdays(weekdays=("Monday",)), Weekdays(weekdays=("Tuesday", "Friday"))),
        (Weekdays(weekdays=("Monday",)), Weekdays(weekdays=("Monday",), avoid=True)),
        (At(time="10:00"), At(time="11:00")),
    ],
)
def test_preferences_that_no_slot_fulfils_together_are_found_in_either_order(pair):
    assert len(contradictions(pair)) == len(contradictions(pair[::-1])) == 1
    assert "exclude each other" in contradictions(pair)[0]


@given(windows(), windows(), st.integers(0, 47), st.integers(0, 6), st.sampled_from([5, 30, 60]))
def test_no_slot_fulfils_two_preferences_that_are_called_contradictory(a, b, half_hours, day, duration):
    slot = at((datetime(2026, 2, 16) + timedelta(days=day, minutes=30 * half_hours)).isoformat(), duration)
    if contradictions((a, b)):
        assert not (a.fulfilled(slot) and b.fulfilled(slot))


def test_windows_that_overlap_or_belong_to_certain_days_do_not_contradict_each_other():
    assert not contradictions((Window(start="09:00", end="12:00"), Focus(start="11:00", end="13:00")))
    tuesday = Window(start="13:00", end="15:00", weekdays=("Tuesday",))
    assert not contradictions((Window(start="09:00", end="11:00"), tuesday))


@given(TIMES)
def test_minutes_of_a_time_lead_back_to_it(time):
    total = minutes(time)
    assert f"{total // 60:02d}:{total % 60:02d}" == time


def test_every_kind_is_named_after_itself():
    assert {kind: made.kind for kind, made in KINDS.items()} == {kind: kind for kind in KINDS}
