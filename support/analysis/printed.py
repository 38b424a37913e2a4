"""What a printed table can mean: GRIM for means and intervals, every sample behind a cell.

Published means, reconstructed samples (nobody gave them) and answers stay apart: a
column `source` says which a table holds. A printed number is taken as rounded to the
nearest, an exact half either way; one that was cut off may fail here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from math import ceil, floor, sqrt
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import need_columns
from support.errors import InvalidInput

PUBLISHED, RECONSTRUCTED, OPEN = "published", "reconstructed", "open"
TOTAL = "all"  # the group of everybody, as Table 3 names it
EDGE = 1e-9  # a number between two printed ones may be printed as either

Printed = float | str | Decimal
Moments = tuple[int, int]
"""The sum of n whole answers, and the sum of their squares."""
Cell = tuple[str, str]
"""Item and group."""


@dataclass(frozen=True)
class Scale:
    """Whole answers from `low` to `high`, whose means are printed with `decimals`."""

    low: int = 1
    high: int = 5
    decimals: int = 2

    @property
    def half(self) -> Fraction:
        """Half of the last printed digit."""
        return Fraction(1, 2 * 10**self.decimals)

    def exact(self, value: Printed) -> Fraction:
        """A printed number without binary rounding; InvalidInput where it is none."""
        try:
            number = Fraction(str(value))
        except ValueError:
            told = "expected a number as printed, such as 3.51"
            raise InvalidInput(f"{value!r} given; {told}") from None
        if (number * 10**self.decimals).denominator != 1:
            told = f"expected at most {self.decimals} decimals: round it, or say so"
            raise InvalidInput(f"{value!r} given; {told}")
        return number


FIVE = Scale()


@dataclass(frozen=True)
class Convention:
    """How a 95 % interval may have been computed: mean ± t(df) * sd / sqrt(n).

    `n` and `df` by group (df n - 1 unless given); `divisor` is that of the sd.
    """

    name: str
    n: Mapping[str, int]
    df: Mapping[str, float] | None = None
    divisor: Literal["n-1", "n"] = "n-1"

    def half(self, group: str, moments: Moments) -> float:
        """The half-width of the interval of answers with these moments."""
        n, (total, squares) = self.n[group], moments
        divisor = n - 1 if self.divisor == "n-1" else n
        sd = sqrt((squares - total**2 / n) / divisor)
        df = n - 1 if self.df is None else self.df[group]
        return float(stats.t.ppf(0.975, df)) * sd / sqrt(n)


def check_n(n: int, least: int = 1) -> int:
    """The number of answers; InvalidInput unless it is a whole number from `least`."""
    if n != int(n) or n < least:
        told = f"expected a whole number of answers, {least} or more"
        raise InvalidInput(f"n is {n!r}; {told}")
    return int(n)


def printed_means(published: pd.DataFrame) -> pd.DataFrame:
    """The means of a published table: item, group, mean, half (of the interval), source."""
    need_columns(published, ["row", "column", "value", "spread"], "the published table")
    names = {"row": "item", "column": "group", "value": "mean", "spread": "half"}
    rows = published.dropna(subset=["value"]).rename(columns=names)
    return rows[list(names.values())].reset_index(drop=True).assign(source=PUBLISHED)


def cells(means: pd.DataFrame, groups: Iterable[str]) -> list[Any]:
    """The rows of printed means (item, group, mean) of some groups, checked."""
    need_columns(means, ["item", "group", "mean"], "means")
    if unknown := set(groups) - set(means["group"]):
        there = ", ".join(means["group"].unique())
        raise InvalidInput(
            f"groups {sorted(unknown)} given; those of means are {there}"
        )
    if means.duplicated(["item", "group"]).any():
        told = "pass one table at a time"
        raise InvalidInput(f"means has an item and group twice; {told}")
    return list(means[means["group"].isin(list(groups))].itertuples())


# ---- GRIM (Brown and Heathers 2017)


def possible_sums(mean: Printed, n: int, scale: Scale = FIVE) -> range:
    """The sums of n whole answers whose mean prints as `mean`; empty if there is none.

    >>> list(possible_sums(3.64, 11)), len(possible_sums(3.91, 14))
    ([40], 0)
    """
    n, centre = check_n(n), scale.exact(mean)
    first, last = ceil((centre - scale.half) * n), floor((centre + scale.half) * n)
    return range(max(first, scale.low * n), min(last, scale.high * n) + 1)


def grim(mean: Printed, n: int, scale: Scale = FIVE) -> bool:
    """Can `mean`, as printed, be the mean of n whole answers? Never one off the scale.

    >>> grim(3.64, 11), grim(3.91, 14), grim("3.91", 11)
    (True, False, True)
    """
    return bool(possible_sums(mean, n, scale))


def grim_table(
    means: pd.DataFrame, ns: Mapping[str, Iterable[int]], scale: Scale = FIVE
) -> pd.DataFrame:
    """GRIM for each printed mean of the groups in `ns`, at each of their sizes.

    Returns item, group, mean, n, fits, source.
    """
    rows = []
    for group, sizes in ns.items():
        for cell, n in product(cells(means, [group]), sizes):
            rows.append((cell.item, group, cell.mean, n, grim(cell.mean, n, scale)))
    table = pd.DataFrame(rows, columns=["item", "group", "mean", "n", "fits"])
    return table.assign(source=PUBLISHED)


# ---- Intervals (the idea of GRIMMER, Anaya 2016)


def possible_moments(mean: Printed, n: int) -> list[Moments]:
    """All moments that n answers of 1 to 5 with this printed mean have, and a few more.

    The squares run in steps of 2 (a number and its square are odd together) from all
    answers beside the mean to all at the ends.
    """
    low, high = FIVE.low, FIVE.high
    found: list[Moments] = []
    for total in possible_sums(mean, n):
        base, more = divmod(total - low * n, n)
        top, rest = divmod(total - low * n, high - low)
        least = (n - more) * (low + base) ** 2 + more * (low + base + 1) ** 2
        most = top * high**2 + (n - top) * low**2 + (low + rest) ** 2 - low**2
        found += [(total, squares) for squares in range(least, most + 1, 2)]
    return found


def interval_check(means: pd.DataFrame, by: Convention) -> pd.DataFrame:
    """Can each printed interval come from answers of 1 to 5, if it was computed so?

    Returns convention, item, group, n, mean, half, moments (that fit), fits.
    """
    reach = float(FIVE.half) + EDGE
    rows = []
    for cell in cells(means, by.n):
        half, n = float(FIVE.exact(cell.half)), by.n[cell.group]
        fitting = [
            moments
            for moments in possible_moments(cell.mean, n)
            if abs(by.half(cell.group, moments) - half) <= reach
        ]
        row = by.name, cell.item, cell.group, n, cell.mean, cell.half, fitting
        rows.append((*row, bool(fitting)))
    names = ["convention", "item", "group", "n", "mean", "half", "moments", "fits"]
    return pd.DataFrame(rows, columns=names)


# ---- Every sample behind a cell (as SPRITE looks for, Heathers et al. 2018)


def reconstruct(means: pd.DataFrame, by: Convention) -> dict[Cell, np.ndarray]:
    """All samples that would print as each cell, if intervals came by a convention.

    Nobody gave them. By (item, group), counts of the answers 1 to 5, int (samples, 5). The
    counts x, y, z of 3, 4, 5 follow from those of 1 and 2: with the answers shifted so
    that 3 is 0, x + y + z = N, y + 2z = S, y + 4z = Q.
    """
    made = {}
    checked: Any = interval_check(means, by)
    for cell in checked.itertuples():
        if not cell.fits:
            told = f"{cell.item}, group {cell.group}: {cell.mean} ± {cell.half}"
            raise InvalidInput(f"{told} is none of {cell.n} answers by {by.name!r}")
        one, two = np.indices((cell.n + 1, cell.n + 1)).reshape(2, -1)
        found = []
        for total, squares in cell.moments:
            s = total - 3 * cell.n + 2 * one + two
            q = squares - 6 * total + 9 * cell.n - 4 * one - two
            z = (q - s) // 2  # whole: numbers and their squares are odd together
            y = s - 2 * z
            found.append(np.column_stack([one, two, cell.n - one - two - y - z, y, z]))
        counts = np.concatenate(found)
        made[cell.item, cell.group] = counts[(counts >= 0).all(axis=1)]
    return made


def between_groups(
    made: Mapping[Cell, np.ndarray], question: Callable[..., Any]
) -> pd.DataFrame:
    """What all reconstructions say of each item and pair of groups.

    `question` takes two int arrays of answers; a verdict of every combination of samples
    is proven, and where they disagree it is "open". Returns item, a, b, verdict, source.
    """
    rows = []
    for (item, a), (other, b) in combinations(made, 2):
        if item == other:
            samples = product(made[item, a], made[item, b])
            verdicts = {
                str(question(*(np.repeat(np.arange(1, 6), counts) for counts in pair)))
                for pair in samples
            }
            rows.append((item, a, b, verdicts.pop() if len(verdicts) == 1 else OPEN))
    table = pd.DataFrame(rows, columns=["item", "a", "b", "verdict"])
    return table.assign(source=RECONSTRUCTED)
