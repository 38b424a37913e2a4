"""What a rule-based rater reads in its own table, and what it makes of the facts that others tell it.

The model is that of `Priors`: rating = mean + user + film + noise. UserHistory knows the user but not what others make
of the film, MovieHistory the film but not the user, BasicInfo both from outside only. Each part is the best linear
unbiased prediction (Robinson 1991): ratings and what was known before them, pooled by precision. All numbers are in
stars; errors are standard errors of the *expected* rating, in which the noise of one single rating has no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import hypot
from typing import NamedTuple

import numpy as np

from support.roundtable.knowledge import Priors
from support.roundtable.movielens import HIGHEST, LOWEST, RaterBackground

TASTE = 0.2  # stars; spread of a user's liking for one film about user + film, which no mean of either can tell
NEIGHBOURS = 40  # so many raters of the film, the most alike to the user, count (Herlocker et al. 1999: 20 to 50)
# Chosen on a random tenth of u1.base that the tables did not hold, never on u1.test: 10 to 100 neighbours, and tastes
# of 0 to 0.5 stars.


class Estimate(NamedTuple):
    """An expected rating or a part of it, and its standard error, in stars."""

    value: float
    error: float


def pool(estimates: Iterable[Estimate]) -> Estimate:
    """Average by precision, 1 / error ** 2 (Winkler 1968).

    >>> pool([Estimate(3.0, 0.5), Estimate(4.0, 0.5)]).value
    3.5
    """
    values, errors = np.transpose([*estimates])
    precisions = errors**-2.0
    total = precisions.sum()
    return Estimate(float(precisions @ values / total), float(total**-0.5))


class Evidence(NamedTuple):
    """What an agent's table says: its `source` in words, `facts` to tell the others, and an estimate that is `fixed`
    whatever they tell."""

    source: str
    facts: dict[str, float]
    fixed: Estimate | None = None


def read(background: RaterBackground) -> Evidence:
    """The evidence in an agent's table.

    BasicInfo has the regression of `Priors`, UserHistory the user's shrunken mean, and MovieHistory the shrunken mean
    of what the `NEIGHBOURS` gave beyond their own averages (Resnick et al. 1994).
    """
    table = background.table
    known = background.priors
    if background.me == "BasicInfo":
        (value,) = known.regression.predict(table.to_dict("records"))
        source = "the film's genres and year and the user's age, gender and work"
        error = hypot(known.regression_error, TASTE)
        return Evidence(source, {}, Estimate(within(value), error))
    if background.me == "UserHistory":
        prior = Estimate(known.mean, known.user_sd)
        part = "user mean"
        seen = table["rating"]
        source = "of other films by this user"
    else:
        prior = Estimate(0.0, known.film_sd)
        beyond = table["rating"] - table["personal_average_score"]
        part = "film deviation"
        seen = beyond[:NEIGHBOURS]
        source = "of this film by other users"
    noisy = [Estimate(rating, known.noise_sd) for rating in seen]
    value, error = pool([prior, *noisy])
    return Evidence(
        f"{len(table)} ratings {source}",
        {
            part: value,
            f"{part} error": error,
        },
    )


def expected(known: Priors, facts: Mapping[str, float]) -> Estimate:
    """The user's mean and the film's deviation, as far as they are among the facts."""
    user = facts.get("user mean", known.mean)
    film = facts.get("film deviation", 0.0)
    error = hypot(
        facts.get("user mean error", known.user_sd),
        facts.get("film deviation error", known.film_sd),
        TASTE,
    )
    return Estimate(within(user + film), error)


def within(value: float) -> float:
    """A number of stars held to the scale."""
    return min(max(value, LOWEST), HIGHEST)
