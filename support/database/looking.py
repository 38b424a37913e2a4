"""A look into a file that changes nothing: is it a database, is it whole, is it ours?

Opening a file to write switches its header to WAL mode, and puts two files beside it. So what is damaged or another
program's has to be found out before.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from support.database.held import is_open
from support.database.trouble import BUSY_SECONDS, damaged, no_database
from support.errors import DamagedFile

MAGIC = b"SQLite format 3\x00"
CHECKED = 2**29  # bytes of a file that is checked whole when it is opened: 300 MB took 0.2 s where it was read before
STUDY: dict[str, tuple[str, ...]] = {  # whoever makes a table of a study's file names its columns here
    "sweeps": ("name", "identity"),
    "units": (
        "sweep", "settings", "repetition", "status", "kind", "record", "error", "replies", "format_errors", "seconds",
    ),
    "calls": ("sweep", "settings", "repetition", "number", "call"),
    "claims": ("sweep", "settings", "repetition", "run"),
    "accounts": ("name", "spent", "uncertain"),
    "reservations": ("id", "name", "run", "amount"),
    "replies": ("key", "request", "reply"),
    "embeddings": ("key", "vector"),
    "seminars": ("name", "setup", "run"),
    "journal": ("seminar", "number", "day", "role", "step", "about", "asked", "answer", "error"),
    "outbox": (
        "run", "day", "person", "mail", "message_id", "digest", "kind", "sender", "recipient", "subject", "body",
        "message", "status", "owner", "said", "decided", "sent_on",
    ),
    "approvals": ("id", "run", "digest", "recipient", "subject", "body", "status", "message_id"),
    "inbox": (
        "id", "run", "key", "digest", "message_id", "day", "kind", "person", "mail", "how", "reason", "status", "raw",
        "size",
    ),
    "labels": ("number", "message", "coder", "run", "round", "sender", "text", "acts"),
}  # fmt: skip
_checked: set[tuple[int, ...]] = set()  # states of files that this process found whole


def look(path: Path, ours: Mapping[str, Sequence[str]]) -> None:
    """Refuse what is damaged or another program's, and change nothing."""
    if not path.is_file() or not path.stat().st_size:
        return
    if not is_open(path) and _head(path, len(MAGIC)) != MAGIC:
        raise no_database(path, "it does not begin like one")
    for again in (True, True, False):
        try:
            _look_inside(path, ours)
            return
        except (sqlite3.DatabaseError, DamagedFile):
            if not (again and _beside(path, "-wal").exists()):  # else somebody has opened it during the look
                raise


@contextmanager
def read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for a look into a file that is there; `open_database` changes a file by opening it.

    A file in WAL mode that nobody has open is read as one that cannot change: else SQLite would put its log beside it.
    """
    at_rest = not is_open(path) and _head(path, 20)[18:] == b"\x02\x02" and not _beside(path, "-wal").exists()
    query = "mode=ro&immutable=1" if at_rest else "mode=ro"
    name = f"file:{quote(str(path.resolve()))}?{query}"
    with closing(sqlite3.connect(name, uri=True, timeout=BUSY_SECONDS)) as reader:
        yield reader


def foreign_tables(db: sqlite3.Connection, ours: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Tables that are named like ours and have other columns, with the columns they have: another program's.

    >>> db = sqlite3.connect(":memory:")
    >>> _ = db.execute("CREATE TABLE units (metre)")
    >>> foreign_tables(db, {"units": ["sweep"], "sweeps": ["name"]})
    {'units': ('metre',)}
    """
    found = {name: tuple(row[1] for row in db.execute(f"PRAGMA table_info('{name}')")) for name in ours}
    return {name: columns for name, columns in found.items() if columns and columns != tuple(ours[name])}


def _look_inside(path: Path, ours: Mapping[str, Sequence[str]]) -> None:
    try:
        with read_only(path) as reader:
            _check(reader, path, ours)
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_READONLY_ROLLBACK:
            raise
        with _copy(path) as copy:  # its writer was killed half-way: SQLite may undo that in a copy
            _check(copy, path, ours)


@contextmanager
def _copy(path: Path) -> Iterator[sqlite3.Connection]:
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / path.name
        for ending in ("", "-journal"):
            shutil.copyfile(_beside(path, ending), _beside(copied, ending))
        with closing(sqlite3.connect(copied)) as copy:
            yield copy


def _check(db: sqlite3.Connection, path: Path, ours: Mapping[str, Sequence[str]]) -> None:
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY 1"
    names = [row[0] for row in db.execute(query)]
    if names and not set(names) & set(ours):
        raise _foreign(path, f"its tables are {', '.join(names)}; expected {', '.join(ours)}")
    for name, columns in foreign_tables(db, ours).items():
        expected = ", ".join(ours[name])
        raise _foreign(path, f"its table {name!r} has the columns {', '.join(columns)}; expected {expected}")
    _check_pages(db, path)


def _check_pages(db: sqlite3.Connection, path: Path) -> None:
    """Look at every page once, unless the file is very large: a run opens its file several times."""
    about = path.stat()
    state = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)
    if about.st_size > CHECKED or state in _checked:
        return
    if (found := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise damaged(path, found)
    _checked.add(state)


def _head(path: Path, count: int) -> bytes:
    """The first bytes of a file that this process does not have open (see `support.database.held`)."""
    with path.open("rb") as file:
        return file.read(count)


def _beside(path: Path, ending: str) -> Path:
    there = path.resolve()  # SQLite puts its files beside what a link points to
    return there.with_name(there.name + ending)


def _foreign(path: Path, detail: str) -> DamagedFile:
    return DamagedFile(
        f"{path} is an SQLite database, but not a study's: {detail}. It is left as it is: choose another path for the "
        "study, or move that file away."
    )
