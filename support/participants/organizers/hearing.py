"""What a rule-based organiser understands of a reply: what the patterns read, and a plain yes or no to one date."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from datetime import date

from support.environments.seminar.reading import CANNOT, PERHAPS, Reading, read_reply
from support.environments.seminar.views import Desk
from support.participants.organizers.ways import about, offered
from support.records.organizing import CLARIFICATION, ORGANISER, Mail, Understood

NOTE = 120
"""Characters that are kept of a reply."""

_YES = re.compile(r"\b(?:yes|yep|certain|certainly|confirm(?:ed)?|definite(?:ly)?|settled|fixed|works|fine)\b", re.I)
_NO = re.compile(r"\bno\b", re.I)


def understood(desk: Desk, mail: Mail) -> Understood:
    """What a reply says about the dates that its writer was offered.

    A reply without a date to a question about a single one is taken as a yes or a no to it, where it says so.
    """
    reading = read_reply(mail.body, offered(desk, mail.sender), desk.today)
    available, unavailable = _answered(desk, mail, reading)
    back = _given_back(desk, mail.sender, reading)
    until = reading.wait_until
    return Understood(
        mail.id,
        mail.sender,
        _iso(slot for slot in available if slot not in back),
        _iso(slot for slot in reading.vague if slot not in back),
        _iso(unavailable),
        _iso(reading.never_offered),
        reading.declined,
        _iso(back),
        until.isoformat() if until else None,
        textwrap.shorten(mail.body, NOTE, placeholder=" …"),
    )


def _answered(desk: Desk, mail: Mail, reading: Reading) -> tuple[tuple[date, ...], tuple[date, ...]]:
    """The firm and the impossible dates, with the one that was asked about."""
    firm, cannot = reading.available, reading.unavailable
    asked = _single(desk, mail)
    if asked is None or firm or reading.vague or cannot or reading.declined:
        return firm, cannot
    if _NO.search(mail.body) or CANNOT.search(mail.body):
        return firm, (asked,)
    return ((asked,) if _YES.search(mail.body) and not PERHAPS.search(mail.body) else firm), cannot


def _single(desk: Desk, reply: Mail) -> date | None:
    """The only date that the mail before a reply asks about."""
    before = [m for m in desk.mails if m.to == reply.sender and m.sender == ORGANISER and m.id < reply.id]
    if not before or before[-1].kind != CLARIFICATION:
        return None
    slots = [slot for slot in desk.scenario.slots if about(before[-1], slot)]
    return slots[0] if len(slots) == 1 else None


def _given_back(desk: Desk, name: str, reading: Reading) -> tuple[date, ...]:
    """Of a cancellation: the dates of theirs that it names, or all of theirs where it names none."""
    mine = desk.state.dates_of(name)
    if not reading.cancelled:
        return ()
    named = {*reading.available, *reading.vague, *reading.unavailable}
    return tuple(slot for slot in mine if slot in named) or mine


def _iso(slots: Iterable[date]) -> tuple[str, ...]:
    return tuple(slot.isoformat() for slot in slots)
