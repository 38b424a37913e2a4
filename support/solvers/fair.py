"""The best plan of a fair decision, and whether that is proven.

A plan chooses one option for each decision; V_i is what its options are worth to
participant i (section 3 of "Investigating Language Models for Supporting Complex Group
Decisions", 003). Its divergence is the largest V_i less the smallest. The paper words
another objective as well, the largest distance of a V_i from the best that i could have:
here the shortfall.

`meet` looks for a plan of divergence r = 0, 1, 2, ... with two halves of the decisions
(Horowitz and Sahni 1974). A plan's key is the sum over participants of a_i V_i, with
random a_i that sum to 0 modulo 2^64: equal totals have the key 0, whatever they are, and
totals that lie t apart have the key of t. Keys add up over decisions. So the keys of one
half are marked on a bitmap, and each key of the other half asks for what completes it.
Where the halves are too many, the remaining decisions are fixed so that the totals
balance, several times in another order: a plan at the bound is still proven, others
are not. `brute` looks at all plans of a small problem; CP-SAT of OR-tools begins from
the best plan and bound so far, and has what is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import add
from typing import Any

import numpy as np

from support.errors import InvalidInput

OBJECTIVES = DIVERGENCE, SHORTFALL, WELFARE = "divergence", "shortfall", "welfare"
"""The first two are to be small; welfare, the sum of all V_i, is to be large."""

Plan = tuple[int, ...]
LARGEST = 2**53  # totals stay below: exact as floating-point numbers, too
LISTED = 10**9  # totals, participants times plans, that `brute` looks at
FEW, MANY = 1_000, 200_000  # combinations in a half, at first and later
ORDERS = 40  # of the decisions, where some of them are fixed
LOOKUPS = 200_000_000  # in one search for the smallest divergence
FARTHEST = 40  # the largest divergence that is looked for


@dataclass(frozen=True, slots=True)
class Solution:
    """A plan, its value, and a bound that no plan betters; `solver` found or proved it."""

    plan: Plan
    value: int
    bound: int
    proven: bool
    solver: str


def solve(
    problem: object,
    objective: str = DIVERGENCE,
    time_limit: float = 10.0,
) -> Solution:
    """The best plan, and whether that is proven.

    `problem` is an int array of shape (participants, decisions, options), or has one
    as `gains`. CP-SAT has `time_limit` seconds; the work before it is bounded.

    >>> solve([[[80, 10, 10], [30, 30, 40]], [[20, 60, 20], [40, 37, 23]]])
    Solution(plan=(2, 2), value=7, bound=7, proven=True, solver='brute')
    """
    gains = checked(problem)
    if objective == DIVERGENCE:
        found = meet(gains)
        return found if found.proven else cp_sat(gains, found, time_limit)
    together = gains.sum(axis=0)
    richest = tuple(together.argmax(axis=1).tolist())
    if objective == WELFARE:
        most = int(together.max(axis=1).sum())
        return Solution(richest, most, most, True, "each decision alone")
    bound = _bound(gains, objective)
    lost = gains.max(axis=2).sum(axis=1) - totals(gains, richest)
    start = Solution(richest, int(lost.max()), bound, False, "relaxed")
    return cp_sat(gains, start, time_limit, objective)


def relaxed(problem: object, objective: str = DIVERGENCE) -> float:
    """What no plan betters: the value of the linear program, where options may be mixed.

    Section 3 of 003: each x_jk lies in [0, 1], and those of a decision sum to 1.

    >>> print(relaxed([[[2, 0]], [[0, 2]]]), relaxed([[[2, 0]], [[0, 2]]], "shortfall"))
    0.0 1.0
    """
    from scipy.optimize import linprog

    gains = checked(problem)
    if objective == WELFARE:
        return float(gains.sum(axis=0).max(axis=1).sum())
    unit = gains.max() or 1  # large coefficients are beyond the program's tolerance
    rows, limits = _constraints(gains / unit, objective)
    _, n, m = gains.shape
    width = -np.ones((len(rows), 1))
    one_each = np.kron(np.eye(n), np.ones(m))
    found: Any = linprog(
        c=np.append(np.zeros(n * m), 1),
        A_ub=np.hstack([rows, width]),
        b_ub=limits,
        A_eq=np.hstack([one_each, np.zeros((n, 1))]),
        b_eq=np.ones(n),
    )
    return abs(round(found.fun * unit, 6))


def _bound(gains: np.ndarray, objective: str) -> int:
    """The next whole number, with room for the program's floating point."""
    return math.ceil(relaxed(gains, objective) - 1e-6 * (1 + gains.sum()))


