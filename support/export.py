"""What happened, as tables and files: units, rounds, messages, proposals, ballots; Parquet, CSV and JSONL."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.errors import InvalidInput
from support.records import Transcript
from support.store import Store, Unit, flat, to_json

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("rounds", "messages", "proposals", "candidates", "ballots", "format_errors")


def export(
    store: Store, sweep: str, folder: str | Path, *, format: str = "parquet", timing: bool = False
) -> list[Path]:
    """Write a sweep's tables, one file each, and its transcripts as JSONL; return the paths.

    The files of two runs of one sweep are equal, byte for byte: what differs between runs, the seconds, is
    left out unless `timing`.

    Raises
    ------
    InvalidInput
        On a format other than "parquet" and "csv", or a sweep that is not stored.
    """
    if format not in ("parquet", "csv"):
        raise InvalidInput(f"format: {format!r} given; expected 'parquet' or 'csv'")
    frames = {"units": store.units(sweep, timing=timing), **tables(store, sweep)}
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = [_write(frame, target / f"{name}.{format}") for name, frame in frames.items()]
    return [*paths, write_jsonl(store, sweep, target / "transcripts.jsonl")]


def _write(frame: pd.DataFrame, path: Path) -> Path:
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path, index=False)
    return path


def write_jsonl(store: Store, sweep: str, path: str | Path) -> Path:
    """Write a sweep's records, one JSON object a line: settings, repetition, record."""
    path = Path(path)
    with path.open("w", encoding="utf-8") as out:
        for unit, record in store.records(sweep):
            head = json.dumps({"settings": json.loads(unit.settings), "repetition": unit.repetition})
            out.write(f'{head[:-1]}, "record": {to_json(record)}}}\n')
    return path


def tables(store: Store, sweep: str, **where: Any) -> dict[str, pd.DataFrame]:
    """The transcripts of a sweep as tidy frames, one row per round, message, proposal, candidate and ballot."""
    return flatten(store.records(sweep, **where))


def flatten(records: Iterable[tuple[Unit, Transcript]]) -> dict[str, pd.DataFrame]:
    """The tables of given transcripts; every row starts with its unit's settings and repetition."""
    import pandas as pd

    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for unit, transcript in records:
        head = {**flat(json.loads(unit.settings)), "repetition": unit.repetition}
        for entry in transcript.rounds:
            _collect(rows, {**head, "round": entry.number}, entry)
    return {name: pd.DataFrame(found) for name, found in rows.items()}


def _collect(rows: dict[str, list[dict[str, Any]]], head: dict[str, Any], entry: Any) -> None:
    decision = entry.decision
    rows["rounds"].append(
        {
            **head,
            "winner": entry.winner,
            "why": entry.why,
            "decision": decision.candidate if decision else None,
            "decided_in": decision.round if decision else None,
            "replies": entry.replies,
            "scores": json.dumps(dict(entry.scores)),
        }
    )
    for name, fields in (
        ("messages", ("sender", "recipients", "text", "acts")),
        ("proposals", ("agent", "value", "reason")),
        ("candidates", ("id", "value", "proposers", "standing")),
        ("ballots", ("agent", "choice", "reason")),
        ("format_errors", ("agent", "phase", "detail")),
    ):
        for record in getattr(entry, name):
            rows[name].append({**head, **flat({field: getattr(record, field) for field in fields})})
