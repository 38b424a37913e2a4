"""MovieLens-100k with its official u1 split (Harper and Konstan 2015), as recbole's wheel
carries it: of a release date it has only the year."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from support import data
from support.downloads import movielens_100k

TEST = 20_000  # u1.test is the first 20,000 lines of u.data, sorted
PAIR = ["user", "item"]
FILM = ["movie_title", "release_date", "genre"]
USER = ["age", "gender", "occupation"]
MENDED = {
    267: ("unknown", ""),
    1412: ("Land Before Time III: The Time of the Great Giving", "1995"),
}
"""Title and year of the two films whose lines are damaged in the wheel."""


@dataclass(frozen=True, eq=False)
class MovieLens100k:
    """The data: `base` (80,000 ratings to learn from), `test` (20,000 to predict), `users` and `items`.

    `base` and `test` have the columns user, item, rating and timestamp (whole numbers; seconds since 1970, UTC);
    `users` is indexed by user, with age, gender, occupation, zip and state ("" where it is not of the US);
    `items` is indexed by item, with movie_title, release_date (a year, or "") and genre (one or several). All 943 users
    and 1,650 of the 1,682 films have ratings in `base`.
    """

    base: pd.DataFrame
    test: pd.DataFrame
    users: pd.DataFrame
    items: pd.DataFrame


@cache
def load() -> MovieLens100k:
    """The data set, read once per process; treat it as frozen.

    MissingData where it is not on this machine and cannot be fetched, DamagedFile where it is not the original.
    """
    folder = movielens_100k()
    ratings = _table(folder / "ml-100k.inter", *PAIR, "rating", "timestamp")
    test = ratings[:TEST].sort_values(PAIR, ignore_index=True)
    base = ratings[TEST:].sort_values(PAIR, ignore_index=True)
    users = _table(folder / "ml-100k.user", "user", *USER, "zip").set_index("user")
    users["state"] = users["zip"].map(state_of)
    items = _table(folder / "ml-100k.item", "item", *FILM).set_index("item")
    for item, told in MENDED.items():
        items.loc[item, FILM[:2]] = told
    items["genre"] = items["genre"].str.replace(" ", ", ")
    return MovieLens100k(base, test, users, items)


@cache
def rated(data: MovieLens100k) -> pd.DataFrame:
    """All ratings of u1.base, by user and film, with what the agents' tables say of them."""
    base = data.base.join(data.users, on="user").join(data.items, on="item")
    days = pd.to_datetime(base["timestamp"], unit="s")
    base["rated_date"] = days.dt.strftime("%Y%m%d")
    means = base.groupby("user")["rating"].transform("mean")
    base["personal_average_score"] = means.round(2)
    return base.rename(columns={"user": "user_id", "item": "movie_id"})


def _table(path: Path, *names: str) -> pd.DataFrame:
    """A file of the wheel under our names; its own heading gives types beside them.

    A column with one word that is no number is all text, so that no ZIP code loses its first zero.
    """
    return pd.read_csv(
        path,
        sep="\t",
        header=0,
        names=names,
        quoting=3,
        keep_default_na=False,
    )


def state_of(code: str) -> str:
    """The two-letter code of the state or territory of a five-digit ZIP code; "" when it has none.

    >>> state_of("10003"), state_of("00000"), state_of("T8H1N")
    ('NY', '', '')
    """
    if len(code) == 5 and code.isdecimal():
        for first, last, state in _states():
            if first <= int(code[:3]) <= last:
                return state
    return ""


@cache
def _states() -> list[tuple[int, int, str]]:
    """The first and the last three-digit prefix of a range of ZIP codes, and its state."""
    ranges = pd.read_csv(data.inputs("movielens", "zip_prefixes.csv"))
    return [*ranges.itertuples(index=False)]
