"""Fair decisions in numbers ("Investigating Language Models for Supporting Complex Group Decisions", 003, section 5).

All quality is that of the truth, on the gains that only the participants knew. A run that never had a usable plan has
no quality (NaN) and is not `found`; it is counted, not given the worst value. More decisions make for larger totals and
more plans that are nearly fair, so that each instance is also measured against itself: its optimum, a random plan, and
the best of k random ones. How well words are read is in `support.analysis.listening`, what the paper states of all this
in `support.analysis.fairness_claims`, what people agreed on in `support.analysis.bargains`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import head, need_columns, need_keys, numbers
from support.analysis.stats import adjusted, cluster_bootstrap, compare, signed_rank
from support.errors import InvalidInput
from support.fair_decisions import measures
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Plan, Planning
from support.fair_decisions.search import choose
from support.models.profiles import is_model
from support.runs.study import Unit
from support.solvers.fair import solve

QUALITY = ("divergence", "shortfall", "welfare", "nash", "gini", "envy", "least", "most")
"""What is measured of a plan; `least` and `most` are the smallest and the largest total."""

ALL = 60_000  # plans that are listed rather than drawn: 3 options up to 10 decisions
MEASURED = ("divergence", "welfare")
ROUND = ("round", "evaluations", "plans", "changed", *MEASURED, *(f"{w}_{m}" for w in ("standing", "best")
         for m in MEASURED), "finish", "replies", "tokens", "format_errors", "seconds")  # fmt: skip
STEPS = ("worse", "away", "returned", "few", "many", "weakest")
PROMISES = re.compile(r"differen|diverg|gap|balanc|equal|fair|closer|even(?:ly|s)?\b|spread", re.I)
Records = Iterable[tuple[Unit | Mapping[str, Any], Planning]]


# -- one row for each run, round, step -------------------------------------------------------------------------------


def runs_of(records: Records) -> pd.DataFrame:
    """One row for each run of a study's file; settings may be a mapping in the place of a unit.

    Returns
    -------
    DataFrame
        The settings (see `settings_of`); the columns of `QUALITY` for the chosen plan; `found` (whether there was one),
        `stopped` (by the coordinator), `rounds_used`, `evaluations` (one participant judging one plan), `replies` of
        models with their `tokens`, `format_errors`; `changed`, how many decisions of a plan differ from the nearest
        earlier one, the mean over rounds; and how the run failed, see `_failed`.
    """
    return pd.DataFrame([{**settings_of(unit, record), **_outcome(record)} for unit, record in records])


def settings_of(unit: Unit | Mapping[str, Any], record: Planning) -> dict[str, Any]:
    """What a run's row begins with: who sat there, the settings, the shape of the problem, which instance it is.

    `coordinator`, `estimator` and `solver` are the seats' kinds where no setting names them, `people` the kinds of
    those who answered; a model that was told how much to reason has that in its name. The unit's settings come before
    the record's, shape and `instance` (equal for equal gains) are as the gains have them.
    """
    roles = {role: record.seats.get(role, "none") for role in ("coordinator", "estimator", "solver")}
    people = sorted({kind for name in record.participants if (kind := record.seats.get(name))})
    shape = dict(zip(("participants", "decisions", "options"), np.shape(record.gains), strict=True))
    made = {**roles, "people": ", ".join(people), **head(record.settings), **head(unit), **shape}
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
        kinds = [str(one) for one in frame.get(role, pd.Series(dtype=object)).dropna().unique()]
        named = [kind.replace("True", "exact") for kind in kinds if kind not in ("", "none", "False")]
        told += [f"{role}: {', '.join(named)}"] if named else []
    return "; ".join(told)


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
        return dict.fromkeys(QUALITY, nan)
    totals = problem.totals(plan)
    fair = (measures.divergence(totals), measures.shortfall(problem, totals), measures.welfare(totals))
    more = (measures.nash_welfare(totals), measures.gini(totals), measures.envy(totals), totals.min(), totals.max())
    return dict(zip(QUALITY, map(float, (*fair, *more)), strict=True))


def _outcome(record: Planning) -> dict[str, Any]:
    judged = sum(len(entry.plans) for entry in record.rounds if entry.feedback)
    most = record.settings.get("rounds", len(record.rounds))
    played = [entry for entry in record.rounds if entry.number <= most]  # after them a model may choose among plans
    seen, moves = list[Plan](), list[float]()
    for entry in record.rounds:
        if entry.plans and seen and not entry.finish:
            moves.append(changed(entry.plans, seen))
        seen += entry.plans
    return {
        **quality(problem_of(record), record.chosen),
        "found": record.chosen is not None,
        "stopped": bool(played) and played[-1].finish,
        "rounds_used": len(played),
        "evaluations": judged * len(record.participants),
        "replies": sum(entry.replies for entry in record.rounds),
        "tokens": sum(entry.tokens for entry in record.rounds),
        "format_errors": sum(len(entry.format_errors) for entry in record.rounds),
        "changed": float(np.mean(moves)) if moves else nan,
        **_failed(record),
    }


def changed(plans: Sequence[Plan], before: Sequence[Plan]) -> float:
    """How many decisions of a plan differ from the nearest of earlier plans; the mean of two plans, NaN without any.

    >>> changed([(0, 1, 1)], [(0, 0, 0), (0, 1, 0)])
    1.0
    """
    if not plans or not before:
        return nan
    return float(np.mean([(np.array(before) != np.array(plan)).sum(axis=1).min() for plan in plans]))


def _objective(record: Planning) -> str:
    return str(record.settings.get("objective", "divergence"))


def _path(record: Planning) -> tuple[list[Plan], np.ndarray]:
    """The plan of each round that had one, the better of two, and what each is worth: larger is better."""
    problem, objective = problem_of(record), _objective(record)
    plans = [plan for e in record.rounds if not e.finish and (plan := _better(problem, e.plans, objective)) is not None]
    worth = measures.value(objective, problem.totals_of(np.array(plans))) if plans else np.empty(0)
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

    `away`: the last plan is worse than an earlier one; `returned`: after its best plan it went back to near a worse
    one; `best 2`, `best 3`: the best plan is that of this round; `rises`: from round 3 to 5 each plan is worse than
    the one before; `one`: every plan differs in one decision from the nearest earlier one; `few`, `many`: most steps
    changed less than half of the decisions, any step more than half; `weakest`: in most steps who had least got more,
    and nobody else; `promises`: most reasons speak of a smaller difference, by a word list; `undone`, of the steps that
    lowered the objective the share that the next round takes back; `local`: the chosen plan is one that no single
    change improves; `misled`: by how many points the chosen plan is worse than the best that was proposed.
    """
    problem, objective, (plans, worth) = problem_of(record), _objective(record), _path(record)
    steps = pd.DataFrame(list(_steps(record)), columns=["round", *STEPS])
    lowered = [i for i in range(1, len(plans) - 1) if worth[i] < worth[i - 1]]
    said = [bool(PROMISES.search(e.reason)) for e in record.rounds[1:] if e.reason and not e.finish]
    got = nan if record.chosen is None else float(measures.value(objective, problem.totals(record.chosen)))
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
    (plans, worth), problem = _path(record), problem_of(record)
    for i in range(1, len(plans)):
        moved, top = sum(a != b for a, b in zip(plans[i - 1], plans[i], strict=True)), int(worth[:i].argmax())
        away = [sum(a != b for a, b in zip(plan, plans[i], strict=True)) for plan in plans[:i]]
        worse = [far for far, w in zip(away, worth, strict=False) if w < worth[top]]
        back = worth[i] < worth[top] and min(worse, default=inf) < away[top]
        gained = problem.totals(plans[i]) > (before := problem.totals(plans[i - 1]))
        alone, size = bool(gained[before.argmin()] and gained.sum() == 1), len(plans[i])
        told = (worth[i] < worth[i - 1], worth[i] < worth[top], back, moved < size / 2, moved > size / 2)
        yield (i + 1, *map(float, told), float(alone))


