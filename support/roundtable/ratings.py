"""MovieLens-100k with its official u1 split (Harper and Konstan 2015), as recbole's wheel
carries it: of a release date it has only the year."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd

from support import data
from support.downloads import movielens_100k

TEST = 20_000  # u1.test is the first 20,000 lines of u.data, sorted
RATING = ["user", "item", "rating", "timestamp"]
USER = ["user", "age", "gender", "occupation", "zip"]
YEAR = r"\s*\((\d{4})\)$"  # of one film it stands in the title
ITEM = ["item", "title", "release", "genres"]


@dataclass(frozen=True, eq=False)
class MovieLens100k:
    """The data: `base` (80,000 ratings to learn from), `test` (20,000 to predict), `users` and `items`.

    `base` and `test` have the columns user, item, rating and timestamp (whole numbers; seconds since 1970, UTC);
    `users` is indexed by user, with age, gender, occupation, zip and state ("" where it is not of the US);
    `items` is indexed by item, with title, release (a year, or "") and genres (tuple of names). All 943 users and
    1,650 of the 1,682 films have ratings in `base`.
    """

    base: pd.DataFrame
    test: pd.DataFrame
    users: pd.DataFrame
    items: pd.DataFrame


@lru_cache(maxsize=1)
def load() -> MovieLens100k:
    """The data set, read once per process; treat it as frozen.

    MissingData where it is not on this machine and cannot be fetched, DamagedFile where it is not the original.
    """
    folder = movielens_100k()
    ratings = _table(folder / "ml-100k.inter", RATING).astype("int64")
    by = ["user", "item"]
    test = ratings[:TEST].sort_values(by, ignore_index=True)
    base = ratings[TEST:].sort_values(by, ignore_index=True)
    users = _table(folder / "ml-100k.user", USER)
    users = users.astype({"user": "int64", "age": "int64"}).set_index("user")
    users["state"] = [state_of(code) for code in users["zip"]]
    items = _table(folder / "ml-100k.item", ITEM)
    items = items.astype({"item": "int64"}).set_index("item")
    in_title = items["title"].str.extract(YEAR, expand=False).fillna("")
    dated = items["release"].str.isdigit()
    items["release"] = items["release"].where(dated, in_title)
    titles = items["title"].str.replace(YEAR, "", regex=True)
    items["title"] = titles.replace("unkonwn", "unknown")  # [sic]
    items["genres"] = items["genres"].str.split().map(tuple)
    return MovieLens100k(base, test, users, items)


def _table(path: Path, names: list[str]) -> pd.DataFrame:
    """A file of the wheel, all text; its own heading gives types beside the names."""
    return pd.read_csv(
        path,
        sep="\t",
        header=0,
        names=names,
        quoting=3,
        dtype=str,
        keep_default_na=False,
    )


def state_of(code: str) -> str:
    """The two-letter code of the state or territory of a five-digit ZIP code; "" when it has none.

    >>> state_of("10003"), state_of("00000"), state_of("T8H1N")
    ('NY', '', '')
    """
    whole = len(code) == 5 and code.isdecimal()
    return _states().get(int(code[:3]), "") if whole else ""


@lru_cache(maxsize=1)
def _states() -> dict[int, str]:
    ranges = pd.read_csv(data.inputs("movielens", "zip_prefixes.csv"))
    states = {}
    for first, last, state in ranges.itertuples(index=False):
        states.update(dict.fromkeys(range(first, last + 1), state))
    return states
