"""Working days, Monday to Friday. Holidays are nobody's here."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np


def working(day: date) -> bool:
    """Whether a day is none of Saturday and Sunday.

    >>> working(date(2027, 8, 16)), working(date(2027, 8, 15))
    (True, False)
    """
    return day.weekday() < 5


def passed(since: date, until: date) -> int:
    """Working days after `since` up to `until`: from a Friday to the Monday after it is 1.

    >>> passed(date(2027, 8, 13), date(2027, 8, 16)), passed(date(2027, 8, 13), date(2027, 8, 15))
    (1, 0)
    """
    first, last = (np.datetime64(day + timedelta(days=1), "D") for day in (since, until))
    return int(np.busday_count(first, last))


def later(day: date, count: int) -> date:
    """The working day that is `count` working days after a day; of 0, the day itself or the next Monday.

    >>> later(date(2027, 8, 13), 1), later(date(2027, 8, 14), 0)
    (datetime.date(2027, 8, 16), datetime.date(2027, 8, 16))
    """
    return np.busday_offset(np.datetime64(day, "D"), count, roll="backward" if count else "forward").astype(date)


def in_words(day: date) -> str:
    """A date as mails write it.

    >>> in_words(date(2027, 9, 5))
    'Sunday, 5 September 2027'
    """
    return f"{day:%A}, {day.day} {day:%B %Y}"
