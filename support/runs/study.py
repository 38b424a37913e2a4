"""One SQLite file holds a study: the units of its sweeps, its models' replies beside.

Every finished unit is one transaction: a process killed at any moment loses at most the
units that were at work.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cache
from json import JSONDecodeError
from operator import methodcaller
from pathlib import Path
from pkgutil import resolve_name
from traceback import format_exception
from typing import Any, NamedTuple, Protocol

from support.data import source_digest, study_file
from support.database import guarded, open_database, transaction
from support.errors import DamagedFile, InvalidInput, ModelError
from support.models.calls import Call

KEY = "sweep TEXT NOT NULL, settings TEXT NOT NULL, repetition INTEGER NOT NULL"
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS sweeps (name TEXT PRIMARY KEY, identity TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS units ({KEY},
    status TEXT NOT NULL CHECK (status IN ('done', 'failed')), kind TEXT, record TEXT,
    error TEXT, replies INTEGER, format_errors INTEGER, seconds REAL,
    made TEXT, traceback TEXT, PRIMARY KEY (sweep, settings, repetition));
CREATE TABLE IF NOT EXISTS calls ({KEY}, number INTEGER NOT NULL, call TEXT NOT NULL,
    PRIMARY KEY (sweep, settings, repetition, number));
"""
WHERE = "WHERE sweep = ? AND settings = ? AND repetition = ?"
LATER = ("made", "traceback")  # columns that units of an earlier version lack
BESIDE = ("status", "error", "traceback", "replies", "format_errors", "seconds")
DRAW = "coalesce(call ->> 'draw', call ->> 'key')"


@dataclasses.dataclass(frozen=True, slots=True)
class Unit:
    """One piece of work: settings (as JSON with sorted keys), and which repetition.

    `labels` are the settings as a table shows them, where a sweep made the unit.
    """

    sweep: str
    text: str
    repetition: int
    labels: Mapping[str, Any] = dataclasses.field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by name."""
        return json.loads(self.text)


class Planned(Protocol):
    """A sweep, as those need it who play its units, count them or read them."""

    @property
    def name(self) -> str:
        """Under which its units are kept."""

    @property
    def study(self) -> Callable[..., Awaitable[Any]]:
        """What a unit plays."""

    def units(self) -> Iterator[Unit]:
        """Every unit of the grid."""

    def arguments(self, unit: Unit, context: Mapping[str, Any]) -> dict[str, Any]:
        """What the study is called with."""

    def check(self, context: Mapping[str, Any]) -> None:
        """Refuse what the study does not take."""

    def draws(self, store: Store) -> dict[Unit, int]:
        """The number of each finished unit's draw."""

    def records(
        self, store: Store, *, every: bool = False
    ) -> Iterator[tuple[Unit, Any]]:
        """Units and their records, one a draw."""


class Packed(NamedTuple):
    """A record as it is stored, or what is stored of an error in its place."""

    status: str
    kind: str | None = None
    text: str | None = None
    error: str | None = None
    replies: int = 0
    format_errors: int = 0
    traceback: str | None = None


