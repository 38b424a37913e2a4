"""Rehearsals of the organiser's agent as rows: outcomes, events, and what a person at the
desk did (002)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from support.analysis.frames import head
from support.runs.study import Unit
from support.seminar.records import Day, Organizing

Settings = Unit | Mapping[str, Any]
Records = Iterable[tuple[Settings, Organizing]]


def runs_of(records: Records) -> pd.DataFrame:
    """One row for each rehearsal: its settings, who sat where, and its outcomes.

    Columns: settings..., repetition, share_filled (of the seats, in the end), speakers
    (people with a date), days, mails (sent), flags, violations, edits, format_errors,
    replies of models and their tokens.
    """
    rows = []
    for unit, record in records:
        roles = ("organizer", "detector", "reviewer")
        seated = {role: record.seats.get(role, "none") for role in roles}
        own = {
            "scenario": record.scenario.id,
            **seated,
            **head(record.settings),
        }
        rows.append(own | head(unit) | _outcomes(record))
    return pd.DataFrame(rows)


def _outcomes(record: Organizing) -> dict[str, Any]:
    seats = len(record.scenario.slots) * record.scenario.seats
    held = [name for names in record.assignment.values() for name in names]
    row: dict[str, Any] = {
        "share_filled": len(held) / seats,
        "speakers": len({*held}),
        "days": len(record.days),
        "mails": sum(len(day.sent) for day in record.days),
    }
    for name in ("flags", "violations", "edits", "format_errors"):
        row[name] = sum(len(getattr(day, name)) for day in record.days)
    for name in ("replies", "tokens"):
        row[name] = sum(getattr(day, name) for day in record.days)
    return row


def timeline(record: Organizing) -> pd.DataFrame:
    """A rehearsal in its order: day, date, person, event, slot (of a date given or taken
    back; else None).

    Events are kinds of mail, "reply", "flag", "date given", "date taken back".
    `attrs["people"]` and `attrs["days"]` hold everybody on the list, and how many days
    there were.
    """
    rows = []
    before: set[tuple[str, Any]] = set()
    for day in record.days:
        after = {(name, slot) for slot, names in day.assignment for name in names}
        told = [(mail.sender, mail.kind, None) for mail in day.received]
        told += [(flag.person, "flag", None) for flag in day.flags]
        told += [(mail.to, mail.kind, None) for mail in day.sent]
        for event, changed in (
            ("date taken back", before - after),
            ("date given", after - before),
        ):
            told += [(name, event, slot) for name, slot in sorted(changed)]
        rows += [(day.number, day.date, *event) for event in told]
        before = after
    frame = pd.DataFrame(rows, columns=["day", "date", "person", "event", "slot"])
    frame.attrs["people"] = list(record.scenario.by_name)
    frame.attrs["days"] = len(record.days)
    return frame


def interactions(session: Any, days: Iterable[Day]) -> pd.DataFrame:
    """What was done at the desk, a row for each event: the log that the paper keeps
    (appendix on data collection), of the days of a rehearsal or of a live seminar.

    Columns: session (as given), day, event (edit, regeneration, rejection, answer, open
    question), what (plan, action, mail, flag), about (a person, or ""), before, after
    (texts).
    """
    rows = [(session, day.number, *event) for day in days for event in _done(day)]
    columns = ["session", "day", "event", "what", "about", "before", "after"]
    return pd.DataFrame(rows, columns=columns)


def _done(day: Day) -> Iterator[tuple[str, str, str, str, str]]:
    for flag in day.flags:
        done = "answer" if flag.answer else "open question"
        yield done, "flag", flag.person, "", flag.answer
    for edit in day.edits:
        done = "edit" if edit.after else "rejection"
        done = "regeneration" if edit.wish else done
        yield done, edit.what, edit.about, edit.before, edit.after
