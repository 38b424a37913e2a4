"""Opening a study's file, so that several processes may write to it and nothing is lost when the power fails."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from support.database.held import connect, opening
from support.database.looking import STUDY, look
from support.database.trouble import BUSY_SECONDS, HELD, cannot_open, family, guarded


def open_database(path: str | Path, ours: Mapping[str, Sequence[str]] = STUDY) -> sqlite3.Connection:
    """Open a study's file, or make it, folders included.

    The connection may be used from any thread, one at a time: whoever shares it brings a lock.

    Parameters
    ----------
    path : path
        The study's file.
    ours : mapping
        The tables that the file may have, each with its columns, in order. A file is another program's when it has
        tables and none of these, or one of these with other columns; tables beside ours are nobody's business.

    Returns
    -------
    sqlite3.Connection
        In WAL mode, so that a notebook reads while a sweep in another process writes.

    Raises
    ------
    DamagedFile
        When something is there that is not an SQLite database, a damaged one, or another program's; it is left
        untouched, and nothing is put beside it.
    InvalidInput
        When the file cannot be opened or made: a folder, or no permission.
    DiskFull
        When there is no room to make it.
    """
    path = Path(path)
    try:
        with guarded(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with opening:
                look(path, ours)
                return _configured(connect(path, BUSY_SECONDS))
    except (OSError, sqlite3.OperationalError) as error:
        raise cannot_open(path, error) from None


def _configured(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        _switch_to_wal(connection)
        # FULL, not NORMAL: in WAL mode NORMAL may lose the last commits when the power fails, and a reply may have
        # cost money. One fsync a commit is nothing beside a model's call.
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Wait for it here: where several processes make a new file at once, SQLite refuses this without waiting."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if family(error) not in HELD or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.005, 0.05))
