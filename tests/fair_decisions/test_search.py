"""Algorithm 2: who is asked what in which order, what is known after a round, and which
plan the group ends with."""

import asyncio
from types import SimpleNamespace
from unittest.mock import AsyncMock

import numpy as np
import pytest

from support.errors import MalformedReply
from support.fair_decisions.problem import PAIRED, FairDecisions, Move
from support.fair_decisions.search import Search, choose
from support.fair_decisions.seats import seat_deciders

GAINS = np.array([[[80, 10], [50, 50]], [[20, 70], [30, 70]], [[40, 60], [50, 50]]])
PROBLEM = FairDecisions(GAINS)
FIRST, SECOND = (0, 0), (1, 0)
TOLD = (130, 50, 90), (60, 100, 110)  # the totals of FIRST and SECOND


def people(problem=PROBLEM):
    return seat_deciders(problem, "scores", "plain", np.random.default_rng(0))


def leader(*moves):
    """Makes these moves; a plan is one without a stop, an exception is raised."""
    made = [Move((m,), "because") if isinstance(m, tuple) else m for m in moves]
    return SimpleNamespace(kind="leader", propose=AsyncMock(side_effect=made))


def stop(plan):
    return Move((plan,), "the fairest", True)


def guess(*gains):
    """Expects these gains, one array after the other."""
    return SimpleNamespace(kind="guess", estimate=AsyncMock(side_effect=gains))


def play(led, seats=None, problem=PROBLEM, **settings):
    """The rounds of a search, and what the coordinator was given before each."""

    async def run():
        search = Search(problem, seats or people(problem), led, **settings)
        return [entry async for entry in search.played()]

    rounds = asyncio.run(run())
    return rounds, [call.args[0] for call in led.propose.await_args_list]


@pytest.mark.parametrize("objective", ["divergence", "shortfall"])
@pytest.mark.parametrize("feedback", ["score", "comparison"])
def test_gains_that_nobody_told_change_nothing_that_the_coordinator_is_given(
    feedback, objective
):
    """Two problems of equal totals, and equal best ones, are told apart by nobody."""
    told = {"feedback": feedback, "objective": objective, "rounds": 2}
    moves = [Move(((0, 0), (1, 1))[: 1 + (feedback in PAIRED)])] * 2
    _, briefs = play(leader(*moves), **told)
    other = FairDecisions(GAINS[:, ::-1])
    assert briefs == play(leader(*moves), problem=other, **told)[1]
    for brief in briefs:
        assert brief.gains is None
        assert bool(brief.table.best) == (objective == "shortfall")


STAY = [FIRST, SECOND, (1, 1)]  # divergence 80, 50, 80; welfare 270, 270, 310


@pytest.mark.parametrize(
    ("moves", "settings", "ends"),
    [
        (STAY, {}, SECOND),
        (STAY, {"objective": "welfare"}, (1, 1)),
        ([(5, 5)] * 3, {"final": "its own"}, None),
        ([FIRST, stop(FIRST)], {}, FIRST),
        ([*STAY, stop(FIRST)], {"final": "its own"}, FIRST),
        ([*STAY, (0, 1)], {"final": "its own"}, (1, 1)),
    ],
)
def test_the_group_ends_with_the_best_known_the_last_or_the_coordinators_plan(
    moves, settings, ends
):
    rounds, briefs = play(leader(*moves), rounds=3, **settings)
    assert choose(rounds, settings.get("final", "best known")) == ends
    assert len(briefs) == len(moves)
    assert [brief.over for brief in briefs[3:]] == [True] * (len(moves) - 3)


@pytest.mark.parametrize("move", [stop((1, 1)), MalformedReply("is not known yet")])
def test_a_move_that_does_not_fit_costs_its_round_and_is_told(move):
    rounds, briefs = play(leader(FIRST, move, SECOND), rounds=3)
    [error] = rounds[1].format_errors
    assert (error.agent, error.phase) == ("coordinator", "propose")
    assert "is not known yet" in error.detail and rounds[1].best == FIRST
    assert rounds[1].plans == rounds[1].feedback == rounds[2].format_errors == ()
    assert briefs[2].known == (FIRST,)


def test_an_answer_that_does_not_fit_is_missing_and_leaves_totals_to_the_estimator(
    store,
):
    silent = SimpleNamespace(judge=AsyncMock(side_effect=MalformedReply("too long")))
    seats = people() | {"Player 2": silent}
    [entry], _ = play(leader(FIRST), seats, rounds=1)
    assert [answer.score for answer in entry.feedback] == [130, None, 90]
    assert [error.agent for error in entry.format_errors] == ["Player 2"]
    assert entry.heard == () and entry.totals == TOLD[:1]
    expects = guess(np.full((3, 2, 2), 25.5))
    rounds, _ = play(leader(FIRST), seats, rounds=1, estimator=expects)
    assert rounds[0].heard == ((51.0, 51.0, 51.0),)
    made = Search(PROBLEM, seats, leader(), expects).record(rounds)
    kinds = {"coordinator": "leader", "estimator": "guess", "solver": "none"}
    assert kinds.items() <= made.seats.items() and made.chosen == FIRST
    assert store.record(store.save("plans", made, {})) == made


def test_words_are_estimated_and_earlier_totals_move_with_what_is_expected_now():
    flat, moves = np.full((3, 2, 2), 10.0), leader(FIRST, SECOND, (1, 1))
    expects = guess(flat, MalformedReply("a number is missing"), GAINS + 0.0)
    rounds, briefs = play(moves, rounds=3, feedback="words", estimator=expects)
    assert [entry.heard for entry in rounds[:2]] == [((20.0, 20.0, 20.0),)] * 2
    assert rounds[2].best == SECOND and (briefs[2].estimates == flat).all()


def test_a_solver_suggests_on_what_is_known_and_at_last_the_best_known_plan():
    seen, flat = [], np.full((3, 2, 2), 50.0)
    solver = lambda gains: seen.append(gains) or [1, 0]
    told = {"estimator": guess(flat, flat), "solver": solver, "final": "its own"}
    rounds, briefs = play(leader(FIRST, (1, 1), stop(FIRST)), rounds=2, **told)
    # In round 2 nothing is known but of FIRST; then it is the best known plan.
    for given in (briefs, rounds):
        assert [one.suggestion for one in given] == [None, FIRST, FIRST]
    _, [brief] = play(leader(FIRST), rounds=1, feedback="complete", solver=solver)
    assert brief.suggestion == SECOND and np.array_equal(seen[-1], GAINS)
