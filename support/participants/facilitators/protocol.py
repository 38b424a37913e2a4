"""Who facilitates: the interviewer (intent extraction), the coordinator and the evaluator of section 3.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from support.environments.meetings.meeting import Meeting
from support.environments.meetings.views import Brief, Chat, Intent, Remark, Suggestion
from support.records import Option, Score


class Interviewer(Protocol):
    """Talks with one member in private and restates what it heard."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def ask(self, chat: Chat) -> Remark:
        """What to say next; in round 1 about preferences, later about the options."""

    async def extract(self, chat: Chat) -> Intent:
        """The member's preferences, restated compactly; nothing that was not said."""


class Coordinator(Protocol):
    """Proposes options from what was extracted."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def propose(self, brief: Brief) -> Sequence[Suggestion]:
        """At most K options; from round 2 on the candidate is the first of them."""


class Evaluator(Protocol):
    """Scores every option for every member, 0 to 3, on what was extracted."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def score(
        self, meeting: Meeting, options: Sequence[Option], intents: Mapping[str, Intent], round: int
    ) -> Sequence[Score]:
        """One score for each option and member."""
