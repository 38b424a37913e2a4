"""Whether any meetings have a printed row's means together.

A meeting's outcome is, but for the order of its members, one of the multisets of n scores from 0 to 3: 20 for three
members, 35 for four, 56 for five. A printed row is possible if some whole numbers of these add up to m meetings with
its ratio, its score and its equity, and in the strict form with its three intervals. That is an integer program with a
variable for each multiset, which the solver settles in milliseconds.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import sqrt

import numpy as np
import pandas as pd

from support.analysis.consistency.meetings import FOUND, READINGS, identified
from support.errors import InvalidInput
from support.meetings.satisfaction import HIGHEST, equity

HALF = 0.005
QUESTIONS = {
    "ratio and score": ("satisfaction_ratio", "satisfaction_score"),
    "ratio and equity": ("satisfaction_ratio", "equity"),
    "all three": ("satisfaction_ratio", "satisfaction_score", "equity"),
}
INTERVALS = "all three with intervals"


def check_jointly(frame: pd.DataFrame) -> pd.DataFrame:
    """Which printed rows any meetings can have.

    Parameters
    ----------
    frame : table, row, column, value, spread
        Table 1 or 2 as published; the number of meetings is the one that `identified` finds.

    Returns
    -------
    DataFrame
        table, row, n, meetings, and a column for each of `QUESTIONS` and for `INTERVALS`: True where some meetings
        have those means to two decimals, and there the intervals as well, read as `meetings.FOUND` says.

    Raises
    ------
    InvalidInput
        Where a row's number of meetings is not determined.
    """
    rows = []
    for known in identified(frame).to_dict("records"):
        if np.isnan(known["meetings"]):
            raise InvalidInput(
                f"{known['table']}, {known['row']}: no one number of meetings fits its ratio and interval"
            )
        cells = frame[(frame["table"] == known["table"]) & (frame["row"] == known["row"])].set_index("column")
        n, m = int(known["n"]), int(known["meetings"])
        answers = {q: _exists(n, m, cells, columns, False) for q, columns in QUESTIONS.items()}
        answers[INTERVALS] = answers["all three"] and _exists(n, m, cells, QUESTIONS["all three"], True)
        rows.append({"table": known["table"], "row": known["row"], "n": n, "meetings": m} | answers)
    return pd.DataFrame(rows)


def outcomes(n: int) -> pd.DataFrame:
    """The metrics of every multiset of n scores: satisfaction_ratio (percent), satisfaction_score, equity."""
    scores = list(combinations_with_replacement(range(HIGHEST + 1), n))
    values = np.array(scores)
    return pd.DataFrame(
        {
            "satisfaction_ratio": 100 * (values > 0).mean(axis=1),
            "satisfaction_score": values.mean(axis=1),
            "equity": [equity(row) for row in scores],
        }
    )


def _exists(n: int, m: int, cells: pd.DataFrame, columns: tuple[str, ...], intervals: bool) -> bool:
    from scipy.optimize import Bounds, LinearConstraint, milp

    table = outcomes(n)
    rows, low, high = [np.ones(len(table))], [float(m)], [float(m)]
    for column in columns:
        value, spread = cells["value"].astype(float)[column], cells["spread"].astype(float)[column]
        x = table[column].to_numpy()
        rows.append(x)
        low.append(m * (value - HALF))
        high.append(m * (value + HALF))
        if intervals:
            bounds = _square_bounds(value, spread, m)
            rows.append(x**2)
            low.append(bounds[0])
            high.append(bounds[1])
    limits = LinearConstraint(np.array(rows), low, high)
    whole = np.ones(len(table), dtype=int)
    found = milp(np.zeros(len(table)), constraints=limits, integrality=whole, bounds=Bounds(0, m))
    if found.status not in (0, 2):
        raise InvalidInput(f"n {n}, {m} meetings: the solver gave no answer ({found.message})")
    return bool(found.status == 0)


def _square_bounds(value: float, half: float, m: int) -> tuple[float, float]:
    """Between what the sum of squares lies, by the mean and the half-width as printed, each rounded either way."""
    way = READINGS[FOUND]
    factor = sqrt(m) / way.quantile(m)
    variance = [(max(half + step, 0) * factor) ** 2 * (m - way.lost) for step in (-HALF, HALF)]
    return variance[0] + m * max(value - HALF, 0) ** 2, variance[1] + m * (value + HALF) ** 2
