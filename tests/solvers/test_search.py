"""Tree search as Algorithm 1 of 003 has it, with each choice that the paper leaves; random and local search beside."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.solvers.search import (
    PRINTED,
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
SEEDS = st.integers(0, 10**6)


def rng(seed=0):
    return np.random.default_rng(seed)


def greedy(options, seed=0, decisions=1, **choices):
    return Tree(decisions, options, rng(seed), dataclasses.replace(GREEDY, **choices))


def landscape(seed, decisions, options):
    """A value for each plan, with ties."""
    values = rng(seed).integers(-30, 0, (options,) * decisions)
    return lambda plan: int(values[plan])


def asked_by(search, value_of, evaluations):
    """The plans that a search asks about, in order, and the best."""
    plans = []
    return plans, follow(
        search, lambda plan: plans.append(plan) or value_of(plan), evaluations
    )


@settings(max_examples=60)
@given(
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(1, 40),
    CHOICES,
    st.booleans(),
    SEEDS,
)
def test_every_node_counts_and_averages_exactly_the_plans_below_it(
    n, m, iterations, choices, again, seed
):
    tree, value_of = (
        Tree(n, m, rng(seed), dataclasses.replace(choices, again=again)),
        landscape(seed, n, m),
    )
    asked, _ = asked_by(tree, value_of, iterations)
    assert sum(tree.nodes[()].visits) == iterations
    for state, node in tree.nodes.items():
        for option in range(m):
            below = [
                value_of(plan)
                for plan in asked
                if plan[: len(state) + 1] == (*state, option)
            ]
            assert node.visits[option] == len(below) and node.worth[option] == sum(
                below
            )
    assert tree.best[0] == max(asked, key=value_of)  # the earlier of equals


@settings(max_examples=100)
@given(
    st.sampled_from([RandomSearch, LocalSearch, Tree]),
    st.integers(1, 4),
    st.integers(1, 4),
    CHOICES,
    SEEDS,
)
def test_each_plan_is_asked_about_once_until_all_are_known_and_the_best_is_found(
    kind, n, m, choices, seed
):
    value_of, space = landscape(seed, n, m), m**n
    search = kind(n, m, rng(seed), choices) if kind is Tree else kind(n, m, rng(seed))
    asked, (plan, value) = asked_by(search, value_of, space)
    assert (
        len(set(asked)) == space and len(search.descend()) == n
    )  # when all are known, any
    assert (
        value
        == value_of(plan)
        == max(map(value_of, itertools.product(range(m), repeat=n)))
    )


@pytest.mark.parametrize("kind", [RandomSearch, LocalSearch, Tree])
def test_plans_that_are_closed_or_known_from_elsewhere_are_not_proposed_while_others_are_left(
    kind,
):
    search = kind(2, 2, rng())
    search.learn((1, 1), -2.0)
    search.learn((0, 1), -5.0)
    search.close((0, 0))
    assert search.best == ((1, 1), -2.0) and search.descend() == (1, 0)


@settings(max_examples=60)
@given(st.integers(2, 5), st.integers(2, 4), st.integers(5, 60), SEEDS)
def test_local_search_changes_one_decision_of_the_best_plan_since_its_start_or_has_exhausted_it(
    n, m, asked, seed
):
    value_of, every = landscape(seed, n, m), list(itertools.product(range(m), repeat=n))
    plans, _ = asked_by(LocalSearch(n, m, rng(seed)), value_of, min(asked, m**n))
    here = plans[0]
    for place, plan in enumerate(plans[1:], start=1):
        around = {
            other
            for other in every
            if sum(x != y for x, y in zip(here, other, strict=True)) == 1
        }
        exhausted = around <= set(plans[:place])
        assert plan in around or exhausted, "it started again with a neighbour left"
        if plan not in around or value_of(plan) > value_of(here) or exhausted:
            here = plan


# ---- the tree's settings


@pytest.mark.parametrize("redraw", [False, True])
def test_noise_is_mixed_into_uniform_priors_at_the_root_only_once_or_in_each_iteration(
    redraw,
):
    tree, roots = Tree(3, 4, rng(), Settings(noise=0.25, redraw=redraw)), set()
    for _ in range(5):
        tree.learn(tree.descend(), 0.0)
        root = tuple(tree.nodes[()].prior)
        roots.add(root)
        assert (
            sum(root) == pytest.approx(1)
            and min(root) >= 0.75 / 4 - 1e-12
            and np.ptp(root) > 0.01
        )
    assert len(roots) == (5 if redraw else 1)
    assert all(node.prior == [0.25] * 4 for state, node in tree.nodes.items() if state)


def test_scores_are_those_of_puct_by_hand():
    tree = greedy(3, c=1.5)
    for option, value in ((0, -10), (0, -20), (1, -40)):
        tree.learn((option,), value)
    thirds = 1.5 * math.sqrt(3) / 3
    for choices, worth in (
        ({"unvisited": "zero"}, (-15, -40, 0)),
        ({"unvisited": "parent"}, (-15, -40, -70 / 3)),
    ):
        tree.settings = dataclasses.replace(tree.settings, **choices)
        explored = np.array(worth) + np.array([1 / 3, 1 / 2, 1]) * thirds
        assert tree._scores(tree.nodes[()]) == pytest.approx(explored)


def test_of_equal_scores_the_first_or_any_is_taken():
    assert greedy(3, decisions=6).descend() == (0,) * 6
    drawn = [greedy(3, seed, ties="random").descend()[0] for seed in range(600)]
    assert np.bincount(drawn, minlength=3).min() > 150


@pytest.mark.parametrize("root", WORDS["root"])
@pytest.mark.parametrize("top_k", [1, 2, 3])
def test_only_the_best_k_are_sampled_at_the_root(root, top_k):
    tree = greedy(
        5, decisions=2, root=root, top_k=top_k, temperature=1e6, unvisited="parent"
    )
    for option, times in ((3, 4), (1, 3), (4, 2), (0, 1), (2, 1)):
        for _ in range(times):
            tree.learn((option, 0), float(times))
    assert {tree.descend()[0] for _ in range(60)} == {*(3, 1, 4)[:top_k]}


@pytest.mark.parametrize(
    ("root", "temperature", "learnt", "share"),
    [
        ("visits", 1.0, ((0, 0), (0, 0), (1, 0)), 2 / 5),
        ("score", 2.0, ((0, 3), (1, 1)), 1 / (1 + math.e)),
    ],
)
def test_temperature_weighs_what_is_sampled(root, temperature, learnt, share):
    tree = greedy(2, root=root, top_k=2, temperature=temperature)
    for option, value in learnt:
        tree.learn((option,), value)
    assert np.mean([tree.descend()[0] for _ in range(4000)]) == pytest.approx(
        share, abs=0.03
    )


def test_read_literally_the_last_option_of_a_root_is_never_tried():
    """Once two options are the most visited, top-K on visits looks at no other: why it is not the default."""
    asked, _ = asked_by(Tree(5, 3, rng(1), PRINTED), landscape(1, 5, 3), 200)
    assert len({plan[0] for plan in asked}) == 2 and len(set(asked)) < 40


def test_a_word_that_no_setting_knows_is_refused():
    with pytest.raises(
        InvalidInput, match="root: 'odd' given; expected one of visits, score"
    ):
        Settings(root="odd")
