"""Dialogue acts (001, section 4.3, appendix C.5): what they are, how people's labels map to them, and labelled talk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
import pandas as pd

from support.corpora import ami
from support.data import inputs
from support.errors import InvalidInput

Scheme = Mapping[str, str]

MEANINGS: Scheme = {
    "inform": "gives a fact that the others did not have",
    "request": "asks for a fact or an opinion that the speaker lacks",
    "confirm": "asks whether something already said or agreed is right",
    "summarize": "gathers the main points of what was said so far",
    "evaluate": "judges or weighs information or an offer",
    "propose": "brings a new solution to the table",
    "compromise": "offers a middle way that takes in what several sides want",
    "defend": "holds on to an idea after it was considered or challenged",
    "accept": "agrees to an idea or a solution",
    "decline": "refuses an idea or a solution, or disagrees with it",
    "others": "none of these: small talk, noise, an unfinished phrase",
}
"""What each label means, in our words; annotators, people and models, get these.

A scheme of one's own is such a mapping, too; its last label is for what performs none of the others.
"""
LABELS = tuple(MEANINGS)
OTHERS = "others"
START = "start"

Labels = tuple[str, ...]
"""The acts of one message in the order of its scheme; empty when nobody could label it."""

FOLDER = "dialogue_acts"
LEARNT, HELD_OUT = ("one", "two", "three"), "four"
"""Authors of labelled sentences: those that annotators learn from, and the one that none does."""
SUMMARY = "solution_summary"
"""DeliData's additional label that we take for summarize, beside the act of the message."""


def checked_acts(acts: Iterable[str], labels: Iterable[str] = LABELS) -> Labels:
    """Labels in the order of a scheme, each once; a message without any performs its last one.

    >>> checked_acts(["propose", "inform", "propose"])
    ('inform', 'propose')
    """
    given = set(acts)
    scheme = tuple(labels)
    if unknown := sorted(given - set(scheme)):
        expected = ", ".join(scheme)
        raise InvalidInput(f"acts: {unknown[0]!r} given; expected some of {expected}")
    return tuple(label for label in scheme if label in given) or scheme[-1:]


def union(acts: Iterable[str], labels: Iterable[str] = LABELS) -> Labels:
    """How the acts of sentences become those of a message: all that any performs; the scheme's last when none does any.

    >>> union(["others", "request", "inform"]), union(["others"])
    (('inform', 'request'), ('others',))
    """
    *_, rest = labels
    return checked_acts(set(acts) - {rest}, labels)


def indicators(labels: Iterable[Labels], acts: Sequence[str] = LABELS) -> np.ndarray:
    """Whether each message performs each act, bool of shape (messages, acts)."""
    rows = [[act in given for act in acts] for given in labels]
    return np.array(rows, dtype=bool).reshape(-1, len(acts))


class Annotator(Protocol):
    """Whoever labels messages; `unseen` are the acts that it cannot tell."""

    name: str
    unseen: Labels

    async def label(
        self,
        messages: pd.DataFrame,
        talk: pd.DataFrame | None = None,
    ) -> list[Labels]:
        """The acts of each message (run, round, sender, text), which `talk` holds among all others."""


# -- labelled talk ---------------------------------------------------------------------------------------------------


def authors() -> pd.DataFrame:
    """Sentences of agents' talk and their acts by four authors (data/inputs/dialogue_acts/README.md).

    Columns text, acts, environment, run (the author).
    """
    parts = []
    for author in (*LEARNT, HELD_OUT):
        part = pd.read_json(inputs(FOLDER, f"{author}.jsonl"), lines=True)
        parts.append(part.assign(run=author, acts=part["acts"].map(checked_acts)))
    return pd.concat(parts, ignore_index=True)


def bridge(corpus: str) -> pd.DataFrame:
    """What the labels of "ami" or "delidata" mean as our acts: label, act ("" for none), why."""
    table = pd.read_csv(inputs(FOLDER, "bridges.csv"), keep_default_na=False)
    return table[table["corpus"] == corpus].drop(columns="corpus")


def acts_of_delidata(messages: pd.DataFrame) -> list[Labels]:
    """The acts that DeliData's labels (kind, target, additional) tell of; an empty tuple where they tell of none."""
    acts = bridge("delidata").set_index("label")["act"]
    first = (messages["kind"] + "/" + messages["target"]).map(acts)
    sums = messages["additional"].str.split(",").map(lambda names: SUMMARY in names)
    pairs = zip(np.where(sums, "summarize", ""), first, strict=True)
    return [tuple(filter(None, pair)) for pair in pairs]


def labelled_ami() -> tuple[pd.DataFrame, pd.DataFrame]:
    """AMI's segments with our acts (tuples of one): those of the training teams, and those that no training sees.

    To the columns of `corpora.ami` come acts, and run: the team (ES2002 meets as ES2002a, ES2002b, …). Every fourth
    team is set apart whole, for people meet several times.
    """
    segments = ami()
    acts = bridge("ami").set_index("label")["act"]
    given = segments["label"].map(acts).map(lambda act: (act,))
    team = segments["meeting"].str.rstrip("abcd")
    segments = segments.assign(run=team, acts=given)
    unseen = team.str[-2:].astype(int) % 4 == 3
    seen = segments[~unseen]
    apart = segments[unseen]
    return seen.reset_index(drop=True), apart.reset_index(drop=True)
