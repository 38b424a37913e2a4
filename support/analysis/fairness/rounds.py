"""From records to one row for each round; what evaluations buy; one run as appendix D of 003 tells it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.fairness.runs import Records, changed, problem_of, settings_of
from support.analysis.frames import need_columns, need_keys
from support.errors import InvalidInput
from support.fair_decisions import measures
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Plan, Planning, PlanningRound
from support.fair_decisions.search import choose

MEASURED = ("divergence", "welfare")
SO_FAR = tuple(f"{when}_{what}" for when in ("standing", "best") for what in MEASURED)
ROUND = (
    "round",
    "evaluations",
    "plans",
    "changed",
    *MEASURED,
    *SO_FAR,
    "finish",
    "replies",
    "tokens",
    "format_errors",
    "seconds",
)


def rounds_of(records: Records) -> pd.DataFrame:
    """One row for each run and round; all quality is that of the truth.

    Returns
    -------
    DataFrame
        The settings as `runs_of` has them; `round`; `evaluations` so far (one participant judging one plan);
        `plans` proposed in the round; `divergence` and `welfare` of the round's plan, of the better one by the
        objective where there are two; `standing_…` of the plan that the group would end with if it ended now, by what
        it knows; `changed`, how many decisions differ from the nearest plan of earlier rounds (the mean of two plans;
        NaN in the first round); `best_…` of the best plan so far in truth, which nobody in the loop may recognise;
        `finish`, `replies`, `tokens`, `format_errors`. NaN where there is no plan.
    """
    return pd.DataFrame([row for unit, record in records for row in _rows(settings_of(unit, record), record)])


def _rows(settings: dict[str, Any], record: Planning) -> list[dict[str, Any]]:
    problem = problem_of(record)
    objective, final = settings.get("objective", "divergence"), settings.get("final", "best known")
    rows: list[dict[str, Any]] = []
    judged, seen = 0, list[Plan]()
    for t, entry in enumerate(record.rounds, start=1):
        judged += len(entry.plans) * len(record.participants) if entry.feedback else 0
        moved = changed(entry.plans, seen)
        seen += entry.plans
        rows.append(
            {
                **settings,
                "round": entry.number,
                "evaluations": judged,
                "plans": len(entry.plans),
                "changed": moved,
                **_measured(problem, _better(problem, entry.plans, objective)),
                **_measured(problem, choose(record.rounds[:t], final), "standing_"),
                **_measured(problem, _better(problem, seen, objective), "best_"),
                "finish": entry.finish,
                "replies": entry.replies,
                "tokens": entry.tokens,
                "format_errors": len(entry.format_errors),
            }
        )
    return rows


def _better(problem: FairDecisions, plans: Sequence[Plan], objective: str) -> Plan | None:
    """The best of plans in truth, the earlier of equals; None of none."""
    if not plans:
        return None
    return plans[int(np.argmax(measures.value(objective, problem.totals_of(np.array(plans)))))]


def _measured(problem: FairDecisions, plan: Plan | None, prefix: str = "") -> dict[str, float]:
    if plan is None:
        return {prefix + name: float("nan") for name in MEASURED}
    totals = problem.totals(plan)
    return {prefix + "divergence": float(measures.divergence(totals)), prefix + "welfare": float(totals.sum())}


def budget(
    rounds: pd.DataFrame, by: str | Sequence[str] = "coordinator", value: str = "standing_divergence"
) -> pd.DataFrame:
    """What every run has after each number of participants' evaluations: by..., run, evaluations, `value`.

    A run that stopped early keeps what it has: every mean over `evaluations` is one over all runs. Runs that judge two
    plans a round move twice as fast. NaN before a run's first plan.

    Parameters
    ----------
    rounds : as `rounds_of` gives it
    by : columns that name the groups; each is followed over all numbers of evaluations that one of its runs had
    """
    keys = [by] if isinstance(by, str) else list(by)
    need_columns(rounds, [*keys, "round", "evaluations", "instance", value], "rounds")
    need_keys(rounds, keys, "rounds")
    parts = [_followed(part, keys, value) for _, part in rounds.groupby(keys, sort=False)]
    return pd.concat(parts, ignore_index=True)


def at_budget(rounds: pd.DataFrame, evaluations: int) -> pd.DataFrame:
    """The last round of every run within so many evaluations, one row a run: ready for `means` and `paired`.

    A run that stopped early, or had no more rounds, has its last one; one whose first round costs more has no row.

    Parameters
    ----------
    rounds : as `rounds_of` gives it

    Raises
    ------
    InvalidInput
        When no run has a round as cheap as that, or two runs cannot be told apart.
    """
    need_columns(rounds, ["round", "evaluations", "instance"], "rounds")
    within = rounds[rounds["evaluations"] <= evaluations]
    if within.empty:
        least = rounds["evaluations"].min()
        raise InvalidInput(f"evaluations: {evaluations} given; expected at least {least}, what the first round costs")
    which = [str(c) for c in rounds if c not in ROUND]
    if within.duplicated([*which, "round"]).any():
        raise InvalidInput("rounds: two runs have the same settings; keep a column that tells them apart")
    return within.sort_values("round").groupby(which, sort=False, dropna=False).tail(1).sort_index()


def _followed(part: pd.DataFrame, keys: list[str], value: str) -> pd.DataFrame:
    which = [str(c) for c in part if c not in ROUND]
    numbered = part.assign(run=part.groupby(which, sort=False, dropna=False).ngroup())
    if numbered.duplicated(["run", "round"]).any():
        raise InvalidInput("rounds: two runs have the same settings; keep a column that tells them apart")
    # Of rounds that cost nothing, such as the one that only stops, the last one counts.
    latest = numbered.sort_values("round").drop_duplicates(["run", "evaluations"], keep="last")
    wide = latest.pivot(index="evaluations", columns="run", values=value).sort_index().ffill()
    wide = wide[wide.index > 0]
    long = wide.melt(ignore_index=False, value_name=value).reset_index()
    return long.assign(**{key: part[key].iloc[0] for key in keys})[[*keys, "run", "evaluations", value]]


def trajectory(record: Planning) -> pd.DataFrame:
    """One run as appendix D tells it: a row for each round, plan and participant.

    Returns
    -------
    DataFrame
        round, plan (its options, counted from 1), position (of two under comparison, 0 or 1), participant, total (the
        truth), heard (as the group knows it; NaN while it knows none), divergence, chosen (whether the group ended
        with this plan) and reason. A round without a plan has no row.
    """
    columns = ["round", "plan", "position", "participant", "total", "heard", "divergence", "chosen", "reason"]
    rows = [row for entry in record.rounds for row in _told(entry, record)]
    return pd.DataFrame(rows, columns=columns)


def _told(entry: PlanningRound, record: Planning) -> list[dict[str, Any]]:
    rows = []
    for position, (plan, totals) in enumerate(zip(entry.plans, entry.totals, strict=True)):
        heard = entry.heard[position] if entry.heard else (float("nan"),) * len(totals)
        for name, total, known in zip(record.participants, totals, heard, strict=True):
            told = {"participant": name, "total": total, "heard": known}
            where = {"round": entry.number, "plan": " ".join(str(k + 1) for k in plan), "position": position}
            more = {"divergence": max(totals) - min(totals), "chosen": plan == record.chosen, "reason": entry.reason}
            rows.append({**where, **told, **more})
    return rows
