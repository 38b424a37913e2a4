"""What goes with reliance: Spearman's correlations, the false-discovery rate, and what printed ones allow.

References
----------
.. [1] C. Spearman, The proof and measurement of association between two things, Am. J. Psychol. 15 (1904).
.. [2] Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 57 (1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.stats import adjusted, with_holm
from support.analysis.user_study.points import in_order, need_repeated
from support.errors import InvalidInput

POOLED, CHANGE = "pooled", "change"


def spearman(data: pd.DataFrame, target: str = "reliance", items: Sequence[str] = ()) -> pd.DataFrame:
    """Spearman's correlation [1]_ of an item with all others: in each session, pooled, and of the changes.

    Pooled forms come in pairs from one person, which the test takes for twice as many people: its p is too small. The
    correlation of the changes (last point minus first) asks what reliance rises with, and each person counts once.

    Parameters
    ----------
    data : DataFrame
        As `points.collected` gives it, of one source.
    items : sequence, optional
        The others; by default all.

    Returns
    -------
    DataFrame
        source, forms (a point, "pooled" or "change"), item, n, rho, p (t with n - 2 degrees of freedom), p_fdr [2]_
        and p_holm (over the items, within `forms`), note.

    Raises
    ------
    InvalidInput
        Several sources, answers off the scale, no such item, or no other one.
    """
    checked = need_repeated(data)
    others = [item for item in dict.fromkeys(items or checked["item"]) if item != target]
    need_repeated(checked, [target, *others])
    if not others:
        raise InvalidInput(f"items: nothing but {target!r} given; expected items to correlate it with")
    wide = checked.pivot(index=["respondent", "point"], columns="item", values="answer")
    rows = [
        {"forms": forms, "item": item} | _correlated(part[target], part[item])
        for forms, part in _parts(wide).items()
        for item in others
    ]
    table = with_holm(pd.DataFrame(rows).assign(source=checked["source"].iloc[0]), ["forms"])
    rates = table.groupby("forms", sort=False)["p"].transform(adjusted, "fdr_bh")
    table.insert(list(table.columns).index("p") + 1, "p_fdr", rates)
    return table[["source", *(column for column in table if column != "source")]]


def largest_family(
    correlations: Sequence[float], n: int, unprinted: int = 0, alpha: float = 0.05, decimals: int = 2
) -> int:
    """How many tests may have been corrected together, if all of these printed correlations stayed below `alpha`.

    Benjamini and Hochberg's rule keeps the k smallest p-values of m tests where the k-th is at most k alpha / m. So m
    is at most k alpha / p(k), and all k are kept where the largest of them is. Each printed number is taken at the
    rounding edge that favours it; tests that are not counted among the k are taken to lie above `alpha`.

    Parameters
    ----------
    correlations : sequence
        All that were printed as significant, with `decimals`.
    n : int
        Forms behind each.
    unprinted : int
        How many more are taken to have been significant, with smaller p-values than the largest printed one.

    Returns
    -------
    int
        The size of the largest family, tests without a printed number included; 0 where not even the printed ones
        alone pass.

    Raises
    ------
    InvalidInput
        No correlation, one outside of -1 to 1, fewer than 4 forms, or correlations that all may be 1: their p is 0,
        and they pass in any family.

    Examples
    --------
    >>> largest_family([0.78, 0.51, -0.47], 20), largest_family([0.78, 0.51, -0.47], 18)
    (4, 3)
    """
    if n < 4:
        raise InvalidInput(f"n is {n!r}; expected 4 forms or more.")
    if not len(correlations) or max(map(abs, correlations)) > 1:
        raise InvalidInput(f"correlations: {list(correlations)} given; expected one or more from -1 to 1.")
    edge = 0.5 * 10**-decimals
    p, kept = max(p_of(min(abs(r) + edge, 1.0), n) for r in correlations), len(correlations) + unprinted
    if p == 0:
        raise InvalidInput(
            f"correlations: {list(correlations)} may all be 1 unrounded; no family is too large for them."
        )
    largest = int(kept * alpha / p + 1e-9)
    return largest if largest >= kept else 0


def p_of(rho: float, n: int) -> float:
    """The two-sided p of Spearman's correlation by t with n - 2 degrees of freedom.

    Examples
    --------
    >>> round(p_of(0.54, 10), 3), round(p_of(0.54, 20), 3)
    (0.107, 0.014)
    """
    if abs(rho) >= 1:
        return 0.0
    return float(2 * stats.t.sf(abs(rho) * sqrt((n - 2) / (1 - rho**2)), n - 2))


def _parts(wide: pd.DataFrame) -> dict[str, pd.DataFrame]:
    points = in_order(wide.index.get_level_values("point"))
    parts: dict[str, Any] = {point: wide.xs(point, level="point") for point in points}
    if len(points) > 1:
        parts |= {POOLED: wide, CHANGE: parts[points[-1]] - parts[points[0]]}
    return parts


def _correlated(a: pd.Series[float], b: pd.Series[float]) -> dict[str, Any]:
    both = pd.concat([a, b], axis=1).dropna().to_numpy()
    n = len(both)
    if n < 4:
        return {"n": n, "rho": nan, "p": nan, "note": "no test: fewer than four forms"}
    if (np.ptp(both, axis=0) == 0).any():
        return {"n": n, "rho": nan, "p": nan, "note": "no test: one side has no spread"}
    ranks = stats.rankdata(both, axis=0)
    rho = float(np.corrcoef(ranks.T)[0, 1])
    return {"n": n, "rho": rho, "p": p_of(rho, n), "note": ""}
