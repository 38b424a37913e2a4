"""Can the printed Tables 1 and 2 of Papachristou, Yang and Hsu be? Checks that need only their numbers (as GRIM).

All printed numbers are taken as rounded to two decimals in either direction, ties included (1.7 as 1.70): a number v
stands for the closed interval from v - 0.005 to v + 0.005, and a check fails only when no number of that interval
passes. So no mode of rounding can turn a failure into a pass; cutting digits off could.

*Meetings.* The mean ratio of m meetings with n members is k / (m n) with a whole number k of satisfied members: few m
fit a percentage that is printed to two decimals. The spread tells more: the sum Q of the squared numbers of satisfied
members is whole too, has the parity of k, and lies between what the most even and the least even division of k members
over m meetings give. Each reading of the printed half-width (its coverage, its standard deviation) gives Q up to a few
hundredths; a wrong reading gives a whole number by chance only.

*Bounds*, of a meeting's ratio r, score s and equity g, of n scores of 0 to 3. r <= s <= 3 r: the n r satisfied members
have scores of 1 to 3, the others 0. g >= 1 - r: with z = n (1 - r) scores of 0 and S > 0 the sum of all, the pairs of a
zero and a positive score contribute 2 z S to the sum over ordered pairs of |pi_a - pi_b|, and no other pair less than
nothing: g >= 2 z S / (2 n S) = z / n. With r = 0 the paper sets g = 1. Each bound is linear in r, so that it holds for
means as well.

*Jointly.* A meeting's outcome is one of the multisets of n scores: 20 for three members, 35 for four, 56 for five. A
printed row is possible if some whole numbers of these add up to m meetings with its ratio, score and equity, and in the
strict form with its three intervals: an integer program with a variable for each multiset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import combinations_with_replacement
from math import ceil, floor, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm, t

from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.meetings.satisfaction import HIGHEST, equity

MEETINGS = range(17, 22)
"""Numbers of meetings that are looked at; the text has 20."""

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
    for name, df in (("t with 19 df", 19), ("t with m - 1 df", None), ("normal", float("inf")))
    for sd, lost in (("n - 1", 1), ("n", 0))
}
"""Twelve readings; the first is the paper's footnote 9, the tenth the one that fits."""

FOUND = "90%, t with m - 1 df, sd with n"
"""The reading under which every printed ratio of Tables 1 and 2 has its printed interval."""


def setting_of(table: str) -> int | None:
    """The members n of a printed table, None where it is no table of coordination.

    >>> setting_of("Table 1 n = 5, K = 4, database"), setting_of("Table 2"), setting_of("Table 3")
    (5, 3, None)
    """
    found = re.match(r"Table 1 n = (\d+)", table)
    return int(found[1]) if found else 3 if table == "Table 2" else None


def members_of(table: str) -> int:
    """As `setting_of`, but InvalidInput for a table that is none of coordination."""
    n = setting_of(table)
    if n is None:
        raise InvalidInput(f"table: {table!r} given; expected a setting of Table 1, or Table 2")
    return n


def meetings_that_fit(percent: float, n: int, *, decimals: int = 2, most: int = 30) -> tuple[int, ...]:
    """The numbers of meetings, up to `most`, of which some whole number of satisfied members prints as `percent`.

    >>> meetings_that_fit(35.79, 5)
    (19,)
    """
    if not 0 <= percent <= 100 or n < 1 or most < 1:
        raise InvalidInput(f"percent {percent}, n {n}, most {most} given; expected 0 to 100, and at least 1 each")
    return tuple(m for m in range(1, most + 1) if _satisfied(percent, m * n, decimals))


