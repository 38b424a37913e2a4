"""The fairest plan for up to three participants, by meeting in the middle.

With d(plan) = (V_1 - V_2, V_2 - V_3) = (x, y), the divergence is max(|x|, |y|, |x + y|), a norm whose circles are
hexagons, and d is a sum over decisions. So

1. the decisions are split into two halves, and the differences of all combinations in each half are enumerated,
2. those of one half are marked on a bitmap,
3. for r = low, low + 1, ... every combination of the other half looks up whether the bitmap completes it to one of the
   6 r points at distance r from zero. The first hit is the fairest plan (Horowitz and Sahni 1974, in two dimensions).

`low` is what no plan can be below (`lowest`), mostly 0. Where the halves of all decisions are too many to enumerate,
greedily chosen options fix some decisions so that the rest can balance, and the halves are those of the rest. A hit at
`low` is then as much of a proof; any other plan is not proven. Where the rings would grow too far, a k-d tree finds
the nearest pair. Two participants are three, of whom two are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from support.solvers.fair.problem import Found, Plan

LIMITS = (1_000, 200_000)
"""Combinations in a half, first and second attempt: 3**6 and 3**11, or 30**2 and 30**3, of them."""
LOOKUPS = 50_000_000
CELLS = 1 << 26
"""Most lookups in rings, and most bytes of the bitmap, before the k-d tree takes over."""
FARTHEST = 16
"""The radius of the last ring."""


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
    """Points (x, y) as x * width + y, with a width at which no two points that matter coincide, counted from 0.

    `given` is the right half, below `cells`; `asked` is what completes each combination of the left half to zero.
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
    before `free`.
    """

    apart: np.ndarray
    middle: int
    free: int
    fixed: Plan

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
        return cls(apart, free // 2, free, _balancing(apart, free))

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
        return sums(self.apart[:, self.middle : self.free]) + self.offset[:, None]

    @cached_property
    def offset(self) -> np.ndarray:
        """The differences of the fixed options, shape (2,)."""
        return self.apart[:, np.arange(self.free, self.apart.shape[1]), list(self.fixed)].sum(axis=1)

    def keys(self, high: int) -> Keys | None:
        """The combinations of both halves as single numbers, fit to look for divergences of up to `high`.

        None where numbers would grow too large.
        """
        (x_low, y_low, x_high, y_high), (u_low, v_low, u_high, v_high) = self._extremes()
        width = max(y_high + v_high, -y_low - v_low) + high + 1
        farthest = max(abs(x_low), abs(x_high), abs(u_low), abs(u_high)) + high
        if farthest * width >= 2**62:
            return None
        first, offset = u_low * width + v_low, int(self.offset @ (width, 1))
        options = (self.apart[0] * width + self.apart[1])[None, : self.free]
        left, right = sums(options[:, : self.middle], first)[0], sums(options[:, self.middle :], offset - first)[0]
        return Keys(-left, right, width, (u_high - u_low) * width + v_high - v_low + 1)

    def within(self, low: int, high: int) -> Plan | None:
        """The fairest plan of a divergence of `low` to `high`; None when none is found in the work allowed."""
        keys = self.keys(high)
        if keys is None or keys.cells > CELLS:
            return None
        bitmap = np.zeros(keys.cells + 2, dtype=bool)  # one more at each end, for what lies outside
        bitmap[keys.given + 1] = True
        asked = keys.asked + 1
        for radius in range(low, high + 1):
            if 3 * radius * (radius + 1) * len(asked) > LOOKUPS:
                return None
            for shift in keys.shifts(radius):
                hit = bitmap.take(asked + shift, mode="clip")
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

    def _extremes(self) -> tuple[list[int], list[int]]:
        """For either half the least x and y, then the largest, over its combinations."""
        free, middle = self.apart[:, : self.free], self.middle
        low, high = free.min(axis=2), free.max(axis=2)
        left = [ends[:, :middle].sum(axis=1) for ends in (low, high)]
        right = [ends[:, middle:].sum(axis=1) + self.offset for ends in (low, high)]
        return [*left[0].tolist(), *left[1].tolist()], [*right[0].tolist(), *right[1].tolist()]

    def plan(self, left: int, right: int) -> Plan:
        """The plan of a combination of either half, by their places."""
        m = self.apart.shape[2]
        sizes = (m,) * self.middle, (m,) * (self.free - self.middle)
        digits = [
            np.unravel_index(place, size) if size else () for place, size in zip((left, right), sizes, strict=True)
        ]
        return (*map(int, digits[0]), *map(int, digits[1]), *self.fixed)


def differences(gains: np.ndarray) -> np.ndarray:
    """V_1 - V_2 and V_2 - V_3 of every option, shape (2, decisions, options)."""
    p = len(gains)
    first, second, third = gains[0], gains[min(1, p - 1)], gains[p - 1]
    return np.stack([first - second, second - third])


def _balancing(apart: np.ndarray, free: int) -> Plan:
    """An option for each decision from `free` on, each chosen to bring the sum, with free ones at their mean, to 0."""
    x, y = (apart[:, :free].sum(axis=(1, 2)) / apart.shape[2]).tolist()
    plan = []
    for options in apart[:, free:].transpose(1, 2, 0).tolist():
        distances = [max(abs(x + u), abs(y + v), abs(x + y + u + v)) for u, v in options]
        best = distances.index(min(distances))
        x, y = x + options[best][0], y + options[best][1]
        plan.append(best)
    return tuple(plan)


def _norm(x: float, y: float) -> float:
    return max(abs(x), abs(y), abs(x + y))


def sums(apart: np.ndarray, start: int = 0) -> np.ndarray:
    """The sums of all combinations of one option for each decision, each from `start` on.

    From (rows, decisions, options) to (rows, combinations); the last decision varies fastest.
    """
    made = np.full((len(apart), 1), start, dtype=np.int64)
    for j in range(apart.shape[1]):
        made = (made[:, :, None] + apart[:, j, None, :]).reshape(len(apart), -1)
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