def steps_of(records: Records) -> pd.DataFrame:
    """One row for each step from a round's plan to the next one's: the settings, run, round, and what of it is so (1).

    `worse`: the objective fell in truth; `away`: it is below that of the best plan so far; `returned`: so it is,
    and nearer to a worse earlier one than to the best; `few`, `many`: less, more than half of the decisions changed;
    `weakest`: who had least got more, and nobody else.
    """
    return pd.DataFrame([
        {**settings_of(unit, record), "run": run, **dict(zip(("round", *STEPS), step, strict=True))}
        for run, (unit, record) in enumerate(records) for step in _steps(record)
    ])  # fmt: skip


def failures(steps: pd.DataFrame, by: str | Sequence[str], rng: np.random.Generator) -> pd.DataFrame:
    """How often each thing of `STEPS` happens in each group: by..., what, mean, low, high, n, clusters.

    Steps of one run, and runs on one instance, hang together, so that whole instances are drawn.
    """
    keys = [by] if isinstance(by, str) else list(by)
    need_columns(steps, [*keys, "instance", *STEPS], "steps")
    return pd.DataFrame([
        {**dict(zip(keys, names, strict=True)), "what": what, **cluster_bootstrap(part, what, "instance", rng)}
        for names, part in steps.groupby(keys, sort=False) for what in STEPS
    ])  # fmt: skip


