"""The best plan of a fair decision: the fairest, or that of largest welfare, and whether that is proven.

A plan chooses one option for each decision; V_i is the sum of what its options are worth to participant i (section 3 of
"Investigating Language Models for Supporting Complex Group Decisions", 003). The fairest plan is found by

- `meet`, for up to three participants. With d(plan) = (V_1 - V_2, V_2 - V_3) = (x, y), the divergence is
  max(|x|, |y|, |x + y|), a norm whose circles are hexagons, and d is a sum over decisions. So the decisions are split
  into two halves; the differences of all combinations of one half are marked on a bitmap; and for r = low, low + 1, ...
  every combination of the other half looks up whether the bitmap completes it to one of the 6 r points at distance r
  from zero. The first hit is the fairest plan (Horowitz and Sahni 1974, in two dimensions). `low` is what no plan can
  be below (`lowest`), mostly 0. Where the halves are too many to enumerate, greedily chosen options fix some decisions
  so that the rest can balance; a hit at `low` is then as much of a proof, any other plan is not proven. Where the rings
  would grow too far, a k-d tree finds the nearest pair. Two participants are three, of whom two are the same.
- `brute` for more participants: all plans, looked at one and all.
- CP-SAT of OR-tools, an integer program, where neither proves its plan.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from support.errors import InvalidInput

DIVERGENCE, WELFARE = "divergence", "welfare"
"""The largest total minus the smallest, to be small; the sum of totals, to be large."""

Plan = tuple[int, ...]
LARGEST = (
    2**53
)  # totals stay below, so that they are exact as floating-point numbers too
LIMITS = (
    1_000,
    200_000,
)  # combinations in a half at the first and second attempt: up to 3**6 and 3**11
LOOKUPS, CELLS = (
    50_000_000,
    1 << 26,
)  # most lookups in rings, and bytes of the bitmap; then the k-d tree takes over
FARTHEST = 16  # the radius of the last ring
MOST = (
    2_000_000  # totals, participants times plans, up to which `brute` is the quickest
)


@dataclass(frozen=True, slots=True)
class Solution:
    """A plan, its value by the objective, and what no plan betters; `solver` found it, or finished the proof."""

    plan: Plan
    value: int
    bound: int
    proven: bool
    solver: str


def solve(
    problem: object, objective: str = DIVERGENCE, time_limit: float = 10.0
) -> Solution:
    """The best plan, and whether that is proven.

    `problem` is an int array of shape (participants, decisions, options), or anything that has one as `gains`.
    `time_limit` are the seconds that CP-SAT may search; the other solvers' work is bounded instead.

    >>> solve([[[80, 10, 10], [30, 30, 40]], [[20, 60, 20], [40, 37, 23]]])
    Solution(plan=(2, 2), value=7, bound=7, proven=True, solver='meet')
    """
    gains = checked(problem)
    p, n, m = gains.shape
    if objective not in (DIVERGENCE, WELFARE):
        raise InvalidInput(
            f"objective: {objective!r} given; expected {DIVERGENCE!r} or {WELFARE!r}"
        )
    together = gains.sum(
        axis=0
    )  # the largest welfare is the best option of each decision
    richest, most = (
        tuple(together.argmax(axis=1).tolist()),
        int(together.max(axis=1).sum()),
    )
    if objective == WELFARE:
        return Solution(richest, most, most, True, "each decision alone")
    if p > 3 and p * m**n <= MOST:
        return brute(gains)
    found = (
        meet(gains)
        if p <= 3
        else Solution(richest, _divergence(gains, richest), lowest(gains), False, "")
    )
    return found if found.proven else cp_sat(gains, time_limit, found)


def checked(problem: object) -> np.ndarray:
    """The gains of a problem, or gains themselves, as int64 of shape (participants, decisions, options)."""
    try:
        given = np.asarray(getattr(problem, "gains", problem))
    except ValueError as error:
        raise InvalidInput(
            "gains: decisions with unequal numbers of options given; expected the same number for every decision, and "
            "every participant (fill up with options that nobody can want)"
        ) from error
    if given.ndim != 3 or 0 in given.shape or given.dtype.kind not in "iuf":
        expected = "whole numbers of shape (participants, decisions, options), at least one of each"
        raise InvalidInput(
            f"gains: {given.dtype} of shape {given.shape} given; expected {expected}"
        )
    wrong = ~(
        (given >= 0) & (given < LARGEST / given.shape[1]) & (given == np.floor(given))
    )  # nan fails all three
    if wrong.any():
        i, j, k = map(int, np.argwhere(wrong)[0])
        where = f"{given[i, j, k]} given for participant {i + 1}, decision {j + 1}, option {k + 1}"
        expected = "a whole number of 0 or more, and totals below 2**53 (multiply fractions up, scale large ones down)"
        raise InvalidInput(f"gains: {where}; expected {expected}")
    return given.astype(np.int64)


def totals(gains: np.ndarray, plan: Plan) -> np.ndarray:
    """V_i of a plan, int of shape (participants,)."""
    return gains[:, np.arange(gains.shape[1]), list(plan)].sum(axis=1)


def _divergence(gains: np.ndarray, plan: Plan) -> int:
    return int(np.ptp(totals(gains, plan)))


def brute(gains: np.ndarray) -> Solution:
    """The fairest of all plans, the first of equals."""
    _, n, m = gains.shape
    apart = np.ptp(sums(gains), axis=0)
    plan = tuple(map(int, np.unravel_index(apart.argmin(), (m,) * n)))
    return Solution(plan, int(apart.min()), int(apart.min()), True, "brute")


def cp_sat(gains: np.ndarray, seconds: float, start: Solution) -> Solution:
    """CP-SAT from a plan and a bound on, in whole numbers, on one thread: it finds the same plan every time."""
    from ortools.sat.python import cp_model

    (_, n, m), model, top = (
        gains.shape,
        cp_model.CpModel(),
        int(gains.max(axis=2).sum(axis=1).max()),
    )
    chosen = [[model.new_bool_var("") for _ in range(m)] for _ in range(n)]
    high, low = model.new_int_var(0, top, ""), model.new_int_var(0, top, "")
    for options, taken in zip(chosen, start.plan, strict=True):
        model.add_exactly_one(options)
        for k, option in enumerate(options):
            model.add_hint(option, int(k == taken))
    columns = [column for options in chosen for column in options]
    for row in gains:
        total = cp_model.LinearExpr.weighted_sum(columns, row.ravel().tolist())
        model.add(total <= high)
        model.add(total >= low)
    model.add(high - low >= start.bound)
    model.minimize(high - low)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
    solver.parameters.max_time_in_seconds = seconds
    name = f"{start.solver} then cpsat" if start.solver else "cpsat"
    plan, bound = start.plan, start.bound
    if solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        plan = tuple(
            [solver.value(option) for option in options].index(1) for options in chosen
        )
        plan = min(start.plan, plan, key=lambda one: _divergence(gains, one))
        bound = max(bound, math.ceil(solver.best_objective_bound - 1e-6))
    value = _divergence(gains, plan)
    return Solution(plan, value, min(bound, value), bound >= value, name)


def meet(gains: np.ndarray) -> Solution:
    """The fairest plan, or a fair one that is not proven fairest, for gains of at most three participants.

    Its work is bounded, not its time: a millisecond as a rule, a second or two where only the k-d tree helps.
    """
    apart = differences(gains)
    halves = Halves.of(apart, LIMITS[0])
    plan = halves.within(0, 0)
    if plan is not None:
        return Solution(plan, 0, 0, True, "meet")
    low = lowest(gains)
    halves = halves if halves.complete else Halves.of(apart, LIMITS[1])
    plan = halves.within(low, FARTHEST) or halves.nearest()
    value = _divergence(gains, plan)
    proven = halves.complete or value == low
    return Solution(plan, value, value if proven else low, proven, "meet")


def lowest(gains: np.ndarray) -> int:
    """A divergence that no plan is below, from each pair of participants alone.

    V_i - V_j lies between the sums of its extremes over the options of each decision, and moves in steps of the
    greatest common divisor of what a change of option changes.

    >>> lowest(np.array([[[4, 6], [1, 3]], [[0, 0], [0, 0]]]))
    5
    >>> lowest(np.array([[[0, 2], [1, 3]], [[2, 0], [0, 0]]]))
    1
    """
    i, j = np.triu_indices(len(gains), 1)
    if not len(i):
        return 0
    apart = gains[i] - gains[j]
    low, high = apart.min(axis=2).sum(axis=1), apart.max(axis=2).sum(axis=1)
    step = np.gcd.reduce((apart - apart[:, :, :1]).reshape(len(i), -1), axis=1)
    above = low % np.maximum(
        step, 1
    )  # the smallest value of 0 or more that the steps can reach, were they unbounded
    nearest = np.minimum(
        np.abs(np.clip(above, low, high)), np.abs(np.clip(above - step, low, high))
    )
    return int(nearest.max())


@dataclass(frozen=True, eq=False)
class Halves:
    """Decisions in three parts: those of the left half, those of the right half, and those with an option fixed.

    `apart` has shape (2, decisions, options); the left half is its first `middle` decisions, the right half ends
    before `free`. `offset` are the differences of the fixed options.
    """

    apart: np.ndarray
    middle: int
    free: int
    fixed: Plan
    offset: tuple[int, int]

    @classmethod
    def of(cls, apart: np.ndarray, limit: int) -> Halves:
        """Halves of at most `limit` combinations each (or of one decision), as equal as can be."""
        _, n, m = apart.shape
        most, size = 0, 1
        while size * m <= limit and most < n:
            most, size = most + 1, size * m
            if m == 1:
                most = n
        free = min(n, 2 * max(most, 1))
        return cls(
            apart,
            free // 2,
            free,
            *(_balancing(apart, free) if free < n else ((), (0, 0))),
        )

    @property
    def complete(self) -> bool:
        """Whether every plan is among the combinations."""
        return self.free == self.apart.shape[1]

    @cached_property
    def left(self) -> np.ndarray:
        """The differences of the left half's combinations, shape (2, combinations)."""
        return sums(self.apart[:, : self.middle])

    @cached_property
    def right(self) -> np.ndarray:
        """The differences of the right half's combinations with the fixed options added, shape (2, combinations)."""
        return sums(self.apart[:, self.middle : self.free]) + np.array([self.offset]).T

    def within(self, low: int, high: int) -> Plan | None:
        """The fairest plan of a divergence of `low` to `high`; None when none is found in the work allowed.

        A point (x, y) is the number x * width + y, with a width at which no two points that matter coincide. The right
        half's are marked on the bitmap, from 1 on; `asked` is what completes each combination of the left half to zero.
        """
        apart, middle = self.apart[:, : self.free], self.middle
        least, most = apart.min(axis=2), apart.max(axis=2)
        (x_low, y_low), (x_high, y_high) = (
            ends[:, :middle].sum(axis=1).tolist() for ends in (least, most)
        )
        (u_low, v_low), (u_high, v_high) = (
            (ends[:, middle:].sum(axis=1) + self.offset).tolist()
            for ends in (least, most)
        )
        width = max(y_high + v_high, -y_low - v_low) + high + 1
        cells = (u_high - u_low) * width + v_high - v_low + 1
        farthest = max(abs(x_low), abs(x_high), abs(u_low), abs(u_high)) + high
        if farthest * width >= 2**62 or cells > CELLS:
            return None
        first, offset = (
            u_low * width + v_low - 1,
            self.offset[0] * width + self.offset[1],
        )
        options = (apart[0] * width + apart[1])[None]
        asked, given = (
            -sums(options[:, :middle])[0] - first,
            sums(options[:, middle:])[0] + offset - first,
        )
        bitmap = np.zeros(
            cells + 2, dtype=bool
        )  # one more at each end, for what lies outside
        bitmap[given] = True
        for radius in range(low, high + 1):
            if 3 * radius * (radius + 1) * len(asked) > LOOKUPS:
                return None
            for shift in (_ring(radius) @ (width, 1)).tolist():
                hit = bitmap.take(asked + shift if shift else asked, mode="clip")
                place = int(hit.argmax())
                if hit[place]:
                    return self.plan(
                        place, int((given == asked[place] + shift).argmax())
                    )
        return None

    def nearest(self) -> Plan:
        """The pair of combinations nearest to zero, whatever its distance, by a k-d tree."""
        from scipy.spatial import KDTree

        (left, mine), (right, theirs) = (
            np.unique(half, axis=1, return_index=True)
            for half in (self.left, self.right)
        )
        # in three dimensions, (x, y, x + y), the largest coordinate is the divergence
        near, far = (
            np.stack([*half, half.sum(axis=0)], axis=1) for half in (-left, right)
        )
        distance, place = map(np.asarray, KDTree(far).query(near, p=np.inf))
        best = int(distance.argmin())
        return self.plan(int(mine[best]), int(theirs[place[best]]))

    def plan(self, left: int, right: int) -> Plan:
        """The plan of a combination of either half, by their places."""
        m, digits = self.apart.shape[2], list[int]()
        for place, decisions in ((right, self.free - self.middle), (left, self.middle)):
            for _ in range(decisions):
                place, digit = divmod(place, m)
                digits.append(digit)
        return (*reversed(digits), *self.fixed)


