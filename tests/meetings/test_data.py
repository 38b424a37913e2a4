"""What a preference holds of a slot, a meeting's slots, who works with whom, and a company's files, spoilt as well."""

import itertools
from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.errors import DamagedFile, InvalidInput, MissingData
from support.meetings.data import (
    COLLABORATOR,
    MANAGER,
    TEAMMATE,
    Company,
    Meeting,
    Profile,
    iso,
    load_company,
    load_private,
    meeting,
)
from support.meetings.preferences import (
    WEEKDAYS,
    At,
    Deadline,
    Focus,
    Gap,
    Notice,
    Weekdays,
    Window,
    breadth,
    contradictions,
    plain,
    situation,
)
from support.meetings.reading import read
from support.meetings.scenario import scenario

NY, BERLIN = "America/New_York", "Europe/Berlin"
TIMES = st.integers(0, 24 * 60).map(lambda m: f"{m // 60:02d}:{m % 60:02d}")
DAYS = st.lists(st.sampled_from(WEEKDAYS), unique=True).map(tuple)
SPANS = st.tuples(TIMES, TIMES).filter(lambda span: span[0] < span[1])
WINDOWS = st.builds(
    lambda span, avoid, days: Window(2, *span, avoid, days), SPANS, st.booleans(), DAYS
)


def at(text, duration=30, zone=NY, sent="2026-02-13T10:00-05:00", busy=None):
    """A slot that begins at `text` by the clock of New York, as a member in `zone` sees it."""
    start = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(NY))
    return situation(start, duration, datetime.fromisoformat(sent), zone, busy)


@pytest.mark.parametrize(
    ("wish", "slots"),
    [  # a slot of an hour and whether it fulfils the wish
        (
            Window(start="09:00", end="12:00"),
            {"16T08:30": 0, "16T09:00": 1, "16T11:00": 1, "16T11:30": 0},
        ),
        (
            Window(start="12:00", end="13:00", avoid=True),
            {"16T11:00": 1, "16T11:30": 0, "16T12:30": 0, "16T13:00": 1},
        ),
        (
            Window(start="09:00", end="10:00", weekdays=("Tuesday",)),
            {"16T15:00": 1, "17T15:00": 0},
        ),
        (
            Window(start="09:00"),
            {"16T23:00": 1, "16T23:30": 0},
        ),  # over midnight is outside
        (
            Focus(start="13:00", end="15:00", weekdays=("Monday",)),
            {"16T14:30": 0, "16T15:00": 1, "17T14:30": 1},
        ),
        (Weekdays(weekdays=("Monday",)), {"16T09:00": 1, "17T09:00": 0}),
        (
            Deadline(weekday="Thursday", time="16:00"),
            {"16T17:00": 1, "19T15:00": 1, "19T15:30": 0, "20T09:00": 0},
        ),
        (
            At(time="10:00", date="2026-02-17"),
            {"17T10:00": 1, "17T10:30": 0, "18T10:00": 0},
        ),
    ],
)
def test_a_slot_fulfils_a_preference_to_the_minute(wish, slots):
    assert {t: int(wish.fulfilled(at(f"2026-02-{t}", 60))) for t in slots} == slots


def test_times_weekdays_and_notice_are_the_members_own_whichever_clock_has_changed():
    # the United States change on 8 March 2026, Europe on 29 March
    for day, berlin in (
        ("2026-03-06", "21:00"),
        ("2026-03-09", "20:00"),
        ("2026-03-30", "21:00"),
    ):
        assert At(time=berlin).fulfilled(at(f"{day}T15:00", zone=BERLIN))
    evening = at("2026-02-16T20:00", zone=BERLIN)  # 02:00 on Tuesday there
    assert Weekdays(weekdays=("Tuesday",)).fulfilled(evening) and not Weekdays(
        weekdays=("Monday",)
    ).fulfilled(evening)
    for sent, zone in (
        ("2026-03-06T09:00-05:00", NY),
        ("2026-03-06T15:00+01:00", BERLIN),
    ):
        slot = at(
            "2026-03-09T09:00", sent=sent, zone=zone
        )  # hours that passed, not hours on the clock
        assert Notice(hours=71).fulfilled(slot) and not Notice(hours=72).fulfilled(slot)


