"""A table about an invented film and user: what each agent holds is chosen here, so that no data set is needed."""

import pandas as pd
import pytest

from support.environments.movielens import AGENTS, MovieLens, Priors, RaterBackground
from support.environments.movielens.backgrounds import ABOUT, COLUMNS

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
