"""Means with their intervals, and tests between the levels of a factor, as tidy frames and sentences."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from math import nan, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from support.analysis.effects import Sample, cliffs_delta, hedges_g, hedges_interval, is_constant
from support.analysis.frames import check_level, need_columns, need_keys, numbers
from support.analysis.wording import description, sentence
from support.errors import InvalidInput

__all__ = ["adjusted", "cliffs_delta", "compare", "describe", "hedges_g", "sentence", "with_holm"]

Method = Literal["t", "bootstrap"]
Correction = Literal["holm", "fdr_bh"]
_SUMMARY = ("n", "missing", "mean", "sd", "se", "low", "high", "level", "method", "note", "sentence")
_BOOTSTRAP_CELLS = 4_000_000  # resampled numbers held at once: 32 MB


class _Pair(NamedTuple):
    """The values of two levels that a test may use, and how many it may not."""

    a: Sample
    b: Sample
    left_out: int


def describe(
    frame: pd.DataFrame,
    value: str,
    by: str | Sequence[str] = (),
    level: float = 0.95,
    method: Method = "t",
    draws: int = 2000,
    rng: np.random.Generator | None = None,
    show: bool = True,
) -> pd.DataFrame:
    """Mean, standard error and interval of `value` in each group of `by`.

    Parameters
    ----------
    frame : one row per observation; NaN in `value` is left out and counted as missing.
    by : no, one or several columns; groups come in the order of their appearance.
    method : "t", or "bootstrap" for bias-corrected and accelerated percentiles (Efron 1987) of
        `draws` resamples drawn with `rng`.
    show : print one sentence that covers all groups.

    Returns
    -------
    DataFrame
        by..., n, missing, mean, sd, se, low, high, level, method, note, sentence. `se` is
        sd / sqrt(n). With fewer than two values the interval is NaN and `note` says so.

    Raises
    ------
    InvalidInput
        An unknown column, values that are no numbers, an empty group name, or a bootstrap without `rng`.
    """
    keys = [by] if isinstance(by, str) else list(by)
    _check_description(frame, value, keys, level, method, draws, rng)
    data = frame.assign(**{value: numbers(frame, value)})
    rows = [names | _summary(group[value], level, method, draws, rng) for names, group in _groups(data, keys)]
    for row in rows:
        row["sentence"] = description(row, ", ".join(str(row[key]) for key in keys))
    if show:
        print(f"{value}: " + "; ".join(row["sentence"] for row in rows) + ".")
    return pd.DataFrame(rows)


def compare(
    frame: pd.DataFrame,
    value: str,
    by: str,
    paired_by: str | Sequence[str] | None = None,
    correction: Correction | None = "holm",
    reference: Hashable | None = None,
    level: float = 0.95,
    show: bool = True,
) -> pd.DataFrame:
    """Test `value` between all pairs of levels of `by`, or between each level and `reference`.

    With `paired_by` (the columns that identify a pair, such as the seed) the test is Student's
    paired t, and rows without a partner are left out and counted; without, it is Welch's t. The
    effect sizes are those of `support.analysis.effects`: paired g is g_av.

    Returns
    -------
    DataFrame
        value, a, b, n_a, n_b, left_out, mean_a, mean_b, se_a, se_b, difference (a - b), low, high,
        t, df, p, p_adjusted, correction, hedges_g, g_low, g_high, cliffs_delta, test, level, note,
        sentence; one row per comparison. `low` and `high` bound the difference, and are not
        adjusted for the number of comparisons. Where no test exists p is NaN and `note` says why;
        such a comparison does not count in the correction.

    Raises
    ------
    InvalidInput
        An unknown column or level, fewer than two levels, or a pair that occurs twice in one level.
    """
    keys = [paired_by] if isinstance(paired_by, str) else list(paired_by or ())
    need_columns(frame, [value, by, *keys])
    need_keys(frame, [by, *keys])
    check_level(level)
    wide = _by_level(frame.assign(**{value: numbers(frame, value)}), value, by, keys)
    rows = [
        {"value": value, "a": a, "b": b} | _comparison(_pair(wide, a, b, bool(keys)), level, bool(keys))
        for a, b in _pairs(list(wide), by, reference)
    ]
    table = _worded(_adjusted(pd.DataFrame(rows), correction))
    if show:
        print("\n".join(table["sentence"]))
    return table


def adjusted(p: ArrayLike, correction: Correction = "holm") -> Sample:
    """The p-values of one family, corrected for their number; NaN, no test, stays and does not count."""
    values = np.array(p, dtype=float)
    tested = ~np.isnan(values)
    if tested.any():
        # A second to import, and only needed here.
        from statsmodels.stats.multitest import multipletests

        values[tested] = multipletests(values[tested], method=correction)[1]
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


def _check_description(
    frame: pd.DataFrame,
    value: str,
    keys: list[str],
    level: float,
    method: str,
    draws: int,
    rng: np.random.Generator | None,
) -> None:
    need_columns(frame, [value, *keys])
    need_keys(frame, keys)
    check_level(level)
    taken = [key for key in keys if key in _SUMMARY]
    if taken:
        raise InvalidInput(f"by {taken} would be overwritten by a column of the result; rename it in the frame first.")
    if method not in ("t", "bootstrap"):
        raise InvalidInput(f"method is {method!r}; expected 't' or 'bootstrap'.")
    if method == "bootstrap" and not isinstance(rng, np.random.Generator):
        raise InvalidInput("method 'bootstrap' draws: randomness is passed, as rng=numpy.random.default_rng(seed).")
    if draws < 1:
        raise InvalidInput(f"draws is {draws!r}; expected at least 1, and a thousand or more for a stable interval.")


def _groups(frame: pd.DataFrame, keys: list[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    if not keys:
        yield {}, frame
        return
    for names, group in frame.groupby(keys, sort=False, observed=True):
        yield dict(zip(keys, names, strict=True)), group


def _summary(
    values: pd.Series[float], level: float, method: Method, draws: int, rng: np.random.Generator | None
) -> dict[str, Any]:
    sample = np.asarray(values.dropna(), dtype=np.float64)
    low, high, note = _interval(sample, level, method, draws, rng)
    return {
        "n": len(sample),
        "missing": len(values) - len(sample),
        "mean": _mean(sample),
        "sd": sample.std(ddof=1) if len(sample) > 1 else nan,
        "se": _se(sample),
        "low": low,
        "high": high,
        "level": level,
        "method": method,
        "note": note,
    }


def _interval(
    sample: Sample, level: float, method: Method, draws: int, rng: np.random.Generator | None
) -> tuple[float, float, str]:
    if len(sample) < 2:
        return nan, nan, "no values" if len(sample) == 0 else "one value: no interval"
    if is_constant(sample):
        return _mean(sample), _mean(sample), "all values are equal"
    if method == "bootstrap":
        return *_bootstrap(sample, level, draws, rng), ""
    margin = float(stats.t.ppf((1 + level) / 2, len(sample) - 1)) * _se(sample)
    return _mean(sample) - margin, _mean(sample) + margin, ""


def _bootstrap(sample: Sample, level: float, draws: int, rng: np.random.Generator | None) -> tuple[float, float]:
    result = stats.bootstrap(
        (sample,),
        np.mean,
        confidence_level=level,
        n_resamples=draws,
        batch=max(1, _BOOTSTRAP_CELLS // len(sample)),
        method="BCa",
        rng=rng,
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def _mean(sample: Sample) -> float:
    return float(sample.mean()) if len(sample) else nan


def _se(sample: Sample) -> float:
    return float(sample.std(ddof=1) / sqrt(len(sample))) if len(sample) > 1 else nan


def _by_level(frame: pd.DataFrame, value: str, by: str, keys: list[str]) -> dict[Hashable, pd.Series[float]]:
    levels = dict(iter(frame.groupby(by, sort=False, observed=True)))
    if not keys:
        return {name: group[value] for name, group in levels.items()}
    twice = frame[frame.duplicated([by, *keys])]
    if not twice.empty:
        first = twice.iloc[0][[by, *keys]].to_dict()
        raise InvalidInput(f"paired_by {keys} does not identify a pair: {first} occurs more than once; add a column.")
    return {name: group.set_index(keys)[value] for name, group in levels.items()}


def _pairs(levels: list[Hashable], by: str, reference: Hashable | None) -> list[tuple[Hashable, Hashable]]:
    there = ", ".join(map(str, levels))
    if len(levels) < 2:
        raise InvalidInput(f"column {by!r} has one level, {there}; a comparison needs two or more.")
    if reference is None:
        return list(combinations(levels, 2))
    if reference not in levels:
        raise InvalidInput(f"reference {reference!r} is no level of column {by!r}; its levels are: {there}.")
    return [(name, reference) for name in levels if name != reference]


def _pair(wide: dict[Hashable, pd.Series[float]], a: Hashable, b: Hashable, paired: bool) -> _Pair:
    left, right = wide[a].dropna(), wide[b].dropna()
    if paired:
        both = left.index.intersection(right.index)
        left, right = left.loc[both], right.loc[both]
    left_out = len(wide[a]) + len(wide[b]) - len(left) - len(right)
    return _Pair(np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64), left_out)


def _comparison(pair: _Pair, level: float, paired: bool) -> dict[str, Any]:
    a, b, left_out = pair
    sides = {"n_a": len(a), "n_b": len(b), "left_out": left_out, "mean_a": _mean(a), "mean_b": _mean(b)}
    errors = {"se_a": _se(a), "se_b": _se(b), "difference": _mean(a) - _mean(b)}
    test = {"test": "paired t" if paired else "Welch's t", "level": level, "note": _why_not(a, b, paired)}
    return sides | errors | _tested(a, b, level, paired, bool(test["note"])) | _effects(a, b, level, paired) | test


def _why_not(a: Sample, b: Sample, paired: bool) -> str:
    if min(len(a), len(b)) < 2:
        return "no test: fewer than two values on a side"
    if paired and is_constant(a - b, scale=max(np.abs(a).max(), np.abs(b).max())):
        return "no test: the difference is the same in every pair"
    if not paired and is_constant(a) and is_constant(b):
        return "no test: no spread on either side"
    return ""


def _tested(a: Sample, b: Sample, level: float, paired: bool, untestable: bool) -> dict[str, float]:
    if untestable:
        return dict.fromkeys(("low", "high", "t", "df", "p"), nan)
    result = stats.ttest_rel(a, b) if paired else stats.ttest_ind(a, b, equal_var=False)
    interval = result.confidence_interval(level)
    return {
        "low": float(interval.low),
        "high": float(interval.high),
        "t": float(result.statistic),
        "df": float(result.df),
        "p": float(result.pvalue),
    }


def _effects(a: Sample, b: Sample, level: float, paired: bool) -> dict[str, float]:
    if not (len(a) and len(b)):
        return dict.fromkeys(("hedges_g", "g_low", "g_high", "cliffs_delta"), nan)
    effect = hedges_interval(a, b, paired, level)
    return {"hedges_g": effect.g, "g_low": effect.low, "g_high": effect.high, "cliffs_delta": cliffs_delta(a, b)}


def _adjusted(table: pd.DataFrame, correction: Correction | None) -> pd.DataFrame:
    if correction not in ("holm", "fdr_bh", None):
        raise InvalidInput(f"correction is {correction!r}; expected 'holm', 'fdr_bh' or None.")
    p = adjusted(table["p"], correction) if correction else table["p"]
    return table.assign(p_adjusted=p, correction=correction or "none")


def _worded(table: pd.DataFrame) -> pd.DataFrame:
    order = "value a b n_a n_b left_out mean_a mean_b se_a se_b difference low high t df p p_adjusted correction"
    order += " hedges_g g_low g_high cliffs_delta test level note"
    return table[order.split()].assign(sentence=[sentence(row) for row in table.to_dict("records")])
