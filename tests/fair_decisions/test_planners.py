"""Coordinators that compute: nothing is proposed twice, answers are learnt once, and solvers solve on what they may."""

import asyncio
from itertools import product
from unittest.mock import Mock, call

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.fair_decisions.planners import (
    STEPS,
    TRIES,
    ExactPlanner,
    SearchPlanner,
    checked_move,
    nearby,
    new_move,
    whole,
)
from support.fair_decisions.problem import Heard, Move
from support.fair_decisions.seats import PLANNER, Leading

SMALL = [[[80, 10], [50, 50]], [[20, 70], [30, 70]], [[40, 60], [50, 50]]]
ALL = [(0, 0), (0, 1), (1, 0), (1, 1)]
GAINS = np.random.default_rng(7).integers(0, 60, (3, 4, 3))
PLANS = list(product(range(3), repeat=4))
SEARCHERS = ("mcts", "mcts printed", "random", "local")


def spread(gains, plan):
    return np.ptp(gains[:, range(len(plan)), plan].sum(axis=1))


def move(planner, brief):
    return asyncio.run(planner.propose(brief))


def exact(brief, seed=0):
    return move(ExactPlanner(np.random.default_rng(seed)), brief)


# ---- what is common to all -------------------------------------------------------------------------------------------


def test_a_new_move_is_new_is_set_against_the_best_and_stops_when_nothing_is(briefed):
    def first(known):
        return next((plan for plan in ALL if plan not in known), None)

    assert new_move(briefed(SMALL, (0, 0)), first, "why") == Move(((0, 1),), "why")
    assert new_move(briefed(SMALL, plans=2), first, "why").plans == ((0, 0), (0, 1))
    assert new_move(briefed(SMALL, ((0, 0), (1, 0)), plans=2), first, "why").plans == (
        (1, 0),
        (0, 1),
    )
    for plans, rounds in ((1, ALL), (2, [(ALL[0], ALL[1]), (ALL[2], ALL[3])])):
        last = new_move(briefed(SMALL, *rounds, plans=plans), first, "why")
        assert last.finish and last.plans == ((0, 1),)
    assert new_move(briefed(SMALL, (0, 0), rounds=1), first, "why") == Move(
        ((0, 0),), "no round is left", True
    )
    only = new_move(
        one := briefed([[[3]], [[4]]], plans=2),
        lambda known: None if known else (0,),
        "why",
    )
    assert only.plans == ((0,), (0,)) and checked_move(one, only) == only


KNOWN = "Meal 1: Option 1, Meal 2: Option 1 is known already"


@pytest.mark.parametrize(
    ("rounds", "move", "said"),
    [
        ([(0, 0)], Move(((0, 0),)), KNOWN),
        (
            [(0, 0)],
            Move(((0, 1),), finish=True),
            "Meal 1: Option 1, Meal 2: Option 2 is not known yet; to stop",
        ),
        ([(0, 0)], Move(((0, 1), (1, 1))), "plans: 2 given; expected 1"),
        (
            [(0, 0)],
            Move(((0, 2),)),
            "option 2 given; expected a whole number from 0 to 1",
        ),
        ([(0, 0)], "(0, 1)", "expected a Move"),
        ([((0, 0), (1, 0))], Move(((0, 1), (0, 0))), KNOWN),
        (
            [((0, 0), (1, 0))],
            Move(((0, 1), (0, 1))),
            "given twice; expected two different plans",
        ),
        ([((0, 0), (1, 0))], Move(((1, 0), (0, 1))), ""),
        ([((0, 0), (1, 0))], Move(((1, 0),), finish=True), ""),
        (ALL, Move(((0, 0),)), ""),
        (
            [(0, 0)] * 5,
            Move(((0, 1),)),
            "no round is left; stop with one of the known plans",
        ),
    ],
)
def test_a_move_that_is_not_allowed_is_refused_with_the_plan_in_words(
    rounds, move, said, briefed
):
    brief = briefed(SMALL, *rounds, plans=2 if isinstance(rounds[0][0], tuple) else 1)
    if said:
        with pytest.raises(InvalidInput, match=said):
            checked_move(brief, move)
    else:
        assert checked_move(brief, move) == move


# ---- searchers -------------------------------------------------------------------------------------------------------


def stubborn():
    """Asks for the same plan until it is closed, then for another one."""
    searcher = Mock()
    searcher.descend = lambda: (1, 1) if searcher.close.called else (0, 0)
    return SearchPlanner("stub", searcher, np.random.default_rng(0))


