"""The best times for a meeting under hard constraints and soft preferences, by a look at every start.

The paper names optimisation packages as the remedy for what its language model could not do with calendars
(Papachristou, Yang and Hsu 2023, section 7). One meeting has few starts (a week of half hours has 80), so that looking
at all of them is exact and quicker than any solver: CP-SAT chose the same in 200 of 200 random problems, five times
slower.

Times are whole minutes since an origin of the caller's choice; intervals are half-open, [start, end).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from support.errors import InvalidInput

Interval = tuple[int, int]
T = TypeVar("T")

HORIZON = "the allowed hours"
"""Label of the horizon among the constraints that conflict."""


@dataclass(frozen=True, slots=True)
class Block:
    """Minutes in which `person` cannot meet; blocks with the same `label` form one constraint."""

    start: int
    end: int
    label: str
    person: str


@dataclass(frozen=True, slots=True)
class Wish:
    """Worth `weight` when the whole meeting lies in one of the intervals (touching: one) and `person` attends."""

    intervals: tuple[Interval, ...]
    weight: int
    person: str


@dataclass(frozen=True, slots=True)
class SchedulingProblem:
    """One meeting to be placed: it takes `duration` minutes and may start at multiples of `step`, within `horizon`.

    Those `required` have to be free; the `optional` ones may miss it, each with the worth of their presence.
    InvalidInput for an interval that ends before it begins, and for a block or wish of somebody who is not invited.
    """

    duration: int
    horizon: tuple[Interval, ...]
    step: int = 30
    required: tuple[str, ...] = ()
    optional: tuple[tuple[str, int], ...] = ()
    blocks: tuple[Block, ...] = ()
    wishes: tuple[Wish, ...] = ()

    def __post_init__(self) -> None:
        blocked, wished = (
            [(b.start, b.end) for b in self.blocks],
            [i for w in self.wishes for i in w.intervals],
        )
        for start, end in (*self.horizon, *blocked, *wished):
            if start >= end:
                raise InvalidInput(
                    f"interval: ({start}, {end}) given; expected start < end, in minutes"
                )
        about = {*(b.person for b in self.blocks), *(w.person for w in self.wishes)}
        strangers = about - {*self.required, *dict(self.optional)}
        if strangers:
            raise InvalidInput(
                f"blocks, wishes: {', '.join(sorted(strangers))} given, who are not invited"
            )

    @property
    def hard(self) -> dict[str, list[Interval]]:
        """The intervals that the meeting has to avoid for the required, by label, in the order of the blocks."""
        binding: dict[str, list[Interval]] = {}
        for block in self.blocks:
            if block.person in self.required:
                binding.setdefault(block.label, []).append((block.start, block.end))
        return binding

    def busy(self, person: str) -> list[Interval]:
        """The blocks of one person."""
        return [
            (block.start, block.end) for block in self.blocks if block.person == person
        ]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why there is no start: `labels` together leave none, and none of them could be spared.

    `drop` is a smallest set of constraints without which there is a start: `start`, the earliest of those, None when
    the meeting is too long for the allowed hours.
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


def solve(
    problem: SchedulingProblem, k: int = 1, spacing: int = 0
) -> tuple[list[int], Conflict | None]:
    """The k best starts, most valuable first, the earlier among equals; none, and what conflicts, where there is none.

    Each is the best of the starts at least `spacing` minutes from those before it, so that the best one is always
    there and those for k are the first of those for k + 1. There are fewer where nothing is left.

    >>> solve(SchedulingProblem(60, ((540, 1020),)), k=3, spacing=120)
    ([540, 660, 780], None)
    """
    starts = feasible_starts(problem)
    worth, left = values(problem, starts), np.ones(len(starts), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < k and left.any():
        chosen.append(
            int(starts[np.where(left, worth, -1).argmax()])
        )  # argmax is the first among equals
        left &= np.abs(starts - chosen[-1]) >= max(spacing, 1)
    return chosen, None if chosen else conflict(problem)


def feasible_starts(problem: SchedulingProblem) -> np.ndarray:
    """The starts that break no hard constraint, in minutes, ascending."""
    starts = _possible(problem)
    return starts[
        ~_hit(
            starts,
            problem.duration,
            [i for found in problem.hard.values() for i in found],
        )
    ]


def values(problem: SchedulingProblem, starts: np.ndarray) -> np.ndarray:
    """The weights of the optional people who can attend at each start, and of the wishes that hold; shape (starts,)."""
    worth = np.zeros(len(starts), dtype=np.int64)
    attends = {
        name: ~_hit(starts, problem.duration, problem.busy(name))
        for name, _ in problem.optional
    }
    for name, weight in problem.optional:
        worth += weight * attends[name]
    for wish in problem.wishes:
        low, high = np.array(merged(wish.intervals)).T
        holds = (
            (starts[:, None] >= low) & (starts[:, None] + problem.duration <= high)
        ).any(axis=1)
        worth += wish.weight * (holds & attends.get(wish.person, True))
    return worth


def conflict(problem: SchedulingProblem) -> Conflict | None:
    """Which constraints leave no start, by a deletion filter, and the least to give up; None when there is a start.

    A start is freed by dropping all that forbids it, so a smallest set to drop is that of the start which the fewest
    constraints forbid.
    """
    starts = _possible(problem)
    if not len(starts):
        return Conflict((HORIZON,), (HORIZON,))
    forbidden = {
        label: _hit(starts, problem.duration, intervals)
        for label, intervals in problem.hard.items()
    }
    count = np.sum([*forbidden.values(), np.zeros(len(starts), dtype=int)], axis=0)
    easiest = int(np.argmin(count))
    if not count[easiest]:
        return None
    kept = dict(forbidden)
    for label in forbidden:  # leave out whatever the rest can spare (Chinneck 2008)
        rest = [starts for other, starts in kept.items() if other != label]
        if rest and np.any(rest, axis=0).all():
            del kept[label]
    drop = tuple(label for label in forbidden if forbidden[label][easiest])
    return Conflict(tuple(kept), drop, int(starts[easiest]))


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


def _possible(problem: SchedulingProblem) -> np.ndarray:
    """Starts with which the meeting lies in the horizon."""
    step, last = problem.step, 1 - problem.duration
    return np.concatenate(
        [
            np.arange(-(-a // step) * step, b + last, step)
            for a, b in merged(problem.horizon)
        ]
    )


def _hit(
    starts: np.ndarray, duration: int, intervals: Iterable[Interval]
) -> np.ndarray:
    """Whether a meeting overlaps one of the intervals, for each start; shape (starts,)."""
    low, high = np.array([*intervals], dtype=int).reshape(-1, 2).T
    overlaps = (starts[:, None] < high) & (low < starts[:, None] + duration)
    return np.any(overlaps, axis=1)
