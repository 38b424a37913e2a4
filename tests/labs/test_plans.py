"""The fair plans' lab: who is asked, what stays hidden, how a game ends."""

import re
from dataclasses import replace

import pytest

from support.fair_decisions.problem import FairDecisions
from support.labs.plans import SWEEP, PlanningLab
from support.solvers.fair import solve

SMALL = {"decisions": 2, "options": 3, "rounds": 3}


@pytest.fixture
def game(played):
    """A function that has a coroutine play a small game; a person leads it."""
    return lambda talk, **settings: played(PlanningLab, talk, **{**SMALL, **settings})


@pytest.fixture
def answer(until):
    """A coroutine that makes the next move of the person who leads."""

    async def give(lab, *plans, status="RUNNING"):
        before = len(lab.finished)
        lab.start(to_the_end=False)
        await until(lambda: waiting(lab))
        numbers = [[k + 1 for k in plan] for plan in plans]
        given = dict(zip(("plan", "other"), numbers, strict=False))
        [question] = waiting(lab)
        question.answer({"reason": "a guess", "status": status, **given})
        [person] = lab.persons.values()
        person.waiting.clear()
        await until(lambda: len(lab.finished) > before and lab.task.done())

    return give


def waiting(lab):
    """The questions that people in a lab have not answered."""
    return [one for person in lab.persons.values() for one in person.waiting]


def texts(widget):
    """All that a widget and those in it show; of a picture, its bytes."""
    shown = [getattr(widget, name, "") for name in ("value", "description", "options")]
    own = [str(bytes(x) if isinstance(x, memoryview) else x) for x in shown]
    for child in getattr(widget, "children", ()):
        own += texts(child)
    return own


def test_a_person_leads_and_stops_with_a_known_plan_before_the_rounds_are_over(
    store, game, answer
):
    async def talk(lab):
        await answer(lab, (0, 0))
        await answer(lab, (1, 1))
        await answer(lab, (0, 0), status="FINISH")
        assert "Stored" in lab.status.value and lab.record().chosen == (0, 0)
        best = solve(lab.problem)
        reached = max(lab.problem.totals((0, 0))) - min(lab.problem.totals((0, 0)))
        told = rf"divergence {reached}; the optimum is {best.value} "
        assert re.search(told, lab.status.value) and "true: " in lab.talk.value

    game(talk, rounds=9)
    [(_, played)] = store.records(SWEEP)
    assert played.rounds[-1].finish and len(played.rounds) == 3


@pytest.mark.parametrize("feedback", ["words", "comparison"])
def test_while_it_is_played_the_gains_are_in_nothing_that_is_drawn_or_shown(
    game, answer, feedback
):
    async def talk(lab):
        plans = [(0, 0), (1, 1)][: 1 + (feedback == "comparison")]
        await answer(lab, *plans)
        shown = texts(lab.view)
        gains, problem = 9 * lab.problem.gains + 1, lab.problem
        names = problem.participants, problem.decisions, problem.options
        lab.problem = FairDecisions(gains, *names)
        [entry] = lab.finished
        other = tuple(tuple(7 * x + 3 for x in row) for row in entry.totals)
        lab.finished = [replace(entry, totals=other)]
        lab._show()
        assert texts(lab.view) == shown
        assert not any(w in "".join(shown) for w in ("true: ", "the truth", "optimum"))

    game(talk, feedback=feedback)


@pytest.mark.parametrize(
    ("coordinator", "feedback"),
    [("local", "comparison in words"), ("exact", "complete")],
)
def test_any_coordinator_plays_to_the_end_is_stored_and_becomes_a_cell(
    store, game, repeats, coordinator, feedback
):
    async def talk(lab):
        await lab.advance(to_the_end=True)
        assert "Stored in study.sqlite" in lab.status.value
        parts = f"coordinator={coordinator!r}", f"feedback={feedback!r}"
        repeats(lab, *parts, store=store)

    game(talk, coordinator=coordinator, feedback=feedback, decisions=4, seed=5)
