"""Answers on a scale: means with t intervals, and how often each answer was given; one source at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from support.analysis.inference import describe
from support.analysis.surveys.sources import Answers, by_source
from support.errors import InvalidInput

ALL = "all"
"""The group that stands for everyone, as Table 3 names it."""


def means(data: Answers | pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """The mean of each item, over all respondents and for each group, as Table 3 of the paper gives them.

    Returns
    -------
    DataFrame
        source, item, group ("all" first), n, missing, mean, sd, se, low, high, level, method, note, sentence; the
        interval is Student's, with n - 1 degrees of freedom, and sd has the divisor n - 1.

    Raises
    ------
    InvalidInput
        Reconstructions, a group that is called "all", or what `Answers` refuses.
    """
    parts = []
    for source, answers in by_source(data).items():
        whole, groups = answers.frame.assign(group=ALL), answers.frame
        _check_groups(groups)
        table = describe(pd.concat([whole, groups]), "answer", by=["item", "group"], level=level, show=False)
        parts.append(_ordered(table, groups).assign(source=source))
    return _source_first(pd.concat(parts, ignore_index=True))


def distribution(data: Answers | pd.DataFrame, groups: bool = False) -> pd.DataFrame:
    """How often each answer was given to each item, in all or in each group.

    Returns
    -------
    DataFrame
        source, item, group ("all" unless `groups`), answer (every value of the scale), count, share (of those who
        answered, 0 to 1; NaN where nobody did), n (who answered), missing.
    """
    tables = []
    for source, answers in by_source(data).items():
        frame = answers.frame if groups else answers.frame.assign(group=ALL)
        names: Any
        for names, part in frame.groupby(["item", "group"], sort=False, observed=True):
            counted = _counted(part["answer"], answers.low, answers.high)
            tables.append(counted.assign(source=source, item=names[0], group=names[1]))
    columns = ["source", "item", "group", "answer", "count", "share", "n", "missing"]
    return pd.concat(tables, ignore_index=True)[columns]


def _check_groups(frame: pd.DataFrame) -> None:
    if (frame["group"] == ALL).any():
        raise InvalidInput(f"group {ALL!r} is what the table calls everyone; give that group another name.")


def _ordered(table: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Items as they appear, and in each everyone before the groups."""
    items = {name: i for i, name in enumerate(frame["item"].unique())}
    groups = {ALL: 0} | {name: i for i, name in enumerate(sorted(frame["group"].unique(), key=str), 1)}
    places = pd.DataFrame({"item": table["item"].map(items), "group": table["group"].map(groups)})
    return table.loc[places.sort_values(["item", "group"]).index]


def _counted(values: pd.Series, low: int, high: int) -> pd.DataFrame:
    scale = np.arange(low, high + 1)
    given = values.dropna()
    counts = np.array([(given == answer).sum() for answer in scale])
    shares = counts / len(given) if len(given) else np.full(len(scale), np.nan)
    told = {"n": len(given), "missing": len(values) - len(given)}
    return pd.DataFrame({"answer": scale, "count": counts, "share": shares}).assign(**told)


def _source_first(table: pd.DataFrame) -> pd.DataFrame:
    return table[["source", *(column for column in table if column != "source")]]
