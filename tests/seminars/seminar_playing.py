"""Seminars to play in tests: their setups, and whoever sits at the desk."""

from support.seminar.artefacts import Artefacts, load_past, load_templates
from support.seminar.checkpoints import AUTOMATIC
from support.seminar.data import scenario
from support.seminar.rules import load_policies
from support.seminars.answering import approves, played_day
from support.seminars.setup import SeminarSetup

PROMPT = "prompt"


def setup_of(name="four", **settings):
    artefacts = Artefacts(load_policies("seed"), load_templates())
    given = {"people": PROMPT, "delegation": AUTOMATIC, "seed": 3} | settings
    return SeminarSetup(scenario(name), artefacts, load_past(), **given)


async def answered(seminar, answer=lambda question: None):
    """Play a day; `answer` gives what is said to each question (None: approve, or leave a flag open)."""

    def said(question):
        found = answer(question)
        return approves(question) if found is None else found

    return await played_day(seminar, said)
