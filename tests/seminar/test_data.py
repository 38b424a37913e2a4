"""People, programmes and test material: loaded as the READMEs say, refused where they cannot be."""

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from support.seminar.data import (
    Persona,
    check_people,
    later,
    load_personas,
    passed,
    surname_twice,
    working,
)

ANA = Persona("ana", "Ana Ray", "ana@example.org", "professor")


def test_the_projects_people_are_as_its_readme_says():
    people = load_personas()
    roles = [person.role for person in people.values()]
    assert len(people) == 24 and [roles.count(r) for r in ("professor", "postdoc", "phd student")] == [10, 5, 9]
    assert sum(bool(p.issue) for p in people.values()) == 12 and all(
        bool(p.issue) == bool(p.issue_kind) for p in people.values()
    )
    check_people(list(people.values()))


def test_who_shares_a_last_name_is_told():
    people = load_personas()
    assert surname_twice(people.values()) == {"Vivian Truong", "Linh Truong"}


def test_an_organiser_is_told_who_somebody_is_and_nothing_of_how_they_behave():
    for person in load_personas().values():
        known = person.introduced
        assert (known.id, known.name, known.email, known.role) == (person.id, person.name, person.email, person.role)
        assert (known.field, known.affiliation) == (person.field, person.affiliation)
        assert (
            replace(ANA, **{name: getattr(known, name) for name in ("days", "share", "limit", "issue", "style")}) == ANA
        )


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
