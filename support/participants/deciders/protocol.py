"""A participant of a group decision: has gains that nobody else knows, and answers to plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from support.records.planning import Feedback, Plan


class Decider(Protocol):
    """Who takes part in the decision."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def judge(self, plans: Sequence[Plan], feedback: str) -> Feedback:
        """Answer to a plan, or compare two, in the kind of feedback that is asked for."""
