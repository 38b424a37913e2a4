"""All plans, looked at one and all: the yardstick of the other solvers."""

from __future__ import annotations

import numpy as np

from support.errors import InvalidInput
from support.solvers.fair.meet import sums
from support.solvers.fair.problem import DIVERGENCE, FAIREST_BEST, LEXIMIN, WELFARE, Found

MOST = 2_000_000
"""Plans that `brute` looks at."""


def brute(gains: np.ndarray, objective: str) -> Found:
    """The best of all plans, the first of equals.

    Raises
    ------
    InvalidInput
        When there are more than MOST plans.
    """
    _, n, m = gains.shape
    if m**n > MOST:
        raise InvalidInput(f"solver: 'brute' given for {m}**{n} plans; expected at most {MOST}. Take 'auto'")
    costs = _costs(sums(gains), objective)
    left = np.arange(m**n)
    for cost in costs:
        worth = cost[left]
        left = left[worth == worth.min()]
    first = int(costs[0][left[0]])
    plan = tuple(map(int, np.unravel_index(left[0], (m,) * n)))
    return Found(plan, first if objective in (DIVERGENCE, FAIREST_BEST) else -first, True)


def _costs(totals: np.ndarray, objective: str) -> list[np.ndarray]:
    """What is minimised first, second, ...; each of shape (plans,)."""
    if objective == LEXIMIN:
        return list(-np.sort(totals, axis=0))
    apart, together = totals.max(axis=0) - totals.min(axis=0), totals.sum(axis=0)
    return {DIVERGENCE: [apart], WELFARE: [-together], FAIREST_BEST: [apart, -together]}[objective]
