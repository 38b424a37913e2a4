"""Means with intervals, tests between levels, corrections, effect sizes and resampling: said once, for every study.

References
----------
.. [1] L. V. Hedges, Distribution theory for an estimator of effect size, J. Educational Statistics 6 (1981), eq. 6e.
.. [2] M. Borenstein et al., Introduction to Meta-Analysis (2009), eqs. 4.18-4.24.
.. [3] G. Cumming, Understanding The New Statistics (2012), ch. 11: the average standard deviation of a paired effect.
.. [4] D. G. Bonett, Confidence intervals for standardized linear contrasts of means, Psychological Methods 13 (2008).
.. [5] D. J. Schuirmann, A comparison of the two one-sided tests procedure, J. Pharmacokinetics 15 (1987).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from math import ceil, exp, inf, lgamma, nan, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from support.analysis.frames import need_columns, need_keys, numbers
from support.errors import InvalidInput

Sample = NDArray[np.float64]


# -- means and comparisons -------------------------------------------------------------------------------------------


def describe(
    frame: pd.DataFrame,
    value: str,
    by: str | Sequence[str] = (),
) -> pd.DataFrame:
    """Mean, standard error and 95 % t interval of `value` in each group of `by`, in the order of appearance.

    Columns: by..., n, missing, mean, sd, se (sd / sqrt(n)), low, high; with fewer than two values the interval is NaN.
    """
    keys = [by] if isinstance(by, str) else list(by)
    need_columns(frame, [value, *keys])
    need_keys(frame, keys)
    data = frame.assign(**{value: numbers(frame, value)})
    groups = data.groupby(keys, sort=False, observed=True) if keys else [((), data)]
    return pd.DataFrame(
        [
            dict(zip(keys, names, strict=True)) | _summary(group[value])
            for names, group in groups
        ]
    )


def _summary(values: pd.Series[float]) -> dict[str, float]:
    sample = np.asarray(values.dropna(), dtype=np.float64)
    n = len(sample)
    mean = float(sample.mean()) if len(sample) else nan
    sd = float(sample.std(ddof=1)) if n > 1 else nan
    se = sd / sqrt(n) if n > 1 else nan
    margin = (
        nan
        if n < 2
        else 0.0
        if is_constant(sample)
        else float(stats.t.ppf(0.975, n - 1)) * se
    )
    counted = {
        "n": n,
        "missing": len(values) - n,
        "mean": mean,
        "sd": sd,
        "se": se,
    }
    return counted | {"low": mean - margin, "high": mean + margin}


def tidy_means(
    frame: pd.DataFrame,
    by: Sequence[str],
    columns: Sequence[str],
) -> pd.DataFrame:
    """Mean, standard error and count of columns in each group: by (a single one as "row"), column, value, se, n."""
    groups = frame.groupby(list(by), sort=False)[list(columns)]
    parts = {
        "value": groups.mean(),
        "se": groups.sem(),
        "n": groups.count(),
    }
    tidy = pd.concat({name: part.stack() for name, part in parts.items()}, axis=1)
    return tidy.rename_axis([*(by if len(by) > 1 else ["row"]), "column"]).reset_index()


def compare(
    frame: pd.DataFrame,
    value: str,
    by: str,
    paired_by: str | Sequence[str] = (),
    reference: Hashable | None = None,
) -> pd.DataFrame:
    """Test `value` between all pairs of levels of `by`, or between each level and `reference`: a row each.

    With `paired_by` (the columns that identify a pair, such as the seed) the test is Student's paired t, and rows
    without a partner are left out and counted; without, it is Welch's t. Columns: value, a, b, n_a, n_b, left_out,
    mean_a, mean_b, difference (a - b) with its 95 % interval low, high, t, df, p, p_adjusted (Holm's), hedges_g, g_low,
    g_high, note. Where no test exists p is NaN and `note` says why; such a comparison does not count in the correction.
    """
    keys = [paired_by] if isinstance(paired_by, str) else list(paired_by)
    need_columns(frame, [value, by, *keys])
    need_keys(frame, [by, *keys])
    data = frame.assign(**{value: numbers(frame, value)})
    if keys and not (twice := data[data.duplicated([by, *keys])]).empty:
        first = twice.iloc[0][[by, *keys]].to_dict()
        raise InvalidInput(
            f"paired_by {keys} does not identify a pair: {first} occurs more than once; add a column."
        )
    sides: dict[Hashable, pd.Series[float]] = {
        name: part.set_index(keys)[value] if keys else part[value]
        for name, part in data.groupby(by, sort=False, observed=True)
    }
    there = ", ".join(map(str, sides))
    if len(sides) < 2:
        raise InvalidInput(
            f"column {by!r} has one level, {there}; a comparison needs two or more."
        )
    if reference is not None and reference not in sides:
        raise InvalidInput(
            f"reference {reference!r} is no level of column {by!r}; its levels are: {there}."
        )
    pairs = (
        combinations(sides, 2)
        if reference is None
        else ((a, reference) for a in sides if a != reference)
    )
    table = pd.DataFrame(
        [
            {
                "value": value,
                "a": a,
                "b": b,
            }
            | _tested(sides[a], sides[b], bool(keys))
            for a, b in pairs
        ]
    )
    table.insert(list(table.columns).index("p") + 1, "p_adjusted", adjusted(table["p"]))
    return table


def _tested(
    left: pd.Series[float],
    right: pd.Series[float],
    paired: bool,
) -> dict[str, Any]:
    given = len(left) + len(right)
    left = left.dropna()
    right = right.dropna()
    if paired:
        both = left.index.intersection(right.index)
        left = left.loc[both]
        right = right.loc[both]
    a = np.asarray(left, dtype=np.float64)
    b = np.asarray(right, dtype=np.float64)
    means = [float(one.mean()) if len(one) else nan for one in (a, b)]
    note = _why_not(a, b, paired)
    found = dict.fromkeys(("low", "high", "t", "df", "p"), nan)
    if not note:
        test = (
            stats.ttest_rel(a, b) if paired else stats.ttest_ind(a, b, equal_var=False)
        )
        five = (*test.confidence_interval(), test.statistic, test.df, test.pvalue)
        found = dict(zip(found, map(float, five), strict=True))
    told = {
        "n_a": len(a),
        "n_b": len(b),
        "left_out": given - len(a) - len(b),
        "mean_a": means[0],
        "mean_b": means[1],
    }
    told |= {"difference": means[0] - means[1]} | found
    return (
        told
        | dict(
            zip(("hedges_g", "g_low", "g_high"), hedges_g(a, b, paired), strict=True)
        )
        | {"note": note}
    )


def _why_not(a: Sample, b: Sample, paired: bool) -> str:
    if min(len(a), len(b)) < 2:
        return "no test: fewer than two values on a side"
    if paired and is_constant(a - b, scale=max(np.abs(a).max(), np.abs(b).max())):
        return "no test: the difference is the same in every pair"
    if not paired and is_constant(a) and is_constant(b):
        return "no test: no spread on either side"
    return ""


# -- corrections -----------------------------------------------------------------------------------------------------


def adjusted(p: ArrayLike) -> Sample:
    """The p-values of one family, corrected for their number by Holm; NaN, no test, stays and does not count."""
    values = np.array(p, dtype=float)
    tested = ~np.isnan(values)
    # statsmodels has the same, but collects garbage each time
    least = np.sort(values[tested])
    steps = np.maximum.accumulate(least * np.arange(len(least), 0, -1))
    place = np.searchsorted(least, values[tested], side="right") - 1
    values[tested] = np.minimum(1.0, steps)[place]
    return values


# -- equivalence -----------------------------------------------------------------------------------------------------


def equivalent(
    difference: float,
    se: float,
    margin: float,
    df: float = inf,
) -> float:
    """p of two one-sided tests [5]_ that |difference| is less than `margin`, which has the unit of the difference.

    >>> round(equivalent(0.1, 0.2, 1.0), 6), equivalent(2.0, 0.2, 1.0) > 0.5
    (3e-06, True)
    """
    return float(stats.t.sf((margin - abs(difference)) / se, df))


def enough(
    n: int,
    se: float,
    margin: float,
    other_se: float = 0.0,
) -> float:
    """How many cases would tell, at 5 %, that two equal figures are equal within `margin`: inf where none would.

    `se` is ours over `n` cases and shrinks with their number; `other_se`, of a printed figure, does not. Normal
    approximation, with a power of 0.8.
    """
    wanted = (margin / (stats.norm.isf(0.05) + stats.norm.isf(0.1))) ** 2 - other_se**2
    return ceil(n * se**2 / wanted) if wanted > 0 else inf


# -- effect sizes ----------------------------------------------------------------------------------------------------


def is_constant(sample: Sample, scale: float | None = None) -> bool:
    """Whether the spread is nothing but rounding, which grows with `scale` (default: the largest value)."""
    size = float(np.abs(sample).max()) if scale is None else scale
    return bool(np.ptp(sample) <= 1e-12 * size)


def hedges_g(
    x: ArrayLike,
    y: ArrayLike,
    paired: bool = False,
) -> tuple[float, float, float]:
    """Hedges' g of mean(x) - mean(y) and its normal 95 % interval; for `paired`, x[i] belongs to y[i].

    Independent samples are divided by the pooled standard deviation, with the variance of Borenstein [2]_; paired ones
    by the root of the mean of both variances (Cumming [3]_), so that g does not grow with the correlation of the pairs,
    with Bonett's variance [4]_. Both carry the exact small-sample factor of Hedges [1]_.

    >>> round(hedges_g([2, 4, 6], [1, 3, 5])[0], 4)
    0.3989
    """
    a = np.asarray(x, dtype=float)
    b = np.asarray(y, dtype=float)
    n = len(a)
    m = len(b)
    if min(n, m) < 2 or (is_constant(a) and is_constant(b)):
        return nan, nan, nan
    va = a.var(ddof=1)
    vb = b.var(ddof=1)
    if paired:
        average = (va + vb) / 2
        df = n - 1
        d = (a.mean() - b.mean()) / sqrt(average)
        shape = (
            d**2
            * (va**2 + vb**2 + 2 * float(np.cov(a, b)[0, 1]) ** 2)
            / (8 * df * average**2)
        )
        variance = shape + (a - b).var(ddof=1) / (df * average)
    else:
        df = n + m - 2
        d = (a.mean() - b.mean()) / sqrt(((n - 1) * va + (m - 1) * vb) / df)
        variance = (n + m) / (n * m) + d**2 / (2 * (n + m))
    # Hedges' J(df); Gamma((df - 1) / 2) has a pole at df = 1: there is no unbiased estimate.
    factor = (
        nan if df < 2 else exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2)
    )
    g = float(factor * d)
    margin = float(stats.norm.ppf(0.975) * factor * sqrt(variance))
    return g, g - margin, g + margin


# -- resampling ------------------------------------------------------------------------------------------------------


def resampled(
    clusters: Sequence[Any] | pd.Series,
    rng: np.random.Generator,
    draws: int = 2000,
    within: Sequence[Any] = (),
) -> tuple[np.ndarray, np.ndarray]:
    """How often each row's cluster is drawn, whole clusters with replacement (Efron 1979): what every bootstrap needs.

    As many are drawn of each kind of clusters, by `within`, as there are. Returns times, of shape (draws, clusters),
    and the column of each row in it, of shape (rows,).
    """
    place = pd.factorize(pd.Series(list(clusters)))[0]
    if len(place) == 0 or place.min() < 0:
        raise InvalidInput(
            "clusters: none given, or one is empty; every row belongs to a case that is drawn whole"
        )
    times = np.zeros((draws, int(place.max()) + 1))
    kinds = pd.Series(list(within) or 0, index=range(len(place)))
    kind = kinds.groupby(place).first().to_numpy()
    for name in pd.unique(kind):
        mine = np.flatnonzero(kind == name)
        times[:, mine] = rng.multinomial(
            len(mine), np.full(len(mine), 1 / len(mine)), size=draws
        )
    return times, place


def over(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Quotients, NaN where the denominator is 0."""
    above, below = np.broadcast_arrays(above, below)
    return np.divide(above, below, out=np.full(above.shape, nan), where=below > 0)


def percentiles(drawn: np.ndarray) -> np.ndarray:
    """The middle 95 % over the draws (axis 0) in which a statistic is defined; NaN where it never is."""
    known = ~np.isnan(drawn).all(axis=0)
    return np.where(
        known, np.nanquantile(np.where(known, drawn, 0.0), (0.025, 0.975), axis=0), nan
    )


def cluster_bootstrap(
    frame: pd.DataFrame,
    value: str,
    cluster: str,
    rng: np.random.Generator,
    within: str = "",
    draws: int = 2000,
) -> dict[str, float]:
    """The mean of `value` over rows with an interval that draws whole clusters: mean, se, low, high, n, clusters.

    With one cluster (of a kind) nothing can be drawn anew: the interval is NaN.
    """
    need_columns(frame, [value, cluster])
    there = frame.assign(**{value: numbers(frame, value)}).dropna(subset=[value])
    if there.empty:
        raise InvalidInput(
            f"{value}: all {len(frame)} are blank; expected a number in one at least"
        )
    times, place = resampled(
        there[cluster], rng, draws, there[within].tolist() if within else ()
    )
    said = {
        "mean": float(there[value].mean()),
        "n": len(there),
        "clusters": times.shape[1],
    }
    alone = there.groupby(within)[cluster].nunique().min() if within else times.shape[1]
    if alone < 2:
        return said | dict.fromkeys(("se", "low", "high"), nan)
    means = (times @ np.bincount(place, there[value])) / (times @ np.bincount(place))
    low, high = percentiles(means)
    return said | {
        "se": float(means.std(ddof=1)),
        "low": float(low),
        "high": float(high),
    }


# -- words -----------------------------------------------------------------------------------------------------------


def number(value: float) -> str:
    """A number with two decimals, and never a minus sign on zero.

    >>> number(-0.0001), number(31.128)
    ('0.00', '31.13')
    """
    return f"{round(value, 2) + 0.0:.2f}"
