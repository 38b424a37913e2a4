"""How many meetings lie behind a printed ratio, and what its printed interval is.

The mean satisfaction ratio of m meetings with n members each is k / (m n) with a whole number k of satisfied members:
few m fit a percentage that is printed to two decimals. The spread tells more: the sum Q of the squared numbers of
satisfied members is whole too, has the parity of k, and lies between what the most even and the least even division of
k members over m meetings give. Each reading of the printed half-width (its coverage, its standard deviation) gives Q up
to a few hundredths; a wrong reading gives a whole number by chance only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from math import ceil, floor, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm, t

from support.analysis.frames import need_columns
from support.errors import InvalidInput

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
