"""A coordination played by rules, models or people, in one line."""

import asyncio

import numpy as np
import pytest

from support.meetings.study import meeting_coordination
from support.seats import people


@pytest.fixture(scope="session")
def play():
    """Plays `meeting_coordination`; `group` is which of the groups, `seed` of the draws."""

    def played(seed=1, group=0, **settings):
        rng = np.random.default_rng([seed, group])
        return asyncio.run(meeting_coordination(rng, repetition=group, **settings))

    return played


@pytest.fixture
def asked():
    """Plays with people, who answer what a function says of each question."""

    def played(answer, group=0, **settings):
        questions = []

        async def run():
            queue = asyncio.Queue()
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