def rounds_of(records: Records) -> pd.DataFrame:
    """One row for each run and round; all quality is that of the truth, NaN where there is no plan.

    Columns: the settings as `runs_of` has them; `round`; `evaluations` so far (one participant judging one plan);
    `plans` proposed in the round; `divergence` and `welfare` of the round's plan, of the better one by the objective
    where there are two, `standing_…` of the plan that the group would end with if it ended now, by what it knows, and
    `best_…` of the best plan so far in truth, which nobody in the loop may recognise; `changed`, how many decisions
    differ from the nearest plan of earlier rounds; `finish`, `replies`, `tokens`, `format_errors`.
    """
    return pd.DataFrame([row for unit, record in records for row in _rounds(settings_of(unit, record), record)])


def _rounds(settings: dict[str, Any], record: Planning) -> Iterator[dict[str, Any]]:
    problem = problem_of(record)
    objective, final = settings.get("objective", "divergence"), settings.get("final", "best known")
    judged, seen = 0, list[Plan]()
    for t, entry in enumerate(record.rounds, start=1):
        judged += len(entry.plans) * len(record.participants) if entry.feedback else 0
        moved = changed(entry.plans, seen)
        seen += entry.plans
        yield {
            **settings,
            **{"round": entry.number, "evaluations": judged, "plans": len(entry.plans), "changed": moved},
            **_measured(problem, _better(problem, entry.plans, objective)),
            **_measured(problem, choose(record.rounds[:t], final), "standing_"),
            **_measured(problem, _better(problem, seen, objective), "best_"),
            **{"finish": entry.finish, "replies": entry.replies, "tokens": entry.tokens},
            "format_errors": len(entry.format_errors),
        }


def _better(problem: FairDecisions, plans: Sequence[Plan], objective: str) -> Plan | None:
    """The best of plans in truth, the earlier of equals; None of none."""
    return plans[int(np.argmax(measures.value(objective, problem.totals_of(np.array(plans)))))] if plans else None


def _measured(problem: FairDecisions, plan: Plan | None, prefix: str = "") -> dict[str, float]:
    totals = None if plan is None else problem.totals(plan)
    values = (nan, nan) if totals is None else (float(measures.divergence(totals)), float(totals.sum()))
    return {prefix + name: value for name, value in zip(MEASURED, values, strict=True)}


def budget(
    rounds: pd.DataFrame, by: str | Sequence[str] = "coordinator", value: str = "standing_divergence"
) -> pd.DataFrame:
    """What every run has after each number of participants' evaluations: by..., run, evaluations, `value`.

    A run that stopped early keeps what it has: every mean over `evaluations` is one over all runs. Runs that judge two
    plans a round move twice as fast. NaN before a run's first plan.
    """
    keys = [by] if isinstance(by, str) else list(by)
    need_columns(rounds, [*keys, "round", "evaluations", "instance", value], "rounds")
    need_keys(rounds, keys, "rounds")
    parts = []
    for names, part in rounds.groupby(keys, sort=False):
        part = part.assign(run=part.groupby(_told_apart(part), sort=False, dropna=False).ngroup())
        # Of rounds that cost nothing, such as the one that only stops, the last one counts.
        latest = part.sort_values("round").drop_duplicates(["run", "evaluations"], keep="last")
        wide = latest.pivot(index="evaluations", columns="run", values=value).sort_index().ffill()
        long = wide[wide.index > 0].melt(ignore_index=False, value_name=value).reset_index()
        group: dict[str, Any] = dict(zip(keys, names, strict=True))
        parts.append(long.assign(**group)[[*keys, "run", "evaluations", value]])
    return pd.concat(parts, ignore_index=True)


