"""The authored company says what its structures hold, scenarios are drawn from it, and a spoilt file is refused."""

import pickle
import re
from collections import Counter
from datetime import date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from support.environments.meetings import sources
from support.environments.meetings.preferences import WEEKDAYS, minutes
from support.environments.meetings.scenario import load_calendars, load_company, load_private, scenario, scenarios
from support.errors import DamagedFile, InvalidInput, MissingData

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
    plain = {"00:00", "24:00"}
    times = [t for t in (getattr(wish, f, "24:00") for f in ("start", "end", "time")) if t not in plain]
    missing = [t for t in times if not said(clock(t), text)]
    if wish.kind == "notice" and not said(NOTICE[wish.hours], text):
        missing.append(f"{wish.hours} hours")
    if wish.kind == "gap" and not said(GAP[wish.minutes], text):
        missing.append(f"{wish.minutes} minutes")
    days = [*getattr(wish, "weekdays", ()), *([wish.weekday] if wish.kind == "deadline" else [])]
    to = "Tuesday to Thursday" in text  # the one range
    return missing + [d for d in days if d not in text and not (to and d == "Wednesday")]


def test_every_text_and_paraphrase_says_what_the_structures_hold(private):
    missing = {
        (name, i): gone
        for name, p in private.items()
        for i, text in enumerate(p.texts)
        if (gone := [u for wish in p.preferences for u in unsaid(wish, text)])
    }
    assert not missing


def test_every_text_says_the_priorities_and_no_others(private):
    for name, p in private.items():
        counts = Counter(wish.priority for wish in p.preferences)
        for text in p.texts:
            assert len(re.findall(ABOVE_ALL, text, re.IGNORECASE)) >= counts[3], (name, text)
            assert bool(re.search(ABOVE_ALL, text, re.IGNORECASE)) == bool(counts[3]), (name, text)
            assert len(re.findall(IF_POSSIBLE, text, re.IGNORECASE)) == counts[1], (name, text)


def test_the_texts_are_one_text_and_two_true_rewordings(private):
    for name, p in private.items():
        assert len(p.texts) == len(set(p.texts)) == 3
        sentences = [set(re.split(r"(?<=\.) ", text)) for text in p.texts]
        assert not (sentences[0] & sentences[1] | sentences[0] & sentences[2] | sentences[1] & sentences[2]), name


def test_preferences_are_as_many_and_as_mixed_as_the_readme_says(private):
    assert len(private) == 34
    assert {len(p.preferences) for p in private.values()} == {3, 4}
    kinds = Counter(kind for p in private.values() for kind in {wish.kind for wish in p.preferences})
    assert kinds == {"window": 33, "focus": 19, "notice": 18, "gap": 13, "weekdays": 13, "deadline": 7, "flexible": 3}


def test_the_meetings_are_as_many_and_as_mixed_as_the_readme_says(authored):
    assert Counter(len(m.members) for m in authored.meetings) == {2: 15, 3: 33, 4: 33, 5: 40, 6: 16, 7: 13}
    assert Counter(len(m.members) for m in authored.meetings if m.required)[5] == 31
    assert sum(bool(m.required) for m in authored.meetings) == 48
    assert {m.duration for m in authored.meetings} == set(LENGTHS)
    assert {m.days for m in authored.meetings} == {1, 2, 3}


def test_every_meeting_lies_on_working_days_of_february_and_march(authored):
    for m in authored.meetings:
        days = sorted({s.date() for s in m.slots()})
        assert date.fromisoformat(m.date) == days[0]
        assert days[-1] <= date(2026, 3, 31)
        ahead = m.slots()[0].astimezone(ZoneInfo("UTC")) - m.sent_at
        assert timedelta(hours=3) <= ahead <= timedelta(days=9), m.id


def test_every_invitation_says_its_days_and_no_others(authored):
    for m in authored.meetings:
        days = sorted({s.date() for s in m.slots()})
        named = re.findall("|".join(WEEKDAYS), m.invitation)
        assert named == [f"{d:%A}" for d in days], m.id
        for d in days:
            assert re.search(rf"\b{d.day}(st|nd|rd|th)?\b", m.invitation), m.id
            assert f"{d:%B}" in m.invitation, m.id


def test_every_invitation_says_its_length(authored):
    for m in authored.meetings:
        text, found = m.invitation.lower(), set()
        for length, forms in LENGTHS.items():  # the longer forms first: they contain the shorter
            for form in forms:
                found |= {length} if form in text else set()
                text = text.replace(form, "")
        assert found == {m.duration}, m.id


def test_every_invitation_names_its_required_attendees_and_nobody_else(authored):
    for m in authored.meetings:
        assert {n for n in authored.by_name if n in m.invitation} == set(m.required), m.id
        assert m.invitation.rstrip(".").endswith(m.organiser.split()[0]), m.id


