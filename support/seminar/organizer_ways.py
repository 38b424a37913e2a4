"""What a rule-based organiser takes from policies and mails: numbers, who gave up, who is expected, what was asked."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from support.seminar import rules
from support.seminar.audit import NO_LIMIT
from support.seminar.data import in_words, passed
from support.seminar.ledger import Contact, State
from support.seminar.records import CLARIFICATION, CONFIRMATION, INVITATION, ORGANISER, Hook, Mail
from support.seminar.rules import PolicySet
from support.seminar.views import Desk

PATIENCE = rules.USUAL[rules.FOLLOW_UP]
"""Working days that a mail is left alone, where no policy says how long."""

SURE = re.compile(r"\b(?:certain|confirm|for sure|definite|settled)", re.IGNORECASE)
"""How a question for certainty can be told from one for further dates, whoever wrote it."""

REMINDED = rules.USUAL[rules.GIVE_UP]
"""Mails after which nobody's dates wait for a silent person, where no policy says how many."""


@dataclass(frozen=True)
class Ways:
    """The policies as numbers and ids."""

    ids: Mapping[str, str] = field(default_factory=dict)  # by the kind of rule
    window: int = PATIENCE  # working days between a mail and the next one about it
    limit: int = NO_LIMIT  # mails to somebody who never answers
    few: int = 0  # dates up to which further ones are asked for
    urgent: int = -1  # days before a free date when it is given to whoever named it; -1 for never

    def __contains__(self, kind: str) -> bool:
        return kind in self.ids

    def id(self, kind: str) -> str:
        """The id of the policy that states a rule; "" where none does."""
        return self.ids.get(kind, "")


def ways(policies: PolicySet) -> Ways:
    """What the policies say that can be read as rules; contradictory ones are refused."""
    ids, numbers = dict[str, str](), dict[str, int]()
    for name, rule in policies.literal().rules.items():
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
        c for c in state.waiting() if not c.silent(way.limit) and (c.wait_until is None or c.wait_until <= state.today)
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


def answers_to(desk: Desk) -> dict[str, list[Hook]]:
    """Answers that are to be told, by the person whom they concern: today's, and earlier ones that were not yet told.

    Unanswered flags are nobody's, see `adrift` for the others.
    """
    found = defaultdict[str, list[Hook]](list)
    for hook in (*_untold(desk), *desk.answers):
        if hook.answer.strip() and (name := concerned(desk, hook)):
            found[name].append(hook)
    return dict(found)


def _untold(desk: Desk) -> Iterator[Hook]:
    """Answers of earlier days of this run, since which nothing was sent to the person, nor an answer struck out."""
    for hook in desk.hooks:
        if not 0 < hook.day < desk.day or hook.person not in desk.state.contacts:
            continue
        told = any(mail.to == hook.person and mail.day >= hook.day for mail in desk.mails)
        answer = " ".join(hook.answer.split())
        struck = any(edit.about == hook.person and not edit.after and answer in edit.before for edit in desk.edits)
        if not (told or struck):
            yield hook


def adrift(desk: Desk) -> list[Hook]:
    """Today's answers of which nobody can tell whom they concern; the organiser says so, and tells no one."""
    return [hook for hook in desk.answers if hook.answer.strip() and not concerned(desk, hook)]


def concerned(desk: Desk, hook: Hook) -> str:
    """Whom a flag was about: as it says, else the only one named in it, else the only one who wrote last, or ""."""
    if hook.person in desk.state.contacts:
        return hook.person
    text = f"{hook.topic} {hook.question}"
    named = [name for name in desk.state.contacts if name in text]
    if len(named) == 1:
        return named[0]
    came = [mail for mail in desk.mails if mail.sender != ORGANISER and mail.day >= desk.day - 1]  # of last night too
    wrote = {mail.sender for mail in came if mail.day == max(m.day for m in came)}
    among = [name for name in wrote if name in desk.state.contacts and (not named or name in named)]
    return among[0] if len(among) == 1 else ""
