"""Policies followed to the letter: when one applies in a state, and which ones a day's actions break.

One applies when it tells the organiser to do something today, or to leave it. Breaking is doing what a policy forbids,
and, of `begin`, `confirm` and `urgent`, leaving what it asks for on this very day. Only policies that are rules
(`rules.Rule`) can be followed or broken so; of the others nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from support.seminar import rules
from support.seminar.data import PROFESSOR, STUDENT, in_words, working
from support.seminar.ledger import Contact, State, evening, rivals, silent
from support.seminar.reading import MONTHS
from support.seminar.records import CLARIFICATION, CONFIRMATION, FOLLOW_UP, INVITATION, SENT, THANKS, Action, Mail
from support.seminar.rules import PolicySet, Rule


def _wanted(state: State, slots: Collection[date]) -> bool:
    """Whether somebody without a date named one of these that is open."""
    return any(slot in state.open and slot in c.named for slot in slots for c in state.waiting())


APPLIES: Mapping[str, Callable[[State, Rule, int], bool]] = {
    rules.BEGIN: lambda state, rule, limit: not any(c.mails for c in state.contacts.values()),
    rules.FOLLOW_UP: lambda state, rule, limit: any(c.unanswered and len(c.mails) < limit for c in state.waiting()),
    rules.GIVE_UP: lambda state, rule, limit: any(silent(c, rule.number) for c in state.contacts.values()),
    rules.ASK_MORE: lambda state, rule, limit: any(
        1 <= len(c.available) <= rule.number and not c.asked_since for c in state.waiting()
    ),
    rules.VAGUE: lambda state, rule, limit: any(c.vague for c in state.waiting()),
    rules.FACULTY_FIRST: lambda state, rule, limit: bool(rivals(state, PROFESSOR, STUDENT)),
    rules.STUDENTS_FIRST: lambda state, rule, limit: bool(rivals(state, STUDENT, PROFESSOR)),
    rules.WEEKEND: lambda state, rule, limit: not working(state.today),
    rules.DECLINED: lambda state, rule, limit: any(c.declined and not c.thanked for c in state.contacts.values()),
    rules.CONFIRM: lambda state, rule, limit: any(
        slot not in state.contacts[n].confirmed for slot, names in state.slots.items() for n in names
    ),
    rules.CANCELLED: lambda state, rule, limit: _wanted(
        state, {slot for c in state.contacts.values() for slot in c.cancelled}
    ),
    rules.ONE_EACH: lambda state, rule, limit: _wanted(
        state, {slot for c in state.contacts.values() if state.dates_of(c.name) for slot in c.named}
    ),
    rules.URGENT: lambda state, rule, limit: _wanted(
        state, [slot for slot in state.open if 0 <= (slot - state.today).days <= rule.number]
    ),
}
"""When a rule tells the organiser something today; the number is the limit of mails that `give_up` sets."""

NO_LIMIT = 1_000_000


def applies(state: State, policies: PolicySet) -> tuple[str, ...]:
    """Ids of the policies that apply in a state, read literally; those that are no rule never do."""
    limit = min((rule.number for rule in policies.rules.values() if rule.kind == rules.GIVE_UP), default=NO_LIMIT)
    return tuple(name for name, rule in policies.rules.items() if APPLIES[rule.kind](state, rule, limit))


ASKING = (INVITATION, FOLLOW_UP, CLARIFICATION)
"""Mails that ask for an answer."""


@dataclass(frozen=True)
class Audited:
    """One day: the states before and after its actions, all mails up to its evening, the rules' numbers by kind."""

    before: State
    after: State
    actions: tuple[Action, ...]
    mails: tuple[Mail, ...]
    numbers: Mapping[str, int]

    @property
    def written(self) -> list[tuple[Action, Contact]]:
        """Actions that send a mail, and what was known of the person before."""
        return [(a, self.before.contacts[a.person]) for a in self.actions if a.kind in SENT]

    @property
    def given(self) -> list[tuple[date, Contact]]:
        """Dates that were given away, and what was known of who got them."""
        return [
            (date.fromisoformat(a.slot), known)
            for a, known in self.written
            if a.kind == CONFIRMATION and a.slot and date.fromisoformat(a.slot) not in self.before.dates_of(a.person)
        ]

    def losers(self, slot: date) -> list[str]:
        """People without a date, before and after, who named one that is full now."""
        still = {c.name for c in self.after.waiting()}
        full = slot not in self.after.open
        return [c.name for c in self.before.waiting() if slot in c.named and c.name in still and full]


