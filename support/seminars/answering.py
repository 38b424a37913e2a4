"""A function at the desk of a seminar, so that its days play by themselves: for notebooks and studies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NoReturn

from support.errors import InvalidInput
from support.seats import Question
from support.seminar.records import OrganizingDay
from support.seminar.reviewing import FLAG
from support.seminar.views import APPROVE, Review
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE

Answer = Callable[[Question], Any]


def approves(question: Question) -> Review | str:
    """Whatever is shown may go as it is; a flag stays open."""
    return "" if question.phase == FLAG else Review(APPROVE)


async def play_day(seminar: Seminar, answer: Answer = approves) -> OrganizingDay:
    """Play a day; a function answers every question with a `Review`, or a text where its phase is "flag".

    What it raises ends the day there, and it can be taken up again. InvalidInput when the seminar's mail is real.
    """
    if seminar.setup.mode == LIVE:
        raise InvalidInput(
            "answer: a function given for a live seminar; a person at the desk approves its mails"
        )
    return await played_day(seminar, answer)


async def played_day(seminar: Seminar, answer: Answer) -> OrganizingDay:
    """The same, whatever the mail: for a function that stands for the person."""
    tasks = playing, answering = (
        asyncio.ensure_future(seminar.play()),
        asyncio.ensure_future(_answer(seminar, answer)),
    )
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return answering.result() if answering.done() else playing.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answer(seminar: Seminar, answer: Answer) -> NoReturn:
    while True:
        question = await seminar.questions.get()
        question.answer(answer(question))


async def play_days(
    seminar: Seminar, count: int | None = None, answer: Answer = approves
) -> list[OrganizingDay]:
    """Play so many days more, or all; the days that are finished then. InvalidInput as `play_day`."""
    await seminar.open()
    until = None if count is None else len(seminar.finished) + count
    while not seminar.over and len(seminar.finished) != until:
        await play_day(seminar, answer)
    return seminar.finished
