"""A mail as the outbox keeps it, and the states that it goes through.

    prepared ──► sending ──► sent        the other side took it; "dry" where it is a file
                    │    ──► not sent    certainly; it may be tried again
                    │    ──► uncertain   nobody knows, until a person decides: sent, or not sent

Each arrow is one transaction. A mail is handed over between two of them, so a process that dies there leaves "sending".
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import date

from support.errors import FateUnknown, InvalidInput, NotSent

PREPARED, SENDING, SENT, DRY = "prepared", "sending", "sent", "dry"
NOT_SENT, UNCERTAIN = "not sent", "uncertain"
ARRIVED, LOST = "arrived", "lost"  # what a person decided about an uncertain one
WAY_OUT = "See in the mailbox, or ask them, whether it arrived; then say so with Outbox.decide({message_id!r}, ...)."


@dataclass(frozen=True)
class Posted:
    """One mail in the outbox.

    `mail`, `day`: its number there, and the day. `recipient`, `subject`, `body`: the exact mail.
    """

    run: str  # the seminar that it belongs to
    mail: int
    day: int
    person: str  # whom it is for
    recipient: str
    subject: str
    body: str
    message_id: str  # its own, under which it is sent, and sent again
    status: str  # "prepared", "sending", "sent", "dry", "not sent", "uncertain"
    said: str  # what the other side said, or why it is not sent, or not known
    on: date  # the day by the calendar on which it was last sent, or prepared


def posted(row: sqlite3.Row) -> Posted:
    """That of a row of the table."""
    plain = {field.name: row[field.name] for field in fields(Posted) if field.name != "on"}
    return Posted(**plain, on=date.fromisoformat(row["sent_on"]))


def settled(row: sqlite3.Row, digest: str, sender: str, alive: Callable[[sqlite3.Row], bool]) -> Posted | None:
    """What became of a mail that was prepared before, when somebody asks to send one to that person on that day.

    The mail that has gone; None where it may be tried, with the same bytes. FateUnknown when it is uncertain,
    or another process is sending it at this moment. NotSent when it has other words than the one that has gone, or may
    have. InvalidInput when another account sends it than the one that may have sent it.
    """
    name = f"the mail {row['message_id']} to {row['person']} on day {row['day']}"
    if row["status"] in (UNCERTAIN, SENDING):
        if row["status"] == SENDING and alive(row):
            raise FateUnknown(f"{name} is being sent by another process at this moment; wait, and ask again.")
        way_out = WAY_OUT.format(message_id=row["message_id"])
        raise FateUnknown(f"{name} may have been sent: {row['said'] or 'its process ended before it knew'}. {way_out}")
    if row["digest"] != digest:
        raise NotSent(
            f"a second mail to {row['person']} ({row['recipient']}) on day {row['day']} was not sent: there is one "
            f"already ({row['status']}), its subject {row['subject']!r}, and its words differ. Write it on another day."
        )
    if row["status"] in (SENT, DRY):
        return posted(row)
    if row["sender"] != sender:
        raise InvalidInput(
            f"sender: {sender} given for {name}, which was prepared as {row['sender']}'s; send it as that."
        )
    return None


def replaceable(row: sqlite3.Row, digest: str, sender: str) -> bool:
    """Whether other words may take its place: only where it has certainly never been sent."""
    never = row["status"] == PREPARED or row["status"] == NOT_SENT
    return never and not row["decided"] and (row["digest"], row["sender"]) != (digest, sender)