def at_budget(rounds: pd.DataFrame, evaluations: int) -> pd.DataFrame:
    """The last round of every run within so many evaluations, one row a run: ready for `describe` and `paired`.

    A run that stopped early, or had no more rounds, has its last one; one whose first round costs more has no row.
    """
    need_columns(rounds, ["round", "evaluations", "instance"], "rounds")
    within = rounds[rounds["evaluations"] <= evaluations]
    if within.empty:
        least = rounds["evaluations"].min()
        raise InvalidInput(f"evaluations: {evaluations} given; expected at least {least}, what the first round costs")
    return within.sort_values("round").groupby(_told_apart(within), sort=False, dropna=False).tail(1).sort_index()


def _told_apart(rounds: pd.DataFrame) -> list[str]:
    which = [str(c) for c in rounds if c not in ROUND]
    if rounds.duplicated([*which, "round"]).any():
        raise InvalidInput("rounds: two runs have the same settings; keep a column that tells them apart")
    return which


def trajectory(record: Planning) -> pd.DataFrame:
    """One run as appendix D tells it: a row for each round, plan and participant.

    Columns: round, plan (its options, counted from 1), position (of two under comparison, 0 or 1), participant, total
    (the truth), heard (as the group knows it; NaN while it knows none), divergence, chosen (whether the group ended
    with this plan) and reason.
    """
    columns = ["round", "plan", "position", "participant", "total", "heard", "divergence", "chosen", "reason"]
    rows = []
    for entry in record.rounds:
        for position, (plan, totals) in enumerate(zip(entry.plans, entry.totals, strict=True)):
            heard = entry.heard[position] if entry.heard else (nan,) * len(totals)
            named = " ".join(str(k + 1) for k in plan)
            after = (max(totals) - min(totals), plan == record.chosen, entry.reason)
            rows += [
                (entry.number, named, position, *told, *after)
                for told in zip(record.participants, totals, heard, strict=True)
            ]
    return pd.DataFrame(rows, columns=columns)


# -- what an instance allows -----------------------------------------------------------------------------------------


