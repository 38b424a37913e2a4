"""What a study's file keeps of mail: what left, what was approved, what arrived.

A commit is on the disk when it returns (WAL, synchronous FULL), which "at most once" depends on. What arrives is kept
once, with its bytes and the day on which it was collected, so that a run that is resumed collects the same.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.database import guarded, open_database, transaction
from support.errors import InvalidInput
from support.mail.letters import Fetched

if TYPE_CHECKING:
    from support.mail.matching import Match

SCHEMA = """
CREATE TABLE IF NOT EXISTS outbox (
    run TEXT NOT NULL, day INTEGER NOT NULL, person TEXT NOT NULL, mail INTEGER NOT NULL,
    message_id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, kind TEXT NOT NULL, sender TEXT NOT NULL,
    recipient TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, message BLOB NOT NULL,
    status TEXT NOT NULL, owner TEXT NOT NULL, said TEXT NOT NULL, decided TEXT NOT NULL, sent_on TEXT NOT NULL,
    PRIMARY KEY (run, day, person)
);
CREATE TABLE IF NOT EXISTS approvals (
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, digest TEXT NOT NULL, recipient TEXT NOT NULL, subject TEXT NOT NULL,
    body TEXT NOT NULL, status TEXT NOT NULL, message_id TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS inbox (
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, message_id TEXT NOT NULL,
    day INTEGER NOT NULL, kind TEXT NOT NULL, person TEXT NOT NULL, mail INTEGER, how TEXT NOT NULL,
    reason TEXT NOT NULL, status TEXT NOT NULL, raw BLOB NOT NULL, size INTEGER NOT NULL,
    UNIQUE (run, key), UNIQUE (run, message_id, digest)
);
"""
TAKEN, HELD, RELEASED, DROPPED = "taken", "held", "released", "dropped"


class MailTables:
    """One run's side of these tables, in the study's file; it may be used from several threads."""

    def __init__(self, path: str | Path, run: str) -> None:
        self._path, self.run, self._lock = Path(path), run, threading.Lock()
        self._db = open_database(self._path)
        self._db.row_factory = sqlite3.Row
        with guarded(self._path):
            self._db.executescript(SCHEMA)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, transaction(self._db, self._path) as db:
            yield db

    def _rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock, guarded(self._path):
            return self._db.execute(query, values).fetchall()


def digest_of(recipient: str, subject: str, body: str) -> str:
    """What names a mail by its words; line ends, blanks around and repeated blanks in the subject are none.

    >>> digest_of("ana@x.org", "A  date", "Hello\\r\\nAna\\n") == digest_of("ana@x.org", "A date", "Hello\\nAna")
    True
    """
    plain = body.replace("\r\n", "\n").replace("\r", "\n").strip()
    words = {
        "recipient": recipient,
        "subject": " ".join(subject.split()),
        "body": plain,
    }
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode("ascii")).hexdigest()


@dataclass(frozen=True)
class Kept:
    """A message in the inbox; `key`, `raw` and `size` as in `Fetched`, `kind` to `reason` as in `Match`."""

    key: str
    message_id: str  # its own; "" if it has none
    day: int  # on which it was collected, or for which it was released
    kind: str
    person: str
    mail: int | None
    how: str
    reason: str
    status: str  # "taken", "held", "released", "dropped"
    raw: bytes
    size: int

    @property
    def fetched(self) -> Fetched:
        """The message as it was fetched, to be read again."""
        return Fetched(self.key, self.raw, self.size)


class Inbox(MailTables):
    """The inbox of one run."""

    def keep(
        self,
        fetched: Fetched,
        match: Match,
        *,
        message_id: str,
        day: int,
        hold: str = "",
    ) -> bool:
        """Keep a message that was fetched, once; held if it is in quarantine, or for the reason `hold`.

        False when it is kept: under its key, or with its Message-ID and bytes, where a server numbers messages anew.
        """
        status = HELD if hold or match.kind == "quarantine" else TAKEN
        digest = hashlib.sha256(fetched.raw).hexdigest()
        found = (match.kind, match.person, match.mail, match.how, hold or match.reason)
        row = (
            self.run,
            fetched.key,
            digest,
            message_id,
            day,
            *found,
            status,
            fetched.raw,
            fetched.size,
        )
        with self._writing() as db:
            marks = ", ".join("?" * len(row))
            return (
                db.execute(
                    f"INSERT OR IGNORE INTO inbox VALUES (NULL, {marks})", row
                ).rowcount
                > 0
            )

    def all(self) -> list[Kept]:
        """Everything that was ever kept, in the order in which it arrived."""
        return self._where("TRUE")

    def of_day(self, day: int) -> list[Kept]:
        """What was collected on a day, or released for it, in the order in which it arrived."""
        return self._where(f"day = ? AND status IN ('{TAKEN}', '{RELEASED}')", day)

    def held(self) -> list[Kept]:
        """What waits for a person."""
        return self._where(f"status = '{HELD}'")

    def waiting(self) -> int:
        """How many messages are held."""
        return dict(self.counts()).get(HELD, 0)

    def counts(self) -> tuple[tuple[str, int], ...]:
        """How many messages there are by their status; nothing of them is read, and some are large."""
        rows = self._rows(
            "SELECT status, count(*) FROM inbox WHERE run = ? GROUP BY status", self.run
        )
        return tuple((row[0], row[1]) for row in rows)

    def last(self) -> str:
        """The key of the last message that was kept, for `Mailbox.fetch`; "" if there is none."""
        rows = self._rows(
            "SELECT key FROM inbox WHERE run = ? ORDER BY id DESC LIMIT 1", self.run
        )
        return rows[0]["key"] if rows else ""

    def release(self, key: str, person: str, day: int, mail: int | None = None) -> Kept:
        """A person says whose it is: a reply, collected on that later day, to that `mail` or the one that was found."""
        settled = (
            "status = ?, kind = 'reply', person = ?, day = ?, mail = coalesce(?, mail)"
        )
        return self._settle(key, settled, RELEASED, person, day, mail)

    def drop(self, key: str) -> Kept:
        """A person says that it is not to be read; its bytes stay."""
        return self._settle(key, "status = ?", DROPPED)

    def hold(self, key: str, reason: str) -> None:
        """Hold a message after all, which was taken or released and not read yet."""
        with self._writing() as db:
            query = "UPDATE inbox SET status = ?, reason = ? WHERE run = ? AND key = ? AND status IN (?, ?)"
            db.execute(query, (HELD, reason, self.run, key, TAKEN, RELEASED))

    def _where(self, condition: str, *values: Any) -> list[Kept]:
        rows = self._rows(
            f"SELECT * FROM inbox WHERE run = ? AND {condition} ORDER BY id",
            self.run,
            *values,
        )
        return [
            Kept(**{field.name: row[field.name] for field in fields(Kept)})
            for row in rows
        ]

    def _settle(self, key: str, change: str, *values: Any) -> Kept:
        """What a person decided about a message that is held; InvalidInput where it is not, or not any more."""
        with self._writing() as db:
            query = (
                f"UPDATE inbox SET {change} WHERE run = ? AND key = ? AND status = ?"
            )
            if not db.execute(query, (*values, self.run, key, HELD)).rowcount:
                raise InvalidInput(
                    f"key: {key!r} given; expected that of a message that is held (see Inbox.held)"
                )
        return self._where("key = ?", key)[0]
