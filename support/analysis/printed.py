"""What a printed table can mean: GRIM for means and for intervals, every sample behind a cell, tests of summaries.

Published means, reconstructed samples (nobody gave them) and answers stay apart: `source` says which a table holds. A
printed number is taken as rounded to the nearest, an exact half either way; one that was cut off may fail here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import combinations, product
from math import ceil, floor, sqrt
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import need_columns
from support.analysis.stats import with_holm
from support.errors import InvalidInput

PUBLISHED, RECONSTRUCTED, OPEN = "published", "reconstructed", "open"
TOTAL = "all"  # the group of everybody, as Table 3 names it
EDGE = 1e-9  # for binary fractions: a number exactly between two printed ones may be printed as either

Printed = float | str | Decimal
Verdict = bool | int | str
Moments = tuple[int, int]
"""What fixes the mean and the standard deviation of n whole answers: their sum and the sum of their squares."""


@dataclass(frozen=True)
class Scale:
    """Whole answers from `low` to `high`, whose means are printed with `decimals`."""

    low: int = 1
    high: int = 5
    decimals: int = 2

    @property
    def half(self) -> Fraction:
        """Half of the last printed digit: how far a printed number can lie from the one that was rounded."""
        return Fraction(1, 2 * 10**self.decimals)

    def exact(self, value: Printed, what: str = "mean") -> Fraction:
        """A printed number without binary rounding; InvalidInput where it is none, or has more decimals."""
        try:
            # The shortest text that reads back as this float is what was printed.
            number = Fraction(
                Decimal(
                    value if isinstance(value, str | Decimal) else str(float(value))
                )
            )
        except (InvalidOperation, TypeError, ValueError, OverflowError) as error:
            raise InvalidInput(
                f"{what} is {value!r}; expected a number as printed, such as 3.51 or '3.51'."
            ) from error
        if (number * 10**self.decimals).denominator != 1:
            raise InvalidInput(
                f"{what} is {value!r}; expected at most {self.decimals} decimals: round it, or say so."
            )
        return number


FIVE = Scale()


@dataclass(frozen=True)
class Convention:
    """How a 95 % interval may have been computed: mean ± t(df) * sd / sqrt(n).

    `n` and `df` by group; df is infinity for the normal distribution, n - 1 unless given; `divisor` is that of the sd.
    """

    name: str
    n: Mapping[str, int]
    df: Mapping[str, float] | None = None
    divisor: Literal["n-1", "n"] = "n-1"

    def factor(self, group: str) -> float:
        """Half-width over standard deviation, t(df) / sqrt(n)."""
        n = check_n(self.n[group], least=2)
        return float(
            stats.t.ppf(0.975, n - 1 if self.df is None else self.df[group])
        ) / sqrt(n)

    def half(self, group: str, moments: Moments) -> float:
        """The half-width of the interval of answers with these moments."""
        n, (total, squares) = self.n[group], moments
        sd = sqrt(
            (n * squares - total**2) / n / (n - 1 if self.divisor == "n-1" else n)
        )
        return sd * self.factor(group)


def check_n(n: int, least: int = 1) -> int:
    """The number of answers as an int; InvalidInput unless it is a whole number from `least`."""
    if isinstance(n, bool) or not isinstance(n, Integral) or n < least:
        raise InvalidInput(
            f"n is {n!r}; expected a whole number of answers, {least} or more."
        )
    return int(n)


def printed_means(published: pd.DataFrame) -> pd.DataFrame:
    """The means of a table of `support.published.load`: item, group, mean, half (of the interval), source."""
    need_columns(published, ["row", "column", "value", "spread"], "the published table")
    names = {"row": "item", "column": "group", "value": "mean", "spread": "half"}
    rows = published.dropna(subset=["value"]).rename(columns=names)
    return rows[list(names.values())].reset_index(drop=True).assign(source=PUBLISHED)


def cells(means: pd.DataFrame, groups: Iterable[str]) -> list[Any]:
    """The rows of printed means (item, group, mean, and half where it is printed) of some groups, checked."""
    need_columns(means, ["item", "group", "mean"], "means")
    if unknown := sorted(set(groups) - set(means["group"])):
        there = ", ".join(map(str, means["group"].unique()))
        raise InvalidInput(f"ns names {unknown}; the groups of means are: {there}.")
    if means.duplicated(["item", "group"]).any():
        raise InvalidInput(
            "means has an item and group twice; pass one table at a time."
        )
    return list(means[means["group"].isin(list(groups))].itertuples())


# ---- GRIM (Brown and Heathers 2017)


def possible_sums(mean: Printed, n: int, scale: Scale = FIVE) -> range:
    """The sums of n whole answers whose mean prints as `mean`; empty where there is none.

    >>> list(possible_sums(3.64, 11)), list(possible_sums(3.64, 300))[:2], len(possible_sums(3.91, 14))
    ([40], [1091, 1092], 0)
    """
    n, centre = check_n(n), scale.exact(mean)
    first, last = ceil((centre - scale.half) * n), floor((centre + scale.half) * n)
    return range(max(first, scale.low * n), min(last, scale.high * n) + 1)


def grim(mean: Printed, n: int, scale: Scale = FIVE) -> bool:
    """Can `mean`, as printed, be the mean of n whole answers? A mean outside the scale is False, not an error.

    >>> grim(3.64, 11), grim(3.91, 14), grim("3.91", 11)
    (True, False, True)
    """
    return bool(possible_sums(mean, n, scale))


def grim_table(
    means: pd.DataFrame, ns: Mapping[str, int | Iterable[int]], scale: Scale = FIVE
) -> pd.DataFrame:
    """GRIM for each printed mean of the groups in `ns`, at their size or sizes: item, group, mean, n, fits, source."""
    rows = [(cell.item, group, cell.mean, n, grim(cell.mean, n, scale))
            for group, tried in ns.items()
            for cell, n in product(cells(means, [group]), [tried] if isinstance(tried, int) else tried)]  # fmt: skip
    return pd.DataFrame(rows, columns=["item", "group", "mean", "n", "fits"]).assign(
        source=PUBLISHED
    )


def pooled(means: pd.DataFrame, ns: Mapping[str, Iterable[int]]) -> pd.DataFrame:
    """Which sizes of the groups explain all means of the groups, and how many of the pooled means of "all", too?

    A pooled mean fits where some choice of the groups' whole sums, added up, prints as it does. Returns, the best
    first: each group's n; n (their sum), means, fit, all_fit, source.
    """
    wide = pd.DataFrame(cells(means, [*ns, TOTAL])).pivot(
        index="item", columns="group", values="mean"
    )
    if wide.isna().any(axis=None):
        lacking = wide.index[wide.isna().any(axis=1)][0]
        raise InvalidInput(
            f"item {lacking!r} has no mean in every one of {', '.join(map(str, wide))}; leave it out."
        )
    kept = {
        g: [n for n in tried if all(grim(m, n) for m in wide[g])]
        for g, tried in ns.items()
    }
    rows = []
    for sizes in product(*kept.values()):
        fit = 0
        for row in wide.to_dict(
            "records"
        ):  # the groups' possible sums, without gaps each, reach a pooled one
            sums = [
                possible_sums(row[group], n)
                for group, n in zip(kept, sizes, strict=True)
            ]
            wanted = possible_sums(row[TOTAL], sum(sizes))
            fit += (
                bool(wanted)
                and sum(s[0] for s in sums) <= wanted[-1]
                and sum(s[-1] for s in sums) >= wanted[0]
            )
        rows.append((*sizes, sum(sizes), len(wide), fit, fit == len(wide)))
    table = pd.DataFrame(rows, columns=[*kept, "n", "means", "fit", "all_fit"]).assign(
        source=PUBLISHED
    )
    return table.sort_values(
        ["fit", "n"], ascending=False, kind="stable", ignore_index=True
    )


# ---- Intervals: the idea of GRIMMER (Anaya 2016). Few sums of squares go with n whole answers and a printed mean.


def possible_moments(mean: Printed, n: int) -> list[Moments]:
    """All sums and sums of squares that n answers of 1 to 5 with this printed mean have, and a few that never occur.

    The squares run in steps of 2 (a number and its square are odd together) from all answers beside the mean to all at
    the ends.
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
    """Can each printed interval come from answers of 1 to 5, if it was computed so? Returns convention, item, group, n,
    mean, half (of the interval), moments (that fit), fits."""
    rows = []
    for cell in cells(means, by.n):
        half, reach, n = (
            float(FIVE.exact(cell.half, "half")),
            float(FIVE.half) + EDGE,
            by.n[cell.group],
        )
        fitting = [
            m
            for m in possible_moments(cell.mean, n)
            if abs(by.half(cell.group, m) - half) <= reach
        ]
        rows.append(
            (
                by.name,
                cell.item,
                cell.group,
                n,
                cell.mean,
                cell.half,
                fitting,
                bool(fitting),
            )
        )
    return pd.DataFrame(
        rows,
        columns=["convention", "item", "group", "n", "mean", "half", "moments", "fits"],
    )


