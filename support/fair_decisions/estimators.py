"""EstimateGain of Algorithm 2: from what participants answer to what options are worth to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import comb, exp, pi, sqrt
from statistics import NormalDist

import numpy as np

from support.fair_decisions.problem import COUNTS, POINTS, RANKINGS, Heard, Table
from support.fair_decisions.reader import MIDDLE, compared, read
from support.fair_decisions.records import Plan
from support.fair_decisions.targets import Pair

# ---- what to expect of gains before anybody said a word --------------------------------------------------------------

EDGE = 0.02  # how near to either end of all plans words can place one


@dataclass(frozen=True, eq=False)
class Prior:
    """The gains of the m options of one decision, for one participant.

    `covariance` is singular where gains share a constant sum; `values` and `chances` are the marginal of one gain.
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
        """The gain at a level from 0 to 1: middle ranks, joined by lines."""
        return np.interp(level, np.cumsum(self.chances) - self.chances / 2, self.values)

    def total(self, level: float | np.ndarray, decisions: int) -> np.ndarray:
        """The total of a plan at a level from 0 to 1 among all plans, as if totals were normal.

        Beyond `EDGE` of either end a level means no more than there: words do not tell one in a hundred from the best.
        """
        held = np.clip(level, EDGE, 1 - EDGE)
        deviates = np.array([NormalDist().inv_cdf(x) for x in held.ravel()]).reshape(
            held.shape
        )
        return decisions * self.mean[0] + np.sqrt(decisions * self.variance) * deviates


def prior_for(table: Table) -> Prior:
    """The prior of every decision at a table; decisions are independent of each other, and so are participants.

    Scores: all ways of sharing 100 points are equally likely. Rankings: a random permutation of 1 to m. Counts:
    independent, uniform from 0 to the highest.
    """
    m = table.shape[2]
    if table.preferences == COUNTS:
        count, variance = table.highest + 1, table.highest * (table.highest + 2) / 12
        mean = np.full(m, table.highest / 2)
        return Prior(
            mean, variance * np.eye(m), np.arange(count), np.full(count, 1 / count)
        )
    if table.preferences == RANKINGS:
        return Prior(
            np.full(m, (m + 1) / 2),
            _summing(m, (m**2 - 1) / 12),
            np.arange(1, m + 1),
            np.full(m, 1 / m),
        )
    ways = [
        comb(POINTS - v + m - 2, m - 2) if m > 1 else int(v == POINTS)
        for v in range(POINTS + 1)
    ]
    variance = POINTS * (POINTS + m) * (m - 1) / (m**2 * (m + 1))
    chances = np.array([w / sum(ways) for w in ways])
    return Prior(
        np.full(m, POINTS / m), _summing(m, variance), np.arange(POINTS + 1), chances
    )


def _summing(m: int, variance: float) -> np.ndarray:
    """The covariance of m exchangeable numbers with a constant sum: each row sums to 0."""
    return variance * (np.eye(m) * m - 1) / (m - 1) if m > 1 else np.zeros((1, 1))


# ---- what was answered so far, participant by participant ------------------------------------------------------------


@dataclass
class Answers:
    """All that one participant answered."""

    scores: list[tuple[Plan, float]] = field(default_factory=list)  # reported totals
    levels: defaultdict[Pair, list[float]] = field(
        default_factory=lambda: defaultdict(list)
    )  # read of each option
    wholes: list[tuple[Plan, float]] = field(
        default_factory=list
    )  # levels read of the plan as a whole
    comparisons: list[tuple[Plan, Plan, bool]] = field(
        default_factory=list
    )  # the first liked better, else both alike


def answers(table: Table, history: Sequence[Heard]) -> list[Answers]:
    """One for each participant, in their order; of two plans, the preference and what is said where they differ."""
    heard = {name: Answers() for name in table.participants}
    for entry in history:
        for answer in entry.feedback:
            mine, plans = heard[answer.participant], entry.plans
            if len(plans) > 1:
                if answer.text:
                    _compare(mine, answer.text, plans, table)
                elif answer.prefers is not None:
                    mine.comparisons.append(
                        (plans[answer.prefers], plans[1 - answer.prefers], True)
                    )
                elif answer.alike:
                    mine.comparisons.append((plans[0], plans[1], False))
                continue
            mine.scores += (
                [] if answer.score is None else [(plans[0], float(answer.score))]
            )
            reading = read(answer.text, plans[0], table)
            mine.wholes += [] if reading.whole is None else [(plans[0], reading.whole)]
            for pair, level in reading.levels.items():
                mine.levels[pair].append(level)
    return list(heard.values())


