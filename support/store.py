"""One SQLite file holds a study: the units of its sweeps here, the replies of its models beside them.

Every finished unit is one transaction, so that a process killed at any moment loses at most the units that
were at work.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.calls import Call
from support.data import source_digest, study_file
from support.database import guarded, open_database, transaction
from support.errors import DamagedFile, InvalidInput
from support.records import Coordination, Organizing, Planning, Transcript

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = """
CREATE TABLE IF NOT EXISTS sweeps (name TEXT PRIMARY KEY, identity TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS units (
    sweep TEXT NOT NULL, settings TEXT NOT NULL, repetition INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
    kind TEXT, record TEXT, error TEXT, replies INTEGER, format_errors INTEGER, seconds REAL,
    PRIMARY KEY (sweep, settings, repetition)
);
CREATE TABLE IF NOT EXISTS calls (
    sweep TEXT NOT NULL, settings TEXT NOT NULL, repetition INTEGER NOT NULL, number INTEGER NOT NULL,
    call TEXT NOT NULL, PRIMARY KEY (sweep, settings, repetition, number)
);
"""
WHERE = "WHERE sweep = ? AND settings = ? AND repetition = ?"
RECORDS: dict[str, type] = {made.__name__: made for made in (Transcript, Coordination, Planning, Organizing)}


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of work: a setting (as JSON with sorted keys) of a sweep, and which repetition of it."""

    sweep: str
    settings: str
    repetition: int


class Store:
    """The study's file.

    Parameters
    ----------
    path : path
        Made when it does not exist.
    code : str
        A mark of the code that makes the units, kept behind the names of their sweeps as "name @ code". Units of
        another mark stay in the file and are not shown. Without one, names are taken as they are.

    Raises
    ------
    DamagedFile
        When the file is there and is not a study's file; it is left as it is.
    """

    def __init__(self, path: str | Path, code: str = "") -> None:
        self.path, self.code = Path(path), code
        self._db = open_database(self.path)
        with guarded(self.path):
            self._db.executescript(SCHEMA)

    def register(self, sweep: str, identity: Mapping[str, Any]) -> None:
        """Claim a name for a sweep; refuse it when it names another study, seed or set of settings here."""
        text = json.dumps(identity, sort_keys=True)
        name = self.name_in_file(sweep)
        with transaction(self._db, self.path):
            self._forget_unless_done(name, text)
            self._db.execute("INSERT OR IGNORE INTO sweeps VALUES (?, ?)", (name, text))
        [(stored,)] = self.select("SELECT identity FROM sweeps WHERE name = ?", (name,))
        if stored != text:
            before = json.loads(stored)
            changed = [k for k in identity if before.get(k) != identity[k]]
            raise InvalidInput(
                f"sweep {sweep!r} is in {self.path} already, with "
                + ", ".join(f"{k} {before.get(k)!r} where {identity[k]!r} is asked for" for k in changed)
                + "; give the new sweep another name, or another file"
            )

    def _forget_unless_done(self, name: str, identity: str) -> None:
        """A name under which nothing was finished is free again: a run with a wrong model does not take it."""
        done = "SELECT 1 FROM units WHERE sweep = ? AND status = 'done' LIMIT 1"
        other = "SELECT 1 FROM sweeps WHERE name = ? AND identity != ?"
        if self._db.execute(other, (name, identity)).fetchone() and not self._db.execute(done, (name,)).fetchone():
            for table, column in (("sweeps", "name"), ("units", "sweep"), ("calls", "sweep")):
                self._db.execute(f"DELETE FROM {table} WHERE {column} = ?", (name,))

    def finished(self, sweep: str, *, include_failed: bool = True) -> set[Unit]:
        """The units of a sweep that need not be done again."""
        query = "SELECT settings, repetition FROM units WHERE sweep = ? AND (status = 'done' OR ?)"
        return {Unit(sweep, *row) for row in self.select(query, (self.name_in_file(sweep), include_failed))}

    def status(self, unit: Unit) -> str | None:
        """What became of a unit: "done", "failed", or None where it is not stored."""
        rows = self.select(f"SELECT status FROM units {WHERE}", self._key(unit))
        return rows[0][0] if rows else None

    def add(self, unit: Unit, record: Any, seconds: float = 0.0, calls: Sequence[Call] = ()) -> dict[str, int]:
        """Store a finished unit, with the calls to models that it made; return its replies and format errors."""
        rounds = getattr(record, "rounds", ())
        counts = {
            "replies": sum(r.replies for r in rounds),
            "format_errors": sum(len(r.format_errors) for r in rounds),
        }
        row = (*self._key(unit), "done", type(record).__name__, to_json(record), None, *counts.values(), seconds)
        self._write(unit, row, calls)
        return counts

    def fail(self, unit: Unit, error: BaseException, seconds: float = 0.0, calls: Sequence[Call] = ()) -> None:
        """Store that a unit failed, and why."""
        row = (*self._key(unit), "failed", None, None, f"{type(error).__name__}: {error}", 0, 0, seconds)
        self._write(unit, row, calls)

    def _write(self, unit: Unit, row: tuple, calls: Sequence[Call]) -> None:
        with transaction(self._db, self.path):
            self._db.execute(f"INSERT OR REPLACE INTO units VALUES ({', '.join('?' * 10)})", row)
            self._db.execute(f"DELETE FROM calls {WHERE}", self._key(unit))
            made = [(*self._key(unit), number, call.to_json()) for number, call in enumerate(calls)]
            self._db.executemany("INSERT INTO calls VALUES (?, ?, ?, ?, ?)", made)

    def calls(self, unit: Unit) -> list[Call]:
        """The calls to models that a unit made when it was done last, in the order in which they ended."""
        rows = self.select(f"SELECT call FROM calls {WHERE} ORDER BY number", self._key(unit))
        return [Call.from_json(text) for (text,) in rows]

    def save(self, name: str, record: Any, settings: Mapping[str, Any]) -> Unit:
        """Store a record that no sweep made, such as a discussion with a person, as the next of its name."""
        text = json.dumps(dict(settings), sort_keys=True)
        query = "SELECT COALESCE(MAX(repetition) + 1, 0) FROM units WHERE sweep = ? AND settings = ?"
        unit = Unit(name, text, self.select(query, (self.name_in_file(name), text))[0][0])
        self.add(unit, record)
        return unit

    def records(self, sweep: str, **where: Any) -> Iterator[tuple[Unit, Any]]:
        """The finished units of a sweep and their records, in the order of settings and repetition.

        `where` keeps those with given values of settings.

        Raises
        ------
        InvalidInput
            When nothing of that name is stored, or a setting is not one of the sweep's.
        DamagedFile
            When a stored record cannot be read.
        """
        query = "SELECT settings, repetition, kind, record FROM units WHERE sweep = ? AND status = 'done'"
        self._known(sweep, where)
        where = json.loads(json.dumps(where))  # as the settings are stored: a tuple is a list
        with guarded(self.path):
            rows = self._db.execute(query + " ORDER BY settings, repetition", (self.name_in_file(sweep),))
            for settings, repetition, kind, record in rows:
                known = json.loads(settings)
                if all(known.get(k) == v for k, v in where.items()):
                    yield Unit(sweep, settings, repetition), from_json(kind, record)

    def record(self, unit: Unit) -> Any | None:
        """The record of one unit, or None when it is not done."""
        query = f"SELECT kind, record FROM units {WHERE} AND status = 'done'"
        rows = self.select(query, self._key(unit))
        return from_json(*rows[0]) if rows else None

    def seconds(self, unit: Unit) -> float | None:
        """What one unit took, by the clock on the wall, or None when it is not done; replies may have been cached."""
        query = f"SELECT seconds FROM units {WHERE} AND status = 'done'"
        rows = self.select(query, self._key(unit))
        return rows[0][0] if rows else None

    def _known(self, sweep: str, where: Mapping[str, Any]) -> None:
        rows = self.select("SELECT settings FROM units WHERE sweep = ? LIMIT 1", (self.name_in_file(sweep),))
        if not rows:
            raise InvalidInput(f"sweep: {sweep!r} is not in {self.path}, which holds {self.sweeps()}; run it first")
        known = json.loads(rows[0][0])
        for setting in where:
            if setting not in known:
                raise InvalidInput(f"{setting!r} is no setting of {sweep!r}; it has {', '.join(known)}")

    def sweeps(self) -> list[str]:
        """Names under which units are stored; with a mark of the code, those of that mark."""
        names = [name for (name,) in self.select("SELECT DISTINCT sweep FROM units ORDER BY 1")]
        mark = self.name_in_file("")
        return [name.removesuffix(mark) for name in names if name.endswith(mark)]

    def failures(self, sweep: str) -> dict[Unit, str]:
        """The units of a sweep's name that failed, those of earlier grids among them, with what each said."""
        query = "SELECT settings, repetition, error FROM units WHERE sweep = ? AND status = 'failed' ORDER BY 1, 2"
        return {Unit(sweep, *row[:2]): row[2] for row in self.select(query, (self.name_in_file(sweep),))}

    def units(self, sweep: str, *, timing: bool = False) -> pd.DataFrame:
        """One row per unit: its settings, repetition, status, error, replies and format errors.

        The one column that differs between two runs, `seconds`, is left out unless `timing`.
        """
        import pandas as pd

        columns = ["settings", "repetition", "status", "error", "replies", "format_errors", "seconds"]
        self._known(sweep, {})
        query = f"SELECT {', '.join(columns)} FROM units WHERE sweep = ? ORDER BY settings, repetition"
        frame = pd.DataFrame(self.select(query, (self.name_in_file(sweep),)), columns=columns)
        settings = pd.DataFrame([flat(json.loads(s)) for s in frame.pop("settings")])
        return pd.concat([settings, frame if timing else frame.drop(columns="seconds")], axis=1)

    def select(self, query: str, values: Sequence[Any] = ()) -> list[tuple]:
        """Rows of the study's file, for whoever reads its other tables.

        Raises
        ------
        DamagedFile
            When the file cannot be read.
        """
        with guarded(self.path):
            return self._db.execute(query, values).fetchall()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def name_in_file(self, sweep: str) -> str:
        """Under which name the units of a sweep lie in the file: with the mark of the code, where there is one."""
        return f"{sweep} @ {self.code}" if self.code else sweep

    def _key(self, unit: Unit) -> tuple[str, str, int]:
        return self.name_in_file(unit.sweep), unit.settings, unit.repetition


def open_study(name: str, model: str = "") -> Store:
    """The store of a notebook's study: one file per study and model, units marked with the state of the sources.

    So a result of older code is never shown as the present one's, while replies, kept by content, serve them all.
    """
    return Store(study_file(name, model), source_digest()[:10])


def to_json(record: Any) -> str:
    """A record as one line of JSON."""
    if type(record).__name__ not in RECORDS:
        raise InvalidInput(f"record: {type(record).__name__} given; the store keeps {', '.join(RECORDS)}")
    return _adapter(type(record).__name__).dump_json(record).decode()


def from_json(kind: str, text: str) -> Any:
    """A record from its JSON, equal to the one that was stored."""
    try:
        return _frozen_values(_adapter(kind).validate_json(text))
    except (KeyError, ValueError) as error:
        raise DamagedFile(f"a stored {kind} cannot be read ({error}); restore the file from a copy") from None


@cache
def _adapter(kind: str) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(RECORDS[kind])


def _frozen_values(value: Any) -> Any:
    """Turn the lists of JSON back into the tuples of frozen records."""
    if isinstance(value, list | tuple):
        return tuple(_frozen_values(v) for v in value)
    for name in getattr(type(value), "__dataclass_fields__", {}):
        old = getattr(value, name)
        if isinstance(old, list | tuple) or hasattr(old, "__dataclass_fields__"):
            object.__setattr__(value, name, _frozen_values(old))
    return value


def flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Cells that a table can hold: what is no single value becomes JSON."""
    return {k: v if isinstance(v, str | int | float | bool | None) else json.dumps(v) for k, v in values.items()}
