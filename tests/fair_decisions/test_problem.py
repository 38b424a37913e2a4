"""The problem and its measures, and how instances are drawn and named."""

import re
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from support.fair_decisions import instances
from support.fair_decisions.instances import DRAWS, instance, load, named
from support.fair_decisions.measures import OBJECTIVES, divergence, shortfall, value
from support.fair_decisions.problem import PREFERENCES, FairDecisions


def test_the_worked_example_of_the_papers_appendix_a():
    """In the coordinator's prompt the third player's apple is worth 35, and 31 in the
    sum below it."""
    one = FairDecisions([[[3], [30], [50]], [[80], [70], [60]], [[35], [1], [45]]])
    two = FairDecisions([[[70], [30], [50]], [[5], [70], [60]], [[25], [1], [45]]])
    assert one.totals((0, 0, 0)).tolist() == [83, 210, 81]  # printed: 83, 210, 77
    assert two.totals((0, 0, 0)).tolist() == [150, 135, 71]
    assert divergence(np.array([[83, 210, 77], [150, 135, 71]])).tolist() == [133, 79]


def test_the_shortfall_is_the_largest_distance_from_what_each_could_have():
    problem = FairDecisions([[[3, 4, 5], [10, 20, 30]], [[30, 20, 10], [6, 5, 4]]])
    assert problem.best.tolist() == [5 + 30, 30 + 6]
    assert shortfall(problem.totals((0, 1)), problem.best) == 35 - 23


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(st.lists(st.integers(0, 500), min_size=2, max_size=5), st.integers(1, 99))
def test_no_objective_prefers_to_give_less_to_who_has_least(objective, totals, gift):
    have = np.array(totals)
    raised = have.copy()
    raised[have.argmin()] += min(gift, np.ptp(have))
    best = np.full(len(have), 500)
    assert value(objective, raised, best) >= value(objective, have, best)


# ---- instances -----------------------------------------------------------------------


def drawn(kind, *shape, seed):
    return DRAWS[kind](np.random.default_rng(seed), shape)


@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 4), st.integers(0, 2**32))
def test_every_kind_keeps_its_rule(n, m, p, seed):
    scores, rankings = (drawn(kind, p, n, m, seed=seed) for kind in PREFERENCES)
    assert (scores.sum(axis=2) == 100).all()
    assert scores.min() >= 0 and scores.shape == (p, n, m)
    assert (np.sort(rankings, axis=2) == np.arange(1, m + 1)).all()


def test_all_ways_to_share_the_points_are_equally_likely(monkeypatch):
    """Four points over three options: (4, 0, 0), (3, 1, 0), … are 15 ways."""
    monkeypatch.setattr(instances, "POINTS", 4)
    ways = drawn("scores", 1, 6000, 3, seed=11)[0] @ np.array([100, 10, 1])
    found = np.unique(ways, return_counts=True)[1]
    assert len(found) == 15
    assert chisquare(found, np.full(15, 400)).pvalue > 0.001


def test_seeds_keep_their_instances_and_every_setting_has_its_own():
    """Runs are compared by seed: a change of this test orphans every stored run."""
    scores = instance("scores", 1, 3, 0, 2025).gains.ravel()
    assert scores.tolist() == [19, 55, 26, 4, 77, 19, 44, 35, 21]
    rankings = instance("rankings", 1, 4, 0, 2025).gains.ravel()
    assert rankings.tolist() == [4, 2, 1, 3, 4, 1, 2, 3, 4, 2, 3, 1]
    many = {instance("scores", 3, 3, i, 2025).gains.tobytes() for i in range(30)}
    assert len(many) == 30
    small, large = (instance("scores", n, 3, 0, 7).gains for n in (4, 5))
    assert not np.array_equal(small, large[:, :4])


@pytest.mark.parametrize("skin", load())
def test_no_name_is_part_of_another_and_none_looks_like_a_score(skin):
    gains = np.zeros((3, 35, 30), int)
    dressed = named(FairDecisions(gains), skin)  # before anything is numbered
    assert not [(a, b) for a, b in permutations(dressed.decisions, 2) if a in b]
    assert not [name for name in dressed.decisions if re.search("[,:;]", name)]
    for options in dressed.options[:7]:
        assert not [name for name in options if re.search(r"[,:;\d]", name)]
        for one, other in permutations(options, 2):
            assert one.lower() not in other.lower()
    assert (
        named(FairDecisions(gains[:, :1, [0] * 31]), skin).options[0][30][-3:] == "(2)"
    )
