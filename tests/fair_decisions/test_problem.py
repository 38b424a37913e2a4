"""The problem and its measures, and how instances are drawn and named."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from support.fair_decisions import instances
from support.fair_decisions.instances import DRAWS, instance
from support.fair_decisions.measures import divergence
from support.fair_decisions.problem import FairDecisions


def test_the_worked_example_of_the_papers_appendix_a():
    """In the coordinator's prompt the third player's apple is worth 35, and 31 in the
    sum below it."""
    gains = np.array([[[3], [30], [50]], [[80], [70], [60]], [[35], [1], [45]]])
    totals = FairDecisions(gains).totals((0, 0, 0))
    assert totals.tolist() == [83, 210, 81]  # printed: 83, 210, 77
    assert divergence(np.array([[83, 210, 77], [150, 135, 71]])).tolist() == [133, 79]


shapes = st.tuples(st.integers(1, 4), st.integers(1, 8), st.integers(1, 8))


@given(shapes, st.integers(0, 2**32))
def test_points_sum_to_100_and_rankings_are_permutations(shape, seed):
    rng = np.random.default_rng(seed)
    scores, rankings = (draw(rng, shape) for draw in DRAWS.values())
    assert scores.shape == rankings.shape == shape
    assert scores.min() >= 0 and (scores.sum(axis=2) == 100).all()
    assert (np.sort(rankings, axis=2) == np.arange(1, shape[2] + 1)).all()


def test_all_ways_to_share_the_points_are_equally_likely(monkeypatch):
    """Four points over three options: (4, 0, 0), (3, 1, 0), … are 15 ways."""
    monkeypatch.setattr(instances, "POINTS", 4)
    [drawn] = DRAWS["scores"](np.random.default_rng(11), (1, 6000, 3))
    found = np.unique(drawn, axis=0, return_counts=True)[1]
    assert len(found) == 15
    assert chisquare(found, np.full(15, 400)).pvalue > 0.001


def test_seeds_keep_their_instances_and_every_setting_has_its_own():
    """Runs are compared by seed: a change of this test orphans every stored run."""
    scores = instance("scores", 1, 3, 0, 2025).gains.ravel()
    assert scores.tolist() == [19, 55, 26, 4, 77, 19, 44, 35, 21]
    rankings = instance("rankings", 1, 4, 0, 2025).gains.ravel()
    assert rankings.tolist() == [4, 2, 1, 3, 4, 1, 2, 3, 4, 2, 3, 1]
    small, large = (instance("scores", n, 3, 0, 7).gains for n in (4, 5))
    assert not np.array_equal(small, large[:, :4])
