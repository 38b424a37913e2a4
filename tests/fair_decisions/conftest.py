"""Tables to talk at, and what a coordinator is told of the rounds before."""

import numpy as np
import pytest

from support.fair_decisions.problem import Brief, FairDecisions, Heard, Table
from support.fair_decisions.records import Feedback


@pytest.fixture(scope="session")
def sit():
    """A function to the table of so many decisions and options."""

    def table(n=3, m=3, preferences="scores"):
        meals = tuple(f"Meal {i + 1}" for i in range(n))
        return Table(
            ("Ana", "Ben"),
            meals,
            (tuple(f"Option {k + 1}" for k in range(m)),) * n,
            preferences,
            100,
        )

    return table


@pytest.fixture(scope="session")
def briefed():
    """A function from gains and known plans, in rounds of one or two, to the brief of the next round."""

    def brief(of, /, *rounds, **told):
        problem = FairDecisions(np.array(of))
        names = problem.participants, problem.decisions, problem.options
        history = tuple(_heard(problem, plans) for plans in rounds)
        settings = {
            "feedback": "score",
            "objective": "divergence",
            "rounds": 5,
            "history": history,
            **told,
        }
        return Brief(
            Table(*names, "scores", int(problem.gains.max())),
            round=len(settings["history"]) + 1,
            **settings,
        )

    return brief


def _heard(problem, plans):
    """A round with the true totals of a plan, or of two that everybody likes alike."""
    plans = plans if isinstance(plans[0], tuple) else (plans,)
    totals = tuple(tuple(problem.totals(plan).tolist()) for plan in plans)
    scores = totals[0] if len(plans) == 1 else (None,) * len(problem.participants)
    return Heard(plans, tuple(map(Feedback, problem.participants, scores)), totals)
