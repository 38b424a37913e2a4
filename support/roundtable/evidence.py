"""What an agent makes of its own table, and of the facts that the others tell it: an estimate and its error.

The model behind all three is additive, as `Priors` says: rating = mean + user + film + noise. UserHistory knows the
user but not which film is asked for, MovieHistory the film but not the user, BasicInfo both from outside only. What one
needs from another it hears as a fact in a message's claim, or goes without. All numbers are in stars; errors are
standard errors of the *expected* rating, in which the noise of one single rating has no part.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from support.roundtable.knowledge import Priors
from support.roundtable.movielens import (
    AGENTS,
    HIGHEST,
    LOWEST,
    RaterBackground,
)

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


def pool(estimates: Sequence[Estimate]) -> Estimate:
    """Average by precision, 1 / error ** 2 (Winkler 1968).

    >>> pool([Estimate(3.0, 0.5), Estimate(4.0, 0.5)]).value
    3.5
    """
    precisions = [1 / part.error**2 for part in estimates]
    total = sum(precisions)
    pairs = zip(precisions, estimates, strict=True)
    value = sum(precision * part.value for precision, part in pairs) / total
    return Estimate(value, 1 / sqrt(total))


@dataclass(frozen=True)
class Evidence:
    """What an agent's table says: `source` in words, `facts` to tell the others, and
    `estimate`, which reads the table with the facts that were heard."""

    source: str
    facts: Mapping[str, float]
    estimate: Callable[[Mapping[str, float]], Estimate]


def basic_info(background: RaterBackground) -> Evidence:
    """Who the user is and what kind of film it is: a regression on what anybody may know, `demographic_estimate`.

    It tells the film's genres, without which UserHistory cannot look up what the user thinks of such films.
    """
    row: Any = background.table.iloc[0]
    value, error = background.priors.demographic_estimate(row)
    fixed = Estimate(within(value), sqrt(error**2 + TASTE**2))
    source = "the film's genres and year and the user's age, gender and work"
    facts = {f"{GENRE}{genre}": 1.0 for genre in row["genre"]}
    return Evidence(source, facts, lambda heard: fixed)


def movie_history(background: RaterBackground) -> Evidence:
    """What others made of the film, each against the own mean rating, those alike in taste first (Resnick et al. 1994).

    The film's deviation is the mean of rating - personal average, weighted by similarity ** `SHARPNESS` and shrunk by
    the variance components to that of a film of which nothing is known (empirical Bayes). How the target user rates
    at large it has to be told.
    """
    table = background.table
    known = background.priors
    usual = known.film_mean - known.mean
    deviations = table["rating"] - table["personal_average_score"]
    beyond = deviations.to_numpy(dtype=float) - usual
    likeness = table["user_pref_similarity"].to_numpy(dtype=float)
    weights = np.clip(likeness, 0.01, 1.0) ** SHARPNESS
    own = shrunken(beyond, known.film_sd, known.noise_sd, weights)
    film = Estimate(usual + own.value, own.error)

    def estimate(heard: Mapping[str, float]) -> Estimate:
        """The user's mean, or everybody's until it is told, and the film's deviation."""
        user = heard.get("user mean", known.mean)
        return _sum(
            user,
            heard.get("user error", known.user_sd),
            *film,
        )

    source = f"{_count(len(table))} of this film by other users"
    facts = {
        "film deviation": film.value,
        "film error": film.error,
    }
    return Evidence(source, facts, estimate)


def user_history(background: RaterBackground) -> Evidence:
    """How the user rates at large, and films of a genre in particular.

    The mean is shrunk to everybody's and a genre's deviation from it to everybody's for that genre, by the variance
    components (empirical Bayes). Which genres count it has to be told, and what the film is worth to others.
    """
    table = background.table
    known = background.priors
    ratings = table["rating"].to_numpy(dtype=float)
    own = shrunken(ratings - known.mean, known.user_sd, known.noise_sd)
    user = Estimate(known.mean + own.value, own.error)

    def usual(genre: str) -> float:
        return known.genre_means.get(genre, known.mean) - known.mean

    @cache
    def taste(genre: str) -> float:
        """How far the user likes films of a genre more than users at large do, shrunk, in stars."""
        chosen = [genre in genres for genres in table["genre"]]
        beyond = ratings[np.array(chosen, dtype=bool)] - user.value - usual(genre)
        return shrunken(beyond, GENRE_SD, known.noise_sd).value

    def estimate(heard: Mapping[str, float]) -> Estimate:
        """The mean, the taste for the film's genres and the film's deviation, as far as these were told."""
        genres = [name.removeprefix(GENRE) for name in heard if name.startswith(GENRE)]
        film = heard.get("film deviation", _mean(map(usual, genres)))
        error = heard.get("film error", known.film_sd)
        return _sum(
            user.value + _mean(map(taste, genres)),
            user.error,
            film,
            error,
        )

    source = f"{_count(len(table))} of other films by this user"
    facts = {
        "user mean": user.value,
        "user error": user.error,
    }
    return Evidence(source, facts, estimate)


def read(background: RaterBackground) -> Evidence:
    """The evidence in an agent's table."""
    readers = dict(
        zip(
            AGENTS,
            (basic_info, movie_history, user_history),
            strict=True,
        )
    )
    return readers[background.me](background)


def shrunken(
    deviations: np.ndarray,
    sd: float,
    noise: float,
    likeness: np.ndarray | None = None,
) -> Estimate:
    """The mean of deviations with spread `noise` about a level that is itself normal about 0 with spread `sd`.

    `deviations` and `likeness`, their weights, have shape (n,); unequal weights count as Kish's effective number of
    observations.

    >>> shrunken(np.array([1.0, 1.0]), sd=1.0, noise=1.0).value
    0.6666666666666666
    """
    if not len(deviations):
        return Estimate(0.0, sd)
    weights = np.ones(len(deviations)) if likeness is None else likeness
    count = float(weights.sum() ** 2 / (weights**2).sum())
    level = float(weights @ deviations / weights.sum())
    precision = count / noise**2 + 1 / sd**2
    return Estimate(
        level * count / noise**2 / precision,
        1 / sqrt(precision),
    )


def within(value: float) -> float:
    """A number of stars held to the scale."""
    return min(max(value, LOWEST), HIGHEST)


def priors_error(priors: Priors) -> float:
    """The error of an estimate by somebody of whom nothing is known: that of the mean of all ratings."""
    return sqrt(priors.user_sd**2 + priors.film_sd**2 + TASTE**2)


def _mean(numbers: Iterable[float]) -> float:
    listed = list(numbers)
    return sum(listed) / len(listed) if listed else 0.0


def _sum(
    level: float,
    level_error: float,
    deviation: float,
    deviation_error: float,
) -> Estimate:
    error = sqrt(level_error**2 + deviation_error**2 + TASTE**2)
    return Estimate(within(level + deviation), error)


def _count(n: int) -> str:
    return f"{n or 'no'} rating{'' if n == 1 else 's'}"
