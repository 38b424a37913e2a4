"""What to expect of gains before anybody said a word: mean, covariance and quantiles, by the kind of preference.

The kinds are those of section 4.1 of 003 and of `environments.fair_decisions.generate`; decisions are independent of
each other, and so are participants.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from statistics import NormalDist

import numpy as np

from support.environments.fair_decisions.generate import POINTS
from support.environments.fair_decisions.views import COUNTS, PREFERENCES, RANKINGS, SCORES, Table
from support.errors import InvalidInput

EDGE = 0.02
"""How near to either end of all plans words can place one."""


@dataclass(frozen=True, eq=False)
class Prior:
    """The gains of the m options of one decision, for one participant.

    Attributes
    ----------
    mean : float array of shape (m,)
    covariance : float array of shape (m, m)
        Singular where gains share a constant sum.
    values, chances : arrays of shape (values,)
        The marginal distribution of one gain.
    """

    mean: np.ndarray
    covariance: np.ndarray
    values: np.ndarray
    chances: np.ndarray

    @property
    def variance(self) -> float:
        """Of one gain."""
        return float(self.covariance[0, 0])

    def quantile(self, level: float | np.ndarray) -> np.ndarray:
        """The gain at a level from 0 to 1: the distribution's middle ranks, joined by lines.

        >>> prior_of("rankings", options=4, highest=4).quantile(np.array([0.0, 0.5, 1.0])).tolist()
        [1.0, 2.5, 4.0]
        """
        return np.interp(level, np.cumsum(self.chances) - self.chances / 2, self.values)

    def total(self, level: float | np.ndarray, decisions: int) -> np.ndarray:
        """The total of a plan at a level from 0 to 1 among all plans, as if totals were normal.

        Beyond `EDGE` of either end a level means no more than there: words do not tell one in a hundred from the best.
        """
        held = np.clip(level, EDGE, 1 - EDGE)
        deviates = np.array([NormalDist().inv_cdf(x) for x in held.ravel()]).reshape(held.shape)
        return decisions * self.mean[0] + np.sqrt(decisions * self.variance) * deviates


def prior_for(table: Table) -> Prior:
    """The prior of every decision at a table.

    Raises
    ------
    InvalidInput
        On another kind of preference, or a highest gain below 0.
    """
    return prior_of(table.preferences, table.shape[2], table.highest)


def prior_of(preferences: str, options: int, highest: int) -> Prior:
    """The prior for m options of a kind of preference.

    "scores": all ways of sharing 100 points are equally likely, so that a gain has mean 100 / m, variance
    v = 100 (100 + m) (m - 1) / (m² (m + 1)), and any two have covariance -v / (m - 1). "rankings": a random permutation
    of 1 to m. "counts": independent, uniform from 0 to `highest`.

    Raises
    ------
    InvalidInput
        As for `prior_for`.
    """
    if preferences not in PREFERENCES:
        raise InvalidInput(f"preferences: {preferences!r} given; expected one of {', '.join(PREFERENCES)}")
    if highest < 0:
        raise InvalidInput(f"highest: {highest} given; expected the largest gain that there can be, 0 or more")
    return {SCORES: _shared, RANKINGS: _ranked, COUNTS: _counted}[preferences](options, highest)


def _shared(m: int, highest: int) -> Prior:
    del highest  # the points say it
    values = np.arange(POINTS + 1)
    ways = [comb(POINTS - v + m - 2, m - 2) if m > 1 else int(v == POINTS) for v in range(POINTS + 1)]
    variance = POINTS * (POINTS + m) * (m - 1) / (m**2 * (m + 1))
    return Prior(np.full(m, POINTS / m), _summing(m, variance), values, np.array([w / sum(ways) for w in ways]))


def _ranked(m: int, highest: int) -> Prior:
    del highest
    return Prior(np.full(m, (m + 1) / 2), _summing(m, (m**2 - 1) / 12), np.arange(1, m + 1), np.full(m, 1 / m))


def _counted(m: int, highest: int) -> Prior:
    count = highest + 1
    variance = highest * (highest + 2) / 12
    return Prior(np.full(m, highest / 2), variance * np.eye(m), np.arange(count), np.full(count, 1 / count))


def _summing(m: int, variance: float) -> np.ndarray:
    """The covariance of m exchangeable numbers with a constant sum: each row sums to 0."""
    return variance * (np.eye(m) * m - 1) / (m - 1) if m > 1 else np.zeros((1, 1))
