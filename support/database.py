"""One SQLite file holds a study; this room is the only place that opens it, and says what goes wrong with it.

POSIX drops a process's locks on a file when it closes any descriptor of it, SQLite's among them ("How to corrupt an
SQLite database", 2.2): a file that is open here is never opened past SQLite. Opening to write switches a file to WAL
mode: what is damaged or another program's is found out before, by a look that changes nothing.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from support.errors import DamagedFile, DiskFull, FileInUse, InvalidInput

BUSY_SECONDS = 30.0
CHECKED = (
    2**29
)  # bytes of a file that is checked whole when it is opened: 300 MB took 0.2 s where it was read before
STUDY: dict[str, tuple[str, ...]] = {table: tuple(columns.split()) for table, columns in (  # every room's tables
    ("sweeps", "name identity"), ("calls", "sweep settings repetition number call"),
    ("units", "sweep settings repetition status kind record error replies format_errors seconds made traceback"),
    ("claims", "sweep settings repetition run"), ("accounts", "name spent uncertain"),
    ("reservations", "id name run amount"), ("replies", "key request reply"), ("embeddings", "key vector"),
    ("seminars", "name setup run"), ("journal", "seminar number day role step about asked answer error"),
    ("outbox", "run day person mail message_id digest kind sender recipient subject body message status owner said "
     "decided sent_on"), ("approvals", "id run digest recipient subject body status message_id"),
    ("inbox", "id run key digest message_id day kind person mail how reason status raw size"),
    ("labels", "number message coder run round sender text acts"),
)}  # fmt: skip
CORRUPT, FULL, BUSY, CLOSED, NO_FILE, NO_DATABASE = (
    11,
    13,
    5,
    8,
    14,
    26,
)  # SQLite's codes without their details
LIKE = {sqlite3.SQLITE_IOERR: FULL, sqlite3.SQLITE_LOCKED: BUSY,
        sqlite3.SQLITE_PERM: CLOSED, sqlite3.SQLITE_AUTH: CLOSED}  # fmt: skip
UNREAD = (
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
)  # no question of room
AWAY = "It is left as it is: choose another path for the study, or move that file away."
SAID: dict[int, tuple[type[Exception], str]] = {
    CORRUPT: (DamagedFile, "{path} is damaged ({error}). It is left as it is: restore it from a copy; or choose "
              "another path, or move it away, and run again."),
    NO_DATABASE: (DamagedFile, f"{{path}} is there, but it is not an SQLite database ({{error}}). {AWAY}"),
    FULL: (DiskFull, "the disk takes no more of {path} ({name}: {error}). What was being written is not kept, all "
           "before it is. Free some space, then run again: finished units and kept replies are not paid for again."),
    BUSY: (FileInUse, "{path} is held by another process, which has been writing for half a minute ({error}). What "
           "was to be written is not kept; end that process or close the file there, then run again."),
    CLOSED: (InvalidInput, "{path} may not be written to ({error}); allow it, or give a path where you may write."),
    NO_FILE: (InvalidInput, "cannot open {path} as a study's file: {error}. Give the path of a file on a local disk, "
              "in a folder that you may write to."),
}  # fmt: skip
_opening = threading.RLock()  # held from the look at a file to the end of its opening
_open: weakref.WeakSet[_Connection] = weakref.WeakSet()
_checked: set[tuple[int, ...]] = set()  # states of files that this process found whole


class _Connection(sqlite3.Connection):
    key: tuple[int, int] | None = None  # of the file, while it is open

    def close(self) -> None:
        super().close()
        self.key = None


def open_database(
    path: str | Path, ours: Mapping[str, Sequence[str]] = STUDY
) -> sqlite3.Connection:
    """Open a study's file in WAL mode, or make it, folders included; for any thread, one at a time.

    A file is another program's when it has tables and none of `ours`, or one of these with other columns.
    """
    path = Path(path)
    try:
        with guarded(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.touch(
                    0o600
                )  # at once: whoever opens it before it is private can read on for ever
            with _opening:
                _look(path, ours)
                made: _Connection = sqlite3.connect(
                    path, BUSY_SECONDS, check_same_thread=False, factory=_Connection
                )
                made.execute(
                    "SELECT count(*) FROM sqlite_master"
                ).fetchone()  # opened at the first use, not before
                made.key = _key(path)
                _open.add(made)
            _configure(made)
            return made
    except (OSError, sqlite3.OperationalError) as error:
        raise _words(path, NO_FILE, error) from None


def private(path: Path) -> None:
    """Let no other account of this machine read a study's file, nor SQLite's files beside it."""
    for file in (path, _beside(path, "-wal"), _beside(path, "-shm")):
        with suppress(FileNotFoundError):
            file.chmod(0o600)


@contextmanager
def guarded(path: str | Path) -> Iterator[None]:
    """Say in our words what SQLite, or the disk, finds wrong with a file; for reads and writes alike."""
    try:
        yield
    except sqlite3.Error as error:
        code = (
            CORRUPT
            if getattr(error, "sqlite_errorcode", 0) in UNREAD
            or "to UTF-8" in str(error)
            else _code(error)
        )
        raise (_words(path, code, error) if code in SAID else error) from None
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise (_words(path, FULL, error) if full else error) from None


@contextmanager
def transaction(
    db: sqlite3.Connection, path: str | Path
) -> Iterator[sqlite3.Connection]:
    """One write to the file: all that is done within is kept together, or, after any error, nothing of it.

    It waits for its turn first: begun with a read, it would be refused at once if another process wrote in between.
    """
    with guarded(path):
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.commit()
        except BaseException:
            db.rollback()  # no effect where SQLite has rolled back by itself, as it does on a full disk
            raise


@contextmanager
def _read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for a look that changes nothing: without it SQLite puts a log beside a file that nobody has open."""
    at_rest = (
        not _is_open(path)
        and _head(path, 20)[18:] == b"\x02\x02"
        and not _beside(path, "-wal").exists()
    )
    name = f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' * at_rest}"
    with closing(sqlite3.connect(name, uri=True, timeout=BUSY_SECONDS)) as reader:
        yield reader


