"""Every possible start at once: exact answers from bitmaps, and why a problem has none.

One meeting has few starts (a week of half hours has 80), so looking at all of them is exact and quicker than any
solver; `support.solvers.scheduling.solve` gives the same slots and is checked against this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from support.errors import InvalidInput
from support.solvers.scheduling_problem import Interval, SchedulingProblem, Slot, merged, slot_at

HORIZON = "the allowed hours"
"""Label of the horizon among the constraints that conflict."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why there is no slot.

    Attributes
    ----------
    labels : tuple of str
        Constraints that together leave no start, none of which could be spared.
    drop : tuple of str
        A smallest set of constraints without which there is a start: `start`, the earliest of those.
    start : int, optional
        None when the meeting is too long for the allowed hours.
    """

    labels: tuple[str, ...]
    drop: tuple[str, ...]
    start: int | None = None

    @property
    def text(self) -> str:
        """The conflict in words, with the way out."""
        if self.start is None:
            return "No stretch of the allowed hours is as long as the meeting. Shorten it, or widen the hours."
        return (
            f"No time is left within the allowed hours, because of: {'; '.join(self.labels)}. The least to give up: "
            f"{'; '.join(self.drop)}. Widening the hours or shortening the meeting may help as well."
        )


@dataclass(frozen=True, slots=True)
class Schedule:
    """The slots, best first; none, and the `conflict`, when nothing satisfies the constraints.

    `proven` says that each is the best that was left, or that there is no further one: False after a time-out.
    """

    slots: tuple[Slot, ...]
    proven: bool = True
    conflict: Conflict | None = None

    @property
    def best(self) -> Slot | None:
        """The first slot, or None."""
        return self.slots[0] if self.slots else None


def exhaustive(problem: SchedulingProblem, k: int = 1, spacing: int = 0) -> Schedule:
    """The k best slots by looking at every start: most valuable first, the earlier among equals.

    Each is the best of the starts at least `spacing` minutes from those before it, so that the best slot is always
    there and the slots for k are the first of those for k + 1. There are fewer where nothing is left.

    >>> nine_to_five = SchedulingProblem(60, ((540, 1020),))
    >>> [slot.start for slot in exhaustive(nine_to_five, k=3, spacing=120).slots]
    [540, 660, 780]
    """
    check_request(k, spacing)
    starts = feasible_starts(problem)
    if not len(starts):
        return Schedule((), True, conflict(problem))
    values, left = _values(problem, starts), np.ones(len(starts), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < k and left.any():
        chosen.append(int(starts[np.where(left, values, -1).argmax()]))  # argmax is the first among equals
        left &= np.abs(starts - chosen[-1]) >= max(spacing, 1)
    return Schedule(tuple(slot_at(problem, start) for start in chosen))


def check_request(k: int, spacing: int) -> None:
    """Refuse a number of slots below 1 and a negative spacing."""
    for field, value, low in (("k", k, 1), ("spacing", spacing, 0)):
        if not isinstance(value, int) or isinstance(value, bool) or value < low:
            raise InvalidInput(f"{field}: {value!r} given; expected a whole number from {low} up.")


def possible_starts(problem: SchedulingProblem) -> np.ndarray:
    """Starts on the grid, in minutes, with which the meeting lies in the horizon; shape (starts,), ascending."""
    step, parts = problem.step, []
    for low, high in merged(problem.horizon):
        parts.append(np.arange(-(-low // step) * step, high - problem.duration + 1, step))
    return np.concatenate(parts)


def feasible_starts(problem: SchedulingProblem) -> np.ndarray:
    """The possible starts that break no hard constraint."""
    starts = possible_starts(problem)
    return starts[~_hit(starts, problem.duration, [i for found in problem.hard.values() for i in found])]


def conflict(problem: SchedulingProblem) -> Conflict | None:
    """Which constraints leave no start, by a deletion filter, and the least to give up; None when there is a start.

    A start is freed by dropping all that forbids it, so a smallest set to drop is that of the start which the
    fewest constraints forbid.
    """
    starts = possible_starts(problem)
    if not len(starts):
        return Conflict((HORIZON,), (HORIZON,))
    labels = list(problem.hard)
    forbidden = {label: _hit(starts, problem.duration, problem.hard[label]) for label in labels}
    count = np.sum([forbidden[label] for label in labels], axis=0) if labels else np.zeros(len(starts), dtype=int)
    easiest = int(np.argmin(count))
    if not count[easiest]:
        return None
    drop = tuple(label for label in labels if forbidden[label][easiest])
    return Conflict(_irreducible(forbidden), drop, int(starts[easiest]))


def _irreducible(forbidden: dict[str, np.ndarray]) -> tuple[str, ...]:
    """Leave out one after the other whatever the rest can spare (Chinneck 2008, the deletion filter)."""
    kept = dict(forbidden)
    for label in forbidden:
        rest = [starts for other, starts in kept.items() if other != label]
        if rest and np.any(rest, axis=0).all():
            del kept[label]
    return tuple(kept)


def _values(problem: SchedulingProblem, starts: np.ndarray) -> np.ndarray:
    """The value of each start, shape (starts,)."""
    values = np.zeros(len(starts), dtype=np.int64)
    attends = {name: ~_hit(starts, problem.duration, problem.busy(name)) for name, _ in problem.optional}
    for name, worth in problem.optional:
        values += worth * attends[name]
    for wish in problem.wishes:
        met = _within if wish.wanted else _misses
        values += wish.weight * (met(starts, problem.duration, wish.intervals) & attends.get(wish.person, True))
    return values


def _within(starts: np.ndarray, duration: int, intervals: Iterable[Interval]) -> np.ndarray:
    found = np.zeros(len(starts), dtype=bool)
    for low, high in merged(intervals):
        found |= (starts >= low) & (starts + duration <= high)
    return found


def _misses(starts: np.ndarray, duration: int, intervals: Sequence[Interval]) -> np.ndarray:
    return ~_hit(starts, duration, intervals)


def _hit(starts: np.ndarray, duration: int, intervals: Sequence[Interval]) -> np.ndarray:
    """Whether a meeting overlaps one of the intervals, for each start; shape (starts,)."""
    if not intervals:
        return np.zeros(len(starts), dtype=bool)
    low, high = np.array(intervals).T
    return ((starts[:, None] < high) & (low < starts[:, None] + duration)).any(axis=1)
