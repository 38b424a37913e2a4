"""The environment: three agents predict the rating that one user gave to one film (section 4.2)."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from support.environments.movielens.advice import advice
from support.environments.movielens.backgrounds import ABOUT, AGENTS, RaterBackground, table
from support.environments.movielens.case import Case
from support.environments.movielens.knowledge import priors
from support.environments.movielens.ratings import MovieLens100k, load
from support.errors import InvalidInput, InvalidProposal

LOWEST, HIGHEST = 1.0, 5.0
EXPECTED = "expected a number of stars from 1 to 5, such as 3.5"


@dataclass(frozen=True)
class MovieLens:
    """One rating to predict: user, film, and the hidden truth, which only analysis may read.

    `consult` names the agent that is told what the recommender says; None for nobody.

    Raises
    ------
    InvalidInput
        On a truth that is no rating, or an agent to consult that is not at the table.

    Examples
    --------
    >>> task = MovieLens(user=1, item=6, rating=5.0)
    >>> task.validate(3.649), task.describe(3.6)
    (3.6, '3.6 stars')
    """

    user: int
    item: int
    rating: float
    consult: str | None = None

    def __post_init__(self) -> None:
        if _stars(self.rating) is None:
            raise InvalidInput(f"rating: {self.rating!r} given; {EXPECTED}")
        if self.consult is not None and self.consult not in AGENTS:
            raise InvalidInput(f"consult: {self.consult!r} given; expected None or one of {', '.join(AGENTS)}")

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents, one for each table."""
        return AGENTS

    def background(self, agent: str) -> RaterBackground:
        """What `agent` is told: its own table, and aggregates; never the rating.

        Raises
        ------
        InvalidInput
            There is no such agent, user or film, or the rating to predict is one that agents are shown.
        MissingData
            When MovieLens-100k cannot be had; the message says how to get it.
        """
        if agent not in AGENTS:
            raise InvalidInput(f"agent: {agent!r} given; expected one of {', '.join(AGENTS)}")
        return _background(self.user, self.item, agent, agent == self.consult)

    def validate(self, proposal: Any) -> float:
        """Return a proposal as stars, rounded to one decimal so that like proposals are one candidate.

        Raises
        ------
        InvalidProposal
            When it is not a number from 1 to 5.
        """
        stars = _stars(proposal)
        if stars is None:
            raise InvalidProposal(f"rating: {reprlib.repr(proposal)} given; {EXPECTED}")
        return round(stars, 1)

    def describe(self, value: float) -> str:
        """A proposal in words, such as "3.6 stars"."""
        return f"{value:.1f} stars"

    def spec(self) -> dict[str, Any]:
        """What `from_spec` needs to build this task again, as plain data; `rating` is for analysis alone."""
        return {
            "name": "movielens",
            "user": self.user,
            "item": self.item,
            "rating": self.rating,
            "consult": self.consult,
        }


def movielens(case: Case, consult: str | None = None) -> MovieLens:
    """The task of one case; `consult` names the agent that is told what the recommender says."""
    return MovieLens(case.user, case.item, case.rating, consult)


def from_spec(spec: Mapping[str, Any]) -> MovieLens:
    """Build again the task whose `spec()` a transcript holds."""
    return MovieLens(int(spec["user"]), int(spec["item"]), float(spec["rating"]), spec.get("consult"))


@lru_cache(maxsize=1024)
def _background(user: int, item: int, agent: str, consults: bool) -> RaterBackground:
    data = load()
    _predictable(data, user, item)
    says = advice(data, user, item) if consults else (None, None)
    title = str(data.items.at[item, "title"])
    return RaterBackground(agent, AGENTS, title, table(data, agent, user, item), ABOUT[agent], priors(data), *says)


def _predictable(data: MovieLens100k, user: int, item: int) -> None:
    if user not in data.users.index or item not in data.items.index:
        raise InvalidInput(
            f"user, item: user {user!r} and film {item!r} given; expected numbers of the data, "
            f"users 1 to {len(data.users)} and films 1 to {len(data.items)}"
        )
    if (user, item) in _shown(data):
        raise InvalidInput(
            f"user, item: the rating of film {item} by user {user} is in u1.base, which agents are shown; "
            "predict ratings of u1.test, as draw_cases gives"
        )


@lru_cache(maxsize=2)
def _shown(data: MovieLens100k) -> frozenset[tuple[int, int]]:
    return frozenset(zip(data.base["user"].tolist(), data.base["item"].tolist(), strict=True))


def _stars(value: Any) -> float | None:
    """A number within the scale, or None."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return float(value) if number and LOWEST <= value <= HIGHEST else None  # NaN compares as False
