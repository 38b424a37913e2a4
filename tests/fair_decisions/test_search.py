"""Algorithm 2: who is asked what in which order, what is known after a round, and which
plan the group ends with."""

import asyncio
from types import SimpleNamespace
from unittest.mock import AsyncMock, call

import numpy as np
import pytest

from support.errors import MalformedReply
from support.fair_decisions.problem import PAIRED, FairDecisions, Move
from support.fair_decisions.records import Feedback
from support.fair_decisions.search import Search, choose
from support.fair_decisions.seats import seat_deciders

GAINS = np.array([[[80, 10], [50, 50]], [[20, 70], [30, 70]], [[40, 60], [50, 50]]])
PROBLEM = FairDecisions(GAINS)
FIRST, SECOND = (0, 0), (1, 0)
TOLD = (130, 50, 90), (60, 100, 110)  # the totals of FIRST and SECOND


def people(problem=PROBLEM):
    return seat_deciders(problem, "scores", "plain", np.random.default_rng(0))


def silent():
    """Somebody whose reply fits no form."""
    return SimpleNamespace(judge=AsyncMock(side_effect=MalformedReply("too long")))


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


def test_a_round_asks_everybody_once_and_knows_what_they_told():
    seats = {}
    for name, *scores in zip(PROBLEM.participants, *TOLD, strict=True):
        answers = [Feedback(name, score=score) for score in scores]
        judge = AsyncMock(side_effect=answers)
        seats[name] = SimpleNamespace(judge=judge, replies=7)
    (one, two), (_, brief) = play(leader(FIRST, SECOND), seats, rounds=2)
    assert (one.number, one.plans, one.reason) == (1, (FIRST,), "because")
    assert [one.totals, two.totals] == [one.heard, two.heard] == [(t,) for t in TOLD]
    assert brief.known == (FIRST,) and brief.history[0].totals == one.heard
    for seat in seats.values():
        asked = [call((plan,), "score") for plan in (FIRST, SECOND)]
        assert seat.judge.await_args_list == asked


@pytest.mark.parametrize("objective", ["divergence", "welfare", "shortfall"])
@pytest.mark.parametrize("feedback", ["score", "comparison"])
def test_gains_that_nobody_told_change_nothing_that_the_coordinator_is_given(
    feedback, objective
):
    """Two problems of equal totals, and equal best ones, are told apart by nobody."""
    told = []
    for problem in (PROBLEM, FairDecisions(GAINS[:, ::-1])):
        moves = [Move(((0, 0), (1, 1))[: 1 + (feedback in PAIRED)])] * 2
        settings = {"feedback": feedback, "objective": objective, "rounds": 2}
        told.append(play(leader(*moves), problem=problem, **settings)[1])
    assert told[0] == told[1]
    assert all(brief.gains is None for brief in told[0])


STAY = [FIRST, SECOND, (1, 1)]  # divergence 80, 50, 80; welfare 270, 270, 310


@pytest.mark.parametrize(
    ("moves", "settings", "ends"),
    [
        (STAY, {}, SECOND),
        (STAY, {"final": "last"}, (1, 1)),
        (STAY, {"objective": "welfare"}, (1, 1)),
        ([SECOND, FIRST, MalformedReply("no")], {"final": "last"}, FIRST),
        ([(5, 5)] * 3, {}, None),
        ([(5, 5)] * 3, {"final": "its own"}, None),
        ([FIRST, SECOND, stop(FIRST)], {}, FIRST),
        ([*STAY, stop(FIRST)], {"final": "its own"}, FIRST),
        ([*STAY, (0, 1)], {"final": "its own"}, (1, 1)),
    ],
)
def test_the_group_ends_with_the_best_known_the_last_or_the_coordinators_plan(
    moves, settings, ends
):
    rounds, briefs = play(leader(*moves), rounds=3, **settings)
    final = settings.get("final", "best known")
    assert choose(rounds, final) == ends and len(briefs) == len(moves)
    assert [brief.over for brief in briefs[3:]] == [True] * (len(moves) - 3)


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ((0, 2), "expected 2 whole numbers from 0 to 1"),
        (stop((1, 1)), "is not known yet"),
        (FIRST, "Meal 1: Option 1, Meal 2: Option 1 is known already"),
        (MalformedReply("the reply is no JSON"), "the reply is no JSON"),
    ],
)
def test_a_move_that_does_not_fit_costs_its_round_and_is_told(move, said):
    rounds, briefs = play(leader(FIRST, move, SECOND), rounds=3)
    [error] = rounds[1].format_errors
    assert (error.agent, error.phase) == ("coordinator", "propose")
    assert said in error.detail and rounds[1].best == FIRST
    assert rounds[1].plans == rounds[1].feedback == ()
    assert not rounds[2].format_errors and briefs[2].known == (FIRST,)