class Store:
    """The study's file; units of other code, by its mark, stay and are not shown."""

    def __init__(self, path: str | Path, code: str = "") -> None:
        self.path, self.code = Path(path), code
        self._db = open_database(self.path)
        with guarded(self.path):
            self._db.executescript(SCHEMA)
        if self._lacking():
            with transaction(self._db, self.path) as db:
                for name in self._lacking():
                    db.execute(f"ALTER TABLE units ADD COLUMN {name} TEXT")

    def _lacking(self) -> list[str]:
        there = {row[1] for row in self.select("PRAGMA table_info(units)")}
        return [name for name in LATER if name not in there]

    def register(self, sweep: str, identity: Mapping[str, Any]) -> None:
        """Claim a name; refuse it where it stands for another study, code or seed."""
        name, asked = self.name_in_file(sweep), json.loads(json.dumps(identity))
        with transaction(self._db, self.path) as db:
            rows = self.select("SELECT identity FROM sweeps WHERE name = ?", (name,))
            stored = json.loads(rows[0][0]) if rows else {}
            both = asked.keys() & stored.keys()
            changed = sorted(key for key in both if stored[key] != asked[key])
            if changed and not self.finished(sweep, include_failed=False):
                self._drop(name)  # nothing was finished: the name is free
                stored, changed = {}, []
            if not changed:
                text = json.dumps({**stored, **asked}, sort_keys=True)
                db.execute("INSERT OR REPLACE INTO sweeps VALUES (?, ?)", (name, text))
        if changed:
            told = [f"{key} {stored[key]!r} where {asked[key]!r}" for key in changed]
            said = f"{', '.join(told)} is asked for"
            if changed[-1].startswith("code of"):
                said = (
                    f"other {changed[-1]}: it, or what it calls of yours, has changed"
                )
            raise InvalidInput(
                f"sweep {sweep!r} is in {self.path} already, with {said}; give the new "
                f"sweep another name or file; or drop its units with store.forget"
                f"({sweep!r}), which keeps the models' replies"
            )

    def forget(self, sweep: str) -> None:
        """Drop the units of a sweep, so that its name is free; replies stay."""
        with transaction(self._db, self.path):
            self._drop(self.name_in_file(sweep))

    def _drop(self, name: str) -> None:
        for table in ("units", "calls"):
            self._db.execute(f"DELETE FROM {table} WHERE sweep = ?", (name,))
        self._db.execute("DELETE FROM sweeps WHERE name = ?", (name,))

    def add(
        self,
        unit: Unit,
        record: Any,
        seconds: float = 0.0,
        calls: Sequence[Call] = (),
        made: Mapping[str, Any] | None = None,
    ) -> None:
        """Store a unit that ended: its record, or the error that it failed with, its
        calls, and what made it."""
        *kept, traceback = record if isinstance(record, Packed) else packed(record)
        key = self._key(unit)
        row = (*key, *kept, seconds, json.dumps(made or {}), traceback)
        told = [(*key, number, call.to_json()) for number, call in enumerate(calls)]
        marks = ", ".join("?" * len(row))
        with transaction(self._db, self.path) as db:
            db.execute(f"INSERT OR REPLACE INTO units VALUES ({marks})", row)
            db.execute(f"DELETE FROM calls {WHERE}", key)
            db.executemany("INSERT INTO calls VALUES (?, ?, ?, ?, ?)", told)

    def save(self, name: str, record: Any, settings: Mapping[str, Any]) -> Unit:
        """Store a record that no sweep made, as the next of its name and settings."""
        text = json.dumps(dict(settings), sort_keys=True)
        query = """SELECT coalesce(max(repetition) + 1, 0) FROM units
            WHERE sweep = ? AND settings = ?"""
        [(following,)] = self.select(query, (self.name_in_file(name), text))
        unit = Unit(name, text, following)
        self.add(unit, record)
        return unit

    def finished(self, sweep: str, *, include_failed: bool = True) -> set[Unit]:
        """The units of a sweep that need not be done again."""
        return set(self.units(sweep, "%" if include_failed else "done"))

    def units(self, sweep: str, status: str = "%") -> dict[Unit, dict[str, Any]]:
        """What is kept beside the records of a name, or of its "done" or "failed" ones:
        status, error, traceback, replies, format errors, seconds.

        By settings and repetition; units of earlier grids are among them.
        """
        query = f"""SELECT settings, repetition, {", ".join(BESIDE)} FROM units
            WHERE sweep = ? AND status LIKE ? ORDER BY 1, 2"""
        found = {}
        rows = self.select(query, (self.name_in_file(sweep), status))
        for text, repetition, *row in rows:
            found[Unit(sweep, text, repetition)] = dict(zip(BESIDE, row, strict=True))
        return found

    def status(self, unit: Unit) -> str | None:
        """ "done", "failed", or None where a unit is not stored."""
        return self._one("status", unit)[0]

    def made(self, unit: Unit) -> dict[str, Any]:
        """All that made the record of a unit, for `replay`; {} where none says so."""
        return json.loads(self._one("made", unit)[0] or "{}")

    def record(self, unit: Unit) -> Any | None:
        """The record of one unit, or None when it is not done; it says what made it
        where it has a field for that."""
        status, kind, text, made = self._one("status, kind, record, made", unit)
        if status != "done":
            return None
        record = from_json(kind, text)
        if made and getattr(record, "made", None) == {}:
            object.__setattr__(record, "made", json.loads(made))
        return record

    def text(self, unit: Unit) -> str:
        """The record of a finished unit as it is stored, in JSON."""
        return self._one("record", unit)[0]

    def records(self, sweep: str) -> Iterator[tuple[Unit, Any]]:
        """Finished units of a name and their records, by settings and repetition."""
        for unit in self.units(sweep, "done"):
            yield unit, self.record(unit)

    def asked(self, sweep: str) -> dict[Unit, frozenset[str]]:
        """What each unit that has calls asked, repetitions left out of account."""
        query = f"""SELECT settings, repetition, group_concat({DRAW}, ' ') FROM calls
            WHERE sweep = ? GROUP BY settings, repetition"""
        rows = self.select(query, (self.name_in_file(sweep),))
        return {Unit(sweep, *place): frozenset(keys.split()) for *place, keys in rows}

    def answered(self, sweep: str) -> list[tuple[str, str, str | None]]:
        """Each model in whose place others answered, or that has changed: its name, who
        answered, and the fingerprints."""
        query = """SELECT asked, group_concat(DISTINCT name),
            group_concat(DISTINCT mark) FROM (SELECT call ->> 'model' AS asked, call ->> 'fingerprint' AS mark,
                coalesce(call ->> 'answered_by', call ->> 'model') AS name FROM calls
                WHERE sweep = ? AND call ->> 'error' IS NULL ORDER BY 3, 2)
            GROUP BY asked HAVING count(DISTINCT mark) > 1
                OR count(DISTINCT name) > 1 OR min(name) != asked"""
        return self.select(query, (self.name_in_file(sweep),))

    def calls(self, unit: Unit) -> list[Call]:
        """The calls of a unit when it was done last, in the order of their ends."""
        query = f"SELECT call FROM calls {WHERE} ORDER BY number"
        return [Call.from_json(text) for (text,) in self.select(query, self._key(unit))]

    def select(self, query: str, values: Sequence[Any] = ()) -> list[tuple]:
        """Rows of the study's file, for whoever reads its other tables."""
        with guarded(self.path):
            return self._db.execute(query, values).fetchall()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def name_in_file(self, sweep: str) -> str:
        """A sweep's name with the mark of the code, where there is one."""
        return f"{sweep} @ {self.code}" if self.code else sweep

    def _key(self, unit: Unit) -> tuple[str, str, int]:
        return self.name_in_file(unit.sweep), unit.text, unit.repetition

    def _one(self, what: str, unit: Unit) -> tuple:
        rows = self.select(f"SELECT {what} FROM units {WHERE}", self._key(unit))
        return rows[0] if rows else (None,) * 4


