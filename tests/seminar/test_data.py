"""People, and working days."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from support.seminar.data import Persona, later, load_personas, passed, surname_twice, working

DAYS = st.dates(date(2020, 1, 1), date(2035, 12, 31))


def test_the_projects_people_are_as_its_readme_says():
    people = load_personas()
    roles = [person.role for person in people.values()]
    assert len(people) == 24 and [roles.count(r) for r in ("professor", "postdoc", "phd student")] == [10, 5, 9]
    issues = [(bool(person.issue), bool(person.issue_kind)) for person in people.values()]
    assert issues.count((True, True)) == issues.count((False, False)) == 12
    assert surname_twice(people.values()) == {"Vivian Truong", "Linh Truong"}


def test_an_organiser_is_told_who_somebody_is_and_nothing_of_how_they_behave():
    for one in load_personas().values():
        assert one.introduced == Persona(one.id, one.name, one.email, one.role, one.field, one.affiliation)


@given(DAYS, st.integers(0, 60))
def test_working_days_are_counted_one_by_one_and_adding_them_lands_on_one_and_is_counted_back(day, ahead):
    until = day + timedelta(days=ahead)
    assert passed(day, until) == sum(working(day + timedelta(days=k)) for k in range(1, ahead + 1))
    end = later(day, ahead)
    assert working(end) and end >= day and passed(day, end) == (ahead if ahead or working(day) else 1)
