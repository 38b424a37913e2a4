"""How the printed half-widths of Tables 1 and 2 can have been made.

Papachristou, Yang and Hsu (2023); the way is GRIM's. The mean ratio of m meetings of n
members is k / (m n) with a whole number k of satisfied members, and the sum Q of their
squares over meetings is whole too, has the parity of k, and lies between what the most
and the least even division of k over m meetings give. Each reading of a half-width gives
Q up to a few hundredths; a wrong one gives a whole number by chance only. A printed
number v stands for all from v - 0.005 to v + 0.005, ties included.
"""

from __future__ import annotations

from functools import cache
from math import ceil, floor
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


FOUND = Reading(0.9, None, 0)
"""The reading under which every printed ratio has its printed interval."""


@cache
def _quantile(reading: Reading, meetings: int) -> float:
    """The factor of the standard error."""
    df = meetings - 1 if reading.df is None else reading.df
    return float(t.ppf((1 + reading.coverage) / 2, df))


def possible(
    ratio: float,
    half: float,
    members: int,
    meetings: int,
    reading: Reading,
) -> bool:
    """Whether whole numbers of members make a printed ratio and half-width, in percent."""
    people = meetings * members / 100
    unit = members / 100 / _quantile(reading, meetings)
    scale = meetings * (meetings - reading.lost) * unit**2
    narrow = max(half - HALF, 0) ** 2 * scale
    wide = (half + HALF) ** 2 * scale
    smallest = people * (ratio - HALF)
    largest = people * (ratio + HALF)
    for k in _whole(smallest, largest):
        each, more = divmod(k, meetings)
        least = (meetings - more) * each**2
        least += more * (each + 1) ** 2
        full, rest = divmod(k, members)
        most = full * members**2 + rest**2

        mean = k * k / meetings
        low = max(least, narrow + mean)
        high = min(most, wide + mean)
        squares = _whole(low, high)
        if any((q - k) % 2 == 0 for q in squares):
            return True
    return False


def _whole(low: float, high: float) -> range:
    return range(ceil(low - SLACK), floor(high + SLACK) + 1)


def ratios(published: pd.DataFrame) -> list[Any]:
    """The ratios that are printed with an interval: table, row, ratio, half, members.

    Table 2 is of three members.
    """
    shown = published[published["column"] == "satisfaction_ratio"]
    shown = shown.dropna(subset=["spread"])
    members = shown["table"].str.extract(r"n = (\d)")[0].fillna("3").astype(int)
    names = {"value": "ratio", "spread": "half"}
    cells = shown.rename(columns=names)
    cells["members"] = members
    return list(cells.itertuples())


def fitting(cell: Any, reading: Reading, off: float = 0.0) -> list[int]:
    """The numbers of meetings that one of `ratios` can have, were its half-width `off`."""
    half = cell.half + off
    found = []
    for m in MEETINGS:
        if possible(cell.ratio, half, cell.members, m, reading):
            found.append(m)
    return found


def identified(published: pd.DataFrame) -> dict[tuple[str, str], int]:
    """The meetings behind a row, by (table, row), where one number alone fits."""
    found = {}
    for cell in ratios(published):
        counts = fitting(cell, FOUND)
        if len(counts) == 1:
            found[cell.table, cell.row] = counts[0]
    return found


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
    spread *= np.sqrt(m / (m - 1))
    return published.assign(spread=spread)
