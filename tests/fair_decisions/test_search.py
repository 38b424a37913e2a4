"""Algorithm 2: who is asked what in which order, what is known after a round, and which plan the group ends with."""

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
        totals = [int(PROBLEM.totals(p)[self.i]) for p in plans]
        if feedback == "score":
            return Feedback(NAMES[self.i], score=totals[0])
        if feedback == "comparison":
            return Feedback(NAMES[self.i], prefers=int(np.argmax(totals)))
        return Feedback(NAMES[self.i], text="well")


def people():
    return {name: Sitter(i) for i, name in enumerate(NAMES)}


def leader(*moves):
    """Makes the moves that it is given; a plan is one without a stop, an exception is raised."""
    made = [
        Move((move,), "because") if isinstance(move, tuple) else move for move in moves
    ]
    return SimpleNamespace(kind="leader", propose=AsyncMock(side_effect=made))


def guess(*gains):
    """Expects these gains, one array after the other."""
    return SimpleNamespace(kind="guess", estimate=AsyncMock(side_effect=gains))


def briefs(led):
    return [call.args[0] for call in led.propose.await_args_list]


def play(led, seats=None, **settings):
    async def run():
        return [
            entry
            async for entry in Search(
                PROBLEM, seats or people(), led, **settings
            ).played()
        ]

    return asyncio.run(run())


def test_a_round_asks_everybody_once_and_the_coordinator_is_told_nothing_of_the_gains():
    seats, led = people(), leader((0, 0), (1, 1))
    first, second = play(led, seats, rounds=2)
    assert (first.number, first.plans, first.reason, first.heard) == (
        1,
        ((0, 0),),
        "because",
        ((130.0, 50.0, 90.0),),
    )
    assert first.totals == ((130, 50, 90),)
    assert [(a.participant, a.score) for a in first.feedback] == [
        *zip(NAMES, (130, 50, 90), strict=True)
    ]
    assert [sitter.asked for sitter in seats.values()] == [
        [(((0, 0),), "score"), (((1, 1),), "score")]
    ] * 3
    assert (first.replies, second.replies, first.tokens, second.tokens) == (
        3,
        3,
        30,
        30,
    )
    one, two = briefs(led)
    assert (one.round, one.rounds, one.plans, one.known, two.known) == (
        1,
        2,
        1,
        (),
        ((0, 0),),
    )
    assert two.history[0].totals == ((130.0, 50.0, 90.0),)
    assert one.gains is None and two.estimates is None and two.suggestion is None


def test_the_group_ends_with_the_best_known_plan_or_as_printed_with_the_last():
    moves = [
        (0, 0),
        (1, 0),
        (0, 0),
        (1, 1),
    ]  # divergence 80, 50, 80, 80; welfare 270, 270, 270, 310
    rounds = play(leader(*moves), rounds=4)
    assert [r.best for r in rounds] == [(0, 0), (1, 0), (1, 0), (1, 0)]
    assert choose(rounds) == (1, 0) and choose(rounds, "last") == (1, 1)
    assert [r.best for r in play(leader(*moves), rounds=4, objective="welfare")] == [
        (0, 0)
    ] * 3 + [(1, 1)]
    lost = play(leader((1, 0), (0, 0), MalformedReply("no")), rounds=3)
    assert choose(lost) == (1, 0) and choose(lost, "last") == (0, 0)
    none = play(leader((5, 5), (5, 5)), rounds=2)
    assert choose(none) is choose(none, "last") is choose([]) is None and [
        r.best for r in none
    ] == [None, None]


def test_its_own_choice_is_asked_for_where_no_round_is_left_and_without_one_its_last_statement_counts():
    led = leader((0, 0), (1, 0), Move(((0, 0),), "the fairest", True))
    rounds = play(led, rounds=2, final="its own")
    assert [(b.round, b.over) for b in briefs(led)] == [
        (1, False),
        (2, False),
        (3, True),
    ]
    assert [r.finish for r in rounds] == [False, False, True] and choose(
        rounds, "its own"
    ) == (0, 0) != rounds[-1].best
    amiss = play(leader((0, 0), (1, 0), (1, 1)), rounds=2, final="its own")
    assert "no round is left" in amiss[-1].format_errors[0].detail and choose(
        amiss, "its own"
    ) == (1, 0)
    stopped = play(leader((0, 0), Move(((0, 0),), finish=True)), final="its own")
    assert len(stopped) == 2 and (
        stopped[-1].plans,
        stopped[-1].feedback,
        stopped[-1].replies,
    ) == (((0, 0),), (), 0)
    assert (
        len(play(leader((5, 5), (5, 5)), rounds=2, final="its own")) == 2
    )  # there is none to choose


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ((0, 2), "option 2 given; expected a whole number from 0 to 1"),
        (Move(((0, 0), (1, 1))), "2 plans given; expected 1"),
        (Move(((1, 1),), finish=True), "not among the known ones"),
        (MalformedReply("the reply is no JSON"), "the reply is no JSON"),
    ],
)
def test_a_move_that_does_not_fit_costs_its_round_and_is_told(move, said):
    seats = people()
    first, second, third = play(leader((0, 0), move, (1, 0)), seats, rounds=3)
    (error,) = second.format_errors
    assert (error.agent, error.phase) == (
        "coordinator",
        "propose",
    ) and said in error.detail
    assert second.plans == second.feedback == () and second.best == first.best == (0, 0)
    assert not third.format_errors and len(seats[NAMES[0]].asked) == 2


