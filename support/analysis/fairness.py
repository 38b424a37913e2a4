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
from support.fair_decisions.problem import FairDecisions, neighbours
from support.fair_decisions.records import Plan, Planning
from support.fair_decisions.search import choose
from support.models.profiles import is_model
from support.runs.study import Unit
from support.solvers.fair import solve

LISTED = 60_000  # plans that are listed rather than drawn: 3 options to 10 decisions
K = 5  # plans of a random search
ROLES = ("coordinator", "people", "estimator", "solver")
STEPS = ["worse", "away", "returned", "few", "many", "weakest"]
QUALITY = ["divergence", "welfare", "shortfall", "local"]
ROUND = ["evaluations", "worth", "changed", "one", "undone", *STEPS]
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
    row |= {"people": ", ".join(sorted(people)), "objective": _objective(record)}
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


def who(frame: pd.DataFrame) -> str:
    """Who sat there, role by role, from a frame of runs or rounds: for titles.

    >>> who(pd.DataFrame({"coordinator": ["mcts", "model:a"], "people": "plain"}))
    'coordinator: mcts, model:a; people: plain'
    """
    roles = []
    for role in ROLES:
        kinds = frame.get(role, pd.Series(dtype=object)).dropna().unique()
        named = [kind for kind in kinds if kind not in ("", "none")]
        if named:
            roles.append(f"{role}: {', '.join(named)}")
    return "; ".join(roles)


def rounds_of(records: Records) -> pd.DataFrame:
    """One row for each run and round, in truth; 1 for yes.

    Columns: the settings; `run`, its place among the records; `round`; `evaluations`
    (one participant judging one plan) so far; `divergence` of the round's plan, the
    better one of two, `standing_divergence` of the plan that the group would end with
    now, by what it knows, and `best_divergence` of the fairest plan so far; `worth` by
    the objective of a plan that was tried. Then, from the second on, what the step to
    it was: `worse` than the plan before; worse than the best plan so far (`away`), and
    nearer to a worse one than to the best (`returned`); less, more than half of the
    decisions changed (`few`, `many`); who had least got more, and nobody else
    (`weakest`); `changed` decisions, from the nearest earlier plan, and whether that is
    `one`; after a worse step, whether this one takes it back (`undone`).
    """
    parts = []
    for run, (unit, record) in enumerate(records):
        settings = settings_of(unit, record)
        parts.append(_rounds(record).assign(**settings, run=run))
    return pd.concat(parts, ignore_index=True)


def _rounds(record: Planning) -> pd.DataFrame:
    problem, objective = _problem(record), _objective(record)
    final = str(record.settings.get("final", "best known"))
    rows, path = list[Row](), list[Plan]()
    for t, entry in enumerate(record.rounds, start=1):
        judged = len(entry.plans) * len(entry.feedback)
        row: Row = {"round": entry.number, "evaluations": judged}
        standing = choose(record.rounds[:t], final)
        if standing is not None:
            row["standing_divergence"] = divergence(problem.totals(standing))
        if entry.plans:
            totals = problem.totals(entry.plans)
            gaps = divergence(totals)
            better = value(objective, totals, problem.best).argmax()
            row |= {"divergence": gaps[better], "best_divergence": gaps.min()}
            if not entry.finish:
                path.append(entry.plans[better])
                row |= _step(problem, objective, np.array(path))
        rows.append(row)
    quality = ["divergence", "standing_divergence", "best_divergence"]
    frame = pd.DataFrame(rows, columns=["round", *quality, *ROUND]).astype(float)
    frame["evaluations"] = frame["evaluations"].cumsum()
    frame["best_divergence"] = frame["best_divergence"].cummin().ffill()
    return frame


def _step(problem: FairDecisions, objective: str, path: np.ndarray) -> Row:
    """What the last plan of a path is worth, and what the step to it was."""
    totals = problem.totals(path)
    worth = value(objective, totals, problem.best)
    if len(path) == 1:
        return {"worth": worth[-1]}
    gained = totals[-1] > totals[-2]
    apart = (path[:-1] != path[-1]).sum(axis=1)
    earlier, reached = worth[:-1], worth[-1]
    best, half = earlier.argmax(), path.shape[1] / 2
    away = reached < earlier[best]
    others = apart[earlier < earlier[best]]
    step = {
        "worth": reached,
        "changed": apart.min(),
        "one": apart.min() == 1,
        "worse": reached < earlier[-1],
        "away": away,
        "returned": away and (others < apart[best]).any(),
        "few": apart[-1] < half,
        "many": apart[-1] > half,
        "weakest": gained[totals[-2].argmin()] and gained.sum() == 1,
    }
    if len(path) > 2 and earlier[-1] < earlier[-2]:
        moved = path[-3] != path[-2]
        step["undone"] = (path[-1] == path[-3])[moved].mean() > 0.5
    return step


def runs_of(records: Records) -> pd.DataFrame:
    """One row for each run; how it failed as in 5.6 and appendix D of 003, 1 for yes.

    Columns: the settings; `divergence`, `welfare` and `shortfall` of the chosen plan;
    `evaluations`, `tokens` of models, `format_errors`; `changed` and `undone` (see
    `rounds_of`), means over rounds. `misled`: by how much it is worse than the best
    that was proposed; `away`: the last plan is so; `returned`, `many`: some step did;
    `few`, `weakest`: most did; `one`: each plan differs in one decision from the
    nearest; `best 2`, `best 3`: the best plan is that of this round; `rises`: from
    round 3 to 5 each plan is worse than the one before; `local`: no change of one
    decision improves the chosen plan. NaN where there was no occasion.
    """
    rows = [settings_of(unit, record) | _run(record) for unit, record in records]
    return pd.DataFrame(rows)


