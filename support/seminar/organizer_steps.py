"""What policies, followed to the letter, tell an organiser to do on a day: one step for each thing that they speak of.

The steps come in a fixed order, and each looks only at people about whom nothing was decided before it, so that nobody
gets two mails a day. Of dates, as many as possible are given away, then those first whom a policy puts first, then the
earlier dates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date

import numpy as np

from support.seminar import rules
from support.seminar.data import PROFESSOR, STUDENT, in_words, passed, working
from support.seminar.ledger import Contact
from support.seminar.organizer_ways import (
    REMINDED,
    Ways,
    answered_about,
    answers_to,
    asked_about,
    asked_on,
    closing,
    expected,
    hopeful,
    reachable,
    turned,
    usable,
    ways,
)  # fmt: skip
from support.seminar.reading import read_reply
from support.seminar.records import CLARIFICATION, CONFIRMATION, FOLLOW_UP, INVITATION, THANKS, Action
from support.seminar.views import Desk

Wishes = Mapping[str, Sequence[date]]
"""Dates that each person could take, in the order in which ties between people are broken."""


def match(wishes: Wishes, free: Mapping[date, int], priority: Callable[[str], int] = lambda name: 0) -> dict[str, date]:
    """A maximum matching of people to seats; nobody gets two.

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


def todo(desk: Desk, order: Sequence[str] = ()) -> tuple[Action, ...]:
    """The day's actions, at most one for a person."""
    way, done = ways(desk.policies), dict[str, Action]()
    if rules.WEEKEND in way and not working(desk.today):
        return ()
    names = tuple(name for name in (order or desk.scenario.by_name) if name in desk.state.contacts)
    asking = {action.person for action in further(desk, way, done)}
    for step in (_answers, _unconfirmed):
        _note(done, step(desk, way, done))
    _note(done, give(desk, way, names, done, asking))
    _note(done, give_vague(desk, way, names, done, asking))
    _note(done, give_again(desk, way, names, done))
    for step in (_thanks, further, _another, _undecided, _again):
        _note(done, step(desk, way, done))
    _note(done, _invite(desk, way, names, done))
    return tuple(done.values())


def _note(done: dict[str, Action], actions: Iterator[Action]) -> None:
    for action in list(actions):
        done.setdefault(action.person, action)


def further(desk: Desk, way: Ways, done: Done) -> Iterator[Action]:
    """Questions for further dates, to people who named few, or vague ones, and were not written to since."""
    free = free_seats(desk, done)
    for contact in _answering(desk, way, done):
        others = [slot for slot in free if slot not in contact.named]
        if not contact.named or contact.asked_since or not others:
            continue
        if 1 <= len(contact.available) <= way.few:
            yield _ask(contact.name, _more(others), way.id(rules.ASK_MORE))
        elif rules.VAGUE in way and contact.vague:
            yield _ask(contact.name, _more(others), way.id(rules.VAGUE))


def _answers(desk: Desk, way: Ways, done: Done) -> Iterator[Action]:
    """What was decided about flags, passed on to whoever had asked."""
    for name, hooks in answers_to(desk).items():
        contact = desk.state.contacts[name]
        if contact.wait_until is None or contact.wait_until <= desk.today:
            yield _ask(name, " ".join(_sentence(hook.answer) for hook in hooks))


def _unconfirmed(desk: Desk, way: Ways, done: Done) -> Iterator[Action]:
    """Confirmations of dates that people have and were never told of."""
    if rules.CONFIRM in way:
        for slot, names in desk.state.slots.items():
            for name in names:
                if slot not in desk.state.contacts[name].confirmed:
                    yield confirmation(name, slot, way.id(rules.CONFIRM))


def _thanks(desk: Desk, way: Ways, done: Done) -> Iterator[Action]:
    """Thanks to those who declined, once."""
    if rules.DECLINED in way:
        for contact in desk.state.contacts.values():
            if contact.declined and not contact.thanked:
                yield Action(THANKS, contact.name, "thank them for their answer", None, way.id(rules.DECLINED))


def _another(desk: Desk, way: Ways, done: Done) -> Iterator[Action]:
    """Questions for another date, to people whose dates others got, or now that one was given back."""
    free = free_seats(desk, done)
    gone = {action.slot for action in done.values() if action.kind == CONFIRMATION}
    for contact in _answering(desk, way, done):
        if not free or not contact.named or set(free) & {*usable(contact), *hopeful(contact)}:
            continue
        today = desk.day if any(slot.isoformat() in gone for slot in contact.named) else 0
        if asked_on(desk, contact.name) < max(today, turned(desk, contact)):
            yield _ask(contact.name, _other(list(free)), _why_another(desk, way, contact, done))


