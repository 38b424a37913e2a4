"""Policies followed to the letter: when one applies in a state, and which ones a day's actions break.

One applies when it tells the organiser to do something today, or to leave it. Breaking is doing what a policy forbids,
and, of `begin`, `confirm` and `urgent`, leaving what it asks for on this very day. Only policies that are rules
(`rules.Rule`) can be followed or broken so; of the others nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from support.seminar import rules
from support.seminar.data import PROFESSOR, STUDENT, in_words, working
from support.seminar.ledger import Contact, State
from support.seminar.reading import named
from support.seminar.records import (
    CLARIFICATION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    SENT,
    THANKS,
    Action,
    Mail,
)
from support.seminar.rules import PolicySet, Rule

NO_LIMIT = 1_000_000

ASKING = (INVITATION, FOLLOW_UP, CLARIFICATION)  # mails that ask for an answer


def applies(state: State, policies: PolicySet) -> tuple[str, ...]:
    """Ids of the policies that apply in a state, read literally; those that are no rule never do."""
    limit = min(
        (rule.number for rule in policies.rules.values() if rule.kind == rules.GIVE_UP),
        default=NO_LIMIT,
    )
    return tuple(
        name
        for name, rule in policies.rules.items()
        if RULES[rule.kind][0](state, rule.number, limit)
    )


def violations(
    before: State,
    actions: Sequence[Action],
    policies: PolicySet,
    after: State,
    mails: Sequence[Mail],
) -> tuple[str, ...]:
    """A sentence for every breach, the policy's id before it ("rest: Ana was written to on a Sunday").

    `before` is the state when the actions were decided, the replies of that morning being known; `after` that of the
    evening. `mails` are all of the run so far, those of today too.
    """
    known = policies.rules
    day = Day(
        before,
        after,
        tuple(actions),
        tuple(mails),
        {rule.kind: rule.number for rule in known.values()},
    )
    return tuple(
        f"{name}: {breach}"
        for name, rule in known.items()
        for breach in RULES[rule.kind][1](day, rule)
    )


@dataclass(frozen=True)
class Day:
    """One day: the states before and after its actions, all mails up to its evening, the rules' numbers by kind."""

    before: State
    after: State
    actions: tuple[Action, ...]
    mails: tuple[Mail, ...]
    numbers: Mapping[str, int]

    @property
    def free(self) -> bool:
        """Whether it is a weekend that a policy keeps free."""
        return rules.WEEKEND in self.numbers and not working(self.before.today)

    @property
    def written(self) -> list[tuple[Action, Contact]]:
        """Actions that send a mail, and what was known of the person before."""
        return [
            (a, self.before.contacts[a.person]) for a in self.actions if a.kind in SENT
        ]

    @property
    def given(self) -> list[tuple[date, Contact]]:
        """Dates that were given away, and what was known of who got them."""
        slots = [
            (date.fromisoformat(a.slot), c)
            for a, c in self.written
            if a.kind == CONFIRMATION and a.slot
        ]
        return [
            (slot, known)
            for slot, known in slots
            if slot not in self.before.dates_of(known.name)
        ]

    def namers(self, slot: date) -> list[str]:
        """People without a date, before and after, who named one."""
        still = {c.name for c in self.after.waiting()}
        return [
            c.name for c in self.before.waiting() if slot in c.named and c.name in still
        ]

    def losers(self, slot: date) -> list[str]:
        """The same of a date that is full now."""
        return self.namers(slot) if slot not in self.after.open else []


Breaches = Iterator[str]


def _wanted(state: State, slots: Collection[date]) -> bool:
    """Whether somebody without a date named one of these that is open."""
    return any(
        slot in state.open and slot in c.named
        for slot in slots
        for c in state.waiting()
    )


def rivals(state: State, ahead: str, behind: str) -> list[tuple[date, str, str]]:
    """Open dates that two people without a date both named: the date, who of role `ahead`, who of role `behind`."""
    return [
        (slot, one.name, other.name)
        for slot in state.open
        for one in state.waiting()
        if one.role == ahead and slot in one.named
        for other in state.waiting()
        if other.role == behind and slot in other.named
    ]


def _begin(day: Day, rule: Rule) -> Breaches:
    if day.free or any(c.mails for c in day.before.contacts.values()):
        return
    asked = {a.person for a, _ in day.written}
    yield from (
        f"{name} was not asked at the beginning"
        for name in day.before.contacts
        if name not in asked
    )
    slots = tuple(day.before.slots)
    for mail in (mail for mail in day.mails if mail.kind in ASKING):
        if left := sorted({*slots} - {*named(mail.body, slots)}):
            yield f"{mail.to} was not asked about {', '.join(map(in_words, left))}"


def _follow_up(day: Day, rule: Rule) -> Breaches:
    for action, known in day.written:
        if action.kind not in ASKING or day.before.dates_of(known.name):
            continue  # a confirmation needs no answer: who has a date owes none
        silence = day.before.days_silent(known.name)
        if silence is not None and silence < rule.number:
            yield f"{known.name} was written to after {silence} working days of silence, not {rule.number}"


