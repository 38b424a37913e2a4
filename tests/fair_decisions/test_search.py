"""Algorithm 2: who is asked what in which order, what is known after a round, and which
plan the group ends with."""

import asyncio
from types import SimpleNamespace
from unittest.mock import AsyncMock

import numpy as np
import pytest

from support.errors import MalformedReply
from support.fair_decisions.problem import FEEDBACK, PAIRED, FairDecisions, Move
from support.fair_decisions.records import Feedback
from support.fair_decisions.search import Search, choose, record

GAINS = np.array([[[80, 10], [50, 50]], [[20, 70], [30, 70]], [[40, 60], [50, 50]]])
PROBLEM = FairDecisions(GAINS)
NAMES = PROBLEM.participants


class Sitter:
    """Answers truly in every kind of feedback, and keeps what it was asked."""

    kind = "fake"

    def __init__(self, i):
        self.i, self.asked, self.replies, self.tokens = i, [], 0, 0

    async def judge(self, plans, feedback):
        self.asked.append((tuple(plans), feedback))
        self.replies, self.tokens = self.replies + 1, self.tokens + 10
        totals = [int(PROBLEM.totals(plan)[self.i]) for plan in plans]
        if feedback == "score":
            return Feedback(NAMES[self.i], score=totals[0])
        if feedback == "comparison":
            return Feedback(NAMES[self.i], prefers=int(np.argmax(totals)))
        levels = ((0.5, None),) * len(plans)
        return Feedback(NAMES[self.i], text="well", levels=levels, rather=(None, 1))


def people():
    return {name: Sitter(i) for i, name in enumerate(NAMES)}


def leader(*moves):
    """Makes these moves; a plan is one without a stop, an exception is raised."""
    made = [Move((m,), "because") if isinstance(m, tuple) else m for m in moves]
    return SimpleNamespace(kind="leader", propose=AsyncMock(side_effect=made))


def guess(*gains):
    """Expects these gains, one array after the other."""
    return SimpleNamespace(kind="guess", estimate=AsyncMock(side_effect=gains))


def briefs(led):
    return [call.args[0] for call in led.propose.await_args_list]


def play(led, seats=None, problem=PROBLEM, **settings):
    async def run():
        search = Search(problem, seats or people(), led, **settings)
        return [entry async for entry in search.played()]

    return asyncio.run(run())


def test_a_round_asks_everybody_once_and_knows_what_they_told():
    seats, led = people(), leader((0, 0), (1, 1))
    first, second = play(led, seats, rounds=2)
    assert (first.number, first.plans, first.reason) == (1, ((0, 0),), "because")
    assert first.heard == ((130.0, 50.0, 90.0),) and first.totals == ((130, 50, 90),)
    assert [answer.score for answer in first.feedback] == [130, 50, 90]
    asked = [(((0, 0),), "score"), (((1, 1),), "score")]
    assert [sitter.asked for sitter in seats.values()] == [asked] * 3
    assert (first.replies, second.replies, second.tokens) == (3, 3, 30)
    one, two = briefs(led)
    assert (one.round, one.rounds, one.known, two.known) == (1, 2, (), ((0, 0),))
    assert two.history[0].totals == ((130.0, 50.0, 90.0),)


@pytest.mark.parametrize("objective", ["divergence", "welfare", "shortfall"])
@pytest.mark.parametrize("feedback", set(FEEDBACK) - {"complete"})
def test_gains_that_nobody_told_change_nothing_that_the_coordinator_is_given(
    feedback, objective
):
    """Two problems of equal totals, and equal best ones, are told apart by nobody."""
    other = FairDecisions(GAINS[:, ::-1])  # the decisions' gains are exchanged
    told = []
    for problem in (PROBLEM, other):
        moves = [Move(((0, 0), (1, 1))[: 1 + (feedback in PAIRED)])] * 2
        led, settings = leader(*moves), {"feedback": feedback, "objective": objective}
        play(led, problem=problem, rounds=2, **settings)
        told.append(briefs(led))
    assert told[0] == told[1]
    assert all(brief.gains is None for brief in told[0])


def test_the_group_ends_with_the_best_known_plan_or_as_printed_with_the_last():
    # divergence 80, 50, 80; welfare 270, 270, 310
    moves = [(0, 0), (1, 0), (1, 1)]
    rounds = play(leader(*moves), rounds=3)
    assert [entry.best for entry in rounds] == [(0, 0), (1, 0), (1, 0)]
    assert choose(rounds) == (1, 0) and choose(rounds, "last") == (1, 1)
    rich = play(leader(*moves), rounds=3, objective="welfare")
    assert [entry.best for entry in rich] == [(0, 0), (0, 0), (1, 1)]
    lost = play(leader((1, 0), (0, 0), MalformedReply("no")), rounds=3)
    assert choose(lost) == (1, 0) and choose(lost, "last") == (0, 0)
    none = play(leader((5, 5), (5, 5)), rounds=2)
    assert choose(none) is choose(none, "last") is choose([]) is None


