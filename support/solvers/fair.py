"""Exact solvers of fair decisions: the best plan by an objective, and whether that is proven.

A plan chooses one option for each decision; V_i is the sum of what its options are worth to participant i (section 3 of
"Investigating Language Models for Supporting Complex Group Decisions", 003). `solve` picks among

- `meet`, for up to three participants. With d(plan) = (V_1 - V_2, V_2 - V_3) = (x, y), the divergence is
  max(|x|, |y|, |x + y|), a norm whose circles are hexagons, and d is a sum over decisions. So the decisions are split
  into two halves; the differences of all combinations of one half are marked on a bitmap; and for r = low, low + 1, ...
  every combination of the other half looks up whether the bitmap completes it to one of the 6 r points at distance r
  from zero. The first hit is the fairest plan (Horowitz and Sahni 1974, in two dimensions). `low` is what no plan can
  be below (`lowest`), mostly 0. Where the halves are too many to enumerate, greedily chosen options fix some decisions
  so that the rest can balance; a hit at `low` is then as much of a proof, any other plan is not proven. Where the rings
  would grow too far, a k-d tree finds the nearest pair. Two participants are three, of whom two are the same.
- `richest`: of the fairest plans the one of largest welfare, by meeting in the middle once more.
- `brute`: all plans, looked at one and all.
- CP-SAT of OR-tools, for what is left: an integer program, solved for one part of the objective after the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from support.errors import InvalidInput

DIVERGENCE, WELFARE, LEXIMIN, FAIREST_BEST = "divergence", "welfare", "leximin", "divergence then welfare"
OBJECTIVES = (DIVERGENCE, WELFARE, LEXIMIN, FAIREST_BEST)
"""The largest total minus the smallest, to be small; the sum of totals, to be large; the totals from the smallest up,
each as large as those before it allow; and of all plans of least divergence the one of largest welfare."""
SOLVERS = ("auto", "meet", "cpsat", "brute")

Plan = tuple[int, ...]
Value = int | tuple[int, ...]
LARGEST = 2**53
"""Totals stay below, so that they are exact as floating-point numbers too."""
LIMITS = (1_000, 200_000)
"""Combinations in a half, first and second attempt: 3**6 and 3**11, or 30**2 and 30**3, of them."""
LOOKUPS = 50_000_000
CELLS = 1 << 26
"""Most lookups in rings, and most bytes of the bitmap, before the k-d tree takes over."""
FARTHEST = 16
"""The radius of the last ring."""
OVERHEAD = 10_000
"""What one more point of a ring costs `richest` beside its lookups, in lookups."""
MOST = 2_000_000
"""Plans that `brute` looks at; totals, participants times plans, up to which it is the quickest."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A plan, and what is known of how good it is.

    `value` is the objective's for the plan: the divergence, the welfare, under leximin the totals in ascending order,
    under "divergence then welfare" both. `bound` is what no plan betters, in the first part of the objective. `solver`
    found the plan; two names joined by " then " when the second finished the proof.
    """

    plan: Plan
    value: Value
    bound: float
    proven: bool
    solver: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a single solver hands to `solve`: a plan, a bound on the first part of the objective, whether proven."""

    plan: Plan
    bound: float
    proven: bool
    note: str = ""


