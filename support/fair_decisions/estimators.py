"""EstimateGain of Algorithm 2: from what participants answer to what options are worth
to them. What nobody spoke of keeps the mean of what could be expected before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import comb, exp, pi, sqrt

import numpy as np

from support.fair_decisions.problem import POINTS, RANKINGS, Heard, Table
from support.fair_decisions.records import Feedback, Plan

Pair = tuple[int, int]
"""A decision and one of its options."""

# ---- what to expect of gains before anybody said a word -------------------------------


@dataclass(frozen=True, eq=False)
class Prior:
    """The gains of the m options of one decision, for one participant.

    `covariance` is singular: the gains have a constant sum. `values` and `chances` are
    the marginal of one gain.
    """

    mean: np.ndarray
    covariance: np.ndarray
    values: np.ndarray
    chances: np.ndarray

    def quantile(self, level: float | np.ndarray) -> np.ndarray:
        """The gain at a level from 0 to 1: middle ranks, joined by lines."""
        middles = np.cumsum(self.chances) - self.chances / 2
        return np.interp(level, middles, self.values)


def prior_for(table: Table) -> Prior:
    """The prior of every decision at a table; decisions are independent of each other,
    and so are participants.

    Scores: all ways of sharing 100 points are equally likely. Rankings: a random
    permutation of 1 to m.
    """
    m = table.shape[2]
    if table.preferences == RANKINGS:
        mean, variance, values = (m + 1) / 2, (m**2 - 1) / 12, np.arange(1, m + 1)
        ways = [1] * m
    else:
        mean, values = POINTS / m, np.arange(POINTS + 1)
        variance = POINTS * (POINTS + m) * (m - 1) / (m**2 * (m + 1))
        ways = [comb(POINTS - v + m - 2, m - 2) if m > 1 else 0 for v in values]
        ways[-1] = 1
    together = variance * (np.eye(m) * m - 1) / max(m - 1, 1)
    chances = np.array([w / sum(ways) for w in ways])
    return Prior(np.full(m, mean), together, values, chances)


# ---- what was answered so far, participant by participant -----------------------------


@dataclass
class Answers:
    """All that one participant answered: totals of plans, levels of options, and which
    of two plans it likes better (the first, or both alike)."""

    scores: list[tuple[Plan, float]] = field(default_factory=list)
    levels: dict[Pair, list[float]] = field(default_factory=dict)
    comparisons: list[tuple[Plan, Plan, bool]] = field(default_factory=list)

    def take(self, plans: Sequence[Plan], answer: Feedback) -> None:
        """Add what was answered in a round."""
        if answer.score is not None:
            self.scores.append((plans[0], float(answer.score)))
        if answer.prefers is not None:
            better, worse = plans[answer.prefers], plans[1 - answer.prefers]
            self.comparisons.append((better, worse, True))
        elif answer.alike:
            self.comparisons.append((plans[0], plans[1], False))
        for pair, level in stated(plans, answer):
            self.levels.setdefault(pair, []).append(level)


def stated(plans: Sequence[Plan], answer: Feedback) -> list[tuple[Pair, float]]:
    """The levels that an answer states. An option that somebody would rather have lies
    halfway between the one that was planned and the best that there could be."""
    found: list[tuple[Pair, float]] = []
    for plan, levels in zip(plans, answer.levels, strict=False):
        for j, level in enumerate(levels):
            if level is not None:
                found.append(((j, plan[j]), level))
    liked = dict(found)
    for j, k in enumerate(answer.rather):
        if k is not None and (j, k) not in liked:
            found.append(((j, k), (1 + liked.get((j, plans[0][j]), 0.5)) / 2))
    return found


def answers(table: Table, history: Sequence[Heard]) -> list[Answers]:
    """What each participant answered, in their order."""
    heard = {name: Answers() for name in table.participants}
    for entry in history:
        for answer in entry.feedback:
            heard[answer.participant].take(entry.plans, answer)
    return list(heard.values())


def averaged(
    table: Table, told: Sequence[Mapping[Pair, Sequence[float]]]
) -> np.ndarray:
    """For each participant the mean of the gains `told` of each option, the prior mean
    where there are none."""
    gains = np.tile(prior_for(table).mean, (len(told), table.shape[1], 1))
    for own, mine in zip(gains, told, strict=True):
        for pair, values in mine.items():
            own[pair] = np.mean(values)
    return gains


def gains_of(
    table: Table, history: Sequence[Heard]
) -> list[defaultdict[Pair, list[float]]]:
    """What levels make of the options that a participant stated them of."""
    prior, found = prior_for(table), []
    for mine in answers(table, history):
        told: defaultdict[Pair, list[float]] = defaultdict(list)
        for pair, levels in mine.levels.items():
            told[pair] = prior.quantile(np.array(levels)).tolist()
        found.append(told)
    return found


class LevelsEstimator:
    """What a participant states of an option, as the prior's quantile at that level.

    Totals and comparisons are no levels, and change nothing here.
    """

    kind = "levels"

    async def estimate(
        self, table: Table, feedback: str, history: Sequence[Heard]
    ) -> np.ndarray:
        """Expected gains."""
        return averaged(table, gains_of(table, history))


# ---- by Bayes' rule -------------------------------------------------------------------

SCORE_NOISE = 0.1  # standard deviation of a reported total, in points
LEVEL_NOISE = 0.2  # how far a level may be from what was felt, of 1
COMPARISON_NOISE = 0.25  # in standard deviations of a single gain
REPEATED = 0.5  # how alike errors are when somebody speaks of one option again
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
        prior = prior_for(table)
        means = [_believed(mine, prior, table) for mine in answers(table, history)]
        # Equal plans stay equal, whose last digits each processor's library for
        # matrices rounds in its own way.
        return np.round(means, 6).reshape(table.shape)


def _believed(mine: Answers, prior: Prior, table: Table) -> np.ndarray:
    """The expected gains of one participant, shape (decisions · options,)."""
    _, n, m = table.shape
    belief = np.tile(prior.mean, n), np.kron(np.eye(n), prior.covariance)
    if mine.scores:
        rows = np.array([chosen(plan, m) for plan, _ in mine.scores])
        totals = np.array([total for _, total in mine.scores])
        belief = observed(*belief, rows, totals, np.full(len(totals), SCORE_NOISE))
    if mine.levels:
        rows = np.eye(n * m)[[j * m + k for j, k in mine.levels]]
        means = np.array([np.mean(levels) for levels in mine.levels.values()])
        counts = np.array([len(levels) for levels in mine.levels.values()])
        low, high = prior.quantile(
            np.clip([means - LEVEL_NOISE, means + LEVEL_NOISE], 0, 1)
        )
        noises = np.maximum((high - low) / 2, LEAST)
        noises = noises * np.sqrt(REPEATED + (1 - REPEATED) / counts)
        belief = observed(*belief, rows, prior.quantile(means), noises)
    noise = max(COMPARISON_NOISE * sqrt(prior.covariance[0, 0]), LEAST)
    # In the order in which they came: matching moments depends on it.
    for one, other, better in mine.comparisons:
        row = chosen(one, m) - chosen(other, m)
        if not better:
            alike = row[None], np.zeros(1), np.array([noise])
            belief = observed(*belief, *alike)
            continue
        belief = preferred(*belief, row, noise)
    return belief[0]


def chosen(plan: Plan, options: int) -> np.ndarray:
    """Which gains a plan adds up: 0 or 1, float of shape (decisions · options,)."""
    return np.eye(options)[list(plan)].ravel()


def observed(
    mean: np.ndarray,
    covariance: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    noises: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian after linear observations (Kalman's update, all at once, so that their
    order does not matter)."""
    reach = rows @ covariance
    gain = np.linalg.solve(reach @ rows.T + np.diag(noises**2), reach).T
    after = covariance - gain @ reach
    return mean + gain @ (values - rows @ mean), (after + after.T) / 2


def preferred(
    mean: np.ndarray, covariance: np.ndarray, row: np.ndarray, noise: float
) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian after learning that `row` @ gains, plus noise, is above 0, by matching
    moments."""
    from scipy.special import log_ndtr

    along = covariance @ row
    spread = sqrt(float(row @ along) + noise**2)
    t = float(row @ mean) / spread
    ratio = exp(-t * t / 2 - float(log_ndtr(t))) / sqrt(2 * pi)
    # Far out it is 1, and rounding would exceed that.
    shrink = min(max(ratio * (ratio + t), 0.0), 1.0) / spread**2
    return mean + along * ratio / spread, covariance - shrink * np.outer(along, along)