WHOLE = {
    "changed": "mean",
    "undone": "mean",
    "returned": "max",
    "many": "max",
    "one": "min",
}
"""What is said of a run by its steps."""


def _run(record: Planning) -> Row:
    rounds = _rounds(record)
    tried = rounds.dropna(subset="worth")
    worth, steps = tried["worth"].to_numpy(), tried.iloc[1:]
    row: Any = steps.agg(WHOLE).to_dict()
    # 0 or 1: at half of the steps 0.
    row |= steps[["few", "weakest"]].quantile(interpolation="lower").to_dict()
    row["away"] = steps["away"].tail(1).max()
    for k in (2, 3):
        if len(worth) >= k:
            row[f"best {k}"] = float(worth.argmax() + 1 == k)
    if len(worth) > 4:
        row["rises"] = float(worth[2] > worth[3] > worth[4])
    row["evaluations"] = rounds["evaluations"].max()
    row["tokens"] = sum(entry.tokens for entry in record.rounds)
    row["format_errors"] = sum(len(entry.format_errors) for entry in record.rounds)
    return dict.fromkeys(QUALITY, nan) | row | _end(record, worth)


def _end(record: Planning, worth: np.ndarray) -> Row:
    """How good the chosen plan is, if any, beside those that were tried."""
    if record.chosen is None:
        return {}
    problem, objective = _problem(record), _objective(record)
    reached = problem.totals(record.chosen)
    gained = value(objective, reached, problem.best)
    return {
        "divergence": float(divergence(reached)),
        "welfare": float(welfare(reached)),
        "shortfall": float(shortfall(reached, problem.best)),
        "local": float(is_local(problem, record.chosen, objective)),
        "misled": max(worth, default=nan) - gained,
    }


def is_local(problem: FairDecisions, plan: Plan, objective: str) -> bool:
    """Whether no change of a single decision makes the plan better."""
    near = [plan, *neighbours(plan, problem.shape[2])]
    worth = value(objective, problem.totals(near), problem.best)
    return bool(worth[0] == worth.max())


def _problem(record: Planning) -> FairDecisions:
    return FairDecisions(np.array(record.gains), record.participants)


def _objective(record: Planning) -> str:
    return str(record.settings.get("objective", "divergence"))


def budget(
    rounds: pd.DataFrame, by: str = "coordinator", value: str = "standing_divergence"
) -> pd.DataFrame:
    """What every run has after each number of evaluations: by, run, evaluations, value.

    A run that stopped early keeps what it has: every mean is one over all runs.
    """
    need_columns(rounds, ["run", "evaluations", by, value], "rounds")
    judged = rounds[rounds["evaluations"] > 0].sort_values("evaluations", kind="stable")
    known = judged[[by, "run", "evaluations", value]].dropna(subset=value)
    runs = judged[[by, "run"]].drop_duplicates()
    places = judged[[by, "evaluations"]].drop_duplicates().merge(runs, on=by)
    # Of rounds that cost nothing, such as the one that only stops, the last one counts.
    return pd.merge_asof(places, known, on="evaluations", by=[by, "run"])


def at_budget(rounds: pd.DataFrame, evaluations: int) -> pd.DataFrame:
    """The last round of every run within so many evaluations."""
    within = rounds[rounds["evaluations"] <= evaluations]
    return within.drop_duplicates("run", keep="last")


def trajectory(record: Planning) -> pd.DataFrame:
    """One run as appendix D tells it: a row for each round, plan and participant.

    Columns: round, position (of two plans under comparison), participant, total (the
    truth), heard (as the group knows it), chosen (whether the group ended with it).
    """
    rows = []
    for entry in record.rounds:
        for position, plan in enumerate(entry.plans):
            totals = entry.totals[position]
            heard = entry.heard[position] if entry.heard else [nan] * len(totals)
            chosen = plan == record.chosen
            for each in zip(record.participants, totals, heard, strict=True):
                rows.append((entry.number, position, *each, chosen))
    columns = ["round", "position", "participant", "total", "heard", "chosen"]
    return pd.DataFrame(rows, columns=columns)


# ---- what an instance allows


def with_references(
    frame: pd.DataFrame, records: Records, draws: int = 20_000
) -> pd.DataFrame:
    """Runs with what their instances allow, by their objective.

    Added are optimum, proven, the columns of `random_plans`, and `regret`: how far the
    chosen plan is behind the optimum, 0 or more.
    """
    cases = {}
    for _, record in records:
        cases[instance_key(record.gains), _objective(record)] = _problem(record)
    rows = []
    for (key, objective), problem in cases.items():
        best = solve(problem, objective)
        rng = np.random.default_rng([0, int(key, 16)])
        row = {"instance": key, "objective": objective, "proven": best.proven}
        drawn = random_plans(problem, objective, draws, rng)
        rows.append(row | drawn | {"optimum": abs(best.value)})
    table = pd.DataFrame(rows)
    merged = frame.merge(table, on=["instance", "objective"], validate="many_to_one")
    reached = [row[row["objective"]] for row in merged.to_dict("records")]
    return merged.assign(regret=(reached - merged["optimum"]).abs())


def random_plans(
    problem: FairDecisions, objective: str, draws: int, rng: np.random.Generator
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
    found = {"random": abs(ranked.mean()), "random_low": low, "random_high": high}
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
