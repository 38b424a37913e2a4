"""The journal of a seminar: every answer of every role, in order, so that a run which ended can be taken up again.

One line is one answer. A run that is taken up asks the same questions again and gets the answers from here, until there
are none left: then it goes on from where it was. Lines are only ever added.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from support.database import guarded, open_database, private, transaction
from support.errors import FileInUse, InvalidInput
from support.presence import Presence

if TYPE_CHECKING:
    from sqlite3 import Connection

SCHEMA = """
CREATE TABLE IF NOT EXISTS seminars (name TEXT PRIMARY KEY, setup TEXT NOT NULL, run TEXT);
CREATE TABLE IF NOT EXISTS journal (
    seminar TEXT NOT NULL, number INTEGER NOT NULL, day INTEGER NOT NULL, role TEXT NOT NULL, step TEXT NOT NULL,
    about TEXT NOT NULL, asked TEXT NOT NULL, answer TEXT, error TEXT, PRIMARY KEY (seminar, number)
);
"""


class Entry(NamedTuple):
    """One line: who was asked what on which day, about whom, and what they said (JSON), or which `error` there was."""

    number: int
    day: int
    role: str
    step: str
    about: str
    asked: str
    answer: str | None
    error: str | None = None


class Journal:
    """The lines of one seminar, in a study's file; one run at a time, which has this presence, writes them.

    FileInUse when another window or process is at work on it, unless it is to `take_over`; InvalidInput when the file
    has no seminar of that name.
    """

    def __init__(
        self,
        path: str | Path,
        seminar: str,
        presence: Presence,
        *,
        take_over: bool = False,
    ) -> None:
        self.path, self.seminar, self._presence = Path(path), seminar, presence
        self._db = opened(self.path)
        try:
            self.setup = self._claimed(take_over)
        except BaseException:
            self._db.close()
            raise

    def _claimed(self, take_over: bool) -> str:
        with transaction(self._db, self.path):
            row = self._db.execute(
                "SELECT setup, run FROM seminars WHERE name = ?", (self.seminar,)
            ).fetchone()
            if row is None:
                known = ", ".join(names(self.path)) or "none"
                raise InvalidInput(
                    f"seminar: {self.seminar!r} given; {self.path} has {known}"
                )
            setup, run = row
            if (
                run
                and run != self._presence.run
                and self._presence.alive(run)
                and not take_over
            ):
                raise FileInUse(
                    f"the seminar {self.seminar!r} is open in another window or process; close it there or take it over"
                )
            self._db.execute(
                "UPDATE seminars SET run = ? WHERE name = ?",
                (self._presence.run, self.seminar),
            )
        return str(setup)

    def entries(self) -> list[Entry]:
        """All lines, in order."""
        query = "SELECT number, day, role, step, about, asked, answer, error FROM journal WHERE seminar = ? ORDER BY 1"
        with guarded(self.path):
            return [Entry(*row) for row in self._db.execute(query, (self.seminar,))]

    def add(
        self,
        day: int,
        role: str,
        step: str,
        about: str,
        asked: str,
        answer: str | None,
        error: str | None = None,
    ) -> Entry:
        """Write one line, for good; FileInUse when another run has taken the seminar over, and nothing is written."""
        with transaction(self._db, self.path):
            self.check()
            query = "SELECT COALESCE(MAX(number), 0) + 1 FROM journal WHERE seminar = ?"
            number = self._db.execute(query, (self.seminar,)).fetchone()[0]
            entry = Entry(number, day, role, step, about, asked, answer, error)
            self._db.execute(
                "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (self.seminar, *entry),
            )
        return entry

    def check(self) -> None:
        """See that the seminar is still this run's; FileInUse when another run has taken it over."""
        with guarded(self.path):
            owner = self._db.execute(
                "SELECT run FROM seminars WHERE name = ?", (self.seminar,)
            ).fetchone()
        if owner != (self._presence.run,):
            raise FileInUse(
                f"the seminar {self.seminar!r} was taken over by another window; go on there"
            )

    def close(self) -> None:
        """Give the seminar back, and close the file."""
        try:
            with transaction(self._db, self.path):
                mine = (self.seminar, self._presence.run)
                self._db.execute(
                    "UPDATE seminars SET run = NULL WHERE name = ? AND run = ?", mine
                )
        finally:
            self._db.close()


def opened(path: Path) -> Connection:
    """A connection to a study's file that has the tables of seminars."""
    db = open_database(path)
    with guarded(path):
        db.executescript(SCHEMA)
    private(path)  # addresses and mails are in it
    return db


def begin(path: str | Path, name: str, setup: str) -> None:
    """Put a new seminar into a study's file; InvalidInput when its name is empty, too long, or taken."""
    if (
        not isinstance(name, str)
        or not name.strip()
        or len(name) > 80
        or not name.isprintable()
    ):
        raise InvalidInput(
            f"name: {name!r} given; expected a name of 1 to 80 characters"
        )
    path = Path(path)
    with closing(opened(path)) as db, transaction(db, path):
        if db.execute("SELECT 1 FROM seminars WHERE name = ?", (name,)).fetchone():
            raise InvalidInput(
                f"name: {name!r} given, which is the name of a seminar in {path.name}; choose another"
            )
        db.execute("INSERT INTO seminars VALUES (?, ?, NULL)", (name, setup))


def names(path: str | Path) -> list[str]:
    """The seminars in a study's file, oldest first; none where there is no file."""
    path = Path(path)
    if not path.exists():
        return []
    with closing(opened(path)) as db, guarded(path):
        return [
            name for (name,) in db.execute("SELECT name FROM seminars ORDER BY rowid")
        ]
