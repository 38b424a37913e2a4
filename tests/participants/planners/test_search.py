"""Coordinators that search: nothing is proposed twice, what was answered is learnt, and nothing is evaluated beside."""

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.environments.fair_decisions.views import Heard
from support.participants.planners.search import TRIES, SearchPlanner
from support.participants.planners.seating import seat_planner

KINDS = ("mcts", "mcts printed", "random", "local")


class Stubborn:
    """Asks for the same plan until it is closed, then for another one; keeps what it was told."""

    best = None

    def __init__(self):
        self.learnt, self.closed = [], set()

    def descend(self):
        return (1, 1) if (0, 0) in self.closed else (0, 0)

    def learn(self, plan, value):
        self.learnt.append((plan, value))

    def close(self, plan):
        self.closed.add(plan)


def move(planner, brief):
    return asyncio.run(planner.propose(brief))


def search(briefed, kind, gains, rounds, seed=0, plans=1):
    """The plans of each round until the planner stops, and its last move."""
    rng = np.random.default_rng(seed)
    planner, known = seat_planner(kind, np.shape(gains), rng), []
    for _ in range(rounds):
        made = move(planner, briefed(gains, *known, plans=plans))
        if made.finish:
            return known, made
        known.append(made.plans if plans > 1 else made.plans[0])
    return known, made


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 3), m=st.integers(1, 3))
def test_every_plan_is_proposed_once_and_then_the_best_one_ends_the_search(kind, briefed, seed, n, m):
    gains = np.random.default_rng(seed).integers(0, 50, (3, n, m))
    known, last = search(briefed, kind, gains, m**n + 1, seed)
    assert len(known) == len(set(known)) == m**n and last.finish
    spread = [np.ptp(gains[:, range(n), plan].sum(axis=1)) for plan in known]
    assert last.plans[0] == known[int(np.argmin(spread))]


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_under_comparison_each_round_brings_a_new_plan_against_the_best(kind, briefed, seed):
    gains = np.random.default_rng(seed).integers(0, 50, (3, 4, 3))
    known, _ = search(briefed, kind, gains, 6, seed, plans=2)
    seen = set(known[0])
    assert len(seen) == 2
    for first, second in known[1:]:
        assert first in seen and second not in seen
        seen.add(second)


@pytest.mark.parametrize("kind", KINDS)
def test_one_seed_gives_one_search_and_another_seed_another(kind, briefed):
    gains = np.random.default_rng(3).integers(0, 50, (3, 8, 3))
    runs = [tuple(search(briefed, kind, gains, 8, seed)[0]) for seed in (1, 1, 2, 3, 4, 5)]
    assert runs[0] == runs[1] and len(set(runs)) > 1


def test_a_search_learns_each_answer_once_with_the_value_of_the_objective(briefed):
    gains = np.array([[[5, 1], [2, 2]], [[1, 1], [1, 7]]])
    for objective, values in (("divergence", [-5, -1]), ("welfare", [11, 15])):
        searcher = Stubborn()
        planner = SearchPlanner("stub", searcher, np.random.default_rng(0))
        brief = briefed(gains, (1, 1), objective=objective)
        assert move(planner, brief).plans == ((0, 0),)
        assert searcher.learnt == [((1, 1), values[0])]
        move(planner, briefed(gains, (1, 1), (0, 1), objective=objective))
        assert searcher.learnt == [((1, 1), values[0]), ((0, 1), values[1])]


def test_a_searcher_that_keeps_to_a_known_plan_is_told_again_and_at_last_overruled(briefed):
    searcher = Stubborn()
    planner = SearchPlanner("stub", searcher, np.random.default_rng(0))
    made = move(planner, briefed(np.ones((2, 2, 2), int), (0, 0)))
    assert made.plans[0] != (0, 0) and not made.finish
    assert searcher.learnt == [((0, 0), 0.0)] * (1 + TRIES)


def test_a_plan_of_which_nothing_was_understood_is_closed_and_not_learnt(briefed):
    brief = briefed(np.ones((2, 2, 2), int))
    searcher = Stubborn()
    mute = type(brief)(brief.table, "words", "divergence", 2, 5, history=(Heard(((0, 0),), ()),))
    made = move(SearchPlanner("stub", searcher, np.random.default_rng(0)), mute)
    assert searcher.closed == {(0, 0)} and searcher.learnt == [] and made.plans == ((1, 1),)


def test_a_suggestion_of_a_solver_goes_first_unless_it_is_known(briefed):
    planner = SearchPlanner("stub", Stubborn(), np.random.default_rng(0))
    gains = np.ones((2, 2, 2), int)
    assert move(planner, briefed(gains, suggestion=(0, 1))).plans == ((0, 1),)
    assert move(planner, briefed(gains, (0, 1), suggestion=(0, 1))).plans == ((0, 0),)


@pytest.mark.parametrize("kind", KINDS)
def test_public_gains_change_nothing_so_that_evaluations_are_as_many_as_rounds(kind, briefed):
    gains = np.random.default_rng(5).integers(0, 50, (3, 6, 3))
    planners = [seat_planner(kind, gains.shape, np.random.default_rng(1)) for _ in range(2)]
    hidden, public = (
        move(planner, briefed(gains, (0,) * 6, gains=told))
        for planner, told in zip(planners, (None, gains), strict=True)
    )
    assert hidden == public