def test_an_answer_that_does_not_fit_is_missing_and_leaves_totals_to_the_estimator(
    store,
):
    seats = people() | {"Player 2": silent()}
    [entry], _ = play(leader(FIRST), seats, rounds=1)
    assert [answer.score for answer in entry.feedback] == [130, None, 90]
    assert [error.agent for error in entry.format_errors] == ["Player 2"]
    assert entry.heard == () and entry.totals == TOLD[:1]
    expects = guess(np.full((3, 2, 2), 25.5))
    rounds, _ = play(leader(FIRST), seats, rounds=1, estimator=expects)
    assert rounds[0].heard == ((51.0, 51.0, 51.0),)
    made = Search(PROBLEM, seats, leader(), expects, final="last").record(rounds)
    kinds = {"coordinator": "leader", "estimator": "guess", "solver": "none"}
    assert kinds.items() <= made.seats.items() and made.chosen == FIRST
    assert store.record(store.save("plans", made, {})) == made


def test_words_are_estimated_and_earlier_totals_move_with_what_is_expected_now():
    flat, moves = np.full((3, 2, 2), 10.0), (FIRST, SECOND)
    told = {"rounds": 2, "feedback": "words"}
    expects = guess(flat, GAINS + 0.0)
    (one, two), briefs = play(leader(*moves), estimator=expects, **told)
    assert one.heard == ((20.0, 20.0, 20.0),) and two.heard == TOLD[1:]
    assert two.best == SECOND and (briefs[1].estimates == flat).all()
    unread, _ = play(leader(*moves), **told)
    assert [entry.heard for entry in unread] == [(), ()]


def test_under_comparison_two_plans_are_put_to_everybody_and_one_ends_it():
    led = leader(Move((FIRST, SECOND)), (0, 1), stop(SECOND))
    expects = guess(GAINS + 0.0)
    rounds, _ = play(led, feedback="comparison", estimator=expects)
    assert [answer.prefers for answer in rounds[0].feedback] == [0, 1, 1]
    assert rounds[0].heard == TOLD
    assert "1 given; expected 2" in rounds[1].format_errors[0].detail
    assert rounds[0].best == SECOND == choose(rounds)


def test_a_solver_suggests_on_what_is_known_and_at_last_the_best_known_plan():
    seen, flat = [], np.full((3, 2, 2), 50.0)

    def solver(gains):
        seen.append(gains)
        return [1, 0]

    told = {"estimator": guess(flat, flat), "solver": solver, "final": "its own"}
    rounds, briefs = play(leader(FIRST, (1, 1), stop(FIRST)), rounds=2, **told)
    # In round 2 nothing is known but of FIRST; then it is the best known plan.
    assert [brief.suggestion for brief in briefs] == [None, FIRST, FIRST]
    assert [entry.suggestion for entry in rounds] == [None, FIRST, FIRST]
    _, [brief] = play(leader(FIRST), rounds=1, feedback="complete", solver=solver)
    assert brief.suggestion == SECOND and np.array_equal(seen[-1], GAINS)
