"""People, programmes and test material: loaded as the READMEs say, refused where they cannot be."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.data import inputs
from support.errors import DamagedFile, InvalidInput
from support.seminar.data import (
    Persona,
    check_people,
    day,
    days,
    later,
    load_personas,
    passed,
    scenario,
    surname_twice,
    working,
)
from support.seminar.suite import edge_cases, held_out_replies, held_out_states

ANA = Persona("ana", "Ana Ray", "ana@example.org", "professor")


def test_the_projects_people_are_as_its_readme_says():
    people = load_personas()
    roles = [person.role for person in people.values()]
    assert len(people) == 24 and [roles.count(r) for r in ("professor", "postdoc", "phd student")] == [10, 5, 9]
    assert sum(bool(p.issue) for p in people.values()) == 12 and all(
        bool(p.issue) == bool(p.issue_kind) for p in people.values()
    )
    check_people(list(people.values()))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": " "}, "no name given"),
        ({"email": "ana"}, "email 'ana' given; expected one such as"),
        ({"email": "a na@x.org"}, "email 'a na@x.org' given"),
        ({"role": "dean"}, "role 'dean' given; expected one of professor, postdoc, phd student"),
        ({"days": -1}, "days = -1 given; expected a whole number from 0"),
        ({"needs": 0}, "needs = 0 given; expected a whole number from 1"),
        ({"limit": True}, "limit = True given"),
        ({"days": 1.5}, "days = 1.5 given"),
        ({"share": 1.1}, "share = 1.1 given; expected a number from 0 to 1"),
        ({"vague": float("nan")}, "vague = nan given"),
        ({"forgets": "0.5"}, "forgets = '0.5' given"),
    ],
)
def test_a_persona_that_cannot_be_is_refused(change, said):
    with pytest.raises(InvalidInput, match=said):
        replace(ANA, **change)


def test_two_people_of_one_name_are_refused_with_the_way_out():
    with pytest.raises(InvalidInput, match=r"two have the name 'ana ray' \(ana and b\).*add a middle name"):
        check_people([ANA, replace(ANA, id="b", name="ana ray", email="b@example.org")])
    with pytest.raises(InvalidInput, match="two have the email"):
        check_people([ANA, replace(ANA, id="b", name="Bo Ray", email="ANA@example.org ".strip())])
    with pytest.raises(InvalidInput, match="nobody given"):
        check_people([])


@pytest.mark.parametrize("name", ["organiser", "Reviewer "])
def test_nobody_is_called_as_a_role_is_in_the_log(name):
    with pytest.raises(InvalidInput, match="which stands for a role in mails and records; give another one"):
        check_people([replace(ANA, name=name)])


def test_who_shares_a_last_name_is_told():
    people = load_personas()
    assert surname_twice(people.values()) == {"Vivian Truong", "Linh Truong"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("persona = [3]", r"people\.toml: persona = \[3\] given; expected \[\[persona\]\] tables"),
        ("persona = 'Ana'", "persona = 'Ana' given"),
        ("[[persona]]\nname = 'A'\nconstraints = 'None.'", "persona A: constraints = 'None.' given; expected a list"),
        ("[[persona]]\nid = 'a'\nname = 'A'\nemail='a@x.org'\nrole='postdoc'\nresponsiveness = 2",
         "persona A: responsiveness = 2 given; expected a table of days and needs"),
    ],
)  # fmt: skip
def test_an_entry_of_another_form_is_a_damaged_file(tmp_path, line, said):
    file = tmp_path / "people.toml"
    file.write_text(line)
    with pytest.raises(DamagedFile, match=said):
        load_personas(file)


def test_an_organiser_is_told_who_somebody_is_and_nothing_of_how_they_behave():
    for person in load_personas().values():
        known = person.introduced
        assert (known.id, known.name, known.email, known.role) == (person.id, person.name, person.email, person.role)
        assert (known.field, known.affiliation) == (person.field, person.affiliation)
        assert (
            replace(ANA, **{name: getattr(known, name) for name in ("days", "share", "limit", "issue", "style")}) == ANA
        )


FOUR = scenario("four")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"slots": ()}, "no dates given; expected at least one"),
        ({"people": ()}, "nobody given"),
        ({"seats": 0}, "seats = 0 given"),
        ({"start": date(2027, 8, 15)}, "start 2027-08-15 is a Sunday; expected a working day"),
        ({"start": date(2027, 9, 15)}, "the date 2027-09-15 is over when work starts"),
        ({"slots": (FOUR.slots[0],) * 2}, "the date 2027-09-15 is given twice; give it once, with more seats"),
        ({"slots": FOUR.slots[::-1]}, "not in their order; expected the earliest first"),
        ({"deadline": FOUR.start}, "deadline 2027-08-16 given; expected one after"),
        ({"people": FOUR.people[:1] * 2}, "two have the name 'Aurelio Brandvik'"),
    ],
)
def test_a_programme_that_cannot_be_is_refused(change, said):
    with pytest.raises(InvalidInput, match=said):
        replace(FOUR, **change)


def test_people_are_found_by_name_and_strangers_are_not():
    assert FOUR.person("Ngozi Tarrant") is FOUR.people[1]
    with pytest.raises(InvalidInput, match="person: 'Zoe' given; expected one of Aurelio Brandvik, Ngozi"):
        FOUR.person("Zoe")
    with pytest.raises(InvalidInput, match="scenario: 'five' given; expected one of four, series, panel"):
        scenario("five")


@pytest.mark.parametrize(
    ("old", "new", "error", "said"),
    [
        (
            '"2027-09-15", "2027-10-13"',
            '"2027-09-15", "13 October"',
            InvalidInput,
            "scenario four, slots: '13 October' given",
        ),
        ('deadline = "2027-09-13"', "", DamagedFile, "'deadline'.*expected the fields of a .*scenario"),
        ('personas = ["aurelio_brandvik"', 'personas = ["nobody"', InvalidInput, "nobody has the id 'nobody'"),
    ],
)
def test_a_file_with_something_amiss_says_what(tmp_path, old, new, error, said):
    text = inputs("seminar", "personas.toml").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "personas.toml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(error, match=said):
        scenario("four", file)


def test_days_are_read_from_iso_texts_only():
    assert days(["2027-09-15", date(2027, 9, 16)], "x") == (date(2027, 9, 15), date(2027, 9, 16))
    for wrong in ("15.9.2027", "", None, 3):
        with pytest.raises(InvalidInput, match=r"start: .* given; expected a date such as"):
            day(wrong, "start")


DAYS = st.dates(date(2020, 1, 1), date(2035, 12, 31))


@given(DAYS, st.integers(0, 40))
def test_adding_working_days_lands_on_one_and_is_counted_back(day, count):
    end = later(day, count)
    assert working(end) and end >= day
    assert passed(day, end) == (count if count or working(day) else 1)


@given(DAYS, st.integers(0, 60))
def test_working_days_are_counted_one_by_one(day, ahead):
    until = day + timedelta(days=ahead)
    assert passed(day, until) == sum(working(day + timedelta(days=k)) for k in range(1, ahead + 1))


CASES = """
[[case]]
id = "video"
title = "from afar"
flag = true
question = "By video?"
voices = { renowned = "On a screen.", friend = "zoom?" }
[[case]]
id = "thanks"
title = "thanks"
flag = false
voices = { junior = "Thank you." }
"""


REPLY = """
[[reply]]
id = "r1"
topic = "money"
text = "Who pays?"
flag = {flag}
hard = {hard}
"""


STATE = """
[[state]]
id = "s1"
today = "2027-08-19"
summary = "All wait."
applies = ["follow_up", "vague"]
why = "Bo is silent."
slots = [{ date = "2027-09-15", speaker = "Ana Ray" }, { date = "2027-10-13", speaker = "" }]
[[state.speakers]]
name = "Ana Ray"
role = "professor"
mails = ["2027-08-16"]
answered = ["2027-08-17"]
available = ["2027-09-15"]
vague = ["2027-10-13"]
said = "Glad."
"""


@pytest.fixture
def written(tmp_path):
    def write(text):
        file = tmp_path / "made.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_every_voice_of_a_case_is_a_reply_that_stays_with_its_case(written):
    video, zoom, thanks = edge_cases(written(CASES))
    assert (video.id, video.text, video.flag, video.case) == ("video, renowned", "On a screen.", True, "video")
    assert (video.voice, video.question, zoom.case, zoom.voice) == ("renowned", "By video?", "video", "friend")
    assert (thanks.case, thanks.flag, thanks.question, thanks.hard) == ("thanks", False, "", False)


def test_a_state_is_what_its_tables_say(written):
    (judged,) = held_out_states(written(STATE))
    ana, slots = judged.state.contacts["Ana Ray"], (date(2027, 9, 15), date(2027, 10, 13))
    assert (judged.id, judged.summary, judged.why) == ("s1", "All wait.", "Bo is silent.")
    assert judged.applies == ("follow_up", "vague") and judged.state.today == date(2027, 8, 19)
    assert dict(judged.state.slots) == {slots[0]: ("Ana Ray",), slots[1]: ()} and ana.confirmed == slots[:1]
    assert (ana.role, ana.mails, ana.answered) == ("professor", (date(2027, 8, 16),), (date(2027, 8, 17),))
    assert (ana.available, ana.vague, ana.said) == (slots[:1], slots[1:], "Glad.")


@pytest.mark.parametrize(
    ("read", "text", "error", "said"),
    [
        (edge_cases, "[[case]]\nid = 'a'\nflag = true\n", DamagedFile, "'voices'.* in a; see its README"),
        (edge_cases, "[[case]]\nid = 'a'\nflag = true\nvoices = 'x'\n", DamagedFile, "in a; see its README"),
        (held_out_replies, "[[reply]]\nid = 'a'\n", DamagedFile, "'topic'.* in a"),
        (held_out_replies, "reply = 3\n", DamagedFile, "reply = 3 given; expected"),
        (held_out_states, STATE.replace("2027-08-19", "August"), InvalidInput, "state s1: 'August' given"),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_place(written, read, text, error, said):
    with pytest.raises(error, match=said):
        read(written(text))
