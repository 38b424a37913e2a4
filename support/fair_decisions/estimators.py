"""EstimateGain of Algorithm 2: from what participants answer to what options are worth
to them. What nobody spoke of keeps the mean of what could be expected before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, pi, sqrt

import numpy as np

from support.fair_decisions.problem import POINTS, RANKINGS, Heard, Table
from support.fair_decisions.records import Feedback, Plan

Pair = tuple[int, int]
"""A decision and one of its options."""

# ---- what to expect of gains before anybody said a word -------------------------------


@dataclass(frozen=True)
class Prior:
    """The gains of the m options of one decision, for one participant: their mean, and
    the variance of one; they have a constant sum.

    Scores: all ways of sharing 100 points are equally likely. Rankings: a random
    permutation of 1 to m. Decisions are independent of each other.
    """

    options: int
    ranked: bool

    @property
    def mean(self) -> float:
        """Of one gain."""
        m = self.options
        return (m + 1) / 2 if self.ranked else POINTS / m

    @property
    def variance(self) -> float:
        """Of one gain."""
        m = self.options
        if self.ranked:
            return (m**2 - 1) / 12
        return POINTS * (POINTS + m) * (m - 1) / (m**2 * (m + 1))

    @property
    def covariance(self) -> np.ndarray:
        """Of all gains: each row sums to 0."""
        m = self.options
        return self.variance * (np.eye(m) * m - 1) / max(m - 1, 1)

    def quantile(self, level: np.ndarray) -> np.ndarray:
        """The gain at a level from 0 to 1; that of a share of points is nearly Beta(1,
        m - 1)."""
        m = self.options
        if self.ranked:
            return np.clip(level * m + 0.5, 1, m)
        below = (1 - level) ** (1 / max(m - 1, 1))
        return POINTS * (1 - below) if m > 1 else np.full_like(level, POINTS)


def prior_for(table: Table) -> Prior:
    """The prior of every decision of every participant at a table."""
    return Prior(table.shape[2], table.preferences == RANKINGS)


# ---- by Bayes' rule -------------------------------------------------------------------

SCORE_NOISE = 0.1  # standard deviation of a reported total, in points
LEVEL_NOISE = 0.2  # how far a level may be from what was felt, of 1
WISHED = 0.9  # the level of an option that somebody would rather have
COMPARISON_NOISE = 0.25  # in standard deviations of a single gain
LEAST = 1e-3  # smallest noise of any observation, so that no division is by 0


class BayesianEstimator:
    """EstimateGain by Bayes' rule: one Gaussian for each participant over all its gains,
    updated by any kind of answer.

    Totals, levels and ties are linear observations, a preference is the sign of a
    linear function under probit noise, whose posterior is replaced by the Gaussian of
    its moments (assumed-density filtering, Minka 2001; for preferences Chu and
    Ghahramani 2005). That options share 100 points, or are a permutation, is in the
    prior's covariance. A negative estimate says that few answers were extrapolated. The
    estimator is ours: the paper (003, appendix C) calls exact solving under such
    feedback rarely feasible.
    """

    kind = "bayesian"

    async def estimate(
        self, table: Table, feedback: str, history: Sequence[Heard]
    ) -> np.ndarray:
        """Expected gains."""
        means = [_believed(name, table, history) for name in table.participants]
        # Equal plans stay equal, whose last digits each processor's library for
        # matrices rounds in its own way.
        return np.round(means, 6).reshape(table.shape)


def _believed(name: str, table: Table, history: Sequence[Heard]) -> np.ndarray:
    """The expected gains of one participant, shape (decisions · options,)."""
    prior, (_, n, m) = prior_for(table), table.shape
    belief = np.full(n * m, prior.mean), np.kron(np.eye(n), prior.covariance)
    noise = np.array([max(COMPARISON_NOISE * sqrt(prior.variance), LEAST)])
    for entry in history:
        rows = np.array([chosen(plan, m) for plan in entry.plans])
        for answer in entry.feedback:
            if answer.participant != name:
                continue
            levels = stated(entry.plans, answer)
            if levels:
                belief = observed(belief, *_liked(prior, n, levels))
            if answer.score is not None:
                total = np.array([answer.score])
                belief = observed(belief, rows, total, np.array([SCORE_NOISE]))
            elif answer.alike:
                belief = observed(belief, rows[:1] - rows[1:], np.zeros(1), noise)
            elif answer.prefers is not None:
                better, worse = rows[answer.prefers], rows[1 - answer.prefers]
                belief = preferred(belief, better - worse, noise[0])
    return belief[0]


def stated(plans: Sequence[Plan], answer: Feedback) -> dict[Pair, float]:
    """The levels that an answer states. An option that somebody would rather have is
    taken for a favourite."""
    found: dict[Pair, float] = {}
    for plan, levels in zip(plans, answer.levels, strict=False):
        for j, level in enumerate(levels):
            if level is not None:
                found[j, plan[j]] = level
    for j, k in enumerate(answer.rather):
        if k is not None:
            found.setdefault((j, k), WISHED)
    return found


def _liked(
    prior: Prior, decisions: int, levels: Mapping[Pair, float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Levels as observations: which gains, their values, how far these may be off."""
    m, meant = prior.options, np.array([*levels.values()])
    rows = np.eye(decisions * m)[[j * m + k for j, k in levels]]
    low = prior.quantile(np.maximum(meant - LEVEL_NOISE, 0))
    high = prior.quantile(np.minimum(meant + LEVEL_NOISE, 1))
    return rows, prior.quantile(meant), np.maximum((high - low) / 2, LEAST)


def chosen(plan: Plan, options: int) -> np.ndarray:
    """Which gains a plan adds up: 0 or 1, float of shape (decisions · options,)."""
    return np.eye(options)[list(plan)].ravel()


Belief = tuple[np.ndarray, np.ndarray]
"""A Gaussian: its mean and its covariance."""


def observed(
    belief: Belief, rows: np.ndarray, values: np.ndarray, noises: np.ndarray
) -> Belief:
    """A Gaussian after linear observations (Kalman's update, all at once, so that their
    order does not matter)."""
    mean, covariance = belief
    reach = rows @ covariance
    gain = np.linalg.solve(reach @ rows.T + np.diag(noises**2), reach).T
    after = covariance - gain @ reach
    return mean + gain @ (values - rows @ mean), (after + after.T) / 2


def preferred(belief: Belief, row: np.ndarray, noise: float) -> Belief:
    """A Gaussian after learning that `row` @ gains, plus noise, is above 0, by matching
    moments."""
    from scipy.special import log_ndtr

    mean, covariance = belief
    along = covariance @ row
    spread = sqrt(float(row @ along) + noise**2)
    t = float(row @ mean) / spread
    ratio = exp(-t * t / 2 - float(log_ndtr(t))) / sqrt(2 * pi)
    # Far out it is 1, and rounding would exceed that.
    shrink = min(max(ratio * (ratio + t), 0.0), 1.0) / spread**2
    return mean + along * ratio / spread, covariance - shrink * np.outer(along, along)