def violations(
    before: State,
    actions: Sequence[Action],
    policies: PolicySet,
    *,
    after: State | None = None,
    mails: Sequence[Mail] = (),
) -> tuple[str, ...]:
    """A sentence for every breach, the policy's id before it.

    `before` is the state when the actions were decided, the replies of that morning being known; `after` that of the
    evening, by default with the dates given away and confirmed. `mails` are all of the run so far, those of today too:
    a vague date needs a question about it, and the first invitations all dates.

    >>> from support.seminar.rules import Policy
    >>> sunday = State(date(2027, 8, 15), {date(2027, 9, 15): ()}, {"Ana": Contact("Ana", "professor")})
    >>> violations(sunday, [Action("invitation", "Ana")], PolicySet((Policy("rest", "Nothing is sent on Sundays."),)))
    ('rest: Ana was written to on a Sunday',)
    """
    known = policies.rules
    numbers = {rule.kind: rule.number for rule in known.values()}
    seen = Audited(before, after or evening(before, actions), tuple(actions), tuple(mails), numbers)
    return tuple(f"{name}: {breach}" for name, rule in known.items() for breach in BROKEN[rule.kind](seen, rule))


Breaches = Iterator[str]


def _begin(day: Audited, rule: Rule) -> Breaches:
    if any(c.mails for c in day.before.contacts.values()) or (rules.WEEKEND in day.numbers and not _works(day)):
        return
    asked = {a.person for a, _ in day.written}
    yield from (f"{name} was not asked at the beginning" for name in day.before.contacts if name not in asked)
    for mail in (mail for mail in day.mails if mail.kind in ASKING):
        named = named_in(mail.body)
        if left := [slot for slot in day.before.slots if (slot.month, slot.day) not in named]:
            yield f"{mail.to} was not asked about {', '.join(map(in_words, left))}"


def _follow_up(day: Audited, rule: Rule) -> Breaches:
    for action, known in day.written:
        if action.kind not in ASKING or day.before.dates_of(known.name):
            continue  # a confirmation needs no answer: who has a date owes none
        silence = day.before.days_silent(known.name)
        if silence is not None and silence < rule.number:
            yield f"{known.name} was written to after {silence} working days of silence, not {rule.number}"


def _give_up(day: Audited, rule: Rule) -> Breaches:
    for _, known in day.written:
        if silent(known, rule.number):
            yield f"{known.name} was written to again after {len(known.mails)} mails without any answer"


def _ask_more(day: Audited, rule: Rule) -> Breaches:
    for slot, known in day.given:
        others = [s for s in day.before.open if s not in known.named]
        if 1 <= len(known.available) <= rule.number and not known.asked_since and others:
            yield f"{known.name} got {in_words(slot)} without having been asked for further dates"


def _vague(day: Audited, rule: Rule) -> Breaches:
    for slot, known in day.given:
        if slot in known.vague and not _asked_about(day, slot, known):
            yield f"{known.name} got {in_words(slot)}, which they had named vaguely and were not asked to confirm"


def _asked_about(day: Audited, slot: date, known: Contact) -> bool:
    """Whether a question about a date was sent to somebody."""
    questions = [mail for mail in day.mails if mail.to == known.name and mail.kind == CLARIFICATION]
    return any(slot.isoformat() in m.slots or (slot.month, slot.day) in named_in(m.body) for m in questions)


def _first(ahead: str, behind: str) -> Callable[[Audited, Rule], Breaches]:
    def breaches(day: Audited, rule: Rule) -> Breaches:
        given = {(slot, known.name) for slot, known in day.given}
        for slot, one, other in rivals(day.before, ahead, behind):
            if (slot, other) in given and one in day.losers(slot) and not _hurry(day, slot):
                yield f"{other} got {in_words(slot)}, which {one} had named too, a {ahead} without a date"

    return breaches


def _hurry(day: Audited, slot: date) -> bool:
    """Whether a date is so near, under a policy on near dates, that roles do not count."""
    return (slot - day.before.today).days <= day.numbers.get(rules.URGENT, -1)