def identified(frame: pd.DataFrame, reading: str = FOUND) -> pd.DataFrame:
    """For each row of each table, what the printed ratio and its interval say of the meetings behind it.

    Parameters
    ----------
    frame : table, row, column, value, spread
        Table 1 or 2 as published, spread the printed half-width.

    Returns
    -------
    DataFrame
        table, row, n, ratio (percent), half (its half-width), fits (numbers of meetings up to 30 that fit the ratio),
        text_fits (whether 20 does), meetings (the one of `MEETINGS` that fits the interval too, NaN unless there is
        one), satisfied (k), squares (Q), half_95 (what 95 percent, Student's t with m - 1 degrees of freedom and the
        sample's standard deviation give for these meetings, percent).
    """
    way = _reading(reading)
    rows = []
    for name, row, n, ratio, half in _ratios(frame):
        fits = meetings_that_fit(ratio, n)
        found = [(m, k, q) for m in MEETINGS for k, q in _squares(ratio, half, n, m, way)]
        one = len({m for m, _, _ in found}) == 1
        m, k, q = found[0] if one else (np.nan,) * 3
        rows.append(
            {"table": name, "row": row, "n": n, "ratio": ratio, "half": half, "fits": fits, "text_fits": 20 in fits,
             "meetings": m, "satisfied": k, "squares": q if len(found) == 1 else np.nan,
             "half_95": _half(k, q, n, m) if len(found) == 1 else np.nan}
        )  # fmt: skip
    return pd.DataFrame(rows)


def readings(frame: pd.DataFrame) -> pd.DataFrame:
    """How many printed intervals of the ratio are possible under each reading.

    Returns
    -------
    DataFrame
        reading, rows (how many intervals are printed), fit (how many are possible), by_chance: how many would be if
        the half-widths were any others within one percentage point of the printed ones.
    """
    cells = [cell[2:] for cell in _ratios(frame)]
    near = np.round(np.arange(-100, 101) / 100, 2)
    rows = []
    for name, way in READINGS.items():
        fit = [_possible(n, ratio, half, way) for n, ratio, half in cells]
        others = [np.mean([_possible(n, ratio, half + step, way) for step in near]) for n, ratio, half in cells]
        rows.append({"reading": name, "rows": len(cells), "fit": sum(fit), "by_chance": float(sum(others))})
    return pd.DataFrame(rows)


@cache
def _quantile(coverage: float, df: float) -> float:
    tail = (1 + coverage) / 2
    return float(norm.ppf(tail) if np.isinf(df) else t.ppf(tail, df))


def _possible(n: int, ratio: float, half: float, way: Reading) -> bool:
    return any(_squares(ratio, half, n, m, way) for m in MEETINGS)


def _squares(ratio: float, half: float, n: int, m: int, way: Reading) -> list[tuple[int, int]]:
    """The (k, Q) that print as `ratio` and `half` percent with m meetings of n members."""
    factor = sqrt(m) * n / (100 * way.quantile(m))
    found = []
    for k in _satisfied(ratio, m * n, 2):
        low, high = ((max(half + step, 0) * factor) ** 2 * (m - way.lost) + k * k / m for step in (-0.005, 0.005))
        least, most = _extremes(k, n, m)
        span = range(max(least, ceil(low - SLACK)), min(most, floor(high + SLACK)) + 1)
        found += [(k, q) for q in span if (q - k) % 2 == 0]
    return found


def _half(k: float, q: float, n: int, m: float) -> float:
    """The 95 percent half-width, in percent, of m meetings with k satisfied members and squares that sum to q."""
    variance = (q - k * k / m) / (m - 1) / n**2
    return 100 * _quantile(0.95, m - 1) * sqrt(variance / m)


def _extremes(k: int, n: int, m: int) -> tuple[int, int]:
    """The least and the largest sum of squares of m whole numbers from 0 to n that sum to k."""
    each, more = divmod(k, m)
    full, rest = divmod(k, n)
    return (m - more) * each**2 + more * (each + 1) ** 2, full * n**2 + rest**2


def _satisfied(percent: float, people: int, decimals: int) -> range:
    half = 0.5 * 10.0**-decimals
    low, high = (people * (percent + step) / 100 for step in (-half, half))
    return range(ceil(low - SLACK), floor(high + SLACK) + 1)


def _ratios(frame: pd.DataFrame) -> list[tuple[str, str, int, float, float]]:
    need_columns(frame, ["table", "row", "column", "value", "spread"], "the published table")
    chosen = frame[(frame["column"] == "satisfaction_ratio") & frame["spread"].notna()]
    cells = chosen[["table", "row", "value", "spread"]].to_dict("records")
    return [(c["table"], c["row"], members_of(c["table"]), float(c["value"]), float(c["spread"])) for c in cells]