def test_a_calendar_of_most_meetings_leaves_a_common_slot(authored):
    def open_to(made, name, slot):
        at, (opens, closes) = made.situation(name, slot), authored.by_name[name].hours
        inside = opens <= f"{at.start:%H:%M}" and f"{at.end:%H:%M}" <= closes and at.start.date() == at.end.date()
        return inside and all(end <= at.start or at.end <= start for start, end in at.busy)

    five = [scenario(m.id) for m in authored.meetings if len(m.members) == 5]
    free = [any(all(open_to(s, n, t) for n in s.members) for t in s.meeting.slots()) for s in five]
    assert sum(free) == 37


def test_calendars_are_busy_but_for_the_empty_one(authored):
    names = {n for m in authored.meetings for n in m.members}
    busy = Counter()
    for m in authored.meetings:
        made = scenario(m.id)
        busy.update({n: len(made.busy[n]) for n in made.members})
    assert {n for n in names if not busy[n]} == {"Wes Holloran"}


def test_a_scenario_knows_its_members_only(authored):
    made = scenario("m012")
    assert set(made.private) == set(made.busy) == set(made.members) == set(authored.meetings[11].members)
    assert {p.name for p in made.database().profiles} == set(made.members)


def test_a_situation_is_seen_from_the_members_desk(authored):
    made = next(s for s in map(scenario, (m.id for m in authored.meetings)) if "Bram Verhoeven" in s.members)
    slot = made.meeting.slots()[0]
    at = made.situation("Bram Verhoeven", slot)
    assert at.start.tzinfo == ZoneInfo("Europe/Berlin")
    assert at.start == slot
    assert at.end - at.start == timedelta(minutes=made.meeting.duration)
    assert (at.sent, at.busy) == (made.meeting.sent_at, made.busy["Bram Verhoeven"])
    assert made.situation("Bram Verhoeven", slot.isoformat()) == at


def test_a_stranger_and_a_time_that_is_no_slot_are_refused():
    made = scenario("m001", calendars=False)
    with pytest.raises(InvalidInput, match="meeting m001: 'Nobody' is no member; expected one of"):
        made.situation("Nobody", made.meeting.slots()[0])
    with pytest.raises(InvalidInput, match="expected one of the"):
        made.situation(made.members[0], "2026-07-01T10:00-04:00")


def test_busy_times_reach_far_enough_around_the_slots_and_are_in_order():
    for made in scenarios(5, 20, seed=3):
        low, high = made.meeting.slots()[0], made.meeting.slots()[-1]
        for pairs in made.busy.values():
            assert all(start < end for start, end in pairs)
            assert all(a[1] < b[0] for a, b in pairwise(pairs))
            assert all(end > low - timedelta(days=3) and start < high + timedelta(days=3) for start, end in pairs)


def test_without_calendars_nobody_is_known_to_be_busy():
    made = scenario("m001", calendars=False)
    assert set(made.busy.values()) == {None}


@pytest.mark.parametrize(("n", "required"), [(3, False), (4, False), (5, False), (5, True)])
def test_scenarios_are_drawn_without_repetition_and_repeatably(n, required):
    drawn = [s.meeting for s in scenarios(n, 20, seed=11, required=required, calendars=False)]
    assert {len(m.members) for m in drawn} == {n}
    assert len({m.id for m in drawn}) == 20
    assert all(m.required for m in drawn) or not required
    again = [s.meeting.id for s in scenarios(n, 20, seed=11, required=required, calendars=False)]
    other = [s.meeting.id for s in scenarios(n, 20, seed=12, required=required, calendars=False)]
    assert [m.id for m in drawn] == again != other


def test_asking_for_more_meetings_than_there_are_says_how_many_there_are():
    with pytest.raises(InvalidInput) as caught:
        scenarios(5, 32, seed=1, required=True)
    told = "count: 32 meetings with 5 members and required attendees asked for; there are 31, ask for 1 to that many"
    assert told in str(caught.value)
    with pytest.raises(InvalidInput, match="with 9 members asked for; there are 0"):
        scenarios(9, 1, seed=1)
    with pytest.raises(InvalidInput, match="count: 0 meetings"):
        scenarios(5, 0, seed=1)


def test_a_meeting_that_does_not_exist_is_refused():
    with pytest.raises(InvalidInput, match="meeting: 'm999' given; expected one of m001, m002"):
        scenario("m999")


def test_a_scenario_can_be_sent_to_another_process():
    made = scenario("m001")
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_folder_of_ones_own_is_read_instead(folder):
    made = scenario("m1", folder=folder)
    assert made.members == ("Bob", "Cai")
    assert made.busy == {"Bob": (), "Cai": ()}
    assert set(load_calendars(folder)) == {"Ann", "Bob", "Cai"}


