"""Fair decisions in numbers.

("Investigating Language Models for Supporting Complex Group Decisions", 003, section 5.)
All quality is that of the truth, on the gains that only the participants knew. A run
that never had a usable plan has no quality (NaN); it is counted, not given the worst
value. Each instance is also measured against itself: its optimum, a random plan, and
the best of some random ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import comb

from support.analysis.frames import head, need_columns
from support.fair_decisions.measures import divergence, shortfall, value, welfare
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Planning
from support.fair_decisions.search import choose
from support.models.profiles import is_model
from support.runs.study import Unit
from support.solvers.fair import solve

LISTED = 60_000  # plans that are listed rather than drawn: 3 options to 10 decisions
K = 5  # plans of a random search
ROLES = ("coordinator", "people", "estimator", "solver")
Records = Iterable[tuple[Unit | Mapping[str, Any], Planning]]
Row = dict[str, Any]


# ---- runs and rounds


def settings_of(unit: Unit | Mapping[str, Any], record: Planning) -> Row:
    """What a row begins with: who sat there, the settings, the instance and its shape.

    `people` are the kinds of the participants; a model that was told how much to reason
    has that in its name.
    """
    row = {role: record.seats.get(role, "none") for role in ROLES}
    people = {record.seats[name] for name in record.participants}
    row |= {"people": ", ".join(sorted(people)), "objective": objective_of(record)}
    row |= head(record.settings) | head(unit) | {"solver": row["solver"]}
    sizes = np.shape(record.gains)
    row |= zip(("participants", "decisions", "options"), sizes, strict=True)
    if is_model(row["coordinator"]) and isinstance(row.get("reasoning"), str):
        row["coordinator"] += f" (reasoning {row['reasoning']})"
    return row | {"instance": instance_key(record.gains)}


def instance_key(gains: Any) -> str:
    """A short name of an instance, the same for the same gains whatever drew them."""
    given = np.ascontiguousarray(gains, dtype="<i8")
    return sha256(repr(given.shape).encode() + given.tobytes()).hexdigest()[:12]


def problem_of(record: Planning) -> FairDecisions:
    """The problem of a run, with its gains."""
    return FairDecisions(np.array(record.gains), record.participants)


def objective_of(record: Planning) -> str:
    """What was looked for in a run."""
    return str(record.settings.get("objective", "divergence"))


def rounds_of(records: Records) -> pd.DataFrame:
    """One row for each run and round, in truth.

    Columns: the settings; `run`, its place among the records; `round`; `evaluations`
    (one participant judging one plan) so far; `divergence` of the round's plan, the
    fairer one of two, `standing_divergence` of the plan that the group would end with
    now, by what it knows, and `best_divergence` of the fairest plan so far.
    """
    parts = []
    for run, (unit, record) in enumerate(records):
        settings = settings_of(unit, record)
        parts.append(_rounds(record).assign(**settings, run=run))
    return pd.concat(parts, ignore_index=True)


def _rounds(record: Planning) -> pd.DataFrame:
    problem = problem_of(record)
    final = str(record.settings.get("final", "best known"))
    rows = []
    for t, entry in enumerate(record.rounds, start=1):
        judged = len(entry.plans) * len(entry.feedback)
        row: Row = {"round": entry.number, "evaluations": judged}
        if entry.plans:
            row["divergence"] = divergence(np.array(entry.totals)).min()
        standing = choose(record.rounds[:t], final)
        if standing is not None:
            row["standing_divergence"] = divergence(problem.totals(standing))
        rows.append(row)
    columns = ["round", "evaluations", "divergence", "standing_divergence"]
    frame = pd.DataFrame(rows, columns=columns).astype(float)
    frame["evaluations"] = frame["evaluations"].cumsum()
    frame["best_divergence"] = frame["divergence"].cummin().ffill()
    return frame


def runs_of(records: Records) -> pd.DataFrame:
    """One row for each run.

    Columns: the settings; `divergence`, `welfare` and `shortfall` of the chosen plan
    (NaN where none was); `evaluations`, `tokens` of models, `format_errors`.
    """
    rows = []
    for unit, record in records:
        row = settings_of(unit, record) | dict.fromkeys(("evaluations", "tokens"), 0)
        for entry in record.rounds:
            row["evaluations"] += len(entry.plans) * len(entry.feedback)
            row["tokens"] += entry.tokens
        row["format_errors"] = record.summary["format_errors"]
        rows.append(row | _quality(record))
    return pd.DataFrame(rows)


def _quality(record: Planning) -> Row:
    """How good the chosen plan is."""
    if record.chosen is None:
        return dict.fromkeys(("divergence", "welfare", "shortfall"), nan)
    problem = problem_of(record)
    totals = problem.totals(record.chosen)
    return {
        "divergence": float(divergence(totals)),
        "welfare": float(welfare(totals)),
        "shortfall": float(shortfall(totals, problem.best)),
    }


def budget(
    rounds: pd.DataFrame,
    by: str = "coordinator",
    value: str = "standing_divergence",
) -> pd.DataFrame:
    """What every run has after each number of evaluations: by, run, evaluations, value.

    A run that stopped early keeps what it has: every mean is one over all runs.
    """
    need_columns(rounds, ["run", "evaluations", by, value], "rounds")
    parts = []
    for name, part in rounds[rounds["evaluations"] > 0].groupby(by, sort=False):
        # Of rounds that cost nothing, such as one that only stops, the last one counts.
        then = part.pivot_table(value, "evaluations", "run", "last").ffill()
        long = then.melt(ignore_index=False, value_name=value).reset_index()
        parts.append(long.assign(**{by: name}))
    return pd.concat(parts, ignore_index=True)


# ---- what an instance allows


def with_references(
    frame: pd.DataFrame,
    records: Records,
    draws: int = 20_000,
) -> pd.DataFrame:
    """Runs with what their instances allow, by their objective.

    Added are optimum, proven, the columns of `random_plans`, and `regret`: how far the
    chosen plan is behind the optimum, 0 or more.
    """
    cases = {}
    for _, record in records:
        cases[instance_key(record.gains), objective_of(record)] = problem_of(record)
    rows = []
    for (key, objective), problem in cases.items():
        best = solve(problem, objective)
        rng = np.random.default_rng([0, int(key, 16)])
        row: Row = {"instance": key, "objective": objective}
        row |= {"optimum": best.value, "proven": best.proven}
        rows.append(row | random_plans(problem, objective, draws, rng))
    table = pd.DataFrame(rows)
    merged = frame.merge(table, on=["instance", "objective"], validate="many_to_one")
    reached = [row[row["objective"]] for row in merged.to_dict("records")]
    return merged.assign(regret=(reached - merged["optimum"]).abs())


def random_plans(
    problem: FairDecisions,
    objective: str,
    draws: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """What uniform plans are worth.

    random (their mean), random_low and random_high (the middle 80 percent of single
    plans), random_best (the mean best of `K` different ones), k.
    """
    _, n, m = problem.shape
    plans = rng.integers(m, size=(draws, n))
    if m**n <= LISTED:
        plans = np.indices((m,) * n).reshape(n, -1).T
    worth = value(objective, problem.totals(plans), problem.best)
    ranked = np.sort(worth.astype(float))[::-1]
    low, high = np.sort(np.abs(np.quantile(ranked, (0.1, 0.9))))
    found = {
        "random": abs(ranked.mean()),
        "random_low": low,
        "random_high": high,
    }
    return found | {"random_best": abs(expected_best(ranked, K)), "k": K}


def expected_best(ranked: np.ndarray, k: int) -> float:
    """The mean of the best of k different values, sorted from the best down.

    The i-th of N is the best with probability C(N - i, k - 1) / C(N, k).

    >>> expected_best(np.array([3.0, 2.0, 1.0]), 2)  # 3 in two pairs of three, else 2
    2.6666666666666665
    """
    count = len(ranked)
    k = min(k, count)
    below = np.arange(count)[::-1]
    return float(ranked @ comb(below, k - 1) / comb(count, k))
