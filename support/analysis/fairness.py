"""Fair decisions in numbers.

("Investigating Language Models for Supporting Complex Group Decisions", 003, section 5.)
All quality is that of the truth, on the gains that only the participants knew. A run
that never had a usable plan has no quality (NaN); it is counted, not given the worst
value. Each instance is also measured against itself: its optimum, a random plan, and
the best of some random ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from hashlib import sha256
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import head, need_columns
from support.analysis.stats import compare
from support.errors import InvalidInput
from support.fair_decisions.measures import divergence, value, welfare
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Plan, Planning
from support.fair_decisions.search import choose
from support.models.profiles import is_model
from support.runs.study import Unit
from support.solvers.fair import solve

LISTED = 60_000  # plans that are listed rather than drawn: 3 options to 10 decisions
K = 5  # plans of the random search in `with_references`
ROLES = ("coordinator", "people", "estimator", "solver")
STEPS = ("worse", "away", "returned", "few", "many", "weakest")
Records = Iterable[tuple[Unit | Mapping[str, Any], Planning]]
Row = dict[str, Any]


# ---- runs and rounds


def settings_of(unit: Unit | Mapping[str, Any], record: Planning) -> Row:
    """What a row begins with: who sat there, the settings, the instance and its shape.

    Roles that no setting names are called by the kind of their seat, `people` by the
    kinds of the participants; a model that was told how much to reason has that in its
    name.
    """
    people = {record.seats.get(name, "none") for name in record.participants}
    row: Row = {role: record.seats.get(role, "none") for role in ROLES}
    row["people"] = ", ".join(sorted(people))
    row |= head(record.settings) | head(unit)
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
    told = []
    for role in [role for role in ROLES if role in frame]:
        kinds = frame[role].dropna().astype(str).replace("True", "exact").unique()
        named = [kind for kind in kinds if kind not in ("", "none", "False")]
        if named:
            told.append(f"{role}: {', '.join(named)}")
    return "; ".join(told)


def rounds_of(records: Records) -> pd.DataFrame:
    """One row for each run and round, in truth; 1 for yes.

    Columns: the settings; `run`, its place among the records; `round`; `evaluations`
    (one participant judging one plan) so far; `divergence` of the round's plan, the
    better one of two, `standing_divergence` of the plan that the group would end with
    now, by what it knows, and `best_divergence` of the fairest plan so far. Then, from
    the second plan on, what the step to it was: `worse` than the plan before; worse
    than the best plan so far (`away`), and nearer to a worse one than to the best
    (`returned`); less, more than half of the decisions changed (`few`, `many`); who had
    least got more, and nobody else (`weakest`); `changed` decisions, from the nearest
    earlier plan; after a worse step, whether this one takes it back (`undone`).
    """
    rows = []
    for run, (unit, record) in enumerate(records):
        settings = settings_of(unit, record) | {"run": run}
        rows += [settings | row for row in _rounds(record)]
    return pd.DataFrame(rows)


def _rounds(record: Planning) -> list[Row]:
    problem, objective = _problem(record), _objective(record)
    final = str(record.settings.get("final", "best known"))
    rows, seen, judged = list[Row](), list[Plan](), 0
    path, worth = list[Plan](), list[float]()
    for t, entry in enumerate(record.rounds, start=1):
        judged += len(entry.plans) * len(entry.feedback)
        seen += entry.plans
        plan = _best(problem, entry.plans, objective)
        row = {
            "round": entry.number,
            "evaluations": judged,
            "divergence": _divergence(problem, plan),
            "standing_divergence": _divergence(
                problem, choose(record.rounds[:t], final)
            ),
            "best_divergence": _divergence(problem, _best(problem, seen, "divergence")),
        }
        if plan is not None and not entry.finish:
            path.append(plan)
            worth.append(_worth(problem, plan, objective))
            row["worth"] = worth[-1]
            if len(path) > 1:
                row |= _step(problem, np.array(path), np.array(worth))
        rows.append(row)
    return rows


def _step(problem: FairDecisions, path: np.ndarray, worth: np.ndarray) -> Row:
    """What the last step of a path was."""
    before, after = problem.totals_of(path[-2:])
    gained = after > before
    apart = (path[:-1] != path[-1]).sum(axis=1)
    best = worth[:-1].argmax()
    away = worth[-1] < worth[best]
    others = apart[worth[:-1] < worth[best]]
    half = path.shape[1] / 2
    told = {
        "changed": apart.min(),
        "worse": worth[-1] < worth[-2],
        "away": away,
        "returned": away and others.min(initial=path.shape[1]) < apart[best],
        "few": apart[-1] < half,
        "many": apart[-1] > half,
        "weakest": gained[before.argmin()] and gained.sum() == 1,
    }
    if len(path) > 2 and worth[-2] < worth[-3]:
        moved = path[-3] != path[-2]
        told["undone"] = (path[-1] == path[-3])[moved].mean() > 0.5
    return {name: float(said) for name, said in told.items()}


def runs_of(records: Records) -> pd.DataFrame:
    """One row for each run; how it failed as in 5.6 and appendix D of 003, 1 for yes.

    Columns: the settings; `divergence`, `welfare` and `shortfall` of the chosen plan;
    `evaluations`, `replies` of models with their `tokens`, `format_errors`; `changed`
    and `undone` (see `rounds_of`), means over rounds. `misled`: by how much it is worse
    than the best that was proposed; `away`: the last plan is so; `returned`, `many`:
    some step did; `few`, `weakest`: most did; `one`: each plan differs in one decision
    from the nearest; `best 2`, `best 3`: the best plan is that of this round; `rises`:
    from round 3 to 5 each plan is worse than the one before; `local`: no change of one
    decision improves the chosen plan. NaN where there was no occasion.
    """
    return pd.DataFrame(
        [settings_of(unit, record) | _run(record) for unit, record in records]
    )


def _run(record: Planning) -> Row:
    problem, objective = _problem(record), _objective(record)
    row: Row = {"divergence": nan, "welfare": nan, "shortfall": nan, "local": nan}
    if record.chosen is not None:
        totals = problem.totals(record.chosen)
        row["divergence"] = float(divergence(totals))
        row["welfare"] = float(welfare(totals))
        row["shortfall"] = float((problem.best - totals).max())
        row["local"] = float(is_local(problem, record.chosen, objective))
    for name in ("replies", "tokens"):
        row[name] = sum(getattr(entry, name) for entry in record.rounds)
    row["format_errors"] = sum(len(entry.format_errors) for entry in record.rounds)
    named = ["evaluations", "worth", "changed", "undone", *STEPS]
    rounds = pd.DataFrame(_rounds(record)).reindex(columns=named)
    row["evaluations"] = rounds["evaluations"].max() if len(rounds) else 0
    proposed = rounds.dropna(subset="worth")
    worth = proposed["worth"].to_numpy()
    for k in (2, 3):
        row[f"best {k}"] = float(worth.argmax() + 1 == k) if len(worth) >= k else nan
    row["rises"] = float(worth[2] > worth[3] > worth[4]) if len(worth) > 4 else nan
    row["misled"] = nan
    if len(worth) and record.chosen is not None:
        row["misled"] = worth.max() - _worth(problem, record.chosen, objective)
    steps = proposed.iloc[1:]
    row |= {name: steps[name].mean() for name in ("changed", "undone")}
    some: Mapping[str, Any] = {
        "away": steps["away"].tail(1),
        "returned": steps["returned"],
        "many": steps["many"],
        "few": [steps["few"].mean() > 0.5],
        "weakest": [steps["weakest"].mean() > 0.5],
        "one": [(steps["changed"] == 1).all()],
    }
    return row | {
        name: float(max(v)) if len(steps) else nan for name, v in some.items()
    }


def is_local(problem: FairDecisions, plan: Plan, objective: str) -> bool:
    """Whether no change of a single decision makes the plan better."""
    _, n, m = problem.shape
    near = np.repeat([plan], n * m, axis=0)
    near[np.arange(n * m), np.repeat(np.arange(n), m)] = np.tile(np.arange(m), n)
    worth = value(objective, problem.totals_of(near), problem.best)
    return bool(worth.max() <= _worth(problem, plan, objective))


def _problem(record: Planning) -> FairDecisions:
    return FairDecisions(np.array(record.gains), record.participants)


def _objective(record: Planning) -> str:
    return str(record.settings.get("objective", "divergence"))


def _worth(problem: FairDecisions, plan: Plan, objective: str) -> float:
    return float(value(objective, problem.totals(plan), problem.best))


def _divergence(problem: FairDecisions, plan: Plan | None) -> float:
    return nan if plan is None else float(divergence(problem.totals(plan)))


def _best(problem: FairDecisions, plans: Sequence[Plan], objective: str) -> Plan | None:
    """The best of plans in truth, the earlier of equals; None of none."""
    if not plans:
        return None
    worth = value(objective, problem.totals_of(np.array(plans)), problem.best)
    return plans[int(worth.argmax())]


def budget(
    rounds: pd.DataFrame, by: str = "coordinator", value: str = "standing_divergence"
) -> pd.DataFrame:
    """What every run has after each number of evaluations: by, run, evaluations, value.

    A run that stopped early keeps what it has: every mean is one over all runs.
    """
    need_columns(rounds, ["run", "round", "evaluations", by, value], "rounds")
    # Of rounds that cost nothing, such as the one that only stops, the last one counts.
    latest = rounds.drop_duplicates(["run", "evaluations"], keep="last")
    parts = []
    for name, part in latest[latest["evaluations"] > 0].groupby(by, sort=False):
        wide = part.pivot(index="evaluations", columns="run", values=value)
        long = wide.sort_index().ffill().melt(ignore_index=False, value_name=value)
        parts.append(long.reset_index().assign(**{by: name}))
    return pd.concat(parts, ignore_index=True)


def at_budget(rounds: pd.DataFrame, evaluations: int) -> pd.DataFrame:
    """The last round of every run within so many evaluations."""
    within = rounds[rounds["evaluations"] <= evaluations]
    if within.empty:
        least = rounds["evaluations"].min()
        raise InvalidInput(
            f"evaluations: {evaluations} given; expected at least {least}, what the "
            "first round costs"
        )
    return within.drop_duplicates("run", keep="last")


def trajectory(record: Planning) -> pd.DataFrame:
    """One run as appendix D tells it: a row for each round, plan and participant.

    Columns: round, position (of two plans under comparison), participant, total (the
    truth), heard (as the group knows it), chosen (whether the group ended with it).
    """
    rows = []
    for entry in record.rounds:
        for position, (plan, totals) in enumerate(
            zip(entry.plans, entry.totals, strict=True)
        ):
            heard = entry.heard[position] if entry.heard else [nan] * len(totals)
            known = zip(record.participants, totals, heard, strict=True)
            same = plan == record.chosen
            rows += [(entry.number, position, *told, same) for told in known]
    columns = ["round", "position", "participant", "total", "heard", "chosen"]
    return pd.DataFrame(rows, columns=columns)


# ---- what an instance allows


def with_references(
    frame: pd.DataFrame, records: Records, draws: int = 20_000
) -> pd.DataFrame:
    """Runs with what their instances allow, by their objective.

    Added are optimum, proven, the columns of `random_plans` for `K` plans, and
    `regret`: how far the chosen plan is behind the optimum, 0 or more.
    """
    found: dict[tuple[str, str], Row] = {}
    for _, record in records:
        key = instance_key(record.gains), _objective(record)
        if key not in found:
            problem = _problem(record)
            best = solve(problem, key[1])
            rng = np.random.default_rng([0, int(key[0], 16)])
            found[key] = {
                "instance": key[0],
                "objective": key[1],
                "proven": best.proven,
            }
            found[key] |= {"optimum": abs(best.value)}
            found[key] |= random_plans(problem, key[1], K, draws, rng)
    keys = ["instance", "objective"]
    if "objective" not in frame:
        frame = frame.assign(objective="divergence")
    merged = frame.merge(pd.DataFrame(found.values()), on=keys, validate="many_to_one")
    reached = [row[row["objective"]] for row in merged.to_dict("records")]
    return merged.assign(regret=(reached - merged["optimum"]).abs())


def random_plans(
    problem: FairDecisions, objective: str, k: int, draws: int, rng: np.random.Generator
) -> dict[str, float]:
    """What uniform plans are worth.

    random (their mean), random_low and random_high (the middle 80 percent of single
    plans), random_best (the mean best of k different ones), k.
    """
    _, n, m = problem.shape
    plans = rng.integers(m, size=(draws, n))
    if m**n <= LISTED:
        plans = np.indices((m,) * n).reshape(n, -1).T
    worth = value(objective, problem.totals_of(plans), problem.best)
    ranked = np.sort(worth.astype(float))[::-1]
    low, high = np.sort(np.abs(np.quantile(ranked, (0.1, 0.9))))
    told = {"random": abs(ranked.mean()), "random_low": low, "random_high": high}
    return told | {"random_best": abs(expected_best(ranked, k)), "k": k}


def expected_best(ranked: np.ndarray, k: int) -> float:
    """The mean of the best of k different values, sorted from the best down.

    The i-th of N is the best with probability C(N - i, k - 1) / C(N, k).

    >>> expected_best(np.array([3.0, 2.0, 1.0]), 2)  # 3 in two pairs of three, else 2
    2.6666666666666665
    """
    count = len(ranked)
    if k >= count:
        return float(ranked[0])
    i = np.arange(1, count - k + 1)
    ratios = np.append(1.0, (count - i - k + 1) / (count - i))
    return float(k / count * np.cumprod(ratios) @ ranked[: count - k + 1])


def paired(
    frame: pd.DataFrame,
    by: str,
    a: Hashable,
    b: Hashable,
    value: str = "divergence",
    along: str = "",
) -> pd.DataFrame:
    """The difference a - b of two levels of `by` on the same instances.

    As `stats.compare` has it (n: pairs), a row for each level of `along` that has both.
    """
    need_columns(frame, [by, value, "instance"], "runs")
    chosen = frame[frame[by].isin([a, b])]
    tables = []
    for name, part in chosen.groupby(along) if along else [("", chosen)]:
        if part[by].nunique() == 2:
            table = compare(part, value, by, "instance", reference=b)
            tables.append(table.assign(**{along or "along": name}))
    if not tables:
        there = ", ".join(map(str, frame[by].unique()))
        raise InvalidInput(
            f"{by}: {a!r} and {b!r} never occur together; there are: {there}"
        )
    return pd.concat(tables, ignore_index=True).rename(columns={"n_a": "n"})
