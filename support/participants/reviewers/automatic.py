"""Nobody at the desk: everything is approved, and flags are answered as was said beforehand, or not at all."""

from __future__ import annotations

from collections.abc import Mapping

from support.environments.seminar.views import APPROVE, DayPlan, Desk, Draft, Review
from support.records.organizing import Action, Flag


class Automatic:
    """Approves all; decides nothing, except where an answer was given for a topic.

    Parameters
    ----------
    answers : mapping of str to str, optional
        Answers by topic: the answer of the first topic that stands in a flag's question, small letters or capitals.
    """

    kind = "automatic"

    def __init__(self, answers: Mapping[str, str] | None = None) -> None:
        self.answers = dict(answers or {})

    async def review(self, desk: Desk, what: str, item: DayPlan | Action | Draft, about: str = "") -> Review:
        """Approved."""
        return Review(APPROVE)

    async def decide(self, desk: Desk, flag: Flag) -> str:
        """The answer that was given for the flag's topic; "" leaves it open."""
        question = flag.question.casefold()
        return next((answer for topic, answer in self.answers.items() if topic.casefold() in question), "")
