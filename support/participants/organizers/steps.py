"""What policies, followed to the letter, tell an organiser to do on a day: one step for each thing that they speak of.

The steps come in a fixed order, and each looks only at people about whom nothing was decided before it, so that nobody
gets two mails a day.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from support.environments.seminar import rules
from support.environments.seminar.reading import read_reply
from support.environments.seminar.state import Contact, silent
from support.environments.seminar.views import Desk
from support.environments.seminar.workdays import in_words, passed, working
from support.participants.organizers.flags import answers_to
from support.participants.organizers.giving import Done, confirmation, free_seats, give, give_again, give_vague
from support.participants.organizers.matching import first_by
from support.participants.organizers.ways import (
    REMINDED,
    Ways,
    asked_on,
    expected,
    hopeful,
    reachable,
    turned,
    usable,
    ways,
)
from support.records.organizing import (
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    THANKS,
    Action,
)


def todo(desk: Desk, order: Sequence[str] = ()) -> tuple[Action, ...]:
    """The day's actions, at most one for a person.

    Parameters
    ----------
    desk : Desk
    order : sequence of str, optional
        Names in the order in which ties are broken and people invited; by default that of the scenario.
    """
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
    fresh = [n for n in fresh if not contacts[n].declined and not silent(contacts[n], way.limit)]
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
