"""Results of meeting coordination as the statements of paper 000 read them.

Rows: a setting of the whole system under each name that a section gives it (`NAMES`);
"n = 3, K = 2: single round" for each setting and design of Table 1; "perturbations 0",
1 and 2; "all settings", over all runs. Columns: a metric's name is its value in the
last round, "<metric>@1" that of round 1, "change of <metric>" the mean change between
them, "correlation with <metric>" Spearman's, over runs, between the change of the
satisfaction ratio and that of the metric.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from support.analysis.meetings import METRICS, changes, final, table_1
from support.analysis.stats import tidy_means
from support.meetings.study import DESIGNS

NAMES: Mapping[str, tuple[str, ...]] = {
    "n = 3, K = 2": ("n = 3",),
    "n = 4, K = 2": ("n = 4",),
    "n = 5, K = 2": ("n = 5", "K = 2", "without database"),
    "n = 5, K = 3": ("K = 3",),
    "n = 5, K = 4": ("K = 4",),
    "n = 5, K = 2, database": ("database",),
}
"""Settings, and the names that the sections of the paper give them."""

MARGINS = {
    "satisfaction_ratio": 5.0,
    "satisfaction_score": 0.15,
    "equity": 0.05,
    "interactions": 0.5,
}
"""Differences that do not matter: a twentieth of each scale, half a turn. Our choice."""


def results(
    frame: pd.DataFrame,
    paraphrased: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Results of `rounds_of`, with `setting` and `design`, and of `table_2`."""
    designs = table_1(frame, by=["setting", "design"])
    designs["row"] = designs["setting"] + ": " + designs["design"]
    parts = [designs, paraphrased]
    rounds = frame[frame["design"] == DESIGNS[2]]
    for setting, part in rounds.groupby("setting", sort=False):
        for name in NAMES.get(str(setting), ()):
            parts += _setting(part.assign(row=name))
    if len(rounds):
        parts.append(_correlations(_changes(rounds)))
    cells = pd.concat(parts, ignore_index=True)
    return cells[["row", "column", "value", "se", "n"]]


def _setting(part: pd.DataFrame) -> Iterator[pd.DataFrame]:
    row = part["row"].iloc[0]
    first = part[part["round"] == 1]
    frames = {"{}": final(part), "{}@1": first, "change of {}": _changes(part)}
    for name, frame in frames.items():
        columns = [name.format(metric) for metric in METRICS]
        cells = frame[list(METRICS)].set_axis(columns, axis="columns")
        yield tidy_means(cells.assign(row=row), ["row"], columns)


def _changes(rounds: pd.DataFrame) -> pd.DataFrame:
    """Each run's change of each metric from the first to the last round."""
    table = changes(rounds)
    last = table[table["round"] == table["round"].max()]
    runs = table.columns[: list(table).index("round")]
    wide = last.pivot(index=list(runs), columns="metric", values="change")
    return wide.reset_index(drop=True)


def _correlations(changed: pd.DataFrame) -> pd.DataFrame:
    ratio = "satisfaction_ratio"
    both = changed.notna().astype(int)
    n = (both.T @ both)[ratio]
    table = pd.DataFrame(
        {
            "value": changed.corr("spearman", min_periods=4)[ratio],
            # Fisher's standard error of a correlation near zero.
            "se": 1 / np.sqrt((n - 3).clip(lower=1)),
            "n": n,
        }
    )
    table = table.drop(index=ratio).rename("correlation with {}".format).dropna()
    return table.rename_axis("column").reset_index().assign(row="all settings")
