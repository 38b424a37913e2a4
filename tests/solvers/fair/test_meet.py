"""Meeting in the middle: complete halves prove, incomplete ones claim no more than they know."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.solvers.fair.brute import brute
from support.solvers.fair.meet import Halves, differences, lowest, meet
from support.solvers.fair.problem import totals

module = sys.modules["support.solvers.fair.meet"]


def gains(people=(1, 3), decisions=(1, 5), options=(1, 3), most=(1, 5, 50, 10**6)):
    sizes = (st.integers(*ends) for ends in (people, decisions, options))
    shapes = st.tuples(*sizes, st.sampled_from(most), st.integers(0, 2**32 - 1))
    return shapes.map(lambda s: np.random.default_rng(s[4]).integers(0, s[3] + 1, s[:3]))


@given(gains())
@settings(max_examples=100, deadline=None)
def test_property_the_fairest_plan_is_found_and_proven(of):
    found = meet(of)
    assert found.proven
    assert found.bound == brute(of, "divergence").bound == np.ptp(totals(of, found.plan))


@given(gains(decisions=(3, 5), options=(2, 3)))
@settings(max_examples=100, deadline=None)
def test_property_with_incomplete_halves_the_bound_holds_and_proven_is_optimal(of):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LIMITS", (2, 3))
        found = meet(of)
    best, reached = brute(of, "divergence").bound, np.ptp(totals(of, found.plan))
    assert found.bound <= best <= reached
    assert not found.proven or best == reached
    assert found.proven or "plans looked at" in found.note


@given(gains(people=(1, 6)))
@settings(max_examples=100, deadline=None)
def test_property_no_plan_is_below_the_lowest(of):
    assert 0 <= lowest(of) <= brute(of, "divergence").bound


@given(gains(most=(1, 5, 50)))
@settings(max_examples=100, deadline=None)
def test_property_rings_and_tree_find_the_same_distance(of):
    halves = Halves.of(differences(of), 1000)
    near, ringed = np.ptp(totals(of, halves.nearest())), halves.within(0, 30)
    assert (ringed is None) == (near > 30)
    assert ringed is None or np.ptp(totals(of, ringed)) == near


def test_parity_is_a_bound():
    even = np.random.default_rng(0).integers(0, 50, (2, 60, 2)) * 2
    even[0, 0] += 1  # the first participant's total is odd whatever is chosen, the second's even
    found = meet(even)
    assert lowest(even) == 1
    assert found.proven and found.bound == 1 and not Halves.of(differences(even), 200_000).complete


def test_who_always_has_more_bounds_the_divergence():
    assert lowest(np.array([[[9, 8]], [[1, 3]], [[2, 2]]])) == 6


def test_numbers_too_large_for_a_bitmap_go_to_the_tree(monkeypatch):
    of = np.random.default_rng(1).integers(0, 2**50, (3, 6, 3))
    assert Halves.of(differences(of), 1000).within(0, 5) is None
    assert meet(of).bound == brute(of, "divergence").bound
    small = of % 100
    monkeypatch.setattr(module, "CELLS", 10)
    assert meet(small).bound == brute(small, "divergence").bound


def test_rings_stop_at_the_work_allowed(monkeypatch):
    of = np.array([[[9, 8], [7, 9]], [[1, 2], [3, 4]], [[0, 0], [0, 0]]])
    halves = Halves.of(differences(of), 1000)
    assert halves.within(1, 20) is not None
    monkeypatch.setattr(module, "LOOKUPS", 30)
    assert halves.within(1, 20) is None
    assert meet(of).bound == brute(of, "divergence").bound == 15


@given(st.integers(1, 30))
def test_property_a_ring_is_every_point_at_its_distance(radius):
    side = range(-radius, radius + 1)
    every = {(x, y) for x in side for y in side if max(abs(x), abs(y), abs(x + y)) == radius}
    assert sorted(map(tuple, module._ring(radius).tolist())) == sorted(every)


def test_halves_are_as_equal_as_can_be_and_within_their_limit():
    apart = differences(np.ones((3, 5, 30), dtype=int))
    split = Halves.of(apart, 1000)
    assert (split.middle, split.free, len(split.fixed), split.complete) == (2, 4, 1, False)
    assert Halves.of(apart, 27_000).complete
    assert Halves.of(apart, 3).free == 2  # one decision each, however many options it has


@pytest.mark.parametrize("n", [20, 35, 100])
def test_many_decisions_are_level_at_once(n):
    rng = np.random.default_rng(n)
    of = np.diff(np.sort(rng.integers(0, 101, (3, n, 2)), axis=2), axis=2, prepend=0, append=100)
    found = meet(of)
    assert found.proven and found.bound == 0 == np.ptp(totals(of, found.plan))
