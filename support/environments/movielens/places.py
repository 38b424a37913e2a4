"""The state of a ZIP code, from a table of our own: data/inputs/movielens/zip_prefixes.csv."""

from __future__ import annotations

import csv
from functools import lru_cache

from support import data


def state_of(code: str) -> str:
    """The two-letter code of the state or territory of a five-digit ZIP code; "" when it has none.

    >>> state_of("10003"), state_of("00000"), state_of("T8H1N")
    ('NY', '', '')
    """
    whole = len(code) == 5 and code.isascii() and code.isdigit()
    return _states().get(int(code[:3]), "") if whole else ""


@lru_cache(maxsize=1)
def _states() -> dict[int, str]:
    with data.inputs("movielens", "zip_prefixes.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {prefix: row["state"] for row in rows for prefix in range(int(row["first"]), int(row["last"]) + 1)}
