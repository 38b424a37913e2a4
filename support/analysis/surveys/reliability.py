"""Do the items of a scale measure one thing? Cronbach's alpha (1951), with Feldt's interval (1965)."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.frames import check_level
from support.analysis.surveys.sources import Answers, by_source, need_answers
from support.errors import InvalidInput


class Alpha(NamedTuple):
    """Cronbach's alpha with its interval; where it does not exist it is NaN and `note` says why."""

    alpha: float
    low: float
    high: float
    respondents: int
    items: int
    left_out: int
    note: str


def cronbach_alpha(wide: pd.DataFrame, level: float = 0.95) -> Alpha:
    """k / (k - 1) * (1 - sum of the items' variances / variance of the sums), over k items.

    Feldt's interval takes (1 - population alpha) / (1 - alpha) as F-distributed with (n - 1)(k - 1) and n - 1 degrees
    of freedom, which holds for normal answers with equal variances and covariances: on a scale of five it is a guide.

    Parameters
    ----------
    wide : DataFrame of shape (respondents, items)
        Answers; see `wide_answers`. A respondent who left an item blank is left out and counted.

    Raises
    ------
    InvalidInput
        Reconstructions (a printed table tells nothing of how items go together), fewer than two items, or fewer than
        two respondents with every item answered.

    Examples
    --------
    >>> cronbach_alpha(pd.DataFrame({"a": [1, 2, 4], "b": [1, 2, 4]})).alpha
    1.0
    """
    need_answers(wide)
    check_level(level)
    values = wide.dropna().to_numpy(dtype=float)
    n, k = values.shape
    if k < 2 or n < 2:
        raise InvalidInput(f"{k} items and {n} respondents who answered them all; alpha needs two of each, or more.")
    sums = values.sum(axis=1).var(ddof=1)
    if sums == 0:
        note = "no alpha: every respondent has the same sum, so that the scale tells nobody from another"
        return Alpha(nan, nan, nan, n, k, len(wide) - n, note)
    alpha = float(k / (k - 1) * (1 - values.var(axis=0, ddof=1).sum() / sums))
    low, high = (1 - (1 - alpha) * stats.f.ppf((1 + side * level) / 2, n - 1, (n - 1) * (k - 1)) for side in (1, -1))
    return Alpha(alpha, float(low), float(high), n, k, len(wide) - n, "")


def alpha_table(data: Answers | pd.DataFrame, items: Sequence[str] | None = None, level: float = 0.95) -> pd.DataFrame:
    """Cronbach's alpha of each source: source, alpha, low, high, respondents, items, left_out, note."""
    rows = [
        {"source": source} | cronbach_alpha(wide_answers(answers, items), level)._asdict()
        for source, answers in by_source(data).items()
    ]
    return pd.DataFrame(rows)


def wide_answers(answers: Answers, items: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a respondent, one column an item (all of them, or `items`); NaN where an item was left blank.

    Raises
    ------
    InvalidInput
        An item that nobody was asked.
    """
    frame = answers.frame
    wanted = list(frame["item"].unique()) if items is None else list(items)
    unknown = sorted(set(wanted) - set(frame["item"]), key=str)
    if unknown:
        there = ", ".join(map(str, frame["item"].unique()))
        raise InvalidInput(f"items: {unknown[0]!r} is none of the survey's, which are: {there}.")
    return frame.pivot(index="respondent", columns="item", values="answer")[wanted].astype(np.float64)
