"""Fair decisions in numbers ("Investigating Language Models for Supporting Complex Group Decisions", 003, section 5).

All quality is that of the truth, on the gains that only the participants knew. A run that never had a usable plan has
no quality (NaN); it is counted, not given the worst value. More decisions make for larger totals and more plans that
are nearly fair, so that each instance is also measured against itself: its optimum, a random plan, and the best of k
random ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import head, need_columns
from support.analysis.stats import compare
from support.errors import InvalidInput
from support.fair_decisions import measures
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Plan, Planning
from support.fair_decisions.search import choose
from support.models.profiles import is_model
from support.runs.study import Unit
from support.solvers.fair import solve

ALL = 60_000  # plans that are listed rather than drawn: 3 options up to 10 decisions
K = 5  # plans of a random search, in `with_references`
MEASURED = ("divergence", "welfare")
STEPS = ("worse", "away", "returned", "few", "many", "weakest")
PROMISES = re.compile(
    r"differen|diverg|gap|balanc|equal|fair|closer|even(?:ly|s)?\b|spread", re.I
)
Records = Iterable[tuple[Unit | Mapping[str, Any], Planning]]


# -- one row for each run, round, step -------------------------------------------------------------------------------


def runs_of(records: Records) -> pd.DataFrame:
    """One row for each run of a study's file; settings may be a mapping in the place of a unit.

    Columns: the settings (see `settings_of`); `divergence` and `welfare` of the chosen plan; `evaluations` (one
    participant judging one plan), `replies` of models with their `tokens`, `format_errors`; `changed` (see there), a
    mean over rounds; how the run failed, see `_failed`.
    """
    return pd.DataFrame(
        [{**settings_of(unit, record), **_outcome(record)} for unit, record in records]
    )


def settings_of(unit: Unit | Mapping[str, Any], record: Planning) -> dict[str, Any]:
    """What a run's row begins with: who sat there, the settings, the shape of the problem, which instance it is.

    `coordinator`, `estimator` and `solver` are the seats' kinds where no setting names them, `people` those of who
    answered; a model that was told how much to reason has that in its name. The unit's settings come before the
    record's.
    """
    roles = {
        role: record.seats.get(role, "none")
        for role in ("coordinator", "estimator", "solver")
    }
    people = sorted(
        {kind for name in record.participants if (kind := record.seats.get(name))}
    )
    shape = dict(
        zip(
            ("participants", "decisions", "options"),
            np.shape(record.gains),
            strict=True,
        )
    )
    made = {
        **roles,
        "people": ", ".join(people),
        **head(record.settings),
        **head(unit),
        **shape,
    }
    if is_model(made["coordinator"]) and isinstance(made.get("reasoning"), str):
        made["coordinator"] += f" (reasoning {made['reasoning']})"
    return {**made, "instance": instance_key(record.gains)}


def who(frame: pd.DataFrame) -> str:
    """Who sat there, role by role, from a frame of runs or rounds: for titles and provenance.

    >>> who(pd.DataFrame({"coordinator": ["mcts", "model:a"], "people": "plain", "estimator": "none"}))
    'coordinator: mcts, model:a; people: plain'
    """
    told = []
    for role in ("coordinator", "people", "estimator", "solver"):
        kinds = [
            str(one)
            for one in frame.get(role, pd.Series(dtype=object)).dropna().unique()
        ]
        named = [
            kind.replace("True", "exact")
            for kind in kinds
            if kind not in ("", "none", "False")
        ]
        told += [f"{role}: {', '.join(named)}"] if named else []
    return "; ".join(told)


def instance_key(gains: Any) -> str:
    """A short name of an instance, the same for the same gains whatever drew them.

    >>> instance_key([[[1, 2]]]) == instance_key(((( 1, 2),),)) != instance_key([[[1], [2]]])
    True
    """
    given = np.ascontiguousarray(gains, dtype="<i8")
    return sha256(repr(given.shape).encode() + given.tobytes()).hexdigest()[:12]


def _problem(record: Planning) -> FairDecisions:
    return FairDecisions(np.array(record.gains), record.participants)


def _objective(record: Planning) -> str:
    return str(record.settings.get("objective", "divergence"))


def _outcome(record: Planning) -> dict[str, Any]:
    seen, moves = list[Plan](), list[float]()
    for entry in record.rounds:
        if entry.plans and seen and not entry.finish:
            moves.append(changed(entry.plans, seen))
        seen += entry.plans
    return {
        **_measured(_problem(record), record.chosen),
        "evaluations": sum(
            len(entry.plans) for entry in record.rounds if entry.feedback
        )
        * len(record.participants),
        "replies": sum(entry.replies for entry in record.rounds),
        "tokens": sum(entry.tokens for entry in record.rounds),
        "format_errors": sum(len(entry.format_errors) for entry in record.rounds),
        "changed": float(np.mean(moves)) if moves else nan,
        **_failed(record),
    }


def _measured(
    problem: FairDecisions, plan: Plan | None, prefix: str = ""
) -> dict[str, float]:
    if plan is None:
        return {prefix + name: nan for name in MEASURED}
    totals = problem.totals(plan)
    return {
        f"{prefix}divergence": float(measures.divergence(totals)),
        f"{prefix}welfare": float(totals.sum()),
    }


def changed(plans: Sequence[Plan], before: Sequence[Plan]) -> float:
    """How many decisions of a plan differ from the nearest of earlier plans; a mean over plans, NaN without any.

    >>> changed([(0, 1, 1)], [(0, 0, 0), (0, 1, 0)])
    1.0
    """
    if not plans or not before:
        return nan
    return float(
        np.mean(
            [(np.array(before) != np.array(plan)).sum(axis=1).min() for plan in plans]
        )
    )


def _better(
    problem: FairDecisions, plans: Sequence[Plan], objective: str
) -> Plan | None:
    """The best of plans in truth, the earlier of equals; None of none."""
    return (
        plans[
            int(
                np.argmax(measures.value(objective, problem.totals_of(np.array(plans))))
            )
        ]
        if plans
        else None
    )


def _path(record: Planning) -> tuple[list[Plan], np.ndarray]:
    """The plan of each round that had one, the better of two, and what each is worth: larger is better."""
    problem, objective = _problem(record), _objective(record)
    plans = [
        plan
        for e in record.rounds
        if not e.finish and (plan := _better(problem, e.plans, objective)) is not None
    ]
    worth = (
        measures.value(objective, problem.totals_of(np.array(plans)))
        if plans
        else np.empty(0)
    )
    return plans, np.asarray(worth, dtype=float)


def is_local(problem: FairDecisions, plan: Plan, objective: str) -> bool:
    """Whether no change of a single decision makes the plan better; by welfare, a sum over decisions, the best is."""
    _, n, m = problem.shape
    near = np.repeat([plan], n * m, axis=0)
    near[np.arange(n * m), np.repeat(np.arange(n), m)] = np.tile(np.arange(m), n)
    worth = measures.value(objective, problem.totals_of(near))
    return bool(worth.max() <= measures.value(objective, problem.totals(plan)))


def _failed(record: Planning) -> dict[str, float]:
    """How a run failed, 1 for yes, in the words of 5.6 and appendix D of 003; NaN where there was no occasion.

    `away`: the last plan is worse than an earlier one; `returned`, `many`: some step did (see `steps_of`); `few`,
    `weakest`: most did; `best 2`, `best 3`: the best plan is that of this round; `rises`: from round 3 to 5 each plan
    is worse than the one before; `one`: every plan differs in one decision from the nearest earlier one; `promises`:
    most reasons speak of a smaller difference, by a word list; `undone`: of the steps that lowered the objective the
    share that the next round takes back; `local`: no single change improves the chosen plan; `misled`: by how many
    points it is worse than the best that was proposed.
    """
    problem, objective, (plans, worth) = (
        _problem(record),
        _objective(record),
        _path(record),
    )
    steps = pd.DataFrame(list(_steps(record)), columns=["round", *STEPS])
    lowered = [i for i in range(1, len(plans) - 1) if worth[i] < worth[i - 1]]
    said = [
        bool(PROMISES.search(e.reason))
        for e in record.rounds[1:]
        if e.reason and not e.finish
    ]
    got = (
        nan
        if record.chosen is None
        else float(measures.value(objective, problem.totals(record.chosen)))
    )
    some, best = len(steps) > 0, int(worth.argmax()) + 1 if len(worth) else 0
    return {
        "misled": float(worth.max()) - got if len(worth) else nan,
        "away": float(worth[-1] < worth.max()) if some else nan,
        "returned": float(steps["returned"].any()) if some else nan,
        **{f"best {k}": float(best == k) if len(worth) >= k else nan for k in (2, 3)},
        "rises": float(worth[2] > worth[3] > worth[4]) if len(worth) > 4 else nan,
        "one": float(all(changed([plans[i]], plans[:i]) == 1 for i in range(1, len(plans)))) if some else nan,
        "few": float(steps["few"].mean() > 0.5) if some else nan,
        "many": float(steps["many"].any()) if some else nan,
        "weakest": float(steps["weakest"].mean() > 0.5) if some else nan,
        "promises": float(np.mean(said) > 0.5) if said else nan,
        "undone": float(np.mean([_taken_back(*plans[i - 1 : i + 2]) for i in lowered])) if lowered else nan,
        "local": float(is_local(problem, record.chosen, objective)) if record.chosen is not None else nan,
    }  # fmt: skip


def _taken_back(before: Plan, lowered: Plan, after: Plan) -> bool:
    """Whether what changed is as it was again in most decisions."""
    moved = [d for d, (a, b) in enumerate(zip(before, lowered, strict=True)) if a != b]
    return sum(after[d] == before[d] for d in moved) > len(moved) / 2


def _steps(record: Planning) -> Iterator[tuple[float, ...]]:
    (plans, worth), problem = _path(record), _problem(record)
    for i in range(1, len(plans)):
        away = [
            sum(a != b for a, b in zip(plan, plans[i], strict=True))
            for plan in plans[:i]
        ]
        moved, size, top = away[-1], len(plans[i]), int(worth[:i].argmax())
        worse = [far for far, w in zip(away, worth, strict=False) if w < worth[top]]
        back = worth[i] < worth[top] and min(worse, default=inf) < away[top]
        gained = problem.totals(plans[i]) > (before := problem.totals(plans[i - 1]))
        alone = gained[before.argmin()] and gained.sum() == 1
        told = (
            worth[i] < worth[i - 1],
            worth[i] < worth[top],
            back,
            moved < size / 2,
            moved > size / 2,
            alone,
        )
        yield (i + 1, *map(float, told))


def steps_of(records: Records) -> pd.DataFrame:
    """One row for each step from a round's plan to the next one's: the settings, run, round, and what of it is so (1).

    `worse`: the objective fell in truth; `away`: it is below that of the best plan so far; `returned`: so it is,
    and nearer to a worse earlier one than to the best; `few`, `many`: less, more than half of the decisions changed;
    `weakest`: who had least got more, and nobody else.
    """
    named = ("round", *STEPS)
    return _rows(
        records,
        lambda record, _: (
            dict(zip(named, step, strict=True)) for step in _steps(record)
        ),
    )


def rounds_of(records: Records) -> pd.DataFrame:
    """One row for each run and round; all quality is that of the truth, NaN where there is no plan.

    Columns: the settings as `runs_of` has them; `run`, its place among the records; `round`; `evaluations` so far;
    `divergence` and `welfare` of the round's plan, the better one of two, `standing_…` of the plan that the group would
    end with if it ended now, by what it knows, and `best_…` of the best plan so far in truth.
    """
    return _rows(records, _rounds)


def _rows(
    records: Records, of: Callable[[Planning, dict[str, Any]], Iterable[dict[str, Any]]]
) -> pd.DataFrame:
    settings = [
        (settings_of(unit, record) | {"run": run}, record)
        for run, (unit, record) in enumerate(records)
    ]
    return pd.DataFrame(
        [said | row for said, record in settings for row in of(record, said)]
    )


def _rounds(record: Planning, settings: dict[str, Any]) -> Iterator[dict[str, Any]]:
    problem = _problem(record)
    objective, final = (
        settings.get("objective", "divergence"),
        settings.get("final", "best known"),
    )
    judged, seen = 0, list[Plan]()
    for t, entry in enumerate(record.rounds, start=1):
        judged += len(entry.plans) * len(record.participants) if entry.feedback else 0
        seen += entry.plans
        yield {
            **{"round": entry.number, "evaluations": judged},
            **_measured(problem, _better(problem, entry.plans, objective)),
            **_measured(problem, choose(record.rounds[:t], final), "standing_"),
            **_measured(problem, _better(problem, seen, objective), "best_"),
        }


def budget(
    rounds: pd.DataFrame, by: str = "coordinator", value: str = "standing_divergence"
) -> pd.DataFrame:
    """What every run has after each number of participants' evaluations: by, run, evaluations, `value`.

    A run that stopped early keeps what it has: every mean over `evaluations` is one over all runs.
    """
    _need_runs(rounds, by, value)
    # Of rounds that cost nothing, such as the one that only stops, the last one counts.
    latest = rounds.sort_values("round").drop_duplicates(
        ["run", "evaluations"], keep="last"
    )
    parts = []
    for name, part in latest.sort_index().groupby(by, sort=False):
        wide = (
            part.pivot(index="evaluations", columns="run", values=value)
            .sort_index()
            .ffill()
        )
        parts.append(
            wide[wide.index > 0]
            .melt(ignore_index=False, value_name=value)
            .reset_index()
            .assign(**{by: name})
        )
    return pd.concat(parts, ignore_index=True)


def at_budget(rounds: pd.DataFrame, evaluations: int) -> pd.DataFrame:
    """The last round of every run within so many evaluations, one row a run; one whose first costs more has none."""
    _need_runs(rounds)
    within = rounds[rounds["evaluations"] <= evaluations]
    if within.empty:
        least = rounds["evaluations"].min()
        raise InvalidInput(
            f"evaluations: {evaluations} given; expected at least {least}, what the first round costs"
        )
    return within.sort_values("round").groupby("run", sort=False).tail(1).sort_index()


def _need_runs(rounds: pd.DataFrame, *columns: str) -> None:
    need_columns(rounds, ["run", "round", "evaluations", *columns], "rounds")
    if rounds.duplicated(["run", "round"]).any():
        raise InvalidInput(
            "rounds: two runs have the same number; number those of several studies anew, in `run`"
        )


def trajectory(record: Planning) -> pd.DataFrame:
    """One run as appendix D tells it: a row for each round, plan and participant.

    Columns: round, plan (its options, counted from 1), position (of two under comparison), participant, total (the
    truth), heard (as the group knows it), chosen (whether the group ended with this plan).
    """
    rows = []
    for entry in record.rounds:
        for position, (plan, totals) in enumerate(
            zip(entry.plans, entry.totals, strict=True)
        ):
            heard = entry.heard[position] if entry.heard else (nan,) * len(totals)
            named = " ".join(str(k + 1) for k in plan)
            rows += [
                (entry.number, named, position, *told, plan == record.chosen)
                for told in zip(record.participants, totals, heard, strict=True)
            ]
    return pd.DataFrame(
        rows,
        columns=[
            "round",
            "plan",
            "position",
            "participant",
            "total",
            "heard",
            "chosen",
        ],
    )


# -- what an instance allows -----------------------------------------------------------------------------------------


def with_references(
    frame: pd.DataFrame, records: Records, draws: int = 20_000
) -> pd.DataFrame:
    """The frame with optimum, proven, the columns of `random_plans` for `K` plans, as many as a random search judges,
    and `regret`: how far the chosen plan is behind the optimum; divergences are positive."""
    keyed = frame if "objective" in frame else frame.assign(objective="divergence")
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for unit, record in records:
        settings = settings_of(unit, record)
        key = settings["instance"], str(settings.get("objective", "divergence"))
        if key not in found:
            found[key] = _reference(_problem(record), key, draws)
    merged = keyed.merge(
        pd.DataFrame(found.values()),
        on=["instance", "objective"],
        how="left",
        validate="many_to_one",
    )
    if merged["optimum"].isna().any():
        absent = merged.loc[merged["optimum"].isna(), "instance"].iloc[0]
        raise InvalidInput(
            f"runs: the instance {absent} is in none of the records; give the records of the frame"
        )
    fair = merged["objective"] == "divergence"
    reached, sign = (
        merged["divergence"].where(fair, merged["welfare"]),
        np.where(fair, 1.0, -1.0),
    )
    return merged.assign(regret=(reached - merged["optimum"]) * sign)


def _reference(
    problem: FairDecisions, key: tuple[str, str], draws: int
) -> dict[str, Any]:
    instance, objective = key
    found = solve(problem.gains, objective)
    # By its plan: solvers may write the value of an objective with either sign.
    worth = abs(float(measures.value(objective, problem.totals(found.plan))))
    named = {
        "instance": instance,
        "objective": objective,
        "optimum": worth,
        "proven": bool(found.proven),
    }
    return named | random_plans(
        problem, objective, K, draws, np.random.default_rng([0, int(instance, 16)])
    )


def random_plans(
    problem: FairDecisions, objective: str, k: int, draws: int, rng: np.random.Generator
) -> dict[str, float | bool]:
    """What uniform plans are worth: random (their mean), random_low and random_high (the middle 80 percent),
    random_best (the mean best of k different ones), k, exact (whether all were listed, rather than drawn)."""
    _, n, m = problem.shape
    exact = m**n <= ALL
    plans = (
        np.indices((m,) * n).reshape(n, -1).T
        if exact
        else rng.integers(m, size=(draws, n))
    )
    ranked = np.sort(measures.value(objective, problem.totals_of(plans)).astype(float))[
        ::-1
    ]
    sign = -1.0 if objective == "divergence" else 1.0
    low, high = np.sort(sign * np.quantile(ranked, (0.1, 0.9)))
    best = sign * expected_best(ranked, k)
    middle = {
        "random": sign * float(ranked.mean()),
        "random_low": float(low),
        "random_high": float(high),
    }
    return middle | {"random_best": best, "k": k, "exact": exact}


def expected_best(ranked: np.ndarray, k: int) -> float:
    """The mean of the best of k different values of shape (N,), sorted from the best down; of all where N < k.

    The best is the i-th with probability C(N - i, k - 1) / C(N, k).

    >>> expected_best(np.array([3.0, 2.0, 1.0]), 2)  # 3 in two pairs of three, else 2
    2.6666666666666665
    """
    count = len(ranked)
    if k >= count:
        return float(ranked[0])
    i = np.arange(1, count - k + 1)
    chance = (
        k
        / count
        * np.cumprod(np.concatenate([[1.0], (count - i - k + 1) / (count - i)]))
    )
    return float(chance @ ranked[: count - k + 1])


# -- comparisons -----------------------------------------------------------------------------------------------------


def paired(
    frame: pd.DataFrame,
    by: str,
    a: Hashable,
    b: Hashable,
    value: str = "divergence",
    along: str = "",
) -> pd.DataFrame:
    """The difference a - b of two levels of `by` on the same instances, as `stats.compare` has it (n: pairs): a row for
    each level of `along` in which there are both."""
    need_columns(frame, [by, value, "instance", *([along] if along else [])], "runs")
    chosen = frame[frame[by].isin([a, b])]
    tables = [
        compare(part, value, by, "instance", reference=b).assign(
            **({along: name} if along else {})
        )
        for name, part in (chosen.groupby(along) if along else [("", chosen)])
        if part[by].nunique() == 2
    ]
    if not tables:
        there = ", ".join(map(str, frame[by].unique()))
        where = f" in the same {along}" if along else ""
        raise InvalidInput(
            f"{by}: {a!r} and {b!r} never occur{where}; there are: {there}"
        )
    return pd.concat(tables, ignore_index=True).rename(columns={"n_a": "n"})
