"""EstimateGain by Bayes' rule: one Gaussian for each participant over all its gains, updated by any kind of answer.

- A reported total is a linear observation of the gains that the plan adds up, exact but for a small noise.
- Words are observations of single gains: the prior's quantile at the level that was read, with the spread that the
  quantiles have within `word_noise` of it.
- A tie between two plans is a linear observation that their totals differ by 0, with `comparison_noise`.
- A preference between two plans is the sign of a linear function under probit noise. The posterior is replaced by the
  Gaussian of its mean and covariance (assumed-density filtering, Minka 2001; for preferences Chu and Ghahramani 2005).

That options share 100 points, or are a permutation, is in the prior's covariance, and so in every estimate. The paper
(003, appendix C) calls exact solving under such feedback rarely feasible; this estimator is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, pi, sqrt

import numpy as np

from support.environments.fair_decisions.views import Heard, Table
from support.errors import InvalidInput
from support.participants.estimators.hearing import Answers, answers, chosen
from support.participants.estimators.priors import Prior, prior_for

SCORE_NOISE = 0.1
"""Standard deviation of a reported total; totals are whole numbers."""

WORD_NOISE = 0.2
"""How far a level that was read may be from the one that was meant, of 1."""

COMPARISON_NOISE = 0.25
"""Standard deviation of a comparison, in those of a single gain."""

REPEATED = 0.5
"""How alike the errors are when somebody speaks of one option again: words that are repeated are not new ones."""

LEAST = 1e-3
"""Smallest noise of any observation, so that no division is by 0."""


Seen = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Linear observations: rows of shape (seen, decisions · options), values and noises of shape (seen,)."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is believed of the gains.

    Attributes
    ----------
    mean : float array of shape (participants, decisions, options)
        Nothing holds it within the range of gains: a negative number says that few answers were extrapolated.
    covariance : float array of shape (participants, decisions · options, decisions · options)
        Participants are independent.
    """

    mean: np.ndarray
    covariance: np.ndarray

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Gains as they may be, of the shape of `mean` (Thompson sampling)."""
        values, vectors = np.linalg.eigh(self.covariance)
        scaled = np.sqrt(np.maximum(values, 0.0)) * rng.standard_normal(values.shape)  # rounding leaves -1e-12
        return self.mean + np.einsum("pij,pj->pi", vectors, scaled).reshape(self.mean.shape)


class BayesianEstimator:
    """Keeps nothing between rounds: each estimate starts from the prior and takes in all answers.

    Parameters
    ----------
    score_noise, word_noise, comparison_noise : float
        In points, in levels from 0 to 1, and in standard deviations of one gain.

    Raises
    ------
    InvalidInput
        On a noise below 0.
    """

    kind = "bayesian"

    def __init__(
        self,
        *,
        score_noise: float = SCORE_NOISE,
        word_noise: float = WORD_NOISE,
        comparison_noise: float = COMPARISON_NOISE,
    ) -> None:
        given = {"score_noise": score_noise, "word_noise": word_noise, "comparison_noise": comparison_noise}
        for name, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise InvalidInput(f"{name}: {value!r} given; expected a number of at least 0")
        self.score_noise, self.word_noise, self.comparison_noise = score_noise, word_noise, comparison_noise
        self._latest: Posterior | None = None

    async def estimate(self, table: Table, feedback: str, history: Sequence[Heard]) -> np.ndarray:
        """Expected gains, float of shape (participants, decisions, options)."""
        self._latest = self.believe(table, feedback, history)
        return self._latest.mean

    def believe(self, table: Table, feedback: str, history: Sequence[Heard]) -> Posterior:
        """The posterior after all answers.

        Raises
        ------
        InvalidInput
            On another kind of feedback or preferences, or the answer of somebody who is not at the table.
        """
        prior = prior_for(table)
        beliefs = [self._after(mine, prior, table) for mine in answers(table, feedback, history)]
        means = np.array([mean for mean, _ in beliefs]).reshape(table.shape)
        return Posterior(means, np.array([covariance for _, covariance in beliefs]))

    @property
    def posterior(self) -> Posterior:
        """What the latest estimate was taken from.

        Raises
        ------
        InvalidInput
            When nothing was estimated yet.
        """
        if self._latest is None:
            raise InvalidInput("posterior: nothing was estimated yet; await estimate(...) first")
        return self._latest

    @property
    def covariance(self) -> np.ndarray:
        """Of the latest estimate; see `Posterior`."""
        return self.posterior.covariance

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Gains drawn from what the latest estimate believes; see `Posterior.draw`."""
        return self.posterior.draw(rng)

    def _after(self, mine: Answers, prior: Prior, table: Table) -> tuple[np.ndarray, np.ndarray]:
        _, n, m = table.shape
        mean, covariance = np.tile(prior.mean, n), np.kron(np.eye(n), prior.covariance)
        for seen in (self._totals(mine, m), self._remarks(mine, prior, n, m), self._words(mine, prior, n, m)):
            mean, covariance = observed(mean, covariance, *seen) if len(seen[0]) else (mean, covariance)
        noise = max(self.comparison_noise * sqrt(prior.variance), LEAST)
        for one, other, better in mine.comparisons:  # in the order in which they came: matching moments depends on it
            mean, covariance = (preferred if better else tied)(
                mean, covariance, chosen(one, m) - chosen(other, m), noise
            )
        return mean, covariance

    def _totals(self, mine: Answers, m: int) -> Seen:
        rows = np.array([chosen(plan, m) for plan, _ in mine.scores])
        return rows, np.array([total for _, total in mine.scores]), np.full(len(rows), max(self.score_noise, LEAST))

    def _remarks(self, mine: Answers, prior: Prior, n: int, m: int) -> Seen:
        """What was said of whole plans."""
        rows = np.array([chosen(plan, m) for plan, _ in mine.wholes])
        return rows, *_spread(prior.total(self._around([level for _, level in mine.wholes]), n))

    def _words(self, mine: Answers, prior: Prior, n: int, m: int) -> Seen:
        """What was said of single options; of several remarks on one, the mean."""
        rows = np.zeros((len(mine.levels), n, m))
        for row, pair in zip(rows, mine.levels, strict=True):
            row[pair] = 1.0
        values, noises = _spread(prior.quantile(self._around([sum(v) / len(v) for v in mine.levels.values()])))
        again = [sqrt(REPEATED + (1 - REPEATED) / len(levels)) for levels in mine.levels.values()]
        return rows.reshape(len(rows), n * m), values, noises * np.array(again)

    def _around(self, levels: Sequence[float]) -> np.ndarray:
        """Levels, and how low and how high they may have been meant: shape (3, levels)."""
        steps = self.word_noise * np.array([[-1.0], [0.0], [1.0]])
        return np.clip(np.array(levels) + steps, 0.0, 1.0)


