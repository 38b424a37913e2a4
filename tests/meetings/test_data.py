"""What a preference holds of a slot, a meeting's slots, who works with whom, and a company's files, spoilt as well."""

import itertools
import pickle
import re
from collections import Counter
from dataclasses import fields, is_dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise
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
    Flexible,
    Focus,
    Gap,
    Notice,
    Weekdays,
    Window,
    breadth,
    contradictions,
    minutes,
    situation,
)
from support.meetings.reading import read
from support.meetings.reading.times import sentences
from support.meetings.scenario import scenario, scenarios

NY, LONDON, BERLIN = "America/New_York", "Europe/London", "Europe/Berlin"
TIMES = st.integers(0, 24 * 60).map(lambda m: f"{m // 60:02d}:{m % 60:02d}")
PRIORITY = st.sampled_from([1, 2, 3])
DAYS = st.lists(st.sampled_from(WEEKDAYS), unique=True, min_size=1).map(tuple)


def at(text, duration=30, zone=NY, sent="2026-02-13T10:00-05:00", busy=None):
    """A slot that begins at `text` by the clock of New York, as a member in `zone` sees it."""
    start = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(NY))
    return situation(start, duration, datetime.fromisoformat(sent), zone, busy)


def busy_times(*pairs):
    return tuple(tuple(datetime.fromisoformat(f"2026-02-16T{t}-05:00") for t in pair) for pair in pairs)


@st.composite
def windows(draw, kind=Window):
    start, end = sorted(draw(st.lists(TIMES, min_size=2, max_size=2, unique=True)))
    days, avoid = draw(st.just(()) | DAYS), kind is Focus or draw(st.booleans())
    return kind(start=start, end=end, weekdays=days, avoid=avoid, priority=draw(PRIORITY))


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


CALENDAR = busy_times(("10:00", "11:00"))
NESTED = busy_times(("09:00", "12:00"), ("09:30", "10:00"), ("11:00", "11:30"))


@pytest.mark.parametrize(
    ("wish", "slots"),
    [  # a slot of an hour and whether it fulfils the wish
        (Window(start="09:00", end="12:00"), {"16T08:30": 0, "16T09:00": 1, "16T11:00": 1, "16T11:30": 0}),
        (Window(start="12:00", end="13:00", avoid=True), {"16T11:00": 1, "16T11:30": 0, "16T12:30": 0, "16T13:00": 1}),
        (Window(start="09:00", end="10:00", weekdays=("Tuesday",)), {"16T15:00": 1, "17T15:00": 0}),
        (Window(start="09:00"), {"16T23:00": 1, "16T23:30": 0}),  # over midnight is outside
        (Focus(start="13:00", end="15:00", weekdays=("Monday",)), {"16T14:30": 0, "16T15:00": 1, "17T14:30": 1}),
        (Weekdays(weekdays=("Monday",)), {"16T09:00": 1, "17T09:00": 0}),
        (Deadline(weekday="Thursday", time="16:00"), {"16T17:00": 1, "19T15:00": 1, "19T15:30": 0, "20T09:00": 0}),
        (Deadline(weekday="Wednesday"), {"18T23:00": 1}),
        (At(time="10:00", date="2026-02-17"), {"17T10:00": 1, "17T10:30": 0, "18T10:00": 0}),
        (At(time="10:00"), {"18T10:00": 1}),
        (Flexible(), {"21T03:00": 1}),
    ],
)
def test_a_slot_fulfils_a_preference_to_the_minute(wish, slots):
    assert {t: int(wish.fulfilled(at(f"2026-02-{t}", 60))) for t in slots} == slots


@given(windows(), st.integers(0, 47), st.integers(0, 13), st.sampled_from([15, 30, 60, 90]))
def test_a_slot_cannot_be_inside_a_window_and_clear_of_it(wish, half_hours, day, duration):
    slot = at((datetime(2026, 2, 16) + timedelta(days=day, minutes=30 * half_hours)).isoformat(), duration)
    inside, outside = (Window(start=wish.start, end=wish.end, avoid=avoid) for avoid in (False, True))
    assert not (inside.fulfilled(slot) and outside.fulfilled(slot))


