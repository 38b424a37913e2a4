"""Questions about the mail log in plain language, such as "What did Tarrant say last?"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from support.environments.seminar.views import Desk


@dataclass(frozen=True, slots=True)
class Told:
    """An answer, and the ids of the mails that it rests on; none where the log says nothing about it."""

    text: str
    mails: tuple[int, ...] = ()


class Answerer(Protocol):
    """Who is asked about the log."""

    @property
    def kind(self) -> str:
        """Which kind answers, for whoever reads it."""

    async def answer(self, question: str, desk: Desk) -> Told:
        """The answer from the mails on the desk, and from nothing else."""
