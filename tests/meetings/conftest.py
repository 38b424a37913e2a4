"""A coordination played by rules, models or people, in one line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.meetings.records import Coordination
from support.meetings.study import meeting_coordination
from support.seats import Question, people


@pytest.fixture
def play() -> Callable[..., Coordination]:
    """Plays `meeting_coordination`; `group` is which of the groups, `seed` of the draws."""

    def played(seed: int = 1, group: int = 0, **settings: Any) -> Coordination:
        rng = np.random.default_rng([seed, group])
        return asyncio.run(meeting_coordination(rng, repetition=group, **settings))

    return played


@pytest.fixture
def asked() -> Callable[..., tuple[Coordination, list[Question]]]:
    """Plays with people, who answer what a function says of each question."""

    def played(
        answer: Callable[[Question], Any], group: int = 0, **settings: Any
    ) -> tuple[Coordination, list[Question]]:
        questions: list[Question] = []

        async def run() -> Coordination:
            queue: asyncio.Queue[Question] = asyncio.Queue()

            async def answering() -> None:
                while True:
                    question = await queue.get()
                    questions.append(question)
                    question.answer(answer(question))

            rng = np.random.default_rng(1)
            with people(queue):
                task = asyncio.ensure_future(answering())
                study = meeting_coordination(rng, repetition=group, **settings)
                done, _ = await asyncio.wait(
                    [asyncio.ensure_future(study), task],
                    return_when=asyncio.FIRST_COMPLETED,
                )
            task.cancel()
            return done.pop().result()

        return asyncio.run(run()), questions

    return played
