"""From records to one row for each run: how good the plan is that the group ended with, and what it took.

All quality is that of the truth, on the gains that only the participants knew. A run that never had a usable plan has
no quality (NaN) and is not `found`; it is counted, not given the worst value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.coordination.rounds import head
from support.fair_decisions import measures
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Plan, Planning
from support.models.profiles import MODEL, is_model
from support.runs.study import Unit

QUALITY = ("divergence", "shortfall", "welfare", "nash", "gini", "envy", "least", "most")
"""What is measured of a plan; `least` and `most` are the smallest and the largest total."""

COSTS = ("rounds_used", "evaluations", "replies", "format_errors", "seconds", "tokens", "changed")
OUTCOMES = (*QUALITY, *COSTS, "found", "stopped")
LARGER_IS_BETTER = ("welfare", "nash", "least")
Records = Iterable[tuple[Unit | Mapping[str, Any], Planning]]


def runs_of(records: Records) -> pd.DataFrame:
    """One row for each run.

    Parameters
    ----------
    records : pairs of a unit and its record, as `Store.records` gives them; or settings as a mapping

    Returns
    -------
    DataFrame
        The settings (the unit's before the record's; `coordinator`, `estimator` and `solver` are the seats' kinds
        where no setting names them), participants, decisions and options as the gains have them, `instance` (equal
        for equal gains), `repetition`; the columns of `QUALITY` for the chosen plan; `found` (whether there was one),
        `stopped` (by the coordinator), `rounds_used`, `evaluations` (one participant judging one plan), `replies` of
        models with their `tokens`, `format_errors`, and `changed`: how many decisions of a
        plan differ from the nearest earlier one, the mean over rounds.
    """
    return pd.DataFrame([{**settings_of(unit, record), **_outcome(record)} for unit, record in records])


def run_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that say which run a row is: all but what was measured of it."""
    from support.analysis.fairness.instances import REFERENCES

    return [str(column) for column in frame if column not in (*OUTCOMES, *REFERENCES)]


def settings_of(unit: Unit | Mapping[str, Any], record: Planning) -> dict[str, Any]:
    """What a run's row begins with: its settings, the shape of its problem, and which instance it is."""
    p, n, m = np.shape(record.gains)
    roles = {role: record.seats.get(role, "none") for role in ("coordinator", "estimator", "solver")}
    shape = {"participants": p, "decisions": n, "options": m}
    made = {**roles, **head(record.settings), **head(unit), **shape, "instance": instance_key(record.gains)}
    led = made["coordinator"]  # statements speak of "the model": which one it is stands beside it
    return {**made, "coordinator": MODEL, "model": led.partition(":")[2]} if is_model(led) and led != MODEL else made


def instance_key(gains: Any) -> str:
    """A short name of an instance, the same for the same gains whatever drew them.

    >>> instance_key([[[1, 2]]]) == instance_key(((( 1, 2),),)) != instance_key([[[1], [2]]])
    True
    """
    given = np.ascontiguousarray(gains, dtype="<i8")
    return sha256(repr(given.shape).encode() + given.tobytes()).hexdigest()[:12]


def problem_of(record: Planning) -> FairDecisions:
    """The problem that was hidden in a run."""
    return FairDecisions(np.array(record.gains), record.participants)


def quality(problem: FairDecisions, plan: Plan | None) -> dict[str, float]:
    """The columns of `QUALITY` for one plan; NaN where there is none."""
    if plan is None:
        return dict.fromkeys(QUALITY, float("nan"))
    totals = problem.totals(plan)
    values = (
        measures.divergence(totals),
        measures.shortfall(problem, totals),
        measures.welfare(totals),
        measures.nash_welfare(totals),
        measures.gini(totals),
        measures.envy(totals),
        totals.min(),
        totals.max(),
    )
    return {name: float(value) for name, value in zip(QUALITY, values, strict=True)}


def _outcome(record: Planning) -> dict[str, Any]:
    judged = sum(len(entry.plans) for entry in record.rounds if entry.feedback)
    most = record.settings.get("rounds", len(record.rounds))
    played = [entry for entry in record.rounds if entry.number <= most]  # after them a model may choose among plans
    return {
        **quality(problem_of(record), record.chosen),
        "found": record.chosen is not None,
        "stopped": bool(played) and played[-1].finish,
        "rounds_used": len(played),
        "evaluations": judged * len(record.participants),
        "replies": sum(entry.replies for entry in record.rounds),
        "tokens": sum(entry.tokens for entry in record.rounds),
        "format_errors": sum(len(entry.format_errors) for entry in record.rounds),
        "changed": _mean_changed(record),
    }


def changed(plans: Sequence[Plan], before: Sequence[Plan]) -> float:
    """How many decisions of a plan differ from the nearest of earlier plans; the mean of two plans, NaN without any.

    >>> changed([(0, 1, 1)], [(0, 0, 0), (0, 1, 0)])
    1.0
    """
    if not plans or not before:
        return float("nan")
    return float(np.mean([(np.array(before) != np.array(plan)).sum(axis=1).min() for plan in plans]))


def _mean_changed(record: Planning) -> float:
    seen, moves = list[Plan](), list[float]()
    for entry in record.rounds:
        if entry.plans and seen and not entry.finish:
            moves.append(changed(entry.plans, seen))
        seen += entry.plans
    return float(np.mean(moves)) if moves else float("nan")
