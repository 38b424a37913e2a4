"""Coordinators that compute: nothing is proposed twice, answers are learnt once, and
solvers solve on what they may."""

import asyncio
from itertools import product
from unittest.mock import Mock, call

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.fair_decisions.measures import OBJECTIVES, value
from support.fair_decisions.planners import (
    SEARCHES,
    STEPS,
    TRIES,
    ExactPlanner,
    SearchPlanner,
    Suggester,
    advised,
    checked_move,
    nearby,
    whole,
)
from support.fair_decisions.problem import Heard, Move
from support.fair_decisions.seats import PLANNER, Leading

SMALL = [[[80, 10], [50, 50]], [[20, 70], [30, 70]], [[40, 60], [50, 50]]]
ALL = [(0, 0), (0, 1), (1, 0), (1, 1)]
GAINS = np.random.default_rng(7).integers(0, 60, (3, 4, 3))
PLANS = list(product(range(3), repeat=4))


def worth(gains, plan, objective="divergence"):
    totals = gains[:, range(len(plan)), plan].sum(axis=1)
    return value(objective, totals, gains.max(axis=2).sum(axis=1))


def move(planner, brief):
    return asyncio.run(planner.propose(brief))


def exact(brief):
    return move(ExactPlanner(np.random.default_rng(0)), brief)


KNOWN = "Meal 1: Option 1, Meal 2: Option 1 is known already"
PAIR = [((0, 0), (1, 0))]


@pytest.mark.parametrize(
    ("rounds", "move", "said"),
    [
        (PAIR, Move(((0, 1), (0, 0))), KNOWN),
        (PAIR, Move(((0, 1), (0, 1))), "given twice; expected two different plans"),
        (PAIR, Move(((1, 0), (0, 1))), ""),
        (PAIR, Move(((1, 0),), finish=True), ""),
        (ALL, Move(((0, 0),)), ""),
    ],
)
def test_a_move_that_is_not_allowed_is_refused_with_the_plan_in_words(
    rounds, move, said, briefed
):
    brief = briefed(SMALL, *rounds, plans=2 if rounds == PAIR else 1)
    if not said:
        assert checked_move(brief, move) == move
        return
    with pytest.raises(InvalidInput, match=said):
        checked_move(brief, move)


# ---- searchers -----------------------------------------------------------------------


def stubborn():
    """Asks for the same plan until it is closed, then for another one."""
    planner = SearchPlanner("random", (2, 2, 2), np.random.default_rng(0))
    planner.searcher = searcher = Mock()
    searcher.descend = lambda: (1, 1) if searcher.close.called else (0, 0)
    return planner


@pytest.mark.parametrize("kind", [*SEARCHES, "exact"])
@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 3),
    m=st.integers(1, 3),
    plans=st.sampled_from([1, 2]),
)
def test_every_plan_is_proposed_once_against_the_best_and_the_best_ends_the_search(
    kind, briefed, seed, n, m, plans
):
    gains = np.random.default_rng(seed).integers(0, 50, (3, n, m))
    planner = PLANNER.seat(kind, np.random.default_rng(seed), Leading(gains.shape))
    seen, rounds = [], []
    while True:
        brief = briefed(gains, *rounds, plans=plans, rounds=99)
        made = checked_move(brief, move(planner, brief))
        if made.finish:
            break
        if plans == 2 and seen:
            assert made.plans[0] == max(seen, key=lambda plan: worth(gains, plan))
        assert made.plans[-1] not in seen
        seen += made.plans[-1:] if seen else made.plans
        rounds.append(made.plans)
    assert len(set(seen)) == m**n and len(seen) == max(m**n, plans)
    assert worth(gains, made.plans[0]) == max(worth(gains, plan) for plan in seen)


def test_a_searcher_that_keeps_to_a_known_plan_is_told_again_and_at_last_overruled(
    briefed,
):
    planner = stubborn()
    made = move(planner, briefed(np.ones((2, 2, 2), int), (0, 0)))
    told = [call((0, 0), 0.0)] * (1 + TRIES)
    assert made.plans[0] != (0, 0) and planner.searcher.learn.mock_calls == told


def test_a_plan_that_nobody_understood_is_closed_and_a_new_suggestion_goes_first(
    briefed,
):
    gains, planner = np.ones((2, 2, 2), int), stubborn()
    mute = briefed(gains, feedback="words", history=(Heard(((0, 0),), ()),))
    assert move(planner, mute).plans == ((1, 1),)
    assert planner.searcher.mock_calls == [call.close((0, 0))]
    assert move(stubborn(), briefed(gains, suggestion=(0, 1))).plans == ((0, 1),)
    known = briefed(gains, (0, 1), suggestion=(0, 1))
    assert move(stubborn(), known).plans == ((0, 0),)


# ---- the solver ----------------------------------------------------------------------


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_on_public_gains_it_proposes_the_optimum_and_then_stops_with_it(
    objective, briefed
):
    first = exact(briefed(GAINS, gains=GAINS, objective=objective))
    best = max(worth(GAINS, plan, objective) for plan in PLANS)
    assert worth(GAINS, first.plans[0], objective) == best and not first.finish
    last = exact(briefed(GAINS, first.plans[0], gains=GAINS, objective=objective))
    assert last.finish and last.plans == first.plans


@pytest.mark.parametrize("solver", ["exact", "mcts", "mcts printed"])
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_nothing_is_advised_of_which_nothing_is_known(solver, seed):
    rng = np.random.default_rng(seed)
    gains, latest = (
        rng.normal(30, 9, (3, 4, 3)),
        tuple(rng.integers(3, size=4).tolist()),
    )
    unheard = rng.random((4, 3)) < 0.5
    gains[:, unheard] = 100 / 3
    plan = advised(Suggester("divergence", solver, rng), gains, latest)
    for j, k in enumerate(plan):
        assert not unheard[j, k] or k == latest[j]
    if solver == "exact":
        assert worth(whole(gains), plan) >= worth(whole(gains), latest)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from([*OBJECTIVES]))
def test_nearby_is_the_best_unknown_plan_that_differs_in_one_or_two_decisions(
    seed, count, objective
):
    rng = np.random.default_rng(seed)
    gains = rng.normal(10, 5, (3, 4, 3))
    plan = tuple(rng.integers(3, size=4).tolist())
    known = {plan} | {PLANS[i] for i in rng.choice(len(PLANS), count)}
    near = []
    for other in PLANS:
        changes = sum(a != b for a, b in zip(other, plan, strict=True))
        if changes in (1, 2) and other not in known:
            near.append(other)
    found = nearby(plan, gains, objective, known)
    best = max(worth(gains, other, objective) for other in near)
    assert found in near and worth(gains, found, objective) == pytest.approx(best)
    assert nearby(plan, gains, objective, known - {plan}) == plan
    assert nearby((0,), np.ones((2, 1, 2)), "divergence", {(0,), (1,)}) is None


@given(st.integers(0, 2**32 - 1))
def test_expectations_below_zero_are_raised_and_keep_their_divergences(seed):
    gains = np.random.default_rng(seed).normal(0, 5, (3, 3, 2))
    made, scaled = whole(gains), np.rint(gains * STEPS / np.abs(gains).max())
    assert made.min() >= 0 and np.issubdtype(made.dtype, np.integer)
    for plan in product(range(2), repeat=3):
        assert worth(made, plan) == worth(scaled, plan)
    assert whole(GAINS) is GAINS and not whole(np.zeros((1, 1, 2))).any()
