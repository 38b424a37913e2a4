"""All solvers agree with a plain loop over all plans, and what they call proven is optimal; halves claim no more than
they know.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.solvers import fair
from support.solvers.fair import (
    OBJECTIVES,
    Halves,
    brute,
    differences,
    lowest,
    meet,
    richest,
    solve,
    totals,
    valued,
)

KINDS = ("scores", "rankings", "counts")
PROBLEMS = 1000


def drawn(rng, kind, p, n, m):
    """Gains of a kind of preference: shares of 100, permutations of 1 to m, or whole numbers, zeros among them."""
    if kind == "scores":
        cuts = np.sort(rng.integers(0, 101, (p, n, m - 1)), axis=2)
        return np.diff(cuts, axis=2, prepend=0, append=100)
    if kind == "rankings":
        return rng.permuted(np.tile(np.arange(1, m + 1), (p, n, 1)), axis=2)
    return rng.integers(0, rng.choice([2, 6, 21, 3000]), (p, n, m)) * rng.choice([1, 2, 10])


def problems():
    rng = np.random.default_rng(5)
    for number in range(PROBLEMS):
        p, n, m = int(rng.integers(2, 5)), int(rng.integers(1, 5)), int(rng.integers(1, 4))
        yield drawn(rng, KINDS[number % 3], p, n, m)


def best_of_all(gains):
    """The optimal value by each objective, and what the bound has to be, in plain Python."""
    _, n, m = gains.shape
    rows, plans = gains.tolist(), product(range(m), repeat=n)
    every = [[sum(row[j][k] for j, k in enumerate(plan)) for row in rows] for plan in plans]
    apart = min(max(v) - min(v) for v in every)
    fairest = [v for v in every if max(v) - min(v) == apart]
    values = (apart, max(map(sum, every)), max(tuple(sorted(v)) for v in every), (apart, max(map(sum, fairest))))
    bounds = (apart, values[1], values[2][0], apart)
    return dict(zip(OBJECTIVES, zip(values, bounds, strict=True), strict=True))


def agrees(gains, solver, truth):
    for objective in OBJECTIVES:
        if solver == "meet" and (objective != "divergence" or len(gains) > 3):
            continue
        found = solve(gains, objective, solver, time_limit=100)
        assert found.proven, (objective, gains.tolist(), found)
        assert (found.value, found.bound) == truth[objective], (objective, gains.tolist(), found)
        assert again(gains, objective, found.plan) == found.value


def again(gains, objective, plan):
    totals = sorted(sum(int(row[j][k]) for j, k in enumerate(plan)) for row in gains)
    apart = totals[-1] - totals[0]
    return dict(zip(OBJECTIVES, (apart, sum(totals), tuple(totals), (apart, sum(totals))), strict=True))[objective]


@pytest.fixture(scope="module")
def solved():
    return [(gains, best_of_all(gains)) for gains in problems()]


@pytest.mark.parametrize("solver", ["auto", "meet", "brute"])
def test_quick_solvers_find_what_a_loop_over_all_plans_finds_on_a_thousand_problems(solved, solver):
    for gains, truth in solved:
        agrees(gains, solver, truth)


def test_cp_sat_finds_what_a_loop_over_all_plans_finds(solved):
    for gains, truth in solved[::20]:
        agrees(gains, "cpsat", truth)


def test_auto_says_what_it_picked():
    rng = np.random.default_rng(0)
    small, wide = drawn(rng, "scores", 3, 8, 3), drawn(rng, "scores", 4, 30, 3)
    picked = [solve(small, objective).solver for objective in OBJECTIVES]
    assert picked == ["meet", "each decision alone", "brute", "brute"]
    assert solve(drawn(rng, "scores", 3, 18, 3), "divergence then welfare").solver == "meet"
    assert solve(wide, time_limit=0.1).solver == "cpsat"


def test_auto_hands_over_to_cp_sat_where_meeting_in_the_middle_proves_nothing(monkeypatch):
    monkeypatch.setattr(fair, "LIMITS", (100, 1000))
    rng = np.random.default_rng(1)
    high, low = rng.integers(50, 100, (1, 30, 3)), rng.integers(0, 50, (2, 30, 3))
    gains = np.concatenate([high, low])  # the first always has more: no plan is near zero
    met, found = solve(gains, solver="meet"), solve(gains)
    assert not met.proven and met.note
    assert found.proven and found.solver == "meet then cpsat"
    assert met.bound <= found.bound == found.value <= met.value


@pytest.mark.parametrize("objective", ["divergence", "leximin", "divergence then welfare"])
def test_auto_keeps_a_plan_and_an_honest_bound_when_time_is_too_short(objective):
    gains = drawn(np.random.default_rng(2), "scores", 5, 40, 3)
    found = solve(gains, objective, time_limit=1e-6)
    assert not found.proven and found.note
    first = found.value if objective == "divergence" else found.value[0]
    assert first <= found.bound if objective == "leximin" else first >= found.bound


def problems_of(people=(1, 3), decisions=(1, 5), options=(1, 3), most=(1, 5, 50, 10**6)):
    sizes = (st.integers(*ends) for ends in (people, decisions, options))
    shapes = st.tuples(*sizes, st.sampled_from(most), st.integers(0, 2**32 - 1))
    return shapes.map(lambda s: np.random.default_rng(s[4]).integers(0, s[3] + 1, s[:3]))


@given(problems_of(decisions=(3, 5), options=(2, 3)))
@settings(max_examples=100, deadline=None)
def test_property_with_incomplete_halves_the_bound_holds_and_proven_is_optimal(of):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fair, "LIMITS", (2, 3))
        found = meet(of)
    best, reached = brute(of, "divergence").bound, np.ptp(totals(of, found.plan))
    assert found.bound <= best <= reached
    assert not found.proven or best == reached
    assert found.proven or "plans looked at" in found.note


@given(problems_of(people=(1, 6)))
@settings(max_examples=100, deadline=None)
def test_property_no_plan_is_below_the_lowest(of):
    assert 0 <= lowest(of) <= brute(of, "divergence").bound


@given(problems_of(most=(1, 5, 50)))
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


def test_numbers_too_large_for_a_bitmap_go_to_the_tree(monkeypatch):
    of = np.random.default_rng(1).integers(0, 2**50, (3, 6, 3))
    assert Halves.of(differences(of), 1000).within(0, 5) is None
    assert meet(of).bound == brute(of, "divergence").bound
    small = of % 100
    monkeypatch.setattr(fair, "CELLS", 10)
    assert meet(small).bound == brute(small, "divergence").bound


@given(st.integers(1, 30))
def test_property_a_ring_is_every_point_at_its_distance(radius):
    side = range(-radius, radius + 1)
    every = {(x, y) for x in side for y in side if max(abs(x), abs(y), abs(x + y)) == radius}
    assert sorted(map(tuple, fair._ring(radius).tolist())) == sorted(every)


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
    assert valued(OBJECTIVES[3], gains, found.plan) == valued(OBJECTIVES[3], gains, brute(gains, OBJECTIVES[3]).plan)


GAINS = np.ones((4, 11, 4), dtype=int)
BAD = [
    ([[[1, 2], [3]]], {}, "gains: decisions with unequal numbers of options given"),
    ([[1, 2]], {}, r"gains: shape \(1, 2\) given; expected \(participants, decisions, options\)"),
    ([[[1, 2], [3, -4]]], {}, "gains: -4 given for participant 1, decision 2, option 2; expected a whole number of 0"),
    ([[[1, 2.5]]], {}, "gains: 2.5 given for participant 1, decision 1, option 2"),
    ([[["a", "b"]]], {}, "gains: values of type <U1 given"),
    ([[[2**60, 0]]], {}, r"gains: 1152921504606846976 given with 1 decisions; expected totals below 2\*\*53"),
    (GAINS, {"objective": "fairness"}, "objective: 'fairness' given; expected one of 'divergence', 'welfare'"),
    (GAINS, {"solver": "gurobi"}, "solver: 'gurobi' given; expected one of 'auto', 'meet'"),
    (GAINS, {"time_limit": 0}, "time_limit: 0 given; expected a number of seconds above 0"),
    (GAINS, {"solver": "meet"}, "'meet' given for divergence and 4 participants; expected divergence and at most 3"),
    (GAINS, {"solver": "brute"}, r"'brute' given for 4\*\*11 plans; expected at most.*Take 'auto'"),
    (drawn(np.random.default_rng(3), "scores", 5, 40, 3), {"solver": "cpsat", "time_limit": 1e-6}, "found no plan"),
]


@pytest.mark.parametrize(("problem", "options", "message"), BAD)
def test_what_cannot_be_asked_is_refused(problem, options, message):
    with pytest.raises(InvalidInput, match=message):
        solve(problem, **options)
