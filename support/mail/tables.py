"""The tables of a study's file that mail needs: what left, what was approved, what arrived.

They lie in the study's file and nowhere else. A commit is on the disk when it returns (WAL, synchronous FULL), which
"at most once" depends on: what is done next may not be known to fewer than the disk.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.database import guarded, open_database, transaction

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


class MailTables:
    """One run's side of these tables; it may be used from several threads.

    `path`: the study's file. `run`: what names the seminar in it. DamagedFile, DiskFull, FileInUse, InvalidInput as
    `support.database.open_database`; so may every method.
    """

    def __init__(self, path: str | Path, run: str) -> None:
        self._path, self.run = Path(path), run
        self._lock = threading.Lock()
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

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        with self._lock, guarded(self._path):
            return self._db.execute(query, values).fetchall()