# ---- Every sample behind a cell (as SPRITE looks for, Heathers et al. 2018), and what all of them say


@dataclass(frozen=True, eq=False)
class Reconstructed:
    """All samples that would print as one published cell, and that nobody gave: `counts` (samples, 5) of 1 to 5."""

    counts: np.ndarray

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[np.ndarray]:
        """The answers of each sample, ascending, int of shape (n,)."""
        return (np.repeat(np.arange(1, 6), row) for row in self.counts)


def reconstruct(
    means: pd.DataFrame, by: Convention
) -> dict[tuple[str, str], Reconstructed]:
    """All samples behind every cell of a printed table, by (item, group), if its intervals came by a convention.

    The counts x, y, z of the answers 3, 4, 5 follow from those of 1 and 2: with the answers shifted so that 3 is 0,
    x + y + z = N, y + 2z = S, y + 4z = Q.
    """
    made = {}
    checked: Any = interval_check(means, by)
    for cell in checked.itertuples():
        if not cell.fits:
            told = f"{cell.item}, group {cell.group}: {cell.mean} ± {cell.half}"
            raise InvalidInput(f"{told} is none of {cell.n} answers by {by.name!r}.")
        one, two = np.indices((cell.n + 1, cell.n + 1)).reshape(2, -1)
        found = []
        for total, squares in cell.moments:
            s = total - 3 * cell.n + 2 * one + two
            q = squares - 6 * total + 9 * cell.n - 4 * one - two
            z = (
                q - s
            ) // 2  # without a rest: whole numbers and their squares are odd together
            y = s - 2 * z
            counts = np.column_stack([one, two, cell.n - one - two - y - z, y, z])
            found.append(counts[(counts >= 0).all(axis=1)])
        counts = np.concatenate(found)
        made[cell.item, cell.group] = Reconstructed(counts[np.lexsort(counts.T[::-1])])
    return made


