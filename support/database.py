"""One SQLite file holds a study; this module is the only place that opens it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from support.errors import DamagedFile, InvalidInput

MAGIC = b"SQLite format 3\x00"
BUSY_SECONDS = 30.0


def open_database(path: str | Path) -> sqlite3.Connection:
    """Open a study's file, or make it, folders included.

    The connection may be used from any thread, one at a time: whoever shares it brings a lock.

    Parameters
    ----------
    path : path
        The study's file.

    Returns
    -------
    sqlite3.Connection
        In WAL mode, so that a notebook reads while a sweep in another process writes.

    Raises
    ------
    DamagedFile
        When something is there that is not an SQLite database; it is left untouched.
    InvalidInput
        When the file cannot be opened or made: a folder, or no permission.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _check_header(path)
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    except (OSError, sqlite3.OperationalError) as error:
        raise InvalidInput(
            f"cannot open {path} as a study's file: {error}. Give the path of a file in a folder that you may write to."
        ) from None
    try:
        return _configured(connection)
    except sqlite3.OperationalError as error:
        connection.close()
        raise InvalidInput(f"cannot use {path} as a study's file: {error}. Give a path on a local disk.") from None
    except sqlite3.DatabaseError as error:
        connection.close()
        raise _damaged(path, str(error)) from None


@contextmanager
def read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for a look into a file that is there; `open_database` changes a file by opening it."""
    with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)) as reader:
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


def _configured(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # a broken file shows here, before any write
    connection.execute("PRAGMA journal_mode = WAL")
    # FULL, not NORMAL: in WAL mode NORMAL may lose the last commits when the power fails, and a reply may have cost
    # money. One fsync a commit is nothing beside a model's call.
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _check_header(path: Path) -> None:
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise _damaged(path, "it does not begin like one")


def _damaged(path: Path, detail: str) -> DamagedFile:
    return DamagedFile(
        f"{path} is there, but it is not an SQLite database ({detail}). It is left as it is: "
        "choose another path for the study, or move that file away."
    )
