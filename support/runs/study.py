"""One SQLite file holds a study: the units of its sweeps, its models' replies beside.

Every finished unit is one transaction: a process killed at any moment loses at most the
units that were at work.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from json import JSONDecodeError
from operator import methodcaller
from pathlib import Path
from pkgutil import resolve_name
from traceback import format_exception
from typing import Any, NamedTuple

from support.data import source_digest, study_file
from support.database import guarded, open_database, transaction
from support.errors import DamagedFile, InvalidInput, ModelError
from support.models.calls import Call
from support.models.replies import TABLE as REPLIES

Settings = Mapping[str, Any]
Row = dict[str, Any]
LABEL = "label"  # of a setting's value that has one; beside it stands the value
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
BESIDE = ["status", "error", "traceback", "replies", "format_errors", "seconds"]
KEPT = [*BESIDE, "kind", "record", "made"]
PLAIN = {str, int, float, bool, type(None)}  # what has no parts
# The questions of a unit, repetitions left out of account.
ASKED = "group_concat(DISTINCT coalesce(call ->> 'draw', call ->> 'key'))"


class Unit(NamedTuple):
    """One piece of work: settings (as JSON with sorted keys), and which repetition."""

    sweep: str
    text: str
    repetition: int

    @property
    def settings(self) -> Row:
        """The settings by name."""
        return json.loads(self.text)


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
        self.path = Path(path)
        self.code = code
        self._db = open_database(self.path)
        with guarded(self.path):
            self._db.executescript(SCHEMA + REPLIES)

    def register(self, sweep: str, identity: Settings) -> None:
        """Claim a name; refuse it where it stands for another study, code or seed."""
        name = self.name_in_file(sweep)
        asked = json.loads(json.dumps(identity))
        with transaction(self._db, self.path) as db:
            rows = self.select("SELECT identity FROM sweeps WHERE name = ?", (name,))
            stored = json.loads(rows[0][0]) if rows else {}
            if differences := _differences(stored, asked):
                done = "SELECT 1 FROM units WHERE sweep = ? AND status = 'done' LIMIT 1"
                if self.select(done, (name,)):
                    raise InvalidInput(
                        f"sweep {sweep!r} is in {self.path} already, with "
                        f"{', '.join(differences)}; give the new sweep another name or "
                        f"file; or drop its units with store.forget({sweep!r}), which "
                        "keeps the models' replies"
                    )
                self._drop(name)  # nothing was finished: the name is free
                stored = {}
            text = json.dumps(stored | asked, sort_keys=True)
            db.execute("INSERT OR REPLACE INTO sweeps VALUES (?, ?)", (name, text))

    def forget(self, sweep: str) -> None:
        """Drop the units of a sweep, so that its name is free; replies stay."""
        with transaction(self._db, self.path):
            self._drop(self.name_in_file(sweep))

    def _drop(self, name: str) -> None:
        for where in ("units WHERE sweep", "calls WHERE sweep", "sweeps WHERE name"):
            self._db.execute(f"DELETE FROM {where} = ?", (name,))

    def add(
        self,
        unit: Unit,
        record: Any,
        seconds: float = 0.0,
        calls: Sequence[Call] = (),
        made: Settings | None = None,
    ) -> None:
        """Store a unit that ended: its record, or the error that it failed with, its
        calls, and what made it."""
        *kept, traceback = record if isinstance(record, Packed) else packed(record)
        key = self.key(unit)
        row = (*key, *kept, seconds, json.dumps(made or {}), traceback)
        told = [(*key, number, call.to_json()) for number, call in enumerate(calls)]
        marks = ", ".join("?" * len(row))
        with transaction(self._db, self.path) as db:
            db.execute(f"INSERT OR REPLACE INTO units VALUES ({marks})", row)
            db.execute(f"DELETE FROM calls {WHERE}", key)
            db.executemany("INSERT INTO calls VALUES (?, ?, ?, ?, ?)", told)

    def save(self, name: str, record: Any, settings: Settings) -> Unit:
        """Store a record that no sweep made, as the next of its name and settings."""
        text = json.dumps(settings, sort_keys=True)
        query = """SELECT coalesce(max(repetition) + 1, 0) FROM units
            WHERE sweep = ? AND settings = ?"""
        [(following,)] = self.select(query, (self.name_in_file(name), text))
        unit = Unit(name, text, following)
        self.add(unit, record)
        return unit

    def units(self, sweep: str, **sums: str) -> dict[Unit, Row]:
        """What is kept beside the records of a name: status, error, traceback, replies,
        format errors, seconds, the keys of what was `asked`; and `sums` over the calls
        of each unit, by name, in SQL.

        By settings and repetition; units of earlier grids are among them.
        """
        columns = {name: name for name in BESIDE} | {"asked": ASKED} | sums
        query = f"""SELECT settings, repetition, {", ".join(columns.values())}
            FROM units LEFT JOIN calls USING (sweep, settings, repetition)
            WHERE sweep = ? GROUP BY settings, repetition ORDER BY 1, 2"""
        found = {}
        rows = self.select(query, (self.name_in_file(sweep),))
        for text, repetition, *values in rows:
            unit = Unit(sweep, text, repetition)
            found[unit] = dict(zip(columns, values, strict=True))
        return found

    def row(self, unit: Unit) -> Row:
        """All that is kept of a unit: what is beside its record, its kind, the record as
        JSON, and what `made` it. {} of a unit that is not stored."""
        query = f"SELECT {', '.join(KEPT)} FROM units {WHERE}"
        rows = self.select(query, self.key(unit))
        if not rows:
            return {}
        row = dict(zip(KEPT, rows[0], strict=True))
        row["made"] = json.loads(row["made"])
        return row

    def record(self, unit: Unit) -> Any | None:
        """The record of one unit, or None when it is not done."""
        row = self.row(unit)
        if row.get("status") != "done":
            return None
        return from_json(row["kind"], row["record"])

    def records(self, sweep: str) -> Iterator[tuple[Unit, Any]]:
        """Finished units of a name and their records, by settings and repetition."""
        for unit, row in self.units(sweep).items():
            if row["status"] == "done":
                yield unit, self.record(unit)

    def answered(self, sweep: str) -> list[tuple[str, str, str | None]]:
        """Each model in whose place others answered, or that has changed: its name, who
        answered, and the fingerprints."""
        query = """SELECT asked, group_concat(DISTINCT name),
            group_concat(DISTINCT mark) FROM (SELECT call ->> 'model' AS asked,
                call ->> 'fingerprint' AS mark,
                coalesce(call ->> 'answered_by', call ->> 'model') AS name FROM calls
                WHERE sweep = ? AND call ->> 'error' IS NULL ORDER BY 3, 2)
            GROUP BY asked HAVING count(DISTINCT mark) > 1
                OR count(DISTINCT name) > 1 OR min(name) != asked"""
        return self.select(query, (self.name_in_file(sweep),))

    def calls(self, unit: Unit) -> list[Call]:
        """The calls of a unit when it was done last, in the order of their ends."""
        query = f"SELECT call FROM calls {WHERE} ORDER BY number"
        return [Call.from_json(text) for (text,) in self.select(query, self.key(unit))]

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

    def key(self, unit: Unit) -> tuple[str, str, int]:
        """What stands for a unit in the file (`WHERE`)."""
        return self.name_in_file(unit.sweep), unit.text, unit.repetition


def open_study(name: str) -> Store:
    """The store of a notebook's study, whose units bear a mark of the sources."""
    return Store(study_file(name), source_digest()[:10])


def _differences(stored: Settings, asked: Settings) -> list[str]:
    """In which ways the study that is asked for is not the one that is stored."""
    said = []
    for key in sorted(asked.keys() & stored.keys()):
        if stored[key] == asked[key]:
            continue
        if key.startswith("code of"):
            said.append(
                f"other {key}: it, or what it calls of yours, has changed or moved to another file"
            )
        else:
            said.append(f"{key} {stored[key]!r} where {asked[key]!r} is asked for")
    return said


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
        if kind == "dict":
            return json.loads(text)
        return _frozen(_adapter(resolve_name(kind)).validate_json(text))
    except Exception as error:
        if not kind.startswith("support."):
            with suppress(JSONDecodeError):  # whatever became of the user's class
                return json.loads(text)
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
        return tuple([x if type(x) in PLAIN else _frozen(x) for x in value])
    for name in getattr(value, "__dataclass_fields__", ()):
        if type(part := getattr(value, name)) not in PLAIN:
            object.__setattr__(value, name, _frozen(part))
    return value
