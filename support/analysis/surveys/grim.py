"""GRIM: can a printed mean come from n whole answers? (Brown and Heathers 2017)

The mean of n whole numbers is a multiple of 1/n. With few answers and two decimals, most printed values are none.
A printed number is taken as rounded to the nearest, an exact half either way (programs differ: half up, half to even,
and binary floats that lie just beside the half); a number that was cut off instead may fail here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import ceil, floor, prod
from typing import Any

import pandas as pd

from support.analysis.surveys.printed import (
    Printed,
    cells,
    check_n,
    check_scale,
    exact,
    half_unit,
    need_groups,
    need_means,
)
from support.analysis.surveys.sources import HIGH, LOW, PUBLISHED
from support.errors import InvalidInput

MANY = 1_000_000
"""Combinations of group sizes that `pooled` is willing to try."""


def grim(mean: Printed, n: int, decimals: int = 2, low: int = LOW, high: int = HIGH) -> bool:
    """Can `mean`, printed with `decimals`, be the mean of `n` whole answers on `low`..`high`?

    Parameters
    ----------
    mean : float or str
        As printed. A mean outside the scale is False, not an error.
    n : int
        Answers, from 1.

    Raises
    ------
    InvalidInput
        n below 1, a mean that is no finite number or has more than `decimals` decimals, negative decimals, low > high.

    Examples
    --------
    >>> grim(3.64, 11), grim(3.91, 14), grim("3.91", 11)
    (True, False, True)
    """
    return bool(possible_sums(mean, n, decimals, low, high))


def possible_sums(mean: Printed, n: int, decimals: int = 2, low: int = LOW, high: int = HIGH) -> range:
    """The sums of `n` whole answers whose mean prints as `mean`; empty where there is none.

    Examples
    --------
    >>> list(possible_sums(3.64, 11)), list(possible_sums(3.64, 300))[:2], len(possible_sums(3.91, 14))
    ([40], [1091, 1092], 0)
    """
    check_scale(low, high)
    n, centre, half = check_n(n), exact(mean, decimals), half_unit(decimals)
    first, last = ceil((centre - half) * n), floor((centre + half) * n)
    return range(max(first, low * n), min(last, high * n) + 1)


def grim_table(
    means: pd.DataFrame,
    ns: Mapping[str, int | Iterable[int]],
    decimals: int = 2,
    low: int = LOW,
    high: int = HIGH,
) -> pd.DataFrame:
    """GRIM for each printed mean of the groups in `ns`, at one n or at several.

    Parameters
    ----------
    means : DataFrame
        item, group, mean: see `printed_means`.
    ns : mapping
        From a group to its n, or to candidates for it.

    Returns
    -------
    DataFrame
        item, group, mean, n, fits, nearest (the mean of n answers that comes closest), source.
    """
    need_means(means)
    rows = []
    for group in need_groups(means, ns):
        for cell in cells(means, [group]):
            rows += [
                {"item": cell.item, "group": group, "mean": cell.mean, "n": n}
                | {
                    "fits": grim(cell.mean, n, decimals, low, high),
                    "nearest": _nearest(cell.mean, n, decimals, low, high),
                }
                for n in _candidates(ns[group])
            ]
    return pd.DataFrame(rows).assign(source=PUBLISHED)


def consistent_ns(
    means: pd.DataFrame,
    ns: Mapping[str, int | Iterable[int]],
    decimals: int = 2,
    low: int = LOW,
    high: int = HIGH,
) -> pd.DataFrame:
    """For each group and candidate n, how many of the group's means fit: group, n, means, fit, all_fit, source."""
    table = grim_table(means, ns, decimals, low, high)
    counted = table.groupby(["group", "n"], sort=False)["fits"].agg(["size", "sum"]).reset_index()
    counted = counted.rename(columns={"size": "means", "sum": "fit"})
    return counted.assign(all_fit=counted["fit"] == counted["means"], source=PUBLISHED)


def pooled(
    means: pd.DataFrame,
    ns: Mapping[str, int | Iterable[int]],
    total: str = "all",
    decimals: int = 2,
    low: int = LOW,
    high: int = HIGH,
) -> pd.DataFrame:
    """Which sizes of the groups explain the groups' means, and then the pooled means, too?

    A size is kept for a group where every mean of the group fits it. For each combination of kept sizes, a pooled mean
    fits where some choice of the groups' whole sums, added up and divided by the sum of the sizes, prints as it does.

    Parameters
    ----------
    ns : mapping
        From each group to candidates for its size.
    total : str
        The group of `means` that holds the pooled means.

    Returns
    -------
    DataFrame
        One column for each group with its n; then n (their sum), means, fit, all_fit, source; the best first.
        Empty where some group has no size that fits all its means.

    Raises
    ------
    InvalidInput
        No pooled means, an item that some group lacks, or more than `MANY` combinations.
    """
    need_means(means)
    wide = _wide(means, [*need_groups(means, ns), *need_groups(means, {total: 0})])
    kept = {g: [n for n in _candidates(ns[g]) if all(grim(m, n, decimals, low, high) for m in wide[g])] for g in ns}
    if prod(map(len, kept.values())) > MANY:
        raise InvalidInput(f"ns leaves {prod(map(len, kept.values()))} combinations; narrow the candidates.")
    rows = []
    for sizes in product(*kept.values()):
        fit = sum(
            _pooled_fits(row, dict(zip(kept, sizes, strict=True)), total, decimals, low, high) for row in _rows(wide)
        )
        rows.append(dict(zip(kept, sizes, strict=True)) | {"n": sum(sizes), "means": len(wide), "fit": fit})
    table = pd.DataFrame(rows, columns=[*kept, "n", "means", "fit"])
    table = table.assign(all_fit=table["fit"] == table["means"], source=PUBLISHED)
    return table.sort_values(["fit", "n"], ascending=False, kind="stable").reset_index(drop=True)


def _candidates(ns: int | Iterable[int]) -> list[int]:
    return [check_n(n) for n in (ns if isinstance(ns, Iterable) else [ns])]


def _nearest(mean: Printed, n: int, decimals: int, low: int, high: int) -> float:
    whole = round(exact(mean, decimals) * n)
    return float(Fraction(min(max(whole, low * n), high * n), n))


def _wide(means: pd.DataFrame, groups: list[str]) -> pd.DataFrame:
    wide = means[means["group"].isin(groups)].pivot(index="item", columns="group", values="mean")
    lacking = wide.index[wide.isna().any(axis=1)]
    if len(lacking):
        raise InvalidInput(f"item {lacking[0]!r} has no mean in every one of {', '.join(groups)}; leave it out.")
    return wide


def _rows(wide: pd.DataFrame) -> list[dict[Any, Any]]:
    return wide.to_dict("records")


def _pooled_fits(row: dict[str, Any], sizes: dict[str, int], total: str, decimals: int, low: int, high: int) -> bool:
    sums = {0}
    for group, n in sizes.items():
        sums = {a + b for a in sums for b in possible_sums(row[group], n, decimals, low, high)}
    wanted = possible_sums(row[total], sum(sizes.values()), decimals, low, high)
    return any(s in wanted for s in sums)
