"""600 rule-based discussions of 10 rounds (six rules, 100 each): simulations per second and peak memory of the process.

The named peer is the same discussions without the store, in the same run: what keeping every unit costs.
"""

import asyncio
import resource
import tempfile
import time
from pathlib import Path

from support.choice import RULES
from support.roundtable.study import roundtable_exchange
from support.runs.study import Store
from support.runs.sweep import Sweep

REPETITIONS = 100


def main() -> None:
    grid = {"rule": list(RULES), "seats": ["mixed"]}
    sweep = Sweep(
        "benchmark", roundtable_exchange, grid, REPETITIONS, seed=2024, paired=["rule"]
    )
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        done = asyncio.run(
            sweep.run(
                Store(Path(folder) / "study.sqlite"), concurrency=1, progress=False
            )
        ).done
        stored = time.perf_counter() - started
    started = time.perf_counter()
    asyncio.run(bare(sweep))
    plain = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{done} simulations in {stored:.1f} s: {done / stored:.1f} a second, peak memory {peak:.0f} MB"
    )
    print(
        f"without the store {plain:.1f} s: storing costs a factor of {stored / plain:.2f}"
    )


async def bare(sweep: Sweep) -> None:

    for unit in sweep.units():
        await sweep.study(**unit.settings, rng=sweep.rng(unit))


if __name__ == "__main__":
    main()
