"""The organiser: every step of a day is one method, so that a person can look at each before the next."""

from __future__ import annotations

from typing import Protocol

from support.environments.seminar.views import DayPlan, Desk, Draft
from support.records.organizing import Action, Edit, Mail, Understood


class Organizer(Protocol):
    """Who organises. `wish` is what the person at the desk says when something is to be made again."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def read(self, desk: Desk, mail: Mail) -> Understood:
        """What a reply says about dates."""

    async def progress(self, desk: Desk) -> str:
        """Who was reached when, which dates are filled and open, who is pending."""

    async def select(self, desk: Desk, progress: str) -> tuple[str, ...]:
        """Ids of the policies that apply today."""

    async def plan(self, desk: Desk, progress: str, selected: tuple[str, ...], wish: str = "") -> DayPlan:
        """What to do today, and why, in about forty words."""

    async def act(self, desk: Desk, plan: DayPlan, selected: tuple[str, ...], wish: str = "") -> tuple[Action, ...]:
        """The plan as actions, at most one for a person."""

    async def draft(self, desk: Desk, action: Action, wish: str = "") -> Draft:
        """The mail of an action that is not to wait."""

    async def describe(self, desk: Desk, edit: Edit) -> str:
        """One sentence that says what the person at the desk changed, to be remembered."""

    async def close(self, desk: Desk) -> str:
        """The day in about forty words."""