def test_a_gap_is_wanted_on_both_sides_of_every_event_and_by_nobody_without_a_calendar():
    def held(minutes, *starts, busy=(("10:00", "11:00"),)):
        calendar = tuple(
            tuple(datetime.fromisoformat(f"2026-02-16T{t}-05:00") for t in pair)
            for pair in busy
        )
        return [
            Gap(minutes=minutes).fulfilled(at(f"2026-02-16T{t}", busy=calendar))
            for t in starts
        ]

    assert held(15, "09:15", "09:16", "10:15", "11:14", "11:15") == [
        True,
        False,
        False,
        False,
        True,
    ]
    nested = (("09:00", "12:00"), ("09:30", "10:00"))
    assert held(30, "10:30", busy=nested) == [
        False
    ]  # after the second, inside the first
    assert Gap(minutes=60).fulfilled(at("2026-02-16T10:00"))


def test_preferences_that_no_slot_fulfils_together_are_found_in_either_order():
    for pair in (
        (Window(start="09:00", end="11:00"), Window(start="13:00", end="15:00")),
        (Focus(start="08:00", end="12:00"), Window(start="09:00", end="11:00")),
        (Weekdays(weekdays=("Monday",)), Weekdays(weekdays=("Tuesday", "Friday"))),
        (Weekdays(weekdays=("Monday",)), Weekdays(weekdays=("Monday",), avoid=True)),
        (At(time="10:00"), At(time="11:00")),
    ):
        assert len(contradictions(pair)) == len(contradictions(pair[::-1])) == 1


@given(
    WINDOWS,
    WINDOWS,
    st.integers(0, 47),
    st.integers(0, 6),
    st.sampled_from([5, 30, 60]),
)
def test_no_slot_fulfils_two_preferences_that_are_called_contradictory(
    a, b, half_hours, day, duration
):
    slot = at(
        (
            datetime(2026, 2, 16) + timedelta(days=day, minutes=30 * half_hours)
        ).isoformat(),
        duration,
    )
    if contradictions((a, b)):
        assert not (a.fulfilled(slot) and b.fulfilled(slot))


@given(
    st.dates(date(2026, 1, 1), date(2027, 12, 31)),
    st.integers(5, 600),
    st.integers(1, 20),
)
def test_slots_lie_on_as_many_working_days_as_asked_and_end_in_time(
    day, duration, days
):
    day -= timedelta(days=max(0, day.weekday() - 4))
    made = Meeting(
        "m",
        "Ann",
        ("Bob",),
        "s",
        day.isoformat(),
        duration,
        "i",
        "2025-01-01T00:00Z",
        BERLIN,
        days=days,
    )
    slots = made.slots()
    assert (
        len({s.date() for s in slots}) == days
        and slots[0].date() == day
        and list(slots) == sorted(slots)
    )
    for s in slots:
        assert (
            s.weekday() < 5
            and s.hour >= 8
            and (s.hour - 18) * 60 + s.minute + duration <= 0
        )


def test_an_option_may_name_its_slot_in_any_zone_but_no_other_moment(invite):
    made = invite(required=("Ben",), days=3)
    assert meeting(plain(made)) == made
    assert iso(made.slot("2026-02-16T15:00+01:00")) == "2026-02-16T09:00-05:00"
    for start in (
        "2026-02-16T09:15-05:00",
        "2026-02-21T09:00-05:00",
        "soon",
        "2026-02-16T09:00",
        None,
    ):
        with pytest.raises(
            InvalidInput,
            match=r"start: .* given; expected one of the 57 slots of meeting m1",
        ):
            made.slot(start)


