"""Means with intervals, tests between levels, corrections, effect sizes and resampling: said once, for every study.

References
----------
.. [1] L. V. Hedges, Distribution theory for an estimator of effect size, J. Educational Statistics 6 (1981), eq. 6e.
.. [2] M. Borenstein et al., Introduction to Meta-Analysis (2009), eqs. 4.18-4.24.
.. [3] G. Cumming, Understanding The New Statistics (2012), ch. 11: the average standard deviation of a paired effect.
.. [4] D. G. Bonett, Confidence intervals for standardized linear contrasts of means, Psychological Methods 13 (2008).
.. [5] N. Cliff, Dominance statistics, Psychological Bulletin 114 (1993).
.. [6] D. J. Schuirmann, A comparison of the two one-sided tests procedure, J. Pharmacokinetics 15 (1987).
.. [7] D. S. Kerby, The simple difference formula, Comprehensive Psychology 3 (2014).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from math import ceil, exp, inf, isnan, lgamma, nan, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from support.analysis.frames import check_level, need_columns, need_keys, numbers
from support.errors import InvalidInput

Sample = NDArray[np.float64]
Row = Mapping[Any, Any] | pd.Series
EXACT = 300  # pairs up to which the distribution of signed ranks is computed in full
_SUMMARY = ("n", "missing", "mean", "sd", "se", "low", "high", "level", "note", "sentence")


class Effect(NamedTuple):
    """A standardised difference and its interval; all NaN where it is undefined."""

    g: float
    low: float
    high: float


class SignedRank(NamedTuple):
    """Wilcoxon's test: sum of the positive ranks, pairs that changed, p, rank-biserial correlation [7]_."""

    w: float
    changed: int
    p: float
    rank_biserial: float


# -- means and comparisons -------------------------------------------------------------------------------------------


def describe(frame: pd.DataFrame, value: str, by: str | Sequence[str] = (), level: float = 0.95) -> pd.DataFrame:
    """Mean, standard error and t interval of `value` in each group of `by`, in the order of appearance.

    Returns
    -------
    DataFrame
        by..., n, missing, mean, sd, se (sd / sqrt(n)), low, high, level, note, sentence. With fewer than two values
        the interval is NaN, and `note` says so.
    """
    keys = [by] if isinstance(by, str) else list(by)
    need_columns(frame, [value, *keys])
    need_keys(frame, keys)
    check_level(level)
    if taken := [key for key in keys if key in _SUMMARY]:
        raise InvalidInput(f"by {taken} would be overwritten by a column of the result; rename it in the frame first.")
    data = frame.assign(**{value: numbers(frame, value)})
    groups = data.groupby(keys, sort=False, observed=True) if keys else [((), data)]
    rows = []
    for names, group in groups:
        row = dict(zip(keys, names, strict=True)) | _summary(group[value], level)
        rows.append(row | {"sentence": description(row, ", ".join(str(row[key]) for key in keys))})
    return pd.DataFrame(rows)


def compare(
    frame: pd.DataFrame,
    value: str,
    by: str,
    paired_by: str | Sequence[str] | None = None,
    correction: Literal["holm", "fdr_bh"] | None = "holm",
    reference: Hashable | None = None,
    level: float = 0.95,
    show: bool = True,
) -> pd.DataFrame:
    """Test `value` between all pairs of levels of `by`, or between each level and `reference`.

    With `paired_by` (the columns that identify a pair, such as the seed) the test is Student's paired t, and rows
    without a partner are left out and counted; without, it is Welch's t. `show` prints a sentence for each.

    Returns
    -------
    DataFrame
        value, a, b, n_a, n_b, left_out, mean_a, mean_b, se_a, se_b, difference (a - b), low, high, t, df, p,
        p_adjusted, correction, hedges_g, g_low, g_high, cliffs_delta, test, level, note, sentence; one row per
        comparison. `low` and `high` are not adjusted for the number of comparisons. Where no test exists p is NaN and
        `note` says why; such a comparison does not count in the correction.
    """
    keys = [paired_by] if isinstance(paired_by, str) else list(paired_by or ())
    need_columns(frame, [value, by, *keys])
    need_keys(frame, [by, *keys])
    check_level(level)
    data = frame.assign(**{value: numbers(frame, value)})
    if keys and not (twice := data[data.duplicated([by, *keys])]).empty:
        first = twice.iloc[0][[by, *keys]].to_dict()
        raise InvalidInput(f"paired_by {keys} does not identify a pair: {first} occurs more than once; add a column.")
    groups = data.groupby(by, sort=False, observed=True)
    wide: dict[Hashable, pd.Series[float]] = {
        name: group.set_index(keys)[value] if keys else group[value] for name, group in groups
    }
    rows = [{"value": value, "a": a, "b": b} | _comparison(wide[a], wide[b], level, bool(keys))
            for a, b in _pairs(list(wide), by, reference)]  # fmt: skip
    table = pd.DataFrame(rows)
    p = adjusted(table["p"], correction) if correction else table["p"]
    table.insert(list(table.columns).index("p") + 1, "p_adjusted", p)
    table.insert(list(table.columns).index("p") + 2, "correction", correction or "none")
    table["sentence"] = [sentence(row) for row in table.to_dict("records")]
    if show:
        print("\n".join(table["sentence"]))
    return table


