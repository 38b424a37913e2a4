"""A fitted rule at the table: the same computation on the rounds so far, asked after each round.

roundtable(environment, seats, rule, stop=live(fitted, encoder))
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from support.analysis.stopping.building import speech, votes
from support.analysis.stopping.rules import Fitted, Oracle
from support.analysis.stopping.study import Study
from support.errors import InvalidInput
from support.roundtable.records import Round

if TYPE_CHECKING:
    from support.analysis.dialogue_acts.annotators import Annotator
    from support.analysis.embeddings import Encoder


class Live:
    """Says after each round whether to stop there; `name` goes into the settings of the transcript."""

    def __init__(self, fitted: Fitted, encoder: Encoder | None, annotator: Annotator | None) -> None:
        self.fitted, self.encoder, self.annotator, self.name = fitted, encoder, annotator, fitted.name

    def __call__(self, rounds: tuple[Round, ...]) -> bool | Awaitable[bool]:
        """Whether the signal is present in the last of `rounds`; to be awaited where there is an annotator."""
        messages = _messages(rounds)
        if self.annotator is None or messages.empty:
            return self._signal(rounds, messages)
        return self._annotated(rounds, messages, self.annotator)

    async def _annotated(self, rounds: tuple[Round, ...], messages: pd.DataFrame, annotator: Annotator) -> bool:
        labels = pd.Series(await annotator.label(messages), index=messages.index, dtype=object)
        return self._signal(rounds, messages.assign(acts=labels))

    def _signal(self, rounds: tuple[Round, ...], messages: pd.DataFrame) -> bool:
        shape = (1, len(rounds))
        unknown = np.full(shape, np.nan)  # nobody knows the performance while the discussion goes on
        layers = votes([rounds], shape) | speech(messages, shape, encoder=self.encoder)
        return bool(self.fitted.fires(Study(unknown, np.array([len(rounds)]), **layers))[0, -1])


def live(fitted: Fitted, encoder: Encoder | None = None, annotator: Annotator | None = None) -> Live:
    """The rule as `roundtable(..., stop=...)` takes it: a pure function of the finished rounds.

    Parameters
    ----------
    fitted : Fitted
        Any rule but the Oracle, which would have to know rounds that are not played yet.
    encoder : Encoder, optional
        Needed where the information difference is looked at; the one that the rule was fitted with.
    annotator : Annotator, optional
        Labels the messages; by default the acts that rule-based senders carry. Take the one that the rule was
        fitted with.

    Raises
    ------
    InvalidInput
        For the Oracle, and for an Ensemble that it is a member of.
    """
    if any(isinstance(one, Oracle) for one in (fitted, *getattr(fitted, "members", ()))):
        raise InvalidInput("fitted: the Oracle looks at rounds that are not played yet; it cannot be asked live")
    return Live(fitted, encoder, annotator)


def _messages(rounds: tuple[Round, ...]) -> pd.DataFrame:
    rows = [(0, r.number, m.sender, m.text, m.acts) for r in rounds for m in r.messages]
    return pd.DataFrame(rows, columns=["run", "round", "sender", "text", "acts"])
