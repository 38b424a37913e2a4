"""The best times for a meeting under hard constraints and soft preferences, by a look at every start.

The paper names optimisation packages as the remedy for what its language model could not do with calendars
(Papachristou, Yang and Hsu 2023, section 7). One meeting has few starts (a week of half hours has 80), so that looking
at all of them is exact and quicker than any solver: CP-SAT chose the same in 200 of 200 random problems, five times
slower.

Times are whole minutes since an origin of the caller's choice; intervals are half-open, [start, end). A meeting may
start at multiples of `step` counted from the origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from support.errors import InvalidInput

Interval = tuple[int, int]
T = TypeVar("T")

MOST_WEIGHT, MOST_MINUTES = 10**6, 10**8  # sums then fit into 64 bits
MEETING = ""
"""In place of a person: the block or wish is about the meeting itself."""


@dataclass(frozen=True, slots=True)
class Block:
    """Minutes in which `person` cannot meet; of `MEETING` and of required people it binds the meeting itself.

    Blocks with the same `label` form one constraint: conflicts are told in labels.
    """

    start: int
    end: int
    label: str
    person: str = MEETING


@dataclass(frozen=True, slots=True)
class Wish:
    """A soft preference, worth `weight` where it holds.

    A wanted one holds when the whole meeting lies in one of the intervals (touching ones are one), an unwanted one
    when the meeting overlaps none of them. It counts only if its person can attend.
    """

    intervals: tuple[Interval, ...]
    weight: int
    label: str
    person: str = MEETING
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class SchedulingProblem:
    """One meeting to be placed.

    Attributes
    ----------
    duration, step : int
        Minutes that the meeting takes, and between possible starts.
    horizon : tuple of intervals
        Where the meeting has to lie, such as the working hours; touching intervals are one.
    required : tuple of str
        Those who have to be free.
    optional : tuple of (str, int)
        Those who may miss it, with the worth of their presence.
    blocks, wishes : tuple of Block, tuple of Wish
        What must hold and what is preferred.

    Raises
    ------
    InvalidInput
        When a field does not fit; the message names it.
    """

    duration: int
    horizon: tuple[Interval, ...]
    step: int = 30
    required: tuple[str, ...] = ()
    optional: tuple[tuple[str, int], ...] = ()
    blocks: tuple[Block, ...] = ()
    wishes: tuple[Wish, ...] = ()

    def __post_init__(self) -> None:
        _whole("duration", self.duration, 1, MOST_MINUTES)
        _whole("step", self.step, 1, MOST_MINUTES)
        _check_intervals("horizon", self.horizon)
        _check_people(self.required, self.optional)
        known = {MEETING, *self.required, *(name for name, _ in self.optional)}
        for block in self.blocks:
            _check_intervals(f"blocks: {block.label!r}", [(block.start, block.end)])
            _check_person(f"blocks: {block.label!r}", block.person, known)
        for wish in self.wishes:
            _check_intervals(f"wishes: {wish.label!r}", wish.intervals)
            _check_person(f"wishes: {wish.label!r}", wish.person, known)
            _whole(f"wishes: weight of {wish.label!r}", wish.weight, 1, MOST_WEIGHT)

    @property
    def hard(self) -> dict[str, list[Interval]]:
        """The intervals that the meeting itself has to avoid, by label, in the order of the blocks."""
        binding: dict[str, list[Interval]] = {}
        absent = dict(self.optional)
        for block in self.blocks:
            if block.person not in absent:
                binding.setdefault(block.label, []).append((block.start, block.end))
        return binding

    def busy(self, person: str) -> list[Interval]:
        """The blocks of one person."""
        return [(block.start, block.end) for block in self.blocks if block.person == person]


@dataclass(frozen=True, slots=True)
class Slot:
    """A proposed time: who can attend, and which wishes (labels) of those who can it holds or breaks.

    `value` is the sum of the weights of the optional people who can attend and of the wishes that hold.
    """

    start: int
    end: int
    value: int
    attends: tuple[str, ...]
    held: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


def slot_at(problem: SchedulingProblem, start: int) -> Slot:
    """What a start comes to; whether it breaks a block is not looked at.

    >>> slot_at(SchedulingProblem(60, ((540, 1020),), wishes=(Wish(((540, 720),), 2, "mornings"),)), 600)
    Slot(start=600, end=660, value=2, attends=(), held=('mornings',), broken=())
    """
    end = start + problem.duration
    comes = [(name, worth) for name, worth in problem.optional if not _overlaps(start, end, problem.busy(name))]
    attends = (*problem.required, *(name for name, _ in comes))
    heard = [wish for wish in problem.wishes if wish.person in (MEETING, *attends)]
    held = [wish for wish in heard if holds(wish, start, end)]
    value = sum(worth for _, worth in comes) + sum(wish.weight for wish in held)
    broken = tuple(wish.label for wish in heard if not holds(wish, start, end))
    return Slot(start, end, value, attends, tuple(wish.label for wish in held), broken)


def holds(wish: Wish, start: int, end: int) -> bool:
    """Whether a meeting at [start, end) meets a wish."""
    if wish.wanted:
        return any(low <= start and end <= high for low, high in merged(wish.intervals))
    return not _overlaps(start, end, wish.intervals)


def merged(intervals: Iterable[tuple[T, T]]) -> tuple[tuple[T, T], ...]:
    """Intervals in order, overlapping and touching ones made one, empty ones left out; of minutes or of moments.

    >>> merged([(60, 90), (0, 30), (30, 45), (80, 100), (200, 200)])
    ((0, 45), (60, 100))
    """
    made: list[Any] = []
    given: list[Any] = list(intervals)
    for start, end in sorted(i for i in given if i[0] < i[1]):
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], max(end, made[-1][1]))
        else:
            made.append((start, end))
    return tuple(made)


def _overlaps(start: int, end: int, intervals: Iterable[Interval]) -> bool:
    return any(start < high and low < end for low, high in intervals)


# -- the choice ------------------------------------------------------------------------------------------------------

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
    """The slots, best first; none, and the `conflict`, when nothing satisfies the constraints."""

    slots: tuple[Slot, ...]
    conflict: Conflict | None = None

    @property
    def best(self) -> Slot | None:
        """The first slot, or None."""
        return self.slots[0] if self.slots else None


def solve(problem: SchedulingProblem, k: int = 1, spacing: int = 0) -> Schedule:
    """The k best slots by looking at every start: most valuable first, the earlier among equals.

    Each is the best of the starts at least `spacing` minutes from those before it, so that the best slot is always
    there and the slots for k are the first of those for k + 1. There are fewer where nothing is left.

    >>> nine_to_five = SchedulingProblem(60, ((540, 1020),))
    >>> [slot.start for slot in solve(nine_to_five, k=3, spacing=120).slots]
    [540, 660, 780]
    """
    _whole("k", k, 1, MOST_MINUTES)
    _whole("spacing", spacing, 0, MOST_MINUTES)
    starts = feasible_starts(problem)
    if not len(starts):
        return Schedule((), conflict(problem))
    values, left = _values(problem, starts), np.ones(len(starts), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < k and left.any():
        chosen.append(int(starts[np.where(left, values, -1).argmax()]))  # argmax is the first among equals
        left &= np.abs(starts - chosen[-1]) >= max(spacing, 1)
    return Schedule(tuple(slot_at(problem, start) for start in chosen))


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


def _check_intervals(field: str, intervals: Iterable[Interval]) -> None:
    intervals = tuple(intervals)
    if not intervals:
        raise InvalidInput(f"{field}: no interval given; expected at least one (start, end) in minutes.")
    for start, end in intervals:
        _whole(f"{field}: start", start, 0, MOST_MINUTES)
        _whole(f"{field}: end", end, 0, MOST_MINUTES)
        if start >= end:
            raise InvalidInput(f"{field}: ({start}, {end}) ends before it begins; expected start < end, in minutes.")


def _check_people(required: tuple[str, ...], optional: tuple[tuple[str, int], ...]) -> None:
    names = [*required, *(name for name, _ in optional)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not all(names):
        raise InvalidInput(f"required, optional: {twice or names} given; name everybody once, none of them blank.")
    for name, worth in optional:
        _whole(f"optional: weight of {name}", worth, 1, MOST_WEIGHT)


def _check_person(field: str, person: str, known: set[str]) -> None:
    if person not in known:
        raise InvalidInput(
            f"{field}: {person!r} is not invited; expected one of {', '.join(sorted(known - {MEETING})) or 'nobody'}, "
            "or no person for the meeting itself."
        )


def _whole(field: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InvalidInput(f"{field}: {value!r} given; expected a whole number from {low} to {high}.")