def _compare(mine: Answers, text: str, plans: Sequence[Plan], table: Table) -> None:
    first, second, readings = compared(text, plans[0], plans[1], table)
    if first != second:
        better = int(second > first)
        mine.comparisons.append((plans[better], plans[1 - better], True))
    elif first != MIDDLE:
        mine.comparisons.append((plans[0], plans[1], False))
    for levels in readings:
        for (j, k), level in levels.items():
            if plans[0][j] != plans[1][j]:  # "the rest" is that of what differs
                mine.levels[j, k].append(level)


def averaged(
    table: Table, told: Sequence[Mapping[Pair, Sequence[float]]]
) -> np.ndarray:
    """For each participant the mean of what was `told` of each (decision, option), the prior mean where nothing was."""
    gains = np.tile(prior_for(table).mean, (len(told), table.shape[1], 1))
    for own, mine in zip(gains, told, strict=True):
        for pair, values in mine.items():
            own[pair] = np.mean(values)
    return gains


class LexicalEstimator:
    """What a participant said of an option, as the prior's quantile at that level; the prior mean for all else.

    A remark on the plan as a whole counts for its options of which nothing is said in any round: the total at that
    level, in equal parts. Reported totals and comparisons are no words, and change nothing here.
    """

    kind = "lexical"

    async def estimate(
        self, table: Table, feedback: str, history: Sequence[Heard]
    ) -> np.ndarray:
        """Expected gains."""
        prior, n = prior_for(table), table.shape[1]
        told: list[dict[Pair, list[float]]] = []
        for mine in answers(table, history):
            parts: dict[Pair, list[float]] = {}
            for plan, level in mine.wholes:
                for pair in enumerate(plan):
                    parts.setdefault(pair, []).append(float(prior.total(level, n)) / n)
            told.append(
                parts
                | {
                    pair: prior.quantile(np.array(v)).tolist()
                    for pair, v in mine.levels.items()
                }
            )
        return averaged(table, told)


# ---- by Bayes' rule --------------------------------------------------------------------------------------------------

SCORE_NOISE = (
    0.1  # standard deviation of a reported total, in points; totals are whole numbers
)
WORD_NOISE = (
    0.2  # how far a level that was read may be from the one that was meant, of 1
)
COMPARISON_NOISE = 0.25  # of a comparison, in standard deviations of a single gain
REPEATED = 0.5  # how alike errors are when somebody speaks of one option again: repeated words are not new ones
LEAST = 1e-3  # smallest noise of any observation, so that no division is by 0