def solve(problem: object, objective: str = DIVERGENCE, solver: str = "auto", time_limit: float = 10.0) -> Solution:
    """The best plan, and whether that is proven.

    `problem` is an int array of shape (participants, decisions, options), or anything that has one as `gains`.
    `time_limit` are the seconds that CP-SAT may search; the other solvers' work is bounded instead. `proven` is False
    when time ran out, or when "meet" could look at a part of the plans only.

    >>> solve([[[80, 10, 10], [30, 30, 40]], [[20, 60, 20], [40, 37, 23]]])
    Solution(plan=(2, 2), value=7, bound=7, proven=True, solver='meet', note='')
    """
    gains = checked(problem)
    for what, given, names in (("objective", objective, OBJECTIVES), ("solver", solver, SOLVERS)):
        if given not in names:
            raise InvalidInput(f"{what}: {given!r} given; expected one of {', '.join(map(repr, names))}")
    if isinstance(time_limit, bool | str) or not time_limit > 0:
        raise InvalidInput(f"time_limit: {time_limit!r} given; expected a number of seconds above 0, such as 10")
    name, found = _picked(gains, objective, time_limit) if solver == "auto" else (solver, None)
    if solver == "brute":
        found = brute(gains, objective)
    elif solver == "meet":
        if objective != DIVERGENCE or len(gains) > 3:
            asked = f"{objective} and {len(gains)} participants"
            raise InvalidInput(f"solver: 'meet' given for {asked}; expected divergence and at most 3. Take 'auto'")
        found = meet(gains)
    elif solver == "cpsat":
        found = cp_sat(gains, objective, time_limit)
    if found is None:
        taken = f"{time_limit:g} s given, in which {solver!r} found no plan"
        raise InvalidInput(f"time_limit: {taken}; expected more, or solver 'auto'")
    note = "every decision has one option: there is nothing to choose" if gains.shape[2] == 1 else found.note
    return Solution(found.plan, valued(objective, gains, found.plan), found.bound, found.proven, name, note)


def _picked(gains: np.ndarray, objective: str, seconds: float) -> tuple[str, Found]:
    """Meet in the middle where it proves its plan, all plans where they are few, else CP-SAT."""
    p, n, m = gains.shape
    if objective == WELFARE:
        return "each decision alone", _separate(gains)
    few, met = p * m**n <= MOST, None
    if objective == DIVERGENCE and p <= 3:
        met = meet(gains)
    elif few:
        return "brute", brute(gains, objective)
    elif objective == FAIREST_BEST and p <= 3:
        met = meet(gains)
        met = (richest(gains, int(met.bound)) if met.proven else None) or replace(met, proven=False)
    if met is not None:  # CP-SAT goes on from its plan, and from a divergence that none is below
        if met.proven:
            return "meet", met
        return "meet then cpsat", cp_sat(gains, objective, seconds, met.plan, int(met.bound)) or met
    found = cp_sat(gains, objective, seconds)
    if found is None:
        least = gains.max(axis=2).sum(axis=1).min() if objective == LEXIMIN else lowest(gains)
        note = "time was too short to look for a plan: this is the one of largest welfare"
        found = Found(_separate(gains).plan, float(least), False, note)
    return "cpsat", found


def checked(problem: object) -> np.ndarray:
    """The gains of a problem, or gains themselves, as int64 of shape (participants, decisions, options)."""
    try:
        given = np.asarray(getattr(problem, "gains", problem))
    except ValueError as error:
        raise InvalidInput(
            "gains: decisions with unequal numbers of options given; expected the same number for every decision, and "
            "every participant (fill up with options that nobody can want)"
        ) from error
    if given.ndim != 3 or 0 in given.shape:
        expected = "expected (participants, decisions, options), at least one of each"
        raise InvalidInput(f"gains: shape {given.shape} given; {expected}")
    if given.dtype.kind not in "iuf":
        raise InvalidInput(f"gains: values of type {given.dtype} given; expected whole numbers of 0 or more")
    wrong = given < 0 if given.dtype.kind in "iu" else ~(np.isfinite(given) & (given == np.floor(given)) & (given >= 0))
    if wrong.any():
        i, j, k = map(int, np.argwhere(wrong)[0])
        where = f"{given[i, j, k]} given for participant {i + 1}, decision {j + 1}, option {k + 1}"
        raise InvalidInput(f"gains: {where}; expected a whole number of 0 or more (multiply fractions up)")
    if given.max() >= LARGEST / given.shape[1]:
        large = f"{given.max()} given with {given.shape[1]} decisions"
        raise InvalidInput(f"gains: {large}; expected totals below 2**53 (scale down)")
    return given.astype(np.int64)


def totals(gains: np.ndarray, plan: Plan) -> np.ndarray:
    """V_i of a plan, int of shape (participants,)."""
    return gains[:, np.arange(gains.shape[1]), list(plan)].sum(axis=1)


