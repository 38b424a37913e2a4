"""Means with their intervals, and differences between runs on the same instances."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import need_columns, need_keys, numbers
from support.analysis.stats import compare, describe
from support.errors import InvalidInput

EXACT = 100  # gaps up to which the signed-rank test is exact


def means(frame: pd.DataFrame, by: str | Sequence[str], value: str = "divergence", level: float = 0.95) -> pd.DataFrame:
    """Mean and t interval of `value` in each group; `missing` counts the runs without a plan.

    The columns are those of `support.analysis.stats.describe`.
    """
    return describe(frame, value, by, level=level)


def paired(
    frame: pd.DataFrame,
    by: str,
    a: Hashable,
    b: Hashable,
    value: str = "divergence",
    along: str | Sequence[str] = (),
    pairs: str | Sequence[str] = "instance",
    level: float = 0.95,
) -> pd.DataFrame:
    """The difference a - b on the same instances, for each group of `along`, such as the number of decisions.

    Parameters
    ----------
    by : the column whose levels `a` and `b` are compared
    pairs : the columns that identify a pair

    Returns
    -------
    DataFrame
        along..., value, a, b, n (pairs), left_out, mean_a, mean_b, difference, low, high (Student's paired t), p,
        p_adjusted (Holm's, over the groups), wilcoxon (p of `signed_rank`), hedges_g, g_low, g_high,
        lower, equal, higher (pairs where a is below, at, above b), note. A group in which a level is absent has no
        row.

    Raises
    ------
    InvalidInput
        On a level that is nowhere in the frame, a pair that occurs twice, or no pair at all.
    """
    keys = [along] if isinstance(along, str) else list(along)
    on = [pairs] if isinstance(pairs, str) else list(pairs)
    need_columns(frame, [by, value, *keys, *on], "runs")
    need_keys(frame, [by, *keys, *on], "runs")
    for name in (a, b):
        if not (frame[by] == name).any():
            there = ", ".join(map(str, frame[by].unique()))
            raise InvalidInput(f"{by}: no run with {name!r}; there are: {there}")
    chosen = frame[frame[by].isin([a, b])].assign(**{value: numbers(frame, value)})
    rows = [
        dict(zip(keys, names, strict=True)) | _row(part, by, a, b, value, on, level)
        for names, part in (chosen.groupby(keys, sort=True) if keys else [((), chosen)])
        if part[by].nunique() == 2
    ]
    if not rows:
        raise InvalidInput(f"{by}: {a!r} and {b!r} never occur in the same {', '.join(keys)}; nothing to pair")
    return _adjusted(pd.DataFrame(rows))


def _row(
    part: pd.DataFrame, by: str, a: Hashable, b: Hashable, value: str, on: list[str], level: float
) -> dict[str, Any]:
    ordered = part.sort_values(by, key=lambda column: column != a, kind="stable")
    tested = compare(ordered, value, by, paired_by=on, correction=None, level=level, show=False).iloc[0]
    wide = part.pivot(index=on, columns=by, values=value)
    gaps = (wide[a] - wide[b]).dropna().to_numpy()
    kept = ("left_out", "mean_a", "mean_b", "difference", "low", "high", "p")
    return {
        "value": value,
        "a": a,
        "b": b,
        "n": len(gaps),
        **{name: tested[name] for name in kept},
        "wilcoxon": signed_rank(gaps),
        **{name: tested[name] for name in ("hedges_g", "g_low", "g_high")},
        "lower": int((gaps < 0).sum()),
        "equal": int((gaps == 0).sum()),
        "higher": int((gaps > 0).sum()),
        "note": tested["note"],
    }


def signed_rank(gaps: np.ndarray) -> float:
    """Wilcoxon's signed-rank test, two-sided, zeros ranked as Pratt (1959) has it; NaN where all gaps are 0.

    Up to `EXACT` gaps the p-value is exact, ties or not: of all signs that the ranks could have, the share whose
    sum is as far from its middle. SciPy lists those signs where there are ties, seconds for a dozen gaps; here the
    distribution of the sum is built rank by rank.

    >>> signed_rank(np.array([1.0, 2.0, 3.0]))  # of eight ways, all plus and all minus
    0.25
    """
    ranks = np.round(2 * stats.rankdata(np.abs(gaps))).astype(int)[gaps != 0]  # doubled: ties have halves
    if len(ranks) == 0:
        return nan
    if len(ranks) > EXACT:
        return float(stats.wilcoxon(gaps, zero_method="pratt", method="asymptotic").pvalue)  # type: ignore[call-overload]
    ways = np.ones(1)
    for rank in ranks:
        longer = np.zeros(len(ways) + rank)
        longer[: len(ways)] += ways / 2
        longer[rank:] += ways / 2
        ways = longer
    away = np.abs(2 * np.arange(len(ways)) - ranks.sum())
    return float(ways[away >= abs(2 * ranks[gaps[gaps != 0] > 0].sum() - ranks.sum())].sum())


def _adjusted(table: pd.DataFrame) -> pd.DataFrame:
    """Holm 1979: the i-th smallest of m p-values times m - i + 1, never decreasing."""
    p = table["p"].dropna().sort_values()
    adjusted = (p * np.arange(len(p), 0, -1)).cummax().clip(upper=1.0)
    at = list(table.columns).index("p") + 1
    table.insert(at, "p_adjusted", adjusted.reindex(table.index))
    return table
