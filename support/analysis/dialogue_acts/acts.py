"""The ten dialogue acts of RoundTable and Others (appendix C.5), and messages coded by them as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.errors import InvalidInput

ACTS = ("inform", "request", "confirm", "summarize", "evaluate", "propose", "compromise", "defend", "accept", "decline")
OTHERS = "others"
LABELS = (*ACTS, OTHERS)
START, END = "start", "end"

MEANINGS: Mapping[str, str] = {
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
"""What each label means, in our words; annotators, people and models, get these."""


@dataclass(frozen=True)
class Coded:
    """Acts of many discussions as one array, the form on which transitions and stopping rules compute.

    Attributes
    ----------
    values : bool array, shape (runs, rounds, agents, labels)
        Whether the agent's message of that round performs the act; False where nothing was said.
    played : int array, shape (runs,)
        How many rounds each run has; later rounds are all False.
    runs : DataFrame
        One row per run, in the order of `values`: run, and the columns that are constant within it.
    agents, labels : tuple of str
        Names along the last two axes.
    """

    values: np.ndarray
    played: np.ndarray
    runs: pd.DataFrame
    agents: tuple[str, ...]
    labels: tuple[str, ...] = LABELS


def checked_acts(acts: Iterable[str]) -> tuple[str, ...]:
    """Labels in the order of `LABELS`, each once; a message without any performs "others".

    >>> checked_acts(["propose", "inform", "propose"])
    ('inform', 'propose')
    """
    given = set(acts)
    unknown = sorted(given - set(LABELS))
    if unknown:
        raise InvalidInput(f"acts: {unknown[0]!r} given; expected some of {', '.join(LABELS)}")
    return tuple(label for label in LABELS if label in given) or (OTHERS,)


def code(messages: pd.DataFrame, acts: str = "acts", *, played: Mapping[int, int] | None = None) -> Coded:
    """Arrange labelled messages as an array.

    Parameters
    ----------
    messages : DataFrame
        As `support.analysis.conversation.messages_of` gives it: run, round (1, 2, …), sender, and the column
        `acts`, whose cells are tuples of labels.
    acts : str
        The column that holds the labels: one column for each annotator. An empty tuple, a message that could not be
        labelled, performs nothing.
    played : mapping of run to rounds, optional
        Where a run's last rounds have no message at all; by default the last round with a message.

    Raises
    ------
    InvalidInput
        On an empty frame, a column that is missing or an unknown label.
    """
    need_columns(messages, ["run", "round", "sender", acts], "messages")
    if messages.empty:
        raise InvalidInput("messages: none given; acts need at least one message")
    agents = tuple(dict.fromkeys(messages["sender"]))
    ids = {run: i for i, run in enumerate(dict.fromkeys(messages["run"]))}
    last = messages.groupby("run", sort=False)["round"].max()
    lengths = np.array([max(int(last[run]), (played or {}).get(run, 0)) for run in ids])
    values = np.zeros((len(ids), int(lengths.max()), len(agents), len(LABELS)), dtype=bool)
    place, column = {a: i for i, a in enumerate(agents)}, {label: i for i, label in enumerate(LABELS)}
    for run, number, sender, labels in zip(
        messages["run"], messages["round"], messages["sender"], messages[acts], strict=True
    ):
        for label in checked_acts(labels) if len(labels) else ():  # nobody could label it: no act, not "others"
            values[ids[run], number - 1, place[sender], column[label]] = True
    constant = [
        c for c in messages.columns if c not in (acts, "round", "sender", "text", "acts", "recipients", "words")
    ]
    return Coded(values, lengths, messages.drop_duplicates("run")[constant].reset_index(drop=True), agents)
