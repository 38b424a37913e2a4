"""MovieLens-100k with its official u1 split (Harper and Konstan 2015), verified against known sums.

It is read as it comes: the original archive, or the three files of recbole's wheel, which keeps of a release date only
the year, and has the titles without it.
"""

from __future__ import annotations

import csv
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd

from support import data
from support.downloads import movielens_100k
from support.errors import DamagedFile

TEST = 20_000  # u1.test is the first 20,000 lines of u.data, sorted
SUMS = {
    "u1.base": "ce253ec86c448b44fb3ba9a30d12dcfc2e9210cbde71efada3730c22e9ac212a",
    "u1.test": "18c6014a4b2c7324f250a63f8904a7b16b2b19f911129e346141507b0cbac950",
    "u.data": "06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490",
}
"""The sha256 sum of each original file, as lines of user, item, rating and timestamp with tabs between."""

RATING = ["user", "item", "rating", "timestamp"]
USER = ["user", "age", "gender", "occupation", "zip"]
GENRES = (
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama", "Fantasy",
    "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western",
)  # fmt: skip
"""The genres in the order of the archive's flags."""

LEFT = "The files are left as they are; move the folder away and get the data again"
MONTHS = (
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
)
YEAR = re.compile(
    r"\s*\((\d{4})\)\s*(?:\(V\))?\s*$"
)  # at the end of a title; V marks a film made for video


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

    MissingData where it is not on this machine and cannot be fetched, DamagedFile where it is not the original.
    """
    return read(movielens_100k())


def read(folder: Path) -> MovieLens100k:
    """The data set in `folder`: the original archive, or the files of recbole's wheel. Raises as `load` does."""
    try:
        base, test = _split(folder)
        users, items = _users(folder), _items(folder)
    except (
        ValueError
    ) as error:  # also of pandas' parser, and of text in another encoding
        raise DamagedFile(
            f"the files in {folder} do not have the form of MovieLens-100k ({error}). {LEFT}"
        ) from error
    for name, table, size in (("users", users, 943), ("films", items, 1682)):
        if sorted(table.index) != list(range(1, size + 1)):
            found = f"the list of {name} in {folder} has {len(table)} rows"
            raise DamagedFile(f"{found}; expected the numbers 1 to {size}. {LEFT}")
    return MovieLens100k(
        base, test, users.assign(state=[state_of(code) for code in users["zip"]]), items
    )


def _split(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    if (
        whole := _ratings(folder)
    ) is None:  # an archive that holds the split but not the whole
        base, test = (
            _table(folder / name, RATING).astype("int64")
            for name in ("u1.base", "u1.test")
        )
    else:
        _verify("u.data", whole, folder)
        parts = whole.iloc[TEST:], whole.iloc[:TEST]
        base, test = (
            part.sort_values(["user", "item"], ignore_index=True) for part in parts
        )
    _verify("u1.base", base, folder)
    _verify("u1.test", test, folder)
    return base, test


def _verify(name: str, rows: pd.DataFrame, folder: Path) -> None:
    columns = (rows[column].tolist() for column in RATING)
    lines = "".join(
        f"{user}\t{item}\t{rating}\t{at}\n"
        for user, item, rating, at in zip(*columns, strict=True)
    )
    if hashlib.sha256(lines.encode()).hexdigest() != SUMS[name]:
        found = f"the ratings in {folder} do not give the original {name}"
        raise DamagedFile(f"{found}: {len(rows)} rows, and another sha256 sum. {LEFT}")


def _ratings(folder: Path) -> pd.DataFrame | None:
    """All ratings in the original order, or None when the archive in `folder` has only the split."""
    if (folder / "ml-100k.inter").is_file():
        return _table(folder / "ml-100k.inter", RATING, header=0).astype("int64")
    return (
        _table(folder / "u.data", RATING).astype("int64")
        if (folder / "u.data").is_file()
        else None
    )


def _users(folder: Path) -> pd.DataFrame:
    wheel = folder / "ml-100k.user"
    rows = (
        _table(wheel, USER, header=0)
        if wheel.is_file()
        else _table(folder / "u.user", USER, separator="|")
    )
    return rows.astype({"user": "int64", "age": "int64"}).set_index("user")


def _items(folder: Path) -> pd.DataFrame:
    if (wheel := folder / "ml-100k.item").is_file():
        rows = _table(
            wheel, ["item", "title", "release", "genres"], header=0
        ).itertuples(index=False, name=None)
        films = [
            _film(item, title, release, genres.split())
            for item, title, release, genres in rows
        ]
    else:
        lines = (folder / "u.item").read_text(encoding="latin-1").splitlines()
        films = [
            _film(
                item,
                title,
                _date(release),
                [name for name, flag in zip(GENRES, flags, strict=True) if flag == "1"],
            )
            for item, title, release, _video, _address, *flags in (
                line.split("|") for line in lines if line
            )
        ]
    return pd.DataFrame(
        films, columns=["item", "title", "release", "genres"]
    ).set_index("item")


def _film(
    item: str, title: str, release: str, genres: list[str]
) -> tuple[int, str, str, tuple[str, ...]]:
    year = YEAR.search(title)
    dated = release if release.isdigit() else (year[1] if year else "")
    plain = YEAR.sub("", title)
    return (
        int(item),
        "unknown" if plain in {"unkonwn", "unknown"} else plain,
        dated,
        tuple(genres),
    )  # [sic]


def _date(text: str) -> str:
    """The archive's 01-Jan-1995 as 19950101; month names are English whatever the locale."""
    day, _, rest = text.partition("-")
    month, _, year = rest.partition("-")
    return f"{year}{MONTHS.index(month) + 1:02d}{int(day):02d}" if year else ""


def _table(
    path: Path, names: list[str], separator: str = "\t", header: int | None = None
) -> pd.DataFrame:
    return pd.read_csv(
        path,
        sep=separator,
        names=names,
        header=header,
        dtype=str,
        keep_default_na=False,
        quoting=3,
    )


def state_of(code: str) -> str:
    """The two-letter code of the state or territory of a five-digit ZIP code; "" when it has none.

    >>> state_of("10003"), state_of("00000"), state_of("T8H1N")
    ('NY', '', '')
    """
    whole = len(code) == 5 and code.isascii() and code.isdigit()
    return _states().get(int(code[:3]), "") if whole else ""


@lru_cache(maxsize=1)
def _states() -> dict[int, str]:
    with data.inputs("movielens", "zip_prefixes.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.DictReader(file))
    return {
        prefix: row["state"]
        for row in rows
        for prefix in range(int(row["first"]), int(row["last"]) + 1)
    }
