"""Annotators: messages in, the dialogue acts of each out. One protocol, whoever labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import pandas as pd

from support.analysis.dialogue_acts.acts import LABELS, OTHERS, checked_acts
from support.analysis.frames import need_columns
from support.errors import InvalidInput

Labels = tuple[str, ...]
"""The acts of one message in the order of `LABELS`; empty when the annotator could not label it."""


class Annotator(Protocol):
    """Whoever labels messages.

    `name` heads its column and its curve. `covered` are the labels that it can give at all: the others are not absent
    from the messages, it cannot see them. `problems` says of the latest call which messages it could not label (their
    place) and why.
    """

    name: str
    covered: Labels
    problems: dict[int, str]

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """The acts of each message of a frame as `support.analysis.conversation.messages_of` gives it."""


class TrueActs:
    """The acts that rule-based senders say they perform: true by construction, of their templates only."""

    name = "true acts"
    covered: Labels = LABELS

    def __init__(self) -> None:
        self.problems: dict[int, str] = {}

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """Read the column acts; a message whose sender does not know its acts is a problem, and stays unlabelled."""
        need_columns(messages, ["acts"], "messages")
        given = list(messages["acts"])
        self.problems = {i: "its sender does not say what it does" for i, acts in enumerate(given) if not len(acts)}
        return [checked_acts(acts) if len(acts) else () for acts in given]


async def annotate(messages: pd.DataFrame, annotators: Sequence[Annotator]) -> pd.DataFrame:
    """The messages with one more column of labels for each annotator, under its name.

    Raises
    ------
    InvalidInput
        When two annotators have one name, or the frame has no messages.
    """
    need_columns(messages, ["text"], "messages")
    names = [annotator.name for annotator in annotators]
    taken = sorted({n for n in names if names.count(n) > 1 or n in messages.columns})
    if taken:
        raise InvalidInput(
            f"annotators: {taken[0]!r} is there twice, or is a column already; give each a name of its own"
        )
    made = messages.copy()
    for annotator in annotators:
        made[annotator.name] = pd.Series(await annotator.label(messages), index=messages.index, dtype=object)
    return made


def union(labels: Iterable[str]) -> Labels:
    """How the labels of segments become those of a message: all acts that any performs; "others" when none does any.

    >>> union(["others", "request", "inform"]), union(["others"])
    (('inform', 'request'), ('others',))
    """
    return checked_acts(set(labels) - {OTHERS})