def valued(objective: str, gains: np.ndarray, plan: Plan) -> Value:
    """The objective's value for a plan, as `Solution.value` has it."""
    of = sorted(totals(gains, plan).tolist())
    apart, together = of[-1] - of[0], sum(of)
    values: dict[str, Value] = {DIVERGENCE: apart, WELFARE: together, FAIREST_BEST: (apart, together)}
    return values.get(objective, tuple(of))


def _separate(gains: np.ndarray) -> Found:
    """The largest welfare: the best option of each decision."""
    together = gains.sum(axis=0)
    return Found(tuple(together.argmax(axis=1).tolist()), int(together.max(axis=1).sum()), True)


def brute(gains: np.ndarray, objective: str) -> Found:
    """The best of all plans, the first of equals."""
    _, n, m = gains.shape
    if m**n > MOST:
        raise InvalidInput(f"solver: 'brute' given for {m}**{n} plans; expected at most {MOST}. Take 'auto'")
    of = sums(gains)
    apart, together = of.max(axis=0) - of.min(axis=0), of.sum(axis=0)
    costs = {DIVERGENCE: [apart], WELFARE: [-together], FAIREST_BEST: [apart, -together]}
    left = np.arange(m**n)
    ranked = costs.get(objective) or list(-np.sort(of, axis=0))
    for cost in ranked:
        left = left[cost[left] == cost[left].min()]
    first = abs(int(ranked[0][left[0]]))
    return Found(tuple(map(int, np.unravel_index(left[0], (m,) * n))), first, True)


def cp_sat(
    gains: np.ndarray, objective: str, seconds: float, start: Plan | None = None, least: int | None = None
) -> Found | None:
    """CP-SAT, in whole numbers throughout, on one thread: its bounds are exact, and its plans the same every time.

    Under leximin it maximises for t = 1 to p the sum of the t smallest totals, t r - sum_i max(0, r - V_i), one after
    the other (Ogryczak and Sliwinski 2006). Each part gets an equal share of the time that is left. `start` is a plan
    to go on from, `least` a divergence that none is below. None when there was no time to find any plan.
    """
    from ortools.sat.python import cp_model

    (p, n, m), model = gains.shape, cp_model.CpModel()
    top, least = int(gains.max(axis=2).sum(axis=1).max()), lowest(gains) if least is None else least
    chosen = [[model.new_bool_var("") for _ in range(m)] for _ in range(n)]
    for options in chosen:
        model.add_exactly_one(options)
    columns = [column for options in chosen for column in options]
    worth = [cp_model.LinearExpr.weighted_sum(columns, row.ravel().tolist()) for row in gains]
    costs = [-sum(worth)]
    if objective == LEXIMIN:
        for t in range(p - 1, 0, -1):
            level, short = model.new_int_var(0, top, ""), [model.new_int_var(0, top, "") for _ in range(p)]
            for total, missing in zip(worth, short, strict=True):
                model.add(total + missing >= level)
            costs.insert(0, sum(short) - t * level)
    elif objective != WELFARE:
        high, low = model.new_int_var(0, top, ""), model.new_int_var(0, top, "")
        for total in worth:
            model.add(total <= high)
            model.add(total >= low)
        model.add(high - low >= least)
        costs = [high - low, *(costs if objective == FAIREST_BEST else [])]
    best, first = start, -math.inf
    for part, cost in enumerate(costs):
        model.minimize(cost)
        model.clear_hints()
        if best is not None:
            for options, taken in zip(chosen, best, strict=True):
                for k, option in enumerate(options):
                    model.add_hint(option, int(k == taken))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
        solver.parameters.max_time_in_seconds = seconds / (len(costs) - part)
        status = solver.solve(model)
        seconds -= solver.wall_time
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            plan = tuple([solver.value(option) for option in options].index(1) for options in chosen)
            best = plan if best is None else min(best, plan, key=lambda one: _costs(gains, objective, one))
        if best is None:
            return None
        reached, bound = _costs(gains, objective, best)[part], math.ceil(solver.best_objective_bound - 1e-6)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            bound = -LARGEST
        first = min(reached, bound) if part == 0 else first
        if bound < reached:
            note = f"part {part + 1} of {len(costs)} of the objective not proven"
            return Found(best, _outward(objective, first, gains, least), False, note)
        model.add(cost <= reached)
    return Found(best, _outward(objective, first, gains, least), True) if best is not None else None


