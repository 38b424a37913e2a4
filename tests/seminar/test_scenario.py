"""Programmes to be filled: loaded as the README says, refused where they cannot be."""

from dataclasses import replace
from datetime import date

import pytest

from support.data import inputs
from support.errors import DamagedFile, InvalidInput
from support.seminar.data import day, days, scenario, working

FOUR = scenario("four")


@pytest.mark.parametrize(
    ("name", "dates", "people", "seats"), [("four", 4, 4, 1), ("series", 10, 23, 1), ("panel", 1, 18, 6)]
)
def test_the_projects_scenarios(name, dates, people, seats):
    made = scenario(name)
    assert (len(made.slots), len(made.people), made.seats) == (dates, people, seats)
    assert all(map(working, made.slots)) and made.start < made.deadline < made.slots[-1]


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
