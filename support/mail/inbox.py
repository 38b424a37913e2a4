"""The inbox: what arrived, each message once, with its bytes, and on which day it was collected.

A run that is resumed collects on each day what it collected before. What is held waits for a person, who says whose it
is or drops it. The bytes stay, so that a better reader may read everything again.
"""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from support.errors import InvalidInput
from support.mail.letters import Fetched
from support.mail.tables import MailTables

if TYPE_CHECKING:
    from support.mail.matching import Match

TAKEN, HELD, RELEASED, DROPPED = "taken", "held", "released", "dropped"
QUARANTINE = "quarantine"


@dataclass(frozen=True)
class Kept:
    """A message in the inbox.

    `kind`, `person`, `how`, `reason`: as in `Match`.
    """

    key: str  # what names it in its mailbox
    message_id: str  # its own; "" if it has none
    day: int  # on which it was collected, or for which it was released
    kind: str
    person: str
    mail: int | None  # which of our mails it answers, where that is known
    how: str
    reason: str
    status: str  # "taken", "held", "released", "dropped"
    raw: bytes
    size: int  # as in `Fetched`

    @property
    def fetched(self) -> Fetched:
        """The message as it was fetched, to be read again."""
        return Fetched(self.key, self.raw, self.size)


class Inbox(MailTables):
    """The inbox of one run."""

    def keep(self, fetched: Fetched, match: Match, *, message_id: str, day: int, hold: str = "") -> bool:
        """Keep a message that was fetched, once.

        `match`: one that is in quarantine is held; the others are taken. `message_id`: its own; "" if it has none.
        `day`: on which it is collected. `hold`: why it is to be held though it matches; "" if it is not. False
        when it is kept already: under its key, or, where a server numbers its messages anew, with the same Message-ID
        and bytes.
        """
        status = HELD if hold or match.kind == QUARANTINE else TAKEN
        digest = hashlib.sha256(fetched.raw).hexdigest()
        found = (match.kind, match.person, match.mail, match.how, hold or match.reason)
        row = (self.run, fetched.key, digest, message_id, day, *found, status, fetched.raw, fetched.size)
        with self._writing() as db:
            marks = ", ".join("?" * len(row))
            return db.execute(f"INSERT OR IGNORE INTO inbox VALUES (NULL, {marks})", row).rowcount > 0

    def of_day(self, day: int) -> list[Kept]:
        """What was collected on a day, or released for it, in the order in which it arrived."""
        query = "SELECT * FROM inbox WHERE run = ? AND day = ? AND status IN (?, ?) ORDER BY id"
        return [_kept(row) for row in self._rows(query, (self.run, day, TAKEN, RELEASED))]

    def held(self) -> list[Kept]:
        """What waits for a person."""
        query = "SELECT * FROM inbox WHERE run = ? AND status = ? ORDER BY id"
        return [_kept(row) for row in self._rows(query, (self.run, HELD))]

    def waiting(self) -> int:
        """How many messages are held."""
        return int(self._rows("SELECT count(*) FROM inbox WHERE run = ? AND status = ?", (self.run, HELD))[0][0])

    def counts(self) -> tuple[tuple[str, int], ...]:
        """How many messages there are by their status; nothing of them is read, and some are large."""
        rows = self._rows("SELECT status, count(*) FROM inbox WHERE run = ? GROUP BY status", (self.run,))
        return tuple((row[0], row[1]) for row in rows)

    def all(self) -> list[Kept]:
        """Everything that was ever kept, in the order in which it arrived."""
        return [_kept(row) for row in self._rows("SELECT * FROM inbox WHERE run = ? ORDER BY id", (self.run,))]

    def last(self) -> str:
        """The key of the last message that was kept, for `Mailbox.fetch`; "" if there is none."""
        rows = self._rows("SELECT key FROM inbox WHERE run = ? ORDER BY id DESC LIMIT 1", (self.run,))
        return rows[0]["key"] if rows else ""

    def release(self, key: str, person: str, day: int, mail: int | None = None) -> Kept:
        """A person says whose it is; it is collected on that day, as a reply.

        `day`: one that has not been collected yet. `mail`: which of our mails it answers, if that is not the one that
        was found. InvalidInput when it is not held, or nobody is named.
        """
        if not person.strip():
            raise InvalidInput(f"person: {person!r} given; expected whose mail it is")
        return self._settle(key, RELEASED, person, day, mail)

    def hold(self, key: str, reason: str) -> None:
        """Hold a message after all, which was taken or released and not read yet."""
        with self._writing() as db:
            query = "UPDATE inbox SET status = ?, reason = ? WHERE run = ? AND key = ? AND status IN (?, ?)"
            db.execute(query, (HELD, reason, self.run, key, TAKEN, RELEASED))

    def drop(self, key: str) -> Kept:
        """A person says that it is not to be read; its bytes stay.

        InvalidInput when it is not held.
        """
        return self._settle(key, DROPPED)

    def _settle(self, key: str, status: str, person: str = "", day: int = 0, mail: int | None = None) -> Kept:
        """What a person decided about a held message; with a person it is a reply."""
        found = next((one for one in self.held() if one.key == key), None)
        if found is not None and person:
            found = replace(found, kind="reply", person=person, mail=found.mail if mail is None else mail, day=day)
        query = "UPDATE inbox SET status = ?, kind = ?, person = ?, mail = ?, day = ?"
        query += " WHERE run = ? AND key = ? AND status = ?"
        with self._writing() as db:
            now = (
                () if found is None else (status, found.kind, found.person, found.mail, found.day, self.run, key, HELD)
            )
            if found is None or not db.execute(query, now).rowcount:
                raise InvalidInput(f"key: {key!r} given; expected that of a message that is held (see Inbox.held)")
        return replace(found, status=status)


def _kept(row: sqlite3.Row) -> Kept:
    return Kept(**{field.name: row[field.name] for field in fields(Kept)})
