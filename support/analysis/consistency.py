"""Can the printed Tables 1 and 2 of Papachristou, Yang and Hsu be? Checks that need only their numbers (as GRIM).

All printed numbers are taken as rounded to two decimals in either direction, ties included (1.7 as 1.70): a number v
stands for the closed interval from v - 0.005 to v + 0.005, and a check fails only when no number of that interval
passes. So no mode of rounding can turn a failure into a pass; cutting digits off could.

*Meetings.* The mean ratio of m meetings with n members is k / (m n) with a whole number k of satisfied members: few m
fit a percentage of two decimals. The sum Q of the squared numbers of satisfied members is whole too, has the parity of
k, and lies between what the most and the least even division of k over m meetings give. Each reading of the printed
half-width gives Q up to a few hundredths; a wrong one gives a whole number by chance only.

*Bounds*, of a meeting's ratio r, score s and equity g, of n scores of 0 to 3. r <= s <= 3 r: the n r satisfied members
have scores of 1 to 3, the others 0. g >= 1 - r: with z = n (1 - r) scores of 0 and S > 0 the sum of all, the pairs of a
zero and a positive score contribute 2 z S to the sum over ordered pairs of |pi_a - pi_b|, and no other pair less than
nothing: g >= 2 z S / (2 n S) = z / n. With r = 0 the paper sets g = 1. Each bound is linear in r, so that it holds for
means as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from math import ceil, floor, sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm, t

from support.meetings.satisfaction import HIGHEST

MEETINGS = range(17, 22)
"""Numbers of meetings that are looked at; the text has 20."""

HALF = 0.005  # of the last printed digit
SLACK = 1e-9  # for the binary fractions of decimal numbers, nothing else


class Reading(NamedTuple):
    """What a half-width may be: a quantile times a standard deviation over the root of m.

    `coverage` of the two-sided interval; `df` None for m - 1, inf for the normal distribution; `lost` 1 for a sample's
    standard deviation, 0 for a population's.
    """

    coverage: float
    df: float | None
    lost: int

    def quantile(self, meetings: int) -> float:
        """The factor of the standard error."""
        return _quantile(self.coverage, meetings - 1 if self.df is None else self.df)


READINGS: Mapping[str, Reading] = {
    f"{coverage:.0%}, {name}, sd with {sd}": Reading(coverage, df, lost)
    for coverage in (0.95, 0.9)
    for name, df in (
        ("t with 19 df", 19),
        ("t with m - 1 df", None),
        ("normal", float("inf")),
    )
    for sd, lost in (("n - 1", 1), ("n", 0))
}
"""Twelve readings; the first is the paper's footnote 9, the tenth the one that fits."""

FOUND = "90%, t with m - 1 df, sd with n"
"""The reading under which every printed ratio of Tables 1 and 2 has its printed interval."""


def identified(published: pd.DataFrame) -> dict[tuple[str, str], int]:
    """The number of meetings behind a row, by (table, row), if one alone gives the printed ratio and interval."""
    found = {}
    for table, row, n, ratio, half in _ratios(published):
        fits = [m for m in MEETINGS if _squares(ratio, half, n, m, READINGS[FOUND])]
        if len(fits) == 1:
            found[table, row] = fits[0]
    return found


def readings(published: pd.DataFrame) -> pd.DataFrame:
    """How many printed intervals of the ratio are possible under each reading: reading, rows, fit, by_chance.

    `by_chance` would be possible if the half-widths were any others within one percentage point of the printed ones.
    """
    cells = [cell[2:] for cell in _ratios(published)]
    near = np.round(np.arange(-100, 101) / 100, 2)
    rows = []
    for name, way in READINGS.items():
        fit = [_possible(n, ratio, half, way) for n, ratio, half in cells]
        others = [
            np.mean([_possible(n, ratio, half + step, way) for step in near])
            for n, ratio, half in cells
        ]
        rows.append(
            {
                "reading": name,
                "rows": len(cells),
                "fit": sum(fit),
                "by_chance": float(sum(others)),
            }
        )
    return pd.DataFrame(rows)


@cache
def _quantile(coverage: float, df: float) -> float:
    tail = (1 + coverage) / 2
    return float(norm.ppf(tail) if np.isinf(df) else t.ppf(tail, df))


def _possible(n: int, ratio: float, half: float, way: Reading) -> bool:
    return any(_squares(ratio, half, n, m, way) for m in MEETINGS)


