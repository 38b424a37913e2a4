"""How many people to ask next time, and what a planned survey could see.

Effects are given in points of the scale with a standard deviation, or as the shares of the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import check_level
from support.analysis.surveys.intervals import factor
from support.analysis.surveys.printed import check_n
from support.errors import InvalidInput

PLANNED = "planned"
"""The `source` of a table about a survey that nobody has answered yet."""
_CELLS = 4_000_000  # simulated answers held at once: 32 MB


def power_t(difference: float, sd: float, n_a: int, n_b: int | None = None, alpha: float = 0.05) -> float:
    """Power of a two-sided t test between two groups of n_a and n_b, for `difference` points.

    Examples
    --------
    >>> round(power_t(0.5, 1.0, 64), 3)
    0.801
    """
    from statsmodels.stats.power import TTestIndPower

    n_a, n_b = check_n(n_a, least=2), check_n(n_a if n_b is None else n_b, least=2)
    effect = _effect(difference, sd)
    return float(TTestIndPower().power(effect, nobs1=n_a, alpha=check_level(alpha), ratio=n_b / n_a))


def sample_size_t(difference: float, sd: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """People in each of two equal groups, so that a two-sided t test sees `difference` points with `power`.

    Cohen (1988), Table 2.4.1: 64 for half a standard deviation.

    Examples
    --------
    >>> sample_size_t(0.5, 1.0), sample_size_t(0.8, 1.0)
    (64, 26)
    """
    _check_seen(difference, power, alpha)
    return _smallest(lambda n: power_t(difference, sd, n, alpha=alpha), power)


def power_anova(means: Sequence[float], sd: float, n_each: int, alpha: float = 0.05) -> float:
    """Power of a one-way analysis of variance between groups of `n_each` with these means and one sd.

    Cohen's f is the standard deviation of the means (divisor k) over `sd`.
    """
    from statsmodels.stats.power import FTestAnovaPower

    values = np.asarray(means, dtype=float)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise InvalidInput(f"means is {means!r}; expected two or more numbers, one a group.")
    effect = abs(_effect(float(values.std()), sd))
    nobs = check_n(n_each, least=2) * len(values)
    if effect == 0:
        return check_level(alpha)  # no difference is seen as often as the test errs
    return float(FTestAnovaPower().power(effect, nobs=nobs, alpha=check_level(alpha), k_groups=len(values)))


def sample_size_anova(means: Sequence[float], sd: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """People in each group, so that a one-way analysis of variance sees these means with `power`.

    G*Power 3 gives 159 in all for three groups and f = 0.25.

    Examples
    --------
    >>> sample_size_anova([0, 0, 0.75 / 2**0.5], 1.0)
    53
    """
    _check_seen(float(np.std(means)), power, alpha)
    return _smallest(lambda n: power_anova(means, sd, n, alpha), power)


def superiority(shares_a: Sequence[float], shares_b: Sequence[float]) -> float:
    """The chance that an answer of a exceeds one of b, ties counted half.

    Parameters
    ----------
    shares_a, shares_b : shares of the answers of one scale in ascending order; each adds up to 1.

    Examples
    --------
    >>> superiority([0, 0, 1], [0.5, 0, 0.5])
    0.75
    """
    a, b = _shares(shares_a), _shares(shares_b)
    if len(a) != len(b):
        raise InvalidInput(f"shares of {len(a)} and of {len(b)} answers; expected the same scale.")
    return float(a @ (np.cumsum(b) - b / 2))


def power_mann_whitney(
    shares_a: Sequence[float],
    shares_b: Sequence[float],
    n_a: int,
    n_b: int,
    rng: np.random.Generator,
    draws: int = 4000,
    alpha: float = 0.05,
) -> float:
    """Power of the two-sided Mann-Whitney test on a scale, by simulation of `draws` surveys.

    The test is that of `rank_tests.mann_whitney`: normal approximation, corrected for ties and continuity. The
    standard error of the estimate is at most 0.5 / sqrt(draws), 0.008 by default.
    """
    superiority(shares_a, shares_b)
    check_n(draws), check_n(n_a), check_n(n_b), check_level(alpha)
    seen, left = 0, draws
    while left:
        size = min(left, max(1, _CELLS // (n_a + n_b)))
        a, b = (rng.choice(len(s), (size, n), p=_shares(s)) for s, n in ((shares_a, n_a), (shares_b, n_b)))
        seen += _seen(a, b, alpha)
        left -= size
    return seen / draws


def sample_size_noether(superior: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """People in each of two equal groups for the Mann-Whitney test, by Noether's formula (1987, equation 8).

    N = (z_alpha/2 + z_power)² / (12 c (1 - c) (p - 1/2)²) with c = 1/2. It ignores ties, which a scale has many of:
    `power_mann_whitney` checks it.

    Parameters
    ----------
    superior : the chance that an answer of one group exceeds one of the other: see `superiority`.

    Examples
    --------
    >>> sample_size_noether(0.7)
    33
    """
    _check_seen(superior - 0.5, power, alpha)
    if not 0 <= superior <= 1:
        raise InvalidInput(f"superior is {superior!r}; expected a chance from 0 to 1.")
    z = stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power)
    return ceil(z**2 / (12 * 0.25 * (superior - 0.5) ** 2) / 2 - 1e-9)


def sample_size_half_width(half: float, sd: float, level: float = 0.95) -> int:
    """The smallest n whose t interval, at this standard deviation, is at most `half` points to each side.

    Examples
    --------
    >>> sample_size_half_width(0.35, 1.13), sample_size_half_width(0.25, 1.13)
    (43, 81)
    """
    if not half > 0:
        raise InvalidInput(f"half is {half!r}; expected a half-width above 0, in points of the scale.")
    _effect(0, sd)
    return _smallest(lambda n: -sd * factor(n, n - 1, level), -half)


def power_curve(ns: Iterable[int], differences: Iterable[float], sd: float, alpha: float = 0.05) -> pd.DataFrame:
    """Power of the t test over sizes of a group: difference, sd, n (in each group), power, test, source "planned"."""
    sizes = list(ns)
    rows = [{"difference": d, "n": n, "power": power_t(d, sd, n, alpha=alpha)} for d in differences for n in sizes]
    if not rows:
        raise InvalidInput("ns or differences is empty; expected at least one of each.")
    return pd.DataFrame(rows).assign(sd=sd, alpha=alpha, test="t, two-sided, two equal groups", source=PLANNED)


def _effect(difference: float, sd: float) -> float:
    if not (np.isfinite(sd) and sd > 0):
        raise InvalidInput(f"sd is {sd!r}; expected a standard deviation above 0, in points of the scale.")
    if not np.isfinite(difference):
        raise InvalidInput(f"the difference is {difference!r}; expected points of the scale.")
    return difference / sd


def _check_seen(difference: float, power: float, alpha: float) -> None:
    check_level(alpha)
    if difference == 0 or not np.isfinite(difference):
        raise InvalidInput(
            "the difference is 0 or no number: no size of a survey sees it; name the least that matters."
        )
    if not alpha < power < 1:
        raise InvalidInput(f"power is {power!r}; expected more than alpha ({alpha}) and less than 1, such as 0.8.")


def _shares(shares: Sequence[float]) -> np.ndarray:
    values = np.asarray(shares, dtype=float)
    if values.ndim != 1 or not len(values) or not (values >= 0).all() or abs(values.sum() - 1) > 1e-6:
        raise InvalidInput(f"shares are {list(shares)}; expected numbers from 0 that add up to 1.")
    return values / values.sum()


def _seen(a: np.ndarray, b: np.ndarray, alpha: float) -> int:
    """In how many rows the test is below alpha; where all answers are the same there is nothing to see."""
    varied = (np.ptp(np.column_stack([a, b]), axis=1) > 0).nonzero()[0]
    p = stats.mannwhitneyu(a[varied], b[varied], axis=1, method="asymptotic").pvalue
    return int((np.asarray(p) < alpha).sum())


def _smallest(measure: Callable[[int], float], wanted: float) -> int:
    """The smallest n from 2 with measure(n) >= wanted, for a measure that grows with n."""
    high = 2
    while measure(high) < wanted:
        high *= 2
        if high > 2**30:
            raise InvalidInput("no survey of a billion people suffices; the effect or the half-width is too small.")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if measure(middle) >= wanted else (middle, high)
    return high
