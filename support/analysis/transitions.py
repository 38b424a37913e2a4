"""Which dialogue act follows which across speakers: the transition graph (001, section 4.4, appendix C.6, equation 1).

In the paper's words p(A → B) is "the probability of the existence" of a transition: an occurrence of A counts once, when
*some* other agent performs B in the next round. The equation as printed counts every other agent who does. Start stands
before the first round, End after the last one that was played.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts import END, LABELS, START, checked_acts
from support.analysis.frames import need_columns
from support.analysis.stats import over, resampled
from support.errors import InvalidInput

NAMES = (START, *LABELS, END)
SIZE = len(NAMES)
SETTINGS = ("run", "environment", "rule", "seats", "participant", "repetition")
"""Columns of messages that do not change within a run."""


def steps(messages: pd.DataFrame, acts: str = "acts") -> pd.DataFrame:
    """A row for each act performed: how many other agents perform each act in the next round.

    `messages` have run, round, sender and tuples of labels in the column `acts`; an empty tuple performs nothing, and
    its round was still played. Columns: of `SETTINGS` what is there, round, sender, act, and those of `NAMES`.
    """
    need_columns(messages, ["run", "round", "sender", acts], "messages")
    checked_acts(messages[acts].explode().dropna())
    if messages["sender"].nunique() < 2:
        raise InvalidInput(
            "sender: one agent given; a transition leads from one speaker to another"
        )
    keys = [name for name in SETTINGS if name in messages]
    rows = []
    for about, talk in messages.groupby(keys, sort=False):
        performs = _performed(talk, acts)
        for (number, sender), given in performs.items():
            later = Counter[str]()
            for other in talk["sender"].unique():
                if other != sender:
                    later.update(performs.get((number + 1, other), ()))
            rows += [(*about, number, sender, act, later) for act in given - {END}]
    made = pd.DataFrame(rows, columns=[*keys, "round", "sender", "act", "later"])
    others = pd.DataFrame([*made.pop("later")], columns=list(NAMES))
    return made.join(others.fillna(0).astype(int))


def _performed(talk: pd.DataFrame, acts: str) -> dict[tuple[int, str], set[str]]:
    """What each agent performs in each round of a discussion; who says nothing at all has no Start and no End."""
    performs = {}
    for row in talk.to_dict("records"):
        performs[row["round"], row["sender"]] = set(row[acts])
    last = int(talk["round"].max())
    for sender in {who for (_, who), given in performs.items() if given}:
        performs[0, sender] = {START}
        performs[last + 1, sender] = {END}
    return performs


def probability(performed: pd.DataFrame) -> pd.DataFrame:
    """Equation (1) as the words read, of `steps`: rows are A, columns B; NaN where A never occurs."""
    exists = performed[list(NAMES)] > 0
    return exists.groupby(performed["act"]).mean().reindex(list(NAMES))


def frequency(performed: pd.DataFrame) -> pd.Series[float]:
    """Each act's share of all acts performed; Start has none."""
    acts = performed.loc[performed["act"] != START, "act"]
    return acts.value_counts(normalize=True).reindex(list(LABELS), fill_value=0.0)


# -- how sure --------------------------------------------------------------------------------------------------------


def bootstrap(
    performed: pd.DataFrame, rng: np.random.Generator, draws: int = 2000
) -> np.ndarray:
    """Equation (1) on groups drawn anew (Efron 1979), shape (draws, names, names); NaN where the act is in none.

    A group that talks under six rules has no six independent runs: those of one `repetition` are drawn together.
    """
    group = performed["repetition" if "repetition" in performed else "run"]
    cells = (performed[list(NAMES)] > 0).assign(occurs=True)
    sums = cells.groupby([group, performed["act"]]).sum()
    groups = group.unique()
    if len(groups) < 2:
        raise InvalidInput(f"{len(groups)} groups given; intervals need at least 2")
    every = pd.MultiIndex.from_product([groups, NAMES])
    counts = sums.reindex(every, fill_value=0).to_numpy(dtype=float)
    times, _ = resampled([*groups], rng, draws)
    drawn = (times @ counts.reshape(len(groups), -1)).reshape(draws, SIZE, SIZE + 1)
    return over(drawn[..., :-1], drawn[..., -1:])


def leading(drawn: np.ndarray) -> np.ndarray:
    """Which edge is its source's most probable one, self-loops left out, in each draw; none where nothing follows."""
    p = np.nan_to_num(drawn) * ~np.eye(SIZE, dtype=bool)
    return (np.arange(SIZE) == p.argmax(axis=-1)[..., None]) & (p > 0)


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
    table = pd.DataFrame(product(NAMES, NAMES), columns=["source", "target"])
    table["probability"] = p.to_numpy().ravel()
    if drawn is not None:
        table["leads"] = leading(drawn).mean(axis=0).ravel()
    shown = (table["probability"] > 0) & (table["probability"] >= threshold)
    table = table[shown & (table["source"] != table["target"])]
    ranked = table.sort_values("probability", ascending=False, kind="stable")
    return ranked.groupby("source").head(edges).sort_index().reset_index(drop=True)