@pytest.mark.parametrize(
    ("day", "london", "berlin"),
    [("2026-03-06", "20:00", "21:00"), ("2026-03-09", "19:00", "20:00"), ("2026-03-30", "20:00", "21:00")],
)
def test_times_and_weekdays_are_the_members_own_whichever_clock_has_changed(day, london, berlin):
    # the United States change on 8 March 2026, Europe on 29 March
    for zone, clock in ((LONDON, london), (BERLIN, berlin)):
        assert At(time=clock).fulfilled(at(f"{day}T15:00", zone=zone))
    evening = at("2026-02-16T20:00", zone=BERLIN)  # 02:00 on Tuesday there
    assert Weekdays(weekdays=("Tuesday",)).fulfilled(evening) and not Weekdays(weekdays=("Monday",)).fulfilled(evening)


def test_notice_counts_hours_that_passed_not_hours_on_the_clock():
    slot = at("2026-03-09T09:00", sent="2026-03-06T09:00-05:00")  # the clocks go forward in between
    elsewhere = at("2026-03-09T09:00", sent="2026-03-06T15:00+01:00", zone=BERLIN)
    zone = ZoneInfo(NY)
    local = situation(datetime(2026, 3, 9, 9, tzinfo=zone), 30, datetime(2026, 3, 6, 9, tzinfo=zone), NY)
    for each in (slot, elsewhere, local):
        assert Notice(hours=71).fulfilled(each) and not Notice(hours=72).fulfilled(each)


def test_a_gap_is_wanted_on_both_sides_of_every_event_and_by_nobody_without_a_calendar():
    starts = ("09:15", "09:16", "10:15", "11:14", "11:15")
    held = [Gap(minutes=15).fulfilled(at(f"2026-02-16T{t}", busy=CALENDAR)) for t in starts]
    assert held == [True, False, False, False, True]
    assert not Gap(minutes=30).fulfilled(at("2026-02-16T10:30", busy=NESTED))  # after the second, inside the first
    assert Gap(minutes=60).fulfilled(at("2026-02-16T10:00", busy=None))


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


@given(windows(), windows(), st.integers(0, 47), st.integers(0, 6), st.sampled_from([5, 30, 60]))
def test_no_slot_fulfils_two_preferences_that_are_called_contradictory(a, b, half_hours, day, duration):
    slot = at((datetime(2026, 2, 16) + timedelta(days=day, minutes=30 * half_hours)).isoformat(), duration)
    if contradictions((a, b)):
        assert not (a.fulfilled(slot) and b.fulfilled(slot))


# -- meetings --------------------------------------------------------------------------------------------------------


@given(
    st.dates(date(2026, 1, 1), date(2027, 12, 31)).filter(lambda day: day.weekday() < 5),
    st.integers(5, 600),
    st.integers(1, 20),
    st.sampled_from([NY, BERLIN, "Asia/Kolkata"]),
)
def test_slots_lie_on_as_many_working_days_as_asked_and_end_in_time(day, duration, days, zone):
    sent = datetime.combine(day - timedelta(days=1), datetime.min.time(), ZoneInfo("UTC")).isoformat()
    slots = Meeting("m", "Ann", ("Bob",), "s", day.isoformat(), duration, "i", sent, zone, days=days).slots()
    assert len({s.date() for s in slots}) == days and slots[0].date() == day and list(slots) == sorted(slots)
    for s in slots:
        assert s.weekday() < 5 and s.hour >= 8 and (s.hour - 18) * 60 + s.minute + duration <= 0
    assert {b - a for a, b in pairwise(slots) if a.date() == b.date()} <= {timedelta(minutes=30)}


def test_an_option_may_name_its_slot_in_any_zone_but_no_other_moment(invite):
    made = invite(required=("Ben",), days=3)
    assert meeting(made.spec()) == made
    assert iso(made.slot("2026-02-16T15:00+01:00")) == "2026-02-16T09:00-05:00"
    for start in ("2026-02-16T09:15-05:00", "2026-02-21T09:00-05:00", "soon", "2026-02-16T09:00", None):
        with pytest.raises(InvalidInput, match=r"start: .* given; expected one of the 57 slots of meeting m1"):
            made.slot(start)


