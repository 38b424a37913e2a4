"""Is one technique better than another? Tests over runs, over items, and over cases.

Runs that repeat the same items differ by what a model draws at its temperature, and by nothing else. An independent
t-test over three runs a side (002, Tables 1 and 2) therefore asks whether a difference *on these items* is more than
that noise; it cannot say that other items would show it, and it estimates the noise from three numbers. McNemar's test
pairs the items, a bootstrap draws whole cases anew; `simulating.three_runs` shows what each of them is worth.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import check_level, need_columns, need_keys, numbers
from support.errors import InvalidInput

RUNS = 3
"""Of every condition in the paper."""


def runs_test(runs: pd.DataFrame, value: str, a: Hashable, b: Hashable, by: str = "technique") -> dict[str, Any]:
    """The paper's independent two-sample t-test between the runs of two techniques, and Welch's beside it.

    Parameters
    ----------
    runs : one row for each technique and run, as `selection_runs` and `detection_runs` give it

    Returns
    -------
    dict
        value, a, b, n_a, n_b, mean_a, mean_b, sd_a, sd_b, difference, t, df, p (Student's, equal variances), welch_t,
        welch_df, welch_p, note. Where no side has any spread there is no test: p is NaN and `note` says so.

    Raises
    ------
    InvalidInput
        On an unknown technique, or one with fewer than two runs.
    """
    need_columns(runs, [by, value], "runs")
    samples = [_sample(runs, value, by, name) for name in (a, b)]
    summary = [(float(s.mean()), float(s.std(ddof=1)), len(s)) for s in samples]
    return {"value": value, "a": a, "b": b, **_both_t(*summary)}


def _sample(runs: pd.DataFrame, value: str, by: str, name: Hashable) -> np.ndarray:
    found = numbers(runs[runs[by] == name], value).dropna().to_numpy()
    if len(found) < 2:
        there = ", ".join(f"{k} ({n} runs)" for k, n in runs[by].value_counts(sort=False).items())
        raise InvalidInput(f"{by}: {len(found)} runs of {name!r}; expected at least two. There are: {there}")
    return found


def printed_test(published: pd.DataFrame, a: str, b: str, runs: int = RUNS) -> dict[str, Any]:
    """`runs_test` from the means and SDs that the paper prints (Tables 1 and 2).

    Parameters
    ----------
    published : as `support.published.load` gives a table: row, value, spread (the SD)
    """
    need_columns(published, ["row", "value", "spread"], "the published table")
    table = published.dropna(subset=["spread"]).set_index("row")
    for name in (a, b):
        if name not in table.index:
            raise InvalidInput(f"published: no mean with an SD of {name!r}; there are: {', '.join(table.index)}")
    values, spreads = table["value"].to_dict(), table["spread"].to_dict()
    summary = [(float(values[name]), float(spreads[name]), runs) for name in (a, b)]
    return {"value": str(table.loc[a, "column"]), "a": a, "b": b, **_both_t(*summary)}


def _both_t(one: tuple[float, float, int], other: tuple[float, float, int]) -> dict[str, Any]:
    (m, s, n), (k, r, j) = one, other
    said = {"n_a": n, "n_b": j, "mean_a": m, "mean_b": k, "sd_a": s, "sd_b": r, "difference": m - k}
    # Three runs of the same accuracy have, in floats, an SD of 1e-17 now and then.
    if max(s, r) < 1e-12:
        nothing = dict.fromkeys(("t", "df", "p", "welch_t", "welch_df", "welch_p"), float("nan"))
        return said | nothing | {"note": "no test: no spread on either side"}
    student = stats.ttest_ind_from_stats(m, s, n, k, r, j, equal_var=True)
    welch = stats.ttest_ind_from_stats(m, s, n, k, r, j, equal_var=False)
    u, v = s**2 / n, r**2 / j
    df = (u + v) ** 2 / (u**2 / (n - 1) + v**2 / (j - 1))
    equal = {"t": float(student.statistic), "df": n + j - 2, "p": float(student.pvalue)}
    unequal = {"welch_t": float(welch.statistic), "welch_df": df, "welch_p": float(welch.pvalue)}
    return said | equal | unequal | {"note": ""}


def mcnemar_test(
    frame: pd.DataFrame, right: str, a: Hashable, b: Hashable, by: str = "technique", item: str = "item"
) -> dict[str, Any]:
    """McNemar's exact test on the items that both techniques judged.

    An item counts as right where more than half of its runs are, so that each item is one pair whatever the number of
    runs. Voices of one case are not independent, which the test does not know: see `bootstrap_difference`.

    Returns
    -------
    dict
        a, b, n (pairs), left_out (items that only one of the two judged), both, only_a, only_b, neither, p.

    Raises
    ------
    InvalidInput
        On an unknown technique, one technique twice, or no item in common.
    """
    from statsmodels.stats.contingency_tables import mcnemar

    wide = _both(frame, right, a, b, by, item).dropna(how="all")
    pairs = wide.dropna() > 0.5
    one, other = pairs[a].to_numpy(), pairs[b].to_numpy()
    counts = {"both": one & other, "only_a": one & ~other, "only_b": ~one & other, "neither": ~one & ~other}
    found = {name: int(which.sum()) for name, which in counts.items()}
    tested = mcnemar([[found["both"], found["only_a"]], [found["only_b"], found["neither"]]], exact=True)
    return {"a": a, "b": b, "n": len(pairs), "left_out": len(wide) - len(pairs), **found, "p": float(tested.pvalue)}


def _both(frame: pd.DataFrame, value: str, a: Hashable, b: Hashable, by: str, item: str) -> pd.DataFrame:
    """A row for each item: the means of a and b over their runs, NaN where one of them did not judge it."""
    need_columns(frame, [by, item, value], "the frame of answers")
    need_keys(frame, [by, item], "the frame of answers")
    if a == b:
        raise InvalidInput(f"{by}: {a!r} given twice; expected two of them to compare")
    for name in (a, b):
        if not (frame[by] == name).any():
            there = ", ".join(map(str, frame[by].unique()))
            raise InvalidInput(f"{by}: none is {name!r}; there are: {there}")
    chosen = frame[frame[by].isin([a, b])].assign(**{value: numbers(frame, value)})
    wide = chosen.pivot_table(index=item, columns=by, values=value).reindex(columns=[a, b])
    if wide.dropna().empty:
        raise InvalidInput(f"{item}: {a!r} and {b!r} have none in common; nothing to pair")
    return wide


def bootstrap_mean(
    frame: pd.DataFrame,
    value: str,
    rng: np.random.Generator,
    cluster: str = "case",
    by: str = "technique",
    draws: int = 2000,
    level: float = 0.95,
    within: str | None = None,
) -> pd.DataFrame:
    """The mean of `value` of each technique, with an interval that draws whole cases anew, not voices.

    Parameters
    ----------
    within : str, optional
        A column that tells kinds of cases apart, such as the label; as many of each kind are drawn as there are. Where
        a suite has ten of either kind by design, that share is not left to chance.

    Returns
    -------
    DataFrame
        technique, mean (over rows; a blank one is left out), se, low, high (percentiles), clusters, draws, level.

    Raises
    ------
    InvalidInput
        On a row without a technique or a case, a case of two kinds, or a technique whose rows are all blank.
    """
    need_columns(frame, [by, cluster, value], "the frame of answers")
    need_keys(frame, [by, cluster], "the frame of answers")
    rows = []
    for name, part in frame.groupby(by, sort=False):
        there = part.assign(**{value: numbers(part, value)}).dropna(subset=[value])
        if there.empty:
            raise InvalidInput(f"{value}: all {len(part)} of {name!r} are blank; expected a number in one at least")
        sums = there.groupby(cluster)[value].agg(["sum", "count"])
        drawn = _drawn(sums, _kinds(there, cluster, within, sums.index), rng, draws, level)
        rows.append({by: name, "mean": float(there[value].mean()), **drawn})
    return pd.DataFrame(rows)


def bootstrap_difference(
    frame: pd.DataFrame,
    value: str,
    a: Hashable,
    b: Hashable,
    rng: np.random.Generator,
    cluster: str = "case",
    by: str = "technique",
    item: str = "item",
    draws: int = 2000,
    level: float = 0.95,
    within: str | None = None,
) -> dict[str, Any]:
    """The difference a - b on the same items (their means over runs), with an interval that draws whole cases anew.

    Parameters
    ----------
    cluster : what belongs together; `item` where every item stands for itself, as states do
    within : see `bootstrap_mean`

    Returns
    -------
    dict
        value, a, b, difference, se, low, high (percentiles), clusters, draws, level.

    Raises
    ------
    InvalidInput
        On an unknown technique, one technique twice, no item in common, or an item of no case or of two.
    """
    wide = _both(frame, value, a, b, by, item).dropna()
    gaps = wide[a] - wide[b]
    owners = gaps.index.to_series() if cluster == item else _owners(frame, item, cluster)[gaps.index]
    sums = gaps.groupby(owners.to_numpy()).agg(["sum", "count"])
    drawn = _drawn(sums, _kinds(frame, cluster, within, sums.index), rng, draws, level)
    return {"value": value, "a": a, "b": b, "difference": float(gaps.mean()), **drawn}


def _owners(frame: pd.DataFrame, item: str, cluster: str) -> pd.Series[Any]:
    need_columns(frame, [cluster], "the frame of answers")
    need_keys(frame, [cluster], "the frame of answers")
    pairs = frame[[item, cluster]].drop_duplicates()
    if pairs[item].duplicated().any():
        strange = pairs[pairs[item].duplicated()].iloc[0]
        raise InvalidInput(f"{cluster}: item {str(strange[item])!r} is of two; expected one {cluster} for each item")
    return pairs.set_index(item)[cluster]


def _kinds(frame: pd.DataFrame, cluster: str, within: str | None, clusters: pd.Index[Any]) -> np.ndarray:
    """The kind of each cluster, all alike without `within`."""
    if within is None:
        return np.zeros(len(clusters))
    need_columns(frame, [within], "the frame of answers")
    kinds = frame.groupby(cluster)[within].agg(["first", "nunique"]).loc[clusters]
    if (mixed := kinds.index[kinds["nunique"] != 1]).size:
        raise InvalidInput(f"{within}: {cluster} {str(mixed[0])!r} is not of one kind; expected one for each {cluster}")
    return kinds["first"].to_numpy()


def _drawn(sums: pd.DataFrame, kinds: np.ndarray, rng: np.random.Generator, draws: int, level: float) -> dict[str, Any]:
    check_level(level)
    if draws < 1:
        raise InvalidInput(f"draws: {draws!r} given; expected at least 1, and a thousand or more for a stable interval")
    said: dict[str, Any] = {"clusters": len(sums), "draws": draws, "level": level}
    if min((kinds == kind).sum() for kind in pd.unique(kinds)) < 2:  # of one case nothing can be drawn anew
        return dict.fromkeys(("se", "low", "high"), float("nan")) | said
    times = np.zeros((draws, len(sums)))
    for kind in pd.unique(kinds):
        mine = np.flatnonzero(kinds == kind)
        times[:, mine] = rng.multinomial(len(mine), np.full(len(mine), 1 / len(mine)), size=draws)
    means = (times @ sums["sum"].to_numpy()) / (times @ sums["count"].to_numpy())
    low, high = np.quantile(means, ((1 - level) / 2, (1 + level) / 2))
    return {"se": float(means.std(ddof=1)), "low": float(low), "high": float(high)} | said
