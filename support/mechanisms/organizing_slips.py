"""What goes amiss on a day of organising: a reply that does not fit its form is noted and stands for nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, NamedTuple

from support.environments.seminar.views import Draft
from support.errors import InvalidInput, InvalidProposal, MalformedReply, NotSent
from support.mail.characters import hidden, shown_text
from support.play import FormatError

AMISS = (MalformedReply, InvalidInput, InvalidProposal, NotSent)

SUBJECT, BODY = 200, 5000
"""The longest subject and the longest mail, in characters; every mail stands in later prompts."""


class Asked(NamedTuple):
    """Something asked of a role: who, in which step, the call, and what stands for it if it goes amiss."""

    agent: str
    phase: str
    made: Awaitable[Any]
    instead: Any = None


class Slips:
    """The slips of one day. Errors of programs are raised; those of replies are kept here."""

    def __init__(self) -> None:
        self.errors: list[FormatError] = []

    def note(self, agent: str, phase: str, detail: str) -> None:
        """Keep one."""
        self.errors.append(FormatError(agent, phase, detail))

    async def ask(self, agent: str, phase: str, made: Awaitable[Any], instead: Any = None) -> Any:
        """The result of a call, or what stands for it."""
        try:
            return await made
        except AMISS as error:
            self.note(agent, phase, str(error))
            return instead

    async def together(self, asked: Sequence[Asked]) -> list[Any]:
        """The results of calls that do not wait for each other; results and slips in the order of asking."""
        found = await asyncio.gather(*(one.made for one in asked), return_exceptions=True)
        return [self._kept(one, result) for one, result in zip(asked, found, strict=True)]

    def _kept(self, one: Asked, result: Any) -> Any:
        if isinstance(result, AMISS):
            self.note(one.agent, one.phase, str(result))
            return one.instead
        if isinstance(result, BaseException):
            raise result
        return result


def checked_letter(what: str, subject: str, body: str) -> Draft:
    """Subject and body in their bounds, without blanks around and without characters that no screen shows.

    Raises
    ------
    InvalidInput
        When there is no body, or one of them is too long; it names `what`.
    """
    subject = " ".join("".join(c for c in " ".join(subject.split()) if not hidden(c)).split())
    body = shown_text(body).strip()
    if not body:
        raise InvalidInput(f"{what}: an empty body given; expected some text")
    for field, text, most in (("subject", subject, SUBJECT), ("body", body, BODY)):
        if len(text) > most:
            raise InvalidInput(f"{what}: a {field} of {len(text)} characters given; expected at most {most}")
    return Draft(subject, body)
