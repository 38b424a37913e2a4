"""Rehearsals of the organiser's agent as rows: outcomes, days, readings, what a person at the desk did (002).

A rehearsal that never filled its programme has no day on which it was full (NaN). It is counted, and not given the
last day: a mean over the others is one over those that succeeded, and says so by its n.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.frames import head, need_columns
from support.analysis.stats import adjusted, cluster_bootstrap, compare
from support.runs.study import Unit
from support.seminar.records import FOLLOW_UP, REVIEWED, Organizing
from support.seminar.views import AGAIN, APPROVE, EDIT, REMOVE

if TYPE_CHECKING:
    from support.seminars.journal import Entry

Records = Iterable[tuple[Unit | Mapping[str, Any], Organizing]]

# -- outcomes --------------------------------------------------------------------------------------------------------


def runs_of(records: Records) -> pd.DataFrame:
    """One row for each rehearsal: its settings, who sat where, and its outcomes.

    Columns: settings..., repetition, filled (seats in the end), share_filled, speakers (people with a date), possible
    (see `possible`), days_until_filled (from which on it stayed full), days, mails (sent), mails_per_person (of those
    who were written to), follow_ups, answers, cancellations (dates given back), flags, decided (of these), violations,
    edits, format_errors, replies of models and their tokens.
    """
    rows = []
    for unit, record in records:
        days, seats = (
            record.days,
            len(record.assignment) * int(record.scenario.get("seats", 1)),
        )
        sent = [mail for day in days for mail in day.sent]
        filled = [sum(len(names) for _, names in day.assignment) for day in days]
        open_days = [
            day.number for day, held in zip(days, filled, strict=True) if held < seats
        ]
        taken = filled[-1] if filled else 0
        flags = [flag for day in days for flag in day.flags]
        rows.append({
            **settings_of(unit, record),
            "filled": taken,
            "share_filled": taken / seats if seats else np.nan,
            "speakers": len({name for names in record.assignment.values() for name in names}),
            "possible": possible(record),
            "days_until_filled": max(open_days, default=0) + 1.0 if seats and taken == seats else np.nan,
            "days": len(days),
            "mails": len(sent),
            "mails_per_person": len(sent) / len({mail.to for mail in sent}) if sent else np.nan,
            "follow_ups": sum(mail.kind == FOLLOW_UP for mail in sent),
            "answers": sum(len(day.received) for day in days),
            "cancellations": sum(len(one.cancelled) for day in days for one in day.understood),
            "flags": len(flags),
            "decided": sum(bool(flag.answer) for flag in flags),
            **{name: sum(len(getattr(day, name)) for day in days) for name in ("violations", "edits", "format_errors")},
            **{name: sum(getattr(day, name) for day in days) for name in ("replies", "tokens")},
        })  # fmt: skip
    return pd.DataFrame(rows)


def settings_of(unit: Unit | Mapping[str, Any], record: Organizing) -> dict[str, Any]:
    """What a rehearsal's row begins with; the unit's settings go before the record's."""
    roles = {
        role: record.seats.get(role, "none")
        for role in ("organizer", "detector", "reviewer")
    }
    return {
        "scenario": record.scenario.get("id", ""),
        **roles,
        **head(record.settings),
        **head(unit),
    }


