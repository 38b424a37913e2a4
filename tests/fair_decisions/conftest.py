"""Problems, what a coordinator is told of them, rounds that were played, and tables to talk at."""

import re

import numpy as np
import pytest

from support.fair_decisions.deciders import RESTS, WHOLES, vocabularies
from support.fair_decisions.instances import instance
from support.fair_decisions.problem import COMPARISON, SCORE, Brief, FairDecisions, Heard, Table, table_of
from support.fair_decisions.records import Feedback
from support.models.fakes import scripted

SAID = ("I loathe {}", "{} is rather poor", "{} would do", "I like {} a good deal", "{} is simply marvellous")
NAMES = (
    r"(?P<names>Meals? \d+(?:, \d+)*(?: and \d+)?|Meal \d+(?:(?:, | and )Meal \d+)*|" + "|".join(RESTS + WHOLES) + ")"
)
AGREEING = {"is": "(?:is|are)", "s": "s?", "does": "(?:does|do)"}


@pytest.fixture
def two_meals():
    """Two participants, two decisions, three options; (0, 1) gives 3 + 20 and 30 + 5."""
    return FairDecisions([[[3, 4, 5], [10, 20, 30]], [[30, 20, 10], [6, 5, 4]]])


@pytest.fixture(scope="session")
def sit():
    """A function to the table of so many decisions and options."""

    def table(n=3, m=3, preferences="scores"):
        meals = tuple(f"Meal {i + 1}" for i in range(n))
        return Table(("Ana", "Ben"), meals, (tuple(f"Option {k + 1}" for k in range(m)),) * n, preferences, 100)

    return table


@pytest.fixture
def overheard():
    """A function from replies to a model that gives them in turn, and the texts of what it was asked."""

    def listen(*replies):
        heard, lines = [], iter(replies)

        def script(messages):
            heard.append("\n".join(message["content"] for message in messages))
            return next(lines)

        return scripted(script, name="tiny"), heard

    return listen


@pytest.fixture(scope="session")
def briefed():
    """A function from gains and known plans, in rounds of one or two, to the brief of the next round."""

    def brief(of, /, *rounds, preferences="scores", **told):
        problem = FairDecisions(np.array(of))
        names = problem.participants, problem.decisions, problem.options
        history = tuple(_heard(problem, plans) for plans in rounds)
        settings = {"feedback": "score", "objective": "divergence", "rounds": 5, **told}
        table = Table(*names, preferences, int(problem.gains.max()))
        return Brief(table, round=len(rounds) + 1, history=history, **settings)

    return brief


def _heard(problem, plans):
    """A round with the true totals of a plan, or of two that everybody likes alike."""
    plans = plans if isinstance(plans[0], tuple) else (plans,)
    totals = tuple(tuple(problem.totals(plan).tolist()) for plan in plans)
    scores = totals[0] if len(plans) == 1 else (None,) * len(problem.participants)
    answers = tuple(Feedback(name, score) for name, score in zip(problem.participants, scores, strict=True))
    return Heard(tuple(plans), answers, tuple(tuple(map(float, row)) for row in totals))


@pytest.fixture(scope="session")
def played():
    """A function to a problem, its table, and so many rounds of random plans with honest answers."""

    def play(feedback=SCORE, *, preferences="scores", n=4, m=3, rounds=5, seed=0, plans=None):
        rng = np.random.default_rng(seed)
        drawn_as = instance(preferences, n, m, 0, seed)
        problem = FairDecisions(drawn_as.gains)
        each = 2 if feedback == COMPARISON else 1
        drawn = plans or [[tuple(rng.integers(m, size=n).tolist()) for _ in range(each)] for _ in range(rounds)]
        history = tuple(
            Heard(tuple(given), tuple(_answer(problem, i, given, feedback) for i in range(3))) for given in drawn
        )
        return problem, table_of(problem, preferences), history

    return play


def _answer(problem, i, plans, feedback):
    totals = [int(problem.totals(plan)[i]) for plan in plans]
    name = problem.participants[i]
    if feedback == SCORE:
        return Feedback(name, score=totals[0])
    if feedback == COMPARISON:
        alike = totals[0] == totals[1]
        return Feedback(name, prefers=None if alike else int(totals[1] > totals[0]), alike=alike)
    shares = [problem.gains[i, d, k] / max(problem.gains[i, d].max(), 1) for d, k in enumerate(plans[0])]
    said = zip(problem.decisions, shares, strict=True)
    return Feedback(name, text=". ".join(SAID[min(int(share * 5), 4)].format(meal) for meal, share in said) + ".")


@pytest.fixture(scope="session")
def likeness():
    """A function to the rank correlation of estimated with true totals over random plans, the mean of participants."""
    from scipy.stats import spearmanr

    def correlate(problem, gains):
        plans = np.random.default_rng(1).integers(problem.shape[2], size=(200, problem.shape[1]))
        guessed = gains[:, np.arange(gains.shape[1]), plans].sum(axis=2).round(6)  # sums differ in their last digits
        pairs = zip(guessed, problem.totals_of(plans).T, strict=True)
        return float(np.mean([spearmanr(a, b).statistic if np.ptp(a) else 0.0 for a, b in pairs]))

    return correlate


@pytest.fixture(scope="session")
def understood():
    """A function from a text and its style to the levels of named meals, by place, and of the rest, if any."""

    def read(text, style):
        known, rest = {}, None
        for clause in _clauses(text, vocabularies()[style]):
            level, names = _level(clause, style)
            numbers = re.findall(r"\d+", names)
            rest = rest if numbers else level
            known.update({int(number) - 1: level for number in numbers})
        return known, rest

    return read


def _clauses(text, vocabulary):
    lowered = text[0].lower() + text[1:]
    opening = max((o for o in vocabulary.openings if lowered.startswith(o)), key=len)
    between = [*vocabulary.joins, vocabulary.contrast]
    return re.split("|".join(re.escape(part) for part in between if part), lowered[len(opening) :].rstrip(".!"))


def _level(clause, style):
    found = []
    for level, wordings in enumerate(vocabularies()[style].levels):
        for wording in wordings:
            pattern = (re.escape(part) for part in wording.split("{names}"))
            before, after = (re.sub(r"\\\{(\w+)\\\}", lambda slot: AGREEING[slot[1]], part) for part in pattern)
            if match := re.fullmatch(before + NAMES + after, clause, re.IGNORECASE):
                found.append((level, match["names"]))
    assert len(found) == 1, f"{clause!r} of {style} reads as {found}"
    return found[0]
