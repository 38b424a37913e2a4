"""The person at the desk, or who stands in for them."""

from __future__ import annotations

from typing import Protocol

from support.environments.seminar.views import DayPlan, Desk, Draft, Review
from support.records.organizing import Action, Flag


class Reviewer(Protocol):
    """Who may approve, change, have made again, or remove what the organiser proposes."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def review(self, desk: Desk, what: str, item: DayPlan | Action | Draft, about: str = "") -> Review:
        """What to do with a plan, an action or a mail (`what` is one of `records.organizing.REVIEWED`)."""

    async def decide(self, desk: Desk, flag: Flag) -> str:
        """The answer to a flag's question, in words; "" leaves it open."""