def possible(record: Organizing) -> float:
    """How many people could have had a date of their own, at most, had all replies been known from the first day.

    The largest matching of people and dates that their replies ever meant; NaN where somebody's do not say so.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    names = [str(person["name"]) for person in record.people]
    if not all(_tells(record, name) for name in names):
        return float("nan")
    places = [
        slot
        for slot in record.assignment
        for _ in range(int(record.scenario.get("seats", 1)))
    ]
    meant = {
        (mail.sender, slot)
        for day in record.days
        for mail in day.received
        for slot in mail.slots
    }
    able = np.array(
        [[(name, slot) in meant for slot in places] for name in names], dtype=np.int8
    )
    return (
        float(
            (maximum_bipartite_matching(csr_array(able), perm_type="column") >= 0).sum()
        )
        if able.size
        else 0.0
    )


def _tells(record: Organizing, person: str) -> bool:
    """Whether the replies of somebody say which dates were meant, as those of rules do: "model:NAME" does not."""
    return not record.seats.get(person, "none").startswith(("model", "human"))


def days_of(records: Records) -> pd.DataFrame:
    """One row for each day of each rehearsal: settings..., run (its place among the records), day, date, mails (sent),
    waits (working days that each follow-up had waited)."""
    rows = []
    for run, (unit, record) in enumerate(records):
        said, last = settings_of(unit, record) | {"run": run}, dict[str, str]()
        for day in record.days:
            late = [
                mail for mail in day.sent if mail.kind == FOLLOW_UP and mail.to in last
            ]
            waits = tuple(
                int(np.busday_count(last[mail.to], day.date)) for mail in late
            )
            last |= {mail.to: day.date for mail in day.sent}
            rows.append(
                said
                | {
                    "day": day.number,
                    "date": day.date,
                    "mails": len(day.sent),
                    "waits": waits,
                }
            )
    return pd.DataFrame(rows)


def reading_audit(records: Records) -> pd.DataFrame:
    """How the organiser read each reply, beside the dates that its rule-based writer meant.

    Columns: settings..., run, person, mail, meant and read (dates, taken as firm or vague), right (the very set).
    Replies of a model or a person do not say what they meant and are left out.
    """
    rows = []
    for run, (unit, record) in enumerate(records):
        said = settings_of(unit, record) | {"run": run}
        for day in record.days:
            meant = {mail.id: set(mail.slots) for mail in day.received}
            rows += [
                said | {"person": one.person, "mail": one.mail, "meant": tuple(sorted(meant[one.mail])),
                        "read": tuple(sorted(read)), "right": read == meant[one.mail]}
                for one in day.understood
                if _tells(record, one.person) and one.mail in meant
                for read in [{*one.available, *one.vague}]
            ]  # fmt: skip
    return pd.DataFrame(rows)


def compare_sets(
    frame: pd.DataFrame, a: Any, b: Any, values: Sequence[str], by: str = "policies"
) -> pd.DataFrame:
    """The difference a - b between two levels of `by` on the same seeds (repetition), a row for each outcome, as
    `stats.compare` gives it, with n (pairs); p_adjusted is Holm's over the outcomes. `days_until_filled` is compared on
    those seeds alone on which both filled the programme: these may be the easy ones."""
    chosen = frame[frame[by].isin([a, b])]
    tables = [compare(chosen, value, by, "repetition", reference=b) for value in values]
    table = pd.concat(tables, ignore_index=True).rename(columns={"n_a": "n"})
    return table.assign(p_adjusted=adjusted(table["p"]))


# -- one rehearsal as events -----------------------------------------------------------------------------------------


def timeline(record: Organizing) -> pd.DataFrame:
    """A rehearsal in its order: day, date, person, event, slot (of a date given or taken back; else "").

    Events are kinds of mail, "reply", "flag", "date given", "date taken back". `attrs["people"]` and `attrs["days"]`
    hold everybody on the list, and how many days there were.
    """
    rows: list[tuple[int, str, str, str, str]] = []
    before: dict[str, tuple[str, ...]] = {}
    for day in record.days:
        after = dict(day.assignment)
        heard = [(one.sender, one.kind, "") for one in day.received] + [
            (f.person, "flag", "") for f in day.flags
        ]
        told = heard + [(one.to, one.kind, "") for one in day.sent]
        for slot in dict.fromkeys((*before, *after)):
            one, other = before.get(slot, ()), after.get(slot, ())
            told += [
                (name, "date taken back", slot) for name in one if name not in other
            ]
            told += [(name, "date given", slot) for name in other if name not in one]
        rows += [(day.number, day.date, *event) for event in told]
        before = after
    frame = pd.DataFrame(rows, columns=["day", "date", "person", "event", "slot"])
    frame.attrs = {
        "people": [str(one["name"]) for one in record.people],
        "days": len(record.days),
    }
    return frame


# -- what a person at the desk did -----------------------------------------------------------------------------------

INTERVENTIONS = ("edit", "regeneration", "rejection", "answer")
_DECIDED = {
    APPROVE: "approval",
    EDIT: "edit",
    AGAIN: "regeneration",
    REMOVE: "rejection",
}


def interactions(session: Any, log: Organizing | Iterable[Entry]) -> pd.DataFrame:
    """What was done at the desk, a row for each event: the log that the paper keeps (appendix on data collection).

    A seminar's journal (`Journal.entries`) holds what was approved and made again as well, a rehearsal's record only
    what was changed, removed and asked. Columns: session (as given), day, who (the reviewer's kind; of a journal, the
    role), event (approval, edit, regeneration, rejection, answer, open question), what (plan, action, mail, flag),
    about (a person, "" of a plan; of a journal's flag, the number of its mail), before, after (texts), size (words).
    """
    rows = list(_of_record(log) if isinstance(log, Organizing) else _of_journal(log))
    frame = pd.DataFrame(
        rows, columns=["day", "who", "event", "what", "about", "before", "after"]
    )
    frame.insert(0, "session", session)
    return frame.assign(
        size=[
            changed_words(*pair)
            for pair in zip(frame["before"], frame["after"], strict=True)
        ]
    )


def _of_record(record: Organizing) -> Iterator[tuple[Any, ...]]:
    who = record.seats.get("reviewer", "none")
    for day in record.days:
        for flag in day.flags:
            done = "answer" if flag.answer else "open question"
            yield day.number, who, done, "flag", flag.person, "", flag.answer
        for edit in day.edits:
            done = "edit" if edit.after else "rejection"
            yield day.number, who, done, edit.what, edit.about, edit.before, edit.after


def _of_journal(entries: Iterable[Entry]) -> Iterator[tuple[Any, ...]]:
    for entry in entries:
        if entry.answer is None or entry.step not in ("review", "decide"):
            continue
        said = json.loads(entry.answer)
        if entry.step == "decide":
            done = "answer" if said else "open question"
            yield entry.day, entry.role, done, "flag", entry.about, "", said
            continue
        what, _, about = entry.about.partition(" ")
        shown = json.loads(entry.asked) if what in REVIEWED and entry.asked else {}
        texts = shown, said.get("edited") or {}
        before, edited = (
            "\n".join(str(text) for text in item.values() if text) for item in texts
        )
        after = {EDIT: edited, REMOVE: ""}.get(said["decision"], before)
        yield (
            entry.day,
            entry.role,
            _DECIDED[said["decision"]],
            what,
            about,
            before,
            after,
        )


def changed_words(before: str, after: str) -> int:
    """Words put in, taken out or replaced between two texts.

    >>> changed_words("Dear Professor Ray, would the 3rd do?", "Dear Ana, would the 3rd do?")
    2
    """
    old, new = before.split(), after.split()
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(
        max(i2 - i1, j2 - j1) for kind, i1, i2, j1, j2 in steps if kind != "equal"
    )


# -- what the paper states -------------------------------------------------------------------------------------------

WEEKENDS = "mails on weekends"
WAITS = "working days before a follow-up"


def mail_rows(days: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """When rehearsals wrote, from `days_of`: mails on weekends (all), waits before follow-ups (mean)."""
    need_columns(days, ["date", "mails", "waits", "run"], "the days")
    rest = days.loc[pd.to_datetime(days["date"]).dt.day_of_week > 4, "mails"]
    waits = days[["run", "waits"]].explode("waits").dropna()
    rows = [(WEEKENDS, float(rest.sum()), 0.0, np.nan)] if len(rest) else []
    if len(waits):
        found = cluster_bootstrap(waits, "waits", "run", rng)
        rows.append((WAITS, found["mean"], found["se"], int(found["clusters"])))
    return pd.DataFrame(rows, columns=["column", "value", "se", "n"]).assign(
        row="rehearsals"
    )
