"""How good a plan is: fairness and welfare of totals. Pure functions of arrays of shape (..., participants)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from support.fair_decisions.problem import FairDecisions


def divergence(totals: np.ndarray) -> np.ndarray:
    """The largest total minus the smallest: 0 is fair (section 4.2 of 003, its tables and its worked example)."""
    return np.ptp(np.asarray(totals), axis=-1)


def shortfall(problem: FairDecisions, totals: np.ndarray) -> np.ndarray:
    """The largest distance of a participant's total from the best that it could have.

    Section 3 of 003 calls this divergence as well; its formula, tables and examples do not.
    """
    return (problem.gains.max(axis=2).sum(axis=1) - np.asarray(totals)).max(axis=-1)


def welfare(totals: np.ndarray) -> np.ndarray:
    """The sum of the totals (Harsanyi 1955; section 5.6 of 003)."""
    return np.asarray(totals).sum(axis=-1)


def nash_welfare(totals: np.ndarray) -> np.ndarray:
    """The geometric mean of the totals (Nash 1950): 0 when somebody has nothing."""
    with np.errstate(divide="ignore"):
        return np.exp(np.log(np.asarray(totals, dtype=float)).mean(axis=-1))


def gini(totals: np.ndarray) -> np.ndarray:
    """The Gini coefficient of the totals; 0 where everybody has nothing."""
    given = np.sort(np.asarray(totals, dtype=float), axis=-1)
    n, total = given.shape[-1], given.sum(axis=-1)
    spread = ((2 * np.arange(1, n + 1) - n - 1) * given).sum(axis=-1)
    return np.divide(spread, n * total, out=np.zeros_like(total), where=total > 0)


def envy(totals: np.ndarray) -> np.ndarray:
    """The mean over ordered pairs of how much more the other one has, 0 where it has less."""
    given = np.asarray(totals, dtype=float)
    n = given.shape[-1]
    return np.maximum(given[..., None, :] - given[..., :, None], 0).sum(
        axis=(-1, -2)
    ) / max(n * (n - 1), 1)


OBJECTIVES: Mapping[str, Callable[[np.ndarray], np.ndarray]]
OBJECTIVES = {"divergence": lambda totals: -divergence(totals), "welfare": welfare}
"""What a group can be told to look for, as functions of the totals to be made large."""


def value(objective: str, totals: np.ndarray) -> np.ndarray:
    """How good totals are by an objective; larger is better."""
    return OBJECTIVES[objective](totals)
