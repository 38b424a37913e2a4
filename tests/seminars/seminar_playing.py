"""Seminars to play in tests: their setups, and whoever sits at the desk."""

import asyncio
from contextlib import suppress

from support.seminar.artefacts import Artefacts, load_past, load_templates
from support.seminar.checkpoints import AUTOMATIC
from support.seminar.data import scenario
from support.seminar.reviewing import FLAG
from support.seminar.rules import load_policies
from support.seminar.views import APPROVE, Review
from support.seminars.setup import SeminarSetup

PROMPT = "prompt"


def setup_of(name="four", **settings):
    artefacts = Artefacts(load_policies("seed"), load_templates())
    given = {"people": PROMPT, "delegation": AUTOMATIC, "seed": 3} | settings
    return SeminarSetup(scenario(name), artefacts, load_past(), **given)


async def answered(seminar, answer=lambda question: None):
    """Play a day; `answer` gives what is said to each question (None: approve, or leave a flag open)."""
    task = asyncio.ensure_future(seminar.play())
    try:
        while not task.done():
            asked = asyncio.ensure_future(seminar.questions.get())
            await asyncio.wait({asked, task}, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                asked.cancel()
                break
            question = asked.result()
            said = answer(question)
            question.answer(said if said is not None else "" if question.phase == FLAG else Review(APPROVE))
        return await task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task
