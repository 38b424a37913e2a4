"""Search by asking and telling: propose a plan, learn what it is worth, keep the best; what every searcher shares."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from support.errors import InvalidInput

Plan = tuple[int, ...]
"""The option chosen for each decision, counted from 0."""

Value = Callable[[Plan], float]
"""What a plan is worth: larger is better."""


class Search(Protocol):
    """Ask and tell: what `Tree`, `RandomSearch` and `LocalSearch` have in common."""

    def descend(self) -> Plan:
        """The plan to ask about next."""

    def learn(self, plan: Plan, value: float) -> None:
        """Take in what a plan is worth, larger is better; any plan, also one that was not asked for."""

    def close(self, plan: Plan) -> None:
        """Leave a plan out from now on, while others are left, though nobody said what it is worth."""

    @property
    def best(self) -> tuple[Plan, float] | None:
        """The best plan learnt so far, the earlier of equals, and its value."""


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What a search asked and was told.

    Attributes
    ----------
    plans : int32 array of shape (evaluations, decisions)
    values : float array of shape (evaluations,)
    best : float array of shape (evaluations,), the largest value up to each
    """

    plans: np.ndarray
    values: np.ndarray
    best: np.ndarray

    @property
    def plan(self) -> Plan:
        """The best plan, the earlier of equals."""
        return tuple(self.plans[int(self.values.argmax())].tolist())

    @property
    def value(self) -> float:
        """What the best plan is worth."""
        return float(self.best[-1])


def follow(search: Search, value_of: Value, evaluations: int) -> Trace:
    """Ask and tell so many times.

    Raises
    ------
    InvalidInput
        When that is not a whole number of at least 1.
    """
    plans, values = [], []
    for _ in range(whole("evaluations", evaluations)):
        plans.append(search.descend())
        values.append(float(value_of(plans[-1])))
        search.learn(plans[-1], values[-1])
    return trace_of(np.array(plans, dtype=np.int32), np.array(values))


def trace_of(plans: np.ndarray, values: np.ndarray) -> Trace:
    """The trace of plans, shape (evaluations, decisions), and their values."""
    return Trace(plans, values, np.maximum.accumulate(values))


def check(plan: Plan, value: float, decisions: int, options: int) -> None:
    """See that a plan and its value are what a searcher can learn from.

    Raises
    ------
    InvalidInput
        When decisions or options do not fit, or the value is infinite or not a number.
    """
    if len(plan) != decisions or not all(0 <= option < options for option in plan):
        raise InvalidInput(f"plan: {plan!r} given; expected {decisions} options from 0 to {options - 1}")
    if not math.isfinite(value):
        raise InvalidInput(f"value: {value!r} given for plan {plan!r}; expected a finite number")


def whole(name: str, value: int) -> int:
    """The number itself.

    Raises
    ------
    InvalidInput
        When it is not a whole number of at least 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidInput(f"{name}: {value!r} given; expected a whole number of at least 1")
    return int(value)