def differences(gains: np.ndarray) -> np.ndarray:
    """V_1 - V_2 and V_2 - V_3 of every option, shape (2, decisions, options)."""
    three = gains if len(gains) == 3 else gains[[0, -1, -1]]
    return three[:2] - three[1:]


def _balancing(apart: np.ndarray, free: int) -> tuple[Plan, tuple[int, int]]:
    """An option for each decision from `free` on, each chosen to bring the sum, with free ones at their mean, to 0.

    And the sum of these options alone.
    """
    x, y = (apart[:, :free].sum(axis=(1, 2)) / apart.shape[2]).tolist()
    plan, along, across = [], 0, 0
    for options in apart[:, free:].transpose(1, 2, 0).tolist():
        distances = []
        for u, v in options:
            u, v = x + u, y + v
            distances.append(abs(u + v) if u * v > 0 else max(abs(u), abs(v)))
        best = distances.index(min(distances))
        u, v = options[best]
        x, y, along, across = x + u, y + v, along + u, across + v
        plan.append(best)
    return tuple(plan), (along, across)


def sums(apart: np.ndarray) -> np.ndarray:
    """The sums of all combinations of one option for each decision.

    From (rows, decisions, options) to (rows, combinations); the last decision varies fastest.
    """
    rows, n, m = apart.shape
    if n % 2 == 0:  # two decisions are one of all pairs of their options
        apart = (apart[:, ::2, :, None] + apart[:, 1::2, None]).reshape(
            rows, n // 2, m * m
        )
    made = np.zeros((rows, 1), dtype=np.int64)
    for j in range(apart.shape[1]):
        made = (made[:, :, None] + apart[:, j, None, :]).reshape(rows, -1)
    return made


@lru_cache(maxsize=256)
def _ring(radius: int) -> np.ndarray:
    """The points at a distance from zero, shape (6 radius, 2), or zero itself.

    >>> _ring(0).tolist(), len(_ring(3))
    ([[0, 0]], 18)
    """
    if radius == 0:
        return np.zeros((1, 2), dtype=np.int64)
    corner = np.array([[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]])
    step = np.arange(radius)[:, None, None]
    return (corner * (radius - step) + np.roll(corner, -1, axis=0) * step).reshape(
        -1, 2
    )
