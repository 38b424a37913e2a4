"""Programming solvers at their edges: CPLEX absent or too small, floating point, programs of several parts."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from support.errors import InvalidInput, MissingData
from support.solvers.fair import solve
from support.solvers.fair.backends import TOO_LARGE, cp_sat, milp
from support.solvers.fair.program import Reached, costs_of, in_turn, program

GAINS = np.array([[[7, 1, 4], [2, 5, 0]], [[3, 3, 6], [4, 4, 1]], [[0, 8, 2], [6, 0, 3]]])


def test_an_absent_cplex_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "cplex", None)
    with pytest.raises(MissingData, match=r"'cplex' given, but the package is not installed.*pip install.*'cpsat'"):
        solve(GAINS, solver="cplex")


def test_a_problem_over_the_community_editions_size_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "cplex", stand_in(TOO_LARGE))
    message = r"'cplex' given for 8 variables and 9 constraints.*at most 1000 of each. Take 'cpsat' or 'auto'"
    with pytest.raises(InvalidInput, match=message):
        solve(GAINS, solver="cplex")


def test_other_errors_of_cplex_are_its_own(monkeypatch):
    package = stand_in(32201)
    monkeypatch.setitem(sys.modules, "cplex", package)
    with pytest.raises(package.exceptions.CplexError):
        solve(GAINS, solver="cplex")


def test_a_real_cplex_refuses_what_is_too_large_for_it():
    pytest.importorskip("cplex")
    with pytest.raises(InvalidInput, match="Community Edition takes at most 1000"):
        solve(np.random.default_rng(0).integers(0, 9, (3, 101, 10)), solver="cplex")


def stand_in(code):
    """A CPLEX that takes any problem and refuses to solve it."""

    class CplexError(Exception):
        pass

    class Anything:
        def __getattr__(self, name):
            return Anything()

        def __call__(self, *args, **options):
            return 0.0

    class Cplex(Anything):
        def solve(self):
            raise CplexError("refused", None, code)

    package = ModuleType("cplex")
    package.Cplex, package.exceptions = Cplex, SimpleNamespace(CplexError=CplexError)
    return package


def test_highs_claims_no_proof_beyond_its_precision():
    gains = np.random.default_rng(0).integers(0, 10**7, (3, 4, 3))
    found = solve(gains, solver="milp")
    assert not found.proven and found.bound <= solve(gains).value <= found.value
    with pytest.raises(InvalidInput, match=r"totals of up to \d+ given to a floating-point solver.*Take 'cpsat'"):
        solve(gains * 10**6, solver="milp")
    assert solve(gains * 10**6, solver="cpsat").value == solve(gains).value * 10**6


@pytest.mark.parametrize("minimise", [milp, cp_sat])
def test_a_plan_to_start_from_is_never_made_worse(minimise):
    best = solve(GAINS, solver="brute").plan
    found = in_turn(program(GAINS, "divergence"), minimise, 1.0, best)
    assert found.proven and found.bound == solve(GAINS, solver="brute").value


def test_time_is_shared_over_the_parts_that_are_left():
    given = []

    def half(asked, part, seconds, start):
        given.append(seconds)
        return Reached((0, 0), asked.worth((0, 0))[part], seconds / 2)

    in_turn(program(GAINS, "leximin"), half, 12.0)
    assert given == [4.0, 5.0, 7.5]


def test_what_is_reached_first_is_held_later():
    def first(asked, part, seconds, start):
        assert len(asked.rows) == rows + part
        return Reached((1, 1), asked.worth((1, 1))[part], 0.0)

    asked = program(GAINS, "divergence then welfare")
    rows = len(asked.rows)
    assert in_turn(asked, first, 1.0).plan == (1, 1)


def test_a_bound_short_of_the_cost_proves_nothing_and_is_rounded_up():
    found = in_turn(program(GAINS, "divergence"), lambda *_: Reached((0, 0), 0.3, 0.1), 1.0)
    assert (found.bound, found.proven) == (1.0, False)
    assert "part 1 of 1" in found.note


def test_no_plan_in_time_is_none():
    assert in_turn(program(GAINS, "divergence"), lambda *_: Reached(None, -np.inf, 1.0), 1.0) is None


def test_leximin_costs_are_the_sums_of_the_smallest():
    assert costs_of("leximin", np.array([2, 3, 7])) == (-2, -5, -12)
    assert costs_of("welfare", np.array([2, 3, 7])) == (-12,)
