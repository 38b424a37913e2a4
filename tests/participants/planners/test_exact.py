"""The coordinator that solves: on which gains, and what it proposes when the best plan is known already."""

import asyncio
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.participants.planners.exact import STEPS, ExactPlanner, Suggester, nearby, whole

GAINS = np.random.default_rng(7).integers(0, 60, (3, 4, 3))
PLANS = list(product(range(3), repeat=4))


def spread(gains, plan):
    return np.ptp(gains[:, range(len(plan)), plan].sum(axis=1))


def move(brief, seed=0, **settings):
    return asyncio.run(ExactPlanner(np.random.default_rng(seed), **settings).propose(brief))


def test_on_public_gains_it_proposes_the_optimum_and_then_stops_with_it(briefed):
    first = move(briefed(GAINS, gains=GAINS))
    assert spread(GAINS, first.plans[0]) == min(spread(GAINS, plan) for plan in PLANS) and not first.finish
    last = move(briefed(GAINS, first.plans[0], gains=GAINS))
    assert last.finish and last.plans == first.plans


def test_it_solves_for_the_objective_that_it_is_given(briefed):
    plan = move(briefed(GAINS, gains=GAINS, objective="welfare")).plans[0]
    assert plan == tuple(GAINS.sum(axis=0).argmax(axis=1).tolist())


def test_without_estimates_a_plan_is_drawn_and_under_comparison_two(briefed):
    drawn = {move(briefed(GAINS), seed).plans[0] for seed in range(30)}
    assert len(drawn) > 15
    first, second = move(briefed(GAINS, plans=2, feedback="comparison")).plans
    assert first != second


def test_on_estimates_it_proposes_what_is_expected_to_be_best_though_it_is_not(briefed):
    guess = np.random.default_rng(8).random((3, 4, 3)) * 30
    (plan,) = move(briefed(GAINS, (0, 0, 0, 0), estimates=guess)).plans
    scaled = np.rint(guess * STEPS / guess.max())
    assert spread(scaled, plan) == min(spread(scaled, other) for other in PLANS if other != (0, 0, 0, 0))


def test_round_after_round_it_proposes_no_plan_twice_and_stops_when_none_is_left(briefed):
    gains = GAINS[:, :2, :2]
    planner, known = ExactPlanner(np.random.default_rng(0)), []
    for _ in range(4):
        made = asyncio.run(planner.propose(briefed(gains, *known, estimates=gains + 0.0)))
        known.append(made.plans[0])
    assert len(set(known)) == 4
    last = asyncio.run(planner.propose(briefed(gains, *known, estimates=gains + 0.0)))
    assert last.finish and spread(gains, last.plans[0]) == min(spread(gains, plan) for plan in known)


def test_under_comparison_the_best_known_plan_is_set_against_the_solver_s(briefed):
    brief = briefed(GAINS, ((0, 0, 0, 0), (1, 1, 1, 1)), plans=2, feedback="comparison", estimates=GAINS + 0.0)
    first, second = move(brief).plans
    assert first in brief.known and second not in brief.known
    assert spread(GAINS, second) == min(spread(GAINS, plan) for plan in PLANS if plan not in brief.known)


def test_with_draws_it_solves_on_what_is_drawn_each_time_anew_with_its_own_stream(briefed):
    drawn = []

    def draw(rng):
        drawn.append(rng.normal(30, 20, GAINS.shape))
        return drawn[-1]

    planner = ExactPlanner(np.random.default_rng(4), draw=draw)
    assert planner.kind == "thompson"
    for i in range(2):
        (plan,) = asyncio.run(planner.propose(briefed(GAINS, (0, 0, 0, 0), estimates=GAINS + 0.0))).plans
        scaled = np.rint(drawn[i] * STEPS / np.abs(drawn[i]).max())
        assert spread(scaled, plan) == min(spread(scaled, p) for p in PLANS if p != (0, 0, 0, 0))
    assert not (drawn[0] == drawn[1]).all()


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from(["divergence", "welfare"]))
def test_nearby_is_the_best_unknown_plan_that_differs_in_one_or_two_decisions(seed, count, objective):
    rng = np.random.default_rng(seed)
    gains = rng.normal(10, 5, (3, 4, 3))
    plan = tuple(rng.integers(3, size=4).tolist())
    known = {plan} | {PLANS[i] for i in rng.choice(len(PLANS), count)}

    def worth(other):
        totals = gains[:, range(4), other].sum(axis=1)
        return -np.ptp(totals) if objective == "divergence" else totals.sum()

    near = [p for p in PLANS if 1 <= sum(a != b for a, b in zip(p, plan, strict=True)) <= 2 and p not in known]
    found = nearby(plan, gains, objective, known)
    assert found in near and worth(found) == pytest.approx(max(map(worth, near)))
    assert nearby(plan, gains, objective, known - {plan}) == plan


def test_nearby_finds_nothing_where_all_around_is_known():
    assert nearby((0,), np.ones((2, 1, 1)), "divergence", {(0,)}) is None
    assert nearby((0,), np.ones((2, 1, 2)), "divergence", {(0,), (1,)}) is None


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_whole_numbers_keep_their_divergences_and_negative_expectations_are_raised_not_cut(seed):
    gains = np.random.default_rng(seed).normal(0, 5, (3, 3, 2))
    made = whole(gains)
    assert made.min() >= 0 and np.issubdtype(made.dtype, np.integer)
    for plan in product(range(2), repeat=3):
        assert spread(made, plan) == spread(np.rint(gains * STEPS / np.abs(gains).max()), plan)
    assert whole(GAINS) is GAINS and not whole(np.zeros((1, 1, 2))).any()


def test_a_suggester_says_its_kind_and_refuses_a_solver_that_there_is_not():
    solver = Suggester()
    assert solver.kind == "exact auto" and spread(GAINS, solver(GAINS)) == min(spread(GAINS, p) for p in PLANS)
    with pytest.raises(InvalidInput, match="solver"):
        Suggester(solver="abacus")(GAINS)


@pytest.mark.parametrize(
    ("gains", "asked", "expected"),
    [
        (GAINS, {}, "auto"),
        (GAINS + 0.5, {}, "meet"),
        (GAINS + 0.5, {"solver": "milp"}, "milp"),
        (GAINS + 0.5, {"objective": "welfare"}, "auto"),
        (np.ones((4, 2, 2)), {}, "auto"),
    ],
)
def test_no_proof_is_waited_for_on_estimates_where_the_special_algorithm_works(gains, asked, expected, monkeypatch):
    seen = []

    def solve(gains, objective, solver, time_limit):
        seen.append(solver)
        return SimpleNamespace(plan=(0, 0))

    monkeypatch.setattr("support.solvers.fair.solve", solve)
    assert Suggester(**asked)(gains) == (0, 0) and seen == [expected]
