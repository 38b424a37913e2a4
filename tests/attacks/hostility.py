"""A seminar whose post is hostile: what becomes of each mail, and whether anything that it
orders is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attacks.forms import ORDERS, Form, Post, hostile
from support.errors import MissingData
from support.mail.journal import HELD, Kept
from support.mail.mailbox import SimulatedMailbox
from support.seats import Question
from support.seminar.records import Mail
from support.seminars.answering import approves, play_days
from support.seminars.seminar import Seminar


@dataclass(frozen=True)
class Handled:
    """What became of a mail: how it was kept, and the reply that it was handed on as."""

    form: Form
    kept: Kept
    mail: Mail | None = None

    @property
    def held(self) -> bool:
        """Whether it waits for a person."""
        return self.kept.status == HELD


def reads(question: Question) -> Mapping[str, Any] | None:
    """Somebody who approves everything, and takes every reply to name the first date that
    was offered."""
    if question.phase != "read":
        return approves(question)
    desk, mail = question.view
    slots = dict.fromkeys(map(str, desk.offered(mail.sender)), "not said")
    dates = slots | {next(iter(slots)): "can"}
    return {"dates": dates, "declines": False, "not_before": None, "asks": ""}


def unordered(form: Form) -> bytes:
    """The bytes of a mail without what it orders."""
    raw = form.raw
    for order in ORDERS:
        raw = raw.replace(order.encode(), b"")
    return raw


async def receive(
    seminar: Seminar,
    mailbox: SimulatedMailbox,
    days: int,
    orders: bool = True,
    words: bool = True,
) -> list[Handled]:
    """Play a seminar that has not begun, to whose mailbox others write who mean harm, after
    its first day and in the name of its second person, and so many days more.

    Without `orders` the same mails come without what they order; without `words` those
    that are held come alone.
    """
    await play_days(seminar, 1, reads)
    sent = seminar.outbox.sent()
    if len(sent) < 2:  # as by an organiser who babbles
        raise MissingData("day 1: fewer than two mails were sent; no answer to forge")
    other, asked, *_ = sent
    post = Post(
        asked.person,
        asked.recipient,
        asked.message_id,
        other.message_id,
        seminar.setup.sender,
    )
    forms = [form for form in hostile(post) if words or form.why]
    keys = [mailbox.deliver(form.raw if orders else unordered(form)) for form in forms]
    await play_days(seminar, days, reads)
    taken = seminar.inbox.of_day(2)
    kept = {one.key: one for one in (*taken, *seminar.inbox.held())}
    replies = [mail for mail in seminar.finished[1].received if mail.says is None]
    read = dict(zip([one.key for one in taken], replies, strict=True))
    return [
        Handled(form, kept[key], read.get(key))
        for form, key in zip(forms, keys, strict=True)
    ]
