"""Giving dates away: when it is time, to whom, and which vague date has to be confirmed before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from support.environments.seminar import rules
from support.environments.seminar.state import Contact
from support.environments.seminar.views import Desk
from support.environments.seminar.workdays import in_words
from support.participants.organizers.matching import first_by, match, yielding
from support.participants.organizers.ways import (
    Ways,
    answered_about,
    asked_about,
    closing,
    expected,
    hopeful,
    reachable,
    usable,
)
from support.records.organizing import CLARIFICATION, CONFIRMATION, Action

WEEK = 7
"""Days before a date is urgent on which whoever named it vaguely is asked about it."""

Done = Mapping[str, Action]
"""What was decided so far today, by person."""


def free_seats(desk: Desk, done: Done) -> dict[date, int]:
    """Dates with seats that nobody has, not those who get one today either; dates that are over are none."""
    given = [action.slot for action in done.values() if action.kind == CONFIRMATION]
    held = {slot: (*desk.state.slots[slot], *([""] * given.count(slot.isoformat()))) for slot in desk.state.open}
    return {
        slot: desk.state.seats - len(names)
        for slot, names in held.items()
        if len(names) < desk.state.seats and slot > desk.today
    }


def wishes(people: Iterable[Contact], free: Iterable[date], *, vague: bool = False) -> dict[str, list[date]]:
    """Which of the free dates each of these people could take, firmly or (with `vague`) perhaps."""
    slots = list(free)
    named = {c.name: [s for s in slots if s in (hopeful(c) if vague else usable(c))] for c in people}
    return {name: dates for name, dates in named.items() if dates}


def confirmation(name: str, slot: date, policy: str = "") -> Action:
    """The action that gives a date to somebody."""
    return Action(CONFIRMATION, name, f"give them {in_words(slot)}", slot.isoformat(), policy)


def give(desk: Desk, way: Ways, order: tuple[str, ...], done: Done, asking: set[str]) -> Iterator[Action]:
    """Dates for people who named them firmly.

    All that can be matched are given when every seat is taken by that and nobody who gets one is to be asked for
    further dates before, when nobody's answer is expected any more, or shortly before the deadline. Else only urgent
    dates and dates that were given back, where a policy says so.

    Parameters
    ----------
    order : tuple of str
        All names, in the order in which ties are broken.
    asking : set of str
        Names of people who will be asked for further dates today, and so are expected to answer.
    """
    free, people = free_seats(desk, done), _candidates(desk, way, order, done)
    found = match(wishes(people, free), free, first_by(way, desk.state.contacts))
    complete = len(found) == sum(free.values()) and not asking & set(found)
    if not found or not (complete or ready(desk, way, asking)):
        yield from _early(desk, way, people, free, asking)
        return
    leaving = set() if closing(desk, way) else yielding(found, free, people, way)
    for name, slot in found.items():
        if name not in leaving:
            yield confirmation(name, slot, _cause(desk, way, name, slot))


def _early(
    desk: Desk, way: Ways, people: Sequence[Contact], free: Mapping[date, int], asking: set[str]
) -> Iterator[Action]:
    """Urgent dates, to whoever named them, and dates that were given back."""
    near = {slot: n for slot, n in free.items() if _near(desk, way, slot)}
    for name, slot in match(wishes(people, near), near).items():
        yield confirmation(name, slot, way.id(rules.URGENT))
    back, people = _returned(desk, way, free), [c for c in people if c.name not in asking]
    found = match(wishes(people, back), back, first_by(way, desk.state.contacts))
    leaving = yielding(found, back, people, way)
    for name, slot in found.items():
        if name not in leaving:
            yield confirmation(name, slot, way.id(rules.CANCELLED))


def give_vague(desk: Desk, way: Ways, order: tuple[str, ...], done: Done, asking: set[str]) -> Iterator[Action]:
    """Vague dates, for seats that nobody named firmly: asked about, or given.

    With a policy on vague answers people are asked first, a week before a date is urgent if not earlier, and a date
    that is still vague after their answer is given shortly before the deadline, or when it is urgent; without an answer
    it never is. Without such a policy vague dates are given at those times, and nobody is asked.
    """
    free = free_seats(desk, done)
    early = {slot: n for slot, n in free.items() if _near(desk, way, slot, WEEK)}
    early |= _returned(desk, way, free)
    slots = free if ready(desk, way, asking) else early
    people = _candidates(desk, way, order, done)
    for name, slot in match(wishes(people, slots, vague=True), slots, first_by(way, desk.state.contacts)).items():
        near = _near(desk, way, slot)
        if rules.VAGUE in way and asked_about(desk, name, slot) is None:
            quiet = desk.state.days_silent(name)
            if quiet is None or quiet >= way.window:
                yield Action(CLARIFICATION, name, _certain(slot), slot.isoformat(), way.id(rules.VAGUE))
        elif (closing(desk, way) or near) and (rules.VAGUE not in way or answered_about(desk, name, slot)):
            yield confirmation(name, slot, way.id(rules.URGENT) if near else "")


def give_again(desk: Desk, way: Ways, order: tuple[str, ...], done: Done) -> Iterator[Action]:
    """Second dates, shortly before the deadline, where a policy speaks of them and nobody without a date named them."""
    if rules.ONE_EACH not in way or not closing(desk, way):
        return
    waiting = {slot for c in desk.state.waiting() for slot in c.named}
    free = {slot: n for slot, n in free_seats(desk, done).items() if slot not in waiting}
    holders = [desk.state.contacts[n] for n in order if desk.state.dates_of(n) and n not in done]
    for name, slot in match(wishes(holders, free), free).items():
        if slot not in desk.state.dates_of(name):
            yield confirmation(name, slot, way.id(rules.ONE_EACH))


def ready(desk: Desk, way: Ways, asking: set[str]) -> bool:
    """Whether it is time to give away what can be given."""
    return closing(desk, way) or not (expected(desk, way) | asking)


def _candidates(desk: Desk, way: Ways, order: tuple[str, ...], done: Done) -> list[Contact]:
    able = {c.name: c for c in reachable(desk.state, way) if c.name not in done}
    return [able[name] for name in order if name in able]


def _near(desk: Desk, way: Ways, slot: date, before: int = 0) -> bool:
    return rules.URGENT in way and 0 <= (slot - desk.today).days <= way.urgent + before


def _returned(desk: Desk, way: Ways, free: Mapping[date, int]) -> dict[date, int]:
    """Dates that were given back, where a policy is on them; not those that are urgent besides."""
    if rules.CANCELLED not in way:
        return {}
    back = {slot for c in desk.state.contacts.values() for slot in c.cancelled}
    return {slot: n for slot, n in free.items() if slot in back and not _near(desk, way, slot)}


def _cause(desk: Desk, way: Ways, name: str, slot: date) -> str:
    """The policy by which somebody gets a date: the one on roles where another role wanted it too."""
    first = first_by(way, desk.state.contacts)
    rival = any(slot in c.named and not first(c.name) for c in desk.state.waiting() if c.name != name)
    if first(name) and rival:
        return way.id(rules.FACULTY_FIRST) or way.id(rules.STUDENTS_FIRST)
    return way.id(rules.CONFIRM)


def _certain(slot: date) -> str:
    return f"You mentioned {in_words(slot)} as a possibility. Is that date certain enough for me to give it to you?"
