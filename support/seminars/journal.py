"""The journal of a seminar: every answer of every role, in order, kept before it is given.

One line is one answer, and lines are only ever added. A day that broke off is taken up
where it was: its questions get their answers from here, until there are none left. A
finished day stands as a record, beside the events that it entered in the books.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter

from support.database import guarded, open_database, private, transaction
from support.errors import DamagedFile, FileInUse, InvalidInput
from support.presence import Presence
from support.seminar.data import Persona
from support.seminar.day import AMISS
from support.seminar.records import (
    Action,
    Day,
    DayPlan,
    Draft,
    Flag,
    Mail,
    Review,
    Says,
)
from support.seminar.speakers import Response

SCHEMA = """
CREATE TABLE IF NOT EXISTS seminars (name TEXT PRIMARY KEY, setup TEXT NOT NULL, run TEXT);
CREATE TABLE IF NOT EXISTS journal (
    seminar TEXT NOT NULL, number INTEGER NOT NULL, day INTEGER NOT NULL,
    role TEXT NOT NULL, step TEXT NOT NULL, about TEXT NOT NULL, asked TEXT NOT NULL,
    answer TEXT, error TEXT, PRIMARY KEY (seminar, number)
);
"""
FORMS = {
    "collect": tuple[Mail, ...],
    "read": Says | None,
    "check": str | None,
    "decide": Flag,
    "progress": str,
    "select": tuple[str, ...],
    "plan": DayPlan,
    "act": tuple[Action, ...],
    "draft": Draft,
    "review": Review,
    "send": None,
    "describe": str,
    "answer": Response,
    "close": str,
}
"""The answers that are kept, by step."""
COLLECT = "collect"
ANSWER = "answer"
COUNTED = "replies", "tokens"
DAY, USER = "day", "user"
"""Who writes lines that are no role's: a day that is over, and what the user changes."""

Event = (
    tuple[Literal["sent"], Mail, date]
    | tuple[Literal["received"], int, str, Says | None, date]
    | tuple[Literal["given", "freed"], str, date]
    | tuple[Literal["joins"], Persona]
    | tuple[Literal["off", "back"], str]
    | tuple[Literal["opens", "drops"], date]
)


@dataclass(frozen=True)
class Finished:
    """A finished day, and what was entered in the books since the one before it."""

    day: Day
    events: tuple[Event, ...]


class Entry(NamedTuple):
    """One line: which step of which role on which day, its number among those of the day
    (`about`), what a model had spent (`asked`), the answer as JSON, or an `error`."""

    number: int
    day: int
    role: str
    step: str
    about: str
    asked: str
    answer: str | None
    error: str | None = None

    def value(self, form: Any) -> Any:
        """The answer; DamagedFile where it is none of that form."""
        try:
            return _adapter(form).validate_json(self.answer or "")
        except ValueError as error:
            why = " ".join(str(error).split())[:300]
            raise DamagedFile(
                f"journal: line {self.number} cannot be read ({why}). Restore the "
                "study's file from a copy, or begin a new seminar."
            ) from None


@cache
def _adapter(form: Any) -> TypeAdapter[Any]:
    return TypeAdapter(form)


def to_text(form: Any, value: Any) -> str:
    """A value of that form as JSON; InvalidInput where it could not be read again."""
    try:
        text: str = _adapter(form).dump_json(value, warnings=False).decode()
        _adapter(form).validate_json(text)
    except ValueError as error:
        why = " ".join(str(error).split())[:300]
        raise InvalidInput(f"journal: {value!r:.200} cannot be kept ({why})") from None
    return text


