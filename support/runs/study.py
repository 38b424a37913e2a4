"""One SQLite file holds a study: the units of its sweeps here, the replies of its models beside them.

Every finished unit is one transaction: a process killed at any moment loses at most the units that were at work.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from support.data import source_digest, study_file
from support.database import guarded, open_database, transaction
from support.errors import DamagedFile, InvalidInput
from support.fair_decisions.records import Planning
from support.meetings.records import Coordination
from support.models.calls import Call
from support.roundtable.records import Transcript
from support.seminar.records import Organizing

if TYPE_CHECKING:
    import pandas as pd

KEY = "sweep TEXT NOT NULL, settings TEXT NOT NULL, repetition INTEGER NOT NULL"
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS sweeps (name TEXT PRIMARY KEY, identity TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS units ({KEY}, status TEXT NOT NULL CHECK (status IN ('done', 'failed')), kind TEXT,
    record TEXT, error TEXT, replies INTEGER, format_errors INTEGER, seconds REAL,
    PRIMARY KEY (sweep, settings, repetition));
CREATE TABLE IF NOT EXISTS calls ({KEY}, number INTEGER NOT NULL, call TEXT NOT NULL,
    PRIMARY KEY (sweep, settings, repetition, number));
"""
WHERE = "WHERE sweep = ? AND settings = ? AND repetition = ?"
RECORDS: dict[str, Any] = {
    made.__name__: made for made in (Transcript, Coordination, Planning, Organizing)
}


@dataclasses.dataclass(frozen=True, slots=True)
class Unit:
    """One piece of work: a setting (as JSON with sorted keys) of a sweep, and which repetition of it."""

    sweep: str
    text: str
    repetition: int

    @property
    def settings(self) -> dict[str, Any]:
        """The setting by name."""
        return json.loads(self.text)


class Packed(NamedTuple):
    """A record as it is stored."""

    kind: str
    text: str
    replies: int
    format_errors: int


