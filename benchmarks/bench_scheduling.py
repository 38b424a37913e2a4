"""How fast a meeting is placed, beside a plain loop and beside mixed-integer programming, in one run.

    python benchmarks/bench_scheduling.py

Two sets of problems: the 500 of NaturalPlan as our grammar reads them (at most a week of half hours), and 40 larger
ones made here (two weeks at quarter hours, 12 required and 12 optional people, 20 wishes, 3 slots wanted). Four ways:

- `exhaustive`, all starts at once on bitmaps, against the same on a plain Python loop over starts and intervals;
- `solve`, CP-SAT, against `scipy.optimize.milp` (HiGHS), one binary for each start.

All four have to choose the same slots with the same values. On the problems of NaturalPlan, with 15 to 80 starts, a
loop is as fast as bitmaps or faster, and both take less than a quarter of what a solver does. The exit status is
1 when slots differ, or when on the larger problems a ratio is below 3.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from support.meetings.natural_plan import load, parse, to_scheduling
from support.solvers.scheduling import Block, SchedulingProblem, Wish, exhaustive, merged, slot_at, solve
from support.solvers.scheduling_problem import holds

SEED, LARGE, TARGET = 20_240_501, 40, 3.0
Slots = list[tuple[int, int]]


def main() -> int:
    """Print milliseconds a problem and both ratios; 0 when the slots agree and the target is met."""
    texts = [problem.text for problem in load()]
    _, read = timed(parse, texts)
    print(f"reading a text: {line(read)}")
    natural = [to_scheduling(parse(text)) for text in texts]
    rng = np.random.default_rng(SEED)
    good = compare("NaturalPlan", natural, 1, 0)[0]
    same, ratios = compare("two weeks, 24 people", [large(rng) for _ in range(LARGE)], 3, 120)
    return 0 if good and same and min(ratios) >= TARGET else 1


def compare(name: str, problems: Sequence[SchedulingProblem], k: int, spacing: int) -> tuple[bool, tuple[float, float]]:
    """Time the four ways in turn; whether they agree, and our ratios."""
    print(f"{name}: {len(problems)} problems, {k} slot(s) each, milliseconds a problem")
    found, spent = {}, {}
    for way, solver in WAYS.items():
        solver(problems[0], k, spacing)  # imports are not measured
        found[way], spent[way] = timed(lambda problem, solver=solver: solver(problem, k, spacing), problems)
        print(f"  {way:<28}{line(spent[way])}")
    bitmaps, loop, cp_sat, highs = (statistics.median(times) for times in spent.values())
    same = all(slots == found["bitmaps"] for slots in found.values())
    print(f"  bitmaps {loop / bitmaps:.1f} times the loop's speed, CP-SAT {highs / cp_sat:.1f} times HiGHS's; "
          f"{'the same slots' if same else 'DIFFERENT SLOTS'}")  # fmt: skip
    return same, (loop / bitmaps, highs / cp_sat)


def large(rng: np.random.Generator) -> SchedulingProblem:
    """Ten working days, eight required meetings a person, twenty wishes."""
    days = [day * 1440 for day in (0, 1, 2, 3, 4, 7, 8, 9, 10, 11)]
    people = [f"P{i}" for i in range(24)]

    def span(longest: int) -> tuple[int, int]:
        start = int(rng.choice(days)) + 15 * int(rng.integers(36, 68))
        return start, start + 15 * int(rng.integers(1, longest))

    return SchedulingProblem(
        duration=45,
        horizon=tuple((day + 540, day + 1080) for day in days),
        step=15,
        required=tuple(people[:12]),
        optional=tuple((person, int(rng.integers(1, 6))) for person in people[12:]),
        blocks=tuple(Block(*span(7), f"{person}'s calendar", person) for person in people for _ in range(6)),
        wishes=tuple(
            Wish((span(30), span(30)), int(rng.integers(1, 9)), f"wish {i}", people[int(rng.integers(24))], i % 2 == 0)
            for i in range(20)
        ),
    )


def bitmaps(problem: SchedulingProblem, k: int, spacing: int) -> Slots:
    return [(slot.start, slot.value) for slot in exhaustive(problem, k, spacing).slots]


def cp_sat(problem: SchedulingProblem, k: int, spacing: int) -> Slots:
    return [(slot.start, slot.value) for slot in solve(problem, k, spacing).slots]


def plain_loop(problem: SchedulingProblem, k: int, spacing: int) -> Slots:
    """The loop that one would write."""
    left = {start: slot_at(problem, start).value for start in allowed(problem)}
    chosen: Slots = []
    while left and len(chosen) < k:
        best = max(left, key=lambda start: (left[start], -start))
        chosen.append((best, left[best]))
        left = {start: value for start, value in left.items() if abs(start - best) >= max(spacing, 1)}
    return chosen


def starts_of(problem: SchedulingProblem) -> list[int]:
    step = problem.step
    return [
        start
        for low, high in merged(problem.horizon)
        for start in range(-(-low // step) * step, high - problem.duration + 1, step)
    ]


def allowed(problem: SchedulingProblem) -> list[int]:
    taken = [span for spans in problem.hard.values() for span in spans]
    return [s for s in starts_of(problem) if all(s >= high or s + problem.duration <= low for low, high in taken)]


def highs(problem: SchedulingProblem, k: int, spacing: int) -> Slots:
    """One binary for each start, optional person and wish; the same objective as CP-SAT's."""
    starts, fine = starts_of(problem), set(allowed(problem))
    n = len(starts)
    worth = [weight for _, weight in problem.optional] + [wish.weight for wish in problem.wishes]
    cost = np.concatenate([np.arange(n), -n * np.array(worth, dtype=float)])
    rows = [np.concatenate([np.ones(n), np.zeros(len(worth))]), *links(problem, starts)]
    lower, most = [1.0] + [-np.inf] * (len(rows) - 1), [1.0] + [float(row[:n].max() > 0) for row in rows[1:]]
    constraints = LinearConstraint(np.array(rows), lower, most)
    upper = np.concatenate([[float(start in fine) for start in starts], np.ones(len(worth))])
    chosen: Slots = []
    while len(chosen) < k:
        solution = milp(cost, integrality=np.ones(len(cost)), bounds=Bounds(0, upper), constraints=constraints,
                        options={"mip_rel_gap": 0.0})  # fmt: skip
        if solution.x is None:
            break
        best = starts[int(np.argmax(solution.x[:n]))]
        chosen.append((best, slot_at(problem, best).value))
        upper[[j for j, start in enumerate(starts) if abs(start - best) < max(spacing, 1)]] = 0
    return chosen


