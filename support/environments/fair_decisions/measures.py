"""How good a plan is: fairness and welfare of totals. Pure functions of arrays of shape (..., participants)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from support.environments.fair_decisions.problem import FairDecisions
from support.errors import InvalidInput
from support.records.planning import Plan

Totals = np.ndarray


def divergence(totals: Totals) -> np.ndarray:
    """The largest total minus the smallest: 0 is fair (section 4.2 of 003, its tables and its worked example).

    >>> divergence(np.array([83, 210, 77])).item()
    133
    """
    given = np.asarray(totals)
    return given.max(axis=-1) - given.min(axis=-1)


def shortfall(problem: FairDecisions, totals: Totals) -> np.ndarray:
    """The largest distance of a participant's total from the best that it could have.

    Section 3 of 003 calls this divergence as well; its formula, tables and examples do not.
    """
    best = problem.gains.max(axis=2).sum(axis=1)
    return (best - np.asarray(totals)).max(axis=-1)


def welfare(totals: Totals) -> np.ndarray:
    """The sum of the totals (Harsanyi 1955; section 5.6 of 003)."""
    return np.asarray(totals).sum(axis=-1)


def nash_welfare(totals: Totals) -> np.ndarray:
    """The geometric mean of the totals (Nash 1950): 0 when somebody has nothing.

    >>> nash_welfare(np.array([2, 8])).item()
    4.0
    """
    given = np.asarray(totals, dtype=float)
    with np.errstate(divide="ignore"):
        return np.exp(np.log(given).mean(axis=-1))


def leximin(totals: Totals) -> tuple[int, ...]:
    """The totals of one plan from the smallest up: of two plans, the leximin better one has the larger tuple.

    >>> leximin(np.array([5, 2, 3])) > leximin(np.array([9, 9, 1]))
    True
    """
    return tuple(np.sort(np.asarray(totals)).tolist())


def gini(totals: Totals) -> np.ndarray:
    """The Gini coefficient of the totals; 0 where everybody has nothing.

    >>> gini(np.array([0, 0, 3])).round(3).item()
    0.667
    """
    given = np.sort(np.asarray(totals, dtype=float), axis=-1)
    n = given.shape[-1]
    total = given.sum(axis=-1)
    spread = ((2 * np.arange(1, n + 1) - n - 1) * given).sum(axis=-1)
    return np.divide(spread, n * total, out=np.zeros_like(total), where=total > 0)


def envy(totals: Totals) -> np.ndarray:
    """The mean over ordered pairs of how much more the other one has, 0 where it has less.

    >>> envy(np.array([1, 4])).item()
    1.5
    """
    given = np.asarray(totals, dtype=float)
    n = given.shape[-1]
    more = np.maximum(given[..., None, :] - given[..., :, None], 0)
    return more.sum(axis=(-1, -2)) / max(n * (n - 1), 1)


def price_of_fairness(problem: FairDecisions, fairest: Plan) -> float:
    """The share of the largest welfare that a fair plan gives up (Bertsimas, Farias and Trichakis 2011)."""
    best = int(problem.gains.sum(axis=0).max(axis=1).sum())
    return float(1 - welfare(problem.totals(fairest)) / best) if best else 0.0


OBJECTIVES: Mapping[str, Callable[[Totals], np.ndarray]] = {
    "divergence": lambda totals: -divergence(totals),
    "welfare": welfare,
}
"""What a group can be told to look for, as functions of the totals to be made large."""


def value(objective: str, totals: Totals) -> np.ndarray:
    """How good totals are by an objective, larger is better: minus the divergence, or the welfare.

    Raises
    ------
    InvalidInput
        On another objective.
    """
    if objective not in OBJECTIVES:
        raise InvalidInput(f"objective: {objective!r} given; expected one of {', '.join(OBJECTIVES)}")
    return OBJECTIVES[objective](totals)
