"""How fast the fairest plan is found and proven, beside mixed-integer programming, in one run.

    python benchmarks/bench_fair_decisions.py [instances]

Three participants share 100 points over three options of each decision, in one of two ways: all ways to share them
equally likely, or nearly equal shares (33 or 34 points and up to 3 to and fro). 30 instances of each size, the same for
every solver, ten seconds by the clock at most for each. The peers, each set up as well as its own users would: totals
between the largest and the smallest one, bounded by what every plan gives and takes; both cores where it can use them;
a gap of 0.9, for totals are whole. CP-SAT (OR-tools), HiGHS (scipy.optimize.milp, one thread), and CPLEX where the
peers' environment has it (the Community Edition will do). Tried as well on nearly equal shares: one worker or thread,
eight workers, no bounds, the gap in place of the largest total; none of them took less than seven tenths of these.

Times are milliseconds by the clock for a whole call, model building included: the shortest of five goes, or of as many
as fit into a tenth of a second. The exit status is 1 when ours leaves anything unproven, or proven values differ.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from support.solvers.fair import solve

SEED, INSTANCES, SECONDS, OPTIONS = 20_240_503, 30, 10.0, 3
GOES, ENOUGH = 5, 0.1
SIZES = (10, 20, 35, 100)
Solver = Callable[[np.ndarray], tuple[int, bool]]


def ours(gains: np.ndarray) -> tuple[int, bool]:
    """The divergence of the plan found, and whether it is proven."""
    found = solve(gains, time_limit=SECONDS)
    return int(found.value), found.proven  # type: ignore[arg-type]


def ends(gains: np.ndarray) -> tuple[int, int]:
    """What no total is below, and what none is above."""
    return int(gains.min(axis=2).sum(axis=1).min()), int(
        gains.max(axis=2).sum(axis=1).max()
    )


def cp_sat(gains: np.ndarray) -> tuple[int, bool]:
    """The same by CP-SAT, two workers."""
    from ortools.sat.python import cp_model

    model, (_, n, m), (least, most) = cp_model.CpModel(), gains.shape, ends(gains)
    columns = [model.new_bool_var("") for _ in range(n * m)]
    for j in range(n):
        model.add_exactly_one(columns[j * m : (j + 1) * m])
    low, high = model.new_int_var(least, most, ""), model.new_int_var(least, most, "")
    for row in gains:
        total = cp_model.LinearExpr.weighted_sum(columns, row.ravel().tolist())
        model.add(total <= high)
        model.add(total >= low)
    model.add(high >= low)
    model.minimize(high - low)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.max_time_in_seconds = 2, SECONDS
    status = solver.solve(model)
    value = (
        round(solver.objective_value)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
        else most
    )
    return value, status == cp_model.OPTIMAL


def program(gains: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows over the binaries, the lowest and the highest total, with their limits: choose one, low <= V_i <= high."""
    p, n, m = gains.shape
    worth = gains.reshape(p, n * m)
    choose = np.hstack([np.kron(np.eye(n), np.ones(m)), np.zeros((n, 2))])
    below, above = (
        np.hstack([worth, np.tile([0, -1], (p, 1))]),
        np.hstack([worth, np.tile([-1, 0], (p, 1))]),
    )
    low = np.concatenate([np.ones(n), np.full(p, -np.inf), np.zeros(p)])
    high = np.concatenate([np.ones(n), np.zeros(p), np.full(p, np.inf)])
    return np.vstack([choose, below, above]), low, high


