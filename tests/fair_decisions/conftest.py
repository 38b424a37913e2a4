"""What a coordinator is told of the rounds before."""

import numpy as np
import pytest

from support.fair_decisions.problem import Brief, FairDecisions, Heard, table_of
from support.fair_decisions.records import Feedback


@pytest.fixture(scope="session")
def briefed():
    """A function from gains and known plans, in rounds of one or two, to a brief."""

    def brief(gains, /, *rounds, **told):
        problem = FairDecisions(np.array(gains))
        settings = {"feedback": "score", "objective": "divergence", "rounds": 5}
        settings["history"] = tuple(_heard(problem, plans) for plans in rounds)
        settings |= told
        table = table_of(problem, "scores", settings["objective"])
        return Brief(table, round=len(settings["history"]) + 1, **settings)

    return brief


def _heard(problem, plans):
    """A round with the true totals of a plan, or of two, and answers without a word."""
    plans = plans if isinstance(plans[0], tuple) else (plans,)
    totals = tuple(tuple(row) for row in problem.totals(np.array(plans)).tolist())
    scores = totals[0] if len(plans) == 1 else (None,) * len(problem.participants)
    answers = tuple(map(Feedback, problem.participants, scores))
    return Heard(plans, answers, totals)
