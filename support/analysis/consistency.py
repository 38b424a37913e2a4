"""What the printed ratios of Tables 1 and 2 of Papachristou, Yang and Hsu can come from.

All printed numbers are taken as rounded to two decimals in either direction, ties
included: a number v stands for the closed interval from v - 0.005 to v + 0.005. So no
mode of rounding can turn a failure into a pass; cutting digits off could.

The mean ratio of m meetings with n members is k / (m n) with a whole number k of
satisfied members: few m fit a percentage of two decimals. The sum Q of the squared
numbers of satisfied members is whole too, has the parity of k, and lies between what the
most and the least even division of k over m meetings give. Each reading of the printed
half-width gives Q up to a few hundredths; a wrong one gives a whole number by chance only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import ceil, floor, inf, sqrt
from typing import Any, NamedTuple

import pandas as pd
from scipy.stats import t

MEETINGS = range(17, 22)
"""Numbers of meetings that are looked at; the text has 20."""
HALF = 0.005  # of the last printed digit
SLACK = 1e-9  # for the binary fractions of decimal numbers, nothing else


class Reading(NamedTuple):
    """What a half-width may be: a quantile times a standard deviation over the root of m.

    `coverage` of the two-sided interval; `df` of Student's t, None for m - 1, inf for the
    normal distribution; `lost` 1 for a sample's standard deviation, 0 for a population's.
    """

    coverage: float
    df: float | None
    lost: int


FOUND = Reading(0.9, None, 0)
"""The reading under which every printed ratio of Tables 1 and 2 has its interval."""
READINGS = {
    f"{coverage:.0%}, {name}, sd with {sd}": Reading(coverage, df, lost)
    for coverage in (0.95, 0.9)
    for name, df in {"t with 19 df": 19, "t with m - 1 df": None, "normal": inf}.items()
    for sd, lost in {"n - 1": 1, "n": 0}.items()
}
"""Twelve readings; the first is the paper's footnote 9."""


class Ratio(NamedTuple):
    """A printed ratio and its half-width, in percent, of meetings with n members."""

    table: str
    row: str
    members: int
    ratio: float
    half: float


def ratios(published: pd.DataFrame) -> list[Ratio]:
    """The ratios that are printed with an interval."""
    column = published["column"] == "satisfaction_ratio"
    rows: Iterable[Any] = published[column & published["spread"].notna()].itertuples()
    return [
        Ratio(row.table, row.row, members(row.table), row.value, row.spread)
        for row in rows
    ]


def members(table: str) -> int:
    """The members n of a setting of Table 1, or of Table 2."""
    found = re.match(r"Table 1 n = (\d+)", table)
    return int(found[1]) if found else 3


def satisfied(percent: float, people: int) -> range:
    """The numbers of so many people that print as a percentage."""
    low, high = (people * (percent + step) / 100 for step in (-HALF, HALF))
    return range(ceil(low - SLACK), floor(high + SLACK) + 1)


def squares(cell: Ratio, m: int, way: Reading) -> list[tuple[int, int]]:
    """The (k, Q) of m meetings that print as this ratio and half-width."""
    n = cell.members
    df = m - 1 if way.df is None else way.df
    factor = sqrt(m) * n / (100 * t.ppf((1 + way.coverage) / 2, df))
    found = []
    for k in satisfied(cell.ratio, m * n):
        ends = [max(cell.half + step, 0) * factor for step in (-HALF, HALF)]
        low, high = (sd**2 * (m - way.lost) + k * k / m for sd in ends)
        each, more = divmod(k, m)
        full, rest = divmod(k, n)
        least = (m - more) * each**2 + more * (each + 1) ** 2
        most = full * n**2 + rest**2
        span = range(max(least, ceil(low - SLACK)), min(most, floor(high + SLACK)) + 1)
        found += [(k, q) for q in span if (q - k) % 2 == 0]
    return found


def identified(published: pd.DataFrame) -> dict[tuple[str, str], int]:
    """The number of meetings behind a row, by (table, row), where one alone fits."""
    found = {}
    for cell in ratios(published):
        fits = [m for m in MEETINGS if squares(cell, m, FOUND)]
        if len(fits) == 1:
            found[cell.table, cell.row] = fits[0]
    return found
