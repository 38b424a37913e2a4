"""Liking two plans alike is an answer: it reaches the record, the export and the estimator; silence does not."""

import asyncio
from types import SimpleNamespace

import numpy as np

from support.environments.fair_decisions.problem import FairDecisions
from support.environments.fair_decisions.views import Move
from support.errors import MalformedReply
from support.mechanisms import planning
from support.participants.deciders.seating import seat_deciders
from support.participants.estimators.hearing import answers
from support.runs.export import flatten

PROBLEM = FairDecisions(np.array([[[60, 40], [60, 40]], [[60, 40], [30, 70]], [[60, 40], [60, 40]]]))
TIED = ((0, 1), (1, 0))  # worth 100 and 100 to the first, 130 and 70 to the second


class Two:
    """Proposes two plans."""

    kind = "test"

    async def propose(self, brief):
        self.brief = brief
        return Move(TIED)


class Silent:
    """Never manages an answer that fits."""

    kind = "test"

    async def judge(self, plans, feedback):
        raise MalformedReply("no answer")


async def played():
    people = seat_deciders(PROBLEM, "scores", "plain", np.random.default_rng(0))
    people["Player 3"] = Silent()
    coordinator, rounds = Two(), []
    async for entry in planning.plan(PROBLEM, people, coordinator, feedback="comparison", rounds=2):
        rounds.append(entry)
    return planning.record(PROBLEM, {**people, "coordinator": coordinator}, rounds), coordinator.brief


def test_a_tie_and_a_missing_answer_stay_apart_from_seat_to_export():
    record, brief = asyncio.run(played())
    told = [(answer.prefers, answer.alike) for answer in record.rounds[0].feedback]
    assert told == [(None, True), (0, False), (None, False)]
    unit = SimpleNamespace(settings={}, repetition=0)
    table = flatten([(unit, record)])["feedback"]
    assert table["alike"].tolist() == [True, False, False] * 2
    heard = answers(brief.table, "comparison", brief.history)
    assert [mine.comparisons for mine in heard] == [[(*TIED, False)], [(*TIED, True)], []]
