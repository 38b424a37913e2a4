"""Of the fairest plans the one of largest welfare."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.solvers.fair.brute import brute
from support.solvers.fair.meet import meet
from support.solvers.fair.problem import valued
from support.solvers.fair.richest import richest

BOTH = "divergence then welfare"


@given(
    st.integers(1, 3), st.integers(1, 5), st.integers(1, 3), st.sampled_from([1, 5, 50, 10**6]), st.integers(0, 9999)
)
@settings(max_examples=100, deadline=None)
def test_property_no_plan_as_fair_is_richer(p, n, m, most, seed):
    gains = np.random.default_rng(seed).integers(0, most + 1, (p, n, m))
    found = richest(gains, int(meet(gains).bound))
    if found is None:
        assert most == 10**6  # rings too long
        return
    assert valued(BOTH, gains, found.plan) == valued(BOTH, gains, brute(gains, BOTH).plan)


def test_nothing_is_said_where_halves_are_not_complete():
    assert richest(np.ones((3, 40, 3), dtype=int), 0) is None


@pytest.mark.parametrize("divergence", [0, 1])
def test_a_divergence_that_no_plan_has_has_no_richest(divergence):
    assert richest(np.array([[[9, 8]], [[1, 3]], [[2, 2]]]), divergence) is None