class Store:
    """The study's file. Units of another mark of the `code` that makes them stay in it, and are not shown."""

    def __init__(self, path: str | Path, code: str = "") -> None:
        self.path, self.code = Path(path), code
        self._db = open_database(self.path)
        with guarded(self.path):
            self._db.executescript(SCHEMA)

    def register(self, sweep: str, identity: Mapping[str, Any]) -> None:
        """Claim a name for a sweep; refuse it when it names another study, code, seed or set of settings here."""
        name, asked = self.name_in_file(sweep), json.loads(json.dumps(identity))
        with transaction(self._db, self.path):
            row = self._db.execute(
                "SELECT identity FROM sweeps WHERE name = ?", (name,)
            ).fetchone()
            stored = json.loads(row[0]) if row else {}
            changed = [
                key for key in asked if key in stored and stored[key] != asked[key]
            ]
            if changed and not self._of(sweep, "1", "AND status = 'done' LIMIT 1"):
                self._drop(
                    name
                )  # a name under which nothing was finished is free: a wrong model does not take it
                stored, changed = {}, []
            if (
                not changed
            ):  # a key that was not kept when the file was written is filled in
                text = json.dumps({**stored, **asked}, sort_keys=True)
                self._db.execute(
                    "INSERT OR REPLACE INTO sweeps VALUES (?, ?)", (name, text)
                )
        told = ", ".join(
            f"{key} {stored[key]!r} where {asked[key]!r} is asked for"
            for key in changed
            if key != "code"
        )
        code = "other code: the study, or something of yours that it calls, has changed since"
        drop = f"; or drop the old units with store.forget({sweep!r}), which keeps the models' replies"
        if changed:
            said = f"{told or code}; give the new sweep another name, or another file{'' if told else drop}"
            raise InvalidInput(
                f"sweep {sweep!r} is in {self.path} already, with {said}"
            )

    def forget(self, sweep: str) -> None:
        """Drop the units of a sweep, so that its name is free; replies of models stay."""
        with transaction(self._db, self.path):
            self._drop(self.name_in_file(sweep))

    def _drop(self, name: str) -> None:
        for table, column in (
            ("sweeps", "name"),
            ("units", "sweep"),
            ("calls", "sweep"),
        ):
            self._db.execute(f"DELETE FROM {table} WHERE {column} = ?", (name,))

    def finished(self, sweep: str, *, include_failed: bool = True) -> set[Unit]:
        """The units of a sweep that need not be done again."""
        rows = self._of(
            sweep, "settings, repetition", "AND (status = 'done' OR ?)", include_failed
        )
        return {Unit(sweep, *row) for row in rows}

    def status(self, unit: Unit) -> str | None:
        """What became of a unit: "done", "failed", or None where it is not stored."""
        return self._one("status", unit)[0]

    def add(
        self, unit: Unit, record: Any, seconds: float = 0.0, calls: Sequence[Call] = ()
    ) -> dict[str, int]:
        """Store a finished unit, with the calls to models that it made; return its replies and format errors."""
        made = record if isinstance(record, Packed) else packed(record)
        self._write(unit, ("done", *made[:2], None, *made[2:], seconds), calls)
        return {"replies": made.replies, "format_errors": made.format_errors}

    def fail(
        self,
        unit: Unit,
        error: BaseException | str,
        seconds: float = 0.0,
        calls: Sequence[Call] = (),
    ) -> None:
        """Store that a unit failed, and why."""
        said = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        self._write(unit, ("failed", None, None, said, 0, 0, seconds), calls)

    def _write(self, unit: Unit, row: tuple, calls: Sequence[Call]) -> None:
        key = self._key(unit)
        with transaction(self._db, self.path):
            self._db.execute(
                f"INSERT OR REPLACE INTO units VALUES ({', '.join('?' * 10)})",
                (*key, *row),
            )
            self._db.execute(f"DELETE FROM calls {WHERE}", key)
            made = [(*key, number, call.to_json()) for number, call in enumerate(calls)]
            self._db.executemany("INSERT INTO calls VALUES (?, ?, ?, ?, ?)", made)

    def calls(self, unit: Unit) -> list[Call]:
        """The calls to models that a unit made when it was done last, in the order in which they ended."""
        rows = self.select(
            f"SELECT call FROM calls {WHERE} ORDER BY number", self._key(unit)
        )
        return [Call.from_json(text) for (text,) in rows]

    def save(self, name: str, record: Any, settings: Mapping[str, Any]) -> Unit:
        """Store a record that no sweep made, such as a discussion with a person, as the next of its name."""
        text = json.dumps(dict(settings), sort_keys=True)
        unit = Unit(
            name,
            text,
            self._of(
                name, "COALESCE(MAX(repetition) + 1, 0)", "AND settings = ?", text
            )[0][0],
        )
        self.add(unit, record)
        return unit

    def records(self, sweep: str, **where: Any) -> Iterator[tuple[Unit, Any]]:
        """The finished units and their records, by settings and repetition; those with given values of settings."""
        query = "SELECT settings, repetition, kind, record FROM units WHERE sweep = ? AND status = 'done' ORDER BY 1, 2"
        self._known(sweep, where)
        where = json.loads(
            json.dumps(where)
        )  # as the settings are stored: a tuple is a list
        with guarded(self.path):  # one at a time: they may be many
            for settings, repetition, kind, record in self._db.execute(
                query, (self.name_in_file(sweep),)
            ):
                known = json.loads(settings)
                if all(known.get(name) == value for name, value in where.items()):
                    yield Unit(sweep, settings, repetition), from_json(kind, record)

    def record(self, unit: Unit) -> Any | None:
        """The record of one unit, or None when it is not done."""
        status, kind, text = self._one("status, kind, record", unit)
        return from_json(kind, text) if status == "done" else None

    def seconds(self, unit: Unit) -> float | None:
        """What one unit took, by the clock on the wall, or None when it is not done; replies may have been cached."""
        return self._one("iif(status = 'done', seconds, NULL)", unit)[0]

    def _one(self, what: str, unit: Unit) -> tuple:
        rows = self.select(f"SELECT {what} FROM units {WHERE}", self._key(unit))
        return rows[0] if rows else (None,) * 3

    def _of(self, sweep: str, what: str, rest: str, *values: Any) -> list[tuple]:
        query = f"SELECT {what} FROM units WHERE sweep = ? {rest}"
        return self.select(query, (self.name_in_file(sweep), *values))

    def _known(self, sweep: str, where: Mapping[str, Any]) -> None:
        if not (rows := self._of(sweep, "settings", "LIMIT 1")):
            raise InvalidInput(
                f"sweep: {sweep!r} is not in {self.path}, which holds {self.sweeps()}; run it first"
            )
        known = json.loads(rows[0][0])
        for setting in where:
            if setting not in known:
                raise InvalidInput(
                    f"{setting!r} is no setting of {sweep!r}; it has {', '.join(known)}"
                )

    def sweeps(self) -> list[str]:
        """Names under which units are stored; with a mark of the code, those of that mark."""
        names, mark = (
            self.select("SELECT DISTINCT sweep FROM units ORDER BY 1"),
            self.name_in_file(""),
        )
        return [name.removesuffix(mark) for (name,) in names if name.endswith(mark)]

    def failures(self, sweep: str) -> dict[Unit, str]:
        """The units of a sweep's name that failed, those of earlier grids among them, with what each said."""
        rows = self._of(
            sweep, "settings, repetition, error", "AND status = 'failed' ORDER BY 1, 2"
        )
        return {Unit(sweep, *row[:2]): row[2] for row in rows}

    def units(self, sweep: str) -> pd.DataFrame:
        """One row per unit: settings, repetition, status, error, replies, format errors."""
        import pandas as pd

        self._known(sweep, {})
        columns = [
            "settings",
            "repetition",
            "status",
            "error",
            "replies",
            "format_errors",
        ]
        frame = pd.DataFrame(
            self._of(sweep, ", ".join(columns), "ORDER BY settings, repetition"),
            columns=columns,
        )
        return pd.concat(
            [pd.DataFrame([flat(json.loads(s)) for s in frame.pop("settings")]), frame],
            axis=1,
        )

    def select(self, query: str, values: Sequence[Any] = ()) -> list[tuple]:
        """Rows of the study's file, for whoever reads its other tables."""
        with guarded(self.path):
            return self._db.execute(query, values).fetchall()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def name_in_file(self, sweep: str) -> str:
        """Under which name the units of a sweep lie in the file: with the mark of the code, where there is one."""
        return f"{sweep} @ {self.code}" if self.code else sweep

    def _key(self, unit: Unit) -> tuple[str, str, int]:
        return self.name_in_file(unit.sweep), unit.text, unit.repetition


