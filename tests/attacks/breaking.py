"""Mails whose sending breaks off: what is known of them afterwards, and how many copies arrive.

Whoever sends writes into a file that a mail goes, hands it over, and writes what became of it. Both cannot be done in
one step (exactly once is out of reach, as for the two generals: Akkoyunlu, Ekanadham and Huber 1975; Gray 1978), so the
order decides what goes wrong. Ours is `support.mail.outbox`, with its real file; the other two are here to compare.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from support.errors import FateUnknown
from support.mail.composing import new_message_id
from support.mail.letters import Outgoing
from support.mail.mailbox import SimulatedMailbox
from support.mail.outbox import SENT, UNCERTAIN, Clearance, Outbox
from support.presence import Presence

BEFORE, PREPARED, CLAIMED, HALF, TAKEN, ANSWERED, KEPT = (
    "before anything is written", "the mail is written down", "written down that it is being sent",
    "half of it is handed over", "all is handed over, no answer yet", "the answer is there, not written down",
    "the answer is written down",
)  # fmt: skip
POINTS = (BEFORE, PREPARED, CLAIMED, HALF, TAKEN, ANSWERED, KEPT)
"""Where the sending of a mail can break off, in its order."""

AT_MOST_ONCE, RECORD_AFTER, RECORD_BEFORE = (
    "write before and after",
    "write after sending",
    "write before sending",
)
ORDERS = (AT_MOST_ONCE, RECORD_AFTER, RECORD_BEFORE)

NOTHING = "nothing"
WHEN = date(2027, 8, 2)


class Broken(BaseException):
    """The process is gone."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one mail."""

    status: str  # what it says after the program was started again and has asked to send the same mail
    copies: int  # that arrived in the end

    @property
    def outcome(self) -> str:
        """What became of it, in words."""
        if self.copies > 1:
            return "arrived twice"
        if self.status == UNCERTAIN:
            return (
                "listed as uncertain: arrived"
                if self.copies
                else "listed as uncertain: not arrived"
            )
        return "arrived once" if self.copies else "lost, though noted as sent"


class BreakingMailbox(SimulatedMailbox):
    """Breaks off while a mail is handed over."""

    point = ""

    async def send(self, recipient: str, message: bytes) -> str:
        """Take it, unless the sender is gone before its last byte."""
        _reach(CLAIMED, self.point)
        _reach(HALF, self.point)
        said = await super().send(recipient, message)
        _reach(TAKEN, self.point)
        return said


class BreakingOutbox(Outbox):
    """An outbox that breaks off at a point, and then writes nothing more, as after a power cut."""

    point = ""

    def _prepare(self, wanted: Any) -> Any:
        _reach(BEFORE, self.point)
        kept = super()._prepare(wanted)
        _reach(PREPARED, self.point)
        return kept

    def _keep(self, message_id: str, status: str, said: str) -> None:
        if self.point in (CLAIMED, HALF, TAKEN):  # it is gone since the mailbox
            raise Broken
        _reach(ANSWERED, self.point)
        super()._keep(message_id, status, said)
        _reach(KEPT, self.point)


def _reach(point: str, ends: str) -> None:
    if point == ends:
        raise Broken


async def break_off(
    point: str, order: str = AT_MOST_ONCE, path: Path | None = None
) -> Fate:
    """Send a mail, break off at a point, start again and send the same mail: what became of it.

    `path`: a study's file, by default a new one; only `AT_MOST_ONCE` writes into it.
    """
    if order != AT_MOST_ONCE:
        return _by_order(point, order)
    path = path or Path(mkdtemp(), "study.sqlite")
    mailbox = BreakingMailbox()
    mailbox.point = point
    with _outbox(path, point) as outbox, suppress(Broken):
        await _send(outbox, mailbox)
    mailbox.point = ""
    return Fate(await again(path, mailbox), len(mailbox.sent))


async def again(path: Path, mailbox: SimulatedMailbox) -> str:
    """Ask to send it once more, as a program does that is started anew: what the file says in the end."""
    with _outbox(path) as outbox:
        with suppress(FateUnknown):
            await _send(outbox, mailbox)
        outbox.uncertain()
        return outbox.posted()[0].status


async def _send(outbox: Outbox, mailbox: SimulatedMailbox) -> Any:
    """As a program does that is started: the same words, under a Message-ID of its own."""
    when = datetime.combine(WHEN, time(9), UTC)
    words = ("A date", "Dear Ana,\n\nwould 15 September suit you?\n")
    own = new_message_id("example.org")
    mail = Outgoing(
        "organiser@example.org", "", "ana@example.org", "", *words, own, when
    )
    return await outbox.send(mailbox, mail, mail=1, day=1, person="Ana", today=WHEN)


@contextmanager
def _outbox(path: Path, point: str = "") -> Iterator[Outbox]:
    """An outbox of a process of its own."""
    with Presence(path) as presence:
        outbox = BreakingOutbox(path, "trial", Clearance(), presence=presence)
        outbox.point = point
        try:
            yield outbox
        finally:
            outbox.close()


def _by_order(point: str, order: str) -> Fate:
    """The two simple orders, in memory; a program that is started again sends what it has no note of."""
    left, copies = _attempt(order, point)
    status, more = _attempt(order) if left == NOTHING else (left, 0)
    return Fate(status, copies + more)


def _attempt(order: str, ends: str = KEPT) -> tuple[str, int]:
    """The note that there is when sending ends at a point, and how many copies arrive."""
    reached = POINTS[: POINTS.index(ends) + 1]
    note = KEPT if order == RECORD_AFTER else CLAIMED
    return SENT if note in reached else NOTHING, reached.count(TAKEN)
