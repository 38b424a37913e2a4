"""One SQLite file holds a study: the units of its sweeps here, the replies of its models beside them.

Every finished unit is one transaction, so that a process killed at any moment loses at most the units that
were at work.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.data import source_digest, study_file
from support.database import foreign_tables, open_database
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
"""
COLUMNS = [
    "sweep",
    "settings",
    "repetition",
    "status",
    "kind",
    "record",
    "error",
    "replies",
    "format_errors",
    "seconds",
]
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
        _check_tables(self._db, self.path)
        self._db.executescript(SCHEMA)

    def register(self, sweep: str, identity: Mapping[str, Any]) -> None:
        """Claim a name for a sweep; refuse it when it names another study, seed or set of settings here."""
        text = json.dumps(identity, sort_keys=True)
        name = self._name(sweep)
        with self._db:
            self._db.execute("INSERT OR IGNORE INTO sweeps VALUES (?, ?)", (name, text))
        stored = self._db.execute("SELECT identity FROM sweeps WHERE name = ?", (name,)).fetchone()[0]
        if stored != text:
            before = json.loads(stored)
            changed = [k for k in identity if before.get(k) != identity[k]]
            raise InvalidInput(
                f"sweep {sweep!r} is in {self.path} already, with "
                + ", ".join(f"{k} {before.get(k)!r} where {identity[k]!r} is asked for" for k in changed)
                + "; give the new sweep another name, or another file"
            )

    def finished(self, sweep: str, *, include_failed: bool = True) -> set[Unit]:
        """The units of a sweep that need not be done again."""
        query = "SELECT settings, repetition FROM units WHERE sweep = ? AND (status = 'done' OR ?)"
        return {Unit(sweep, *row) for row in self._db.execute(query, (self._name(sweep), include_failed))}

    def add(self, unit: Unit, record: Any, seconds: float = 0.0) -> dict[str, int]:
        """Store a finished unit; return its numbers of replies and of format errors."""
        rounds = getattr(record, "rounds", ())
        counts = {
            "replies": sum(r.replies for r in rounds),
            "format_errors": sum(len(r.format_errors) for r in rounds),
        }
        row = (*self._key(unit), "done", type(record).__name__, to_json(record), None, *counts.values(), seconds)
        self._write(row)
        return counts

    def fail(self, unit: Unit, error: BaseException, seconds: float = 0.0) -> None:
        """Store that a unit failed, and why."""
        self._write((*self._key(unit), "failed", None, None, f"{type(error).__name__}: {error}", 0, 0, seconds))

    def _write(self, row: tuple) -> None:
        with self._db:
            self._db.execute(f"INSERT OR REPLACE INTO units VALUES ({', '.join('?' * 10)})", row)

    def save(self, name: str, record: Any, settings: Mapping[str, Any]) -> Unit:
        """Store a record that no sweep made, such as a discussion with a person, as the next of its name."""
        text = json.dumps(dict(settings), sort_keys=True)
        query = "SELECT COALESCE(MAX(repetition) + 1, 0) FROM units WHERE sweep = ? AND settings = ?"
        unit = Unit(name, text, self._db.execute(query, (self._name(name), text)).fetchone()[0])
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
        rows = self._db.execute(query + " ORDER BY settings, repetition", (self._name(sweep),))
        for settings, repetition, kind, record in rows:
            known = json.loads(settings)
            if all(known.get(k) == v for k, v in where.items()):
                yield Unit(sweep, settings, repetition), from_json(kind, record)

    def record(self, unit: Unit) -> Any | None:
        """The record of one unit, or None when it is not done."""
        query = "SELECT kind, record FROM units WHERE sweep = ? AND settings = ? AND repetition = ? AND status = 'done'"
        row = self._db.execute(query, self._key(unit)).fetchone()
        return row and from_json(*row)

    def seconds(self, unit: Unit) -> float | None:
        """What one unit took, by the clock on the wall, or None when it is not done; replies may have been cached."""
        query = "SELECT seconds FROM units WHERE sweep = ? AND settings = ? AND repetition = ? AND status = 'done'"
        row = self._db.execute(query, self._key(unit)).fetchone()
        return row and row[0]

    def _known(self, sweep: str, where: Mapping[str, Any]) -> None:
        row = self._db.execute("SELECT settings FROM units WHERE sweep = ?", (self._name(sweep),)).fetchone()
        if row is None:
            raise InvalidInput(f"sweep: {sweep!r} is not in {self.path}, which holds {self.sweeps()}; run it first")
        for setting in where:
            if setting not in json.loads(row[0]):
                raise InvalidInput(f"{setting!r} is no setting of {sweep!r}; it has {', '.join(json.loads(row[0]))}")

    def sweeps(self) -> list[str]:
        """Names under which units are stored; with a mark of the code, those of that mark."""
        names = [row[0] for row in self._db.execute("SELECT DISTINCT sweep FROM units ORDER BY 1")]
        mark = self._name("")
        return [name.removesuffix(mark) for name in names if name.endswith(mark)]

    def errors(self, sweep: str) -> list[str]:
        """What made units of a sweep fail, each message once."""
        query = "SELECT DISTINCT error FROM units WHERE sweep = ? AND status = 'failed' ORDER BY 1"
        return [row[0] for row in self._db.execute(query, (self._name(sweep),))]

    def units(self, sweep: str, *, timing: bool = False) -> pd.DataFrame:
        """One row per unit: its settings, repetition, status, error, replies and format errors.

        The one column that differs between two runs, `seconds`, is left out unless `timing`.
        """
        import pandas as pd

        columns = ["settings", "repetition", "status", "error", "replies", "format_errors", "seconds"]
        self._known(sweep, {})
        query = f"SELECT {', '.join(columns)} FROM units WHERE sweep = ? ORDER BY settings, repetition"
        frame = pd.DataFrame(self._db.execute(query, (self._name(sweep),)).fetchall(), columns=columns)
        settings = pd.DataFrame([flat(json.loads(s)) for s in frame.pop("settings")])
        return pd.concat([settings, frame if timing else frame.drop(columns="seconds")], axis=1)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _name(self, sweep: str) -> str:
        return f"{sweep} @ {self.code}" if self.code else sweep

    def _key(self, unit: Unit) -> tuple[str, str, int]:
        return self._name(unit.sweep), unit.settings, unit.repetition


def open_study(name: str, model: str = "") -> Store:
    """The store of a notebook's study: one file per study and model, units marked with the state of the sources.

    So a result of older code is never shown as the present one's, while replies, kept by content, serve them all.
    """
    return Store(study_file(name, model), source_digest()[:10])


def _check_tables(db: sqlite3.Connection, path: Path) -> None:
    """Refuse another program's database before anything is written to it."""
    if found := foreign_tables(db, {"units": COLUMNS}).get("units"):
        raise DamagedFile(
            f"{path} is an SQLite database, but not a study's: its table 'units' has the columns {', '.join(found)}; "
            f"expected {', '.join(COLUMNS)}. It is left as it is: choose another path for the study."
        )


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
