"""One SQLite file holds a study: the units of its sweeps, its models' replies beside.

Every finished unit is one transaction: a process killed at any moment loses at most the
units that were at work.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from importlib import import_module
from pathlib import Path
from traceback import format_exception
from typing import Any, NamedTuple

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
BESIDE = ("status", "error", "traceback", "replies", "format_errors", "seconds", "made")
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


class Packed(NamedTuple):
    """A record as it is stored."""

    kind: str
    text: str
    replies: int
    format_errors: int


class Failed(NamedTuple):
    """Why a unit has no record: the words of its error, and where it was raised."""

    error: str
    traceback: str = ""

    @classmethod
    def by(cls, error: BaseException) -> Failed:
        """An error as it is stored; a provider's trouble needs no traceback."""
        words = f"{type(error).__name__}: {error}"
        where = "" if isinstance(error, ModelError) else format_exception(error)
        return cls(words, "".join(where))


class Store:
    """The study's file; units that other code made, by its mark, stay and are not shown."""

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
        with transaction(self._db, self.path):
            rows = self.select("SELECT identity FROM sweeps WHERE name = ?", (name,))
            stored = json.loads(rows[0][0]) if rows else {}
            both = asked.keys() & stored.keys()
            changed = sorted(key for key in both if stored[key] != asked[key])
            if changed and not self._of(sweep, "1", "AND status = 'done' LIMIT 1"):
                self._drop(name)  # nothing was finished: the name is free
                stored, changed = {}, []
            if not changed:
                text = json.dumps({**stored, **asked}, sort_keys=True)
                made = "INSERT OR REPLACE INTO sweeps VALUES (?, ?)"
                self._db.execute(made, (name, text))
        if changed:
            raise InvalidInput(
                f"sweep {sweep!r} is in {self.path} already, with "
                f"{_differences(changed, stored, asked)}; give the new sweep another "
                f"name or file; or drop its units with store.forget({sweep!r}), which "
                "keeps the models' replies"
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
    ) -> dict[str, int]:
        """Store a finished unit, with its calls and what made it; return its replies
        and misfits."""
        kept = record if isinstance(record, Packed) else packed(record)
        kind, text, replies, misfits = kept
        row = ("done", kind, text, None, replies, misfits, seconds)
        self._write(unit, (*row, json.dumps(made) if made else None, None), calls)
        return {"replies": replies, "misfits": misfits}

    def fail(
        self,
        unit: Unit,
        error: Failed | BaseException,
        seconds: float = 0.0,
        calls: Sequence[Call] = (),
    ) -> None:
        """Store that a unit failed, and why."""
        why = Failed.by(error) if isinstance(error, BaseException) else error
        row = ("failed", None, None, why.error, 0, 0, seconds, None, why.traceback)
        self._write(unit, row, calls)

    def _write(self, unit: Unit, row: tuple, calls: Sequence[Call]) -> None:
        key = self._key(unit)
        told = [(*key, number, call.to_json()) for number, call in enumerate(calls)]
        marks = ", ".join("?" * (len(key) + len(row)))
        with transaction(self._db, self.path) as db:
            db.execute(f"INSERT OR REPLACE INTO units VALUES ({marks})", (*key, *row))
            db.execute(f"DELETE FROM calls {WHERE}", key)
            db.executemany("INSERT INTO calls VALUES (?, ?, ?, ?, ?)", told)

    def save(self, name: str, record: Any, settings: Mapping[str, Any]) -> Unit:
        """Store a record that no sweep made, as the next of its name and settings."""
        text = json.dumps(dict(settings), sort_keys=True)
        following = "COALESCE(MAX(repetition) + 1, 0)"
        [(repetition,)] = self._of(name, following, "AND settings = ?", text)
        unit = Unit(name, text, repetition)
        self.add(unit, record)
        return unit

    def finished(self, sweep: str, *, include_failed: bool = True) -> set[Unit]:
        """The units of a sweep that need not be done again."""
        which = "AND (status = 'done' OR ?)"
        rows = self._of(sweep, "settings, repetition", which, include_failed)
        return {Unit(sweep, *row) for row in rows}

    def failures(self, sweep: str) -> dict[Unit, str]:
        """Units of a sweep's name that failed, earlier grids' among them, and why."""
        which = "AND status = 'failed' ORDER BY 1, 2"
        rows = self._of(sweep, "settings, repetition, error", which)
        return {Unit(sweep, *place): error for *place, error in rows}

    def status(self, unit: Unit) -> str | None:
        """ "done", "failed", or None where a unit is not stored."""
        return self._one("status", unit)[0]

    def units(self, sweep: str) -> dict[Unit, dict[str, Any]]:
        """What is kept of each unit of a name beside its record: status, error,
        traceback, replies, format errors, seconds, and what made it, as JSON."""
        what = f"settings, repetition, {', '.join(BESIDE)}"
        found = {}
        for text, repetition, *row in self._of(sweep, what, "ORDER BY 1, 2"):
            found[Unit(sweep, text, repetition)] = dict(zip(BESIDE, row, strict=True))
        return found

    def made(self, unit: Unit) -> dict[str, Any]:
        """All that made the record of a unit, for `replay`; {} where none says so."""
        return json.loads(self._one("made", unit)[0] or "{}")

    def record(self, unit: Unit) -> Any | None:
        """The record of one unit, or None when it is not done."""
        status, *kept = self._one("status, kind, record, made", unit)
        return _read(*kept) if status == "done" else None

    def text(self, unit: Unit) -> str:
        """The record of a finished unit as it is stored, in JSON."""
        return self._one("record", unit)[0]

    def records(self, sweep: str) -> Iterator[tuple[Unit, Any]]:
        """All finished units of a name and their records, by settings and repetition."""
        query = """SELECT settings, repetition, kind, record, made FROM units
            WHERE sweep = ? AND status = 'done' ORDER BY settings, repetition"""
        name = (self.name_in_file(sweep),)
        with guarded(self.path):  # one at a time: they may be many
            for text, repetition, *kept in self._db.execute(query, name):
                yield Unit(sweep, text, repetition), _read(*kept)

    def asked(self, sweep: str) -> dict[Unit, frozenset[str]]:
        """What each unit that has calls asked, repetitions left out of account."""
        query = f"""SELECT settings, repetition, group_concat({DRAW}, ' ') FROM calls
            WHERE sweep = ? GROUP BY settings, repetition"""
        rows = self.select(query, (self.name_in_file(sweep),))
        return {Unit(sweep, *place): frozenset(keys.split()) for *place, keys in rows}

    def answered(self, sweep: str) -> list[tuple[str, str, str]]:
        """Each model that was asked, who answered, and with which fingerprint."""
        query = """SELECT DISTINCT call ->> 'model',
            coalesce(call ->> 'answered_by', call ->> 'model'),
            coalesce(call ->> 'fingerprint', '') FROM calls
            WHERE sweep = ? AND call ->> 'error' IS NULL ORDER BY 1, 2, 3"""
        return self.select(query, (self.name_in_file(sweep),))

    def calls(self, unit: Unit) -> list[Call]:
        """The calls of a unit when it was done last, in the order in which they ended."""
        query = f"SELECT call FROM calls {WHERE} ORDER BY number"
        return [Call.from_json(text) for (text,) in self.select(query, self._key(unit))]

    def sweeps(self) -> list[str]:
        """Names under which units are stored that this code made."""
        mark = self.name_in_file("")
        names = self.select("SELECT DISTINCT sweep FROM units ORDER BY 1")
        return [name.removesuffix(mark) for (name,) in names if name.endswith(mark)]

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

    def _of(self, sweep: str, what: str, rest: str, *values: Any) -> list[tuple]:
        query = f"SELECT {what} FROM units WHERE sweep = ? {rest}"
        return self.select(query, (self.name_in_file(sweep), *values))


