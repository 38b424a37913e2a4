"""From records of rehearsals to tidy rows: how full the programme was, how soon, and what it took (002, section 3).

A rehearsal that never filled its programme has no day on which it was full (NaN). It is counted, and not given the
last day: a mean over the others is one over those that succeeded, and says so by its n.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.fairness import paired
from support.analysis.frames import head, need_columns
from support.analysis.organizing.evaluating import score
from support.errors import InvalidInput
from support.runs.study import Unit
from support.seminar.records import FOLLOW_UP, Mail, Organizing, OrganizingDay

ROLES = ("organizer", "detector", "reviewer")
OUTCOMES = (
    "full",
    "filled",
    "share_filled",
    "speakers",
    "possible",
    "days_until_filled",
    "days",
    "mails",
    "mails_per_person",
    "most_mails",
    "follow_ups",
    "answers",
    "flags",
    "decided",
    "violations",
    "declined",
    "cancellations",
    "never_offered",
    "edits",
    "format_errors",
    "replies",
    "tokens",
)
"""What is measured of a rehearsal."""

COMPARED = (
    "full", "share_filled", "speakers", "days_until_filled", "mails_per_person", "follow_ups", "flags", "violations",
)  # fmt: skip
UNTOLD = ("model", "human")
"""Kinds of speakers whose replies do not say which dates were meant."""

Records = Iterable[tuple[Unit | Mapping[str, Any], Organizing]]


def runs_of(records: Records) -> pd.DataFrame:
    """One row for each rehearsal.

    Parameters
    ----------
    records : pairs of a unit and its record, as `Store.records` gives them; or settings as a mapping

    Returns
    -------
    DataFrame
        The settings (the unit's before the record's; the roles' kinds and the scenario's id where no setting names
        them), `repetition`, `candidates` (people on the list), `places` (dates times speakers of each), and `OUTCOMES`:
        full (whether every seat was taken in the end), filled (seats), share_filled, speakers (people with a date:
        fewer than filled where somebody has two), possible (see `possible`), days_until_filled (the day from which on
        the programme stayed full), days (of the run), mails (sent), mails_per_person and most_mails (of those who were
        written to), follow_ups, answers (mails that came back), flags and those of them decided, violations, declined
        (people), cancellations (dates given back), never_offered (dates accepted that nobody had offered), edits,
        format_errors, replies of models and their tokens.
    """
    return pd.DataFrame([{**settings_of(unit, record), **_outcome(record)} for unit, record in records])


def settings_of(unit: Unit | Mapping[str, Any], record: Organizing) -> dict[str, Any]:
    """What a rehearsal's row begins with: its settings, who sat where, and the size of its task."""
    roles = {role: record.seats.get(role, "none") for role in ROLES}
    task = {"scenario": record.scenario.get("id", ""), **roles}
    return {
        **task,
        **head(record.settings),
        **head(unit),
        "candidates": len(record.people),
        "places": seats_of(record),
    }


def seats_of(record: Organizing) -> int:
    """How many seats there were to fill: dates, times the speakers that each takes."""
    return len(record.assignment) * int(record.scenario.get("seats", 1))


def _outcome(record: Organizing) -> dict[str, Any]:
    sent = Counter(mail.to for mail in _mails(record))
    seats, filled = seats_of(record), _filled(record.days[-1]) if record.days else 0
    understood = [one for day in record.days for one in day.understood]
    return {
        "full": bool(seats) and filled == seats,
        "filled": filled,
        "share_filled": filled / seats if seats else float("nan"),
        "speakers": len({name for names in record.assignment.values() for name in names}),
        "possible": possible(record),
        "days_until_filled": _full_from(record.days, seats),
        "days": len(record.days),
        "mails": sent.total(),
        "mails_per_person": sent.total() / len(sent) if sent else float("nan"),
        "most_mails": max(sent.values(), default=0),
        "declined": len({one.person for one in understood if one.declined}),
        "cancellations": sum(len(one.cancelled) for one in understood),
        "never_offered": sum(len(one.never_offered) for one in understood),
        **{name: sum(_counts(day)[name] for day in record.days) for name in _COUNTED},
    }


_COUNTED = ("follow_ups", "answers", "flags", "decided", "violations", "edits", "format_errors", "replies", "tokens")


def _counts(day: OrganizingDay) -> dict[str, int]:
    return {
        "follow_ups": sum(mail.kind == FOLLOW_UP for mail in day.sent),
        "answers": len(day.received),
        "flags": len(day.flags),
        "decided": sum(bool(flag.answer) for flag in day.flags),
        "violations": len(day.violations),
        "edits": len(day.edits),
        "format_errors": len(day.format_errors),
        "replies": day.replies,
        "tokens": day.tokens,
    }