def _summary(values: pd.Series[float], level: float) -> dict[str, Any]:
    sample = np.asarray(values.dropna(), dtype=np.float64)
    n, mean, se = len(sample), sample.mean() if len(sample) else nan, _se(sample)
    note = "no values" if n == 0 else "one value: no interval" if n == 1 else ""
    margin = nan if n < 2 else float(stats.t.ppf((1 + level) / 2, n - 1)) * se
    if n > 1 and is_constant(sample):
        margin, note = 0.0, "all values are equal"
    sd = sample.std(ddof=1) if n > 1 else nan
    counted = {"n": n, "missing": len(values) - n, "mean": float(mean), "sd": sd, "se": se}
    return counted | {"low": float(mean) - margin, "high": float(mean) + margin, "level": level, "note": note}


def _se(sample: Sample) -> float:
    return float(sample.std(ddof=1) / sqrt(len(sample))) if len(sample) > 1 else nan


def _pairs(levels: list[Hashable], by: str, reference: Hashable | None) -> list[tuple[Hashable, Hashable]]:
    there = ", ".join(map(str, levels))
    if len(levels) < 2:
        raise InvalidInput(f"column {by!r} has one level, {there}; a comparison needs two or more.")
    if reference is None:
        return list(combinations(levels, 2))
    if reference not in levels:
        raise InvalidInput(f"reference {reference!r} is no level of column {by!r}; its levels are: {there}.")
    return [(name, reference) for name in levels if name != reference]


def _comparison(left: pd.Series[float], right: pd.Series[float], level: float, paired: bool) -> dict[str, Any]:
    given = len(left) + len(right)
    left, right = left.dropna(), right.dropna()
    if paired:
        both = left.index.intersection(right.index)
        left, right = left.loc[both], right.loc[both]
    a, b = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    means = [float(one.mean()) if len(one) else nan for one in (a, b)]
    note, tested = _why_not(a, b, paired), dict.fromkeys(("low", "high", "t", "df", "p"), nan)
    if not note:
        result = stats.ttest_rel(a, b) if paired else stats.ttest_ind(a, b, equal_var=False)
        low, high = result.confidence_interval(level)
        found = (low, high, result.statistic, result.df, result.pvalue)
        tested = dict(zip(tested, map(float, found), strict=True))
    effect = hedges_interval(a, b, paired, level) if len(a) and len(b) else Effect(nan, nan, nan)
    delta = cliffs_delta(a, b) if len(a) and len(b) else nan
    return {
        **{"n_a": len(a), "n_b": len(b), "left_out": given - len(a) - len(b)},
        **{"mean_a": means[0], "mean_b": means[1], "se_a": _se(a), "se_b": _se(b), "difference": means[0] - means[1]},
        **tested,
        **{"hedges_g": effect.g, "g_low": effect.low, "g_high": effect.high, "cliffs_delta": delta},
        **{"test": "paired t" if paired else "Welch's t", "level": level, "note": note},
    }


def _why_not(a: Sample, b: Sample, paired: bool) -> str:
    if min(len(a), len(b)) < 2:
        return "no test: fewer than two values on a side"
    if paired and is_constant(a - b, scale=max(np.abs(a).max(), np.abs(b).max())):
        return "no test: the difference is the same in every pair"
    if not paired and is_constant(a) and is_constant(b):
        return "no test: no spread on either side"
    return ""


