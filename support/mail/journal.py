"""What a study's file keeps of mail: what left, what was approved, what arrived.

A commit is on the disk when it returns (WAL, synchronous FULL), which "at most once"
depends on. What arrives is kept once, with its bytes and the day on which it was
collected, so that a run that is resumed collects the same.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from support.database import guarded, open_database, transaction
from support.errors import InvalidInput
from support.mail.letters import Fetched

if TYPE_CHECKING:
    from support.mail.matching import Match

T = TypeVar("T")
SCHEMA = """
CREATE TABLE IF NOT EXISTS outbox (
    run TEXT NOT NULL, day INTEGER NOT NULL, person TEXT NOT NULL, mail INTEGER NOT NULL,
    message_id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, kind TEXT NOT NULL,
    sender TEXT NOT NULL, recipient TEXT NOT NULL, subject TEXT NOT NULL,
    body TEXT NOT NULL, message BLOB NOT NULL, status TEXT NOT NULL, owner TEXT NOT NULL,
    said TEXT NOT NULL, decided TEXT NOT NULL, sent_on TEXT NOT NULL,
    PRIMARY KEY (run, day, person)
);
CREATE TABLE IF NOT EXISTS approved (
    run TEXT NOT NULL, digest TEXT NOT NULL, message_id TEXT NOT NULL,
    PRIMARY KEY (run, digest)
);
CREATE TABLE IF NOT EXISTS received (
    run TEXT NOT NULL, key TEXT NOT NULL, message_id TEXT NOT NULL, day INTEGER NOT NULL,
    person TEXT NOT NULL, mail INTEGER, why TEXT NOT NULL, status TEXT NOT NULL,
    raw BLOB NOT NULL, size INTEGER NOT NULL, digest TEXT NOT NULL,
    UNIQUE (run, key), UNIQUE (run, message_id, digest)
);
"""
TAKEN = "taken"
HELD = "held"
RELEASED = "released"
DROPPED = "dropped"


class MailTables:
    """One run's side of these tables, in the study's file; any thread may use it."""

    def __init__(self, path: str | Path, run: str) -> None:
        self._path = Path(path)
        self.run = run
        self._lock = threading.RLock()
        self._db = open_database(self._path)
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

    def _records(self, kind: type[T], table: str, where: str, *values: Any) -> list[T]:
        """This run's rows of a table as records, in the order in which they came."""
        names = ", ".join(field.name for field in fields(kind))  # type: ignore[arg-type]
        query = f"SELECT {names} FROM {table} WHERE run = ? AND {where} ORDER BY rowid"
        with self._lock, guarded(self._path):
            return [kind(*row) for row in self._db.execute(query, (self.run, *values))]


@dataclass(frozen=True)
class Kept(Fetched):
    """A message that arrived: `key`, `raw` and `size` as in `Fetched`, `person` to `why`
    as in `Match`; its day is that on which it was collected, or for which it was
    released; its status "taken", "held", "released", "dropped"."""

    message_id: str
    day: int
    person: str
    mail: int | None
    why: str
    status: str


class Inbox(MailTables):
    """The inbox of one run."""

    def keep(
        self, fetched: Fetched, match: Match, *, message_id: str, day: int
    ) -> bool:
        """Keep a message that was fetched, once; held if there is a reason why.

        False when it is kept: under its key, or with its Message-ID and bytes, where a
        server numbers messages anew.
        """
        found = *astuple(match), HELD if match.why else TAKEN
        bytes_of = fetched.raw, fetched.size, hashlib.sha256(fetched.raw).hexdigest()
        row = self.run, fetched.key, message_id, day, *found, *bytes_of
        marks = ", ".join("?" * len(row))
        with self._writing() as db:
            query = f"INSERT OR IGNORE INTO received VALUES ({marks})"
            return db.execute(query, row).rowcount > 0

    def of_day(self, day: int) -> list[Kept]:
        """What was collected on a day, or released for it."""
        return self._where("day = ? AND status IN (?, ?)", day, TAKEN, RELEASED)

    def held(self) -> list[Kept]:
        """What waits for a person."""
        return self._where("status = ?", HELD)

    def last(self) -> str:
        """The key of the last message that was kept, for `Mailbox.fetch`; "" for none."""
        last = "rowid = (SELECT max(rowid) FROM received WHERE run = ?)"
        return "".join(kept.key for kept in self._where(last, self.run))

    def release(self, key: str, person: str, day: int) -> Kept:
        """A person says whose it is: a reply, collected on that later day."""
        return self._settle(key, HELD, status=RELEASED, person=person, day=day)

    def drop(self, key: str) -> Kept:
        """A person says that it is not to be read; its bytes stay."""
        return self._settle(key, HELD, status=DROPPED)

    def hold(self, key: str, why: str) -> Kept:
        """Hold a message after all, which was taken or released and not read yet."""
        return self._settle(key, TAKEN, RELEASED, status=HELD, why=why)

    def _where(self, condition: str, *values: Any) -> list[Kept]:
        return self._records(Kept, "received", condition, *values)

    def _settle(self, key: str, *before: str, **to: Any) -> Kept:
        """Change what is known of a message; InvalidInput where it is not like that."""
        sets = ", ".join(f"{name} = ?" for name in to)
        marks = ", ".join("?" * len(before))
        where = f"run = ? AND key = ? AND status IN ({marks})"
        values = *to.values(), self.run, key, *before
        with self._writing() as db:
            query = f"UPDATE received SET {sets} WHERE {where}"
            if not db.execute(query, values).rowcount:
                raise InvalidInput(f"key: {key!r} given; expected one that is {before}")
        return self._where("key = ?", key)[0]
