"""A function in the place of the person at the desk, so that days play by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from support.errors import InvalidInput, Silent
from support.seats import Question
from support.seminar.records import Day
from support.seminars.seminar import Seminar

Answer = Callable[[Question], Mapping[str, Any] | None]


def approves(question: Question) -> Mapping[str, Any] | None:
    """All that is shown may go as it is; no question is decided, and nothing is read."""
    return {"review": {}, "decide": {"answer": ""}}.get(question.phase)


class Answers(asyncio.Queue[Question]):
    """A function answers every question at once, with a reply in its form, or None to
    pass it over; what it raises ends the day, which can be taken up again."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer

    async def put(self, question: Question) -> None:
        """Answer it."""
        given = self.answer(question)
        if given is None:
            question.pass_over(Silent("it was passed over"))
            return
        try:
            question.answer(given)
        except InvalidInput as error:  # a fault of the function, and nobody's silence
            raise TypeError(f"{question.phase}: {given!r} given; {error}") from error


async def play_days(
    seminar: Seminar, count: int | None = None, answer: Answer = approves
) -> list[Day]:
    """Play so many days more, or all; the finished days. InvalidInput where mail is real:
    a person approves that."""
    await seminar.open(Answers(answer))
    until = None if count is None else len(seminar.finished) + count
    while not seminar.over and len(seminar.finished) != until:
        await seminar.play()
    return seminar.finished
