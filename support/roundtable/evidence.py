"""What an agent makes of its own table, and of the facts that the others tell it: an estimate and its error.

The model behind all three is additive, as `Priors` says: rating = mean + user + film + noise. UserHistory knows the
user but not which film is asked for, MovieHistory the film but not the user, BasicInfo both from outside only. What one
needs from another it hears as a fact in a message's claim, or goes without. All numbers are in stars; errors are
standard errors of the *expected* rating, in which the noise of one single rating has no part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from support.roundtable.knowledge import Priors
from support.roundtable.movielens import HIGHEST, LOWEST, RaterBackground

TASTE = 0.2  # stars; spread of a user's liking for one film about user + film, which no mean of either can tell
GENRE_SD = 0.4  # stars; spread of a user's liking for a genre about that of everybody
SHARPNESS = 4.0  # power of the similarity by which a rater's opinion of the film counts
# The three were chosen on a random tenth of u1.base that the tables did not hold, never on u1.test: similarity to the
# power of 1, 4, 8, 16 and 32; genres of 0.1, 0.25, 0.4 and 0.6 stars; a taste of 0.1, 0.2, 0.35 and 0.5 stars.
GENRE = "genre:"  # begins the name of a fact that gives a genre of the film


class Estimate(NamedTuple):
    """An expected rating and its standard error, in stars."""

    value: float
    error: float


def pool(
    estimates: Sequence[Estimate], weights: Sequence[float] | None = None
) -> Estimate:
    """Average by precision, 1 / error ** 2, times weights (Winkler 1968).

    >>> pool([Estimate(3.0, 0.5), Estimate(4.0, 0.5)]).value
    3.5
    """
    precisions = [
        w / e.error**2
        for e, w in zip(estimates, weights or [1.0] * len(estimates), strict=True)
    ]
    total = sum(precisions)
    return Estimate(
        sum(p * e.value for e, p in zip(estimates, precisions, strict=True)) / total,
        1 / sqrt(total),
    )


class BasicInfo:
    """Who the user is and what kind of film it is: a regression on what anybody may know, `demographic_estimate`.

    It tells the film's genres, without which UserHistory cannot look up what the user thinks of such films.
    """

    def __init__(self, background: RaterBackground) -> None:
        self.source = "the film's genres and year and the user's age, gender and work"
        row: Any = background.table.iloc[0]
        value, error = background.priors.demographic_estimate(row)
        self._estimate = Estimate(within(value), sqrt(error**2 + TASTE**2))
        self.facts: Mapping[str, float] = {
            f"{GENRE}{genre}": 1.0 for genre in row["genre"]
        }

    def estimate(self, heard: Mapping[str, float]) -> Estimate:
        """The regression's, whatever the others say."""
        return self._estimate


class MovieHistory:
    """What others made of the film, each against the own mean rating, those alike in taste first (Resnick et al. 1994).

    The film's deviation is the mean of rating - personal average, weighted by similarity ** `SHARPNESS` and shrunk by
    the variance components to that of a film of which nothing is known (empirical Bayes). How the target user rates
    at large it has to be told.
    """

    def __init__(self, background: RaterBackground) -> None:
        table, self.priors = background.table, background.priors
        self.source = f"{_count(len(table))} of this film by other users"
        deviations = (table["rating"] - table["personal_average_score"]).to_numpy(
            dtype=float
        )
        weights = (
            np.clip(table["user_pref_similarity"].to_numpy(dtype=float), 0.01, 1.0)
            ** SHARPNESS
        )
        usual = self.priors.film_mean - self.priors.mean
        beyond = shrunken(
            deviations - usual, weights, self.priors.film_sd, self.priors.noise_sd
        )
        self.deviation = Estimate(usual + beyond.value, beyond.error)
        self.facts: Mapping[str, float] = {
            "film deviation": self.deviation.value,
            "film error": self.deviation.error,
        }

    def estimate(self, heard: Mapping[str, float]) -> Estimate:
        """The user's mean, or everybody's until it is told, and the film's deviation."""
        user = heard.get("user mean", self.priors.mean)
        return _sum(user, heard.get("user error", self.priors.user_sd), *self.deviation)


