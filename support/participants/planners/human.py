"""A coordinator who is a person: the seat waits on a queue of questions, which a widget (or a test) answers."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from support.environments.fair_decisions.views import Brief, Move
from support.participants.planners.known import checked_move
from support.seats import Question


class HumanPlanner:
    """A person who proposes; a question's `view` is the `Brief`, its answer a `Move`.

    A move that is not allowed (a known plan, a stop with an unknown one) is refused, and the question stays open.
    """

    kind = "human"

    def __init__(self) -> None:
        self.questions: asyncio.Queue[Question] = asyncio.Queue()

    async def propose(self, brief: Brief) -> Move:
        """What the person proposes, or the known plan to end with."""
        view: Any = brief
        question = Question("propose", view, partial(checked_move, brief))
        await self.questions.put(question)
        move: Move = await question.wait()
        return move