def _costs(gains: np.ndarray, objective: str, plan: Plan) -> tuple[int, ...]:
    """What CP-SAT minimises one after the other, for a plan."""
    of = np.sort(totals(gains, plan))
    apart, together = int(of[-1] - of[0]), int(of.sum())
    costs = {DIVERGENCE: (apart,), WELFARE: (-together,), FAIREST_BEST: (apart, -together)}
    return costs.get(objective) or tuple((-np.cumsum(of)).tolist())


def _outward(objective: str, bound: float, gains: np.ndarray, least: int) -> float:
    """A lower bound on the first cost as a bound on what it stands for."""
    if objective in (DIVERGENCE, FAIREST_BEST):
        return float(max(bound, least))
    return float(min(-bound, gains.max(axis=2).sum(axis=1).min() if objective == LEXIMIN else -bound))


def meet(gains: np.ndarray) -> Found:
    """The fairest plan, or a fair one that is not proven fairest, for gains of at most three participants.

    Its work is bounded, not its time: a millisecond as a rule, a second or two where only the k-d tree helps.
    """
    apart = differences(gains)
    halves = Halves.of(apart, LIMITS[0])
    plan = halves.within(0, 0)
    if plan is not None:
        return Found(plan, 0, True)
    low = lowest(gains)
    halves = halves if halves.complete else Halves.of(apart, LIMITS[1])
    plan = halves.within(low, FARTHEST) or halves.nearest()
    value = int(_norm(*apart[:, np.arange(len(plan)), list(plan)].sum(axis=1).tolist()))
    if halves.complete or value == low:
        return Found(plan, value, True)
    return Found(plan, low, False, f"the fairest of {len(halves.left[0]) * len(halves.right[0])} plans looked at")


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
    above = low % np.maximum(step, 1)  # the smallest value of 0 or more that the steps can reach, were they unbounded
    nearest = np.minimum(np.abs(np.clip(above, low, high)), np.abs(np.clip(above - step, low, high)))
    return int(nearest.max())


