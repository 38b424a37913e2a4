"""What happened, as tables and files: units, rounds, messages, proposals, ballots; Parquet, CSV and JSONL."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.errors import InvalidInput
from support.runs.study import Store, Unit, fields_of, flat, to_json

if TYPE_CHECKING:
    import pandas as pd

TABLES: Mapping[str, Mapping[str, str]] = {
    "Transcript": {
        "rounds": "winner why decision decided_in replies scores", "messages": "sender recipients text acts",
        "proposals": "agent value reason", "candidates": "id value proposers standing",
        "ballots": "agent choice reason", "format_errors": "agent phase detail",
    },
    "Coordination": {
        "rounds": "candidate breaches replies", "conversations": "member preferences agreed interactions",
        "turns": "member turn speaker text", "options": "id start members reasons",
        "scores": "option member value reasons", "audit": "option member value reasons",
        "format_errors": "agent phase detail",
    },
    "Planning": {
        "rounds": "best suggestion reason finish replies tokens", "plans": "position plan heard totals",
        "feedback": "participant score text prefers alike", "format_errors": "agent phase detail",
    },
    "Organizing": {
        "rounds": "date progress plan reason summary selected assignment pending violations replies tokens",
        "mails": "id day kind sender to subject body slots answers", "actions": "kind person goal slot policy",
        "flags": "mail person question answer dates", "edits": "what about before after summary",
        "understood":
            "mail person available vague unavailable never_offered declined cancelled wait_until note unclear",
        "format_errors": "agent phase detail",
    },
}  # fmt: skip
"""The tables of each kind of record, and their columns behind the unit's settings, repetition and round."""


def export(
    store: Store,
    sweep: str,
    folder: str | Path,
    *,
    format: str = "parquet",
    **frames: Any,
) -> list[Path]:
    """Write a sweep's tables, and frames of one's own such as `metrics=`, a file each, and its records as JSONL.

    The files of two runs of one sweep are equal, byte for byte: what differs between runs, the seconds, is left out
    (`support.runs.calls.units_of` has them). Columns of the frames get names that formulas take: "auc@10" is "auc_10".
    """
    if format not in ("parquet", "csv"):
        raise InvalidInput(f"format: {format!r} given; expected 'parquet' or 'csv'")
    found, target, paths = (
        {"units": store.units(sweep), **tables(store, sweep)},
        Path(folder),
        [],
    )
    if taken := found.keys() & frames.keys():
        raise InvalidInput(
            f"{', '.join(taken)}: the sweep has a table of that name; give yours another"
        )
    own = {
        name: frame.rename(columns=lambda c: re.sub(r"\W", "_", str(c)))
        for name, frame in frames.items()
    }
    target.mkdir(parents=True, exist_ok=True)
    for name, frame in {**found, **own}.items():
        paths.append(target / f"{name}.{format}")
        frame.to_csv(paths[-1], index=False) if format == "csv" else frame.to_parquet(
            paths[-1], index=False
        )
    return [*paths, write_jsonl(store, sweep, target / "transcripts.jsonl")]


def write_jsonl(store: Store, sweep: str, path: str | Path) -> Path:
    """Write a sweep's records, one JSON object a line: settings, repetition, record."""
    with Path(path).open("w", encoding="utf-8") as out:
        for unit, record in store.records(sweep):
            head = json.dumps(
                {"settings": unit.settings, "repetition": unit.repetition}
            )
            out.write(f'{head[:-1]}, "record": {to_json(record)}}}\n')
    return Path(path)


def tables(store: Store, sweep: str, **where: Any) -> dict[str, pd.DataFrame]:
    """The records of a sweep as tidy frames; those of `TABLES`, or `records`, one row a unit, of any other record."""
    return flatten(store.records(sweep, **where))


def flatten(records: Iterable[tuple[Unit, Any]]) -> dict[str, pd.DataFrame]:
    """The tables of given records, all of one kind; every row starts with its unit's settings and repetition.

    Without any record, the tables of a round table are returned, empty.
    """
    import pandas as pd

    known = [
        ({**flat(unit.settings), "repetition": unit.repetition}, made)
        for unit, made in records
    ]
    names = TABLES.get(type(known[0][1]).__name__ if known else "Transcript")
    if names is None:
        return {
            "records": pd.DataFrame(
                [{**head, **fields_of(made, head)} for head, made in known]
            )
        }
    found, begin = {}, [*(known[0][0] if known else ("repetition",)), "round"]
    for name, columns in ((name, text.split()) for name, text in names.items()):
        rows = [{**head, "round": entry.number, **flat({c: _cell(row, c) for c in columns})}
                for head, made in known for entry in made.rounds for row in _rows(name, entry)]  # fmt: skip
        found[name] = pd.DataFrame(rows, columns=None if rows else [*begin, *columns])
    return found


def _rows(name: str, entry: Any) -> Iterable[Any]:
    """The things of a round that are rows of a table."""
    if name == "turns":
        return [{"member": talk.member, "turn": i, "speaker": turn.speaker, "text": turn.text}
                for talk in entry.conversations for i, turn in enumerate(talk.turns)]  # fmt: skip
    if name == "plans":
        each = zip(
            entry.plans,
            entry.heard or ((),) * len(entry.plans),
            entry.totals,
            strict=True,
        )
        made = [
            dict(zip(("plan", "heard", "totals"), map(json.dumps, one), strict=True))
            for one in each
        ]
        return [{"position": i, **one} for i, one in enumerate(made)]
    return (
        [entry]
        if name == "rounds"
        else [*entry.received, *entry.sent]
        if name == "mails"
        else getattr(entry, name)
    )


def _cell(row: Any, column: str) -> Any:
    """A cell of a row; of a discussion's round, the decision by its candidate and number, and the scores by name."""
    if column == "decided_in" or (column == "decision" and row.decision):
        return row.decision and (
            row.decision.candidate if column == "decision" else row.decision.round
        )
    value = row[column] if isinstance(row, dict) else getattr(row, column)
    if column in ("best", "suggestion"):
        return json.dumps(value)  # a round without one says null
    return dict(value) if column == "scores" else value
