"""Searches written down by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Feedback, Planning, PlanningRound
from support.play import FormatError

GAINS = (((10, 0), (4, 6)), ((0, 10), (8, 2)), ((5, 5), (5, 5)))  # three participants, two decisions, two options


def entry(number, *plans, gains=GAINS, best=None, heard=True, finish=False, errors=0, replies=0, tokens=0):
    """A round with these plans, answered by everybody unless it ends the search."""
    problem = FairDecisions(np.array(gains))
    totals = tuple(tuple(problem.totals(plan).tolist()) for plan in plans)
    answered = () if finish or not plans else tuple(Feedback(name) for name in problem.participants)
    known = tuple(tuple(map(float, row)) for row in totals) if heard and answered else ()
    amiss = tuple(FormatError("coordinator", "propose", "no plan") for _ in range(errors))
    took = {"format_errors": amiss, "replies": replies, "tokens": tokens}
    return PlanningRound(number, plans, answered, known, totals, best, finish=finish, **took)


def search(*rounds, gains=GAINS, chosen=None, coordinator="mcts", **settings):
    """A whole search."""
    people = FairDecisions(np.array(gains)).participants
    return Planning(gains, people, {"coordinator": coordinator}, rounds, chosen, settings)


def listed(gains, objective="divergence", **_):
    """A solver that lists all plans, in the place of the real one."""
    problem = FairDecisions(np.asarray(gains))
    _, n, m = problem.shape
    plans = np.indices((m,) * n).reshape(n, -1).T
    totals = problem.totals_of(plans)
    gap, sum_ = np.ptp(totals, axis=1), totals.sum(axis=1)
    worth = {"divergence": -gap, "welfare": sum_, "divergence then welfare": sum_ - 1000 * gap}[objective]
    return SimpleNamespace(plan=tuple(plans[int(worth.argmax())].tolist()), proven=True)


@pytest.fixture(scope="session")
def made():
    """The functions above, by name."""
    return SimpleNamespace(entry=entry, search=search, listed=listed, gains=GAINS)
