"""Tree search as Algorithm 1 of 003 has it, with each choice that the paper leaves; random and local search beside."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.solvers.search import PRINTED, WORDS, LocalSearch, RandomSearch, Settings, Tree, follow

GREEDY = Settings(top_k=1, ties="first", noise=0.0, again=True, c=0.0, unvisited="zero")
CHOICES = st.builds(
    Settings,
    c=st.sampled_from([0.0, 1.5, 10.0]),
    noise=st.sampled_from([0.0, 0.25, 1.0]),
    redraw=st.booleans(),
    top_k=st.integers(1, 4),
    scale=st.sampled_from(WORDS["scale"]),
    unvisited=st.sampled_from(WORDS["unvisited"]),
    ties=st.sampled_from(WORDS["ties"]),
    root=st.sampled_from(WORDS["root"]),
    again=st.booleans(),
)


def rng(seed=0):
    return np.random.default_rng(seed)


def minus_divergence(gains):
    def value_of(plan):
        totals = [sum(row[option] for row, option in zip(mine, plan, strict=True)) for mine in gains.tolist()]
        return min(totals) - max(totals)

    return value_of


def table(seed, decisions, options):
    return minus_divergence(rng(seed).integers(0, 60, (3, decisions, options)))


def searched(decisions, options, iterations, choices, seed=0):
    """The tree after so many iterations, and what was asked."""
    tree, value_of, asked = Tree(decisions, options, rng(seed), choices), table(seed, decisions, options), []
    for _ in range(iterations):
        plan = tree.descend()
        asked.append((plan, value_of(plan)))
        tree.learn(*asked[-1])
    return tree, asked


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 40), CHOICES, st.integers(0, 10**6))
def test_every_node_counts_and_averages_exactly_the_plans_below_it(decisions, options, iterations, choices, seed):
    tree, asked = searched(decisions, options, iterations, choices, seed)
    assert sum(tree.nodes[()].visits) == iterations
    for state, node in tree.nodes.items():
        for option in range(options):
            below = [value for plan, value in asked if plan[: len(state) + 1] == (*state, option)]
            assert node.visits[option] == len(below) and node.worth[option] == sum(below)
    most = max(value for _, value in asked)
    assert tree.best == next((plan, value) for plan, value in asked if value == most)  # the earlier of equals


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), CHOICES, st.integers(0, 10**6))
def test_without_again_no_plan_is_asked_about_twice_until_all_are_known(decisions, options, choices, seed):
    space = options**decisions
    tree, asked = searched(decisions, options, space + 3, dataclasses.replace(choices, again=False), seed)
    assert len({plan for plan, _ in asked[:space]}) == space
    optimum = max(map(table(seed, decisions, options), itertools.product(range(options), repeat=decisions)))
    assert tree.best[1] == optimum


@pytest.mark.parametrize("redraw", [False, True])
def test_noise_is_mixed_into_uniform_priors_at_the_root_only_once_or_in_each_iteration(redraw):
    tree, roots = Tree(3, 4, rng(), Settings(noise=0.25, redraw=redraw)), set()
    for _ in range(5):
        tree.learn(tree.descend(), 0.0)
        root = tuple(tree.nodes[()].prior)
        roots.add(root)
        assert sum(root) == pytest.approx(1) and min(root) >= 0.75 / 4 - 1e-12 and np.ptp(root) > 0.01
    assert len(roots) == (5 if redraw else 1)
    assert all(node.prior == [0.25] * 4 for state, node in tree.nodes.items() if state)


def test_scores_are_those_of_puct_by_hand():
    tree = Tree(1, 3, rng(), dataclasses.replace(GREEDY, c=1.5, unvisited="parent"))
    for option, value in ((0, -10), (0, -20), (1, -40)):
        tree.learn((option,), value)
    thirds = 1.5 * math.sqrt(3) / 3
    assert tree._scores(tree.nodes[()]) == pytest.approx([-15 + thirds / 3, -40 + thirds / 2, -70 / 3 + thirds])
    tree.settings = dataclasses.replace(tree.settings, scale="unit")
    worth = [(40 - 15) / 30, 0, (40 - 70 / 3) / 30]
    assert tree._scores(tree.nodes[()]) == pytest.approx([worth[0] + thirds / 3, thirds / 2, worth[2] + thirds])


def test_an_unvisited_option_is_worth_what_the_setting_says_and_ties_go_to_the_first_or_to_any():
    scores = {}
    for kind in WORDS["unvisited"]:
        tree = Tree(1, 3, rng(), dataclasses.replace(GREEDY, unvisited=kind))
        tree.learn((0,), -30)
        tree.learn((1,), -20)
        scores[kind] = tree._scores(tree.nodes[()])[2]
    assert scores == {"zero": 0, "parent": -25}
    assert Tree(6, 3, rng(), GREEDY).descend() == (0,) * 6
    drawn = [Tree(1, 3, rng(seed), dataclasses.replace(GREEDY, ties="random")).descend()[0] for seed in range(600)]
    assert np.bincount(drawn, minlength=3).min() > 150


@pytest.mark.parametrize("root", ["visits", "score"])
@pytest.mark.parametrize("top_k", [1, 2, 3])
def test_only_the_best_k_are_sampled_at_the_root(root, top_k):
    tree = Tree(2, 5, rng(), dataclasses.replace(GREEDY, root=root, top_k=top_k, temperature=1e6, unvisited="parent"))
    for option, times in ((3, 4), (1, 3), (4, 2), (0, 1), (2, 1)):
        for _ in range(times):
            tree.learn((option, 0), float(times))
    drawn = {tree.descend()[0] for _ in range(60)}
    assert drawn == {3, 1, 4} & {(3, 1, 4)[place] for place in range(top_k)}


def test_temperature_weighs_what_is_sampled():
    counts = Tree(1, 2, rng(), dataclasses.replace(GREEDY, root="visits", top_k=2, temperature=1.0))
    for option in (0, 0, 1):
        counts.learn((option,), 0.0)
    assert np.mean([counts.descend()[0] for _ in range(4000)]) == pytest.approx(2 / 5, abs=0.03)
    scores = Tree(1, 2, rng(), dataclasses.replace(GREEDY, root="score", top_k=2, temperature=2.0))
    scores.learn((0,), 3.0)
    scores.learn((1,), 1.0)
    assert np.mean([scores.descend()[0] for _ in range(4000)]) == pytest.approx(1 / (1 + math.e), abs=0.03)


def test_read_literally_the_last_option_of_a_root_is_never_tried():
    """Once two options are the most visited, top-K on visits looks at no other: why it is not the default."""
    _, asked = searched(5, 3, 200, PRINTED, seed=1)
    assert len({plan[0] for plan, _ in asked}) == 2
    assert len({plan for plan, _ in asked}) < 30


SEARCHES = {"random": RandomSearch, "local": LocalSearch, "tree": Tree}


def landscape(seed, decisions, options):
    """A value for each plan, with ties."""
    values = rng(seed).integers(-30, 0, (options,) * decisions)
    return lambda plan: int(values[plan])


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(sorted(SEARCHES)), st.integers(1, 4), st.integers(1, 4), st.integers(0, 10**6))
def test_each_plan_is_asked_about_once_and_the_best_is_found(kind, decisions, options, seed):
    value_of, space = landscape(seed, decisions, options), options**decisions
    search, asked = SEARCHES[kind](decisions, options, rng(seed)), []
    plan, value = follow(search, lambda plan: asked.append(plan) or value_of(plan), space)
    assert len(set(asked)) == space
    assert value == value_of(plan) == max(map(value_of, itertools.product(range(options), repeat=decisions)))
    assert len(search.descend()) == decisions  # when all are known, any


@pytest.mark.parametrize("kind", sorted(SEARCHES))
def test_plans_that_are_closed_or_known_from_elsewhere_are_not_proposed_while_others_are_left(kind):
    search = SEARCHES[kind](2, 2, rng())
    search.learn((1, 1), -2.0)
    search.learn((0, 1), -5.0)
    search.close((0, 0))
    assert search.best == ((1, 1), -2.0) and search.descend() == (1, 0)


def asked_by(search, value_of, evaluations):
    """The plans that a search asks about, in order."""
    plans = []
    follow(search, lambda plan: plans.append(plan) or value_of(plan), evaluations)
    return plans


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5), st.integers(2, 4), st.integers(5, 60), st.integers(0, 10**6))
def test_local_search_changes_one_decision_of_the_best_plan_since_its_start_or_has_exhausted_it(n, m, asked, seed):
    value_of, every = landscape(seed, n, m), list(itertools.product(range(m), repeat=n))
    plans = asked_by(LocalSearch(n, m, rng(seed)), value_of, min(asked, m**n))
    here = plans[0]
    for place, plan in enumerate(plans[1:], start=1):
        around = {other for other in every if sum(x != y for x, y in zip(here, other, strict=True)) == 1}
        exhausted = around <= set(plans[:place])
        assert plan in around or exhausted, "it started again with a neighbour left"
        if plan not in around or value_of(plan) > value_of(here) or exhausted:
            here = plan


@pytest.mark.parametrize("field", WORDS)
def test_a_word_that_no_setting_knows_is_refused(field):
    with pytest.raises(InvalidInput, match=f"{field}: 'odd' given; expected one of"):
        Settings(**{field: "odd"})
