"""A member of the meeting: answers what the coordinating system asks in private."""

from __future__ import annotations

from typing import Protocol

from support.environments.meetings.views import Chat


class Member(Protocol):
    """Who is to meet, and has preferences that nobody else knows."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def answer(self, chat: Chat) -> str:
        """What the member says to the last turn of the conversation."""
