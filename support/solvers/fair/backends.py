"""HiGHS, CP-SAT and CPLEX behind one function each, `support.solvers.fair.program.Minimise`.

Every one runs on one thread with a fixed seed, so that equal problems find equal plans while time does not run out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from support.errors import InvalidInput, MissingData
from support.solvers.fair.problem import Plan
from support.solvers.fair.program import Program, Reached

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

EXACT, USABLE = 1e6, 1e9
"""Totals up to which tolerances of 1e-6 stay below one unit, so that floating-point bounds are trusted, and up to which
floating-point solvers are asked at all."""
GAP = 0.9
"""A gap at which a whole number is known."""
COMMUNITY = 1000
"""Variables, and constraints, that CPLEX's Community Edition takes."""
TOO_LARGE = 1016
"""CPLEX's code for a problem over that size without a licence."""


def milp(program: Program, part: int, seconds: float, start: Plan | None) -> Reached:
    """HiGHS, as scipy has it: the gap is closed to 0, and the bound is its own dual bound.

    It takes no plan to start from, and does not tell how long it took: it counts as all that it was given.
    """
    from scipy.optimize import Bounds, LinearConstraint
    from scipy.optimize import milp as highs
    from scipy.sparse import csr_array

    found = highs(
        program.costs[part].astype(float),
        integrality=_integral(program),
        bounds=Bounds(np.zeros(len(program.upper)), program.upper),
        constraints=LinearConstraint(csr_array(program.rows.astype(float)), program.low, program.high),
        options={"time_limit": seconds if np.isfinite(seconds) else 1e20, "mip_rel_gap": 0.0},
    )
    plan = None if found.x is None else program.plan(found.x)
    bound = -np.inf if found.mip_dual_bound is None else float(found.mip_dual_bound)
    return Reached(plan, _trusted(program, bound), seconds if np.isfinite(seconds) else 0.0)


def cp_sat(program: Program, part: int, seconds: float, start: Plan | None) -> Reached:
    """CP-SAT of OR-tools, in whole numbers throughout: its bounds are exact."""
    from ortools.sat.python import cp_model

    model, columns = _model(program)
    model.minimize(cp_model.LinearExpr.weighted_sum(columns, program.costs[part].tolist()))
    if start is not None:
        _, n, m = program.gains.shape
        chosen = np.zeros((n, m), dtype=int)
        chosen[np.arange(n), list(start)] = 1
        for column, value in zip(columns, chosen.ravel().tolist(), strict=False):
            model.add_hint(column, value)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # one thread: the same search every time
    solver.parameters.random_seed = 0
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Reached(None, -np.inf, solver.wall_time)
    values = np.array([solver.value(column) for column in columns[: program.choices]])
    return Reached(program.plan(values), solver.best_objective_bound, solver.wall_time)


def _model(program: Program) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    from ortools.sat.python import cp_model

    model, (_, n, m) = cp_model.CpModel(), program.gains.shape
    columns = [model.new_int_var(0, int(top), "") for top in program.upper]
    for j in range(n):
        model.add_exactly_one(columns[j * m : (j + 1) * m])
    for row, low, high in zip(program.rows[n:], program.low[n:], program.high[n:], strict=True):
        used = np.flatnonzero(row)
        total = cp_model.LinearExpr.weighted_sum([columns[c] for c in used], row[used].tolist())
        if np.isfinite(low):
            model.add(total >= int(low))
        if np.isfinite(high):
            model.add(total <= int(high))
    return model, columns


def cplex(program: Program, part: int, seconds: float, start: Plan | None) -> Reached:
    """CPLEX, where its Python package is installed.

    Raises
    ------
    MissingData
        When it is not.
    InvalidInput
        When the problem is too large for its Community Edition and no licence is there.
    """
    package = _cplex()
    engine = _engine(package, program, part)
    if np.isfinite(seconds):
        engine.parameters.timelimit.set(seconds)
    began = engine.get_time()
    try:
        engine.solve()
    except package.exceptions.CplexError as error:
        if TOO_LARGE not in error.args[2:]:
            raise
        raise InvalidInput(
            f"solver: 'cplex' given for {len(program.upper)} variables and {len(program.rows)} constraints; its "
            f"Community Edition takes at most {COMMUNITY} of each. Take 'cpsat' or 'auto', or install a full licence"
        ) from error
    took = float(engine.get_time() - began)
    if not engine.solution.is_primal_feasible():
        return Reached(None, -np.inf, took)
    plan = program.plan(np.array(engine.solution.get_values(0, program.choices - 1)))
    bound = float(engine.solution.MIP.get_best_objective())
    if engine.solution.get_status() == engine.solution.status.MIP_optimal:  # nothing is left: a bound may be older
        bound = max(bound, float(engine.solution.get_objective_value()) - GAP)
    return Reached(plan, _trusted(program, bound), took)


def _cplex() -> Any:
    try:
        import cplex as package
    except ImportError as error:
        raise MissingData(
            "solver: 'cplex' given, but the package is not installed. `pip install cplex` brings the Community Edition "
            f"(up to {COMMUNITY} variables and constraints, IBM's licence); 'cpsat' and 'auto' need nothing further"
        ) from error
    return package


def _engine(package: Any, program: Program, part: int) -> Any:
    engine = package.Cplex()
    for silence in (
        engine.set_log_stream,
        engine.set_results_stream,
        engine.set_warning_stream,
        engine.set_error_stream,
    ):
        silence(None)
    engine.parameters.threads.set(1)
    engine.parameters.mip.tolerances.mipgap.set(0.0)
    engine.parameters.mip.tolerances.absmipgap.set(GAP)
    choices, others = program.choices, len(program.upper) - program.choices
    engine.variables.add(
        obj=program.costs[part].astype(float).tolist(),
        lb=[0.0] * len(program.upper),
        ub=program.upper.astype(float).tolist(),
        types="B" * choices + "C" * others,  # whole when the binaries are
    )
    used = [np.flatnonzero(row) for row in program.rows]
    limits = [_sense(low, high) for low, high in zip(program.low, program.high, strict=True)]
    engine.linear_constraints.add(
        lin_expr=[[u.tolist(), row[u].astype(float).tolist()] for u, row in zip(used, program.rows, strict=True)],
        senses="".join(sense for sense, _ in limits),
        rhs=[side for _, side in limits],
    )
    return engine


def _sense(low: float, high: float) -> tuple[str, float]:
    if low == high:
        return "E", float(low)
    return ("L", float(high)) if np.isfinite(high) else ("G", float(low))


def _integral(program: Program) -> np.ndarray:
    """Only the choices need to be declared whole: what is computed from them is then whole at an optimum."""
    return (np.arange(len(program.upper)) < program.choices).astype(int)


def _trusted(program: Program, bound: float) -> float:
    """A floating-point bound, or none where its tolerances exceed a unit.

    Raises
    ------
    InvalidInput
        Where totals are so large that a plan would not come out right either.
    """
    largest = int(program.gains.max()) * program.gains.shape[1]
    if largest > USABLE:
        raise InvalidInput(
            f"gains: totals of up to {largest} given to a floating-point solver; expected at most {USABLE:.0e}. Take "
            "'cpsat' or 'auto', or scale down"
        )
    return bound if largest <= EXACT else -np.inf
