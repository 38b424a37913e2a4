"""A person in every role of every study, by the name "human": here one who answers at once, by a script."""

import asyncio

import numpy as np
import pytest

from support import seats
from support.fair_decisions.study import fair_decisions
from support.roundtable.study import roundtable_exchange

ROUND = {"rounds": 2}
PLAN = {**ROUND, "decisions": 3, "options": 2, "feedback": "score"}


def vote(view):
    ids = [candidate.id for candidate in view.candidates]
    return {
        "vote": ids[0],
        "ranking": ids,
        "ratings": dict.fromkeys(ids, 3),
        "points": {ids[0]: len(ids)},
    }[view.form]


def worth(table):
    one = {"chosen": [30, 40, 50], "others": []}
    return dict.fromkeys(table.participants, one)


HALF = {"A": 50, "B": 50}
TABLE = {
    "message": lambda view: {"target": view.others, "message": "Shall we share?"},
    "propose": lambda view: {"proposal": dict.fromkeys(("Ana", "Ben"), HALF)},
    "vote": lambda view: {view.form: vote(view)},
}


@pytest.mark.parametrize(
    ("study", "settings", "answers"),
    [
        (
            roundtable_exchange,
            {**ROUND, "rule": "ranked", "agents": 2, "seats": "human"},
            TABLE,
        ),
        (
            fair_decisions,
            {**PLAN, "estimator": "human", "solver": "exact"},
            {"estimate": worth},
        ),
    ],
)
def test_a_person_takes_the_role(study, settings, answers):
    asked = set()

    async def play():
        questions = asyncio.Queue()

        async def sit():
            while True:
                question = await questions.get()
                asked.add(question.phase)
                view = question.view[0] if question.form else question.view
                question.answer(answers[question.phase](view))

        answering = asyncio.ensure_future(sit())
        with seats.people(questions):
            playing = asyncio.ensure_future(study(np.random.default_rng(1), **settings))
        await asyncio.wait(
            [playing, answering], timeout=60, return_when=asyncio.FIRST_COMPLETED
        )
        answering.cancel()
        return await playing if playing.done() else answering.result()

    record = asyncio.run(play())
    assert asked == set(answers)
    assert "human" in record.seats.values()
    assert len(record.rounds) == 2 and not any(
        entry.format_errors for entry in record.rounds
    )
