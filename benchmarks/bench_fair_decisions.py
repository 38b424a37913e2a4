"""How fast the fairest plan is found and proven, beside mixed-integer programming, in one run.

    python benchmarks/bench_fair_decisions.py [instances]

Three participants whose scores share 100 points over the options of each decision, all ways to share them equally
likely; 30 instances of each size, the same for every solver, ten seconds by the clock at most for each. Solvers:

- `auto`, which is meet in the middle on all of these;
- CPLEX where it is installed (the Community Edition will do), CP-SAT, and HiGHS as scipy has it, one thread each.

Times are CPU milliseconds for a whole call of `solve`, model building and checks of the input included: the shortest of
five goes, or of as many as fit into a tenth of a second.
The exit status is 1 when `auto` leaves anything unproven, when proven values differ, or when at any size its median is
less than 50 times below the fastest other median.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from support.solvers.fair import Solution, solve

SEED, INSTANCES, SECONDS, TARGET = 20_240_503, 30, 10.0, 50.0
GOES, ENOUGH = 5, 100.0
SIZES = ((10, 3), (20, 3), (35, 3), (100, 3), (5, 30))
PEERS = {"cplex": "CPLEX", "cpsat": "CP-SAT", "milp": "HiGHS (scipy.optimize.milp)"}


def main() -> int:
    """Print what each solver takes and proves; 0 when the target is met at every size."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else INSTANCES
    peers = [name for name in PEERS if name != "cplex" or find_spec("cplex")]
    if "cplex" not in peers:
        print("CPLEX is not installed: left out")
    met = [compare(n, m, count, peers) for n, m in SIZES]
    return 0 if all(met) else 1


def compare(decisions: int, options: int, count: int, peers: Sequence[str]) -> bool:
    """Time all solvers on the instances of a size; whether the target is met."""
    print(f"{decisions} decisions of {options} options, {count} instances, milliseconds each", flush=True)
    given = [instance(decisions, options, number) for number in range(count)]
    medians, solutions = {}, {}
    for name in ("auto", *peers):
        solutions[name], times = timed(name, given)
        medians[name] = statistics.median(times)
        print(f"  {PEERS.get(name, 'auto'):<28}{line(times)}, {proven(solutions[name])} of {count} proven", flush=True)
    ratio = min(medians[name] for name in peers) / medians["auto"]
    same = all(agree(found) for found in zip(*solutions.values(), strict=True))
    print(
        f"  auto {ratio:.0f} times the speed of the fastest other; {'the same values' if same else 'DIFFERENT VALUES'}"
    )
    return same and ratio >= TARGET and proven(solutions["auto"]) == count


def instance(decisions: int, options: int, number: int, participants: int = 3) -> np.ndarray:
    """Scores that share 100 points, by stars and bars: int of shape (participants, decisions, options)."""
    rng = np.random.default_rng([SEED, decisions, options, number])
    places = 100 + options - 1
    bars = [sorted(rng.choice(places, options - 1, replace=False)) for _ in range(participants * decisions)]
    ends = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), places)])
    return (np.diff(ends, axis=1) - 1).reshape(participants, decisions, options)


def timed(name: str, given: Sequence[np.ndarray]) -> tuple[list[Solution], list[float]]:
    """Solutions and CPU milliseconds, one for each instance; imports are not measured."""
    solve(given[0][:, :2, :2], solver=name)
    found, times = [], []
    for gains in given:
        goes: list[float] = []
        while not goes or (len(goes) < GOES and sum(goes) < ENOUGH):
            start = time.process_time()
            solution = solve(gains, solver=name, time_limit=SECONDS)
            goes.append((time.process_time() - start) * 1e3)
        found.append(solution)
        times.append(min(goes))
    return found, times


def agree(found: Sequence[Solution]) -> bool:
    """Whether all that is proven is the same, and nothing is below it."""
    best = {solution.value for solution in found if solution.proven}
    return len(best) == 1 and all(solution.value >= min(best) for solution in found)


def proven(found: Sequence[Solution]) -> int:
    return sum(solution.proven for solution in found)


def line(times: Sequence[float]) -> str:
    return f"median {statistics.median(times):9.3f} ms, 95th percentile {np.percentile(times, 95):9.3f} ms"


if __name__ == "__main__":
    sys.exit(main())
