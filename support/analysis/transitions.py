"""Which dialogue act follows which across speakers: the transition graph (001, section
4.4, appendix C.6, equation 1).

In the paper's words p(A → B) is "the probability of the existence" of a transition: an
occurrence of A counts once, when *some* other agent performs B in the next round. The
equation as printed counts every other agent who does. Start stands before the first
round, End after the last one that was played.
"""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from support.analysis.dialogue_acts import END, LABELS, START, checked_acts
from support.analysis.frames import need_columns
from support.errors import InvalidInput

NAMES = (START, *LABELS, END)
ONCE = ["run", "round", "sender", "act"]
"""What an act that is performed is counted by: however many messages perform it."""
SETTINGS = ["rule", "repetition"]
"""Columns of messages that do not change within a run, and stay with its acts."""


def answered(performed: pd.DataFrame) -> pd.DataFrame:
    """A row for each act performed (run, round, sender, act) and each act of another
    sender in the next round, `act_next`."""
    earlier = performed[ONCE].assign(round=performed["round"] - 1)
    pairs = performed.merge(
        earlier,
        on=["run", "round"],
        suffixes=("", "_next"),
    )
    others = pairs["sender"] != pairs["sender_next"]
    return pairs[others].copy()


def steps(
    messages: pd.DataFrame,
    acts: str = "acts",
    labels: Collection[str] = LABELS,
) -> pd.DataFrame:
    """A row for each act performed: how many other agents perform each act in the next
    round.

    `messages` have run, round, sender and, in the column `acts`, tuples of `labels`; an
    empty tuple performs nothing, and its round was still played. Columns: of `SETTINGS`
    what is there, run, round, sender, act; then start, labels, end.
    """
    need_columns(messages, ["run", "round", "sender", acts], "messages")
    settings = [name for name in SETTINGS if name in messages]
    about = settings + ONCE
    given = messages.assign(act=messages[acts]).explode("act")
    given = given.dropna(subset="act")[about]
    checked_acts(given["act"], labels)
    agents = given["sender"].nunique()
    if agents < 2:
        raise InvalidInput(
            f"sender: {agents} with acts given; a transition leads from one speaker to "
            "another"
        )
    speakers = given.drop_duplicates(["run", "sender"])
    last = messages.groupby("run")["round"].max()
    after = speakers["run"].map(last) + 1
    begun = speakers.assign(round=0, act=START)
    ended = speakers.assign(round=after, act=END)
    performed = pd.concat([begun, given, ended])
    performed = performed.drop_duplicates(ONCE, ignore_index=True)
    pairs = answered(performed.reset_index())
    counts = pd.crosstab(pairs["index"], pairs["act_next"])
    counts = counts.reindex(
        performed.index,
        columns=[START, *labels, END],
        fill_value=0,
    )
    return performed[performed["act"] != END].join(counts)


def probability(performed: pd.DataFrame) -> pd.DataFrame:
    """Equation (1) as the words read, of `steps`: rows are A, columns B; NaN where A
    never occurs."""
    exists = performed.loc[:, START:END] > 0
    p = exists.groupby(performed["act"]).mean()
    return p.reindex(exists.columns)


def frequency(performed: pd.DataFrame) -> pd.Series[float]:
    """Each act's share of all acts performed; Start has none."""
    acts = performed.loc[performed["act"] != START, "act"]
    labels = performed.loc[:, START:END].columns[1:-1]
    shares = acts.value_counts(normalize=True)
    return shares.reindex(labels, fill_value=0.0)


def most_probable(
    p: pd.DataFrame,
    edges: int = 1,
    threshold: float = 0.0,
) -> pd.DataFrame:
    """The most probable outgoing edges of each act, self-loops left out (Figures 4 to 6
    show one for each): source, target, probability."""
    named = p.rename_axis(index="source", columns="target")
    table = pd.Series(named.stack(), name="probability").reset_index()
    value = table["probability"]
    loop = table["source"] == table["target"]
    table = table[(value > 0) & (value >= threshold) & ~loop]
    ranked = table.sort_values(
        "probability",
        ascending=False,
        kind="stable",
    )
    kept = ranked.groupby("source").head(edges)
    return kept.sort_index().reset_index(drop=True)
