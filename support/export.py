"""What happened, as tables and files: units, rounds, messages, proposals, ballots; Parquet, CSV and JSONL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.errors import InvalidInput
from support.records import Conversation, CoordinationRound, Mail, OrganizingDay, PlanningRound, Round
from support.store import Store, Unit, flat, to_json

if TYPE_CHECKING:
    import pandas as pd

_ERRORS = ("agent", "phase", "detail")
_DATES = ("available", "vague", "unavailable", "never_offered", "declined", "cancelled", "wait_until")
TABLES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Transcript": {
        "rounds": (),
        "messages": ("sender", "recipients", "text", "acts"),
        "proposals": ("agent", "value", "reason"),
        "candidates": ("id", "value", "proposers", "standing"),
        "ballots": ("agent", "choice", "reason"),
        "format_errors": _ERRORS,
    },
    "Coordination": {
        "rounds": (),
        "conversations": ("member", "preferences", "agreed", "interactions"),
        "turns": (),
        "options": ("id", "start", "members", "reasons"),
        "scores": ("option", "member", "value", "reasons"),
        "audit": ("option", "member", "value", "reasons"),
        "format_errors": _ERRORS,
    },
    "Planning": {
        "rounds": (),
        "plans": (),
        "feedback": ("participant", "score", "text", "prefers", "alike"),
        "format_errors": _ERRORS,
    },
    "Organizing": {
        "rounds": (),
        "mails": (),
        "actions": ("kind", "person", "goal", "slot", "policy"),
        "flags": ("mail", "person", "question", "answer"),
        "edits": ("what", "about", "before", "after", "summary"),
        "understood": ("mail", "person", *_DATES, "note"),
        "format_errors": _ERRORS,
    },
}
"""The tables of each kind of record, and the fields that each takes from its records."""


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
    """The records of a sweep as tidy frames; those of `TABLES`."""
    return flatten(store.records(sweep, **where))


def flatten(records: Iterable[tuple[Unit, Any]]) -> dict[str, pd.DataFrame]:
    """The tables of given records; every row starts with its unit's settings and repetition.

    All records are of one kind; without any, the tables of a round table are returned, empty.
    """
    import pandas as pd

    known = list(records)
    names = TABLES[type(known[0][1]).__name__ if known else "Transcript"]
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for unit, made in known:
        head = {**flat(json.loads(unit.settings)), "repetition": unit.repetition}
        for entry in made.rounds:
            _collect(rows, {**head, "round": entry.number}, entry, names)
    return {name: pd.DataFrame(found) for name, found in rows.items()}


def _collect(rows: dict[str, list], head: dict[str, Any], entry: Any, names: Mapping[str, tuple[str, ...]]) -> None:
    if isinstance(entry, CoordinationRound):
        rows["rounds"].append({**head, **_coordinated(entry)})
        rows["turns"] += [{**head, **turn} for talk in entry.conversations for turn in _turns(talk)]
    elif isinstance(entry, PlanningRound):
        rows["rounds"].append({**head, **_planned(entry)})
        rows["plans"] += [{**head, **made} for made in _plans(entry)]
    elif isinstance(entry, OrganizingDay):
        rows["rounds"].append({**head, **_organized(entry)})
        rows["mails"] += [{**head, **_mailed(mail)} for mail in (*entry.received, *entry.sent)]
    else:
        rows["rounds"].append({**head, **_voted(entry)})
    for name, fields in names.items():
        for made in getattr(entry, name) if fields else ():
            rows[name].append({**head, **flat({field: getattr(made, field) for field in fields})})


def _coordinated(entry: CoordinationRound) -> dict[str, Any]:
    return {"candidate": entry.candidate, "breaches": json.dumps(entry.breaches), "replies": entry.replies}


def _turns(talk: Conversation) -> list[dict[str, Any]]:
    return [{"member": talk.member, "turn": i, "speaker": t.speaker, "text": t.text} for i, t in enumerate(talk.turns)]


def _planned(entry: PlanningRound) -> dict[str, Any]:
    named = {"best": json.dumps(entry.best), "suggestion": json.dumps(entry.suggestion)}
    return {**named, "reason": entry.reason, "finish": entry.finish, "replies": entry.replies, "tokens": entry.tokens}


def _plans(entry: PlanningRound) -> list[dict[str, Any]]:
    heard = entry.heard or ((),) * len(entry.plans)
    return [
        {"position": i, "plan": json.dumps(plan), "heard": json.dumps(known), "totals": json.dumps(totals)}
        for i, (plan, known, totals) in enumerate(zip(entry.plans, heard, entry.totals, strict=True))
    ]


def _organized(entry: OrganizingDay) -> dict[str, Any]:
    said = ("date", "progress", "plan", "reason", "summary")
    lists = ("selected", "assignment", "pending", "violations")
    named = {name: json.dumps(getattr(entry, name)) for name in lists}
    spent = {"replies": entry.replies, "tokens": entry.tokens}
    return {**{name: getattr(entry, name) for name in said}, **named, **spent}


def _mailed(mail: Mail) -> dict[str, Any]:
    known = ("id", "day", "kind", "sender", "to", "subject", "body", "slots", "answers")
    return flat({name: getattr(mail, name) for name in known})


def _voted(entry: Round) -> dict[str, Any]:
    decision = entry.decision
    return {
        "winner": entry.winner,
        "why": entry.why,
        "decision": decision.candidate if decision else None,
        "decided_in": decision.round if decision else None,
        "replies": entry.replies,
        "scores": json.dumps(dict(entry.scores)),
    }
