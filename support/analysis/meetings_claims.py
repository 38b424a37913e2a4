"""What sections 6 to 8 of Papachristou, Yang and Hsu (2023) state without numbers, as checks on tidy results.

`results` makes the table (row, column, value, se) that the checks of `COORDINATION` read. Rows: a setting of the whole
system under each name that a section gives it (`NAMES`); "n = 3, K = 2: single round" for each setting and design of
Table 1; "perturbations 0", 1 and 2; "all settings", over all runs. Columns: a metric's name is its value in the last
round, "<metric>@1" that of round 1, "change of <metric>" the mean change between them, "correlation with <metric>"
Spearman's, over runs, between the change of the satisfaction ratio and that of the metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import sqrt

import numpy as np
import pandas as pd

from support.analysis.claims import (
    CLOSE,
    NO,
    UNTESTED,
    YES,
    Answer,
    Cells,
    Check,
    Gap,
    above,
    alike,
    combined,
    every,
    flat,
    most,
    moves,
)
from support.analysis.meetings import METRICS, changes, final, table_1
from support.meetings.study import DESIGNS

NAMES: Mapping[str, tuple[str, ...]] = {
    "n = 3, K = 2": ("n = 3",),
    "n = 4, K = 2": ("n = 4",),
    "n = 5, K = 2": ("n = 5", "K = 2", "without database"),
    "n = 5, K = 3": ("K = 3",),
    "n = 5, K = 4": ("K = 4",),
    "n = 5, K = 2, database": ("database",),
}
"""Settings, as the column `setting` names them, and the names that the sections give them."""

ALMOST = 0.75  # our reading of "almost every": more than this share of the cells
HALF = (-65.0, -35.0)  # our reading of a fall "by about half", in percent
SIZES, OPTIONS = ("n = 3", "n = 4", "n = 5"), ("K = 2", "K = 3", "K = 4")
PARAPHRASES = ("perturbations 0", "perturbations 1", "perturbations 2")
QUALITY = ("satisfaction_ratio", "satisfaction_score", "equity")
SIGNS = {"satisfaction_score": 1, "equity": -1, "interactions": -1}
LOWER_IS_BETTER = ("equity", "interactions")
MARGINS = {
    "satisfaction_ratio": 5.0,
    "satisfaction_score": 0.15,
    "equity": 0.05,
    "interactions": 0.5,
}
"""Differences that do not matter, a twentieth of each scale (half a turn for interactions): our choice, used by all."""


def results(
    frame: pd.DataFrame, paraphrased: pd.DataFrame | None = None
) -> pd.DataFrame:
    """The results of `rounds_of`, with the columns `setting` and `design`, and of `table_2` as the checks read them."""
    designs = table_1(frame, by=["setting", "design"])
    parts = [designs.assign(row=designs["setting"] + ": " + designs["design"])]
    rounds = frame[frame["design"] == DESIGNS[2]]
    for setting, part in rounds.groupby("setting", sort=False):
        parts += [
            _setting(part).assign(row=name) for name in NAMES.get(str(setting), ())
        ]
    parts += [_correlations(rounds)] if len(rounds) else []
    return pd.concat([*parts, paraphrased], ignore_index=True)[
        ["row", "column", "value", "se", "n"]
    ]


def _setting(part: pd.DataFrame) -> pd.DataFrame:
    last, first, gains = final(part), part[part["round"] == 1], _last_changes(part)
    cells: dict[str, pd.Series] = {}
    for metric in METRICS:
        cells[metric], cells[f"{metric}@1"] = last[metric], first[metric]
        cells[f"change of {metric}"] = gains.loc[gains["metric"] == metric, "change"]
    rows = [
        {"column": k, "value": v.mean(), "se": v.sem(), "n": v.count()}
        for k, v in cells.items()
    ]
    return pd.DataFrame(rows).dropna(subset=["value"])


def _last_changes(part: pd.DataFrame) -> pd.DataFrame:
    table = changes(part)
    return table[table["round"] == table["round"].max()]


def _correlations(rounds: pd.DataFrame) -> pd.DataFrame:
    gains = _last_changes(rounds)
    runs = [
        c
        for c in gains
        if c not in ("metric", "start", "value", "change", "left_out", "unit", "round")
    ]
    wide = gains.set_index([*runs, "metric"])["change"].unstack("metric")
    rows = []
    for metric in (m for m in METRICS if m != "satisfaction_ratio"):
        both = wide[["satisfaction_ratio", metric]].dropna()
        value = (
            both["satisfaction_ratio"].corr(both[metric], method="spearman")
            if len(both) > 3
            else np.nan
        )
        # Fisher's standard error of a correlation near zero.
        error = 1 / sqrt(max(len(both) - 3, 1))
        rows.append(
            {
                "column": f"correlation with {metric}",
                "value": value,
                "se": error,
                "n": len(both),
            }
        )
    return pd.DataFrame(rows).assign(row="all settings").dropna(subset=["value"])


def better(first: str, second: str, columns: Sequence[str], share: float) -> Check:
    """The claim that design `first` is clearly better in more than `share` of all settings and `columns`; 1: in all.

    Lower is better in `LOWER_IS_BETTER`.
    """

    def gaps(cells: Cells) -> list[Gap]:
        found = []
        for row in (row for row in cells.rows() if row.endswith(f": {first}")):
            other = f"{row.removesuffix(first)}{second}"
            for column in (
                column for column in cells.shared(row, other) if column in columns
            ):
                gap = cells.between(row, other, column)
                found.append(
                    gap._replace(value=-gap.value) if column in LOWER_IS_BETTER else gap
                )
        return found

    return every(gaps) if share == 1 else most(gaps, share)


def _inconclusive(ours: pd.DataFrame) -> Answer:
    """Not all settings' equity moves clearly to the same side."""
    answers = [moves(sign, SIZES, "change of equity")(ours) for sign in (1, -1)]
    verdict = UNTESTED if UNTESTED in answers else NO if YES in answers else YES
    return Answer(verdict, answers[0].evidence)


