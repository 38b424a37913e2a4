"""A person at the desk: the seat waits on a queue of questions, which a widget (or a test) answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from support.environments.seminar.views import DayPlan, Desk, Draft, Review
from support.participants.reviewers.checking import checked_answer, checked_item, checked_review
from support.records.organizing import Action, Flag
from support.seats import Question

FLAG = "flag"
"""The phase of a question about a flag; the others are those of `records.organizing.REVIEWED`."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the person sees with a question: the desk, and the plan, action, mail or flag. `round` is the day."""

    desk: Desk
    item: DayPlan | Action | Draft | Flag
    about: str = ""

    @property
    def round(self) -> int:
        """The day of the run."""
        return self.desk.day


class HumanReviewer:
    """A person who reviews; a question's `phase` is "plan", "action", "mail" or "flag", its `view` a `Shown`.

    The answer is a `Review`; to a flag it is a text, and "" leaves the flag open. What does not fit is refused with a
    reason, and the question stays open.
    """

    kind = "human"

    def __init__(self) -> None:
        self.questions: asyncio.Queue[Question] = asyncio.Queue()

    async def review(self, desk: Desk, what: str, item: DayPlan | Action | Draft, about: str = "") -> Review:
        """What the person does with it."""
        shown = Shown(desk, checked_item(what, item), about)
        review: Review = await self._ask(what, shown, partial(checked_review, desk, what, item))
        return review

    async def decide(self, desk: Desk, flag: Flag) -> str:
        """What the person decides."""
        return str(await self._ask(FLAG, Shown(desk, flag, flag.person), checked_answer))

    async def _ask(self, phase: str, view: Any, check: Callable[[Any], Any]) -> Any:
        question = Question(phase, view, check)
        await self.questions.put(question)
        return await question.wait()
