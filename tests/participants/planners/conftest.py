"""What a coordinator is told, made for a test from the gains that nobody tells it."""

import numpy as np
import pytest

from support.environments.fair_decisions import FairDecisions
from support.environments.fair_decisions.views import Brief, Heard, Table
from support.records import Feedback


@pytest.fixture(scope="session")
def briefed():
    """A function from gains and known plans, in rounds of one or two, to the brief of the next round."""

    def brief(of, /, *rounds, preferences="scores", **told):
        problem = FairDecisions(np.array(of))
        table = Table(
            problem.participants, problem.decisions, problem.options, preferences, int(problem.gains.max())
        )  # fmt: skip
        history = tuple(heard(problem, plans) for plans in rounds)
        settings = {"feedback": "score", "objective": "divergence", "rounds": 5, **told}
        return Brief(table, round=len(rounds) + 1, history=history, **settings)

    return brief


def heard(problem, plans):
    """A round with the true totals of a plan, or of two that everybody likes alike."""
    if not isinstance(plans[0], tuple):
        plans = (plans,)
    totals = tuple(tuple(problem.totals(plan).tolist()) for plan in plans)
    scores = totals[0] if len(plans) == 1 else (None,) * len(problem.participants)
    answers = tuple(Feedback(name, score) for name, score in zip(problem.participants, scores, strict=True))
    return Heard(tuple(plans), answers, tuple(tuple(map(float, row)) for row in totals))