def links(problem: SchedulingProblem, starts: list[int]) -> list[np.ndarray]:
    """Rows of at most 1 where they forbid starts, else of at most 0.

    Who attends is not busy: attends + sum of the busy starts <= 1. What holds lies right, and its person attends:
    held - sum of the starts that hold it <= 0, held - attends <= 0.
    """
    n, people, rows = len(starts), [name for name, _ in problem.optional], []

    def row(plus: int, minus: int = -1) -> np.ndarray:
        made = np.zeros(n + len(people) + len(problem.wishes))
        made[n + plus] = 1
        if minus >= 0:
            made[n + minus] = -1
        rows.append(made)
        return made

    for i, name in enumerate(people):
        busy = Wish(tuple(problem.busy(name)), 1, name, wanted=False)
        row(i)[:n] = [not holds(busy, start, start + problem.duration) for start in starts]
    for i, wish in enumerate(problem.wishes, start=len(people)):
        row(i)[:n] = [-holds(wish, start, start + problem.duration) for start in starts]
        if wish.person in people:
            row(i, people.index(wish.person))
    return rows


WAYS: dict[str, Callable[[SchedulingProblem, int, int], Slots]] = {
    "bitmaps": bitmaps,
    "plain loop": plain_loop,
    "CP-SAT": cp_sat,
    "HiGHS (scipy.optimize.milp)": highs,
}


def timed(work: Callable, items: Sequence) -> tuple[list, list[float]]:
    """Results and CPU milliseconds, one for each item: the shorter of two goes."""
    results, times = [], []
    for item in items:
        goes = []
        for _ in range(2):
            start = time.process_time()
            result = work(item)
            goes.append((time.process_time() - start) * 1e3)
        results.append(result)
        times.append(min(goes))
    return results, times


def line(times: Sequence[float]) -> str:
    return f"median {statistics.median(times):8.3f} ms, 95th percentile {np.percentile(times, 95):8.3f} ms"


if __name__ == "__main__":
    sys.exit(main())
