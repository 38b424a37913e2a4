"""Seminars to play in tests: their setups, and whoever sits at the desk."""

import asyncio

from support.seminar.data import scenario
from support.seminar.desk import Artefacts, load_past, load_templates
from support.seminar.policies import load_policies
from support.seminar.review import AUTOMATIC
from support.seminars.answering import Answers, approves
from support.seminars.setup import SeminarSetup


def setup_of(name="four", **settings):
    artefacts = Artefacts(load_policies("seed"), load_templates())
    given = {"people": "prompt", "delegation": AUTOMATIC, "seed": 3} | settings
    programme = {
        "scenario": scenario(name),
        "artefacts": artefacts,
        "past": load_past(),
    }
    return SeminarSetup.made(programme | given)


async def answered(seminar, answer=lambda question: None):
    """Play a day, whatever its mail; `answer` gives what is said to each question, None
    to approve what is shown, to leave a flag open and a reply unread."""

    def said(question):
        given = answer(question)
        return approves(question) if given is None else given

    async def person():
        while True:
            await Answers(said).put(await seminar.questions.get())

    await seminar.open()
    sitting, day = map(asyncio.ensure_future, (person(), seminar.play()))
    await asyncio.wait((sitting, day), return_when=asyncio.FIRST_COMPLETED)
    sitting.cancel()
    if not day.done():
        day.cancel()
        return await sitting
    return await day
