"""What a printed interval says about the standard deviation, and which n, degrees of freedom and divisor it needs.

half-width = t(df) * s / sqrt(n), with s² = squared deviations / divisor. From n whole answers with a printed mean
only few sums of squares can come, so that a printed half-width is a second test, far sharper than GRIM (the idea of
GRIMMER, Anaya 2016, turned to intervals): a convention under which no whole answers give it did not produce the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan, sqrt
from typing import Literal, NamedTuple

import pandas as pd
from scipy import stats

from support.analysis.frames import check_level
from support.analysis.surveys.grim import possible_sums
from support.analysis.surveys.printed import Cell, Printed, cells, check_n, exact, half_unit, need_groups, need_means
from support.analysis.surveys.sources import HIGH, LOW, PUBLISHED
from support.errors import InvalidInput

Divisor = Literal["n-1", "n"]
_EDGE = 1e-9  # a half-width exactly between two printed ones may be printed as either


class Moments(NamedTuple):
    """What fixes the mean and the standard deviation of n whole answers: their sum and the sum of their squares."""

    sum: int
    squares: int


@dataclass(frozen=True)
class Convention:
    """How an interval may have been computed.

    Parameters
    ----------
    name : str
    n : mapping from group to the answers that were averaged.
    df : mapping from group to degrees of freedom, infinity for the normal distribution; by default n - 1.
    divisor : of the squared deviations: "n-1" (the unbiased variance), or "n".
    """

    name: str
    n: Mapping[str, int]
    df: Mapping[str, float] | None = None
    divisor: Divisor = "n-1"

    def degrees(self, group: str) -> float:
        """The degrees of freedom of a group."""
        return self.n[group] - 1 if self.df is None else self.df[group]


def factor(n: int, df: float, level: float = 0.95) -> float:
    """Half-width over standard deviation, t(df) / sqrt(n).

    Examples
    --------
    >>> round(factor(11, 10), 4), round(factor(11, float("inf")), 4)
    (0.6718, 0.591)
    """
    check_level(level)
    check_n(n, least=2)
    if not df > 0:
        raise InvalidInput(f"df is {df!r}; expected degrees of freedom above 0, infinity for the normal distribution.")
    return float(stats.t.ppf((1 + level) / 2, df)) / sqrt(n)


def implied_sd(half: float, n: int, df: float | None = None, level: float = 0.95) -> float:
    """The standard deviation behind a half-width: half * sqrt(n) / t(df); df is n - 1 unless given.

    Examples
    --------
    >>> round(implied_sd(0.59, 14), 3), round(implied_sd(0.59, 11), 3)
    (1.022, 0.878)
    """
    return half / factor(n, n - 1 if df is None else df, level)


def spread(moments: Moments, n: int, divisor: Divisor = "n-1") -> float:
    """The standard deviation of n answers with this sum and sum of squares."""
    if divisor not in ("n-1", "n"):
        raise InvalidInput(f"divisor is {divisor!r}; expected 'n-1' or 'n'.")
    deviations = (n * moments.squares - moments.sum**2) / n
    return sqrt(deviations / (n - 1 if divisor == "n-1" else n)) if n > 1 else nan


def possible_moments(mean: Printed, n: int, decimals: int = 2, low: int = LOW, high: int = HIGH) -> list[Moments]:
    """All sums and sums of squares of n whole answers with this printed mean.

    The squares run in steps of 2 (a number and its square are both even or both odd) between the least, all answers
    beside the mean, and the most, all answers at the ends. On a scale of five or fewer answers all of these occur but
    for a few; `sprite.enumerate_samples` settles which.
    """
    found = []
    for total in possible_sums(mean, n, decimals, low, high):
        base, more = divmod(total - low * n, n)
        least = (n - more) * (low + base) ** 2 + more * (low + base + 1) ** 2
        found += [Moments(total, squares) for squares in range(least, _most(total, n, low, high) + 1, 2)]
    return found


def interval_check(
    means: pd.DataFrame,
    convention: Convention,
    level: float = 0.95,
    decimals: int = 2,
    low: int = LOW,
    high: int = HIGH,
) -> pd.DataFrame:
    """Can each printed interval come from whole answers, if it was computed by `convention`?

    Parameters
    ----------
    means : DataFrame
        item, group, mean, half: see `printed_means`. Groups that the convention does not name are left out.

    Returns
    -------
    DataFrame
        convention, item, group, n, df, divisor, mean, half, sd (implied by the interval), sd_low, sd_high (by its
        rounding), nearest (the sd of whole answers that comes closest), fits, moments (those that fit), source.
    """
    need_means(means, "half")
    rows = [
        {"convention": convention.name, "item": cell.item, "group": cell.group}
        | _checked(cell.mean, cell.half, str(cell.group), convention, level, decimals, low, high)
        for cell in cells(means, need_groups(means, convention.n))
    ]
    return pd.DataFrame(rows).assign(source=PUBLISHED)


def pooled_interval_check(
    checked: pd.DataFrame,
    means: pd.DataFrame,
    df: float,
    total: str = "all",
    divisor: Divisor = "n-1",
    level: float = 0.95,
    decimals: int = 2,
) -> pd.DataFrame:
    """Do the groups' sums of squares, added up, give the pooled interval?

    Sharper than the check of a pooled cell alone, because the groups leave it few moments.

    Parameters
    ----------
    checked : DataFrame
        The groups' cells, as `interval_check` gives them.
    means : DataFrame
        item, group, mean, half; of the group `total`.
    df : float
        Degrees of freedom of the pooled interval, infinity for the normal distribution.

    Returns
    -------
    DataFrame
        item, n, df, divisor, mean, half, computed (the half-width of the added moments that comes closest; NaN where
        some group has none), fits, t_low and t_high (the factors of sd / sqrt(n) that would give the printed
        half-width), source.
    """
    need_means(means, "half")
    rows = [
        {"item": cell.item} | _pooled(checked[checked["item"] == cell.item], cell, df, divisor, level, decimals)
        for cell in cells(means, need_groups(means, {total: 0}))
    ]
    return pd.DataFrame(rows).assign(source=PUBLISHED)


def _most(total: int, n: int, low: int, high: int) -> int:
    if low == high:
        return total * low
    top, rest = divmod(total - low * n, high - low)
    bottom = n - top - (1 if rest else 0)
    return top * high**2 + bottom * low**2 + ((low + rest) ** 2 if rest else 0)


def _checked(
    mean: Printed, half: Printed, group: str, by: Convention, level: float, decimals: int, low: int, high: int
) -> dict[str, object]:
    n, df = by.n[group], by.degrees(group)
    scale, width, unit = factor(n, df, level), float(exact(half, decimals, "half")), float(half_unit(decimals))
    options = possible_moments(mean, n, decimals, low, high)
    fitting = tuple(m for m in options if abs(spread(m, n, by.divisor) * scale - width) <= unit + _EDGE)
    sds = [spread(m, n, by.divisor) for m in options]
    sizes = {"n": n, "df": df, "divisor": by.divisor, "mean": mean, "half": half}
    implied = {"sd": width / scale, "sd_low": (width - unit) / scale, "sd_high": (width + unit) / scale}
    nearest = min(sds, key=lambda sd: abs(sd - width / scale), default=nan)
    return sizes | implied | {"nearest": nearest, "fits": bool(fitting), "moments": fitting}


def _pooled(
    groups: pd.DataFrame, cell: Cell, df: float, divisor: Divisor, level: float, decimals: int
) -> dict[str, object]:
    n, width, unit = int(groups["n"].sum()), float(exact(cell.half, decimals, "half")), float(half_unit(decimals))
    together = {Moments(0, 0)}
    for moments in groups["moments"]:
        together = {Moments(a.sum + b.sum, a.squares + b.squares) for a in together for b in moments}
    bases = [spread(m, n, divisor) / sqrt(n) for m in together]
    t = float(stats.t.ppf((1 + level) / 2, df))
    base = min(bases, key=lambda b: abs(b * t - width), default=nan)
    sizes = {"n": n, "df": df, "divisor": divisor, "mean": cell.mean, "half": cell.half}
    found = {"computed": base * t, "fits": abs(base * t - width) <= unit + _EDGE}
    return sizes | found | {"t_low": (width - unit) / base, "t_high": (width + unit) / base}