def _reading(name: str) -> Reading:
    if name not in READINGS:
        raise InvalidInput(f"reading: {name!r} given; expected one of {', '.join(READINGS)}")
    return READINGS[name]


CHECKS = ("20 meetings", "score <= 3 ratio", "score >= ratio", "equity >= 1 - ratio")
"""What each row of `check_table` tests."""

TEXT = 20


def check_table(frame: pd.DataFrame, decimals: int = 2) -> pd.DataFrame:
    """Test each printed cell of Table 1 or 2 against the ratio of its row.

    Parameters
    ----------
    frame : table, row, column, value
        As `support.published.load` gives it; ratios in percent. Other tables, and rows without a ratio, are refused.
    decimals : digits after the point to which the numbers are rounded

    Returns
    -------
    DataFrame
        table, row, column, check (one of `CHECKS`), value, bound, holds, by, note. `bound` is what the printed ratio
        demands: a limit, or for "20 meetings" the nearest percentage that 20 meetings can have. `by` is how far the
        cell is beyond it after rounding in its favour, in the unit of the cell; 0 where it holds.
    """
    need_columns(frame, ["table", "row", "column", "value"], "the published table")
    half = 0.5 * 10.0**-decimals
    rows = []
    for (table, row), cells in frame.groupby(["table", "row"], sort=False):
        printed = cells.set_index("column")["value"]
        if row == "std of the means":
            continue
        need_columns(printed.to_frame().T, ["satisfaction_ratio"], f"{table}, {row}")
        for cell in _row(printed, members_of(str(table)), half, decimals):
            rows.append({"table": table, "row": row} | cell)
    return pd.DataFrame(rows)


def _row(printed: pd.Series, n: int, half: float, decimals: int) -> list[dict[str, object]]:
    ratio = float(printed["satisfaction_ratio"])
    share, slack = ratio / 100, half / 100
    cells = [_twenty(ratio, n, half, decimals)]
    if "satisfaction_score" in printed:
        score = float(printed["satisfaction_score"])
        cells.append(_cell("satisfaction_score", CHECKS[1], score, HIGHEST * share, score - HIGHEST * share,
                           half + HIGHEST * slack))  # fmt: skip
        cells.append(_cell("satisfaction_score", CHECKS[2], score, share, share - score, half + slack))
    if "equity" in printed:
        gini = float(printed["equity"])
        cells.append(_cell("equity", CHECKS[3], gini, 1 - share, 1 - share - gini, half + slack))
    return cells


def _cell(column: str, check: str, value: float, bound: float, beyond: float, slack: float) -> dict[str, object]:
    by = max(0.0, beyond - slack)
    return {"column": column, "check": check, "value": value, "bound": bound, "holds": by <= SLACK,
            "by": by if by > SLACK else 0.0, "note": ""}  # fmt: skip


def _twenty(ratio: float, n: int, half: float, decimals: int) -> dict[str, object]:
    nearest = 100 * round(ratio / 100 * TEXT * n) / (TEXT * n)
    cell = _cell("satisfaction_ratio", CHECKS[0], ratio, nearest, abs(ratio - nearest), half)
    fits = [m for m in meetings_that_fit(ratio, n, decimals=decimals) if 17 <= m <= 21]
    return cell | {"note": f"fits {', '.join(map(str, fits)) or 'none'} of 17 to 21 meetings"}


HALF = 0.005
QUESTIONS = {
    "ratio and score": ("satisfaction_ratio", "satisfaction_score"),
    "ratio and equity": ("satisfaction_ratio", "equity"),
    "all three": ("satisfaction_ratio", "satisfaction_score", "equity"),
}
INTERVALS = "all three with intervals"


def outcomes(n: int) -> pd.DataFrame:
    """The metrics of every multiset of n scores: satisfaction_ratio (percent), satisfaction_score, equity."""
    scores = list(combinations_with_replacement(range(HIGHEST + 1), n))
    values = np.array(scores)
    return pd.DataFrame(
        {
            "satisfaction_ratio": 100 * (values > 0).mean(axis=1),
            "satisfaction_score": values.mean(axis=1),
            "equity": [equity(row) for row in scores],
        }
    )
