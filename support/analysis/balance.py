"""Balance of talk: how evenly the words of a discussion are spread over its agents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns, need_keys
from support.analysis.readability import words


def shares(messages: pd.DataFrame, by: Sequence[str] = ("environment", "rule")) -> pd.DataFrame:
    """Each agent's share of the words of its discussion.

    Parameters
    ----------
    messages : frame
        One row per message: the columns of `by`, run, sender, text; `words` and `recipients` if there.

    Returns
    -------
    DataFrame
        The columns of `by`, run, agent, words, share (of the run's words; NaN where nobody said any). An agent
        that was only ever spoken to is in it with 0; one that is not mentioned at all cannot be known.
    """
    keys = [*by, "run"]
    need_columns(messages, [*keys, "sender", "text"], "the messages")
    need_keys(messages, [*keys, "sender"], "the messages")
    counted = messages if "words" in messages else messages.assign(words=messages["text"].map(words))
    said = counted[[*keys, "sender", "words"]].rename(columns={"sender": "agent"})
    table = pd.concat([said, *_listeners(messages, keys)])
    table = table.groupby([*keys, "agent"], sort=False)["words"].sum().reset_index()
    total = table.groupby(keys)["words"].transform("sum")
    return table.assign(share=(table["words"] / total).where(total > 0))


def balance(messages: pd.DataFrame, by: Sequence[str] = ("environment", "rule")) -> pd.DataFrame:
    """How evenly the agents of each run share the words; one row per run.

    Returns
    -------
    DataFrame
        The columns of `by`, run, agents, words; evenness: Shannon's entropy of the shares over its maximum, log K,
        1 when all say as much (NaN for one agent alone); gini: mean absolute difference of two shares over twice
        their mean, 0 when all say as much, (K - 1) / K when one says all. Both are NaN where nobody said a word.
    """
    table = shares(messages, by)
    groups = table.groupby([*by, "run"], sort=False)
    size = groups.agg(agents=("agent", "size"), words=("words", "sum"))
    return size.assign(evenness=groups["share"].agg(evenness), gini=groups["share"].agg(gini)).reset_index()


def evenness(share: Sequence[float] | np.ndarray) -> float:
    """Shannon's entropy of the shares over log K (Pielou 1966); NaN for one agent, or for shares that are NaN.

    >>> evenness([0.5, 0.5]), evenness([1.0, 0.0])
    (1.0, 0.0)
    """
    p = np.asarray(share, dtype=float)
    if len(p) < 2 or np.isnan(p).any():
        return float("nan")
    positive = p[p > 0]
    return max(0.0, float(-(positive * np.log(positive)).sum() / np.log(len(p))))


def gini(share: Sequence[float] | np.ndarray) -> float:
    """Gini's coefficient of the shares: 0 when equal, (K - 1) / K when one has all.

    >>> gini([0.5, 0.5]), gini([1.0, 0.0])
    (0.0, 0.5)
    """
    p = np.asarray(share, dtype=float)
    return float(np.abs(p[:, None] - p[None]).mean() / (2 * p.mean()))


def _listeners(messages: pd.DataFrame, keys: list[str]) -> list[pd.DataFrame]:
    """Those who were spoken to, with no words of their own; nothing where that is not recorded."""
    if "recipients" not in messages:
        return []
    spoken_to = messages[[*keys, "recipients"]].explode("recipients").dropna(subset="recipients").drop_duplicates()
    return [spoken_to.rename(columns={"recipients": "agent"}).assign(words=0)] if len(spoken_to) else []
