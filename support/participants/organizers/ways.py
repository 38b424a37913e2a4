"""What a rule-based organiser takes from policies and mails: numbers, who gave up, who is expected, what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from support.environments.seminar import rules
from support.environments.seminar.policies import PolicySet
from support.environments.seminar.state import NO_LIMIT, Contact, State, silent
from support.environments.seminar.views import Desk
from support.environments.seminar.workdays import in_words, passed
from support.records.organizing import CLARIFICATION, CONFIRMATION, INVITATION, ORGANISER, Mail

PATIENCE = rules.USUAL[rules.FOLLOW_UP]
"""Working days that a mail is left alone, where no policy says how long."""

SURE = re.compile(r"\b(?:certain|confirm|for sure|definite|settled)", re.IGNORECASE)
"""How a question for certainty can be told from one for further dates, whoever wrote it."""

REMINDED = rules.USUAL[rules.GIVE_UP]
"""Mails after which nobody's dates wait for a silent person, where no policy says how many."""


@dataclass(frozen=True)
class Ways:
    """The policies as numbers and ids.

    Attributes
    ----------
    ids : mapping of kind of rule to the policy's id
    window : int
        Working days between a mail and the next one about it.
    limit : int
        Mails to somebody who never answers.
    few : int
        Dates up to which further ones are asked for.
    urgent : int
        Days before a free date when it is given to whoever named it; -1 for never.
    """

    ids: Mapping[str, str] = field(default_factory=dict)
    window: int = PATIENCE
    limit: int = NO_LIMIT
    few: int = 0
    urgent: int = -1

    def __contains__(self, kind: str) -> bool:
        return kind in self.ids

    def id(self, kind: str) -> str:
        """The id of the policy that states a rule; "" where none does."""
        return self.ids.get(kind, "")


def ways(policies: PolicySet) -> Ways:
    """What the policies say that can be read as rules; contradictory ones cannot be in one set."""
    ids, numbers = dict[str, str](), dict[str, int]()
    for name, rule in policies.rules.items():
        ids.setdefault(rule.kind, name)
        numbers.setdefault(rule.kind, rule.number)
    return Ways(
        ids,
        numbers.get(rules.FOLLOW_UP, PATIENCE),
        numbers.get(rules.GIVE_UP, NO_LIMIT),
        numbers.get(rules.ASK_MORE, 0),
        numbers.get(rules.URGENT, -1),
    )


def reachable(state: State, way: Ways) -> Iterator[Contact]:
    """People without a date who have not declined, may be written to today, and are not given up."""
    return (
        c for c in state.waiting() if not silent(c, way.limit) and (c.wait_until is None or c.wait_until <= state.today)
    )


def usable(contact: Contact) -> tuple[date, ...]:
    """Dates that somebody named firmly and did not give back."""
    return tuple(slot for slot in contact.available if slot not in contact.cancelled)


def hopeful(contact: Contact) -> tuple[date, ...]:
    """Dates that somebody named vaguely only, and did not give back."""
    return tuple(slot for slot in contact.vague if slot not in (*contact.available, *contact.cancelled))


def about(mail: Mail, slot: date) -> bool:
    """Whether a mail is about a date: by its record, or because the date stands in it as this organiser writes it."""
    return slot.isoformat() in mail.slots or in_words(slot) in mail.body


def asked_about(desk: Desk, name: str, slot: date) -> int | None:
    """The id of the last mail that asked somebody whether a date, and no other one, is certain; None for none."""
    asked = [m for m in desk.mails if m.to == name and m.kind == CLARIFICATION and SURE.search(m.body)]
    only = [m.id for m in asked if [s for s in desk.scenario.slots if about(m, s)] == [slot]]
    return max(only, default=None)


def answered_about(desk: Desk, name: str, slot: date) -> bool:
    """Whether they have answered that; who names the date vaguely once more has."""
    asked = asked_about(desk, name, slot)
    return asked is not None and any(mail.sender == name and mail.id > asked for mail in desk.mails)


def offered(desk: Desk, name: str) -> tuple[date, ...]:
    """Dates that stand in mails to somebody; all of the programme where no mail names any."""
    mails = [mail for mail in desk.mails if mail.to == name and mail.sender == ORGANISER]
    named = tuple(slot for slot in desk.scenario.slots if any(about(mail, slot) for mail in mails))
    return named or desk.scenario.slots


def expected(desk: Desk, way: Ways) -> set[str]:
    """Names of people whose answer is worth waiting for before dates are given away.

    Those who never answered are, while they get reminders and one window after the last; those who answered, one window
    after the last mail; those who asked for time, until it is over, unless the deadline is before that.
    """
    return {c.name for c in desk.state.waiting() if _expected(desk, c, way)}


def _expected(desk: Desk, contact: Contact, way: Ways) -> bool:
    if contact.wait_until is not None and desk.today < contact.wait_until:
        return contact.wait_until <= desk.scenario.deadline
    quiet = desk.state.days_silent(contact.name)
    if quiet is None:
        return False
    fresh = quiet < way.window
    return fresh or (not contact.answered and len(contact.mails) < min(way.limit, REMINDED))


def closing(desk: Desk, way: Ways) -> bool:
    """Whether the deadline is so near that nothing waits for one more answer."""
    return passed(desk.today, desk.scenario.deadline) <= way.window


def turned(desk: Desk, contact: Contact) -> int:
    """The day of the run on which things last turned for somebody; 0 where they never did.

    That is when a date of theirs was given to somebody else, or one was given back that is open again.
    """
    lost = [
        mail.day
        for mail in desk.mails
        if mail.kind == CONFIRMATION and mail.to != contact.name and any(about(mail, s) for s in contact.named)
    ]
    back = [
        mail.day
        for other in desk.state.contacts.values()
        if other.name != contact.name and set(other.cancelled) & set(desk.state.open)
        for mail in desk.mails
        if mail.sender == other.name
    ]
    return max([*lost, *back], default=0)


def asked_on(desk: Desk, name: str) -> int:
    """The day of the run on which somebody was last asked for dates; 0 for never."""
    return max((m.day for m in desk.mails if m.to == name and m.kind in (CLARIFICATION, INVITATION)), default=0)
