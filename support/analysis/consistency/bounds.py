"""Bounds that one printed mean sets to another, cell by cell.

Let r be a meeting's satisfaction ratio, s its satisfaction score and g its equity, of n scores of 0, 1, 2 or 3.

**r <= s <= 3 r.** The n r satisfied members have scores of 1 to 3, the others 0.

**g >= 1 - r.** Let z = n (1 - r) members have score 0 and S > 0 be the sum of all scores. In the sum over ordered pairs
of |pi_a - pi_b|, the pairs of a zero and a positive score, taken in both orders, contribute 2 z S, and no other pair
contributes less than nothing: g >= 2 z S / (2 n S) = z / n = 1 - r. With r = 0 the paper sets g = 1 = 1 - r.

Each bound is linear in r, so that it holds for means over meetings as it holds for every single one.
"""

from __future__ import annotations

import pandas as pd

from support.analysis.consistency.meetings import meetings_that_fit, members_of
from support.analysis.frames import need_columns
from support.meetings.satisfaction import HIGHEST

CHECKS = ("20 meetings", "score <= 3 ratio", "score >= ratio", "equity >= 1 - ratio")
"""What each row of `check_table` tests."""

TEXT = 20
SLACK = 1e-9  # for the binary fractions of decimal numbers


def check_table(frame: pd.DataFrame, decimals: int = 2) -> pd.DataFrame:
    """Test each printed cell of Table 1 or 2 against the ratio of its row.

    Parameters
    ----------
    frame : table, row, column, value
        As `support.published.load` gives it; ratios in percent. Other tables, and rows without a ratio, are refused.
    decimals : digits after the point to which the numbers are rounded

    Returns
    -------
    DataFrame
        table, row, column, check (one of `CHECKS`), value, bound, holds, by, note. `bound` is what the printed ratio
        demands: a limit, or for "20 meetings" the nearest percentage that 20 meetings can have. `by` is how far the
        cell is beyond it after rounding in its favour, in the unit of the cell; 0 where it holds.
    """
    need_columns(frame, ["table", "row", "column", "value"], "the published table")
    half = 0.5 * 10.0**-decimals
    rows = []
    for (table, row), cells in frame.groupby(["table", "row"], sort=False):
        printed = cells.set_index("column")["value"]
        if row == "std of the means":
            continue
        need_columns(printed.to_frame().T, ["satisfaction_ratio"], f"{table}, {row}")
        for cell in _row(printed, members_of(str(table)), half, decimals):
            rows.append({"table": table, "row": row} | cell)
    return pd.DataFrame(rows)


def _row(printed: pd.Series, n: int, half: float, decimals: int) -> list[dict[str, object]]:
    ratio = float(printed["satisfaction_ratio"])
    share, slack = ratio / 100, half / 100
    cells = [_twenty(ratio, n, half, decimals)]
    if "satisfaction_score" in printed:
        score = float(printed["satisfaction_score"])
        cells.append(_cell("satisfaction_score", CHECKS[1], score, HIGHEST * share, score - HIGHEST * share,
                           half + HIGHEST * slack))  # fmt: skip
        cells.append(_cell("satisfaction_score", CHECKS[2], score, share, share - score, half + slack))
    if "equity" in printed:
        gini = float(printed["equity"])
        cells.append(_cell("equity", CHECKS[3], gini, 1 - share, 1 - share - gini, half + slack))
    return cells


def _cell(column: str, check: str, value: float, bound: float, beyond: float, slack: float) -> dict[str, object]:
    by = max(0.0, beyond - slack)
    return {"column": column, "check": check, "value": value, "bound": bound, "holds": by <= SLACK,
            "by": by if by > SLACK else 0.0, "note": ""}  # fmt: skip


def _twenty(ratio: float, n: int, half: float, decimals: int) -> dict[str, object]:
    nearest = 100 * round(ratio / 100 * TEXT * n) / (TEXT * n)
    cell = _cell("satisfaction_ratio", CHECKS[0], ratio, nearest, abs(ratio - nearest), half)
    fits = [m for m in meetings_that_fit(ratio, n, decimals=decimals) if 17 <= m <= 21]
    return cell | {"note": f"fits {', '.join(map(str, fits)) or 'none'} of 17 to 21 meetings"}
