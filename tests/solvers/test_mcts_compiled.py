"""The compiled search is the plain one: the same plans, values and random numbers on the same seed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.solvers.mcts import PRINTED, Settings, run
from support.solvers.mcts_compiled import run_compiled
from support.solvers.mcts_settings import ROOT, SCALES, TIES, UNVISITED

CHOICES = st.builds(
    Settings,
    c=st.sampled_from([0.0, 0.5, 1.5, 10.0]),
    noise=st.sampled_from([0.0, 0.25, 1.0]),
    alpha=st.sampled_from([0.05, 0.3, 2.0]),
    redraw=st.booleans(),
    temperature=st.sampled_from([0.001, 0.5, 1.0, 3.0]),
    top_k=st.integers(1, 4),
    scale=st.sampled_from(SCALES),
    unvisited=st.sampled_from(UNVISITED),
    ties=st.sampled_from(TIES),
    root=st.sampled_from(ROOT),
    again=st.booleans(),
)
SIZES = st.tuples(st.integers(1, 4), st.integers(1, 6), st.integers(1, 5))
OBJECTIVES = {"divergence": lambda totals: totals.min() - totals.max(), "welfare": np.sum}


def worth(gains, objective):
    return lambda plan: OBJECTIVES[objective](gains[:, np.arange(gains.shape[1]), list(plan)].sum(axis=1))


def both(gains, iterations, seed, choices, objective="divergence"):
    """Both traces, and the next number of both generators."""
    ours, theirs = np.random.default_rng(seed), np.random.default_rng(seed)
    plain = run(worth(gains, objective), *gains.shape[1:], iterations, ours, choices)
    compiled = run_compiled(gains, iterations, theirs, choices, objective)
    return plain, compiled, (ours.random(), theirs.random())


@settings(max_examples=200, deadline=None)
@given(SIZES, st.integers(1, 40), st.integers(0, 2**32), CHOICES, st.sampled_from(sorted(OBJECTIVES)))
def test_plain_and_compiled_are_equal_on_the_same_seed(size, iterations, seed, choices, objective):
    gains = np.random.default_rng(seed).integers(0, 40, size)
    plain, compiled, drawn = both(gains, iterations, seed, choices, objective)
    np.testing.assert_array_equal(plain.plans, compiled.plans)
    np.testing.assert_array_equal(plain.values, compiled.values)
    np.testing.assert_array_equal(plain.best, compiled.best)
    assert plain.plans.dtype == compiled.plans.dtype
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("choices", [Settings(), PRINTED, Settings(scale="unit", again=True)])
def test_they_are_equal_in_long_searches_where_the_tree_grows(choices):
    plain, compiled, drawn = both(np.random.default_rng(1).integers(0, 60, (3, 8, 3)), 3000, 7, choices)
    np.testing.assert_array_equal(plain.plans, compiled.plans)
    assert drawn[0] == drawn[1]


def test_they_are_equal_when_every_plan_is_known():
    plain, compiled, _ = both(np.random.default_rng(2).integers(0, 9, (2, 3, 3)), 60, 3, Settings())
    np.testing.assert_array_equal(plain.plans, compiled.plans)
    assert len(np.unique(plain.plans[:27], axis=0)) == 27


def test_values_are_minus_the_divergence_or_the_welfare_of_the_plans():
    gains = np.random.default_rng(3).integers(0, 60, (4, 6, 3))
    for objective in OBJECTIVES:
        trace = run_compiled(gains, 50, np.random.default_rng(0), objective=objective)
        assert trace.values.tolist() == [worth(gains, objective)(plan) for plan in trace.plans.tolist()]


def test_a_hundred_thousand_iterations_of_35_decisions_stay_small_and_find_a_fair_plan():
    gains = np.random.default_rng(4).integers(0, 60, (3, 35, 3))
    trace = run_compiled(gains, 100_000, np.random.default_rng(0))
    assert trace.plans.shape == (100_000, 35) and trace.plans.nbytes < 2**24
    assert trace.value >= -1


def test_a_problem_may_be_given_instead_of_its_gains():
    class Problem:
        gains = np.random.default_rng(5).integers(0, 60, (3, 4, 3))

    of_problem, of_gains = (run_compiled(given, 9, np.random.default_rng(0)) for given in (Problem(), Problem.gains))
    np.testing.assert_array_equal(of_problem.plans, of_gains.plans)


@pytest.mark.parametrize(
    ("gains", "iterations", "objective", "words"),
    [
        (np.ones((2, 2), int), 5, "divergence", r"shape \(2, 2\)"),
        (np.ones((2, 2, 2)), 5, "divergence", "float64"),
        (np.ones((2, 2, 0), int), 5, "divergence", "at least one of each"),
        (np.ones((2, 2, 2), int), 0, "divergence", "iterations: 0 given"),
        (np.ones((2, 2, 2), int), 5, "envy", "objective: 'envy' given; expected one of divergence, welfare"),
    ],
)
def test_bad_input_is_refused(gains, iterations, objective, words):
    with pytest.raises(InvalidInput, match=words):
        run_compiled(gains, iterations, np.random.default_rng(0), objective=objective)
