"""What a printed table can mean: GRIM for means, and every sample behind a cell.

Published means, reconstructed samples (nobody gave them) and answers stay apart: a
column `source` says which a table holds. A printed number is taken as rounded to the
nearest, an exact half either way; one that was cut off may fail here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import ceil, floor
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import need_columns
from support.errors import InvalidInput

PUBLISHED = "published"
TOTAL = "all"  # the group of everybody, as Table 3 names it
EDGE = 1e-9  # a number between two printed ones may be printed as either

Printed = float | str | Decimal
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

    def halves(self, group: str, sums: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """The half-widths of samples with these sums of answers and of their squares."""
        n = self.n[group]
        divisor = n - 1 if self.divisor == "n-1" else n
        spread = squares - sums**2 / n
        sd = np.sqrt(spread / divisor)
        df = n - 1 if self.df is None else self.df[group]
        return stats.t.ppf(0.975, df) * sd / np.sqrt(n)


def check_n(n: int, least: int = 1) -> int:
    """The number of answers; InvalidInput unless it is a whole number from `least`."""
    if n != int(n) or n < least:
        told = f"expected a whole number of answers, {least} or more"
        raise InvalidInput(f"n is {n!r}; {told}")
    return int(n)


def printed_means(published: pd.DataFrame) -> pd.DataFrame:
    """The means of a published table: item, group, mean, half (of the interval), source."""
    names = {
        "row": "item",
        "column": "group",
        "value": "mean",
        "spread": "half",
    }
    need_columns(published, [*names], "the published table")
    rows = published.dropna(subset=["value"])
    rows = rows.rename(columns=names)[list(names.values())]
    return rows.reset_index(drop=True).assign(source=PUBLISHED)


def cells(means: pd.DataFrame, groups: Iterable[str]) -> list[Any]:
    """The rows of printed means (item, group, mean) of some groups, checked."""
    need_columns(means, ["item", "group", "mean"], "means")
    unknown = sorted(set(groups) - set(means["group"]))
    if unknown:
        there = ", ".join(means["group"].unique())
        raise InvalidInput(f"groups {unknown} given; those of means are {there}")
    if means.duplicated(["item", "group"]).any():
        told = "pass one table at a time"
        raise InvalidInput(f"means has an item and group twice; {told}")
    asked = means["group"].isin(list(groups))
    return list(means[asked].itertuples())


# ---- GRIM (Brown and Heathers 2017)


def possible_sums(mean: Printed, n: int, scale: Scale = FIVE) -> range:
    """The sums of n whole answers whose mean prints as `mean`; empty if there is none.

    >>> list(possible_sums(3.64, 11)), len(possible_sums(3.91, 14))
    ([40], 0)
    """
    n = check_n(n)
    centre = scale.exact(mean)
    first = ceil((centre - scale.half) * n)
    last = floor((centre + scale.half) * n)
    first = max(first, scale.low * n)
    last = min(last, scale.high * n)
    return range(first, last + 1)


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
        tried = list(sizes)
        for cell in cells(means, [group]):
            for n in tried:
                fits = grim(cell.mean, n, scale)
                rows.append((cell.item, group, cell.mean, n, fits))
    table = pd.DataFrame(rows, columns=["item", "group", "mean", "n", "fits"])
    return table.assign(source=PUBLISHED)


# ---- Every sample behind a cell (as SPRITE looks for, Heathers et al. 2018)


def every_sample(n: int) -> np.ndarray:
    """All ways in which n answers can fall on 1 to 5: counts, int (samples, 5).

    Four bars among n + 4 places part the answers; 7,315 samples of 18, 194,580 of 45.

    >>> every_sample(1).tolist()[0], len(every_sample(18))
    ([0, 0, 0, 0, 1], 7315)
    """
    bars = np.array([*combinations(range(n + 4), 4)])
    first = np.full(len(bars), -1)
    last = np.full(len(bars), n + 4)
    ends = np.column_stack([first, bars, last])
    return np.diff(ends) - 1


def reconstruct(means: pd.DataFrame, by: Convention) -> dict[Cell, np.ndarray]:
    """All samples that would print as each cell, if intervals came by a convention.

    Nobody gave them. By (item, group), counts of the answers 1 to 5, int (samples, 5);
    no sample where whole answers cannot give what is printed.
    """
    answers = np.arange(FIVE.low, FIVE.high + 1)
    reach = float(FIVE.half) + EDGE
    made = {}
    for cell in cells(means, by.n):
        n = by.n[cell.group]
        half = float(FIVE.exact(cell.half))
        counts = every_sample(n)
        sums = counts @ answers
        halves = by.halves(cell.group, sums, counts @ answers**2)
        mean_fits = np.isin(sums, possible_sums(cell.mean, n))
        half_fits = abs(halves - half) <= reach
        made[cell.item, cell.group] = counts[mean_fits & half_fits]
    return made