def open_study(name: str) -> Store:
    """The store of a notebook's study; its units bear a mark of the sources, so that none of older code is shown."""
    return Store(study_file(name), source_digest()[:10])


def packed(record: Any) -> Packed:
    """A record as it is stored: its kind, its JSON, and the replies and format errors of its rounds."""
    kind = type(record).__name__
    if RECORDS.get(kind) is not type(record):
        kind = (
            "dict"
            if isinstance(record, dict)
            else f"{type(record).__module__}:{type(record).__qualname__}"
        )
    rounds = [
        r for r in _listed(getattr(record, "rounds", ())) if hasattr(r, "replies")
    ]
    errors = sum(len(_listed(getattr(r, "format_errors", ()))) for r in rounds)
    return Packed(kind, to_json(record), sum(r.replies for r in rounds), errors)


def to_json(record: Any) -> str:
    """A record as one line of JSON."""
    try:
        if type(record) in RECORDS.values():
            return _adapter(RECORDS[type(record).__name__]).dump_json(record).decode()
        if not isinstance(record, dict) and not _keeps_fields(type(record)):
            raise TypeError("it has no fields")
        return json.dumps(record, default=_plain)
    except (TypeError, ValueError, RuntimeError) as error:
        keeps = f"the store keeps {', '.join(RECORDS)}, a dict of plain data, a dataclass or a pydantic model"
        said = " ".join(str(error).split())
        raise InvalidInput(
            f"record: {type(record).__name__} given ({said}); {keeps}"
        ) from None


def from_json(kind: str, text: str) -> Any:
    """A record from its JSON, equal to the one stored; a plain dict where its class is gone, or has other fields."""
    try:
        if kind != "dict" and ":" not in kind:
            return _frozen_values(_adapter(RECORDS[kind]).validate_json(text))
        given = json.loads(text)
    except (KeyError, ValueError) as error:
        raise DamagedFile(
            f"a stored {kind} cannot be read ({error}); restore the file from a copy"
        ) from None
    module, _, name = kind.partition(":")
    try:
        made = (
            reduce(
                getattr,
                name.split("."),
                sys.modules.get(module) or import_module(module),
            )
            if name
            else None
        )
        return _adapter(made).validate_json(text) if _keeps_fields(made) else given
    except Exception:
        return given


def fields_of(record: Any, head: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record as cells of a row beside those of `head`; of the large records, single values alone.

    One that is named like a cell of the head, and has another value, has " (record)" behind it.
    """
    if type(record) in RECORDS.values():
        made = ((f.name, getattr(record, f.name)) for f in dataclasses.fields(record))
        fields = {
            name: value
            for name, value in made
            if isinstance(value, str | int | float | None)
        }
    else:
        fields = flat(json.loads(to_json(record)))
    return {
        f"{name} (record)" if head.get(name, value) != value else name: value
        for name, value in fields.items()
    }


OWN = {"name", "source"}


def flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Cells that a table can hold: an object of the user's own is its name and the begin of its digest, others JSON."""
    own = {
        k: f"{v['name']} {v['source'][:6]}"
        for k, v in values.items()
        if isinstance(v, dict) and {*v} == OWN
    }
    plain = {**values, **own}
    return {
        k: v if isinstance(v, str | int | float | bool | None) else json.dumps(v)
        for k, v in plain.items()
    }


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        return value.tolist()
    if not _keeps_fields(type(value)):
        raise TypeError(f"{type(value).__name__} is no plain data")
    made: Any = type(value)
    return _adapter(made).dump_python(
        value, mode="json", fallback=_plain, warnings=False
    )


def _keeps_fields(made: Any) -> bool:
    return isinstance(made, type) and (
        dataclasses.is_dataclass(made) or hasattr(made, "model_fields")
    )


@cache
def _adapter(made: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(made)


def _frozen_values(value: Any) -> Any:
    """Turn the lists of JSON back into the tuples of frozen records."""
    if isinstance(value, list | tuple):
        return tuple(_frozen_values(v) for v in value)
    for name in getattr(type(value), "__dataclass_fields__", {}):
        old = getattr(value, name)
        if isinstance(old, list | tuple) or hasattr(old, "__dataclass_fields__"):
            object.__setattr__(value, name, _frozen_values(old))
    return value