def _spread(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middle of three rows, and half of the distance between the others as its noise."""
    low, middle, high = values
    return middle, np.maximum((high - low) / 2, LEAST)


def observed(
    mean: np.ndarray, covariance: np.ndarray, rows: np.ndarray, values: np.ndarray, noises: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian of k numbers after linear observations: `rows` of shape (seen, k), `values` and `noises` (seen,).

    Kalman's update, all observations at once, so that their order does not matter.
    """
    reach = rows @ covariance
    gain = np.linalg.solve(reach @ rows.T + np.diag(noises**2), reach).T
    after = covariance - gain @ reach
    return mean + gain @ (values - rows @ mean), (after + after.T) / 2


def preferred(mean: np.ndarray, covariance: np.ndarray, row: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian after learning that `row` @ gains, plus noise, is above 0, by matching moments.

    With t the standardised mean of that difference and r(t) = φ(t) / Φ(t), the mean moves by r and the variance
    shrinks by r (r + t), both along the covariance with the difference.
    """
    from scipy.special import log_ndtr

    along = covariance @ row
    spread = sqrt(float(row @ along) + noise**2)
    t = float(row @ mean) / spread
    ratio = exp(-t * t / 2 - float(log_ndtr(t))) / sqrt(2 * pi)
    shrink = min(max(ratio * (ratio + t), 0.0), 1.0) / spread**2  # far out it is 1, and rounding would exceed that
    return mean + along * ratio / spread, covariance - shrink * np.outer(along, along)


def tied(mean: np.ndarray, covariance: np.ndarray, row: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian after learning that `row` @ gains, plus noise, is 0."""
    return observed(mean, covariance, row[None, :], np.zeros(1), np.array([noise]))
