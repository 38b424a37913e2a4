"""The solver agrees with a loop over all plans, and claims no more than it knows."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.fair_decisions.measures import value
from support.solvers import fair
from support.solvers.fair import OBJECTIVES, brute, cp_sat, meet, relaxed, solve, totals


def drawn(rng, p, n, m):
    """Shares of 100."""
    cuts = np.sort(rng.integers(0, 101, (p, n, m - 1)), axis=2)
    return np.diff(cuts, axis=2, prepend=0, append=100)


@st.composite
def problems(draw):
    """Shares of 100, or whole numbers of any size, zeros among them."""
    shape = [draw(st.integers(1, most)) for most in (6, 5, 3)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    most = draw(st.sampled_from([None, 2, 6, 21, 3000, 10**9]))
    return drawn(rng, *shape) if most is None else rng.integers(0, most, shape)


def worth(gains, plan, objective):
    return -value(objective, totals(gains, plan), gains.max(axis=2).sum(axis=1))


@given(problems(), st.sampled_from(OBJECTIVES), st.booleans())
@settings(max_examples=200)
def test_property_it_finds_what_a_loop_over_all_plans_finds(gains, objective, listed):
    _, n, m = gains.shape
    best = min(worth(gains, plan, objective) for plan in product(range(m), repeat=n))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fair, "LISTED", 10**6 * listed)
        found = solve(gains, objective, time_limit=100)
    assert found.proven and found.value == found.bound == abs(best)
    assert worth(gains, found.plan, objective) == best
    limit = relaxed(gains, objective)
    room = 1e-6 * (1 + gains.sum())
    assert limit <= abs(best) + room if objective != "welfare" else limit == -best


@given(problems())
@settings(max_examples=100)
def test_property_with_fixed_decisions_the_bound_holds_and_proven_is_optimal(gains):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fair, "FEW", 2)
        patch.setattr(fair, "MANY", 3)
        patch.setattr(fair, "LISTED", 0)
        found = meet(gains)
    best = brute(gains).value
    assert found.bound <= best <= found.value == np.ptp(totals(gains, found.plan))
    assert not found.proven or best == found.value


@pytest.mark.parametrize(
    ("p", "n", "most"), [(3, 2000, 0), (4, 30, 0), (5, 30, 0), (6, 30, 3)]
)
def test_a_fair_plan_is_found_where_plans_are_many(p, n, most):
    found = solve(drawn(np.random.default_rng(p), p, n, 3), time_limit=1)
    assert len(found.plan) == n and found.value <= most
    assert found.proven or p == 6


def test_cp_sat_betters_what_halves_cannot_and_never_loses_the_plan_it_was_given(
    monkeypatch,
):
    monkeypatch.setattr(fair, "LISTED", 0)
    rng = np.random.default_rng(1)
    large = rng.integers(0, 2**30, (3, 12, 2))  # nothing balances within FARTHEST
    met, found = meet(large), solve(large, time_limit=20)
    assert not met.proven and found.proven and found.solver == "meet then cpsat"
    assert found.value == brute(large).value
    assert met.bound <= found.bound <= found.value <= met.value
    other = np.random.default_rng(24).integers(0, 10**9, (5, 4, 3))
    assert solve(other).value == brute(other).value  # a presolve of 9.15 lost it
    hurried = cp_sat(large, met, seconds=1e-6)
    assert (hurried.plan, hurried.value) == (met.plan, met.value)


REFUSED = [
    ([[[1, 2], [3]]], "divergence", "decisions with unequal numbers of options given"),
    ([[1, 2]], "divergence", r"int64 of shape \(1, 2\) given; expected whole numbers"),
    ([[[1, 2], [3, -4]]], "divergence", "-4 given for participant 1, decision 2, opt"),
    ([[[2**60, 0]]], "divergence", r"1152921504606846976 given .*totals below 2\*\*53"),
    ([[[1]]], "fairness", "objective: 'fairness' given; expected one of divergence, "),
]


@pytest.mark.parametrize(("problem", "objective", "message"), REFUSED)
def test_what_cannot_be_asked_is_refused(problem, objective, message):
    with pytest.raises(InvalidInput, match=message):
        solve(problem, objective)
