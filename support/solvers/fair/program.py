"""Fair decisions as an integer linear program, solved for one cost after the other by whichever solver is given.

Columns are the binaries x_jk, that decision j takes option k, then integers that depend on the objective:

- divergence: highest h and lowest l with l <= V_i <= h, minimise h - l;
- welfare: none, minimise minus the sum of totals;
- leximin: for t = 1 to p - 1 the sum of the t smallest totals, t r - sum_i max(0, r - V_i), maximised one after the
  other, then the welfare (Ogryczak and Sliwinski 2006, on ordered outcomes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from support.solvers.fair.problem import DIVERGENCE, FAIREST_BEST, LEXIMIN, WELFARE, Found, Plan, totals

SLACK = 1e-6
"""What floating-point bounds may be off by: they are rounded to whole numbers with this allowance."""


@dataclass(frozen=True, eq=False)
class Program:
    """Minimise each cost in turn over whole numbers 0 <= columns <= upper with low <= rows @ columns <= high.

    Attributes
    ----------
    gains : int array of shape (participants, decisions, options)
    objective : a name of OBJECTIVES
    rows, low, high : arrays of shapes (rows, columns), (rows,), (rows,); infinite where there is no limit
    upper : array of shape (columns,)
    costs : one array of shape (columns,) for each part of the objective
    lowest : a divergence that no plan is below
    """

    gains: np.ndarray
    objective: str
    rows: np.ndarray
    low: np.ndarray
    high: np.ndarray
    upper: np.ndarray
    costs: tuple[np.ndarray, ...]
    lowest: int = 0

    @property
    def choices(self) -> int:
        """How many of the columns are binaries x_jk."""
        return self.gains.shape[1] * self.gains.shape[2]

    def worth(self, plan: Plan) -> tuple[int, ...]:
        """What each cost is for a plan, exactly."""
        return costs_of(self.objective, np.sort(totals(self.gains, plan)))

    def plan(self, columns: np.ndarray) -> Plan:
        """The plan in a solver's columns."""
        _, n, m = self.gains.shape
        return tuple(np.asarray(columns[: n * m]).reshape(n, m).argmax(axis=1).tolist())

    def at_most(self, part: int, cost: int) -> Program:
        """The same with one part of the objective held at what was reached."""
        return replace(
            self,
            rows=np.vstack([self.rows, self.costs[part]]),
            low=np.append(self.low, -np.inf),
            high=np.append(self.high, cost),
        )


@dataclass(frozen=True, slots=True)
class Reached:
    """What a solver reached for one cost: the plan, None when there was no time to find one, a lower bound on the cost
    (minus infinity when there is none), and the seconds that it took.
    """

    plan: Plan | None
    bound: float
    seconds: float


Minimise = Callable[[Program, int, float, Plan | None], Reached]
"""Minimises a part of the objective: program, part, seconds, and a plan to start from or None."""


def costs_of(objective: str, ascending: np.ndarray) -> tuple[int, ...]:
    """The costs, to be minimised one after the other, of totals in ascending order.

    >>> costs_of("leximin", np.array([1, 3, 5])), costs_of("divergence then welfare", np.array([1, 3, 5]))
    ((-1, -4, -9), (4, -9))
    """
    apart, together = int(ascending[-1] - ascending[0]), int(ascending.sum())
    if objective == LEXIMIN:
        return tuple((-np.cumsum(ascending)).tolist())
    return {DIVERGENCE: (apart,), WELFARE: (-together,), FAIREST_BEST: (apart, -together)}[objective]


