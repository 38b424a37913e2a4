"""What SQLite, or the disk, finds wrong with a study's file, in our words, and one write to it."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.errors import DamagedFile, DiskFull, FileInUse, InvalidInput

BUSY_SECONDS = 30.0
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
UNREAD = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ)  # no question of room
CLOSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)


@contextmanager
def guarded(path: str | Path) -> Iterator[None]:
    """Say in our words what SQLite, or the disk, finds wrong with a file; for reads and writes alike.

    Raises
    ------
    DiskFull
        When there is no room, or the disk fails.
    DamagedFile
        When the file cannot be read as a database any more.
    FileInUse
        When another process holds the file for half a minute.
    InvalidInput
        When it may not be written to.
    """
    try:
        yield
    except sqlite3.Error as error:
        if (said := _said(Path(path), error)) is None:
            raise
        raise said from None
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise _full(Path(path), error) from None


@contextmanager
def transaction(db: sqlite3.Connection, path: str | Path) -> Iterator[sqlite3.Connection]:
    """One write to the file: all that is done within is kept together, or, after any error, nothing of it.

    It takes the file for writing at once, and waits for its turn. Begun with a read, as SQLite does by default, it
    would be refused without waiting when another process has written in between.

    Raises
    ------
    DiskFull, DamagedFile, FileInUse, InvalidInput
        As `guarded`.
    """
    with guarded(path):
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.commit()
        except BaseException:
            db.rollback()  # no effect where SQLite has rolled back by itself, as it does on a full disk
            raise


def family(error: sqlite3.Error) -> int:
    """SQLite's code without the details; 0 where an error has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _said(path: Path, error: sqlite3.Error) -> Exception | None:
    code = family(error)
    unread = getattr(error, "sqlite_errorcode", None) in UNREAD or "decode to UTF-8" in str(error)
    if unread or code == sqlite3.SQLITE_CORRUPT:
        return damaged(path, str(error))
    if code in FULL:
        return _full(path, error)
    if code in HELD:
        return FileInUse(
            f"{path} is held by another process, which has been writing for {BUSY_SECONDS:g} s ({error}). What was to "
            "be written is not kept; end that process or close the file there, then run again."
        )
    if code in CLOSED:
        return InvalidInput(f"{path} may not be written to ({error}); allow it, or give a path where you may write.")
    if code == sqlite3.SQLITE_CANTOPEN:
        return cannot_open(path, error)
    if code == sqlite3.SQLITE_NOTADB:
        return no_database(path, str(error))
    return None


def cannot_open(path: Path, error: Exception) -> InvalidInput:
    """The error for a place where no file can be opened or made."""
    return InvalidInput(
        f"cannot open {path} as a study's file: {error}. Give the path of a file on a local disk, in a folder that you "
        "may write to."
    )


def _full(path: Path, error: Exception) -> DiskFull:
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    return DiskFull(
        f"the disk takes no more of {path} ({name}: {error}). What was being written is not kept, all before it is. "
        "Free some space, or move the file to a larger disk, then run again: finished units and kept replies are not "
        "paid for again."
    )


def no_database(path: Path, detail: str) -> DamagedFile:
    """The error for a file that is something else."""
    return DamagedFile(
        f"{path} is there, but it is not an SQLite database ({detail}). It is left as it is: "
        "choose another path for the study, or move that file away."
    )


def damaged(path: Path, detail: str) -> DamagedFile:
    """The error for a database of which a part cannot be read."""
    return DamagedFile(
        f"{path} is damaged ({' '.join(detail.split())}). It is left as it is: restore it from a copy; or choose "
        "another path, or move it away, and run again."
    )