class Journal:
    """The lines of one seminar in a study's file; one run at a time, which has this
    presence, writes them.

    `reached` is called with the number of a line when its answer is given again, and
    with infinity where a question is a new one; `changed` at every new line. FileInUse
    when another window or process is at work on the seminar, unless it is to `take_over`;
    InvalidInput when the file has none of that name.
    """

    def __init__(
        self,
        path: str | Path,
        seminar: str,
        presence: Presence,
        take_over: bool,
        reached: Callable[[float], None],
        changed: Callable[[], None],
    ) -> None:
        self.path = Path(path)
        self.seminar = seminar
        self._presence = presence
        self._reached = reached
        self._changed = changed
        self._db = opened(self.path)
        try:
            self.setup = self._claimed(take_over)
            self.load()
        except BaseException:
            self._db.close()
            raise

    def _claimed(self, take_over: bool) -> str:
        mine = self._presence.run
        with transaction(self._db, self.path):
            query = "SELECT setup, run FROM seminars WHERE name = ?"
            row = self._db.execute(query, (self.seminar,)).fetchone()
            if row is None:
                told = f"{self.seminar!r} given; {self.path} has another one, or none"
                raise InvalidInput(f"seminar: {told}")
            setup, run = row
            if run and self._presence.elsewhere(run) and not take_over:
                raise FileInUse(
                    f"the seminar {self.seminar!r} is open in another window or process; "
                    "close it there or take it over"
                )
            query = "UPDATE seminars SET run = ? WHERE name = ?"
            self._db.execute(query, (mine, self.seminar))
        return str(setup)

    def load(self) -> list[Entry]:
        """Read all lines."""
        query = (
            "SELECT number, day, role, step, about, asked, answer, error FROM journal "
            "WHERE seminar = ? ORDER BY 1"
        )
        with guarded(self.path):
            found = self._db.execute(query, (self.seminar,)).fetchall()
        self.entries = [Entry(*row) for row in found]
        self.open(0)
        return self.entries

    def open(self, day: int) -> None:
        """Begin a day, or take it up."""
        self.day = day
        self._asked = Counter[tuple[str, str]]()
        lines = [line for line in self.entries if line.day == day]
        self._lines = {(line.role, line.step, line.about): line for line in lines}

    def last(self, step: str) -> int:
        """The last day on which a step was done; 0 for none."""
        return max((line.day for line in self.entries if line.step == step), default=0)

    def add(self, role: str, step: str, *told: str | None) -> None:
        """Write one line, for good: about, asked, answer, and perhaps an error. FileInUse
        when another run has taken the seminar over; nothing is written then."""
        with transaction(self._db, self.path):
            self.check()
            number = len(self.entries) + 1
            line = Entry(number, self.day, role, step, *told)  # type: ignore[arg-type]
            query = "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            self._db.execute(query, (self.seminar, *line))
        self.entries.append(line)
        self._changed()

    def check(self) -> None:
        """See that the seminar is still this run's; FileInUse when another has it."""
        query = "SELECT run FROM seminars WHERE name = ?"
        with guarded(self.path):
            owner = self._db.execute(query, (self.seminar,)).fetchone()
        if owner != (self._presence.run,):
            raise FileInUse(
                f"the seminar {self.seminar!r} was taken over by another window; go on "
                "there"
            )

    async def answer(
        self, who: Remembered, step: str, ask: Callable[..., Any], *args: Any
    ) -> Any:
        """The answer of a role: the one that was kept, or a new one, which is kept."""
        about = str(self._asked[who.name, step])
        self._asked[who.name, step] += 1
        if line := self._lines.get((who.name, step, about)):
            if who.again:
                with suppress(*AMISS):  # what goes amiss did so before
                    await ask(*args)
            self._reached(line.number)
            who.recall(line)
            if line.error is not None:
                raise InvalidInput(line.error)
            return line.value(FORMS[step])
        self._reached(math.inf)
        self.check()  # whoever lost the seminar asks nobody and sends nothing
        try:
            value = await ask(*args)
            text = to_text(FORMS[step], value)
        except AMISS as error:
            if step != COLLECT:  # post that cannot be fetched ends the day
                self.add(who.name, step, about, who.spent(), None, str(error))
            raise
        self.add(who.name, step, about, who.spent(), text)
        return value

    def close(self) -> None:
        """Give the seminar back, and close the file."""
        query = "UPDATE seminars SET run = NULL WHERE name = ? AND run = ?"
        try:
            with transaction(self._db, self.path):
                self._db.execute(query, (self.seminar, self._presence.run))
        finally:
            self._db.close()


class Remembered:
    """A role that is asked for an answer once only; with `again`, for those that it gave
    before as well, which count for nothing. What a model spent before a restart counts."""

    def __init__(
        self, role: Any, name: str, journal: Journal, again: bool = False
    ) -> None:
        self.role = role
        self.name = name
        self.again = again
        self._journal = journal
        self._before = Counter[str]()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.role, name)
        if name in COUNTED:
            return found + self._before[name]
        if name in FORMS:
            return partial(self._journal.answer, self, name, found)
        return found

    def spent(self) -> str:
        """What the role has spent so far."""
        counts = {name: getattr(self, name, 0) for name in COUNTED}
        return json.dumps(counts)

    def recall(self, line: Entry) -> None:
        """Take over what a line says was spent until then."""
        self._before |= Counter(json.loads(line.asked))


def opened(path: Path) -> Connection:
    """A connection to a study's file that has the tables of seminars."""
    db = open_database(path)
    with guarded(path):
        db.executescript(SCHEMA)
    private(path)  # addresses and mails are in it
    return db


def begin(path: str | Path, name: str, setup: str) -> None:
    """Put a new seminar into a study's file; InvalidInput when its name is empty, too
    long, or taken."""
    path = Path(path)
    if not name.strip() or len(name) > 80 or not name.isprintable():
        raise InvalidInput(f"name: {name!r} given; expected 1 to 80 characters")
    if name in names(path):
        raise InvalidInput(
            f"name: {name!r} given, which {path.name} has; choose another"
        )
    with closing(opened(path)) as db, transaction(db, path):
        db.execute("INSERT INTO seminars VALUES (?, ?, NULL)", (name, setup))


def names(path: str | Path) -> list[str]:
    """The seminars in a study's file, oldest first; none where there is no file."""
    path = Path(path)
    if not path.exists():
        return []
    with closing(opened(path)) as db, guarded(path):
        found = db.execute("SELECT name FROM seminars ORDER BY rowid")
        return [name for (name,) in found]
