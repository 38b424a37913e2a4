"""Answers on a scale: their check, and their means.

`data` is tidy: respondent (a code), group, item, answer (whole on the scale, NaN where
left blank), source ("people", or "simulated: " and who answers). Sources are never
pooled: tables have rows for each.
"""

from __future__ import annotations

import pandas as pd

from support.analysis.frames import need_columns, need_keys, numbers
from support.analysis.printed import FIVE, TOTAL, Scale
from support.analysis.stats import describe
from support.errors import InvalidInput
from support.survey.answers import PEOPLE

KEYS = ["respondent", "group", "item", "source"]


def need_answers(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """The answers as floats, checked; the door of every analysis of answers."""
    need_columns(data, [*KEYS, "answer"], "the answers")
    need_keys(data, KEYS, "the answers")
    values = numbers(data, "answer")
    steps = range(scale.low, scale.high + 1)
    simulated = data["source"].str.startswith("simulated: ")
    expected = {
        f"answer: a whole number from {scale.low} to {scale.high}, or nothing": (
            values.isna() | values.isin(steps)
        ),
        "item: one answer of each respondent": (
            ~data.duplicated(["source", "respondent", "item"])
        ),
        f"source: {PEOPLE!r}, or 'simulated: ' and who answers": (
            simulated | (data["source"] == PEOPLE)
        ),
    }
    for told, fits in expected.items():
        if not fits.all():
            wrong = data.loc[~fits, [*KEYS, "answer"]]
            row = wrong.iloc[0].to_dict()
            raise InvalidInput(f"{row} given; expected {told}")
    return data.assign(answer=values).reset_index(drop=True)


def means(data: pd.DataFrame, scale: Scale = FIVE) -> pd.DataFrame:
    """The mean of each item with its 95 % t interval, over all and in each group.

    As in Table 3; returns source, item, group ("all" first), n, missing, mean, sd (with
    n - 1), se, low, high.
    """
    checked = need_answers(data, scale)
    groups = checked.sort_values("group", kind="stable")
    everybody = checked.assign(group=TOTAL)
    both = pd.concat([everybody, groups])
    return describe(both, "answer", by=["source", "item", "group"])