def conclusions(
    several: Sequence[Reconstructed], question: Callable[..., Verdict]
) -> Counter[Verdict]:
    """Ask every combination of the reconstructions of independent cells: one verdict of all of them is proven.

    `question` takes an int array of answers for each cell, and returns a bool, a whole number or a text.
    """
    return Counter(question(*samples) for samples in product(*several))


def between_groups(
    made: Mapping[tuple[str, str], Reconstructed], question: Callable[..., Verdict]
) -> pd.DataFrame:
    """The conclusions for each item and pair of its groups, of what `reconstruct` made.

    Returns item, a, b, verdict (of all reconstructions; "open" where they disagree), source.
    """
    rows = []
    for (item, a), (other, b) in combinations(made, 2):
        if item == other:
            found = conclusions([made[item, a], made[item, b]], question)
            rows.append(
                (item, a, b, str(next(iter(found))) if len(found) == 1 else OPEN)
            )
    return pd.DataFrame(rows, columns=["item", "a", "b", "verdict"]).assign(
        source=RECONSTRUCTED
    )


# ---- Tests of which only mean, spread and n are printed


def summaries(
    means: pd.DataFrame, conventions: Mapping[str, Convention]
) -> pd.DataFrame:
    """What `welch` takes, of each printed cell under each convention: assumed (its name), item, group, n, mean, sd
    (divisor n - 1 always)."""
    rows = []
    for assumed, by in conventions.items():
        for cell in cells(means, by.n):
            n, sd = by.n[cell.group], float(cell.half) / by.factor(cell.group)
            unbiased = sd * sqrt(n / (n - 1)) if by.divisor == "n" else sd
            rows.append((assumed, cell.item, cell.group, n, float(cell.mean), unbiased))
    return pd.DataFrame(rows, columns=["assumed", "item", "group", "n", "mean", "sd"])


def welch(table: pd.DataFrame) -> pd.DataFrame:
    """Welch's t between all pairs of groups of each item, from summaries; Holm over all tests under one assumption.

    Returns assumed, item, a, b, difference (a - b), its 95 % interval low, high, t, df, p, p_holm, correction.
    """
    rows = []
    for (assumed, item), part in table.groupby(["assumed", "item"], sort=False):
        cells: Iterable[Any] = part.itertuples()
        for a, b in combinations(cells, 2):
            t, p = stats.ttest_ind_from_stats(
                a.mean, a.sd, a.n, b.mean, b.sd, b.n, equal_var=False
            )
            u, v, gap = a.sd**2 / a.n, b.sd**2 / b.n, a.mean - b.mean
            df = (u + v) ** 2 / (u**2 / (a.n - 1) + v**2 / (b.n - 1))
            margin = stats.t.ppf(0.975, df) * sqrt(u + v)
            rows.append(
                (
                    assumed,
                    item,
                    a.group,
                    b.group,
                    gap,
                    gap - margin,
                    gap + margin,
                    t,
                    df,
                    p,
                )
            )
    columns = ["assumed", "item", "a", "b", "difference", "low", "high", "t", "df", "p"]
    return with_holm(pd.DataFrame(rows, columns=columns), ["assumed"])