def _weekend(day: Audited, rule: Rule) -> Breaches:
    if not _works(day):
        yield from (f"{known.name} was written to on a {day.before.today:%A}" for _, known in day.written)


def _works(day: Audited) -> bool:
    return working(day.before.today)


def _declined(day: Audited, rule: Rule) -> Breaches:
    for action, known in day.written:
        if known.declined and (action.kind != THANKS or known.thanked):
            yield f"{known.name}, who had declined, got a mail ({action.kind.replace('_', ' ')})"


def _confirm(day: Audited, rule: Rule) -> Breaches:
    if rules.WEEKEND in day.numbers and not _works(day):
        return
    for slot, names in day.after.slots.items():
        for name in names:
            if slot not in day.after.contacts[name].confirmed:
                yield f"{name} has {in_words(slot)} and was not told"


def _cancelled(day: Audited, rule: Rule) -> Breaches:
    back = {slot for c in day.before.contacts.values() for slot in c.cancelled}
    for slot, known in day.given:
        if slot in back and day.before.dates_of(known.name) and (left := day.losers(slot)):
            yield f"{known.name}, who has a date, got {in_words(slot)}, called off before, and not {' or '.join(left)}"


def _one_each(day: Audited, rule: Rule) -> Breaches:
    for slot, known in day.given:
        if day.before.dates_of(known.name) and (left := day.losers(slot)):
            yield f"{known.name} got a second date, {in_words(slot)}, while {' and '.join(left)} had none"


def _urgent(day: Audited, rule: Rule) -> Breaches:
    if rules.WEEKEND in day.numbers and not _works(day):
        return
    still = {c.name for c in day.after.waiting()}
    for slot in day.after.open:
        namers = [c.name for c in day.before.waiting() if slot in c.named and c.name in still]
        if namers and 0 < (left := (slot - day.before.today).days) <= rule.number:
            yield f"{in_words(slot)}, {left} days away, stayed free although {' and '.join(namers)} had named it"


BROKEN: Mapping[str, Callable[[Audited, Rule], Breaches]] = {
    rules.BEGIN: _begin,
    rules.FOLLOW_UP: _follow_up,
    rules.GIVE_UP: _give_up,
    rules.ASK_MORE: _ask_more,
    rules.VAGUE: _vague,
    rules.FACULTY_FIRST: _first(PROFESSOR, STUDENT),
    rules.STUDENTS_FIRST: _first(STUDENT, PROFESSOR),
    rules.WEEKEND: _weekend,
    rules.DECLINED: _declined,
    rules.CONFIRM: _confirm,
    rules.CANCELLED: _cancelled,
    rules.ONE_EACH: _one_each,
    rules.URGENT: _urgent,
}
"""How each kind of rule is broken."""

_ONE = r"\d{1,2}(?:st|nd|rd|th)?"
_LIST = rf"{_ONE}(?:\s*(?:,\s*and|,\s*or|,|and|or|&|/)\s*(?:the\s+)?{_ONE}){{0,31}}"
_MONTH = "|".join(rf"{month[:3]}[a-z]*" for month in MONTHS)
_DAY_FIRST = re.compile(rf"\b(?P<days>{_LIST})(?:\s+of)?\s+(?P<month>{_MONTH})\b", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b(?P<month>{_MONTH})\.?\s+(?:the\s+)?(?P<days>{_LIST})\b", re.IGNORECASE)
_ISO = re.compile(r"\b\d{4}-(\d\d)-(\d\d)\b")


def named_in(text: str) -> set[tuple[int, int]]:
    """Month and day of every date that a text names, whatever it says about it; days between two months count for both.

    >>> sorted(named_in("15 September, the 13th and 14th of October, November 10, 2027-12-08"))
    [(9, 15), (10, 13), (10, 14), (11, 10), (12, 8)]
    """
    found = {(int(month), int(number)) for month, number in _ISO.findall(text)}
    for match in (*_DAY_FIRST.finditer(text), *_MONTH_FIRST.finditer(text)):
        word = match["month"][:3].casefold()
        month = next(k for k, name in enumerate(MONTHS, 1) if name.startswith(word))
        found |= {(month, int(number)) for number in re.findall(r"\d{1,2}", match["days"])}
    return found