def open_study(name: str) -> Store:
    """The store of a notebook's study, whose units bear a mark of the sources."""
    return Store(study_file(name), source_digest()[:10])


def shown(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as a table shows them: objects of one's own by name, the digest of their
    source in a column of its own."""
    row: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, dict) and value.keys() == {"name", "source"}:
            row |= {name: value["name"], f"{name} source": value["source"]}
        elif isinstance(value, str | int | float):
            row[name] = value
        else:
            row[name] = "default" if value is None else json.dumps(value)
    return row


def packed(record: Any) -> Packed:
    """A record, or the error in its place, as it is stored; a provider's trouble needs
    no traceback."""
    if isinstance(record, BaseException):
        words = f"{type(record).__name__}: {record}"
        where = "" if isinstance(record, ModelError) else format_exception(record)
        return Packed("failed", error=words, traceback="".join(where))
    kind = "dict"
    if not isinstance(record, dict):
        kind = f"{type(record).__module__}:{type(record).__qualname__}"
    replies = sum(getattr(one, "replies", 0) for one in _rounds(record))
    return Packed("done", kind, to_json(record), None, replies, len(misfits(record)))


def misfits(record: Any) -> list[Any]:
    """The format errors of all rounds of a record."""
    found: list[Any] = []
    for one in _rounds(record):
        found += getattr(one, "format_errors", ())
    return found


def _rounds(record: Any) -> Sequence[Any]:
    value = getattr(record, "rounds", ())
    return value if isinstance(value, list | tuple) else ()


def to_json(record: Any) -> str:
    """A record as one line of JSON."""
    how: Any = {"mode": "json", "fallback": methodcaller("tolist"), "warnings": False}
    made: Any = type(record)
    try:
        plain = _adapter(made).dump_python(record, **how)
        if not isinstance(plain, dict):
            raise TypeError("it has no fields")
    except (AttributeError, TypeError, ValueError, RuntimeError) as error:
        raise InvalidInput(
            f"record: {type(record).__name__} given ({error}); the store keeps a dict "
            "of plain data, a dataclass or a pydantic model"
        ) from None
    return json.dumps(plain)


def from_json(kind: str, text: str) -> Any:
    """A record, equal to the one stored; a dict where its class is gone or changed."""
    try:
        plain = json.loads(text)
        return (
            plain
            if kind == "dict"
            else _frozen(_adapter(resolve_name(kind)).validate_json(text))
        )
    except Exception as error:
        if not kind.startswith("support.") and not isinstance(error, JSONDecodeError):
            return plain  # whatever became of the user's class
        name = kind.rpartition(":")[2]
        raise DamagedFile(
            f"a stored {name} cannot be read ({error}); restore the file from a copy"
        ) from None


@cache
def _adapter(made: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(made)


def _frozen(value: Any) -> Any:
    """Turn the lists of JSON back into the tuples of frozen records."""
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    for name in getattr(value, "__dataclass_fields__", ()):
        object.__setattr__(value, name, _frozen(getattr(value, name)))
    return value