# -- the company -----------------------------------------------------------------------------------------------------


def words_in(thing):
    """Every text in a record, however deep."""
    if isinstance(thing, str):
        yield thing
    elif is_dataclass(thing):
        for field in fields(thing):
            yield from words_in(getattr(thing, field.name))
    elif isinstance(thing, tuple):
        for item in thing:
            yield from words_in(item)
    else:
        assert thing is None or isinstance(thing, int), f"{type(thing)} is not searched"


def test_no_word_of_a_preference_reaches_the_database(authored, private):
    public = " ".join(words_in(authored.database(list(authored.by_name))))
    sentences = {s.strip() for p in private.values() for text in p.texts for s in text.split(". ") if len(s) > 9}
    assert len(sentences) > 300
    assert not [s for s in sentences if s in public]


def test_the_database_and_the_graph_know_relations_among_the_members_only(authored, invite):
    people = [Profile(n, "Nurse", 2, (), NY, manager=m) for n, m in (("Ann", None), ("Bob", "Ann"), ("Cai", "Ann"))]
    meetings = invite(("Bob", "Cai"), organiser="Ann"), invite(("Bob",), organiser="Dov", id="m2")
    company = Company((*people, Profile("Dov", "Nurse", 2, (), NY, manager="Bob")), meetings)
    found = company.database(("Ann", "Bob", "Cai"))
    assert {n for r in found.relations for n in r[:2]} == {p.name for p in found.profiles} == {"Ann", "Bob", "Cai"}
    assert ("Bob", "Cai", TEAMMATE) in found.relations and found.related("Ann", "Bob") == {MANAGER, COLLABORATOR}
    graph = authored.graph()
    assert sorted(graph.edges(data="relation")) == sorted(authored.database(list(authored.by_name)).relations)
    assert set(authored.graph(authored.meetings[0].members)) == set(authored.meetings[0].members)


# -- the authored company says what its structures hold --------------------------------------------------------------