# -- corrections -----------------------------------------------------------------------------------------------------


def adjusted(p: ArrayLike, correction: Literal["holm", "fdr_bh"] = "holm") -> Sample:
    """The p-values of one family, corrected for their number; NaN, no test, stays and does not count."""
    values = np.array(p, dtype=float)
    tested = ~np.isnan(values)
    if correction == "fdr_bh":
        values[tested] = stats.false_discovery_control(values[tested])
        return values
    least = np.sort(values[tested])  # statsmodels has the same, but collects garbage each time
    steps = np.maximum.accumulate(least * np.arange(len(least), 0, -1))
    values[tested] = np.minimum(1.0, steps)[np.searchsorted(least, values[tested], side="right") - 1]
    return values


def with_holm(table: pd.DataFrame, by: Sequence[str] = ("source",)) -> pd.DataFrame:
    """Add, after `p`, Holm's adjusted p (1979), and the `correction` in words: "Holm over 18 tests".

    All tests of the table that agree in `by` are one family: the source, and what names another analysis of the same
    answers. A test that does not exist (NaN) is no member.
    """
    families = table.groupby(list(by), sort=False, observed=True, dropna=False)["p"]
    place = list(table.columns).index("p") + 1
    result = table.copy()
    result.insert(place, "p_holm", families.transform(adjusted))
    result.insert(place + 1, "correction", "Holm over " + families.transform("count").astype(str) + " tests")
    return result


# -- equivalence -----------------------------------------------------------------------------------------------------


def equivalent(difference: float, se: float, margin: float, df: float = inf) -> float:
    """p of two one-sided tests [6]_ that |difference| is less than `margin`, which has the unit of the difference.

    >>> round(equivalent(0.1, 0.2, 1.0), 6), equivalent(2.0, 0.2, 1.0) > 0.5
    (3e-06, True)
    """
    return float(stats.t.sf((margin - abs(difference)) / se, df))


def enough(n: int, se: float, margin: float, other_se: float = 0.0, alpha: float = 0.05, power: float = 0.8) -> float:
    """How many cases would tell that two equal figures are equal within `margin`: inf where none would.

    `se` is ours over `n` cases and shrinks with their number; `other_se`, of a printed figure, does not. By the normal
    approximation, both sides together with `power`.
    """
    wanted = (margin / (stats.norm.isf(alpha) + stats.norm.isf((1 - power) / 2))) ** 2 - other_se**2
    return ceil(n * se**2 / wanted) if wanted > 0 else inf


# -- effect sizes ----------------------------------------------------------------------------------------------------


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
    """Hedges' g with a normal interval; for `paired`, x[i] belongs to y[i].

    Independent samples are divided by the pooled standard deviation, g_s, with the variance of Borenstein [2]_. Paired
    samples are divided by the root of the mean of both variances, g_av (Cumming [3]_), so that g does not grow with the
    correlation of the pairs; its variance is Bonett's [4]_. Both carry the exact small-sample factor of Hedges [1]_.
    """
    a, b = _samples(x, y, paired)
    z, n, m = float(stats.norm.ppf((1 + check_level(level)) / 2)), len(a), len(b)
    if min(n, m) < 2 or (is_constant(a) and is_constant(b)):
        return Effect(nan, nan, nan)
    va, vb = a.var(ddof=1), b.var(ddof=1)
    if paired:
        average, df = (va + vb) / 2, n - 1
        d = (a.mean() - b.mean()) / sqrt(average)
        shape = d**2 * (va**2 + vb**2 + 2 * float(np.cov(a, b)[0, 1]) ** 2) / (8 * df * average**2)
        variance = shape + (a - b).var(ddof=1) / (df * average)
    else:
        df = n + m - 2
        d = (a.mean() - b.mean()) / sqrt(((n - 1) * va + (m - 1) * vb) / df)
        variance = (n + m) / (n * m) + d**2 / (2 * (n + m))
    factor = small_sample_factor(df)
    g, margin = float(factor * d), float(z * factor * sqrt(variance))
    return Effect(g, g - margin, g + margin)


