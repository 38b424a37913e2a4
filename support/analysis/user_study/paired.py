"""Two points in time, the same people: paired t-tests as in the paper, and the signed-rank test beside them."""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.stats import adjusted, compare, signed_rank, with_holm
from support.analysis.user_study.points import need_points, need_repeated
from support.errors import InvalidInput

KEPT = ("n_a", "left_out", "mean_a", "mean_b", "difference", "low", "high", "t", "df", "p", "hedges_g", "g_low",
        "g_high")  # fmt: skip


def paired_tests(data: pd.DataFrame, before: str, after: str, items: tuple[str, ...] = ()) -> pd.DataFrame:
    """What changed between two points: for each item Student's paired t-test, Wilcoxon's test and effect sizes.

    Parameters
    ----------
    data : DataFrame
        As `points.collected` gives it, of one source.
    before, after : str
        Two points. Who answered at one of them only is left out and counted.

    Returns
    -------
    DataFrame
        source, item, n (pairs), left_out (answers without a partner), before, after (means), difference
        (after - before, points) with its 95 % interval low, high, t, df, p, p_holm and p_fdr (Benjamini and Hochberg;
        both over the items), cohens_dz (mean over standard deviation of the differences), hedges_g (over the average
        standard deviation; see `support.analysis.stats`) with g_low, g_high, w, changed, p_wilcoxon, rank_biserial,
        note. Where no test exists p is NaN and `note` says why.

    Raises
    ------
    InvalidInput
        Several sources, answers off the scale, a point that is not there.
    """
    checked = need_repeated(data, items)
    need_points(checked, before, after)
    rows = [_row(part, before, after) for _, part in checked.groupby("item", sort=False)]
    table = pd.DataFrame(rows).assign(source=checked["source"].iloc[0], family="all")
    table = with_holm(table, ["family"]).drop(columns="family")
    table.insert(list(table.columns).index("p_holm") + 1, "p_fdr", adjusted(table["p"], "fdr_bh"))
    return table[["source", *(column for column in table if column != "source")]]


def _row(part: pd.DataFrame, before: str, after: str) -> dict[str, Any]:
    there = part.dropna(subset=["answer"])
    wide = there.pivot(index="respondent", columns="point", values="answer").reindex(columns=[before, after])
    moved = (wide[after] - wide[before]).dropna().to_numpy()
    named = {"item": part["item"].iloc[0]}
    if not len(moved):
        left = int(wide.notna().to_numpy().sum())
        return named | {"n": 0, "left_out": left, "p": nan, "note": "no test: nobody answered at both points"}
    chosen = there[there["point"].isin([before, after])]
    told = compare(chosen, "answer", "point", paired_by="respondent", correction=None, reference=before, show=False)
    found = told.iloc[0]
    sizes = {name: found[name] for name in KEPT}
    names = {"n_a": "n", "mean_a": "after", "mean_b": "before"}
    renamed = {names.get(name, name): value for name, value in sizes.items()}
    ordered = {name: renamed.pop(name) for name in ("n", "left_out", "before", "after")} | renamed
    return named | ordered | {"cohens_dz": cohens_dz(moved)} | _ranks(moved) | {"note": found["note"]}


def cohens_dz(differences: np.ndarray) -> float:
    """The mean of paired differences over their standard deviation (divisor n - 1); NaN where they do not differ.

    Examples
    --------
    >>> cohens_dz(np.array([0.0, 1.0, 2.0]))
    1.0
    """
    if len(differences) < 2 or np.ptp(differences) == 0:
        return nan
    return float(differences.mean() / differences.std(ddof=1))


def smallest_shown(n: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest d_z that a two-sided paired t-test of n pairs shows with this power.

    Raises
    ------
    InvalidInput
        Fewer than two pairs, or not 0 < alpha < power < 1.

    Examples
    --------
    >>> round(smallest_shown(10), 2), round(smallest_shown(8), 2)
    (1.0, 1.16)
    """
    from scipy.optimize import brentq

    if n < 2:
        raise InvalidInput(f"n is {n!r}; expected 2 pairs or more.")
    if not 0 < alpha < power < 1:
        raise InvalidInput(f"alpha is {alpha!r} and power {power!r}; expected 0 < alpha < power < 1.")
    critical = float(stats.t.ppf(1 - alpha / 2, n - 1))
    # The noncentral t of scipy is NaN far out: average the normal power over the estimated standard deviations instead.
    spreads = np.sqrt(stats.chi2.ppf((np.arange(4000) + 0.5) / 4000, n - 1) / (n - 1))

    def reached(size: float) -> float:
        upper, lower = critical * spreads - size * sqrt(n), -critical * spreads - size * sqrt(n)
        return float((stats.norm.sf(upper) + stats.norm.cdf(lower)).mean()) - power

    return float(brentq(reached, 0.0, 1e4))


def _ranks(moved: np.ndarray) -> dict[str, float]:
    found = signed_rank(moved)
    return {"w": found.w, "changed": found.changed, "p_wilcoxon": found.p, "rank_biserial": found.rank_biserial}