HOURS = ("twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
LENGTHS = {
    90: ("an hour and a half", "90 minutes"),
    45: ("three quarters of an hour", "45 minutes"),
    30: ("half an hour", "30 minutes"),
    60: ("an hour", "60 minutes"),
}
NOTICE = {2: ("2 hours", "two hours"), 4: ("4 hours", "four hours"), 24: ("24 hours", "a day", "one day")}
NOTICE |= {48: ("48 hours", "two days"), 72: ("72 hours", "three days")}
GAP = {10: ("10 minutes", "ten minutes", "ten free minutes"), 30: ("30 minutes", "thirty minutes", "half an hour")}
GAP |= {15: ("15 minutes", "fifteen minutes", "15 free minutes", "quarter of an hour")}
GAP |= {45: ("45 minutes", "three quarters of an hour")}
ABOVE_ALL, IF_POSSIBLE = r"above all|\bmust\b", r"if possible|\bideal"


def clock(time):
    """Patterns for the ways in which a text may write a time of day."""
    hour, rest = divmod(minutes(time), 60)
    small, word = (hour - 1) % 12 + 1, HOURS[hour % 12]
    if rest == 30:
        return [rf"\b{hour}:30", rf"\b{small}:30", f"half past {word}"]
    return [rf"\b{hour}:00", rf"\b{small}\b(?!:)", rf"\b{word}\b"] + ([r"\bnoon\b"] if hour == 12 else [])


def said(patterns, text):
    return any(re.search(p, text, re.IGNORECASE) for p in patterns)


def unsaid(wish, text):
    """What of a preference a text does not say."""
    times = [t for t in (getattr(wish, f, "24:00") for f in ("start", "end", "time")) if t not in ("00:00", "24:00")]
    missing = [t for t in times if not said(clock(t), text)]
    missing += [wish.hours] if wish.kind == "notice" and not said(NOTICE[wish.hours], text) else []
    missing += [wish.minutes] if wish.kind == "gap" and not said(GAP[wish.minutes], text) else []
    days = [*getattr(wish, "weekdays", ()), *([wish.weekday] if wish.kind == "deadline" else [])]
    to = "Tuesday to Thursday" in text  # the one range
    return missing + [d for d in days if d not in text and not (to and d == "Wednesday")]


def test_every_text_says_hours_days_lengths_and_priorities_and_is_worded_anew(private):
    assert len(private) == 34
    for name, p in private.items():
        counts = Counter(wish.priority for wish in p.preferences)
        for text in p.texts:
            assert not [u for wish in p.preferences for u in unsaid(wish, text)], (name, text)
            above = len(re.findall(ABOVE_ALL, text, re.IGNORECASE))
            assert above >= counts[3] and bool(above) == bool(counts[3]), (name, text)
            assert len(re.findall(IF_POSSIBLE, text, re.IGNORECASE)) == counts[1], (name, text)
        one, two, three = (set(re.split(r"(?<=\.) ", text)) for text in p.texts)
        assert not (one & two | one & three | two & three), name


def test_every_invitation_says_its_days_its_length_and_whom_it_requires_and_no_others(authored):
    assert Counter(len(m.members) for m in authored.meetings) == {2: 15, 3: 33, 4: 33, 5: 40, 6: 16, 7: 13}
    assert sum(bool(m.required) for m in authored.meetings) == 48
    for m in authored.meetings:
        days = sorted({s.date() for s in m.slots()})
        assert re.findall("|".join(WEEKDAYS), m.invitation) == [f"{d:%A}" for d in days], m.id
        assert all(re.search(rf"\b{d.day}(st|nd|rd|th)?\b", m.invitation) for d in days), m.id
        assert timedelta(hours=3) <= m.slots()[0] - m.sent_at.astimezone(ZoneInfo("UTC")) <= timedelta(days=9), m.id
        text, found = m.invitation.lower(), set()
        for length, forms in LENGTHS.items():  # the longer forms first: they contain the shorter
            for form in forms:
                found |= {length} if form in text else set()
                text = text.replace(form, "")
        assert found == {m.duration}, m.id
        assert {n for n in authored.by_name if n in m.invitation} == set(m.required), m.id


def test_a_calendar_of_most_meetings_leaves_a_common_slot_and_one_alone_is_empty(authored):
    def open_to(made, name, slot):
        at, (opens, closes) = made.situation(name, slot), authored.by_name[name].hours
        inside = opens <= f"{at.start:%H:%M}" and f"{at.end:%H:%M}" <= closes and at.start.date() == at.end.date()
        return inside and all(end <= at.start or at.end <= start for start, end in at.busy)

    made = [scenario(m.id) for m in authored.meetings]
    free = [
        any(all(open_to(s, n, t) for n in s.members) for t in s.meeting.slots()) for s in made if len(s.members) == 5
    ]
    assert sum(free) == 37
    assert {n for s in made for n in s.members} - {n for s in made for n, times in s.busy.items() if times} == {
        "Wes Holloran"
    }


# -- scenarios -------------------------------------------------------------------------------------------------------


def test_a_scenario_knows_its_members_only_and_travels():
    for made in scenarios(5, 20, seed=3):
        assert set(made.private) == set(made.busy) == set(made.members)
        low, high = made.meeting.slots()[0] - timedelta(days=3), made.meeting.slots()[-1] + timedelta(days=3)
        for pairs in made.busy.values():
            assert all(a[1] < b[0] for a, b in pairwise(pairs))
            assert all(end > low and start < high for start, end in pairs)
        assert made.public.private == {} and pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("employees", 'manager = "Ann"', 'manager = "Bob"', "employee Bob: managers in a circle, Bob to Bob"),
        ("employees", 'manager = "Ann"', 'manager = "Zoe"', "employee Bob: manager 'Zoe' given; expected an employee"),
        ("employees", "level = 2", "level = 7", "employees.toml, Ann: level 7 given; "),
        ("employees", 'name = "Bob"', 'name = "Ann"', "employees.toml, Ann: there twice"),
        ("employees", "America/New_York", "Mars/Base", "Ann: zone 'Mars/Base' given; expected an IANA time zone"),
        ("meetings", '["Bob", "Cai"]', "[]", "meetings.toml, m1: members [] given"),
        ("meetings", '["Bob", "Cai"]', '["Bob", "Bob"]', "expected everybody once"),
        (
            "meetings",
            '["Bob", "Cai"]',
            '["Bob", "Zoe"]',
            "meetings.toml, m1: 'Zoe' is no employee; expected a name",
        ),
        ("meetings", "America/New_York", "Europe/Paris", "zone Europe/Paris given; expected America/New_York, the org"),
        ("meetings", "2026-02-16", "2026-02-15", "m1: date 2026-02-15 given; expected a working day"),
        (
            "meetings",
            "2026-02-13T10:00",
            "2026-02-16T18:00",
            "m1: sent 2026-02-16T18:00-05:00 given; expected a moment",
        ),
        ("preferences", '"window"', '"gaps"', "preferences.toml, Ann: preference: kind 'gaps' given; expected one of"),
        ("preferences", 'end = "12:00"', 'weekdays = ["Caturday"]', "expected one of Monday"),
        ("preferences", '"Before noon."', '""', "Ann: text or paraphrases missing or empty"),
        ("preferences", 'name = "Cai"', 'name = "Zoe"', "preferences.toml: 'Zoe' is no employee"),
        ("preferences", "paraphrases =", 'mood = "good"\nparaphrases =', "Ann: 'mood' given; expected name"),
        ("preferences", "preferences =", "sentences = [[0], [1], [0]]\npreferences =", "[1, 1, 1], counted from 0"),
        ("preferences", "= [{", '= [{ kind = "window", start = "13:00" }, {', "window 13:00 to 24:00 and window 00:00"),
    ],
)
def test_a_line_that_is_wrong_is_named_with_its_value(folder, file, old, new, told):
    path = folder / f"{file}.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(InvalidInput) as caught:
        load_private(folder)
    assert told in str(caught.value)


