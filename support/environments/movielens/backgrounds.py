"""The three tables of the rating task (Tables 3, 4 and 5 of RoundTable), one for each agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pandas as pd

from support.environments.movielens.knowledge import Priors
from support.environments.movielens.ratings import MovieLens100k
from support.environments.movielens.similarity import similarities

AGENTS = ("BasicInfo", "MovieHistory", "UserHistory")
ABOUT: Mapping[str, str] = {
    "BasicInfo": (
        "one row on the film and the user in question: movie_id, movie_title, release_date (YYYYMMDD, or the year "
        "alone), genre (one or several), user_id, age (in years), gender (F or M), occupation, and state (of the "
        "United States; empty for other addresses)"
    ),
    "MovieHistory": (
        "one row for each other person who rated the film: user_id, user_pref_similarity (how alike that person's "
        "preferences are to the user's, from 0 to 1; the most alike first), personal_average_score (the mean of that "
        "person's ratings, in stars), age, gender, occupation, state, rated_date (YYYYMMDD), and rating (1 to 5 stars)"
    ),
    "UserHistory": (
        "one row for each other film that the user rated: movie_id, movie_title, genre, release_date (YYYYMMDD, or "
        "the year alone), rating (1 to 5 stars), and rated_date (YYYYMMDD)"
    ),
}
"""What each agent's table holds, in words that may be told to everybody (C.4)."""

USER = ["age", "gender", "occupation", "state"]
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "BasicInfo": ("movie_id", "movie_title", "release_date", "genre", "user_id", *USER),
    "MovieHistory": ("user_id", "user_pref_similarity", "personal_average_score", *USER, "rated_date", "rating"),
    "UserHistory": ("movie_id", "movie_title", "genre", "release_date", "rating", "rated_date"),
}
"""The columns of each agent's table, as the paper names them; genre holds a tuple of names."""

TYPES: Mapping[str, str] = {
    **dict.fromkeys(("movie_id", "user_id", "age", "rating"), "int64"),
    **dict.fromkeys(("user_pref_similarity", "personal_average_score"), "float64"),
    "genre": "object",
}
"""The type of each column that does not hold text."""


@dataclass(frozen=True, eq=False)
class RaterBackground:
    """What one agent knows: its own table, and what anybody knows of ratings at large.

    Attributes
    ----------
    me, agents : str, tuple of str
        Whose background this is, and who sits at the table.
    title : str
        The film's title, which the task tells everybody.
    table : DataFrame
        The agent's own table, with `COLUMNS[me]`; empty, with the same columns, where u1.base knows nothing.
        It is shared between backgrounds: treat it as frozen.
    about : str
        What the table holds and what its columns mean, in words; `ABOUT` has it for every agent.
    priors : Priors
        Aggregates of u1.base.
    consultation, consultation_error : float or None
        The recommender's expected rating and its standard error, in stars, when this agent may consult it; the
        noise of a single rating is not in the error.
    """

    me: str
    agents: tuple[str, ...]
    title: str
    table: pd.DataFrame = field(repr=False)
    about: str
    priors: Priors = field(repr=False)
    consultation: float | None = None
    consultation_error: float | None = None


def table(data: MovieLens100k, agent: str, user: int, item: int) -> pd.DataFrame:
    """The table of one agent for one user and film, with `COLUMNS[agent]`; it holds ratings of `data.base` only."""
    return _MAKERS[agent](data, user, item)


def leaks(data: MovieLens100k, user: int, item: int) -> list[str]:
    """Every rating of u1.test that an agent would see, in words; an empty list when the split is kept."""
    hidden, found = _pairs(data), []
    seen = {
        "MovieHistory": ((rater, item) for rater in table(data, "MovieHistory", user, item)["user_id"].tolist()),
        "UserHistory": ((user, film) for film in table(data, "UserHistory", user, item)["movie_id"].tolist()),
    }
    for agent, pairs in seen.items():
        found += [
            f"{agent} sees user {a}'s rating of film {b}, which is in u1.test" for a, b in pairs if (a, b) in hidden
        ]
    return found


def basic_info(data: MovieLens100k, user: int, item: int) -> pd.DataFrame:
    """One row on the film and the user (Table 3); none when either is in no list of the data."""
    people, films = _listed(data)
    if user not in people or item not in films:
        return _empty("BasicInfo")
    return pd.DataFrame([(item, *films[item], user, *people[user])], columns=list(COLUMNS["BasicInfo"]))


def user_history(data: MovieLens100k, user: int, item: int) -> pd.DataFrame:
    """What else the user rated (Table 4), by the number of the film."""
    rated = _histories(data)[1].get(user)
    return _empty("UserHistory") if rated is None else rated


@lru_cache(maxsize=1024)
def movie_history(data: MovieLens100k, user: int, item: int) -> pd.DataFrame:
    """Who else rated the film (Table 5), the raters most like the user first; equals by their number."""
    raters = _histories(data)[0].get(item)
    if raters is None:
        return _empty("MovieHistory")
    likeness = similarities(data).of(user, raters["user_id"].to_numpy())
    order = np.argsort(-likeness, kind="stable")
    ranked = raters.take(order).reset_index(drop=True)
    ranked.insert(1, "user_pref_similarity", likeness[order].round(2))
    return ranked


@lru_cache(maxsize=4)
def _histories(data: MovieLens100k) -> tuple[dict[int, pd.DataFrame], dict[int, pd.DataFrame]]:
    """Rows of u1.base by film, and by user, with the columns of the tables (likeness left out)."""
    base = data.base.join(data.users[USER], on="user").join(data.items, on="item")
    base["rated_date"] = pd.to_datetime(base["timestamp"], unit="s").dt.strftime("%Y%m%d")
    base["personal_average_score"] = base.groupby("user")["rating"].transform("mean").round(2)
    names = {"item": "movie_id", "title": "movie_title", "release": "release_date", "genres": "genre"}
    wide = base.rename(columns={**names, "user": "user_id"})
    raters = [name for name in COLUMNS["MovieHistory"] if name != "user_pref_similarity"]
    return _groups(wide, "movie_id", "user_id", raters), _groups(wide, "user_id", "movie_id", [*COLUMNS["UserHistory"]])


@lru_cache(maxsize=4)
def _listed(data: MovieLens100k) -> tuple[dict[int, tuple], dict[int, tuple]]:
    """Rows of the lists of users and of films, by number."""
    tables = (data.users[USER], data.items[["title", "release", "genres"]])
    people, films = (dict(zip(t.index.tolist(), t.itertuples(index=False, name=None), strict=True)) for t in tables)
    return people, films


def _groups(rows: pd.DataFrame, by: str, order: str, columns: list[str]) -> dict[int, pd.DataFrame]:
    groups = rows.sort_values([by, order]).groupby(by)[columns]
    return {int(str(key)): group.reset_index(drop=True) for key, group in groups}


@lru_cache(maxsize=4)
def _pairs(data: MovieLens100k) -> frozenset[tuple[int, int]]:
    return frozenset(zip(data.test["user"].tolist(), data.test["item"].tolist(), strict=True))


@lru_cache(maxsize=8)
def _empty(agent: str) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(dtype=TYPES.get(name, "str")) for name in COLUMNS[agent]})


_MAKERS: Mapping[str, Callable[[MovieLens100k, int, int], pd.DataFrame]] = {
    "BasicInfo": basic_info,
    "MovieHistory": movie_history,
    "UserHistory": user_history,
}