def program(gains: np.ndarray, objective: str, lowest: int = 0) -> Program:
    """The program of an objective; `lowest` is a divergence that no plan is known to be below."""
    p, n, m = gains.shape
    worth, choose = gains.reshape(p, n * m), np.kron(np.eye(n, dtype=np.int64), np.ones(m, dtype=np.int64))
    top = int(gains.max(axis=2).sum(axis=1).max())
    blocks = {LEXIMIN: _ordered, WELFARE: _none}.get(objective, _between)(worth, lowest)
    extra, rows, low, high, costs = blocks
    wide = np.hstack([choose, np.zeros((n, extra), dtype=np.int64)])
    together = np.append(-worth.sum(axis=0), np.zeros(extra, dtype=np.int64))
    ends = () if objective == DIVERGENCE else (together,)
    return Program(
        gains=gains,
        objective=objective,
        rows=np.vstack([wide, rows]),
        low=np.append(np.ones(n), low),
        high=np.append(np.ones(n), high),
        upper=np.append(np.ones(n * m), np.full(extra, top)),
        costs=(*costs, *ends),
        lowest=lowest,
    )


Blocks = tuple[int, np.ndarray, np.ndarray, np.ndarray, tuple[np.ndarray, ...]]
"""How many further columns, the rows with their limits, and the costs."""


def _none(worth: np.ndarray, lowest: int) -> Blocks:
    return 0, np.zeros((0, worth.shape[1]), dtype=np.int64), np.zeros(0), np.zeros(0), ()


def _between(worth: np.ndarray, lowest: int) -> Blocks:
    """V_i - h <= 0, V_i - l >= 0, h - l >= lowest."""
    p, width = worth.shape
    below = np.hstack([worth, np.tile([-1, 0], (p, 1))])
    above = np.hstack([worth, np.tile([0, -1], (p, 1))])
    apart = np.append(np.zeros(width, dtype=np.int64), [1, -1])
    low = np.concatenate([np.full(p, -np.inf), np.zeros(p), [lowest]])
    high = np.concatenate([np.zeros(p), np.full(p + 1, np.inf)])
    return 2, np.vstack([below, above, apart]), low, high, (apart,)


def _ordered(worth: np.ndarray, lowest: int) -> Blocks:
    """For each t columns r and s_1 ... s_p with V_i + s_i - r >= 0, and the cost sum_i s_i - t r."""
    p, width = worth.shape
    extra = (p - 1) * (p + 1)
    rows = np.zeros((p * (p - 1), width + extra), dtype=np.int64)
    costs = np.zeros((p - 1, width + extra), dtype=np.int64)
    rows[:, :width] = np.tile(worth, (p - 1, 1))
    for t in range(p - 1):
        r = width + t * (p + 1)
        rows[t * p : (t + 1) * p, r] = -1
        rows[t * p + np.arange(p), r + 1 + np.arange(p)] = 1
        costs[t, r], costs[t, r + 1 : r + 1 + p] = -(t + 1), 1
    return extra, rows, np.zeros(len(rows)), np.full(len(rows), np.inf), tuple(costs)


def in_turn(asked: Program, minimise: Minimise, seconds: float, start: Plan | None = None) -> Found | None:
    """Minimise the costs one after the other; each gets an equal share of the time that is left.

    None when there was no time to find any plan. Bounds are in the sense of `Solution.bound`.
    """
    best, first, parts = start, -np.inf, len(asked.costs)
    for part in range(parts):
        reached = minimise(asked, part, seconds / (parts - part), best)
        seconds -= reached.seconds
        known = [plan for plan in (best, reached.plan) if plan is not None]
        if not known:
            return None
        best = min(known, key=asked.worth)
        cost, bound = asked.worth(best)[part], _whole(reached.bound)
        first = min(cost, bound) if part == 0 else first
        if bound < cost:
            return Found(best, _outward(asked, first), False, f"part {part + 1} of {parts} of the objective not proven")
        asked = asked.at_most(part, cost)
    return None if best is None else Found(best, _outward(asked, first), True)


def _whole(bound: float) -> float:
    """A lower bound on a whole number, rounded up to the next one."""
    return float(np.ceil(bound - SLACK)) if np.isfinite(bound) else bound


def _outward(asked: Program, bound: float) -> float:
    """A lower bound on the first cost, as a bound on what it stands for; + 0.0 makes a plain zero of minus zero."""
    return max(bound, asked.lowest) + 0.0 if asked.objective in (DIVERGENCE, FAIREST_BEST) else 0.0 - bound