def _give_up(day: Day, rule: Rule) -> Breaches:
    for _, known in day.written:
        if known.silent(rule.number):
            yield f"{known.name} was written to again after {len(known.mails)} mails without any answer"


def _ask_more(day: Day, rule: Rule) -> Breaches:
    for slot, known in day.given:
        if known.few(rule.number) and {*day.before.open} - {*known.named}:
            yield f"{known.name} got {in_words(slot)} without having been asked for further dates"


def _vague(day: Day, rule: Rule) -> Breaches:
    for slot, known in day.given:
        asked = (
            mail
            for mail in day.mails
            if mail.to == known.name and mail.kind == CLARIFICATION
        )
        if slot in known.vague and not any(
            slot.isoformat() in m.slots or named(m.body, (slot,)) for m in asked
        ):
            yield f"{known.name} got {in_words(slot)}, which they had named vaguely and were not asked to confirm"


def _first(ahead: str, behind: str) -> Callable[[Day, Rule], Breaches]:
    def breaches(day: Day, rule: Rule) -> Breaches:
        given = {(slot, known.name) for slot, known in day.given}
        for slot, one, other in rivals(day.before, ahead, behind):
            hurry = (slot - day.before.today).days <= day.numbers.get(
                rules.URGENT, -1
            )  # then roles do not count
            if (slot, other) in given and one in day.losers(slot) and not hurry:
                yield f"{other} got {in_words(slot)}, which {one} had named too, a {ahead} without a date"

    return breaches


def _declined(day: Day, rule: Rule) -> Breaches:
    for action, known in day.written:
        if known.declined and (action.kind != THANKS or known.thanked):
            yield f"{known.name}, who had declined, got a mail ({action.kind.replace('_', ' ')})"


def _cancelled(day: Day, rule: Rule) -> Breaches:
    for slot, known in day.given:
        if (
            slot in day.before.given_back
            and day.before.dates_of(known.name)
            and (left := day.losers(slot))
        ):
            yield f"{known.name}, who has a date, got {in_words(slot)}, called off before, and not {' or '.join(left)}"


def _one_each(day: Day, rule: Rule) -> Breaches:
    for slot, known in day.given:
        if day.before.dates_of(known.name) and (left := day.losers(slot)):
            yield f"{known.name} got a second date, {in_words(slot)}, while {' and '.join(left)} had none"


def _urgent(day: Day, rule: Rule) -> Breaches:
    for slot in () if day.free else day.after.open:
        left, names = (slot - day.before.today).days, day.namers(slot)
        if names and 0 < left <= rule.number:
            yield f"{in_words(slot)}, {left} days away, stayed free although {' and '.join(names)} had named it"


RULES: Mapping[str, tuple[Callable[[State, int, int], bool], Callable[[Day, Rule], Breaches]]] = {
    rules.BEGIN: (lambda state, number, limit: not any(c.mails for c in state.contacts.values()), _begin),
    rules.FOLLOW_UP: (
        lambda state, number, limit: any(c.unanswered and len(c.mails) < limit for c in state.waiting()), _follow_up,
    ),
    rules.GIVE_UP: (lambda state, number, limit: any(c.silent(number) for c in state.contacts.values()), _give_up),
    rules.ASK_MORE: (lambda state, number, limit: any(c.few(number) for c in state.waiting()), _ask_more),
    rules.VAGUE: (lambda state, number, limit: any(c.vague for c in state.waiting()), _vague),
    rules.FACULTY_FIRST: (
        lambda state, number, limit: bool(rivals(state, PROFESSOR, STUDENT)), _first(PROFESSOR, STUDENT),
    ),
    rules.STUDENTS_FIRST: (
        lambda state, number, limit: bool(rivals(state, STUDENT, PROFESSOR)), _first(STUDENT, PROFESSOR),
    ),
    rules.WEEKEND: (
        lambda state, number, limit: not working(state.today),
        lambda day, rule: (f"{c.name} was written to on a {day.before.today:%A}" for _, c in day.written if day.free),
    ),
    rules.DECLINED: (
        lambda state, number, limit: any(c.declined and not c.thanked for c in state.contacts.values()), _declined,
    ),
    rules.CONFIRM: (
        lambda state, number, limit: bool(state.untold),
        lambda day, rule: (f"{n} has {in_words(s)} and was not told" for s, n in day.after.untold if not day.free),
    ),
    rules.CANCELLED: (lambda state, number, limit: _wanted(state, state.given_back), _cancelled),
    rules.ONE_EACH: (
        lambda state, number, limit: _wanted(
            state, {slot for c in state.contacts.values() if state.dates_of(c.name) for slot in c.named}
        ),
        _one_each,
    ),
    rules.URGENT: (
        lambda state, number, limit: _wanted(state, [slot for slot in state.open if state.near(slot, number)]), _urgent,
    ),
}  # fmt: skip
"""Of each kind of rule when it tells the organiser something today, and how a day breaks it; `limit` is `give_up`'s."""
