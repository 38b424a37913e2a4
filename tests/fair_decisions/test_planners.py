"""Coordinators that compute: nothing is proposed twice, answers are learnt once, and
solvers solve on what they may."""

import asyncio
from functools import partial
from itertools import product
from unittest.mock import Mock, call

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.fair_decisions.measures import OBJECTIVES, value
from support.fair_decisions.planners import (
    SEARCHES,
    SOLVERS,
    TRIES,
    SearchPlanner,
    Suggester,
    advised,
    checked_move,
    nearby,
    whole,
)
from support.fair_decisions.problem import Heard
from support.fair_decisions.seats import PLANNER, Leading
from support.solvers.fair import totals

PLANS = list(product(range(3), repeat=4))
SEEDS, SIDES = st.integers(0, 2**32 - 1), st.integers(1, 3)


def worth(gains, plan, objective="divergence"):
    best = gains.max(axis=2).sum(axis=1)
    return value(objective, totals(gains, plan), best)


def move(planner, brief):
    return asyncio.run(planner.propose(brief))


def seated(kind, shape, seed=0):
    return PLANNER.seat(kind, np.random.default_rng(seed), Leading(shape))


@pytest.mark.parametrize("kind", [*SEARCHES, "exact"])
@settings(max_examples=30)
@given(SEEDS, SIDES, SIDES, st.sampled_from([1, 2]))
def test_every_plan_is_proposed_once_against_the_best_and_the_best_ends_the_search(
    kind, briefed, seed, n, m, plans
):
    gains = np.random.default_rng(seed).integers(0, 50, (3, n, m))
    planner, rounds = seated(kind, gains.shape, seed), []
    while True:
        brief = briefed(gains, *rounds, plans=plans, rounds=99)
        made = checked_move(brief, move(planner, brief))  # refuses what is known
        if brief.known and (made.finish or plans == 2):
            assert made.plans[0] == max(brief.known, key=partial(worth, gains))
        if made.finish:
            break
        rounds.append(made.plans)
    assert len(set(brief.known)) == m**n and len(rounds) <= m**n


@pytest.fixture
def stubborn():
    """Asks for the same plan until it is closed, then for another one."""
    planner = SearchPlanner("random", (2, 2, 2), np.random.default_rng(0))
    planner.searcher = searcher = Mock()
    searcher.descend = lambda: (1, 1) if searcher.close.called else (0, 0)
    return planner


FLAT = np.ones((2, 2, 2), int)


def test_a_searcher_that_keeps_to_a_known_plan_is_told_again_and_at_last_overruled(
    briefed, stubborn
):
    assert move(stubborn, briefed(FLAT, (0, 0))).plans[0] != (0, 0)
    assert stubborn.searcher.learn.mock_calls == [call((0, 0), 0.0)] * (1 + TRIES)


def test_a_plan_that_nobody_understood_is_closed_and_a_new_suggestion_goes_first(
    briefed, stubborn
):
    mute = briefed(FLAT, history=(Heard(((0, 0),), ()),))
    assert move(stubborn, mute).plans == ((1, 1),)
    assert stubborn.searcher.mock_calls == [call.close((0, 0))]
    for known, plan in ([], (0, 1)), ([(0, 1)], (1, 1)):
        assert move(stubborn, briefed(FLAT, *known, suggestion=(0, 1))).plans == (plan,)


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=8)
@given(seed=SEEDS, objective=st.sampled_from(OBJECTIVES))
def test_nothing_is_advised_of_which_nothing_is_known(solver, seed, objective):
    rng = np.random.default_rng(seed)
    latest = tuple(rng.integers(3, size=4).tolist())
    gains = rng.normal(0, 9, (3, 4, 3))
    unheard = rng.random((4, 3)) < 0.5
    gains[:, unheard] = 3
    plan = advised(Suggester(objective, solver, rng), gains, latest)
    for j, k in enumerate(plan):
        assert not unheard[j, k] or k == latest[j]
    if solver == "exact" and objective != "shortfall":  # its best total hangs on all
        found, before = (worth(whole(gains), one, objective) for one in (plan, latest))
        assert found >= before


@given(SEEDS, st.integers(1, 8), st.sampled_from(OBJECTIVES))
def test_nearby_is_the_best_unknown_plan_that_differs_in_one_or_two_decisions(
    seed, count, objective
):
    rng = np.random.default_rng(seed)
    gains = rng.normal(10, 5, (3, 4, 3))
    plan, *others = map(tuple, rng.permutation(PLANS)[:count].tolist())
    known = {plan, *others}
    apart = dict(zip(PLANS, (np.array(PLANS) != plan).sum(axis=1), strict=True))
    new = [other for other in PLANS if apart[other] <= 2 and other not in known]
    found = nearby(plan, gains, objective, known)
    best = max(worth(gains, other, objective) for other in new)
    assert found in new and worth(gains, found, objective) == pytest.approx(best)
