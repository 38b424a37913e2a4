"""What an organiser knows on a day: who was written to when, what each said, which dates are given away.

`applies` is the literal selection of policies: a policy applies when, followed to the letter, it tells the organiser to
do something today, or to leave it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from support.environments.seminar import rules
from support.environments.seminar.personas import PROFESSOR, STUDENT
from support.environments.seminar.policies import PolicySet
from support.environments.seminar.rules import Rule
from support.environments.seminar.workdays import passed, working


@dataclass(frozen=True)
class Contact:
    """What is known of one person.

    Attributes
    ----------
    name, role : str
    mails : tuple of date
        When the organiser wrote to them.
    answered : tuple of date
        When they wrote; a reply of the same day answers a mail of that day.
    available, vague : tuple of date
        Dates of the programme that they named, firmly or not.
    said : str
        A short note of what they said.
    declined, thanked : bool
    confirmed : tuple of date
        Dates for which a confirmation was sent to them.
    cancelled : tuple of date
        Dates that they gave back.
    wait_until : date, optional
        Before which they asked not to be written to.
    """

    name: str
    role: str
    mails: tuple[date, ...] = ()
    answered: tuple[date, ...] = ()
    available: tuple[date, ...] = ()
    vague: tuple[date, ...] = ()
    said: str = ""
    declined: bool = False
    thanked: bool = False
    confirmed: tuple[date, ...] = ()
    cancelled: tuple[date, ...] = ()
    wait_until: date | None = None

    @property
    def unanswered(self) -> int:
        """Mails since their last reply."""
        return sum(not self.answered or sent > max(self.answered) for sent in self.mails)

    @property
    def named(self) -> tuple[date, ...]:
        """All dates that they named."""
        return tuple(sorted({*self.available, *self.vague}))

    @property
    def asked_since(self) -> bool:
        """Whether they were written to after their first reply."""
        return bool(self.answered) and any(sent > min(self.answered) for sent in self.mails)


@dataclass(frozen=True)
class State:
    """All that is known on the morning of `today`.

    Attributes
    ----------
    today : date
    slots : mapping of date to names
        Who has each date; nobody, while it is open.
    contacts : mapping of name to Contact
    seats : int
        Speakers that a date takes.
    """

    today: date
    slots: Mapping[date, tuple[str, ...]]
    contacts: Mapping[str, Contact]
    seats: int = 1
    _given: Mapping[str, tuple[date, ...]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        given: dict[str, tuple[date, ...]] = {}
        for slot, names in self.slots.items():
            for name in names:
                given[name] = (*given.get(name, ()), slot)
        object.__setattr__(self, "_given", given)

    @property
    def open(self) -> tuple[date, ...]:
        """Dates with a free seat."""
        return tuple(slot for slot, names in self.slots.items() if len(names) < self.seats)

    def dates_of(self, name: str) -> tuple[date, ...]:
        """The dates that somebody has."""
        return self._given.get(name, ())

    def waiting(self) -> Iterator[Contact]:
        """People without a date who have not declined."""
        return (c for c in self.contacts.values() if not self.dates_of(c.name) and not c.declined)

    def days_silent(self, name: str) -> int | None:
        """Working days since the last mail to somebody who has not answered it; None where none is open."""
        contact = self.contacts[name]
        return passed(max(contact.mails), self.today) if contact.unanswered else None


def silent(contact: Contact, mails: int) -> bool:
    """Whether somebody never answered that many mails or more."""
    return len(contact.mails) >= mails and not contact.answered


def rivals(state: State, ahead: str, behind: str) -> list[tuple[date, str, str]]:
    """Open dates that two people without a date both named: the date, who of role `ahead`, who of role `behind`."""
    free = [c for c in state.waiting() if c.named]
    return [
        (slot, one.name, other.name)
        for slot in state.open
        for one in free
        if one.role == ahead and slot in one.named
        for other in free
        if other.role == behind and slot in other.named
    ]


def _begin(state: State, rule: Rule, limit: int) -> bool:
    return not any(c.mails for c in state.contacts.values())


def _follow_up(state: State, rule: Rule, limit: int) -> bool:
    return any(c.unanswered and len(c.mails) < limit for c in state.waiting())


def _give_up(state: State, rule: Rule, limit: int) -> bool:
    return any(silent(c, rule.number) for c in state.contacts.values())


def _ask_more(state: State, rule: Rule, limit: int) -> bool:
    return any(1 <= len(c.available) <= rule.number and not c.asked_since for c in state.waiting())


def _vague(state: State, rule: Rule, limit: int) -> bool:
    return any(c.vague for c in state.waiting())


def _weekend(state: State, rule: Rule, limit: int) -> bool:
    return not working(state.today)


def _declined(state: State, rule: Rule, limit: int) -> bool:
    return any(c.declined and not c.thanked for c in state.contacts.values())


def _confirm(state: State, rule: Rule, limit: int) -> bool:
    return any(slot not in state.contacts[n].confirmed for slot, names in state.slots.items() for n in names)


def _cancelled(state: State, rule: Rule, limit: int) -> bool:
    back = {slot for c in state.contacts.values() for slot in c.cancelled}
    return any(slot in state.open and any(slot in c.named for c in state.waiting()) for slot in back)


def _one_each(state: State, rule: Rule, limit: int) -> bool:
    more = {slot for c in state.contacts.values() if state.dates_of(c.name) for slot in c.named}
    return any(slot in state.open and any(slot in c.named for c in state.waiting()) for slot in more)


def _urgent(state: State, rule: Rule, limit: int) -> bool:
    near = [slot for slot in state.open if 0 <= (slot - state.today).days <= rule.number]
    return any(slot in c.named for slot in near for c in state.waiting())


APPLIES: Mapping[str, Callable[[State, Rule, int], bool]] = {
    rules.BEGIN: _begin,
    rules.FOLLOW_UP: _follow_up,
    rules.GIVE_UP: _give_up,
    rules.ASK_MORE: _ask_more,
    rules.VAGUE: _vague,
    rules.FACULTY_FIRST: lambda state, rule, limit: bool(rivals(state, PROFESSOR, STUDENT)),
    rules.STUDENTS_FIRST: lambda state, rule, limit: bool(rivals(state, STUDENT, PROFESSOR)),
    rules.WEEKEND: _weekend,
    rules.DECLINED: _declined,
    rules.CONFIRM: _confirm,
    rules.CANCELLED: _cancelled,
    rules.ONE_EACH: _one_each,
    rules.URGENT: _urgent,
}
"""When a rule tells the organiser something today; the number is the limit of mails that `give_up` sets."""

NO_LIMIT = 1_000_000


def applies(state: State, policies: PolicySet) -> tuple[str, ...]:
    """Ids of the policies that apply in a state, read literally; those that are no rule never do."""
    limit = min((rule.number for rule in policies.rules.values() if rule.kind == rules.GIVE_UP), default=NO_LIMIT)
    return tuple(name for name, rule in policies.rules.items() if APPLIES[rule.kind](state, rule, limit))
