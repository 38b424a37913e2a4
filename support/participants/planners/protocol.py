"""The coordinator of a group decision: proposes a plan, or two to compare, and may stop."""

from __future__ import annotations

from typing import Protocol

from support.environments.fair_decisions.views import Brief, Move


class Planner(Protocol):
    """Who proposes. One planner serves one search, and may remember what it did."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def propose(self, brief: Brief) -> Move:
        """The next plans, none of them known yet where that is possible; or the plan to end with."""
