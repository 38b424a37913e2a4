"""Read MovieLens-100k as it comes: the original archive, or the three files of recbole's wheel.

The wheel keeps of a release date only the year, and has the titles without it; the archive's dates are whole.
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

RATING = ["user", "item", "rating", "timestamp"]
USER = ["user", "age", "gender", "occupation", "zip"]
GENRES = (
    "unknown",
    "Action",
    "Adventure",
    "Animation",
    "Children's",
    "Comedy",
    "Crime",
    "Documentary",
    "Drama",
    "Fantasy",
    "Film-Noir",
    "Horror",
    "Musical",
    "Mystery",
    "Romance",
    "Sci-Fi",
    "Thriller",
    "War",
    "Western",
)
"""The genres in the order of the archive's flags."""

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
YEAR = re.compile(r"\s*\((\d{4})\)\s*(?:\(V\))?\s*$")  # at the end of a title; V marks a film made for video


def ratings(folder: Path) -> pd.DataFrame | None:
    """All ratings in the original order, or None when the archive in `folder` has only the split."""
    if (folder / "ml-100k.inter").is_file():
        return _table(folder / "ml-100k.inter", RATING, header=0).astype("int64")
    return _table(folder / "u.data", RATING).astype("int64") if (folder / "u.data").is_file() else None


def split(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The archive's own u1.base and u1.test."""
    base, test = (_table(folder / name, RATING).astype("int64") for name in ("u1.base", "u1.test"))
    return base, test


def users(folder: Path) -> pd.DataFrame:
    """The raters, indexed by user: age, gender, occupation, zip."""
    wheel = folder / "ml-100k.user"
    rows = _table(wheel, USER, header=0) if wheel.is_file() else _table(folder / "u.user", USER, separator="|")
    return rows.astype({"user": "int64", "age": "int64"}).set_index("user")


def items(folder: Path) -> pd.DataFrame:
    """The films, indexed by item: title, release, genres."""
    films = _wheel_films(folder) if (folder / "ml-100k.item").is_file() else _archive_films(folder)
    columns = ["item", "title", "release", "genres"]
    return pd.DataFrame([_film(*film) for film in films], columns=columns).set_index("item")


def _film(item: str, title: str, release: str, genres: list[str]) -> tuple[int, str, str, tuple[str, ...]]:
    year = YEAR.search(title)
    dated = release if release.isdigit() else (year[1] if year else "")
    plain = YEAR.sub("", title)
    return int(item), "unknown" if plain in {"unkonwn", "unknown"} else plain, dated, tuple(genres)  # [sic]


def _wheel_films(folder: Path) -> list[tuple[str, str, str, list[str]]]:
    rows = _table(folder / "ml-100k.item", ["item", "title", "release", "genres"], header=0)
    films = rows.itertuples(index=False, name=None)
    return [(item, title, release, genres.split()) for item, title, release, genres in films]


def _archive_films(folder: Path) -> list[tuple[str, str, str, list[str]]]:
    lines = (folder / "u.item").read_text(encoding="latin-1").splitlines()
    films = [line.split("|") for line in lines if line]
    return [
        (item, title, _date(release), [genre for genre, flag in zip(GENRES, flags, strict=True) if flag == "1"])
        for item, title, release, _video, _address, *flags in films
    ]


def _date(text: str) -> str:
    """The archive's 01-Jan-1995 as 19950101; month names are English whatever the locale."""
    day, _, rest = text.partition("-")
    month, _, year = rest.partition("-")
    return f"{year}{MONTHS.index(month) + 1:02d}{int(day):02d}" if year else ""


def _table(path: Path, names: list[str], separator: str = "\t", header: int | None = None) -> pd.DataFrame:
    return pd.read_csv(path, sep=separator, names=names, header=header, dtype=str, keep_default_na=False, quoting=3)
