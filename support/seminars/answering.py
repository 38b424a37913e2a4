"""A function in the place of the person at the desk, so that days play by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from support.errors import InvalidInput
from support.seats import Question
from support.seminar.records import Day
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE

Answer = Callable[[Question], Mapping[str, Any] | None]


def approves(question: Question) -> Mapping[str, Any] | None:
    """All that is shown may go as it is; no question is decided, and nothing is read."""
    return {"review": {}, "decide": {"answer": ""}}.get(question.phase)


async def play_days(
    seminar: Seminar, count: int | None = None, answer: Answer = approves
) -> list[Day]:
    """Play so many days more, or all; the finished days. A function answers each question
    with a reply in its form, or None to pass it over; what it raises ends the day, which
    can be taken up again. InvalidInput where mail is real: a person approves that."""
    if seminar.setup.mode == LIVE:
        raise InvalidInput("answer: a function given; a person approves live mail")
    await seminar.open()
    until = None if count is None else len(seminar.finished) + count
    while not seminar.over and len(seminar.finished) != until:
        await answered(seminar, answer)
    return seminar.finished


async def answered(seminar: Seminar, answer: Answer) -> Day:
    """A day at which a function sits at the desk, whatever its mail."""

    async def sit() -> Any:
        while True:
            question = await seminar.questions.get()
            given = answer(question)
            if given is None:
                question.pass_over("it was passed over")
            else:
                question.answer(given)

    tasks = playing, _ = (
        asyncio.ensure_future(seminar.play()),
        asyncio.ensure_future(sit()),
    )
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        day: Day = (playing if playing in done else done.pop()).result()
        return day
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