def highs(gains: np.ndarray) -> tuple[int, bool]:
    """The same by HiGHS."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    (rows, low, high), choices, (least, most) = (
        program(gains),
        gains[0].size,
        ends(gains),
    )
    costs = np.append(np.zeros(choices), [-1, 1])
    bounds = Bounds(
        np.append(np.zeros(choices), [least] * 2),
        np.append(np.ones(choices), [most] * 2),
    )
    whole = np.append(np.ones(choices), [0, 0])
    options = {"time_limit": SECONDS, "mip_rel_gap": 0.0}
    found = milp(costs, integrality=whole, bounds=bounds, constraints=LinearConstraint(csr_array(rows), low, high),
                 options=options)  # fmt: skip
    value = most if found.x is None else round(found.fun)
    return (
        value,
        found.mip_dual_bound is not None and value - found.mip_dual_bound < 1 - 1e-6,
    )


def cplex(gains: np.ndarray) -> tuple[int, bool]:
    """The same by CPLEX, two threads."""
    import cplex as package

    (rows, low, high), choices, (least, most) = (
        program(gains),
        gains[0].size,
        ends(gains),
    )
    engine = package.Cplex()
    for stream in (
        engine.set_log_stream,
        engine.set_results_stream,
        engine.set_warning_stream,
    ):
        stream(None)
    engine.parameters.threads.set(2)
    engine.parameters.timelimit.set(SECONDS)
    engine.parameters.mip.tolerances.absmipgap.set(0.9)
    engine.variables.add(
        obj=[0.0] * choices + [-1.0, 1.0],
        lb=[0.0] * choices + [least] * 2,
        ub=[1.0] * choices + [most] * 2,
        types="B" * choices + "CC",
    )
    used = [np.flatnonzero(row) for row in rows]
    engine.linear_constraints.add(
        lin_expr=[
            [u.tolist(), row[u].tolist()] for u, row in zip(used, rows, strict=True)
        ],
        senses=[
            "E" if a == b else "L" if np.isfinite(b) else "G"
            for a, b in zip(low, high, strict=True)
        ],
        rhs=[float(b if np.isfinite(b) else a) for a, b in zip(low, high, strict=True)],
    )
    engine.solve()
    value = (
        round(engine.solution.get_objective_value())
        if engine.solution.is_primal_feasible()
        else most
    )
    return (
        value,
        engine.solution.get_status() == engine.solution.status.MIP_optimal
        or engine.solution.get_status() == 102,
    )


def instance(shares: str, decisions: int, number: int) -> np.ndarray:
    """Shares of 100 points: int of shape (3, decisions, options)."""
    rng = np.random.default_rng([SEED, decisions, number])
    shape = (3, decisions, OPTIONS)
    if shares == "even":  # stars and bars
        bars = np.sort(
            [
                rng.choice(100 + OPTIONS - 1, OPTIONS - 1, replace=False)
                for _ in range(3 * decisions)
            ]
        )
        return (
            np.diff(bars, axis=1, prepend=-1, append=100 + OPTIONS - 1) - 1
        ).reshape(shape)
    made = 33 + rng.integers(-3, 4, shape)
    made[..., -1] += 100 - made.sum(axis=2)
    return made


def timed(
    solver: Solver, given: list[np.ndarray]
) -> tuple[list[tuple[int, bool]], float, float]:
    """What was found, and the median and the 95th percentile of milliseconds."""
    solver(given[0][:, :2])  # imports are not measured
    found, times = [], []
    for gains in given:
        goes: list[float] = []
        while not goes or (len(goes) < GOES and sum(goes) < ENOUGH):
            start = time.perf_counter()
            answer = solver(gains)
            goes.append(time.perf_counter() - start)
        found.append(answer)
        times.append(min(goes) * 1e3)
    return found, statistics.median(times), float(np.percentile(times, 95))


def main() -> int:
    """Print what each solver takes and proves; 0 when ours proves all and proven values agree."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else INSTANCES
    peers: dict[str, Solver] = {"CP-SAT": cp_sat, "HiGHS": highs}
    # After our own packages, so that of theirs only CPLEX is taken.
    sys.path += map(
        str,
        Path(__file__)
        .resolve()
        .parents[1]
        .glob("build/peers/lib/python3*/site-packages"),
    )
    if find_spec("cplex"):
        peers["CPLEX"] = cplex
    else:
        print("CPLEX is not installed: not measured")
    good = True
    for shares in ("even", "nearly equal"):
        for decisions in SIZES:
            given = [instance(shares, decisions, number) for number in range(count)]
            found, medians = {}, {}
            for name, solver in {"ours": ours, **peers}.items():
                found[name], medians[name], late = timed(solver, given)
                proven = sum(told for _, told in found[name])
                print(f"{shares:>12}, n = {decisions:>3}, {name:<6} median {medians[name]:9.3f} ms, 95th percentile "
                      f"{late:9.3f} ms, {proven} of {count} proven", flush=True)  # fmt: skip
            values = [
                {value for value, told in answers if told}
                for answers in zip(*found.values(), strict=True)
            ]
            good = (
                good
                and all(told for _, told in found["ours"])
                and all(len(one) == 1 for one in values)
            )
            fastest = min(peers, key=lambda name: medians[name])
            print(
                f"{shares:>12}, n = {decisions:>3}: ours takes 1/{medians[fastest] / medians['ours']:.0f} of {fastest}"
            )
    print(
        "proven values are the same"
        if good
        else "DIFFERENT VALUES, or not proven by ours"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