def test_its_own_choice_is_asked_for_where_no_round_is_left():
    led = leader((0, 0), (1, 0), Move(((0, 0),), "the fairest", True))
    rounds = play(led, rounds=2, final="its own")
    assert [brief.over for brief in briefs(led)] == [False, False, True]
    assert rounds[-1].finish and choose(rounds, "its own") == (0, 0) != rounds[-1].best
    amiss = play(leader((0, 0), (1, 0), (1, 1)), rounds=2, final="its own")
    assert "no round is left" in amiss[-1].format_errors[0].detail
    assert choose(amiss, "its own") == (1, 0)
    stopped = play(leader((0, 0), Move(((0, 0),), finish=True)), final="its own")
    assert len(stopped) == 2 and stopped[-1].feedback == ()
    nothing = play(leader((5, 5), (5, 5)), rounds=2, final="its own")
    assert len(nothing) == 2  # there is none to choose


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ((0, 2), "expected 2 whole numbers from 0 to 1"),
        (Move(((0, 0), (1, 1))), "plans: 2 given; expected 1"),
        (Move(((1, 1),), finish=True), "is not known yet"),
        ((0, 0), "is known already"),
        (MalformedReply("the reply is no JSON"), "the reply is no JSON"),
    ],
)
def test_a_move_that_does_not_fit_costs_its_round_and_is_told(move, said):
    seats = people()
    first, second, third = play(leader((0, 0), move, (1, 0)), seats, rounds=3)
    (error,) = second.format_errors
    assert (error.agent, error.phase) == ("coordinator", "propose")
    assert said in error.detail and second.best == first.best == (0, 0)
    assert second.plans == second.feedback == ()
    assert not third.format_errors and len(seats[NAMES[0]].asked) == 2


def test_an_answer_that_does_not_fit_is_missing_and_leaves_totals_to_the_estimator():
    mute = SimpleNamespace(judge=AsyncMock(side_effect=MalformedReply("too long")))
    seats = people() | {"Player 2": mute}
    (entry,) = play(leader((0, 0)), seats, rounds=1)
    assert entry.feedback[1] == Feedback(NAMES[1]) and entry.feedback[0].score == 130
    assert [(e.agent, e.phase) for e in entry.format_errors] == [(NAMES[1], "judge")]
    assert entry.heard == () and entry.totals == ((130, 50, 90),)
    expects = guess(np.full((3, 2, 2), 25.5))
    (entry,) = play(leader((0, 0)), seats, rounds=1, estimator=expects)
    assert entry.heard == ((51.0, 51.0, 51.0),)


def test_words_are_estimated_and_earlier_totals_move_with_what_is_expected_now():
    first, led = np.full((3, 2, 2), 10.0), leader((0, 0), (1, 0))
    expects = guess(first, GAINS + 0.0)
    one, two = play(led, rounds=2, feedback="words", estimator=expects)
    assert one.heard == ((20.0, 20.0, 20.0),) and two.heard == ((60.0, 100.0, 110.0),)
    assert two.best == (1, 0) and (briefs(led)[1].estimates == first).all()
    assert [len(call.args[2]) for call in expects.estimate.await_args_list] == [1, 2]
    unread = play(leader((0, 0), (1, 0)), rounds=2, feedback="words")
    assert [entry.heard for entry in unread] == [(), ()]


def test_under_comparison_two_plans_are_put_to_everybody_and_one_ends_it():
    led = leader(Move(((0, 0), (1, 0))), (0, 1), Move(((1, 0),), finish=True))
    rounds = play(led, feedback="comparison", estimator=guess(GAINS + 0.0))
    entry, lost, _ = rounds
    assert [answer.prefers for answer in entry.feedback] == [0, 1, 1]
    assert entry.heard == ((130.0, 50.0, 90.0), (60.0, 100.0, 110.0))
    assert "1 given; expected 2" in lost.format_errors[0].detail
    assert entry.best == (1, 0) == choose(rounds)


def test_a_solver_suggests_on_what_is_known_and_at_last_the_best_known_plan():
    seen, made = [], np.full((3, 2, 2), 50.0)

    def solver(gains):
        seen.append(gains)
        return [1, 0]

    led = leader((0, 0), (1, 1), Move(((0, 0),), finish=True))
    told = {"estimator": guess(made, made), "solver": solver, "final": "its own"}
    rounds = play(led, rounds=2, **told)
    # In round 2 nothing is known but of (0, 0); then it is the best known plan.
    assert [brief.suggestion for brief in briefs(led)] == [None, (0, 0), (0, 0)]
    assert [entry.suggestion for entry in rounds] == [None, (0, 0), (0, 0)]
    (entry,) = play(leader((0, 0)), rounds=1, feedback="complete", solver=solver)
    assert entry.suggestion == (1, 0) and np.array_equal(seen[-1], GAINS)


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_a_record_goes_to_the_store_and_comes_back_as_it_was(feedback, store):
    first = Move(((0, 0), (1, 0))[: 1 + (feedback in PAIRED)])
    led = leader(first, MalformedReply("no"), Move(((0, 0),), "done", True))
    seats, expects = people(), guess(GAINS + 0.0)
    told = {"feedback": feedback, "estimator": expects, "solver": lambda gains: (1, 1)}
    rounds = play(led, seats, **told)
    roles = {**seats, "coordinator": led, "estimator": expects, "solver": None}
    made = record(PROBLEM, roles, rounds, prompt="full")
    assert made.chosen == (0, 0) and np.array(made.gains).tolist() == GAINS.tolist()
    assert list(made.seats.values()) == ["fake"] * 3 + ["leader", "guess", "none"]
    assert made.settings == {"prompt": "full", "final": "best known"}
    assert store.record(store.save("plans", made, {"feedback": feedback})) == made
