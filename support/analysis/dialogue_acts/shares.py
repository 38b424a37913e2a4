"""Table 9: the share of messages that perform each act, round by round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.dialogue_acts.acts import LABELS
from support.analysis.dialogue_acts.agreement import indicators
from support.analysis.frames import check_level, need_columns
from support.errors import InvalidInput


def act_shares(
    messages: pd.DataFrame,
    acts: str = "acts",
    by: Sequence[str] = ("environment", "rule"),
    level: float = 0.95,
) -> pd.DataFrame:
    """Share of messages that perform each act, with t intervals over runs (Table 9).

    The paper prints a "ratio of dialogue acts in each round" that adds up to more than one over the acts, and 1.00 for
    Inform and for Request in one round: not a share of acts, then, but of messages, of which each may perform several.
    Shares are taken within a run first, for the messages of one run are not independent.

    Parameters
    ----------
    messages : DataFrame
        run, round, `by`, and the column `acts`; messages with an empty tuple could not be labelled and are left out.

    Returns
    -------
    DataFrame
        by..., row (the act), column (the round, as text), round, value (0 to 1), se, low, high, n (runs that had
        a labelled message in that round), left_out (messages without a label in that round).

    Raises
    ------
    InvalidInput
        A column is missing, a label unknown, or no message is labelled.
    """
    keys = list(by)
    need_columns(messages, [*keys, "run", "round", acts], "messages")
    kept = messages[messages[acts].map(len) > 0]
    if kept.empty:
        raise InvalidInput(f"column {acts!r}: none of {len(messages)} messages has a label; ask an annotator first")
    given = pd.DataFrame(indicators(list(map(tuple, kept[acts])), LABELS), columns=list(LABELS), dtype=float)
    frame = pd.concat([kept[[*keys, "run", "round"]].reset_index(drop=True), given], axis=1)
    per_run = frame.groupby([*keys, "run", "round"], sort=False)[list(LABELS)].mean()
    groups = per_run.groupby([*keys, "round"], sort=False)
    parts = {"value": groups.mean(), "se": groups.sem(), "n": groups.count()}
    tidy = pd.concat({name: part.stack() for name, part in parts.items()}, axis=1)
    tidy = tidy.rename_axis([*keys, "round", "row"]).reset_index()
    return _with_intervals(tidy, level).merge(_left_out(messages, acts, [*keys, "round"]), on=[*keys, "round"])


def _with_intervals(tidy: pd.DataFrame, level: float) -> pd.DataFrame:
    half = tidy["se"] * stats.t.ppf((1 + check_level(level)) / 2, np.maximum(tidy["n"] - 1, 1))
    low, high = (tidy["value"] - half).clip(0, 1), (tidy["value"] + half).clip(0, 1)
    return tidy.assign(column=tidy["round"].astype(str), low=low, high=high)


def _left_out(messages: pd.DataFrame, acts: str, keys: list[str]) -> pd.DataFrame:
    empty = messages[acts].map(len).eq(0)
    return messages[keys].assign(left_out=empty.astype(int)).groupby(keys, sort=False, as_index=False).sum()
