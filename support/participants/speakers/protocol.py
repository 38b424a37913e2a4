"""Somebody who was invited: answers, asks, or waits."""

from __future__ import annotations

from typing import Protocol

from support.environments.seminar.views import Letter, Response


class Speaker(Protocol):
    """Who gets mail from the organiser. One speaker serves one run, and may remember what was said."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def answer(self, letter: Letter) -> Response:
        """What they do about the latest mail of the thread, on the day on which they read it.

        Asked again on the day that an earlier response named (`until`), with the same thread or a longer one.
        """
