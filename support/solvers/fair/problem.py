"""What is asked of a solver of fair decisions, and what it answers.

A plan chooses one option for each decision; V_i is the sum of what its options are worth to participant i (section 3
of "Investigating Language Models for Supporting Complex Group Decisions", 003).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from support.errors import InvalidInput

DIVERGENCE, WELFARE, LEXIMIN, FAIREST_BEST = "divergence", "welfare", "leximin", "divergence then welfare"
OBJECTIVES = (DIVERGENCE, WELFARE, LEXIMIN, FAIREST_BEST)
"""The largest total minus the smallest, to be small; the sum of totals, to be large; the totals from the smallest up,
each as large as those before it allow; and of all plans of least divergence the one of largest welfare."""

Plan = tuple[int, ...]
Value = int | tuple[int, ...]
LARGEST = 2**53
"""Totals stay below, so that they are exact as floating-point numbers too."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A plan, and what is known of how good it is.

    Attributes
    ----------
    plan : the option chosen for each decision, from 0
    value : the objective's value for the plan. The divergence; the welfare; under leximin the totals in ascending
        order; under "divergence then welfare" both
    bound : what no plan betters: the divergence is at least this (of either objective that looks at it), the welfare,
        or under leximin the smallest total, at most this
    proven : whether the plan is shown to be optimal, in all parts of the objective
    solver : the name of what found the plan; two names, joined by " then ", when the second finished the proof
    note : what else there is to know, else empty
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


def checked(problem: object) -> np.ndarray:
    """The gains of a problem, or gains themselves, as int64 of shape (participants, decisions, options).

    Raises
    ------
    InvalidInput
        On another shape, on values that are no whole numbers of 0 or more, and on totals too large to be exact.
    """
    try:
        given = np.asarray(getattr(problem, "gains", problem))
    except ValueError as error:
        raise InvalidInput(
            "gains: decisions with unequal numbers of options given; expected the same number for every decision, and "
            "every participant (fill up with options that nobody can want)"
        ) from error
    if given.ndim != 3 or 0 in given.shape:
        raise InvalidInput(
            f"gains: shape {given.shape} given; expected (participants, decisions, options), at least one of each"
        )
    if given.dtype.kind not in "iuf":
        raise InvalidInput(f"gains: values of type {given.dtype} given; expected whole numbers of 0 or more")
    if given.dtype.kind == "f":
        _refuse(given, ~(np.isfinite(given) & (given == np.floor(given))))
    if given.min() < 0:
        _refuse(given, given < 0)
    if given.max() >= LARGEST / given.shape[1]:
        raise InvalidInput(
            f"gains: {given.max()} given with {given.shape[1]} decisions; expected totals below 2**53 (scale down)"
        )
    return given.astype(np.int64)


def _refuse(given: np.ndarray, wrong: np.ndarray) -> None:
    if wrong.any():
        i, j, k = map(int, np.argwhere(wrong)[0])
        raise InvalidInput(
            f"gains: {given[i, j, k]} given for participant {i + 1}, decision {j + 1}, option {k + 1}; expected a "
            "whole number of 0 or more (multiply fractions up)"
        )


def check_choice(what: str, given: object, names: tuple[str, ...]) -> None:
    """Refuse what is not among the names."""
    if given not in names:
        raise InvalidInput(f"{what}: {given!r} given; expected one of {', '.join(map(repr, names))}")


def check_time(seconds: object) -> float:
    """A time limit in seconds, more than 0; infinity is none."""
    number = isinstance(seconds, int | float | np.number) and not isinstance(seconds, bool)
    if not number or math.isnan(float(seconds)) or float(seconds) <= 0:  # type: ignore[arg-type]
        raise InvalidInput(f"time_limit: {seconds!r} given; expected a number of seconds above 0, such as 10")
    return float(seconds)  # type: ignore[arg-type]


def totals(gains: np.ndarray, plan: Plan) -> np.ndarray:
    """V_i of a plan, int of shape (participants,)."""
    return gains[:, np.arange(gains.shape[1]), list(plan)].sum(axis=1)


def valued(objective: str, gains: np.ndarray, plan: Plan) -> Value:
    """The objective's value for a plan, as `Solution.value` has it."""
    of = totals(gains, plan).tolist()
    if objective == LEXIMIN:
        return tuple(sorted(of))
    apart, together = max(of) - min(of), sum(of)
    values: dict[str, Value] = {DIVERGENCE: apart, WELFARE: together, FAIREST_BEST: (apart, together)}
    return values[objective]