def test_the_database_knows_relations_among_the_members_only(invite):
    people = [
        Profile(n, "Nurse", 2, (), NY, manager=m)
        for n, m in (("Ann", None), ("Bob", "Ann"), ("Cai", "Ann"))
    ]
    meetings = (
        invite(("Bob", "Cai"), organiser="Ann"),
        invite(("Bob",), organiser="Dov", id="m2"),
    )
    company = Company(
        (*people, Profile("Dov", "Nurse", 2, (), NY, manager="Bob")), meetings
    )
    found = company.database(("Ann", "Bob", "Cai"))
    assert (
        {n for r in found.relations for n in r[:2]}
        == {p.name for p in found.profiles}
        == {"Ann", "Bob", "Cai"}
    )
    assert ("Bob", "Cai", TEAMMATE) in found.relations and found.related(
        "Ann", "Bob"
    ) == {MANAGER, COLLABORATOR}


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        (
            "employees",
            'name = "Bob"',
            'name = "Ann"',
            "employees.toml, Ann: there twice",
        ),
        (
            "employees",
            'manager = "Ann"',
            'manager = "Bob"',
            "employee Bob: managers in a circle, Bob to Bob",
        ),
        (
            "meetings",
            '["Bob", "Cai"]',
            '["Bob", "Zoe"]',
            "meetings.toml, m1: 'Zoe' is no employee; expected a name",
        ),
        (
            "preferences",
            '"window"',
            '"gaps"',
            "preferences.toml, Ann: preference: kind 'gaps' given; expected one of",
        ),
        (
            "preferences",
            "preferences =",
            "sentences = [[0], [1], [0]]\npreferences =",
            "[1, 1, 1], counted from 0",
        ),
        (
            "preferences",
            "= [{",
            '= [{ kind = "window", start = "13:00" }, {',
            "after 13:00' and 'Pre",
        ),
    ],
)
def test_a_line_that_is_wrong_is_named_with_its_value(folder, file, old, new, told):
    path = folder / f"{file}.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(InvalidInput) as caught:
        load_private(folder)
    assert told in str(caught.value)


def test_a_file_that_is_missing_damaged_or_empty_and_an_employee_without_preferences_or_calendar_are_named(
    folder,
):
    (folder / "calendars" / "cai.ics").unlink()
    with pytest.raises(
        MissingData,
        match=r"employee Cai: no calendar at .*cai\.ics; put an iCalendar file there",
    ):
        scenario("m1", folder)
    path = folder / "preferences.toml"
    path.write_text(path.read_text().rsplit("[[private]]", 1)[0])
    with pytest.raises(
        MissingData, match=r"employee Cai: no preferences; add a \[\[private\]\] table"
    ):
        load_private(folder)
    path = folder / "meetings.toml"
    for text, error, told in (
        ("[[meeting]\nid = 1", DamagedFile, "no TOML that can be read"),
        (
            "# nothing yet\n",
            InvalidInput,
            r"no \[\[meeting\]\] tables; expected one for each meeting",
        ),
        (None, MissingData, "is not there; a company's folder needs"),
    ):
        path.write_text(text) if text else path.unlink()
        with pytest.raises(error, match=rf"meetings\.toml.*{told}"):
            load_company(folder)


def test_narrowed_people_say_what_they_still_want_and_nothing_that_they_do_not():
    """Of 204 texts one alone says two wishes in one sentence."""
    too_much = set()
    for (name, own), most in itertools.product([*load_private().items()][::4], (1, 2)):
        less = own.narrowed(most)
        rest = [w for w in own.preferences if w not in less.preferences]
        assert len(less.preferences) == min(most, len(own.preferences))
        assert max(map(breadth, less.preferences)) <= min(map(breadth, rest), default=1)
        said = [wish for text in less.texts for wish in read(text)]
        too_much |= {
            name
            for wish in said
            if any(replace(wish, priority=r.priority) == r for r in rest)
        }
    assert too_much <= {"Ivana Hrvatin"}