def test_overlapping_whole_days_make_one_busy_time(folder):
    event = "BEGIN:VEVENT\r\nUID:{}\r\nDTSTAMP:20260101T000000Z\r\n"
    event += "DTSTART;VALUE=DATE:{}\r\nDTEND;VALUE=DATE:{}\r\nEND:VEVENT\r\n"
    events = event.format(1, 20260215, 20260217) + event.format(2, 20260216, 20260218)
    path = folder / "calendars" / "bob.ics"
    path.write_bytes(path.read_bytes().replace(b"END:VCALENDAR", events.encode() + b"END:VCALENDAR"))
    zone = ZoneInfo("America/New_York")
    days = (datetime(2026, 2, 15, tzinfo=zone), datetime(2026, 2, 18, tzinfo=zone))
    assert scenario("m1", folder=folder).busy["Bob"] == (days,)


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("employees", 'manager = "Ann"', 'manager = "Bob"', "employee Bob: manager is Bob, the employee"),
        ("employees", 'manager = ""', 'manager = "Cai"', "managers in a circle, Ann to Cai to Ann"),
        ("employees", "level = 2", "level = 7", "employee Ann: level 7 given; expected a whole number from 1"),
        ("meetings", '["Bob", "Cai"]', "[]", "meeting m1: no members given"),
        ("meetings", '["Bob", "Cai"]', '["Bob", "Zoe"]', "meeting m1: 'Zoe' is no employee"),
        ("meetings", "America/New_York", "Europe/Paris", "zone Europe/Paris given; expected America/New_York, where"),
        ("preferences", '"window"', '"gaps"', "employee Ann, preference 1: preference: kind 'gaps' given"),
        ("preferences", '"12:00"', '"noon"', "employee Ann, preference 1: time 'noon' given"),
        ("preferences", '"Before noon."', '""', "employee Ann: text or paraphrases missing or empty"),
        ("preferences", ', "Until twelve."', "", "employee Ann: text or paraphrases missing or empty"),
        ("preferences", ', "Until twelve."', ', " "', "employee Ann: text or paraphrases missing or empty"),
        ("preferences", 'name = "Cai"', 'name = "Zoe"', "preferences.toml: 'Zoe' is no employee"),
        ("preferences", 'name = "Cai"', 'name = "Bob"', "employee Bob: preferences given twice"),
        ("preferences", "paraphrases =", 'mood = "good"\nparaphrases =', "employee Ann: 'mood' given; expected name"),
        ("preferences", "preferences = [", "preferences = 3 #", "employee Ann: preferences 3 given; expected a list"),
        ("preferences", "= [{", '= [{ kind = "window", start = "13:00" }, {', "window 13:00 to 24:00 and window 00:00"),
    ],
)
def test_a_line_that_is_wrong_is_named_with_its_value(spoil, file, old, new, told):
    with pytest.raises(InvalidInput) as caught:
        load_private(spoil(f"{file}.toml", old, new))
    assert told in str(caught.value)


def test_a_meeting_id_twice_is_refused(folder):
    path = folder / "meetings.toml"
    path.write_text(path.read_text() * 2)
    with pytest.raises(InvalidInput, match="meeting m1: there twice; expected each id once"):
        load_company(folder)


def test_an_employee_without_preferences_or_calendar_is_named(folder):
    (folder / "calendars" / "cai.ics").unlink()
    with pytest.raises(MissingData, match=r"employee Cai: no calendar at .*cai\.ics; put an iCalendar file there"):
        scenario("m1", folder=folder)
    path = folder / "preferences.toml"
    path.write_text(path.read_text().rsplit("[[private]]", 1)[0])
    sources.load_private.cache_clear()
    with pytest.raises(MissingData, match=r"employee Cai: no preferences; add a \[\[private\]\] table"):
        load_private(folder)


def test_a_file_that_is_missing_damaged_or_empty_is_named(folder):
    path = folder / "meetings.toml"
    path.write_text("[[meeting]\nid = 1")
    with pytest.raises(DamagedFile, match=r"meetings\.toml: no TOML that can be read"):
        load_company(folder)
    path.write_text("# nothing yet\n")
    with pytest.raises(InvalidInput, match=r"meetings\.toml: no \[\[meeting\]\] tables; expected one for each meeting"):
        load_company(folder)
    path.unlink()
    with pytest.raises(MissingData, match=r"meetings\.toml is not there; a company needs"):
        load_company(folder)


def test_a_calendar_that_is_cut_off_is_named(folder):
    (folder / "calendars" / "bob.ics").write_text("BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT")
    with pytest.raises(DamagedFile, match=r"bob\.ics: not a calendar"):
        scenario("m1", folder=folder)