def test_an_answer_that_does_not_fit_is_empty_and_leaves_the_totals_unknown_but_to_the_estimator():
    seats = people() | {
        "Player 2": SimpleNamespace(
            judge=AsyncMock(side_effect=MalformedReply("too long"))
        )
    }
    (entry,) = play(leader((0, 0)), seats, rounds=1)
    assert entry.feedback[1] == Feedback(NAMES[1]) and entry.feedback[0].score == 130
    assert [(e.agent, e.phase) for e in entry.format_errors] == [(NAMES[1], "judge")]
    assert (
        entry.heard == () and entry.totals == ((130, 50, 90),) and entry.best == (0, 0)
    )
    (entry,) = play(
        leader((0, 0)), seats, rounds=1, estimator=guess(np.full((3, 2, 2), 25.5))
    )
    assert entry.heard == ((51.0, 51.0, 51.0),)


def test_words_are_estimated_and_earlier_totals_move_with_what_is_expected_now():
    first, led, expects = (
        np.full((3, 2, 2), 10.0),
        leader((0, 0), (1, 0)),
        guess(np.full((3, 2, 2), 10.0), GAINS + 0.0),
    )
    one, two = play(led, rounds=2, feedback="words", estimator=expects)
    assert [a.text for a in one.feedback] == ["well"] * 3 and one.heard == (
        (20.0, 20.0, 20.0),
    )
    assert two.heard == ((60.0, 100.0, 110.0),) and two.best == (1, 0)
    assert (briefs(led)[1].estimates == first).all()
    assert [len(call.args[2]) for call in expects.estimate.await_args_list] == [1, 2]
    assert [
        r.heard for r in play(leader((0, 0), (1, 0)), rounds=2, feedback="words")
    ] == [(), ()]


def test_under_comparison_two_plans_are_put_to_everybody_and_the_group_can_stop_with_one():
    led = leader(Move(((0, 0), (1, 0))), (0, 0), Move(((1, 0),), finish=True))
    rounds = play(led, feedback="comparison", estimator=guess(GAINS + 0.0))
    entry, lost, _ = rounds
    assert [a.prefers for a in entry.feedback] == [0, 1, 1] and briefs(led)[
        0
    ].plans == 2
    assert entry.heard == (
        (130.0, 50.0, 90.0),
        (60.0, 100.0, 110.0),
    ) and entry.best == (1, 0)
    assert "1 plans given; expected 2" in lost.format_errors[0].detail and choose(
        rounds
    ) == (1, 0)


def test_a_solver_suggests_on_the_estimates_once_there_are_any_and_on_the_gains_if_they_are_public():
    seen, made, led = [], np.full((3, 2, 2), 10.0), leader((0, 0), (1, 1))

    def solver(gains):
        seen.append(gains)
        return [1, 0]

    rounds = play(led, rounds=2, estimator=guess(made, made), solver=solver)
    assert (
        [r.suggestion for r in rounds]
        == [None, (1, 0)]
        == [b.suggestion for b in briefs(led)]
    )
    (entry,) = play(leader((0, 0)), rounds=1, feedback="complete", solver=solver)
    assert entry.suggestion == (1, 0) and np.array_equal(seen, [made, GAINS])


@pytest.mark.parametrize("feedback", FEEDBACK)
def test_a_record_goes_to_the_store_and_comes_back_as_it_was_and_exports(
    feedback, store
):
    both = feedback in PAIRED
    led = leader(
        Move(((0, 0), (1, 0))[: 1 + both]),
        MalformedReply("no"),
        Move(((0, 0),), "done", True),
    )
    seats, expects = people(), guess(GAINS + 0.0)
    rounds = play(
        led, seats, feedback=feedback, estimator=expects, solver=lambda gains: (1, 1)
    )
    made = record(
        PROBLEM,
        {**seats, "coordinator": led, "estimator": expects, "solver": None},
        rounds,
        noise=0.5,
    )
    assert made.chosen == (0, 0) and np.array(made.gains).tolist() == GAINS.tolist()
    assert list(made.seats.values()) == ["fake"] * 3 + ["leader", "guess", "none"]
    assert made.settings == {"noise": 0.5, "final": "best known"}
    assert store.record(store.save("plans", made, {"feedback": feedback})) == made
