"""The SQLite file of answers: its tables, and the refusal of any other file before anything is written to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.database import guarded, open_database, transaction
from support.errors import DamagedFile, InvalidInput

TABLES = {
    "forms": ("number", "code", "instrument", "version", "sum", "grp", "source"),
    "answers": ("form", "place", "item", "kind", "construct", "answer", "text"),
    "refusals": ("number", "instrument", "version", "source", "reason"),
}
SCHEMA = (
    """CREATE TABLE IF NOT EXISTS forms (
    number INTEGER PRIMARY KEY, code TEXT NOT NULL, instrument TEXT NOT NULL, version TEXT NOT NULL, sum TEXT NOT NULL,
    grp TEXT NOT NULL, source TEXT NOT NULL, UNIQUE (code, instrument))""",
    """CREATE TABLE IF NOT EXISTS answers (
    form INTEGER NOT NULL REFERENCES forms (number), place INTEGER NOT NULL, item TEXT NOT NULL, kind TEXT NOT NULL,
    construct TEXT NOT NULL, answer REAL, text TEXT NOT NULL, PRIMARY KEY (form, place))""",
    """CREATE TABLE IF NOT EXISTS refusals (
    number INTEGER PRIMARY KEY, instrument TEXT NOT NULL, version TEXT NOT NULL, source TEXT NOT NULL,
    reason TEXT NOT NULL)""",
)


def open_answers(path: Path) -> sqlite3.Connection:
    """A connection to the file of answers at `path`, made when nothing is there.

    Raises
    ------
    DamagedFile
        When something else is there; it is left untouched.
    """
    try:
        db = open_database(path, TABLES)
    except DamagedFile as error:
        raise DamagedFile(f"this is no file of answers ({error})") from None
    with sound(path):
        db.execute("PRAGMA secure_delete = ON")  # what is withdrawn leaves the file, not only its tables
    with sound(path), transaction(db, path):  # all tables at once: whoever opens it meanwhile sees none or all
        for table in SCHEMA:
            db.execute(table)
    return db


@contextmanager
def sound(path: Path) -> Iterator[None]:
    """Say in our words what SQLite finds wrong with the file."""
    try:
        with guarded(path):
            yield
    except sqlite3.OperationalError as error:
        raise InvalidInput(
            f"{path} cannot be used: {error}. Nothing was stored; close what else uses it, and try again."
        ) from None
    except sqlite3.DatabaseError as error:
        raise _damaged(path, str(error)) from None


def _damaged(path: Path, detail: str) -> DamagedFile:
    return DamagedFile(
        f"{path} is there, but it is no file of answers ({detail}). It is left as it is: choose another path, "
        "or move that file away."
    )