@dataclass(frozen=True, eq=False, slots=True)
class Keys:
    """Points (x, y) as x * width + y, with a width at which no two points that matter coincide.

    `given` is the right half, from 1 to `cells`; `asked` is what completes each combination of the left half to zero.
    """

    asked: np.ndarray
    given: np.ndarray
    width: int
    cells: int

    def shifts(self, radius: int) -> list[int]:
        """What to add to `asked` for each of the points at that distance from zero."""
        return (_ring(radius) @ (self.width, 1)).tolist()


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
        return cls(apart, free // 2, free, *(_balancing(apart, free) if free < n else ((), (0, 0))))

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

    def keys(self, high: int) -> Keys | None:
        """The combinations of both halves as single numbers, fit to look for divergences of up to `high`.

        None where numbers would grow too large.
        """
        free, middle, m = self.apart[:, : self.free], self.middle, self.apart.shape[2]
        low, top = free.min(axis=2).tolist(), free.max(axis=2).tolist()  # sums of short lists are quicker than arrays'
        x, y = self.offset
        x_low, x_high, y_low, y_high = (sum(ends[:middle]) for ends in (low[0], top[0], low[1], top[1]))
        u_low, u_high = sum(low[0][middle:]) + x, sum(top[0][middle:]) + x
        v_low, v_high = sum(low[1][middle:]) + y, sum(top[1][middle:]) + y
        width = max(y_high + v_high, -y_low - v_low) + high + 1
        farthest = max(abs(x_low), abs(x_high), abs(u_low), abs(u_high)) + high
        if farthest * width >= 2**62:
            return None
        first, offset = u_low * width + v_low - 1, x * width + y
        options = free[0] * width + free[1]
        if self.free == 2 * middle:  # both halves at once
            left, right = sums(options.reshape(2, middle, m), [[first], [offset - first]])
        else:
            (left,), (right,) = sums(options[None, :middle], first), sums(options[None, middle:], offset - first)
        return Keys(-left, right, width, (u_high - u_low) * width + v_high - v_low + 1)

    def within(self, low: int, high: int) -> Plan | None:
        """The fairest plan of a divergence of `low` to `high`; None when none is found in the work allowed."""
        keys = self.keys(high)
        if keys is None or keys.cells > CELLS:
            return None
        bitmap = np.zeros(keys.cells + 2, dtype=bool)  # one more at each end, for what lies outside
        bitmap[keys.given] = True
        for radius in range(low, high + 1):
            if 3 * radius * (radius + 1) * len(keys.asked) > LOOKUPS:
                return None
            for shift in keys.shifts(radius):
                hit = bitmap.take(keys.asked + shift if shift else keys.asked, mode="clip")
                place = int(hit.argmax())
                if hit[place]:
                    return self.plan(place, int((keys.given == keys.asked[place] + shift).argmax()))
        return None

    def nearest(self) -> Plan:
        """The pair of combinations nearest to zero, whatever its distance, by a k-d tree."""
        from scipy.spatial import KDTree

        (left, mine), (right, theirs) = (np.unique(half, axis=1, return_index=True) for half in (self.left, self.right))
        distance, place = map(np.asarray, KDTree(_three(right)).query(-_three(left), p=np.inf))
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


def _norm(x: float, y: float) -> float:
    return max(abs(x), abs(y), abs(x + y))


def sums(apart: np.ndarray, start: int | list[list[int]] = 0) -> np.ndarray:
    """The sums of all combinations of one option for each decision, each from `start` on (of each row, or of all).

    From (rows, decisions, options) to (rows, combinations); the last decision varies fastest.
    """
    rows, n, m = apart.shape
    if n % 2 == 0:  # two decisions are one of all pairs of their options
        apart = (apart[:, ::2, :, None] + apart[:, 1::2, None]).reshape(rows, n // 2, m * m)
    made = np.full((rows, 1), start, dtype=np.int64)
    for j in range(apart.shape[1]):
        made = (made[:, :, None] + apart[:, j, None, :]).reshape(rows, -1)
    return made


def _three(half: np.ndarray) -> np.ndarray:
    """Points in which the largest coordinate is the divergence: (x, y, x + y), shape (combinations, 3)."""
    return np.stack([half[0], half[1], half[0] + half[1]], axis=1)


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
    return (corner * (radius - step) + np.roll(corner, -1, axis=0) * step).reshape(-1, 2)


def richest(gains: np.ndarray, divergence: int) -> Found | None:
    """Of the plans of that (least) divergence the one of largest welfare; None where that cannot be enumerated.

    Every combination of the left half asks for each of the points at that distance which right half completes it there;
    only the richest right half at each point matters.
    """
    halves = Halves.of(differences(gains), LIMITS[1])
    keys = halves.keys(divergence) if halves.complete else None
    if keys is None or 6 * divergence * (len(keys.asked) + OVERHEAD) > LOOKUPS:
        return None
    together = gains.sum(axis=0)[None]
    left, right = sums(together[:, : halves.middle])[0], sums(together[:, halves.middle :])[0]
    points, places = _richest(keys.given, right)
    best, pair = -1, (0, 0)
    for shift in keys.shifts(divergence):
        asked = keys.asked + shift
        at = np.searchsorted(points, asked).clip(max=len(points) - 1)
        worth = np.where(points[at] == asked, left + right[places[at]], -1)
        top = int(worth.argmax())
        if worth[top] > best:
            best, pair = int(worth[top]), (top, int(places[at[top]]))
    return Found(halves.plan(*pair), divergence, True) if best >= 0 else None


def _richest(points: np.ndarray, worth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every point once, ascending, and the place of the combination there that is worth most."""
    order = np.lexsort((-worth, points))
    first = np.append(True, np.diff(points[order]) != 0)
    return points[order][first], order[first]
