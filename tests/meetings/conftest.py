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


@pytest.fixture(scope="session")
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
            rng = np.random.default_rng(1)
            with people(queue):
                study = meeting_coordination(rng, repetition=group, **settings)
                playing = asyncio.ensure_future(study)
                while not playing.done():
                    getting = asyncio.ensure_future(queue.get())
                    both = {playing, getting}
                    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                    if getting.done():
                        questions.append(getting.result())
                        questions[-1].answer(answer(questions[-1]))
                getting.cancel()
            return playing.result()

        return asyncio.run(run()), questions

    return played