def test_a_file_that_is_missing_damaged_or_empty_and_an_employee_without_preferences_or_calendar_are_named(folder):
    (folder / "calendars" / "cai.ics").unlink()
    with pytest.raises(MissingData, match=r"employee Cai: no calendar at .*cai\.ics; put an iCalendar file there"):
        scenario("m1", folder)
    path = folder / "preferences.toml"
    path.write_text(path.read_text().rsplit("[[private]]", 1)[0])
    with pytest.raises(MissingData, match=r"employee Cai: no preferences; add a \[\[private\]\] table"):
        load_private(folder)
    path = folder / "meetings.toml"
    for text, error, told in (
        ("[[meeting]\nid = 1", DamagedFile, "no TOML that can be read"),
        ("# nothing yet\n", InvalidInput, r"no \[\[meeting\]\] tables; expected one for each meeting"),
        (None, MissingData, "is not there; a company's folder needs"),
    ):
        path.write_text(text) if text else path.unlink()
        with pytest.raises(error, match=rf"meetings\.toml.*{told}"):
            load_company(folder)


def test_narrowed_people_say_what_they_still_want_and_nothing_that_they_do_not(private):
    """Of 204 texts one alone says two wishes in one sentence."""
    too_much = []
    for (name, own), most in itertools.product(private.items(), (1, 2)):
        less = own.narrowed(most)
        rest = [w for w in own.preferences if w not in less.preferences]
        assert len(less.preferences) == min(most, len(own.preferences))
        assert max(map(breadth, less.preferences)) <= min(map(breadth, rest), default=1)
        for text, whole in zip(less.texts, own.texts, strict=True):
            assert all(sentence in whole for sentence in sentences(text))
            too_much += [name for w in read(text) if any(replace(w, priority=r.priority) == r for r in rest)]
    assert set(too_much) <= {"Ivana Hrvatin"}


def test_without_sentences_the_texts_of_narrowed_people_are_their_wishes_restated(folder):
    assert set(load_private(folder)["Bob"].narrowed(1).texts) == {"Prefers meetings before 12:00."}
