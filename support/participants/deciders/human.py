"""A participant who is a person: the seat waits on a queue of questions, which a widget (or a test) answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.environments.fair_decisions.views import COMPARISON, SCORE, Table
from support.errors import InvalidInput
from support.participants.deciders.numberless import checked_words
from support.participants.deciders.own import check_asked, own_gains
from support.records import Feedback, Plan
from support.seats import Question


@dataclass(frozen=True, slots=True)
class Asked:
    """What the person sees with a question: its name, the plans, and its own gains, shape (decisions, options).

    `round` counts the questions that this seat was asked, from 1.
    """

    me: str
    round: int
    feedback: str
    plans: tuple[Plan, ...]
    table: Table
    gains: np.ndarray = field(compare=False)


class HumanDecider:
    """A person with gains of its own; a question's `phase` is the kind of feedback, its `view` an `Asked`.

    Answers are a whole number (score), a text (words), or 0 or 1 for the preferred plan and None for a tie
    (comparison). A score is what the person says it is: nobody adds it up.

    Parameters
    ----------
    name : str
        One of the table's participants.
    table : Table
    gains : int array of shape (decisions, options)

    Raises
    ------
    InvalidInput
        On gains that do not fit the table.
    """

    kind = "human"

    def __init__(self, name: str, table: Table, gains: np.ndarray) -> None:
        self.name, self.table, self.gains = name, table, own_gains(name, table, gains)
        self.questions: asyncio.Queue[Question] = asyncio.Queue()
        self._asked = 0

    async def judge(self, plans: Sequence[Plan], feedback: str) -> Feedback:
        """What the person answers; an answer that does not fit is refused, and the question stays open."""
        check_asked(plans, feedback, self.table)
        if feedback == SCORE:
            return Feedback(self.name, score=await self._ask(plans, feedback, self._checked_score))
        if feedback == COMPARISON:
            prefers = await self._ask(plans, feedback, _checked_choice)
            return Feedback(self.name, prefers=prefers, alike=prefers is None)
        return Feedback(self.name, text=await self._ask(plans, feedback, lambda said: checked_words(said, self.table)))

    async def _ask(self, plans: Sequence[Plan], feedback: str, check: Callable[[Any], Any]) -> Any:
        self._asked += 1
        view = Asked(self.name, self._asked, feedback, tuple(plans), self.table, self.gains)
        question = Question(feedback, view, check)
        await self.questions.put(question)
        return await question.wait()

    def _checked_score(self, value: Any) -> int:
        """A whole number up to what the best plan is worth to the person."""
        most = int(self.gains.max(axis=1).sum())
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise InvalidInput(f"score: {value!r} given; expected a whole number from 0 to {most}, your best total")
        return value


def _checked_choice(value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or value not in (0, 1)):
        raise InvalidInput(f"prefers: {value!r} given; expected 0 or 1 for a plan, None if you like both alike")
    return None if value is None else int(value)
