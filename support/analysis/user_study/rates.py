"""How often would such a study mislead? Many studies of simulated people whose truth is known, counted."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.stats import adjusted
from support.analysis.user_study.points import need_points, need_repeated
from support.errors import InvalidInput


def error_rates(
    data: pd.DataFrame, before: str, after: str, n: int, changing: Collection[str], alpha: float = 0.05
) -> pd.DataFrame:
    """Cut the respondents into studies of n, test every item in each, and count what is found.

    Parameters
    ----------
    data : DataFrame
        As `points.collected` gives it, of one simulated source; without blanks.
    n : int
        People in a study; those left over at the end are not used.
    changing : collection
        The items that truly change.

    Returns
    -------
    DataFrame
        source, correction ("none", "Benjamini-Hochberg", "Holm"; over the items of a study), found (share of the
        changing items with p < alpha; NaN where there are none), false (share of the others), any_false (share of
        studies with at least one of them), studies, n.

    Raises
    ------
    InvalidInput
        Fewer than n people answered everything, n below 2, or an item that is not there.
    """
    checked = need_repeated(data)
    need_points(checked, before, after)
    need_repeated(checked, list(changing))
    wide = checked.pivot(index="respondent", columns=["point", "item"], values="answer")
    moved = (wide[after] - wide[before]).dropna()
    studies = len(moved) // n if n >= 2 else 0
    if not studies:
        raise InvalidInput(f"n is {n!r}, and {len(moved)} answered everything; expected 2 to {len(moved)}.")
    p = _tested(moved.to_numpy()[: studies * n].reshape(studies, n, -1))
    true = moved.columns.isin(list(changing))
    ways = {
        "none": p,
        "Benjamini-Hochberg": stats.false_discovery_control(p, axis=1),
        "Holm": np.apply_along_axis(adjusted, 1, p),
    }
    rows = [{"correction": name} | _rates(corrected < alpha, true) for name, corrected in ways.items()]
    table = pd.DataFrame(rows).assign(studies=studies, n=n, source=checked["source"].iloc[0])
    return table[["source", *(column for column in table if column != "source")]]


def _tested(moved: np.ndarray) -> np.ndarray:
    """Two-sided p of Student's paired t, of shape (studies, items); 1 where all changes are equal: no test, no find."""
    n = moved.shape[1]
    spread = moved.std(axis=1, ddof=1)
    testable = spread > 0
    t = np.divide(moved.mean(axis=1) * np.sqrt(n), spread, out=np.zeros_like(spread), where=testable)
    return np.where(testable, 2 * stats.t.sf(np.abs(t), n - 1), 1.0)


def _rates(shown: np.ndarray, true: np.ndarray) -> dict[str, float]:
    others = shown[:, ~true]
    return {
        "found": float(shown[:, true].mean()) if true.any() else float("nan"),
        "false": float(others.mean()) if others.size else float("nan"),
        "any_false": float(others.any(axis=1).mean()) if others.size else float("nan"),
    }