def _constraints(gains: np.ndarray, objective: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows over x_jk, and limits: what is to be small is at least each row less its limit."""
    worth = gains.reshape(len(gains), -1)
    if objective == SHORTFALL:
        return -worth, -gains.max(axis=2).sum(axis=1)
    if objective != DIVERGENCE:
        raise InvalidInput(
            f"objective: {objective!r} given; expected one of {', '.join(OBJECTIVES)}"
        )
    i, j = np.nonzero(~np.eye(len(gains), dtype=bool))
    return worth[i] - worth[j], np.zeros(len(i), dtype=np.int64)


def checked(problem: object) -> np.ndarray:
    """The gains as int64 of shape (participants, decisions, options), a copy."""
    try:
        given = np.asarray(getattr(problem, "gains", problem))
    except ValueError as error:
        raise InvalidInput(
            "gains: decisions with unequal numbers of options given; expected the same "
            "number for every decision and participant (fill up with options that "
            "nobody can want)"
        ) from error
    if given.ndim != 3 or 0 in given.shape or given.dtype.kind not in "iuf":
        raise InvalidInput(
            f"gains: {given.dtype} of shape {given.shape} given; expected whole numbers "
            "of shape (participants, decisions, options), at least one of each"
        )
    fits = (given >= 0) & (given < LARGEST / given.shape[1])
    wrong = ~(fits & (given == np.floor(given)))  # nan fails as well
    if wrong.any():
        i, j, k = np.argwhere(wrong)[0]
        raise InvalidInput(
            f"gains: {given[i, j, k]} given for participant {i + 1}, decision {j + 1}, "
            f"option {k + 1}; expected a whole number of 0 or more, and totals below "
            "2**53 (multiply fractions up, scale large ones down)"
        )
    return given.astype(np.int64)


def totals(gains: np.ndarray, plans: Any) -> np.ndarray:
    """V_i of a plan, shape (participants,); of several, (plans, participants)."""
    return gains[:, np.arange(gains.shape[1]), plans].sum(axis=-1).T


def brute(gains: np.ndarray) -> Solution:
    """The fairest of all plans, the first of equals."""
    _, n, m = gains.shape
    first = 0
    while m ** (n - first) > MANY:
        first += 1
    last = sums(gains[:, first:])
    value = LARGEST
    place = (0, 0)
    for number, begun in enumerate(sums(gains[:, :first]).T):
        apart = np.ptp(begun[:, None] + last, axis=0)
        least = int(apart.argmin())
        if apart[least] < value:
            value = int(apart[least])
            place = (number, least)
    plan = _plan(place[0], first, m) + _plan(place[1], n - first, m)
    return Solution(plan, value, value, True, "brute")


def cp_sat(
    gains: np.ndarray,
    start: Solution,
    seconds: float,
    objective: str = DIVERGENCE,
) -> Solution:
    """CP-SAT from a plan and a bound on; on one thread, it finds the same every time."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    columns = []
    for taken in start.plan:
        options = [model.new_bool_var("") for _ in range(gains.shape[2])]
        model.add_exactly_one(options)
        for k, option in enumerate(options):
            model.add_hint(option, k == taken)
        columns += options
    width = model.new_int_var(start.bound, start.value, "")
    rows, limits = _constraints(gains, objective)
    for row, limit in zip(rows.tolist(), limits.tolist(), strict=True):
        total = cp_model.LinearExpr.weighted_sum(columns, row)
        model.add(total - width <= limit)
    model.minimize(width)

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_time_in_seconds = seconds
    # Version 9.15 "proves" too large a minimum with it (google/or-tools, issue 5293).
    solver.parameters.presolve_inclusion_work_limit = 0
    plan = start.plan
    value = start.value
    bound = start.bound
    if solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        chosen = np.array([solver.value(column) for column in columns])
        plan = tuple(chosen.reshape(len(plan), -1).argmax(axis=1).tolist())
        value = round(solver.objective_value)
        bound = max(bound, math.ceil(solver.best_objective_bound - 1e-6))
    by = f"{start.solver} then cpsat"
    return Solution(plan, value, bound, bound == value, by)


def meet(gains: np.ndarray) -> Solution:
    """The fairest plan, or a fair one; its work is bounded, not its time.

    Milliseconds as a rule, seconds for six participants and for what nothing balances.
    """
    p, n, m = gains.shape
    order = np.arange(n)
    plan = Halves(gains, order, FEW).at(0)
    if plan is not None:
        return Solution(plan, 0, 0, True, "meet")
    rng = np.random.default_rng(0)
    halves = Halves(gains, order, MANY)
    low = 0 if halves.complete else _bound(gains, DIVERGENCE)
    most = min(LOOKUPS, p * m**n) / len(halves.left)
    near = [r for r in range(FARTHEST) if (r + 1) ** p - r**p <= most]
    incomplete = low in near and not halves.complete
    for _ in range(ORDERS if incomplete else 0):
        plan = halves.at(low)
        if plan is not None:
            break
        halves = Halves(gains, rng.permutation(n), MANY)
    for divergence in near[low:]:
        if plan is None:
            plan = halves.at(divergence)
    if plan is None and p * m**n <= LISTED:
        return brute(gains)

    bound = low
    if halves.complete:
        bound = LARGEST
    if plan is None:
        bound = max(_bound(gains, DIVERGENCE), len(near) * halves.complete)
        plan = balanced(gains, range(n))
    value = int(np.ptp(totals(gains, plan)))
    bound = min(bound, value)
    return Solution(plan, value, bound, bound == value, "meet")


class Halves:
    """Decisions in a given order and three parts: a left half, a right half, the fixed.

    Each half has at most `limit` combinations, or one decision; `complete` says that no
    decision is fixed.
    """

    def __init__(
        self,
        gains: np.ndarray,
        order: np.ndarray,
        limit: int,
    ) -> None:
        p, n, m = gains.shape
        half = 1
        while 2 * half < n and m ** (half + 1) <= limit:
            half += 1
        free = min(n, 2 * half)
        self.complete = free == n
        self.participants = p
        self.options = m
        self.order = order
        self.sizes = free // 2, free - free // 2
        left, right, fixed = np.split(order, [free // 2, free])
        chosen = balanced(gains, fixed)
        self.fixed = tuple(chosen[j] for j in fixed)
        keys = np.tensordot(multipliers(p), gains, 1)[None]
        self.left = sums(keys[:, left])[0]
        self.right = sums(keys[:, right])[0] + keys[0, fixed, self.fixed].sum()
        self.mask = (1 << (16 * len(self.right)).bit_length()) - 1
        self.marked = np.zeros(self.mask + 1, dtype=bool)
        self.marked[self.right & self.mask] = True

    @cached_property
    def by_key(self) -> tuple[np.ndarray, np.ndarray]:
        """The keys of the right half in ascending order, and their places."""
        order = self.right.argsort()
        return self.right[order], order

    def at(self, divergence: int) -> Plan | None:
        """A plan of exactly this divergence; None where these halves have none."""
        for key in apart(self.participants, divergence):
            asked = key - self.left
            maybe = self.marked.take(asked & self.mask).nonzero()[0]
            if not len(maybe):
                continue
            keys, places = self.by_key
            nearest = keys.searchsorted(asked[maybe]).clip(max=len(keys) - 1)
            hits = (keys[nearest] == asked[maybe]).nonzero()[0]
            if len(hits):
                return self.plan(maybe[hits[0]], places[nearest[hits[0]]])
        return None

    def plan(self, left: int, right: int) -> Plan:
        """The plan of a combination of either half, by their places."""
        first, second = self.sizes
        chosen = _plan(left, first, self.options) + _plan(right, second, self.options)
        return tuple(np.array(chosen + self.fixed)[self.order.argsort()].tolist())


@lru_cache
def multipliers(participants: int) -> np.ndarray:
    """Random int64 that sum to 0 modulo 2^64."""
    drawn = np.random.default_rng(0).integers(-(2**63), 2**63, participants)
    drawn[-1] = -drawn[:-1].sum()
    return drawn


@lru_cache(maxsize=256)
def apart(participants: int, divergence: int) -> np.ndarray:
    """The keys of all totals from 0 to a divergence that have both.

    >>> len(apart(3, 0)), len(apart(3, 5)), len(apart(4, 1))
    (1, 30, 14)
    """
    every = np.indices((divergence + 1,) * participants).reshape(participants, -1)
    both = (every.min(axis=0) == 0) & (every.max(axis=0) == divergence)
    return multipliers(participants) @ every[:, both]


def balanced(gains: np.ndarray, decisions: Sequence[int] | np.ndarray) -> Plan:
    """Options for some decisions, one after the other, so that totals stay together.

    The other decisions count with their mean, and have the option 0.
    """
    _, n, m = gains.shape
    rest = np.ones(n, dtype=bool)
    rest[list(decisions)] = False
    reached = (gains[:, rest].sum(axis=(1, 2)) / m).tolist()
    plan = [0] * n
    for j in decisions:
        tried = []
        for row in gains[:, j].T.tolist():
            tried.append(list(map(add, reached, row)))
        reached = min(tried, key=lambda worth: max(worth) - min(worth))
        plan[j] = tried.index(reached)
    return tuple(plan)


def sums(parts: np.ndarray) -> np.ndarray:
    """The sums of all combinations of one option for each decision.

    From (rows, decisions, options) to (rows, combinations); the last decision varies
    fastest.
    """
    made = np.zeros((len(parts), 1), dtype=np.int64)
    for j in range(parts.shape[1]):
        made = (made[:, :, None] + parts[:, j, None, :]).reshape(len(parts), -1)
    return made


def _plan(place: int, n: int, m: int) -> Plan:
    """The options of a combination by its place in `sums`."""
    return tuple(map(int, np.unravel_index(place, (m,) * n))) if n else ()
