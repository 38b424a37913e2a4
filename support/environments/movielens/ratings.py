"""MovieLens-100k with its official u1 split (Harper and Konstan 2015), verified against known sums."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd

from support.downloads import movielens_100k
from support.environments.movielens import sources
from support.environments.movielens.places import state_of
from support.errors import DamagedFile

TEST = 20_000  # u1.test is the first 20,000 lines of u.data, sorted
SUMS = {
    "u1.base": "ce253ec86c448b44fb3ba9a30d12dcfc2e9210cbde71efada3730c22e9ac212a",
    "u1.test": "18c6014a4b2c7324f250a63f8904a7b16b2b19f911129e346141507b0cbac950",
    "u.data": "06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490",
}
"""The sha256 sum of each original file, as lines of user, item, rating and timestamp with tabs between."""


@dataclass(frozen=True, eq=False)
class MovieLens100k:
    """The data: `base` (80,000 ratings to learn from), `test` (20,000 to predict), `users` and `items`.

    `base` and `test` have the columns user, item, rating and timestamp (whole numbers; seconds since 1970, UTC);
    `users` is indexed by user, with age, gender, occupation, zip and state ("" where it is not of the US);
    `items` is indexed by item, with title, release ("YYYYMMDD", or "YYYY" where the source has only that, or "")
    and genres (tuple of names). All 943 users and 1,650 of the 1,682 films have ratings in `base`.
    """

    base: pd.DataFrame
    test: pd.DataFrame
    users: pd.DataFrame
    items: pd.DataFrame


@lru_cache(maxsize=1)
def load() -> MovieLens100k:
    """The data set, read once per process; treat it as frozen.

    Raises
    ------
    MissingData
        It is not on this machine and cannot be fetched.
    DamagedFile
        The ratings, or the lists of users and films, are not those of the original.
    """
    return read(movielens_100k())


def read(folder: Path) -> MovieLens100k:
    """The data set in `folder`: the original archive, or the files of recbole's wheel. Raises as `load` does."""
    try:
        base, test = _split(folder)
        users, items = sources.users(folder), sources.items(folder)
    except ValueError as error:  # also of pandas' parser, and of text in another encoding
        raise DamagedFile(
            f"the files in {folder} do not have the form of MovieLens-100k ({error}). They are left as they are; "
            "move the folder away and get the data again"
        ) from error
    for name, table, size in (("users", users, 943), ("films", items, 1682)):
        if sorted(table.index) != list(range(1, size + 1)):
            raise DamagedFile(
                f"the list of {name} in {folder} has {len(table)} rows; expected the numbers 1 to {size}. "
                "It is left as it is; move the folder away and get the data again"
            )
    return MovieLens100k(base, test, users.assign(state=[state_of(code) for code in users["zip"]]), items)


def _split(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    whole = sources.ratings(folder)
    if whole is None:  # an archive that holds the split but not the whole
        base, test = sources.split(folder)
    else:
        _verify("u.data", whole, folder)
        base, test = (_sorted(part) for part in (whole.iloc[TEST:], whole.iloc[:TEST]))
    _verify("u1.base", base, folder)
    _verify("u1.test", test, folder)
    return base, test


def _sorted(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.sort_values(["user", "item"], ignore_index=True)


def _verify(name: str, rows: pd.DataFrame, folder: Path) -> None:
    columns = (rows[column].tolist() for column in sources.RATING)
    lines = "".join(f"{user}\t{item}\t{rating}\t{at}\n" for user, item, rating, at in zip(*columns, strict=True))
    if hashlib.sha256(lines.encode()).hexdigest() != SUMS[name]:
        raise DamagedFile(
            f"the ratings in {folder} do not give the original {name}: {len(rows)} rows, and another sha256 sum. "
            "They are left as they are; move the folder away and get the data again"
        )
