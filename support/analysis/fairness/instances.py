"""What an instance allows, whoever looks for a plan: its optimum, a random plan, the best of k random plans.

The mean divergence of a group of runs says little by itself: more decisions make for larger totals, and for more plans
that are nearly fair. Each instance is therefore measured against itself.

With N plans in all (or drawn), sorted from the best, the best of k different ones is the i-th with probability
C(N - i, k - 1) / C(N, k). That is exact where all plans can be listed, and an unbiased estimate from drawn ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.fairness.runs import Records, settings_of
from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.fair_decisions.measures import value
from support.fair_decisions.problem import FairDecisions

ALL = 60_000  # plans that are listed rather than drawn: 3 options up to 10 decisions
REFERENCES = (
    "optimum",
    "proven",
    "random",
    "random_low",
    "random_high",
    "random_best",
    "k",
    "exact",
    "regret",
    "closed",
)
SHARE = (0.1, 0.9)
Solve = Callable[..., Any]
"""As `support.solvers.fair.solve`."""


def references(
    records: Records,
    *,
    k: int = 5,
    draws: int = 20_000,
    seed: int = 0,
    time_limit: float = 10.0,
    solve: Solve | None = None,
) -> pd.DataFrame:
    """One row for each instance and objective that occur in the records.

    Parameters
    ----------
    k : plans that a random search judges; five rounds of one plan in the paper
    draws : plans drawn where there are more than can be listed
    seed : each instance's draws depend on it and on the instance alone
    time_limit : seconds for the solver, per instance
    solve : by default `support.solvers.fair.solve`

    Returns
    -------
    DataFrame
        instance, objective, optimum, proven (whether it is), random (the mean over uniform plans), random_low and
        random_high (the middle 80 percent of single plans), random_best (the mean best of k plans), k, exact (whether
        all plans were listed), and participants, decisions, options. Divergences are positive, lower is better.

    Raises
    ------
    InvalidInput
        On k or draws below 1.
    """
    for name, given in (("k", k), ("draws", draws)):
        if given < 1:
            raise InvalidInput(f"{name}: {given!r} given; expected a whole number of at least 1")
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for unit, record in records:
        settings = settings_of(unit, record)
        key = settings["instance"], str(settings.get("objective", "divergence"))
        if key not in rows:
            problem = FairDecisions(np.array(record.gains))
            best = _optimum(problem, key[1], time_limit, solve)
            rng = np.random.default_rng([seed, int(key[0], 16)])
            shape = {name: settings[name] for name in ("participants", "decisions", "options")}
            rows[key] = dict(zip(("instance", "objective"), key, strict=True)) | best
            rows[key] |= random_plans(problem, key[1], k, draws, rng) | shape
    return pd.DataFrame(rows.values())


def with_references(frame: pd.DataFrame, records: Records, **given: Any) -> pd.DataFrame:
    """The frame with the columns of `references` (see there for what may be given), and of `regret`.

    Parameters
    ----------
    frame : as `runs_of` gives it, of these records or of some of them
    """
    table = references(records, **given).drop(columns=["participants", "decisions", "options"])
    keyed = frame if "objective" in frame else frame.assign(objective="divergence")
    need_columns(keyed, ["instance", "objective"], "runs")
    merged = keyed.merge(table, on=["instance", "objective"], how="left", validate="many_to_one")
    if merged["optimum"].isna().any():
        absent = merged.loc[merged["optimum"].isna(), "instance"].iloc[0]
        raise InvalidInput(f"runs: the instance {absent} is in none of the records; give the records of the frame")
    return regret(merged)


def regret(frame: pd.DataFrame) -> pd.DataFrame:
    """With `regret` and `closed`, by each run's objective.

    `regret` is how much the chosen plan is behind the optimum, 0 or more. `closed` is the share of the gap between a
    random plan and the optimum that the run closes: 1 at the optimum, 0 at what a random plan has on average, below 0
    when it is worse; NaN where there is no gap.
    """
    need_columns(frame, ["objective", "optimum", "random", "divergence", "welfare"], "runs")
    fair = frame["objective"] == "divergence"
    reached = frame["divergence"].where(fair, frame["welfare"])
    sign = np.where(fair, 1.0, -1.0)
    behind: pd.Series[float] = (reached - frame["optimum"]) * sign
    gap: pd.Series[float] = (frame["random"] - frame["optimum"]) * sign
    return frame.assign(regret=behind, closed=1 - behind / gap.where(gap > 0))


def random_plans(
    problem: FairDecisions, objective: str, k: int, draws: int, rng: np.random.Generator
) -> dict[str, float | bool]:
    """What uniform plans are worth: mean, middle 80 percent, mean best of k different ones."""
    _, n, m = problem.shape
    exact = m**n <= ALL
    plans = np.indices((m,) * n).reshape(n, -1).T if exact else rng.integers(m, size=(draws, n))
    ranked = np.sort(value(objective, problem.totals_of(plans)).astype(float))[::-1]
    sign = -1.0 if objective == "divergence" else 1.0
    low, high = np.sort(sign * np.quantile(ranked, SHARE))
    return {
        "random": sign * float(ranked.mean()),
        "random_low": float(low),
        "random_high": float(high),
        "random_best": sign * expected_best(ranked, k),
        "k": k,
        "exact": exact,
    }


def expected_best(ranked: np.ndarray, k: int) -> float:
    """The mean of the best of k different values; of all of them where there are fewer.

    Parameters
    ----------
    ranked : float array of shape (N,), from the best down

    >>> expected_best(np.array([3.0, 2.0, 1.0]), 2)  # 3 in two pairs of three, else 2
    2.6666666666666665
    """
    count = len(ranked)
    if k >= count:
        return float(ranked[0])
    i = np.arange(1, count - k + 1)
    chance = k / count * np.cumprod(np.concatenate([[1.0], (count - i - k + 1) / (count - i)]))
    return float(chance @ ranked[: count - k + 1])


def _optimum(problem: FairDecisions, objective: str, time_limit: float, solve: Solve | None) -> dict[str, Any]:
    if solve is None:
        from support.solvers.fair import solve as exactly

        solve = exactly
    found = solve(problem.gains, objective, time_limit=time_limit)
    # By its plan: solvers may write the value of an objective with either sign.
    worth = abs(float(value(objective, problem.totals(found.plan))))
    return {"optimum": worth, "proven": bool(found.proven)}
