"""What a rule-based organiser takes from the mails of a desk: what was offered and asked, and which answers to tell."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import date

from support.seminar.data import in_words
from support.seminar.ledger import Contact
from support.seminar.records import (
    CLARIFICATION,
    CONFIRMATION,
    INVITATION,
    ORGANISER,
    Hook,
    Mail,
)
from support.seminar.views import Desk

# how a question for certainty can be told from one for further dates, whoever wrote it
SURE = re.compile(r"\b(?:certain|confirm|for sure|definite|settled)", re.IGNORECASE)


def about(mail: Mail, slot: date) -> bool:
    """Whether a mail is about a date: by its record, or because the date stands in it as this organiser writes it."""
    return slot.isoformat() in mail.slots or in_words(slot) in mail.body


def offered(desk: Desk, name: str) -> tuple[date, ...]:
    """Dates that stand in mails to somebody; all of the programme where no mail names any."""
    mails = [
        mail for mail in desk.mails if mail.to == name and mail.sender == ORGANISER
    ]
    named = tuple(
        slot for slot in desk.scenario.slots if any(about(mail, slot) for mail in mails)
    )
    return named or desk.scenario.slots


def asked_about(desk: Desk, name: str, slot: date) -> int | None:
    """The id of the last mail that asked somebody whether a date, and no other one, is certain; None for none."""
    asked = [
        m
        for m in desk.mails
        if m.to == name and m.kind == CLARIFICATION and SURE.search(m.body)
    ]
    only = [
        m.id for m in asked if [s for s in desk.scenario.slots if about(m, s)] == [slot]
    ]
    return max(only, default=None)


def answered_about(desk: Desk, name: str, slot: date) -> bool:
    """Whether they have answered that; who names the date vaguely once more has."""
    asked = asked_about(desk, name, slot)
    return asked is not None and any(
        mail.sender == name and mail.id > asked for mail in desk.mails
    )


def asked_on(desk: Desk, name: str) -> int:
    """The day of the run on which somebody was last asked for dates; 0 for never."""
    return max(
        (
            m.day
            for m in desk.mails
            if m.to == name and m.kind in (CLARIFICATION, INVITATION)
        ),
        default=0,
    )


def turned(desk: Desk, contact: Contact) -> int:
    """The day on which a date of theirs was last given to another, or one given back that is open; 0 for never."""
    others = [
        other for other in desk.state.contacts.values() if other.name != contact.name
    ]
    gave_back = {
        other.name for other in others if {*other.cancelled} & {*desk.state.open}
    }
    given = [
        mail
        for mail in desk.mails
        if mail.kind == CONFIRMATION and mail.to != contact.name
    ]
    lost = [
        mail.day for mail in given if any(about(mail, slot) for slot in contact.named)
    ]
    return max(
        [*lost, *(mail.day for mail in desk.mails if mail.sender in gave_back)],
        default=0,
    )


def answers_to(desk: Desk) -> dict[str, list[Hook]]:
    """Answers that are to be told, by the person whom they concern: today's, and earlier ones not told so far."""
    found = defaultdict[str, list[Hook]](list)
    for hook in (*(hook for hook in desk.hooks if _untold(desk, hook)), *desk.answers):
        if hook.answer.strip() and (name := concerned(desk, hook)):
            found[name].append(hook)
    return dict(found)


def _untold(desk: Desk, hook: Hook) -> bool:
    """Whether since an answer of an earlier day nothing was sent to the person, nor the answer struck out."""
    if not 0 < hook.day < desk.day or hook.person not in desk.state.contacts:
        return False
    answer = " ".join(hook.answer.split())
    struck = any(
        edit.about == hook.person and not edit.after and answer in edit.before
        for edit in desk.edits
    )
    return not struck and not any(
        mail.to == hook.person and mail.day >= hook.day for mail in desk.mails
    )


def adrift(desk: Desk) -> list[Hook]:
    """Today's answers of which nobody can tell whom they concern; the organiser says so, and tells no one."""
    return [
        hook
        for hook in desk.answers
        if hook.answer.strip() and not concerned(desk, hook)
    ]


def concerned(desk: Desk, hook: Hook) -> str:
    """Whom a flag was about: as it says, else the only one named in it, else the only one who wrote last, or ""."""
    if hook.person in desk.state.contacts:
        return hook.person
    text = f"{hook.topic} {hook.question}"
    named = [name for name in desk.state.contacts if name in text]
    if len(named) == 1:
        return named[0]
    came = [
        mail
        for mail in desk.mails
        if mail.sender != ORGANISER and mail.day >= desk.day - 1
    ]  # of last night too
    wrote = {mail.sender for mail in came if mail.day == max(m.day for m in came)}
    among = [
        name
        for name in wrote
        if name in desk.state.contacts and (not named or name in named)
    ]
    return among[0] if len(among) == 1 else ""
