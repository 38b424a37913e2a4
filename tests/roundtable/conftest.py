"""A small data set of our own and the real one where it can be had; a table about an invented film and user."""

import re
from string import Formatter

import numpy as np
import pandas as pd
import pytest

from support.english import wordings
from support.roundtable.knowledge import Priors
from support.roundtable.movielens import ABOUT, AGENTS, COLUMNS, MovieLens, RaterBackground
from support.roundtable.ratings import GENRES, MovieLens100k, load

PRIORS = Priors(
    mean=3.5, sd=1.1, user_sd=0.4, film_sd=0.5, noise_sd=0.9,
    genre_means={"Comedy": 3.3, "War": 3.8}, offsets={}, demographic_error=0.6, film_mean=3.2,
)  # fmt: skip
WHO = {"age": 30, "gender": "F", "occupation": "artist", "state": "NY"}


def basic_info(genres=("Comedy",)):
    row = {"movie_id": 7, "movie_title": "Film 7", "release_date": "1990", "genre": genres, "user_id": 1, **WHO}
    return pd.DataFrame([row], columns=list(COLUMNS["BasicInfo"]))


def movie_history(rows):
    """`rows` are (rating, personal average, similarity)."""
    made = [
        {"user_id": k, "user_pref_similarity": s, "personal_average_score": a, **WHO, "rated_date": "1998", "rating": r}
        for k, (r, a, s) in enumerate(rows)
    ]
    return pd.DataFrame(made, columns=list(COLUMNS["MovieHistory"]))


def user_history(rows):
    """`rows` are (rating, genres)."""
    made = [
        {"movie_id": k, "movie_title": f"Film {k}", "genre": g, "release_date": "1990", "rating": r, "rated_date": "1"}
        for k, (r, g) in enumerate(rows)
    ]
    return pd.DataFrame(made, columns=list(COLUMNS["UserHistory"]))


class Table(MovieLens):
    """The environment with tables of our own."""

    def background(self, agent):
        consulted = (4.9, 0.1) if agent == self.consult else (None, None)
        return RaterBackground(agent, AGENTS, "Film 7", self.tables[agent], ABOUT[agent], PRIORS, *consulted)


@pytest.fixture
def table():
    """A function that makes the environment; by default the film is liked and the user mild."""

    def make(film=((5, 4.0, 0.9),) * 40, user=((4, ("Drama",)),) * 30, genres=("Comedy",), consult=None):
        environment = Table(1, 7, 5.0, consult)
        made = {
            "BasicInfo": basic_info(genres), "MovieHistory": movie_history(film), "UserHistory": user_history(user)
        }  # fmt: skip
        object.__setattr__(environment, "tables", made)
        return environment

    return make


def invented(seed=0, users=40, items=30, n=1000, tested=100):
    """Ratings of invented films: two tastes, of which every user has one."""
    rng = np.random.default_rng(seed)
    pairs = rng.permutation(users * items)[:n]
    u, i = pairs // items + 1, pairs % items + 1
    stars = np.clip(3 + np.where(u % 2 == i % 2, 1.8, -1.8) + rng.normal(0, 0.5, n), 1, 5).round().astype(int)
    at = 880_000_000 + rng.integers(0, 20_000_000, n)
    rows = pd.DataFrame({"user": u, "item": i, "rating": stars, "timestamp": at})
    test, base = (part.sort_values(["user", "item"], ignore_index=True) for part in (rows[:tested], rows[tested:]))
    ages = rng.integers(7, 74, users + 1)
    people = {"age": ages, "gender": rng.choice(["F", "M"], users + 1), "occupation": "other", "zip": "10003"}
    films = {
        "title": [f"Film {k}" for k in range(1, items + 2)],
        "release": [str(1930 + 2 * k) for k in range(items + 1)],
        "genres": [(GENRES[1 + k % 5], GENRES[6 + k % 3]) for k in range(items + 1)],
    }
    number = pd.RangeIndex(1, users + 2, name="user"), pd.RangeIndex(1, items + 2, name="item")
    return MovieLens100k(
        base, test, pd.DataFrame({**people, "state": "NY"}, index=number[0]), pd.DataFrame(films, index=number[1])
    )


@pytest.fixture(scope="session")
def toy():
    """40 users and 30 films with 900 ratings, and one user (41) and one film (31) that nobody knows anything of."""
    return invented()


@pytest.fixture(scope="session")
def real(have):
    """MovieLens-100k."""
    return have(load)


@pytest.fixture(scope="session")
def performs():
    """Whether a text of ("negotiators" or "raters") is one sentence for each of some acts, in this order."""

    def check(who, text, acts, held_out=False):
        known = {
            act: "|".join(
                "".join(re.escape(t) + (".+" if slot else "") for t, slot, *_ in Formatter().parse(x)) for x in xs
            )
            for act, xs in wordings(f"roundtable/{who}", held_out).items()
        }
        return re.fullmatch(" ".join(f"(?:{known[act]})" for act in acts), text) is not None

    return check
