"""When to meet, as data: what must hold, what is wished, and what a start comes to under both.

Times are whole minutes since an origin of the caller's choice; intervals are half-open, [start, end). A meeting may
start at multiples of `step` counted from the origin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from support.errors import InvalidInput

Interval = tuple[int, int]
T = TypeVar("T")

MOST_WEIGHT, MOST_MINUTES = 10**6, 10**8  # objective values then fit into the 64 bits of a solver
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