def _squares(
    ratio: float, half: float, n: int, m: int, way: Reading
) -> list[tuple[int, int]]:
    """The (k, Q) that print as `ratio` and `half` percent with m meetings of n members."""
    factor = sqrt(m) * n / (100 * way.quantile(m))
    found = []
    for k in _satisfied(ratio, m * n):
        low, high = (
            (max(half + step, 0) * factor) ** 2 * (m - way.lost) + k * k / m
            for step in (-HALF, HALF)
        )
        least, most = _extremes(k, n, m)
        span = range(max(least, ceil(low - SLACK)), min(most, floor(high + SLACK)) + 1)
        found += [(k, q) for q in span if (q - k) % 2 == 0]
    return found


def _extremes(k: int, n: int, m: int) -> tuple[int, int]:
    """The least and the largest sum of squares of m whole numbers from 0 to n that sum to k."""
    each, more = divmod(k, m)
    full, rest = divmod(k, n)
    return (m - more) * each**2 + more * (each + 1) ** 2, full * n**2 + rest**2


def _satisfied(percent: float, people: int) -> range:
    """The numbers of so many people that print as a percentage."""
    low, high = (people * (percent + step) / 100 for step in (-HALF, HALF))
    return range(ceil(low - SLACK), floor(high + SLACK) + 1)


def _ratios(published: pd.DataFrame) -> list[tuple[str, str, int, float, float]]:
    """table, row, n, ratio and half-width of the ratios that are printed with one."""
    chosen = published[
        (published["column"] == "satisfaction_ratio") & published["spread"].notna()
    ]
    cells: Iterable[Any] = chosen.itertuples()
    return [
        (cell.table, cell.row, _members(cell.table), cell.value, cell.spread)
        for cell in cells
    ]


def _members(table: str) -> int:
    """The members n of a setting of Table 1, or of Table 2."""
    found = re.match(r"Table 1 n = (\d+)", table)
    return int(found[1]) if found else 3


CHECKS = ("20 meetings", "score <= 3 ratio", "score >= ratio", "equity >= 1 - ratio")
"""What each row of `check_table` tests."""

TEXT = 20  # meetings, by the paper's text


def check_table(published: pd.DataFrame) -> pd.DataFrame:
    """Test each printed cell of Table 1 or 2 against the ratio of its row; the row of standard deviations is left out.

    Columns: table, row, column, check (one of `CHECKS`), value, bound (what the ratio demands: a limit, or the nearest
    percentage that 20 meetings can have), holds, by (how far the cell is beyond it, rounded in its favour), note.
    """
    rows = []
    for (table, row), cells in published.groupby(["table", "row"], sort=False):
        printed = cells.set_index("column")["value"]
        if row != "std of the means":
            rows += [
                {"table": table, "row": row} | cell
                for cell in _row(printed, _members(str(table)))
            ]
    return pd.DataFrame(rows)


def _row(printed: pd.Series, n: int) -> Iterator[dict[str, object]]:
    ratio, score, gini = (
        float(printed[name])
        for name in ("satisfaction_ratio", "satisfaction_score", "equity")
    )
    share, nearest = ratio / 100, 100 * round(ratio / 100 * TEXT * n) / (TEXT * n)
    fits = ", ".join(str(m) for m in MEETINGS if _satisfied(ratio, m * n)) or "none"
    note = f"fits {fits} of {MEETINGS[0]} to {MEETINGS[-1]} meetings"
    most, both = HIGHEST * share, HALF + HALF / 100  # both are rounded
    for column, check, value, bound, beyond, slack, told in (
        (
            "satisfaction_ratio",
            CHECKS[0],
            ratio,
            nearest,
            abs(ratio - nearest),
            HALF,
            note,
        ),
        (
            "satisfaction_score",
            CHECKS[1],
            score,
            most,
            score - most,
            HALF + HIGHEST * HALF / 100,
            "",
        ),
        ("satisfaction_score", CHECKS[2], score, share, share - score, both, ""),
        ("equity", CHECKS[3], gini, 1 - share, 1 - share - gini, both, ""),
    ):
        by = max(0.0, beyond - slack)
        holds = by <= SLACK
        yield {"column": column, "check": check, "value": value, "bound": bound, "holds": holds,
               "by": 0.0 if holds else by, "note": told}  # fmt: skip
