"""One SQLite file holds a study; this room is the only place that opens it.

POSIX drops a process's locks on a file when it closes any descriptor of it, SQLite's
among them ("How to corrupt an SQLite database", 2.2): a file that is open here is never
opened past SQLite. Opening to write switches a file to WAL mode: what is damaged or
another program's is found out before, by reading alone.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from support.errors import DamagedFile, DiskFull, FileInUse, InvalidInput
from support.presence import BESIDE, own

BUSY_SECONDS = 30.0
TABLES = """\
sweeps name identity
calls sweep settings repetition number call
units sweep settings repetition status kind record error replies format_errors seconds \
made traceback
claims sweep settings repetition run
accounts name spent uncertain
reservations id name run amount
replies key request reply
embeddings key vector
seminars name setup run
journal seminar number day role step about asked answer error
outbox run day person mail message_id digest kind sender recipient subject body message \
status owner said decided sent_on
approved run digest message_id
received run key message_id day person mail why status raw size digest
labels number message coder run round sender text acts
"""
STUDY = dict(line.split(" ", 1) for line in TABLES.splitlines())
"""The columns of every room's tables."""

BUSY = 5
UNREAD = sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ
AWAY = (
    "It is left as it is: choose another path for the study, or move that file away; a "
    "study's file may be restored from a copy."
)
NO_ROOM = (
    DiskFull,
    "the disk takes no more of {path} ({error}). What was being written is not kept, all "
    "before it is. Free some space, then run again: finished units and kept replies are "
    "not paid for again.",
)
HELD = (
    FileInUse,
    "{path} is held by another process, which has been writing for half a minute "
    "({error}). What was to be written is not kept; end that process or close the file "
    "there, then run again.",
)
NOT_OURS = DamagedFile, f"{{path}} is damaged, or no study's file ({{error}}). {AWAY}"
UNOPENED = (
    InvalidInput,
    "cannot open {path} to write ({error}). Give the path of a file on a local disk, in a "
    "folder that you may write to, or allow it.",
)
WORDS = {  # by SQLite's codes, without their details
    BUSY: HELD,
    8: UNOPENED,  # read only
    10: NO_ROOM,  # a failure of the disk, unless it is one of reading
    11: NOT_OURS,  # corrupt
    13: NO_ROOM,  # full
    14: UNOPENED,  # not to be opened
    26: NOT_OURS,  # no database
}
_opening = threading.Lock()
_whole = set[tuple[int, ...]]()  # states of files that this process found whole


def open_database(
    path: str | Path, ours: Mapping[str, str] = STUDY
) -> sqlite3.Connection:
    """Open a study's file in WAL mode, or make it, folders included; for any thread.

    A file is another program's when it has tables and none of `ours`, or one of these
    with other columns.
    """
    path = Path(path)
    with guarded(path), _opening:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch(0o600)  # who opens it before it is private can read on for ever
        own(path)
        db = sqlite3.connect(path, BUSY_SECONDS, check_same_thread=False)
        try:
            _check(db, path, ours)
            _configure(db)
        except BaseException:
            db.close()
            raise
        return db


def private(path: Path) -> None:
    """Let no other account of this machine read a study's file, nor SQLite's beside it."""
    for ending in ("", *BESIDE):
        with suppress(FileNotFoundError):
            Path(f"{path.resolve()}{ending}").chmod(0o600)


@contextmanager
def guarded(path: str | Path) -> Iterator[None]:
    """Say in our words what SQLite, or the disk, finds wrong with a file."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0)  # none for a text not in UTF-8
        unread = code in UNREAD or "UTF-8" in str(error)
        words = NOT_OURS if unread else WORDS.get(code & 0xFF)
        raise (_told(path, words, error) if words else error) from None
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise _told(path, NO_ROOM if full else UNOPENED, error) from None


@contextmanager
def transaction(
    db: sqlite3.Connection, path: str | Path
) -> Iterator[sqlite3.Connection]:
    """One write: all that is done within is kept together or, after any error, nothing.

    It waits for its turn first: begun with a read, it would be refused at once if
    another process wrote in between.
    """
    with guarded(path):
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.commit()
        except BaseException:
            db.rollback()  # no effect where SQLite did, as it does on a full disk
            raise


def _check(db: sqlite3.Connection, path: Path, ours: Mapping[str, str]) -> None:
    """Refuse what is damaged or another program's, by reading alone."""
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    names = {name for (name,) in db.execute(query)}
    known = names & ours.keys()
    if names and not known:
        raise _told(path, NOT_OURS, f"its tables are {', '.join(sorted(names))}")
    for name in known:
        rows = db.execute(f"PRAGMA table_info('{name}')")
        columns = " ".join(row[1] for row in rows)
        if ours[name] != columns:
            said = f"its table {name!r} has the columns {columns}"
            raise _told(path, NOT_OURS, said)
    about = path.stat()
    state = about.st_ino, about.st_size, about.st_mtime_ns
    if state not in _whole:  # every page once: a run opens its file several times
        if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise _told(path, NOT_OURS, "a page of it cannot be read")
        _whole.add(state)


def _configure(db: sqlite3.Connection) -> None:
    """Wait for WAL mode: SQLite refuses it at once where several make one new file."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            # With synchronous = NORMAL the last commits may go when the power fails.
            db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _told(
    path: str | Path, words: tuple[type[Exception], str], error: Exception | str
) -> Exception:
    kind, said = words
    return kind(said.format(path=path, error=error))