def possible(record: Organizing, untold: Collection[str] = UNTOLD) -> float:
    """How many people could have had a date of their own, at most, had all replies been known from the first day.

    It is the largest matching of people and dates that their replies ever meant, whatever was called off later; NaN
    where somebody's replies do not say what they meant (`untold`, kinds of speakers).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    names = [str(person["name"]) for person in record.people]
    if any(_is_of(record.seats.get(name, "none"), untold) for name in names):
        return float("nan")
    places = [slot for slot in record.assignment for _ in range(int(record.scenario.get("seats", 1)))]
    meant = {(mail.sender, slot) for day in record.days for mail in day.received for slot in mail.slots}
    able = np.array([[(name, slot) in meant for slot in places] for name in names], dtype=np.int8)
    matched = maximum_bipartite_matching(csr_array(able), perm_type="column") if able.size else np.array([])
    return float((matched >= 0).sum())


def _is_of(kind: str, kinds: Collection[str]) -> bool:
    """Whether a kind such as "model SmolLM2" is one of some kinds such as "model"."""
    return kind in kinds or kind.partition(" ")[0] in kinds


def _mails(record: Organizing) -> Iterator[Mail]:
    return (mail for day in record.days for mail in day.sent)


def _filled(day: OrganizingDay) -> int:
    return sum(len(names) for _, names in day.assignment)


def _full_from(days: Sequence[OrganizingDay], seats: int) -> float:
    """The first day from which on every seat stayed taken; NaN where the last day ended with a free one."""
    since = float("nan")
    for day in reversed(days):
        if not seats or _filled(day) < seats:
            return since
        since = float(day.number)
    return since


def days_of(records: Records) -> pd.DataFrame:
    """One row for each day of each rehearsal.

    Returns
    -------
    DataFrame
        The settings, candidates and places as `runs_of` has them, `run` (its place among the records), day, date,
        mails (sent), follow_ups, answers, flags, decided, violations, edits, format_errors, replies, tokens, selected
        (policies), pending (people with an unanswered mail, in the morning), filled and share_filled (in the evening).
    """
    return pd.DataFrame(
        [
            {**settings_of(unit, record), "run": run, **_day(day, seats_of(record))}
            for run, (unit, record) in enumerate(records)
            for day in record.days
        ]
    )


def _day(day: OrganizingDay, seats: int) -> dict[str, Any]:
    return {
        "day": day.number,
        "date": day.date,
        "mails": len(day.sent),
        **_counts(day),
        "selected": day.selected,
        "pending": len(day.pending),
        "filled": _filled(day),
        "share_filled": _filled(day) / seats if seats else float("nan"),
    }


def reading_audit(records: Records, untold: Collection[str] = UNTOLD) -> pd.DataFrame:
    """How the organiser read each reply, beside the dates that its rule-based writer meant.

    Parameters
    ----------
    untold : kinds of speakers whose replies do not say what they meant, and are left out

    Returns
    -------
    DataFrame
        The settings, `run`, person, kind (who sits there), mail, day, meant and read (dates as texts; read are those
        taken as firm or vague), read_firm, precision, recall, f1 (see `score`: two empty sets fit), right (the very
        set), never_offered (dates read that nobody had offered). A reply that the organiser never read has no row.
    """
    rows = []
    for run, (unit, record) in enumerate(records):
        said = settings_of(unit, record) | {"run": run}
        for day in record.days:
            mails = {mail.id: mail for mail in day.received}
            for one in day.understood:
                kind = record.seats.get(one.person, "none")
                if not _is_of(kind, untold) and one.mail in mails:
                    meant = tuple(sorted(mails[one.mail].slots))
                    read = tuple(sorted({*one.available, *one.vague}))
                    judged = {"right": set(meant) == set(read), "never_offered": len(one.never_offered)}
                    where = {"person": one.person, "kind": kind, "mail": one.mail, "day": day.number}
                    dates = {"meant": meant, "read": read, "read_firm": tuple(sorted(one.available))}
                    rows.append(said | where | dates | score(read, meant)._asdict() | judged)
    return pd.DataFrame(rows)


def compare_sets(
    frame: pd.DataFrame,
    a: Any,
    b: Any,
    *,
    by: str = "policies",
    values: Sequence[str] = COMPARED,
    pairs: str | Sequence[str] = "repetition",
    level: float = 0.95,
) -> pd.DataFrame:
    """The difference a - b between two policy sets on the same seeds, one row for each outcome.

    Parameters
    ----------
    frame : as `runs_of` gives it, with the setting `by` and one row for each of its levels and each pair
    pairs : the columns that name a pair: with one seed, the same people of the same moods

    Returns
    -------
    DataFrame
        As `support.analysis.fairness.paired` gives it: value, a, b, n (pairs), left_out, mean_a, mean_b, difference,
        low, high (Student's paired t), p, p_adjusted (Holm's, over the outcomes), wilcoxon, hedges_g, g_low, g_high,
        lower, equal, higher (pairs in which a is below, at, above b), note. `days_until_filled` is compared on those
        seeds alone on which both sets filled the programme (n says how many; of none there is no test): read it
        beside `full`, for these may be the easy ones.

    Raises
    ------
    InvalidInput
        On a set that is not in the frame, a pair that occurs twice, or no pair at all.
    """
    need_columns(frame, [by, *values], "rehearsals")
    for name, given in (("a", a), ("b", b)):
        if not isinstance(given, Hashable):
            raise InvalidInput(
                f"{name}: a {type(given).__name__} given; expected a set's name: policies of your own get one by a "
                "study function that takes the name, as in section 7 of notebook 40"
            )
    if not values:
        raise InvalidInput(f"values: none given; expected some of {', '.join(OUTCOMES)}")
    long = frame.melt(
        id_vars=[by, *([pairs] if isinstance(pairs, str) else pairs)],
        value_vars=list(values),
        var_name="outcome",
        value_name="measured",
    ).assign(measured=lambda table: table["measured"].astype(float))
    table = paired(long, by, a, b, value="measured", along="outcome", pairs=pairs, level=level)
    place = {name: k for k, name in enumerate(values)}
    ordered = table.sort_values("outcome", key=lambda names: names.map(place)).drop(columns="value")
    return ordered.rename(columns={"outcome": "value"}).reset_index(drop=True)