def _why_another(desk: Desk, way: Ways, contact: Contact, done: Done) -> str:
    """The policy on roles, where one who comes first has a date that somebody else named."""
    first = first_by(way, desk.state.contacts)
    owners = [n for slot in contact.named for n in desk.state.slots.get(slot, ())]
    owners += [a.person for a in done.values() if a.slot in {s.isoformat() for s in contact.named}]
    if any(first(name) for name in owners) and not first(contact.name):
        return way.id(rules.FACULTY_FIRST) or way.id(rules.STUDENTS_FIRST)
    return ""


def _undecided(desk: Desk, way: Ways, done: Done) -> Iterator[Action]:
    """Once more to people who answered without naming a date, when the window is over; not to those who can do none."""
    free = set(free_seats(desk, done))
    for contact in _answering(desk, way, done):
        if contact.named or contact.cancelled or not free or len(contact.mails) >= min(way.limit, REMINDED + 1):
            continue
        if passed(max(contact.answered), desk.today) >= way.window and not free <= _impossible(desk, contact.name):
            yield Action(FOLLOW_UP, contact.name, "ask again, since they named no date", None, way.id(rules.FOLLOW_UP))


def _impossible(desk: Desk, name: str) -> set[date]:
    replies = [mail for mail in desk.thread(name) if mail.sender == name]
    return {slot for mail in replies for slot in read_reply(mail.body, desk.scenario.slots, desk.today).unavailable}


def _again(desk: Desk, way: Ways, done: Done) -> Iterator[Action]:
    """Follow-ups on mails without an answer, when the window is over and the limit of mails not reached."""
    if not free_seats(desk, done):
        return
    for contact in reachable(desk.state, way):
        quiet = desk.state.days_silent(contact.name)
        if contact.name in done or quiet is None or quiet < way.window or len(contact.mails) >= way.limit:
            continue
        goal = f"ask again, after {_days(quiet)} without an answer"
        yield Action(FOLLOW_UP, contact.name, goal, None, way.id(rules.FOLLOW_UP))


def _invite(desk: Desk, way: Ways, order: tuple[str, ...], done: Done) -> Iterator[Action]:
    """Invitations: to everybody at the beginning where a policy says so, else to as many people as seats are free.

    Those who decline, or are given up, make room for the next on the list.
    """
    contacts, free = desk.state.contacts, free_seats(desk, done)
    first = first_by(way, contacts)
    fresh = [n for n in sorted(order, key=lambda n: -first(n)) if not contacts[n].mails and n not in done]
    fresh = [n for n in fresh if not contacts[n].declined and not contacts[n].silent(way.limit)]
    everybody = rules.BEGIN in way and not any(c.mails for c in contacts.values())
    hoped = expected(desk, way) | {c.name for c in desk.state.waiting() if set(c.named) & set(free)}
    room = len(fresh) if everybody else sum(free.values()) - len(hoped - _given(done))
    for name in fresh[: max(room, 0)] if free else ():
        policy = way.id(rules.BEGIN) if everybody else ""
        yield Action(INVITATION, name, "ask which of all the dates suit them", None, policy)


def _given(done: Done) -> set[str]:
    return {name for name, action in done.items() if action.kind == CONFIRMATION}


def _answering(desk: Desk, way: Ways, done: Done) -> Iterator[Contact]:
    """People without a date who answered their last mail, and about whom nothing was decided today."""
    return (c for c in reachable(desk.state, way) if c.answered and not c.unanswered and c.name not in done)


def _ask(name: str, question: str, policy: str = "") -> Action:
    return Action(CLARIFICATION, name, question, None, policy)


def _more(others: Sequence[date]) -> str:
    return f"Beside what you named, might there be another date that you could manage: {listed(others, 'or')}?"


def _other(free: Sequence[date]) -> str:
    return f"What you named is taken by now. Would another date suit you: {listed(free, 'or')}?"


def listed(slots: Sequence[date], last: str = "and") -> str:
    """Dates in words, as a sentence lists them.

    >>> listed([date(2027, 9, 15), date(2027, 10, 13)])
    'Wednesday, 15 September 2027 and Wednesday, 13 October 2027'
    """
    words = [in_words(slot) for slot in slots]
    return f" {last} ".join(part for part in ("; ".join(words[:-1]), words[-1] if words else "") if part)


def _sentence(text: str) -> str:
    plain = " ".join(text.split())
    return plain if plain.endswith((".", "!", "?")) else f"{plain}."


def _days(count: int) -> str:
    return f"{count} working day{'' if count == 1 else 's'}"
