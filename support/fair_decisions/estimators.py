"""EstimateGain of Algorithm 2: from what participants answer to what options are worth
to them. What nobody spoke of keeps the mean of what could be expected before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, pi, sqrt
from typing import Any

import numpy as np

from support.fair_decisions.problem import POINTS, RANKINGS, Heard, Table
from support.fair_decisions.records import Feedback, Plan

Belief = tuple[np.ndarray, np.ndarray]
"""A Gaussian: its mean and its covariance."""

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
        return POINTS * (1 - below)


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
        self,
        table: Table,
        feedback: str,
        history: Sequence[Heard],
    ) -> np.ndarray:
        """Expected gains."""
        means = [_believed(name, table, history) for name in table.participants]
        # Equal plans stay equal, whose last digits each processor's library for
        # matrices rounds in its own way.
        return np.round(means, 6).reshape(table.shape)


def _believed(name: str, table: Table, history: Sequence[Heard]) -> np.ndarray:
    """The expected gains of one participant, shape (decisions · options,)."""
    prior = prior_for(table)
    _, n, m = table.shape
    mean = np.full(n * m, prior.mean)
    belief = mean, np.kron(np.eye(n), prior.covariance)
    for entry in history:
        for answer in entry.feedback:
            if answer.participant == name:
                belief = _learnt(belief, prior, entry.plans, answer)
    return belief[0]


def _learnt(
    belief: Belief,
    prior: Prior,
    plans: Sequence[Plan],
    answer: Feedback,
) -> Belief:
    """A Gaussian after an answer to a plan, or to two."""
    levels = _stated(plans, answer, prior.options)
    if levels:
        belief = observed(belief, *_liked(prior, len(plans[0]), levels))
    # Which gains a plan adds up: 0 or 1, one row a plan.
    rows = np.eye(prior.options)[np.array(plans)].reshape(len(plans), -1)
    if answer.score is not None:
        return observed(belief, rows, answer.score, SCORE_NOISE)
    noise = max(COMPARISON_NOISE * sqrt(prior.variance), LEAST)
    if answer.alike:
        return observed(belief, rows[:1] - rows[1:], 0, noise)
    if answer.prefers is None:
        return belief
    ahead = rows[answer.prefers] - rows[1 - answer.prefers]
    return preferred(belief, ahead, noise)


def _stated(plans: Sequence[Plan], answer: Feedback, m: int) -> dict[int, float]:
    """The levels that an answer states, by the place of the gain. An option that
    somebody would rather have is taken for a favourite."""
    found = dict[int, float]()
    for plan, levels in zip(plans, answer.levels, strict=False):
        for j, level in enumerate(levels):
            if level is not None:
                found[j * m + plan[j]] = level
    for j, k in enumerate(answer.rather):
        if k is not None:
            found.setdefault(j * m + k, WISHED)
    return found


def _liked(
    prior: Prior,
    decisions: int,
    levels: Mapping[int, float],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Levels as observations: which gains, their values, how far these may be off."""
    rows = np.eye(decisions * prior.options)[list(levels)]
    meant = np.array([*levels.values()])
    low = prior.quantile(np.maximum(meant - LEVEL_NOISE, 0))
    high = prior.quantile(np.minimum(meant + LEVEL_NOISE, 1))
    noises = np.maximum((high - low) / 2, LEAST)
    return rows, prior.quantile(meant), noises


def observed(
    belief: Belief,
    rows: np.ndarray,
    values: Any,
    noises: Any,
) -> Belief:
    """A Gaussian after linear observations (Kalman's update, all at once, so that their
    order does not matter)."""
    mean, covariance = belief
    reach = rows @ covariance
    uncertain = reach @ rows.T + np.eye(len(rows)) * noises**2
    gain = np.linalg.solve(uncertain, reach).T
    after = covariance - gain @ reach
    return mean + gain @ (values - rows @ mean), (after + after.T) / 2


def preferred(belief: Belief, row: np.ndarray, noise: float) -> Belief:
    """A Gaussian after learning that `row` @ gains, plus noise, is above 0, by matching
    moments."""
    from scipy.special import log_ndtr

    mean, covariance = belief
    along = covariance @ row
    spread = sqrt(row @ along + noise**2)
    t = float(row @ mean) / spread
    ratio = exp(-t * t / 2 - log_ndtr(t)) / sqrt(2 * pi)
    # Far out it is 1, and rounding would exceed that.
    shrink = min(max(ratio * (ratio + t), 0.0), 1.0) / spread**2
    moved = mean + along * ratio / spread
    return moved, covariance - shrink * np.outer(along, along)