class UserHistory:
    """How the user rates at large, and films of a genre in particular.

    The mean is shrunk to everybody's and a genre's deviation from it to everybody's for that genre, by the variance
    components (empirical Bayes). Which genres count it has to be told, and what the film is worth to others.
    """

    def __init__(self, background: RaterBackground) -> None:
        table, self.priors = background.table, background.priors
        self.source = f"{_count(len(table))} of other films by this user"
        self._ratings, self._genres = (
            table["rating"].to_numpy(dtype=float),
            list(table["genre"]),
        )
        own = shrunken(
            self._ratings - self.priors.mean,
            None,
            self.priors.user_sd,
            self.priors.noise_sd,
        )
        self.usual = Estimate(self.priors.mean + own.value, own.error)
        self.facts: Mapping[str, float] = {
            "user mean": self.usual.value,
            "user error": self.usual.error,
        }
        self.taste = cache(self._taste)

    def estimate(self, heard: Mapping[str, float]) -> Estimate:
        """The mean, the taste for the film's genres and the film's deviation, as far as these were told."""
        genres = [name.removeprefix(GENRE) for name in heard if name.startswith(GENRE)]
        film = heard.get(
            "film deviation", _mean([self._usual(genre) for genre in genres])
        )
        taste = _mean([self.taste(genre) for genre in genres])
        return _sum(
            self.usual.value + taste,
            self.usual.error,
            film,
            heard.get("film error", self.priors.film_sd),
        )

    def _taste(self, genre: str) -> float:
        """How far the user likes films of a genre more than users at large do, shrunk, in stars."""
        chosen = np.array([genre in genres for genres in self._genres], dtype=bool)
        beyond = self._ratings[chosen] - self.usual.value - self._usual(genre)
        return shrunken(beyond, None, GENRE_SD, self.priors.noise_sd).value

    def _usual(self, genre: str) -> float:
        return self.priors.genre_means.get(genre, self.priors.mean) - self.priors.mean


def read(background: RaterBackground) -> BasicInfo | MovieHistory | UserHistory:
    """The evidence in an agent's table: `facts` to tell the others, `estimate` of the rating, given the facts heard."""
    readers: dict[str, Any] = {
        "BasicInfo": BasicInfo,
        "MovieHistory": MovieHistory,
        "UserHistory": UserHistory,
    }
    return readers[background.me](background)


def shrunken(
    deviations: np.ndarray, weights: np.ndarray | None, sd: float, noise: float
) -> Estimate:
    """The mean of deviations with spread `noise` about a level that is itself normal about 0 with spread `sd`.

    `deviations` and `weights` have shape (n,); unequal weights count as Kish's effective number of observations.

    >>> shrunken(np.array([1.0, 1.0]), None, sd=1.0, noise=1.0).value
    0.6666666666666666
    """
    if not len(deviations):
        return Estimate(0.0, sd)
    weights = np.ones(len(deviations)) if weights is None else weights
    count = float(weights.sum() ** 2 / (weights**2).sum())
    level, precision = (
        float(weights @ deviations / weights.sum()),
        count / noise**2 + 1 / sd**2,
    )
    return Estimate(level * count / noise**2 / precision, 1 / sqrt(precision))


def within(value: float) -> float:
    """A number of stars held to the scale."""
    return min(max(value, LOWEST), HIGHEST)


def priors_error(priors: Priors) -> float:
    """The error of an estimate by somebody of whom nothing is known: that of the mean of all ratings."""
    return sqrt(priors.user_sd**2 + priors.film_sd**2 + TASTE**2)


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _sum(
    level: float, level_error: float, deviation: float, deviation_error: float
) -> Estimate:
    return Estimate(
        within(level + deviation), sqrt(level_error**2 + deviation_error**2 + TASTE**2)
    )


def _count(n: int) -> str:
    return f"{n or 'no'} rating{'' if n == 1 else 's'}"
