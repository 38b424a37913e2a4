"""Random and local search: no plan twice, steps of one decision, restarts at local optima."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.solvers.ask_tell import follow
from support.solvers.fair.search import LocalSearch, RandomSearch, local_search, neighbours, random_search, uniform
from support.solvers.mcts import Tree

SEARCHES = {"random": RandomSearch, "local": LocalSearch, "tree": Tree}


def rng(seed=0):
    return np.random.default_rng(seed)


def landscape(seed, decisions, options):
    """A value for each plan, with ties."""
    values = rng(seed).integers(-30, 0, (options,) * decisions)
    return lambda plan: int(values[plan])


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(sorted(SEARCHES)), st.integers(1, 4), st.integers(1, 4), st.integers(0, 10**6))
def test_each_plan_is_asked_about_once_and_the_best_is_found(kind, decisions, options, seed):
    value_of, space = landscape(seed, decisions, options), options**decisions
    search = SEARCHES[kind](decisions, options, rng(seed))
    trace = follow(search, value_of, space)
    assert len(np.unique(trace.plans, axis=0)) == space
    assert trace.value == max(map(value_of, itertools.product(range(options), repeat=decisions)))
    assert search.best == (trace.plan, trace.value)
    assert len(search.descend()) == decisions  # when all are known, any


@pytest.mark.parametrize("kind", sorted(SEARCHES))
def test_closed_plans_are_not_proposed_while_others_are_left(kind):
    search = SEARCHES[kind](2, 2, rng())
    for plan in ((0, 0), (0, 1), (1, 1)):
        search.close(plan)
    assert search.descend() == (1, 0) and search.best is None


@pytest.mark.parametrize("kind", sorted(SEARCHES))
def test_a_plan_that_another_proposed_is_learnt_and_not_asked_again(kind):
    search = SEARCHES[kind](2, 2, rng())
    search.learn((1, 1), -2.0)
    search.learn((0, 1), -5.0)
    search.learn((1, 0), -2.0)
    assert search.best == ((1, 1), -2.0) and search.descend() == (0, 0)


@pytest.mark.parametrize("kind", sorted(SEARCHES))
def test_what_cannot_be_learnt_is_refused(kind):
    search = SEARCHES[kind](2, 2, rng())
    for plan, value in (((0, 2), 1.0), ((0, 0, 0), 1.0), ((0, 0), math.inf)):
        with pytest.raises(InvalidInput, match="given"):
            search.learn(plan, value)


def test_random_plans_are_uniform_in_every_order():
    first = [tuple(random_search(landscape(0, 2, 2), 2, 2, 4, rng(seed)).plans[0]) for seed in range(800)]
    last = [tuple(random_search(landscape(0, 2, 2), 2, 2, 4, rng(seed)).plans[3]) for seed in range(800)]
    for drawn in (first, last):
        assert min(drawn.count(plan) for plan in itertools.product(range(2), repeat=2)) > 150
    assert np.bincount([uniform(rng(seed), 1, 3)[0] for seed in range(600)], minlength=3).min() > 150


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5), st.integers(2, 4), st.integers(5, 60), st.integers(0, 10**6))
def test_local_search_changes_one_decision_of_the_best_plan_since_its_start_or_has_exhausted_it(n, m, asked, seed):
    value_of = landscape(seed, n, m)
    plans = [tuple(plan) for plan in local_search(value_of, n, m, min(asked, m**n), rng(seed)).plans.tolist()]
    here = plans[0]
    for place, plan in enumerate(plans[1:], start=1):
        if plan not in neighbours(here, m):
            assert set(neighbours(here, m)) <= set(plans[:place]), "it started again with a neighbour left"
            assert all(value_of(near) <= value_of(here) or plans.index(near) < plans.index(here)
                       for near in neighbours(here, m))  # fmt: skip
            here = plan
        elif value_of(plan) > value_of(here) or set(neighbours(here, m)) <= set(plans[:place]):
            here = plan


def test_neighbours_are_all_plans_at_distance_one():
    plan = (0, 2, 1)
    expected = {
        p for p in itertools.product(range(3), repeat=3) if sum(a != b for a, b in zip(p, plan, strict=True)) == 1
    }
    assert set(neighbours(plan, 3)) == expected and len(neighbours(plan, 3)) == 6


def test_local_search_beats_random_search_where_decisions_are_independent():
    value_of = lambda plan: float(sum(plan))  # noqa: E731
    climbed = np.mean([local_search(value_of, 10, 5, 60, rng(seed)).value for seed in range(20)])
    drawn = np.mean([random_search(value_of, 10, 5, 60, rng(seed)).value for seed in range(20)])
    assert climbed > drawn + 3


def test_searches_are_seeded():
    for search in (random_search, local_search):
        runs = [search(landscape(0, 4, 3), 4, 3, 30, rng(seed)).plans.tolist() for seed in (1, 1, 2)]
        assert runs[0] == runs[1] != runs[2]
    with pytest.raises(InvalidInput, match="evaluations: 0 given"):
        random_search(landscape(0, 4, 3), 4, 3, 0, rng())
