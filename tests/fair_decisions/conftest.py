"""What a coordinator is told of the rounds before."""

import numpy as np
import pytest

from support.fair_decisions.problem import Brief, FairDecisions, Heard, table_of
from support.fair_decisions.records import Feedback


@pytest.fixture(scope="session")
def briefed():
    """A function from gains and known plans, in rounds of one or two, to a brief: with
    the true totals, and answers without a word."""

    def brief(gains, /, *rounds, **told):
        problem = FairDecisions(np.array(gains))
        history = []
        for plans in rounds:
            plans = plans if isinstance(plans[0], tuple) else (plans,)
            rows = problem.totals(np.array(plans)).tolist()
            scores = rows[0] if len(plans) == 1 else [None] * len(rows[0])
            answers = tuple(map(Feedback, problem.participants, scores))
            history.append(Heard(plans, answers, tuple(map(tuple, rows))))
        settings = {"feedback": "score", "objective": "divergence", "rounds": 5}
        settings |= {"round": len(rounds) + 1, "history": tuple(history)} | told
        return Brief(table_of(problem, "scores", settings["objective"]), **settings)

    return brief