def open_study(name: str) -> Store:
    """The store of a notebook's study, whose units bear a mark of the sources."""
    return Store(study_file(name), source_digest()[:10])


def _differences(
    changed: Sequence[str], stored: Mapping[str, Any], asked: Mapping[str, Any]
) -> str:
    if changed[-1].startswith("code of"):
        return (
            f"other {changed[-1]}: it, or something of yours that it calls, has changed"
        )
    told = [f"{key} {stored[key]!r} where {asked[key]!r}" for key in changed]
    return f"{', '.join(told)} is asked for"


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
    """A record as it is stored: its kind, its JSON, its replies and format errors."""
    kind = "dict"
    if not isinstance(record, dict):
        kind = f"{type(record).__module__}:{type(record).__qualname__}"
    rounds = _listed(record, "rounds")
    replies = sum(getattr(one, "replies", 0) for one in rounds)
    return Packed(kind, to_json(record), replies, len(misfits(record)))


def misfits(record: Any) -> list[Any]:
    """The format errors of all rounds of a record."""
    every = [_listed(one, "format_errors") for one in _listed(record, "rounds")]
    return [error for errors in every for error in errors]


def _listed(thing: Any, name: str) -> Sequence[Any]:
    value = getattr(thing, name, ())
    return value if isinstance(value, list | tuple) else ()


def _read(kind: str, text: str, made: str | None) -> Any:
    """A stored record, which says what made it where it has a field for that."""
    record = from_json(kind, text)
    if made and getattr(record, "made", None) == {}:
        object.__setattr__(record, "made", json.loads(made))
    return record


def to_json(record: Any) -> str:
    """A record as one line of JSON."""
    try:
        if not isinstance(record, dict) and not _keeps_fields(type(record)):
            raise TypeError("it has no fields")
        return json.dumps(record, default=_plain)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InvalidInput(
            f"record: {type(record).__name__} given ({error}); the store keeps a dict of "
            "plain data, a dataclass or a pydantic model"
        ) from None


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        return value.tolist()
    if not _keeps_fields(type(value)):
        raise TypeError(f"{type(value).__name__} is no plain data")
    made: Any = type(value)
    adapter = _adapter(made)
    return adapter.dump_python(value, mode="json", fallback=_plain, warnings=False)


def from_json(kind: str, text: str) -> Any:
    """A record, equal to the one stored; a dict where its class is gone or changed."""
    module, _, name = kind.partition(":")
    ours = module.startswith("support.")
    try:
        plain = json.loads(text)
        if kind == "dict":
            return plain
        found = sys.modules.get(module) or import_module(module)
        made = reduce(getattr, name.split("."), found)
        return _frozen(_adapter(made).validate_json(text))
    except Exception as error:
        if not ours and not isinstance(error, json.JSONDecodeError):
            return plain  # whatever became of the user's class
        raise DamagedFile(
            f"a stored {name or kind} cannot be read ({error}); restore the file from a copy"
        ) from None


def _keeps_fields(made: type) -> bool:
    return dataclasses.is_dataclass(made) or hasattr(made, "model_fields")


@cache
def _adapter(made: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(made)


def _frozen(value: Any) -> Any:
    """Turn the lists of JSON back into the tuples of frozen records."""
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    for name in getattr(type(value), "__dataclass_fields__", {}):
        old = getattr(value, name)
        if isinstance(old, list | tuple) or dataclasses.is_dataclass(old):
            object.__setattr__(value, name, _frozen(old))
    return value
