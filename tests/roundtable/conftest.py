"""A small data set of our own and the real one where it can be had; a table about an invented film and user."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor

from support.roundtable.knowledge import Priors
from support.roundtable.movielens import (
    COLUMNS,
    MovieLens,
    RaterBackground,
)
from support.roundtable.ratings import MovieLens100k, load

KNOWN = DummyRegressor(strategy="constant", constant=3.5).fit([[0]], [3.5])
PRIORS = Priors(3.5, 0.4, 0.5, 0.9, KNOWN, 0.6)
USUAL = {
    "movie_id": 7, "movie_title": "Film 7", "release_date": "1990", "genre": "Comedy", "rated_date": "1998",
    "user_id": 1, "age": 30, "gender": "F", "occupation": "artist", "state": "NY",
}  # fmt: skip


def rows(agent, which, given):
    """An agent's table: usual rows but for the columns `which`, whose values are given."""
    made = [{**USUAL, **dict(zip(which.split(), row, strict=True))} for row in given]
    return pd.DataFrame(made, columns=list(COLUMNS[agent]))


class Table(MovieLens):
    """The environment with tables of our own."""

    def background(self, agent):
        consulted = (4.9, 0.1) if agent == self.consult else ()
        return RaterBackground(agent, self.tables[agent], PRIORS, consulted)


@pytest.fixture
def table():
    """A function that makes the environment; by default the film is liked and the user mild."""

    def make(
        film=((5, 4.0, 0.9),) * 40,
        user=((4, "Drama"),) * 30,
        genres="Comedy",
        consult=None,
    ):
        environment = Table(1, 7, 5.0, consult)
        liked = "rating personal_average_score user_pref_similarity"
        named = [(f"Film {k}", *row) for k, row in enumerate(user)]
        made = {
            "BasicInfo": rows("BasicInfo", "genre", [(genres,)]),
            "MovieHistory": rows("MovieHistory", liked, film),
            "UserHistory": rows("UserHistory", "movie_title rating genre", named),
        }
        object.__setattr__(environment, "tables", made)
        return environment

    return make


@pytest.fixture(scope="session")
def toy():
    """40 users of two tastes, 30 invented films, 900 ratings; of one user (41) and one film (31) nobody knows any."""
    rng = np.random.default_rng(0)
    users, items = np.arange(1, 42), np.arange(1, 32)
    u, i = np.divmod(rng.permutation(1200)[:1000], 30)
    liking = 3 + np.where(u % 2 == i % 2, 1.8, -1.8) + rng.normal(0, 0.5, 1000)
    given = {
        "user": u + 1,
        "item": i + 1,
        "rating": liking.clip(1, 5).round().astype(int),
        "timestamp": 880_000_000 + rng.integers(0, 20_000_000, 1000),
    }
    ratings, by = pd.DataFrame(given), ["user", "item"]
    people = {
        "age": rng.integers(7, 74, 41),
        "gender": rng.choice(["F", "M"], 41),
        "occupation": "other",
        "zip": "10003",
        "state": "NY",
    }
    films = {
        "movie_title": [f"Film {k}" for k in items],
        "release_date": [str(1928 + 2 * k) for k in items],
        "genre": [f"Genre {k % 5}, Kind {k % 3}" for k in range(31)],
    }
    return MovieLens100k(
        ratings[100:].sort_values(by, ignore_index=True),
        ratings[:100].sort_values(by, ignore_index=True),
        pd.DataFrame(people, pd.Index(users, name="user")),
        pd.DataFrame(films, pd.Index(items, name="item")),
    )


@pytest.fixture(scope="session")
def real(have):
    """MovieLens-100k."""
    return have(load)