class BayesianEstimator:
    """EstimateGain by Bayes' rule: one Gaussian for each participant over all its gains, updated by any kind of answer.

    Totals, words and ties are linear observations, a preference is the sign of a linear function under probit noise,
    whose posterior is replaced by the Gaussian of its moments (assumed-density filtering, Minka 2001; for preferences
    Chu and Ghahramani 2005). That options share 100 points, or are a permutation, is in the prior's covariance. A
    negative estimate says that few answers were extrapolated. The estimator is ours: the paper (003, appendix C) calls
    exact solving under such feedback rarely feasible.
    """

    kind = "bayesian"
    mean: np.ndarray  # of the latest estimate, shape (participants, decisions, options)
    covariance: (
        np.ndarray
    )  # of it, shape (participants, decisions · options, decisions · options)

    async def estimate(
        self, table: Table, feedback: str, history: Sequence[Heard]
    ) -> np.ndarray:
        """Expected gains."""
        prior = prior_for(table)
        beliefs = [_believed(mine, prior, table) for mine in answers(table, history)]
        # Equal plans stay equal, whose last digits each processor's library for matrices rounds in its own way.
        self.mean = np.round([mean for mean, _ in beliefs], 6).reshape(table.shape)
        self.covariance = np.array([covariance for _, covariance in beliefs])
        return self.mean

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Gains as they may be by the latest estimate, of its shape (Thompson sampling)."""
        values, vectors = np.linalg.eigh(self.covariance)
        scaled = np.sqrt(np.maximum(values, 0.0)) * rng.standard_normal(
            values.shape
        )  # rounding leaves -1e-12
        return self.mean + np.einsum("pij,pj->pi", vectors, scaled).reshape(
            self.mean.shape
        )


def _believed(
    mine: Answers, prior: Prior, table: Table
) -> tuple[np.ndarray, np.ndarray]:
    _, n, m = table.shape
    mean, covariance = np.tile(prior.mean, n), np.kron(np.eye(n), prior.covariance)
    if mine.scores:
        plans, totals = zip(*mine.scores, strict=True)
        rows, noises = (
            np.array([chosen(plan, m) for plan in plans]),
            np.full(len(plans), SCORE_NOISE),
        )
        mean, covariance = observed(mean, covariance, rows, np.array(totals), noises)
    if mine.wholes:
        plans, levels = zip(*mine.wholes, strict=True)
        rows = np.array([chosen(plan, m) for plan in plans])
        mean, covariance = observed(
            mean, covariance, rows, *_spread(prior.total(_around(levels), n))
        )
    if mine.levels:
        rows, said = (
            np.eye(n * m)[[j * m + k for j, k in mine.levels]],
            mine.levels.values(),
        )
        values, noises = _spread(
            prior.quantile(_around([sum(v) / len(v) for v in said]))
        )
        again = np.array([sqrt(REPEATED + (1 - REPEATED) / len(v)) for v in said])
        mean, covariance = observed(mean, covariance, rows, values, noises * again)
    noise = max(COMPARISON_NOISE * sqrt(prior.variance), LEAST)
    for (
        one,
        other,
        better,
    ) in (
        mine.comparisons
    ):  # in the order in which they came: matching moments depends on it
        row = chosen(one, m) - chosen(other, m)
        if better:
            mean, covariance = preferred(mean, covariance, row, noise)
        else:
            mean, covariance = observed(
                mean, covariance, row[None, :], np.zeros(1), np.array([noise])
            )
    return mean, covariance


def chosen(plan: Plan, options: int) -> np.ndarray:
    """Which gains a plan adds up: 0 or 1, float of shape (decisions · options,)."""
    return np.eye(options)[list(plan)].ravel()


def _around(levels: Sequence[float]) -> np.ndarray:
    """Levels, and how low and how high they may have been meant: shape (3, levels)."""
    return np.clip(
        np.array(levels) + WORD_NOISE * np.array([[-1.0], [0.0], [1.0]]), 0.0, 1.0
    )


def _spread(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middle of three rows, and half of the distance between the others as its noise."""
    low, middle, high = values
    return middle, np.maximum((high - low) / 2, LEAST)


def observed(
    mean: np.ndarray,
    covariance: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    noises: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian after linear observations (Kalman's update, all at once, so that their order does not matter)."""
    reach = rows @ covariance
    gain = np.linalg.solve(reach @ rows.T + np.diag(noises**2), reach).T
    after = covariance - gain @ reach
    return mean + gain @ (values - rows @ mean), (after + after.T) / 2


def preferred(
    mean: np.ndarray, covariance: np.ndarray, row: np.ndarray, noise: float
) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian after learning that `row` @ gains, plus noise, is above 0, by matching moments."""
    from scipy.special import log_ndtr

    along = covariance @ row
    spread = sqrt(float(row @ along) + noise**2)
    t = float(row @ mean) / spread
    ratio = exp(-t * t / 2 - float(log_ndtr(t))) / sqrt(2 * pi)
    shrink = (
        min(max(ratio * (ratio + t), 0.0), 1.0) / spread**2
    )  # far out it is 1, and rounding would exceed that
    return mean + along * ratio / spread, covariance - shrink * np.outer(along, along)
