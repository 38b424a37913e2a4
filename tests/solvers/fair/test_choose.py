"""All solvers agree with a plain loop over all plans, and what they call proven is optimal."""

import sys
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from support.errors import InvalidInput
from support.solvers.fair import OBJECTIVES, SOLVERS, Solution, solve

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


@pytest.mark.parametrize(("solver", "every"), [("cpsat", 40), ("milp", 50)])
def test_programming_solvers_find_what_a_loop_over_all_plans_finds(solved, solver, every):
    for gains, truth in solved[::every]:
        agrees(gains, solver, truth)


def test_cplex_finds_what_a_loop_over_all_plans_finds(solved):
    pytest.importorskip("cplex")
    for gains, truth in solved[::40]:
        agrees(gains, "cplex", truth)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_one_participant_alone_has_an_optimum_too(objective):
    gains = np.array([[[3, 1], [0, 2]]])
    assert solve(gains, objective).value == best_of_all(gains)[objective][0]


def test_a_problem_is_taken_by_its_gains():
    gains = np.array([[[3, 1], [0, 2]], [[1, 2], [2, 2]]])
    assert solve(SimpleNamespace(gains=gains)) == solve(gains.tolist())


def test_auto_says_what_it_picked():
    rng = np.random.default_rng(0)
    small, wide = drawn(rng, "scores", 3, 8, 3), drawn(rng, "scores", 4, 30, 3)
    picked = [solve(small, objective).solver for objective in OBJECTIVES]
    assert picked == ["meet", "each decision alone", "brute", "brute"]
    assert solve(drawn(rng, "scores", 3, 18, 3), "divergence then welfare").solver == "meet"
    assert solve(wide, time_limit=0.1).solver == "cpsat"


def test_auto_hands_over_to_cp_sat_where_meeting_in_the_middle_proves_nothing(monkeypatch):
    monkeypatch.setattr(sys.modules["support.solvers.fair.meet"], "LIMITS", (100, 1000))
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


def test_a_solver_that_runs_out_of_time_says_so():
    gains = drawn(np.random.default_rng(3), "scores", 5, 40, 3)
    with pytest.raises(InvalidInput, match=r"time_limit: 1e-06 s given, in which 'cpsat' found no plan.*'auto'"):
        solve(gains, solver="cpsat", time_limit=1e-6)


def test_the_same_problem_is_solved_by_the_same_plan():
    gains = drawn(np.random.default_rng(4), "scores", 3, 35, 3)
    assert solve(gains) == solve(gains)


def test_a_hundred_decisions_are_proven_fair():
    gains = drawn(np.random.default_rng(5), "scores", 3, 100, 3)
    assert solve(gains).value == solve(gains).bound == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "fairness"}, "objective: 'fairness' given; expected one of 'divergence', 'welfare'"),
        ({"solver": "gurobi"}, "solver: 'gurobi' given; expected one of 'auto', 'meet'"),
        ({"time_limit": 0}, "time_limit: 0 given; expected a number of seconds above 0"),
        ({"time_limit": -1.0}, "time_limit: -1.0 given"),
        ({"time_limit": float("nan")}, "time_limit: nan given"),
        ({"time_limit": "soon"}, "time_limit: 'soon' given"),
        ({"time_limit": True}, "time_limit: True given"),
        ({"solver": "meet", "objective": "welfare"}, "'meet' given for welfare and 4 participants.*'auto'"),
        ({"solver": "meet"}, "'meet' given for divergence and 4 participants; expected divergence and at most 3"),
        ({"solver": "brute"}, r"'brute' given for 4\*\*10 plans; expected at most.*Take 'auto'"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, message, monkeypatch):
    monkeypatch.setattr("support.solvers.fair.brute.MOST", 1_000_000)
    with pytest.raises(InvalidInput, match=message):
        solve(np.ones((4, 10, 4), dtype=int), **options)


def test_no_time_limit_is_infinity():
    gains = drawn(np.random.default_rng(6), "rankings", 4, 3, 3)
    assert len({solve(gains, solver=name, time_limit=np.inf).value for name in ("auto", "cpsat", "milp")}) == 1


def test_one_option_each_leaves_nothing_to_choose():
    for solver in ("auto", "meet", "brute", "cpsat", "milp"):
        found = solve([[[3], [4]], [[5], [0]]], solver=solver)
        assert found == Solution((0, 0), 2, 2, True, solver if solver != "auto" else "meet", found.note)
        assert "nothing to choose" in found.note


def test_every_solver_and_objective_has_a_name():
    assert SOLVERS == ("auto", "meet", "milp", "cpsat", "cplex", "brute")
    assert OBJECTIVES == ("divergence", "welfare", "leximin", "divergence then welfare")
