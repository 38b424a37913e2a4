"""The solver agrees with a plain loop over all plans, and what it calls proven is optimal; halves claim no more than
they know.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.solvers import fair
from support.solvers.fair import Halves, brute, differences, lowest, meet, solve, totals


def drawn(rng, kind, p, n, m):
    """Gains of a kind of preference: shares of 100, permutations of 1 to m, or whole numbers, zeros among them."""
    if kind == "scores":
        cuts = np.sort(rng.integers(0, 101, (p, n, m - 1)), axis=2)
        return np.diff(cuts, axis=2, prepend=0, append=100)
    if kind == "rankings":
        return rng.permuted(np.tile(np.arange(1, m + 1), (p, n, 1)), axis=2)
    return rng.integers(0, rng.choice([2, 6, 21, 3000]), (p, n, m)) * rng.choice(
        [1, 2, 10]
    )


@pytest.mark.parametrize(("count", "most"), [(1000, fair.MOST), (60, 0)])
def test_it_finds_what_a_loop_over_all_plans_finds_by_cp_sat_as_well(
    monkeypatch, count, most
):
    monkeypatch.setattr(fair, "MOST", most)
    rng = np.random.default_rng(5)
    for number in range(count):
        p, n, m = (
            int(rng.integers(2, 5)),
            int(rng.integers(1, 5)),
            int(rng.integers(1, 4)),
        )
        gains = drawn(rng, ("scores", "rankings", "counts")[number % 3], p, n, m)
        rows, plans = gains.tolist(), product(range(m), repeat=n)
        every = [
            [sum(row[j][k] for j, k in enumerate(plan)) for row in rows]
            for plan in plans
        ]
        truth = {
            "divergence": min(max(v) - min(v) for v in every),
            "welfare": max(map(sum, every)),
        }
        for objective, best in truth.items():
            found = solve(gains, objective, time_limit=100)
            assert found.proven and found.value == found.bound == best, (
                objective,
                gains.tolist(),
                found,
            )
            reached = totals(gains, found.plan)
            assert (
                np.ptp(reached) if objective == "divergence" else reached.sum()
            ) == best


def test_it_hands_over_to_cp_sat_where_meeting_in_the_middle_proves_nothing(
    monkeypatch,
):
    monkeypatch.setattr(fair, "LIMITS", (100, 1000))
    rng = np.random.default_rng(1)
    high, low = rng.integers(50, 100, (1, 30, 3)), rng.integers(0, 50, (2, 30, 3))
    gains = np.concatenate(
        [high, low]
    )  # the first always has more: no plan is near zero
    met, found = meet(gains), solve(gains)
    assert not met.proven and found.proven and found.solver == "meet then cpsat"
    assert met.bound <= found.bound == found.value <= met.value


def test_it_keeps_a_plan_and_an_honest_bound_when_time_is_too_short():
    found = solve(drawn(np.random.default_rng(2), "scores", 5, 40, 3), time_limit=1e-6)
    assert not found.proven and found.value >= found.bound and found.solver == "cpsat"


def problems(decisions, options, most):
    sizes = st.tuples(st.integers(1, 3), st.integers(*decisions), st.integers(*options))
    shapes = st.tuples(sizes, st.sampled_from(most), st.integers(0, 2**32 - 1))
    return shapes.map(lambda s: np.random.default_rng(s[2]).integers(0, s[1] + 1, s[0]))


@given(problems((3, 5), (2, 3), (1, 5, 50, 10**6)))
@settings(max_examples=100)
def test_property_with_incomplete_halves_the_bound_holds_and_proven_is_optimal(of):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fair, "LIMITS", (2, 3))
        found = meet(of)
    best, reached = brute(of).bound, np.ptp(totals(of, found.plan))
    assert 0 <= lowest(of) <= best and found.bound <= best <= reached
    assert not found.proven or best == reached


@given(problems((1, 5), (1, 3), (1, 5, 50)))
@settings(max_examples=100)
def test_property_rings_and_tree_find_the_same_distance(of):
    halves = Halves.of(differences(of), 1000)
    near, ringed = np.ptp(totals(of, halves.nearest())), halves.within(0, 30)
    assert (ringed is None) == (near > 30)
    assert ringed is None or np.ptp(totals(of, ringed)) == near


def test_parity_is_a_bound():
    even = np.random.default_rng(0).integers(0, 50, (2, 60, 2)) * 2
    even[0, 0] += (
        1  # the first participant's total is odd whatever is chosen, the second's even
    )
    found = meet(even)
    assert lowest(even) == 1
    assert (
        found.proven
        and found.bound == 1
        and not Halves.of(differences(even), 200_000).complete
    )


def test_numbers_too_large_for_a_bitmap_go_to_the_tree(monkeypatch):
    of = np.random.default_rng(1).integers(0, 2**50, (3, 6, 3))
    assert Halves.of(differences(of), 1000).within(0, 5) is None
    assert meet(of).bound == brute(of).bound
    small = of % 100
    monkeypatch.setattr(fair, "CELLS", 10)
    assert meet(small).bound == brute(small).bound


def test_what_cannot_be_asked_is_refused():
    for problem, objective, message in (
        (
            [[[1, 2], [3]]],
            "divergence",
            "gains: decisions with unequal numbers of options given",
        ),
        (
            [[1, 2]],
            "divergence",
            r"gains: int64 of shape \(1, 2\) given; expected whole numbers of shape",
        ),
        (
            [[[1, 2], [3, -4]]],
            "divergence",
            "gains: -4 given for participant 1, decision 2, option 2; expected",
        ),
        (
            [[[2**60, 0]]],
            "divergence",
            r"gains: 1152921504606846976 given .*totals below 2\*\*53",
        ),
        (
            [[[1]]],
            "fairness",
            "objective: 'fairness' given; expected 'divergence' or 'welfare'",
        ),
    ):
        with pytest.raises(InvalidInput, match=message):
            solve(problem, objective)
