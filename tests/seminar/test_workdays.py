"""Working days: counting and adding agree with each other and skip weekends."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from support.seminar.data import in_words, later, passed, working

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


@given(DAYS)
def test_words_hold_day_month_and_year(day):
    assert in_words(day) == f"{day:%A}, {day.day} {day:%B} {day.year}"
