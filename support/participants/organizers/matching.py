"""Who gets which date: as many dates as possible, then those first whom a policy puts first, then the earlier dates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date

import numpy as np

from support.environments.seminar import rules
from support.environments.seminar.personas import PROFESSOR, STUDENT
from support.environments.seminar.state import Contact
from support.participants.organizers.ways import Ways, hopeful

Wishes = Mapping[str, Sequence[date]]
"""Dates that each person could take, in the order in which ties between people are broken."""


def match(wishes: Wishes, free: Mapping[date, int], priority: Callable[[str], int] = lambda name: 0) -> dict[str, date]:
    """A maximum matching of people to seats; nobody gets two.

    Parameters
    ----------
    wishes : mapping of name to dates
    free : mapping of date to its free seats
    priority : callable, optional
        Of a name: 0, or 1 for those who come first. As many dates as possible are filled all the same.

    Examples
    --------
    >>> early, late = date(2027, 9, 15), date(2027, 10, 13)
    >>> match({"Ana": [early, late], "Bo": [early]}, {early: 1, late: 1}) == {"Ana": late, "Bo": early}
    True
    """
    from scipy.optimize import linear_sum_assignment  # heavy, and needed only here

    names, seats = list(wishes), [slot for slot in sorted(free) for _ in range(free[slot])]
    worth = _worth(wishes, seats, [priority(name) for name in names])
    rows, columns = linear_sum_assignment(worth, maximize=True)
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return {names[row]: seats[column] for row, column in pairs if worth[row, column]}


def _worth(wishes: Wishes, seats: Sequence[date], first: Sequence[int]) -> np.ndarray:
    """Shape (people, seats), whole numbers: one more match outweighs all priority, and that all order and earliness."""
    people, columns = len(first), len(seats)
    worth = np.zeros((people, columns), dtype=np.int64)
    step = people * columns * max(people, columns) + 1
    for row, dates in enumerate(wishes.values()):
        for column, slot in enumerate(seats):
            if slot in dates:
                small = (people - row) + (columns - column)
                worth[row, column] = (people + 1) * step * 2 + first[row] * step * 2 + small
    return worth


def first_by(way: Ways, contacts: Mapping[str, Contact]) -> Callable[[str], int]:
    """The priority that the policies give to people by their role."""
    return lambda name: int(contacts[name].role == ranks(way)[0])


def ranks(way: Ways) -> tuple[str, str]:
    """The role that gets a date before another role, and that other one; empty where no policy says so."""
    if rules.FACULTY_FIRST in way:
        return PROFESSOR, STUDENT
    return (STUDENT, PROFESSOR) if rules.STUDENTS_FIRST in way else ("", "")


def yielding(found: Mapping[str, date], free: Mapping[date, int], people: Sequence[Contact], way: Ways) -> set[str]:
    """Who has to leave a date for now to people who come first and named it vaguely, and have no other one.

    A seat is kept for each of these, as far as there are seats; of who has to leave, the last in the order do.
    """
    ahead, behind = ranks(way)
    roles = {c.name: c.role for c in people}
    leaving = set[str]()
    for slot in set(found.values()):
        kept = sum(c.role == ahead and c.name not in found and slot in hopeful(c) for c in people)
        takers = [name for name, date_ in found.items() if date_ == slot]
        short = kept - (free[slot] - len(takers))
        leaving |= set([name for name in takers if roles[name] == behind][::-1][: max(short, 0)])
    return leaving
