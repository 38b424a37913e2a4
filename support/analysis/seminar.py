"""Rehearsals of the organiser's agent as rows: outcomes, events, what a person at the desk
did, and how a course of sessions went (002).

A rehearsal that never filled its programme has no day on which it was full (NaN). It is
counted, and not given the last day: a mean over the others says so by its n.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.frames import head
from support.analysis.stats import adjusted, compare
from support.runs.study import Unit
from support.seminar.records import FOLLOW_UP, Day, Organizing

if TYPE_CHECKING:
    from support.seminar.principal import Course

Settings = Unit | Mapping[str, Any]
Records = Iterable[tuple[Settings, Organizing]]

# ---- outcomes --------------------------------------------------------------------------


def runs_of(records: Records) -> pd.DataFrame:
    """One row for each rehearsal: its settings, who sat where, and its outcomes.

    Columns: settings..., repetition, filled (seats in the end), share_filled, speakers
    (people with a date), days_until_filled (from which on it stayed full), days, mails
    (sent), mails_per_person (of those who were written to), follow_ups, answers,
    cancellations (dates given back), flags, decided (of these), violations, edits,
    format_errors, replies of models and their tokens.
    """
    return pd.DataFrame([_outcomes(unit, record) for unit, record in records])


def settings_of(unit: Settings, record: Organizing) -> dict[str, Any]:
    """What a rehearsal's row begins with; the unit's settings go before the record's."""
    roles = ("organizer", "detector", "reviewer")
    seated = {role: record.seats.get(role, "none") for role in roles}
    own = {"scenario": record.scenario.id, **seated, **head(record.settings)}
    return own | head(unit)


def _outcomes(unit: Settings, record: Organizing) -> dict[str, Any]:
    days = record.days
    sent = [mail for day in days for mail in day.sent]
    flags = [flag for day in days for flag in day.flags]
    read = [reading.says for day in days for reading in day.readings]
    people = {mail.to for mail in sent}
    seats = len(record.scenario.slots) * record.scenario.seats
    taken = [sum(len(names) for _, names in day.assignment) for day in days]
    filled = taken[-1] if taken else 0
    short = [d.number for d, seated in zip(days, taken, strict=True) if seated < seats]
    speakers = {name for names in record.assignment.values() for name in names}
    row = {
        "filled": filled,
        "share_filled": filled / seats,
        "speakers": len(speakers),
        "days_until_filled": max(short, default=0) + 1.0 if filled == seats else np.nan,
        "days": len(days),
        "mails": len(sent),
        "mails_per_person": len(sent) / len(people) if people else np.nan,
        "follow_ups": sum(mail.kind == FOLLOW_UP for mail in sent),
        "answers": sum(len(day.received) for day in days),
        "cancellations": sum(len(says.gives_back) for says in read),
        "flags": len(flags),
        "decided": sum(bool(flag.answer) for flag in flags),
    }
    edits = [edit for day in days for edit in day.edits]
    row["edits"] = sum(not edit.wish for edit in edits)
    for name in ("violations", "format_errors"):
        row[name] = sum(len(getattr(day, name)) for day in days)
    for name in ("replies", "tokens"):
        row[name] = sum(getattr(day, name) for day in days)
    return settings_of(unit, record) | row


def compare_sets(
    frame: pd.DataFrame, a: Any, b: Any, values: Sequence[str], by: str = "policies"
) -> pd.DataFrame:
    """The difference a - b between two levels of `by` on the same seeds (repetition), a
    row for each outcome, as `stats.compare` gives it; p_adjusted is Holm's over them.

    `days_until_filled` is compared on those seeds alone on which both filled the
    programme: these may be the easy ones.
    """
    chosen = frame[frame[by].isin([a, b])]
    tables = [compare(chosen, value, by, "repetition", reference=b) for value in values]
    table = pd.concat(tables, ignore_index=True).rename(columns={"n_a": "n"})
    return table.assign(p_adjusted=adjusted(table["p"]))


# ---- one rehearsal as events -----------------------------------------------------------


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
        told: list[tuple[str, str, Any]] = []
        told += [(mail.sender, mail.kind, None) for mail in day.received]
        told += [(flag.person, "flag", None) for flag in day.flags]
        told += [(mail.to, mail.kind, None) for mail in day.sent]
        told += [
            (name, "date taken back", slot) for name, slot in sorted(before - after)
        ]
        told += [(name, "date given", slot) for name, slot in sorted(after - before)]
        rows += [(day.number, day.date, *event) for event in told]
        before = after
    frame = pd.DataFrame(rows, columns=["day", "date", "person", "event", "slot"])
    frame.attrs["people"] = list(record.scenario.by_name)
    frame.attrs["days"] = len(record.days)
    return frame


# ---- what a person at the desk did -----------------------------------------------------

INTERVENTIONS = ("edit", "regeneration", "rejection", "answer")


def interactions(session: Any, days: Iterable[Day]) -> pd.DataFrame:
    """What was done at the desk, a row for each event: the log that the paper keeps
    (appendix on data collection), of the days of a rehearsal or of a live seminar.

    Columns: session (as given), day, event (edit, regeneration, rejection, answer, open
    question), what (plan, action, mail, flag), about (a person, or ""), before, after
    (texts), size (words).
    """
    rows = [(day.number, *event) for day in days for event in _done(day)]
    columns = ["day", "event", "what", "about", "before", "after"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.insert(0, "session", session)
    texts = zip(frame["before"], frame["after"], strict=True)
    return frame.assign(size=[changed_words(*pair) for pair in texts])


def _done(day: Day) -> Iterator[tuple[str, str, str, str, str]]:
    for flag in day.flags:
        done = "answer" if flag.answer else "open question"
        yield done, "flag", flag.person, "", flag.answer
    for edit in day.edits:
        done = "edit" if edit.after else "rejection"
        done = "regeneration" if edit.wish else done
        yield done, edit.what, edit.about, edit.before, edit.after


def changed_words(before: str, after: str) -> int:
    """Words put in, taken out or replaced between two texts.

    >>> changed_words("Dear Professor Ray, would the 3rd do?", "Dear Ana, would the 3rd do?")
    2
    """
    old, new = before.split(), after.split()
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changed = [step for step in steps if step[0] != "equal"]
    return sum(max(i2 - i1, j2 - j1) for _, i1, i2, j1, j2 in changed)


def courses_of(records: Iterable[tuple[Settings, Course]]) -> pd.DataFrame:
    """One row for each session of each principal: settings..., repetition (the
    principal), session, interventions, violations, share_filled, format_errors."""
    rows = []
    for unit, course in records:
        for session in course.rounds:
            row = {
                "session": session.number,
                "interventions": sum(session.interventions.values()),
                "violations": sum(session.violations.values()),
                "share_filled": session.filled / session.dates,
                "format_errors": len(session.format_errors),
            }
            rows.append(head(unit) | row)
    return pd.DataFrame(rows)
