"""What happened, as tables and files: units, rounds, messages, proposals, ballots; Parquet, CSV and JSONL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.errors import InvalidInput
from support.records import CoordinationRound, OrganizingDay, PlanningRound
from support.runs.study import Store, Unit, fields_of, flat, to_json

if TYPE_CHECKING:
    import pandas as pd

_ERRORS = ("agent", "phase", "detail")
_DATES = ("available", "vague", "unavailable", "never_offered", "declined", "cancelled", "wait_until")
TABLES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Transcript": {
        "rounds": ("winner", "why", "decision", "decided_in", "replies", "scores"),
        "messages": ("sender", "recipients", "text", "acts"),
        "proposals": ("agent", "value", "reason"),
        "candidates": ("id", "value", "proposers", "standing"),
        "ballots": ("agent", "choice", "reason"),
        "format_errors": _ERRORS,
    },
    "Coordination": {
        "rounds": ("candidate", "breaches", "replies"),
        "conversations": ("member", "preferences", "agreed", "interactions"),
        "turns": ("member", "turn", "speaker", "text"),
        "options": ("id", "start", "members", "reasons"),
        "scores": ("option", "member", "value", "reasons"),
        "audit": ("option", "member", "value", "reasons"),
        "format_errors": _ERRORS,
    },
    "Planning": {
        "rounds": ("best", "suggestion", "reason", "finish", "replies", "tokens"),
        "plans": ("position", "plan", "heard", "totals"),
        "feedback": ("participant", "score", "text", "prefers", "alike"),
        "format_errors": _ERRORS,
    },
    "Organizing": {
        "rounds": ("date", "progress", "plan", "reason", "summary", "selected", "assignment", "pending", "violations",
                   "replies", "tokens"),
        "mails": ("id", "day", "kind", "sender", "to", "subject", "body", "slots", "answers"),
        "actions": ("kind", "person", "goal", "slot", "policy"),
        "flags": ("mail", "person", "question", "answer"),
        "edits": ("what", "about", "before", "after", "summary"),
        "understood": ("mail", "person", *_DATES, "note"),
        "format_errors": _ERRORS,
    },
}  # fmt: skip
"""The tables of each kind of record, and their columns behind the unit's settings, repetition and round."""


def export(
    store: Store, sweep: str, folder: str | Path, *, format: str = "parquet", timing: bool = False, **frames: Any
) -> list[Path]:
    """Write a sweep's tables, and frames of one's own such as `metrics=`, a file each, and its records as JSONL.

    The files of two runs of one sweep are equal, byte for byte: what differs between runs, the seconds, is left out
    unless `timing`. Columns of the frames are named so that formulas take them: "auc@10" is "auc_10".
    """
    if format not in ("parquet", "csv"):
        raise InvalidInput(f"format: {format!r} given; expected 'parquet' or 'csv'")
    named = {name: frame.rename(columns=lambda c: "".join(a if a.isalnum() else "_" for a in str(c)).strip("_"))
             for name, frame in frames.items()}  # fmt: skip
    target, paths = Path(folder), list[Path]()
    target.mkdir(parents=True, exist_ok=True)
    for name, frame in {"units": store.units(sweep, timing=timing), **tables(store, sweep), **named}.items():
        paths.append(target / f"{name}.{format}")
        frame.to_csv(paths[-1], index=False) if format == "csv" else frame.to_parquet(paths[-1], index=False)
    return [*paths, write_jsonl(store, sweep, target / "transcripts.jsonl")]


def write_jsonl(store: Store, sweep: str, path: str | Path) -> Path:
    """Write a sweep's records, one JSON object a line: settings, repetition, record."""
    path = Path(path)
    with path.open("w", encoding="utf-8") as out:
        for unit, record in store.records(sweep):
            head = json.dumps({"settings": unit.settings, "repetition": unit.repetition})
            out.write(f'{head[:-1]}, "record": {to_json(record)}}}\n')
    return path


def tables(store: Store, sweep: str, **where: Any) -> dict[str, pd.DataFrame]:
    """The records of a sweep as tidy frames; those of `TABLES`, or one row a unit of any other record."""
    return flatten(store.records(sweep, **where))


def flatten(records: Iterable[tuple[Unit, Any]]) -> dict[str, pd.DataFrame]:
    """The tables of given records, all of one kind; every row starts with its unit's settings and repetition.

    Without any record, the tables of a round table are returned, empty.
    """
    import pandas as pd

    known = [({**flat(u.settings), "repetition": u.repetition}, made) for u, made in records]
    names = TABLES.get(type(known[0][1]).__name__ if known else "Transcript")
    if names is None:
        return {"records": pd.DataFrame([{**fields_of(made), **head} for head, made in known])}
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for head, made in known:
        for entry in made.rounds:
            for name, columns in names.items():
                found = _rows(name, entry) if name in ("rounds", "turns", "plans", "mails") else getattr(entry, name)
                for row in found:
                    told = {c: row[c] if isinstance(row, dict) else getattr(row, c) for c in columns}
                    rows[name].append({**head, "round": entry.number, **flat(told)})
    begin = [*known[0][0], "round"] if known else ["repetition", "round"]
    return {
        name: pd.DataFrame(found, columns=None if found else [*begin, *names[name]]) for name, found in rows.items()
    }


def _rows(name: str, entry: Any) -> list[Any]:
    """Rows of a table that are no field of a round."""
    if name == "turns":
        return [{"member": talk.member, "turn": i, "speaker": turn.speaker, "text": turn.text}
                for talk in entry.conversations for i, turn in enumerate(talk.turns)]  # fmt: skip
    if name == "mails":
        return [*entry.received, *entry.sent]
    if name == "plans":
        each = zip(entry.plans, entry.heard or ((),) * len(entry.plans), entry.totals, strict=True)
        return [{"position": i, **{k: json.dumps(v) for k, v in zip(("plan", "heard", "totals"), made, strict=True)}}
                for i, made in enumerate(each)]  # fmt: skip
    if isinstance(entry, CoordinationRound | PlanningRound | OrganizingDay):
        lists = ("breaches", "best", "suggestion", "selected", "assignment", "pending", "violations")
        return [{k: json.dumps(v) if k in lists else v for k, v in vars_of(entry).items()}]
    decision = entry.decision
    made = {"decision": decision.candidate if decision else None, "decided_in": decision.round if decision else None}
    return [{**vars_of(entry), **made, "scores": json.dumps(dict(entry.scores))}]


def vars_of(entry: Any) -> dict[str, Any]:
    """The fields of a round by name."""
    return {name: getattr(entry, name) for name in type(entry).__dataclass_fields__}