@pytest.mark.parametrize("kind", SEARCHERS)
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 3),
    m=st.integers(2, 3),
    plans=st.sampled_from([1, 2]),
)
def test_every_plan_is_proposed_once_against_the_best_and_then_the_best_ends_the_search(
    kind, briefed, seed, n, m, plans
):
    gains = np.random.default_rng(seed).integers(0, 50, (3, n, m))
    planner = PLANNER.seat(kind, np.random.default_rng(seed), Leading(gains.shape))
    rounds, seen = [], []
    while not (
        made := move(planner, briefed(gains, *rounds, plans=plans, rounds=99))
    ).finish:
        *best, new = made.plans
        assert new not in seen and (
            not best or not seen or best == [min(seen, key=lambda p: spread(gains, p))]
        )
        seen += made.plans if not seen else [new]
        rounds.append(made.plans)
    assert len(set(seen)) == len(seen) == m**n and spread(gains, made.plans[0]) == min(
        spread(gains, p) for p in seen
    )


def test_a_searcher_that_keeps_to_a_known_plan_is_told_again_and_at_last_overruled(
    briefed,
):
    planner = stubborn()
    made = move(planner, briefed(np.ones((2, 2, 2), int), (0, 0)))
    assert made.plans[0] != (0, 0) and planner.searcher.learn.mock_calls == [
        call((0, 0), 0.0)
    ] * (1 + TRIES)


def test_a_plan_that_nobody_understood_is_closed_and_a_new_suggestion_goes_first(
    briefed,
):
    gains, planner = np.ones((2, 2, 2), int), stubborn()
    mute = briefed(gains, feedback="words", history=(Heard(((0, 0),), ()),))
    assert move(planner, mute).plans == ((1, 1),)
    assert planner.searcher.mock_calls == [call.close((0, 0))]
    assert move(stubborn(), briefed(gains, suggestion=(0, 1))).plans == ((0, 1),)
    assert move(stubborn(), briefed(gains, (0, 1), suggestion=(0, 1))).plans == (
        (0, 0),
    )


# ---- the solver ------------------------------------------------------------------------------------------------------


def test_on_public_gains_it_proposes_the_optimum_and_then_stops_with_it(briefed):
    first = exact(briefed(GAINS, gains=GAINS))
    assert (
        spread(GAINS, first.plans[0]) == min(spread(GAINS, plan) for plan in PLANS)
        and not first.finish
    )
    last = exact(briefed(GAINS, first.plans[0], gains=GAINS))
    assert last.finish and last.plans == first.plans
    rich = exact(briefed(GAINS, gains=GAINS, objective="welfare")).plans[0]
    assert rich == tuple(GAINS.sum(axis=0).argmax(axis=1).tolist())


def test_on_estimates_it_proposes_what_is_expected_to_be_best_though_it_is_not(briefed):
    guess = np.random.default_rng(8).random((3, 4, 3)) * 30
    (plan,) = exact(briefed(GAINS, (0, 0, 0, 0), estimates=guess)).plans
    scaled = np.rint(guess * STEPS / guess.max())
    assert spread(scaled, plan) == min(
        spread(scaled, other) for other in PLANS if other != (0, 0, 0, 0)
    )
    brief = briefed(
        GAINS,
        ((0, 0, 0, 0), (1, 1, 1, 1)),
        plans=2,
        feedback="comparison",
        estimates=GAINS + 0.0,
    )
    first, second = exact(brief).plans
    assert first in brief.known and second not in brief.known


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 8),
    st.sampled_from(["divergence", "welfare"]),
)
def test_nearby_is_the_best_unknown_plan_that_differs_in_one_or_two_decisions(
    seed, count, objective
):
    rng = np.random.default_rng(seed)
    gains = rng.normal(10, 5, (3, 4, 3))
    plan = tuple(rng.integers(3, size=4).tolist())
    known = {plan} | {PLANS[i] for i in rng.choice(len(PLANS), count)}

    def worth(other):
        totals = gains[:, range(4), other].sum(axis=1)
        return -np.ptp(totals) if objective == "divergence" else totals.sum()

    near = [
        p
        for p in PLANS
        if 1 <= sum(a != b for a, b in zip(p, plan, strict=True)) <= 2
        and p not in known
    ]
    found = nearby(plan, gains, objective, known)
    assert found in near and worth(found) == pytest.approx(max(map(worth, near)))
    assert nearby(plan, gains, objective, known - {plan}) == plan
    assert nearby((0,), np.ones((2, 1, 2)), "divergence", {(0,), (1,)}) is None


@given(st.integers(0, 2**32 - 1))
def test_whole_numbers_keep_their_divergences_and_negative_expectations_are_raised_not_cut(
    seed,
):
    gains = np.random.default_rng(seed).normal(0, 5, (3, 3, 2))
    made = whole(gains)
    assert made.min() >= 0 and np.issubdtype(made.dtype, np.integer)
    for plan in product(range(2), repeat=3):
        assert spread(made, plan) == spread(
            np.rint(gains * STEPS / np.abs(gains).max()), plan
        )
    assert whole(GAINS) is GAINS and not whole(np.zeros((1, 1, 2))).any()