def _is_open(path: Path) -> bool:
    with _opening:
        return any(db.key == _key(path) for db in _open)


def _configure(made: sqlite3.Connection) -> None:
    """Waits for WAL mode: where several processes make a new file at once, SQLite refuses it without waiting."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            # With synchronous = NORMAL the last commits may go when the power fails.
            made.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            return
        except sqlite3.OperationalError as error:
            if _code(error) != BUSY or time.monotonic() > until:
                made.close()
                raise
            time.sleep(0.02)


def _look(path: Path, ours: Mapping[str, Sequence[str]]) -> None:
    """Refuse what is damaged or another program's, and change nothing."""
    if not path.is_file() or not path.stat().st_size:
        return
    if not _is_open(path) and _head(path, 16) != b"SQLite format 3\x00":
        raise _words(path, NO_DATABASE, "it does not begin like one")
    for again in (True, True, False):
        try:
            with _read_only(path) as db:
                return _check(db, path, ours)
        except (sqlite3.DatabaseError, DamagedFile) as error:
            if (
                getattr(error, "sqlite_errorcode", 0)
                == sqlite3.SQLITE_READONLY_ROLLBACK
            ):  # its writer was killed
                with (
                    tempfile.TemporaryDirectory() as folder
                ):  # SQLite may undo what is half-way in a copy
                    for ending in ("", "-journal"):
                        shutil.copyfile(_beside(path, ending), f"{folder}/copy{ending}")
                    with closing(sqlite3.connect(f"{folder}/copy")) as copy:
                        return _check(copy, path, ours)
            if not (
                again and _beside(path, "-wal").exists()
            ):  # else somebody has opened it during the look
                raise


def _check(
    db: sqlite3.Connection, path: Path, ours: Mapping[str, Sequence[str]]
) -> None:
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY 1"
    names, said = [row[0] for row in db.execute(query)], ""
    if names and not set(names) & set(ours):
        said = f"its tables are {', '.join(names)}; expected {', '.join(ours)}"
    for name in set(names) & set(ours):
        rows = db.execute(f"PRAGMA table_info('{name}')")
        columns = [row[1] for row in rows]
        if (
            columns != list(ours[name])[: len(columns)]
        ):  # an older file lacks the later ones
            said = f"its table {name!r} has the columns {', '.join(columns)}; expected {', '.join(ours[name])}"
    if said:
        raise DamagedFile(
            f"{path} is an SQLite database, but not a study's: {said}. {AWAY}"
        )
    about = path.stat()
    state = (*_key(path), about.st_size, about.st_mtime_ns)
    if (
        about.st_size <= CHECKED and state not in _checked
    ):  # every page once: a run opens its file several times
        if (found := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise _words(path, CORRUPT, found)
        _checked.add(state)


def _code(error: sqlite3.Error) -> int:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return LIKE.get(code, code)


def _words(path: str | Path, code: int, error: Exception | str) -> Exception:
    kind, said = SAID[code]
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    return kind(said.format(path=path, name=name, error=" ".join(str(error).split())))


def _key(path: Path) -> tuple[int, int]:
    return path.stat().st_dev, path.stat().st_ino


def _head(path: Path, count: int) -> bytes:
    with path.open("rb") as file:  # never of a file that is open here
        return file.read(count)


def _beside(path: Path, ending: str) -> Path:
    return Path(
        f"{path.resolve()}{ending}"
    )  # SQLite puts its files beside what a link points to