def references(records: Records, k: int = 5, draws: int = 20_000) -> pd.DataFrame:
    """What each instance allows, whoever looks for a plan: one row for each instance and objective in the records.

    Columns: instance, objective, optimum, proven (whether it is), random (the mean over uniform plans), random_low and
    random_high (the middle 80 percent of single plans), random_best (the mean best of k plans, as many as a random
    search judges), k, exact (whether all plans were listed, rather than `draws` drawn). Divergences are positive.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for unit, record in records:
        settings = settings_of(unit, record)
        key = settings["instance"], str(settings.get("objective", "divergence"))
        if key not in rows:
            problem, rng = FairDecisions(np.array(record.gains)), np.random.default_rng([0, int(key[0], 16)])
            found = solve(problem.gains, key[1])
            # By its plan: solvers may write the value of an objective with either sign.
            worth = abs(float(measures.value(key[1], problem.totals(found.plan))))
            named = {"instance": key[0], "objective": key[1], "optimum": worth, "proven": bool(found.proven)}
            rows[key] = named | random_plans(problem, key[1], k, draws, rng)
    return pd.DataFrame(rows.values())


def with_references(frame: pd.DataFrame, records: Records, **given: Any) -> pd.DataFrame:
    """The frame with the columns of `references`, and `regret`: how far the chosen plan is behind the optimum."""
    keyed = frame if "objective" in frame else frame.assign(objective="divergence")
    need_columns(keyed, ["instance", "objective", *MEASURED], "runs")
    table = references(records, **given)
    merged = keyed.merge(table, on=["instance", "objective"], how="left", validate="many_to_one")
    if merged["optimum"].isna().any():
        absent = merged.loc[merged["optimum"].isna(), "instance"].iloc[0]
        raise InvalidInput(f"runs: the instance {absent} is in none of the records; give the records of the frame")
    fair = merged["objective"] == "divergence"
    reached, sign = merged["divergence"].where(fair, merged["welfare"]), np.where(fair, 1.0, -1.0)
    return merged.assign(regret=(reached - merged["optimum"]) * sign)


def random_plans(
    problem: FairDecisions, objective: str, k: int, draws: int, rng: np.random.Generator
) -> dict[str, float | bool]:
    """What uniform plans are worth: mean, middle 80 percent, mean best of k different ones."""
    if min(k, draws) < 1:
        raise InvalidInput(f"k: {k!r}, draws: {draws!r} given; expected whole numbers of at least 1")
    _, n, m = problem.shape
    exact = m**n <= ALL
    plans = np.indices((m,) * n).reshape(n, -1).T if exact else rng.integers(m, size=(draws, n))
    ranked = np.sort(measures.value(objective, problem.totals_of(plans)).astype(float))[::-1]
    sign = -1.0 if objective == "divergence" else 1.0
    low, high = np.sort(sign * np.quantile(ranked, (0.1, 0.9)))
    best = sign * expected_best(ranked, k)
    middle = {"random": sign * float(ranked.mean()), "random_low": float(low), "random_high": float(high)}
    return middle | {"random_best": best, "k": k, "exact": exact}


def expected_best(ranked: np.ndarray, k: int) -> float:
    """The mean of the best of k different values of shape (N,), sorted from the best down; of all where N < k.

    The best is the i-th with probability C(N - i, k - 1) / C(N, k): exact where all plans are listed, and unbiased
    from drawn ones.

    >>> expected_best(np.array([3.0, 2.0, 1.0]), 2)  # 3 in two pairs of three, else 2
    2.6666666666666665
    """
    count = len(ranked)
    if k >= count:
        return float(ranked[0])
    i = np.arange(1, count - k + 1)
    chance = k / count * np.cumprod(np.concatenate([[1.0], (count - i - k + 1) / (count - i)]))
    return float(chance @ ranked[: count - k + 1])


# -- comparisons -----------------------------------------------------------------------------------------------------


def paired(
    frame: pd.DataFrame,
    by: str,
    a: Hashable,
    b: Hashable,
    value: str = "divergence",
    along: str | Sequence[str] = (),
    pairs: str | Sequence[str] = "instance",
    level: float = 0.95,
) -> pd.DataFrame:
    """The difference a - b on the same instances, for each group of `along`, such as the number of decisions.

    `a` and `b` are levels of the column `by`, `pairs` the columns that identify a pair. Columns: along..., value, a, b,
    n (pairs), left_out, mean_a, mean_b, difference, low, high (Student's paired t), p, p_adjusted (Holm's, over the
    groups), wilcoxon (p of `stats.signed_rank`, zeros as Pratt has them), hedges_g, g_low, g_high, lower, equal, higher
    (pairs where a is below, at, above b), note. A group in which a level is absent has no row.
    """
    keys, on = ([given] if isinstance(given, str) else list(given) for given in (along, pairs))
    need_columns(frame, [by, value, *keys, *on], "runs")
    need_keys(frame, [by, *keys, *on], "runs")
    for name in (a, b):
        if not (frame[by] == name).any():
            there = ", ".join(map(str, frame[by].unique()))
            raise InvalidInput(f"{by}: no run with {name!r}; there are: {there}")
    chosen = frame[frame[by].isin([a, b])].assign(**{value: numbers(frame, value)})
    rows = []
    for names, part in chosen.groupby(keys, sort=True) if keys else [((), chosen)]:
        if part[by].nunique() < 2:
            continue
        ordered = part.sort_values(by, key=lambda column: column != a, kind="stable")
        tested = compare(ordered, value, by, paired_by=on, correction=None, level=level, show=False).iloc[0]
        wide = part.pivot(index=on, columns=by, values=value)
        gaps = (wide[a] - wide[b]).dropna().to_numpy()
        group: dict[str, Any] = dict(zip(keys, names, strict=True))
        rows.append({
            **group, "value": value, "a": a, "b": b, "n": len(gaps),
            **{name: tested[name] for name in ("left_out", "mean_a", "mean_b", "difference", "low", "high", "p")},
            "wilcoxon": signed_rank(gaps, "pratt").p,
            **{name: tested[name] for name in ("hedges_g", "g_low", "g_high")},
            "lower": int((gaps < 0).sum()), "equal": int((gaps == 0).sum()), "higher": int((gaps > 0).sum()),
            "note": tested["note"],
        })  # fmt: skip
    if not rows:
        raise InvalidInput(f"{by}: {a!r} and {b!r} never occur in the same {', '.join(keys)}; nothing to pair")
    table = pd.DataFrame(rows)
    table.insert(list(table.columns).index("p") + 1, "p_adjusted", adjusted(table["p"]))
    return table
