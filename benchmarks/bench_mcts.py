"""How many iterations of tree search a second, compiled (numba) beside plain Python, in one run, on the same seeds.

    python benchmarks/bench_mcts.py

Two sizes, ten decisions of three options and five of thirty, three participants with scores (the options of a decision
share 100 points, uniformly among all ways to share them), the default settings and those as printed in 003. Both sides
get the same gains and the same random numbers and have to evaluate the same plans; the compiled one is compiled before.
The plain side's participants add up Python integers. Passes alternate, times are the best of several in CPU seconds of
this process. The exit status is 1 where plans differ, or where compiled is less than 8 times faster.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from support.solvers.mcts import PRINTED, Plan, Settings, Trace, run
from support.solvers.mcts_compiled import run_compiled

SIZES, ITERATIONS, PASSES, SEED, TARGET = ((10, 3), (5, 30)), 5_000, 3, 20_240_501, 8.0
SETTINGS = {"default": Settings(), "printed": PRINTED}


def main() -> int:
    """Print the table; 0 when all plans agree and the target is met."""
    print(f"{ITERATIONS} iterations, three participants; iterations a second\n")
    print(f"{'decisions':>9}{'options':>9}  {'settings':<10}{'plain':>10}{'compiled':>12}{'ratio':>8}  plans")
    rows = [compare(n, m, name) for n, m in SIZES for name in SETTINGS]
    return 0 if all(same and ratio >= TARGET for same, ratio in rows) else 1


def compare(n: int, m: int, name: str) -> tuple[bool, float]:
    """Time both ways, print the row; whether the plans agree, and the ratio."""
    gains, settings = scores(np.random.default_rng([SEED, n, m]), n, m), SETTINGS[name]
    run_compiled(gains, 1, np.random.default_rng(0), settings)  # compiles, or loads what was compiled
    value_of = participants(gains.tolist())
    plain, compiled = [], []
    for _ in range(PASSES):
        plain.append(timed(lambda: run(value_of, n, m, ITERATIONS, np.random.default_rng(SEED), settings)))
        compiled.append(timed(lambda: run_compiled(gains, ITERATIONS, np.random.default_rng(SEED), settings)))
    slow, fast = min(seconds for seconds, _ in plain), min(seconds for seconds, _ in compiled)
    same = all(np.array_equal(a.plans, b.plans) and a.plan == b.plan for (_, a), (_, b) in zip(plain, compiled))  # noqa: B905
    rates = f"{ITERATIONS / slow:>10.0f}{ITERATIONS / fast:>12.0f}{slow / fast:>7.0f}x"
    print(f"{n:>9}{m:>9}  {name:<10}{rates}  {'the same' if same else 'DIFFERENT'}")
    return same, slow / fast


def scores(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Uniform compositions of 100 (stars and bars): int of shape (3, n, m)."""
    bars = [np.sort(rng.choice(100 + m - 1, m - 1, replace=False)) for _ in range(3 * n)]
    padded = np.pad(np.array(bars), ((0, 0), (1, 1)), constant_values=[(0, 0), (-1, 100 + m - 1)])
    return (np.diff(padded, axis=1) - 1).reshape(3, n, m)


def participants(gains: list[list[list[int]]]) -> Callable[[Plan], float]:
    """Minus the divergence of a plan, as one writes it without arrays, which are slower for three participants."""

    def value_of(plan: Plan) -> float:
        totals = [sum(row[option] for row, option in zip(mine, plan)) for mine in gains]  # noqa: B905 (strict costs time)
        return min(totals) - max(totals)

    return value_of


def timed(work: Callable[[], Trace]) -> tuple[float, Trace]:
    """CPU seconds, and the result."""
    start = time.process_time()
    trace = work()
    return time.process_time() - start, trace


if __name__ == "__main__":
    sys.exit(main())
