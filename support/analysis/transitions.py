"""Which dialogue act follows which across speakers: the transition graph (001, section 4.4, appendix C.6, equation 1).

In the paper's words p(A → B) is "the probability of the existence" of a transition: an occurrence of A counts once, when
*some* other agent performs B in the next round. The equation as printed counts every other agent who does. Start stands
before the first round, End after the last one that was played.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import END, LABELS, START, checked_acts
from support.analysis.frames import need_columns
from support.analysis.stats import over, resampled
from support.errors import InvalidInput

NAMES = (START, *LABELS, END)
SETTINGS = ("run", "environment", "rule", "seats", "participant", "repetition")
"""Columns of messages that do not change within a run."""


def steps(
    messages: pd.DataFrame, acts: str = "acts", labels: Collection[str] = LABELS
) -> pd.DataFrame:
    """A row for each act performed: how many other agents perform each act in the next round.

    `messages` have run, round, sender and, in the column `acts`, tuples of `labels`; an empty tuple performs nothing,
    and its round was still played. Columns: of `SETTINGS` what is there, round, sender, act; then start, labels, end.
    """
    need_columns(messages, ["run", "round", "sender", acts], "messages")
    once = ["run", "round", "sender", "act"]
    about = [name for name in SETTINGS if name in messages] + once[1:]
    if taken := {START, END, "occurs", *about} & {*labels}:
        raise InvalidInput(f"labels: {taken} given; steps has such a column; rename it")
    given = messages.assign(act=messages[acts]).explode("act")
    given = given.dropna(subset="act")[about]
    checked_acts(given["act"], labels)
    if (agents := given["sender"].nunique()) < 2:
        raise InvalidInput(
            f"sender: {agents} with acts given; a transition leads from one speaker to another"
        )
    speakers = given.drop_duplicates(["run", "sender"])
    last = speakers["run"].map(messages.groupby("run")["round"].max())
    begun = speakers.assign(round=0, act=START)
    ended = speakers.assign(round=last + 1, act=END)
    performed = pd.concat([begun, given, ended])
    performed = performed.drop_duplicates(once, ignore_index=True)
    after = performed[once].assign(round=performed["round"] - 1)
    pairs = performed.reset_index().merge(after, on=["run", "round"])
    pairs = pairs.query("sender_x != sender_y")
    later = pd.crosstab(pairs["index"], pairs["act_y"])
    names = [START, *labels, END]
    later = later.reindex(performed.index, columns=names, fill_value=0)
    return performed[performed["act"] != END].join(later)


def followed(performed: pd.DataFrame) -> pd.DataFrame:
    """Whether some other agent performs each act in the next round, of `steps`."""
    return performed.loc[:, START:END] > 0


def probability(performed: pd.DataFrame) -> pd.DataFrame:
    """Equation (1) as the words read, of `steps`: rows are A, columns B; NaN where A never occurs."""
    exists = followed(performed)
    return exists.groupby(performed["act"]).mean().reindex(exists.columns)


def frequency(performed: pd.DataFrame) -> pd.Series[float]:
    """Each act's share of all acts performed; Start has none."""
    acts = performed.loc[performed["act"] != START, "act"]
    labels = followed(performed).columns[1:-1]
    return acts.value_counts(normalize=True).reindex(labels, fill_value=0.0)


# -- how sure --------------------------------------------------------------------------------------------------------


def bootstrap(
    performed: pd.DataFrame, rng: np.random.Generator, draws: int = 2000
) -> np.ndarray:
    """Equation (1) on groups drawn anew (Efron 1979), shape (draws, names, names); NaN where the act is in none.

    A group that talks under six rules has no six independent runs: those of one `repetition` are drawn together.
    """
    group = performed["repetition" if "repetition" in performed else "run"]
    cells = followed(performed).assign(occurs=True)
    names = cells.columns[:-1]
    sums = cells.groupby([group, performed["act"]]).sum()
    groups = group.unique()
    if len(groups) < 2:
        raise InvalidInput(f"{len(groups)} groups given; intervals need at least 2")
    every = pd.MultiIndex.from_product([groups, names])
    counts = sums.reindex(every, fill_value=0).to_numpy(dtype=float)
    times, _ = resampled([*groups], rng, draws)
    drawn = times @ counts.reshape(len(groups), -1)
    drawn = drawn.reshape(draws, len(names), -1)
    return over(drawn[..., :-1], drawn[..., -1:])


def leading(drawn: np.ndarray) -> np.ndarray:
    """Which edge is its source's most probable one, self-loops left out, in each draw; none where nothing follows."""
    size = drawn.shape[-1]
    p = np.nan_to_num(drawn) * ~np.eye(size, dtype=bool)
    return (np.arange(size) == p.argmax(axis=-1)[..., None]) & (p > 0)


def most_probable(
    p: pd.DataFrame,
    edges: int = 1,
    threshold: float = 0.0,
    drawn: np.ndarray | None = None,
) -> pd.DataFrame:
    """The most probable outgoing edges of each act, self-loops left out (Figures 4 to 6 show one for each).

    Columns source, target, probability, and with draws of `bootstrap` leads: in which share of them the edge is its
    source's most probable one.
    """
    table = pd.DataFrame(product(p.index, p.columns), columns=["source", "target"])
    table["probability"] = p.to_numpy().ravel()
    if drawn is not None:
        table["leads"] = leading(drawn).mean(axis=0).ravel()
    shown = (table["probability"] > 0) & (table["probability"] >= threshold)
    table = table[shown & (table["source"] != table["target"])]
    ranked = table.sort_values("probability", ascending=False, kind="stable")
    return ranked.groupby("source").head(edges).sort_index().reset_index(drop=True)