def small_sample_factor(df: int) -> float:
    """Hedges' J(df), the exact correction of the bias of Cohen's d (about 1 - 3 / (4 df - 1))."""
    # Gamma((df - 1) / 2) has a pole at df = 1: there is no unbiased estimate.
    return nan if df < 2 else exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2)


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


def _samples(x: ArrayLike, y: ArrayLike, paired: bool) -> tuple[Sample, Sample]:
    a, b = np.asarray(x, dtype=float).ravel(), np.asarray(y, dtype=float).ravel()
    if not (len(a) and len(b)):
        raise InvalidInput(f"samples have {len(a)} and {len(b)} values; each needs at least one.")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InvalidInput("samples hold NaN or infinite values; drop them before an effect size is computed.")
    if paired and len(a) != len(b):
        raise InvalidInput(f"paired samples have {len(a)} and {len(b)} values; they need one partner each.")
    return a, b


def signed_rank(differences: ArrayLike, zeros: Literal["drop", "pratt"] = "drop") -> SignedRank:
    """Wilcoxon's signed-rank test, two-sided and exact, ties or not: of every pattern of signs, the share as far out.

    Answers on a scale are tied, which the usual tables do not know, and SciPy lists patterns one by one. Pairs without
    a change are left out, or ranked before they are (Pratt 1959). Above `EXACT` pairs the normal approximation is used.

    >>> signed_rank([1, 1, 2, 0, 3])
    SignedRank(w=10.0, changed=4, p=0.125, rank_biserial=1.0)
    """
    moved = np.asarray(differences, dtype=float)
    moved = moved[moved != 0] if zeros == "drop" else moved
    doubled = np.rint(2 * stats.rankdata(np.abs(moved))).astype(int)[moved != 0]  # ranks of ties end in a half
    if not len(doubled):
        return SignedRank(0.0, 0, nan, nan)
    positive, total = int(doubled[moved[moved != 0] > 0].sum()), int(doubled.sum())
    if len(doubled) > EXACT:
        p = float(stats.norm.sf(abs(2 * positive - total) / sqrt((doubled**2).sum())) * 2)
    else:
        chances = np.ones(1)  # of each sum of the doubled ranks whose sign is positive
        for rank in doubled:
            chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
        p = float(chances[np.abs(2 * np.arange(len(chances)) - total) >= abs(2 * positive - total)].sum())
    return SignedRank(positive / 2, len(doubled), min(1.0, p), (2 * positive - total) / total)


# -- resampling ------------------------------------------------------------------------------------------------------


