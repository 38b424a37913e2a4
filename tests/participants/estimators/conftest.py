"""Tables to estimate at, and rounds that were played there by people whose gains the test knows."""

import numpy as np
import pytest

from support.environments.fair_decisions import generate
from support.environments.fair_decisions.views import COMPARISON, SCORE, Heard, Table
from support.records.planning import Feedback

SAID = ("I loathe {}", "{} is rather poor", "{} would do", "I like {} a good deal", "{} is simply marvellous")


def table_of(problem, preferences="scores"):
    highest = int(problem.gains.max())
    return Table(problem.participants, problem.decisions, problem.options, preferences, highest)


def wordings(problem, i, plan):
    """A sentence on each decision: five degrees, by the share of the best that there could be."""
    shares = [problem.gains[i, d, k] / max(problem.gains[i, d].max(), 1) for d, k in enumerate(plan)]
    said = zip(problem.decisions, shares, strict=True)
    return ". ".join(SAID[min(int(share * 5), 4)].format(name) for name, share in said) + "."


def answer(problem, i, plans, feedback):
    totals = [int(problem.totals(plan)[i]) for plan in plans]
    name = problem.participants[i]
    if feedback == SCORE:
        return Feedback(name, score=totals[0])
    if feedback == COMPARISON:
        alike = totals[0] == totals[1]
        return Feedback(name, prefers=None if alike else int(totals[1] > totals[0]), alike=alike)
    return Feedback(name, text=wordings(problem, i, plans[0]))


@pytest.fixture(scope="session")
def played():
    """A function to a problem, its table, and so many rounds of random plans with honest answers."""

    def play(feedback=SCORE, *, preferences="scores", n=4, m=3, rounds=5, seed=0, plans=None):
        rng = np.random.default_rng(seed)
        problem = getattr(generate, preferences)(rng, n, m)
        each = 2 if feedback == COMPARISON else 1
        drawn = plans or [[tuple(rng.integers(m, size=n).tolist()) for _ in range(each)] for _ in range(rounds)]
        history = tuple(
            Heard(tuple(given), tuple(answer(problem, i, given, feedback) for i in range(3))) for given in drawn
        )
        return problem, table_of(problem, preferences), history

    return play


@pytest.fixture(scope="session")
def likeness():
    """A function to the rank correlation of estimated with true totals over random plans, the mean of participants."""

    def correlate(problem, gains, seed=1):
        from scipy.stats import spearmanr

        _, n, m = problem.shape
        plans = np.random.default_rng(seed).integers(m, size=(200, n))
        guessed, true = gains[:, np.arange(n), plans].sum(axis=2), problem.totals_of(plans).T
        return float(np.mean([spearmanr(a, b).statistic for a, b in zip(guessed, true, strict=True)]))

    return correlate
