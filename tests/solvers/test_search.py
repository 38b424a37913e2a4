"""Tree search as Algorithm 1 of 003 has it, with each choice that the paper leaves;
random and local search beside."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.solvers.search import (
    WORDS,
    LocalSearch,
    RandomSearch,
    Settings,
    Tree,
    follow,
)

GREEDY = Settings(top_k=1, ties="first", noise=0.0, again=True, c=0.0, unvisited="zero")
CHOICES = st.builds(
    Settings,
    c=st.sampled_from([0.0, 1.5, 10.0]),
    noise=st.sampled_from([0.0, 0.25, 1.0]),
    redraw=st.booleans(),
    top_k=st.integers(1, 4),
    **{field: st.sampled_from(words) for field, words in WORDS.items()},
)
SIZES, SEEDS = st.integers(1, 4), st.integers(0, 10**6)


def rng(seed=0):
    return np.random.default_rng(seed)


def greedy(options, seed=0, decisions=1, **choices):
    return Tree(decisions, options, rng(seed), replace(GREEDY, **choices))


def asked_by(search, values, evaluations):
    """The plans that a search asks about, in order."""
    plans = []
    follow(search, lambda plan: plans.append(plan) or values[plan], evaluations)
    return plans


def landscape(seed, n, m):
    """A value for each plan, with ties."""
    return rng(seed).integers(-30, 0, (m,) * n)


@settings(max_examples=60)
@given(SIZES, SIZES, st.integers(1, 40), CHOICES, st.booleans(), SEEDS)
def test_every_node_counts_and_averages_exactly_the_plans_below_it(
    n, m, iterations, choices, again, seed
):
    tree = Tree(n, m, rng(seed), replace(choices, again=again))
    values = landscape(seed, n, m)
    asked = asked_by(tree, values, iterations)
    for state, node in tree.nodes.items():
        below = [[] for _ in range(m)]
        for plan in asked:
            if plan[: len(state)] == state:
                below[plan[len(state)]].append(values[plan])
        assert node.visits == [len(part) for part in below]
        assert node.worth == [sum(part) for part in below]
    assert tree.best[0] == max(asked, key=values.__getitem__)  # the earlier of equals


@settings(max_examples=100)
@given(st.sampled_from([RandomSearch, LocalSearch, Tree]), SIZES, SIZES, CHOICES, SEEDS)
def test_each_plan_is_asked_about_once_until_all_are_known_and_the_best_is_found(
    kind, n, m, choices, seed
):
    search = Tree(n, m, rng(seed), choices) if kind is Tree else kind(n, m, rng(seed))
    values = landscape(seed, n, m)
    assert len(set(asked_by(search, values, m**n))) == m**n
    assert search.best[1] == values.max() == values[search.best[0]]
    assert len(search.descend()) == n  # when all are known, any


@pytest.mark.parametrize("kind", [RandomSearch, LocalSearch, Tree])
def test_what_is_closed_or_known_is_not_proposed_while_others_are_left(kind):
    search = kind(2, 2, rng())
    search.learn((1, 1), -2.0)
    search.learn((0, 1), -5.0)
    search.close((0, 0))
    assert search.best == ((1, 1), -2.0) and search.descend() == (1, 0)


@given(st.integers(2, 5), st.integers(2, 4), SEEDS)
def test_local_search_changes_one_decision_of_where_it_is_and_goes_where_it_is_better(
    n, m, seed
):
    values = -np.indices((m,) * n).sum(axis=0)  # no top but one
    plans = asked_by(LocalSearch(n, m, rng(seed)), values, m**n)
    here = plans[0]
    for plan in plans[1 : plans.index((0,) * n) + 1]:
        assert sum(map(int.__ne__, plan, here)) == 1
        here = max(here, plan, key=values.__getitem__)


# ---- the tree's settings


@pytest.mark.parametrize(("redraw", "draws"), [(False, 1), (True, 5)])
def test_noise_is_mixed_into_the_root_alone_once_or_in_each_iteration(redraw, draws):
    tree, roots = Tree(3, 4, rng(), Settings(noise=0.25, redraw=redraw)), set()
    for _ in range(5):
        tree.learn(tree.descend(), 0.0)
        roots.add(tuple(tree.nodes[()].prior))
    assert len(roots) == draws and min(map(min, roots)) >= 0.75 / 4 - 1e-12
    assert [sum(root) for root in roots] == pytest.approx([1] * draws)
    assert all(node.prior == [0.25] * 4 for state, node in tree.nodes.items() if state)


@pytest.mark.parametrize(("unvisited", "worth"), [("zero", 0), ("parent", -70 / 3)])
def test_scores_are_those_of_puct_by_hand(unvisited, worth):
    tree = greedy(3, c=1.5, unvisited=unvisited)
    for option, value in ((0, -10), (0, -20), (1, -40)):
        tree.learn((option,), value)
    explored = 1.5 * math.sqrt(3) / 3 / np.array([3, 2, 1])
    expected = np.array([-15, -40, worth]) + explored
    assert tree._scores(tree.nodes[()]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("choices", "weights"),
    [
        ({"root": "visits", "top_k": 3}, (3, 2, 2)),
        ({"root": "score", "top_k": 2, "temperature": 2.0}, (math.sqrt(math.e), 1, 0)),
    ],
)
def test_of_the_best_k_of_a_root_one_is_sampled_by_temperature(choices, weights):
    tree = greedy(3, **choices)
    for option, value in ((0, 3), (0, 3), (1, 2), (2, 1)):
        tree.learn((option,), value)
    drawn = np.bincount([tree.descend()[0] for _ in range(4000)], minlength=3)
    assert drawn / 4000 == pytest.approx(np.array(weights) / sum(weights), abs=0.02)


def test_of_equal_scores_the_first_or_any_is_taken():
    assert greedy(3, decisions=6).descend() == (0,) * 6
    drawn = [greedy(3, seed, ties="random").descend()[0] for seed in range(600)]
    assert np.bincount(drawn, minlength=3).min() > 150


def test_a_word_that_no_setting_knows_is_refused():
    with pytest.raises(InvalidInput, match="root: 'odd' given; expected one of visits"):
        Settings(root="odd")