def resampled(
    clusters: Sequence[Any] | pd.Series,
    rng: np.random.Generator,
    draws: int = 2000,
    within: Sequence[Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """How often each row's cluster is drawn, whole clusters with replacement (Efron 1979): what every bootstrap needs.

    `within`, as long as `clusters`, tells kinds of clusters apart; as many of each kind are drawn as there are.

    Returns
    -------
    (times, place)
        times, shape (draws, clusters), and the column of each row in it, shape (rows,).
    """
    place = pd.factorize(pd.Series(list(clusters)))[0]
    if len(place) == 0 or place.min() < 0:
        raise InvalidInput("clusters: none given, or one is empty; every row belongs to a case that is drawn whole")
    count = int(place.max()) + 1
    kinds = pd.Series(np.zeros(len(place)) if within is None else list(within)).groupby(place)
    if (kinds.nunique() != 1).any():
        raise InvalidInput("within: a cluster is of two kinds; expected one kind for each cluster")
    kind = kinds.first().to_numpy()
    times = np.zeros((draws, count))
    for name in pd.unique(kind):
        mine = np.flatnonzero(kind == name)
        times[:, mine] = rng.multinomial(len(mine), np.full(len(mine), 1 / len(mine)), size=draws)
    return times, place


def percentiles(drawn: np.ndarray, level: float = 0.95) -> np.ndarray:
    """Lower and upper percentiles over the draws (axis 0) in which a statistic is defined; NaN where it never is."""
    tail = (1 - check_level(level)) / 2
    known = ~np.isnan(drawn).all(axis=0)
    filled = np.where(known, drawn, 0.0)
    return np.where(known, np.nanquantile(filled, (tail, 1 - tail), axis=0), nan)


def cluster_bootstrap(
    frame: pd.DataFrame,
    value: str,
    cluster: str,
    rng: np.random.Generator,
    within: str | None = None,
    draws: int = 2000,
    level: float = 0.95,
) -> dict[str, float]:
    """The mean of `value` over rows with an interval that draws whole clusters: mean, se, low, high, n, clusters.

    With one cluster (of a kind) nothing can be drawn anew: the interval is NaN.
    """
    need_columns(frame, [value, cluster])
    there = frame.assign(**{value: numbers(frame, value)}).dropna(subset=[value])
    if there.empty:
        raise InvalidInput(f"{value}: all {len(frame)} are blank; expected a number in one at least")
    kinds = there[within].tolist() if within else None
    times, place = resampled(there[cluster].tolist(), rng, draws, kinds)
    said = {"mean": float(there[value].mean()), "n": len(there), "clusters": times.shape[1]}
    alone = there.groupby(within)[cluster].nunique().min() if within else times.shape[1]
    if alone < 2:
        return said | dict.fromkeys(("se", "low", "high"), nan)
    sums, counts = np.bincount(place, there[value]), np.bincount(place)
    means = (times @ sums) / (times @ counts)
    low, high = percentiles(means, level)
    return said | {"se": float(means.std(ddof=1)), "low": float(low), "high": float(high)}


# -- words -----------------------------------------------------------------------------------------------------------


def p_text(p: float) -> str:
    """A p-value in the manner of the APA.

    >>> p_text(0.0304), p_text(0.00004)
    ('p = .030', 'p < .001')
    """
    if isnan(p):
        return "p undefined"
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def number(value: float, decimals: int = 2) -> str:
    """A number that never shows a minus sign on zero.

    >>> number(-0.0001), number(31.128)
    ('0.00', '31.13')
    """
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def range_text(low: float, high: float) -> str:
    """An interval in brackets, or the words for an interval that does not exist."""
    return "undefined" if isnan(low) or isnan(high) else f"[{number(low)}, {number(high)}]"


def description(row: Row, name: str) -> str:
    """One group of `describe` in words; `name` is empty where there are no groups."""
    lead, missing = f"{name} " if name else "", _left_out(row["missing"], "missing")
    if row["n"] == 0:
        return f"{lead}has no values{missing}"
    spread = f"SE = {number(row['se'])}, {row['level']:.0%} t interval {range_text(row['low'], row['high'])}"
    body = spread if row["n"] > 1 else "interval undefined for a single value"
    return f"{lead}M = {number(row['mean'])}, {body}, n = {row['n']}{missing}"


def sentence(row: Row) -> str:
    """One comparison of `compare` in words.

    The verb follows the adjusted p: only a difference that survives the correction is said to exceed or to fall below.
    """
    verb = "did not differ reliably from"
    if row["p_adjusted"] < 1 - row["level"]:
        verb = "exceeded" if row["difference"] > 0 else "fell below"
    told = str(row["note"])
    if isnan(row["p"]):
        verb = "could not be tested against"
    else:
        df = f"{row['df']:.0f}" if row["test"] == "paired t" else number(row["df"])
        corrected = {"holm": "Holm", "fdr_bh": "Benjamini-Hochberg", "none": "uncorrected"}[row["correction"]]
        told = (
            f"difference {number(row['difference'])}, {row['level']:.0%} CI {range_text(row['low'], row['high'])}, "
            f"{row['test']}({df}) = {number(row['t'])}, {p_text(row['p_adjusted'])} ({corrected}), "
            f"g = {number(row['hedges_g'])} {range_text(row['g_low'], row['g_high'])}, "
            f"Cliff's delta = {number(row['cliffs_delta'])}"
        )
    unused = _left_out(row["left_out"], "values not used")
    return f"On {row['value']}, {_side(row, 'a')} {verb} {_side(row, 'b')}: {told}.{unused}"


def _side(row: Row, side: str) -> str:
    if row[f"n_{side}"] == 0:
        return f"{row[side]} (no values)"
    error = row[f"se_{side}"]
    shown = "SE undefined" if isnan(error) else f"SE = {number(error)}"
    return f"{row[side]} (M = {number(row[f'mean_{side}'])}, {shown}, n = {row[f'n_{side}']})"


def _left_out(count: int, what: str) -> str:
    return f" ({count} {what})" if count else ""