def _by_half(ours: pd.DataFrame) -> Answer:
    cells = Cells(ours)
    falls = [cells.gap(row, [(row, _TURNS)]) for row in (*SIZES, *OPTIONS[1:], "database")
             if (row, _TURNS) in cells]  # fmt: skip
    if not falls:
        return Answer(UNTESTED, "no change of interactions was measured")
    ends = [(gap.value - gap.half(), gap.value + gap.half()) for gap in falls]
    inside = sum(HALF[0] <= low and high <= HALF[1] for low, high in ends)
    outside = sum(high < HALF[0] or low > HALF[1] for low, high in ends)
    verdict = (
        YES if inside > len(ends) / 2 else NO if outside >= len(ends) / 2 else CLOSE
    )
    told = f"by {-HALF[1]:.0f} to {-HALF[0]:.0f} %: of {len(ends)} settings {inside} clearly, {outside} clearly not"
    return Answer(verdict, told)


def _rising(column: str, *rows: str) -> Check:
    """A mean that is higher in each row than in the row before."""
    return combined(
        *(above([later], [earlier], column) for earlier, later in pairwise(rows))
    )


def _smaller_falls(column: str, *rows: str) -> Check:
    """A mean below zero in each row, and nearer to it than in the row before."""
    return combined(moves(-1, rows, column), _rising(column, *rows))


_RATIO, _SCORE, _TURNS, _EQUITY = (
    f"change of {m}"
    for m in ("satisfaction_ratio", "satisfaction_score", "interactions", "equity")
)
_FIRST_ROUND = better("no conversation", "single round", QUALITY, ALMOST)
COORDINATION: Mapping[str, Check] = {
    "every n: interactions fall over the rounds": moves(-1, SIZES, _TURNS),
    "every n: satisfaction_ratio rises over the rounds": moves(1, SIZES, _RATIO),
    "every n: satisfaction_score rises over the rounds": moves(1, SIZES, _SCORE),
    "n = 5 > n = 3, n = 4: change of interactions": above(SIZES[:2], SIZES[2:], _TURNS),
    "n = 5 > n = 3, n = 4: change of satisfaction_ratio": above(
        SIZES[2:], SIZES[:2], _RATIO
    ),
    "n = 5 > n = 3, n = 4: change of satisfaction_score": above(
        SIZES[2:], SIZES[:2], _SCORE
    ),
    "n = 5: equity falls over the rounds": moves(-1, ["n = 5"], _EQUITY),
    "n = 3, n = 4: equity has no clear trend": flat(
        SIZES[:2], _EQUITY, MARGINS["equity"]
    ),
    "K = 2 > K = 4: change of satisfaction_ratio": above(["K = 2"], ["K = 4"], _RATIO),
    "K = 2 > K = 3: change of satisfaction_ratio": above(["K = 2"], ["K = 3"], _RATIO),
    "K = 2 > K = 3: change of satisfaction_score": above(["K = 2"], ["K = 3"], _SCORE),
    "larger K: smaller fall of equity": _smaller_falls(_EQUITY, *OPTIONS),
    "database: interactions fall over the rounds": moves(-1, ["database"], _TURNS),
    "database: satisfaction_ratio rises over the rounds": moves(
        1, ["database"], _RATIO
    ),
    "database: satisfaction_score rises over the rounds": moves(
        1, ["database"], _SCORE
    ),
    "without database > database: change of interactions": above(
        ["database"], ["without database"], _TURNS
    ),
    "without database > database: change of satisfaction_ratio": above(
        ["without database"], ["database"], _RATIO
    ),
    "without database > database: change of satisfaction_score": above(
        ["without database"], ["database"], _SCORE
    ),
    "rounds > no conversation: almost every metric": better(
        "rounds", "no conversation", QUALITY, ALMOST
    ),
    "rounds > single round: almost every metric": better(
        "rounds", "single round", METRICS, ALMOST
    ),
    "rounds > single round: every metric": better(
        "rounds", "single round", METRICS, 1.0
    ),
    "no conversation > single round: first round": _FIRST_ROUND,
    "change of satisfaction_ratio goes with the change of the other metrics": combined(
        *(
            moves(sign, ["all settings"], f"correlation with {m}")
            for m, sign in SIGNS.items()
        )
    ),
    "paraphrase: metrics almost unchanged": combined(
        *(
            alike(PARAPHRASES, PARAPHRASES, MARGINS[metric], metric)
            for metric in QUALITY
        )
    ),
    "interactions fall by about half": _by_half,
    "larger K > smaller K: first-round satisfaction_ratio": _rising(
        "satisfaction_ratio@1", *OPTIONS
    ),
    "larger K > smaller K: first-round satisfaction_score": _rising(
        "satisfaction_score@1", *OPTIONS
    ),
    "larger n: larger change of satisfaction_score": _rising(_SCORE, *SIZES),
    "larger K: lower satisfaction_score": above(
        ["K = 2"], ["K = 3", "K = 4"], "satisfaction_score"
    ),
    "equity: inconclusive": _inconclusive,
}
"""A check for every statement of sections 6 and 8 in `data/inputs/published/000_cf17db17b5f2de1a.csv`."""
