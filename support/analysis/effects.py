"""Effect sizes of the difference between two samples.

References
----------
.. [1] L. V. Hedges, Distribution theory for Glass's estimator of effect size and related
   estimators, Journal of Educational Statistics 6 (1981), eq. 6e.
.. [2] M. Borenstein et al., Introduction to Meta-Analysis (2009), eqs. 4.18-4.24.
.. [3] G. Cumming, Understanding The New Statistics (2012), ch. 11: the average standard deviation
   as the denominator of a paired effect.
.. [4] D. G. Bonett, Confidence intervals for standardized linear contrasts of means,
   Psychological Methods 13 (2008).
.. [5] N. Cliff, Dominance statistics: ordinal analyses to answer ordinal questions,
   Psychological Bulletin 114 (1993).
"""

from __future__ import annotations

from math import exp, lgamma, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from support.analysis.frames import check_level
from support.errors import InvalidInput

Sample = NDArray[np.float64]


class Effect(NamedTuple):
    """A standardised difference and its interval; all NaN where it is undefined."""

    g: float
    low: float
    high: float


def is_constant(sample: Sample, scale: float | None = None) -> bool:
    """Whether the spread is nothing but rounding, which grows with `scale` (default: the largest value)."""
    size = float(np.abs(sample).max()) if scale is None else scale
    return bool(np.ptp(sample) <= 1e-12 * size)


def hedges_g(x: ArrayLike, y: ArrayLike, paired: bool = False) -> float:
    """Hedges' g of mean(x) - mean(y), without its interval; see `hedges_interval`.

    >>> round(hedges_g([2, 4, 6], [1, 3, 5]), 4)
    0.3989
    """
    return hedges_interval(x, y, paired).g


def hedges_interval(x: ArrayLike, y: ArrayLike, paired: bool = False, level: float = 0.95) -> Effect:
    """Hedges' g with a normal interval.

    Independent samples are divided by the pooled standard deviation, g_s, with the variance of
    Borenstein [2]_. Paired samples are divided by the root of the mean of both variances, g_av
    (Cumming [3]_), so that g does not grow with the correlation of the pairs and stays comparable
    with g_s; its variance is Bonett's [4]_. Both carry the exact small-sample factor of Hedges [1]_.

    Parameters
    ----------
    x, y : array_like, shape (n,) and (m,)
        Finite values; for `paired`, n = m and x[i] belongs to y[i].

    Raises
    ------
    InvalidInput
        Empty or non-finite samples, or paired samples of different lengths.
    """
    a, b = _samples(x, y, paired)
    z = float(norm.ppf((1 + check_level(level)) / 2))
    if min(len(a), len(b)) < 2:
        return Effect(nan, nan, nan)
    return _paired(a, b, z) if paired else _independent(a, b, z)


def cliffs_delta(x: ArrayLike, y: ArrayLike) -> float:
    """Cliff's delta [5]_: P(x > y) - P(x < y) over all pairs, by sorting, in O(n log n).

    >>> cliffs_delta([1, 2, 3], [0, 2])
    0.5
    """
    a, b = _samples(x, y, paired=False)
    b = np.sort(b)
    below = int(np.searchsorted(b, a, side="left").sum())
    not_above = int(np.searchsorted(b, a, side="right").sum())
    return (below - (len(a) * len(b) - not_above)) / (len(a) * len(b))


def small_sample_factor(df: int) -> float:
    """Hedges' J(df), the exact correction of the bias of Cohen's d (about 1 - 3 / (4 df - 1))."""
    # Gamma((df - 1) / 2) has a pole at df = 1: there is no unbiased estimate.
    return nan if df < 2 else exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2)


def _independent(a: Sample, b: Sample, z: float) -> Effect:
    n, m = len(a), len(b)
    if is_constant(a) and is_constant(b):
        return Effect(nan, nan, nan)
    pooled = sqrt(((n - 1) * a.var(ddof=1) + (m - 1) * b.var(ddof=1)) / (n + m - 2))
    d = (a.mean() - b.mean()) / pooled
    variance = (n + m) / (n * m) + d**2 / (2 * (n + m))
    return _corrected(d, sqrt(variance), small_sample_factor(n + m - 2), z)


def _paired(a: Sample, b: Sample, z: float) -> Effect:
    df = len(a) - 1
    va, vb = a.var(ddof=1), b.var(ddof=1)
    if is_constant(a) and is_constant(b):
        return Effect(nan, nan, nan)
    average = (va + vb) / 2
    d = (a.mean() - b.mean()) / sqrt(average)
    covariance = float(np.cov(a, b)[0, 1])
    shape = d**2 * (va**2 + vb**2 + 2 * covariance**2) / (8 * df * average**2)
    variance = shape + (a - b).var(ddof=1) / (df * average)
    return _corrected(d, sqrt(variance), small_sample_factor(df), z)


def _corrected(d: float, error: float, factor: float, z: float) -> Effect:
    g, margin = float(factor * d), float(z * factor * error)
    return Effect(g, g - margin, g + margin)


def _samples(x: ArrayLike, y: ArrayLike, paired: bool) -> tuple[Sample, Sample]:
    a, b = np.asarray(x, dtype=float).ravel(), np.asarray(y, dtype=float).ravel()
    if not (len(a) and len(b)):
        raise InvalidInput(f"samples have {len(a)} and {len(b)} values; each needs at least one.")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InvalidInput("samples hold NaN or infinite values; drop them before an effect size is computed.")
    if paired and len(a) != len(b):
        raise InvalidInput(f"paired samples have {len(a)} and {len(b)} values; they need one partner each.")
    return a, b
