"""How the printed half-widths of Tables 1 and 2 can have been made (Papachristou, Yang and Hsu 2023; after GRIM).

The mean ratio of m meetings of n members is k / (m n) with a whole number k of satisfied members, and the sum Q of
their squares over meetings is whole too, has the parity of k, and lies between what the most and the least even
division of k over m meetings give. Each reading of a half-width gives Q up to a few hundredths; a wrong one gives a
whole number by chance only. A printed number v stands for all from v - 0.005 to v + 0.005, ties included.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import ceil, floor, inf
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import t

MEETINGS = range(17, 22)
"""Numbers of meetings behind a row that are tried; the text has 20."""

HALF = 0.005  # of the last printed digit
SLACK = 1e-9  # for the binary fractions of decimal numbers, nothing else


class Reading(NamedTuple):
    """A half-width as a quantile times a standard deviation over the root of m.

    `coverage` of the two-sided interval; `df` of Student's t, inf for the normal
    distribution, None for m - 1; `lost` 1 for a sample's standard deviation, 0 for a
    population's.
    """

    coverage: float
    df: float | None
    lost: int

    def quantile(self, meetings: int) -> float:
        """The factor of the standard error."""
        df = meetings - 1 if self.df is None else self.df
        return _quantile(self.coverage, df)


@cache
def _quantile(coverage: float, df: float) -> float:
    return float(t.ppf((1 + coverage) / 2, df))


DEGREES = {
    "t with 19 df": 19,
    "t with m - 1 df": None,
    "normal": inf,
}
DIVISORS = {"n - 1": 1, "n": 0}
READINGS = {
    f"{coverage:.0%}, {way}, sd with {divisor}": Reading(
        coverage,
        DEGREES[way],
        DIVISORS[divisor],
    )
    for coverage, way, divisor in product((0.95, 0.9), DEGREES, DIVISORS)
}
"""Twelve readings; the first is the paper's footnote 9."""

FOUND = "90%, t with m - 1 df, sd with n"
"""The reading under which every printed ratio has its printed interval."""


def possible(
    ratio: float,
    half: float,
    members: int,
    meetings: int,
    reading: Reading,
) -> bool:
    """Whether whole numbers of members make a printed ratio and half-width, in percent."""
    people = meetings * members / 100
    unit = members / 100 / reading.quantile(meetings)
    scale = meetings * (meetings - reading.lost) * unit**2
    narrow = max(half - HALF, 0) ** 2 * scale
    wide = (half + HALF) ** 2 * scale
    for k in _whole(people * (ratio - HALF), people * (ratio + HALF)):
        each, more = divmod(k, meetings)
        least = (meetings - more) * each**2 + more * (each + 1) ** 2
        full, rest = divmod(k, members)
        most = full * members**2 + rest**2

        mean = k * k / meetings
        low = max(least, narrow + mean)
        high = min(most, wide + mean)
        if any((q - k) % 2 == 0 for q in _whole(low, high)):
            return True
    return False


def _whole(low: float, high: float) -> range:
    return range(ceil(low - SLACK), floor(high + SLACK) + 1)


def readings(published: pd.DataFrame) -> pd.DataFrame:
    """How many printed intervals of the ratio each reading makes: reading, rows, fit, by_chance.

    `by_chance` would be possible, were the half-widths any others within a point.
    """
    cells = _ratios(published)
    steps = np.round(np.arange(-100, 101) / 100, 2)
    rows = []
    for name, reading in READINGS.items():
        fit, chance = 0, 0.0
        for cell in cells:
            near = [_counts(cell, reading, step) for step in (0.0, *steps)]
            fit += bool(near[0])
            chance += float(np.mean([bool(counts) for counts in near[1:]]))
        rows.append((name, len(cells), fit, chance))
    return pd.DataFrame(rows, columns=["reading", "rows", "fit", "by_chance"])


def with_standard_errors(published: pd.DataFrame) -> pd.DataFrame:
    """Table 1 or 2 with standard errors in `spread`, in the place of its half-widths.

    By the reading `FOUND` a half-width h of m meetings is t(0.95; m - 1) sd / sqrt(m)
    with the population's sd: the standard error is h / t(0.95; m - 1) sqrt(m / (m - 1)),
    with the m that the row implies, or 20.
    """
    found = identified(published)
    keys = zip(published["table"], published["row"], strict=True)
    m = np.array([found.get(key, 20) for key in keys])
    spread = published["spread"] / t.ppf(0.95, m - 1)
    return published.assign(spread=spread * np.sqrt(m / (m - 1)))


def identified(published: pd.DataFrame) -> dict[tuple[str, str], int]:
    """The meetings behind a row, by (table, row), where one number alone fits what is printed."""
    found = {}
    for cell in _ratios(published):
        counts = _counts(cell, READINGS[FOUND])
        if len(counts) == 1:
            found[cell.table, cell.row] = counts[0]
    return found


def _counts(cell: Any, reading: Reading, off: float = 0.0) -> list[int]:
    """The numbers of meetings that a printed interval, or one that is off, can have."""
    half = cell.half + off
    return [m for m in MEETINGS if possible(cell.ratio, half, cell.members, m, reading)]


def _ratios(published: pd.DataFrame) -> list[Any]:
    """The ratios that are printed with an interval; Table 2 is of three members."""
    ratios = published[published["column"] == "satisfaction_ratio"]
    ratios = ratios.dropna(subset=["spread"])
    members = ratios["table"].str.extract(r"n = (\d)")[0].fillna("3")
    cells = ratios.rename(columns={"value": "ratio", "spread": "half"})
    return list(cells.assign(members=members.astype(int)).itertuples())
