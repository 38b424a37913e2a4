"""A problem's data as hard constraints, and all problems read, solved and judged.

Everything that a text states is a constraint here, preferences included; there is nothing soft. The earliest slot
that works is taken, which is also what some texts ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from support.environments.natural_plan.grammar import parse
from support.environments.natural_plan.judge import judge_task
from support.environments.natural_plan.problems import Problem, load
from support.environments.natural_plan.task import DAYS, MIDNIGHT, DaySlot, Limit, Task
from support.errors import InvalidInput
from support.solvers.scheduling import Block, Schedule, SchedulingProblem, exhaustive, feasible_starts

if TYPE_CHECKING:
    import pandas as pd

STEP = 30
"""Minutes between possible starts: all times in the problems are half hours."""

Solver = Callable[[SchedulingProblem], Schedule]


def to_scheduling(task: Task, step: int = STEP) -> SchedulingProblem:
    """The task in minutes since the midnight before Monday."""
    low, high = task.hours
    return SchedulingProblem(
        duration=task.duration,
        horizon=tuple((_at(day, low), _at(day, high)) for day in task.days),
        step=step,
        required=task.people,
        blocks=(
            *(Block(_at(b.day, b.start), _at(b.day, b.end), f"{b.person}'s calendar", b.person) for b in task.busy),
            *(Block(_at(x.day, x.start), _at(x.day, x.end), _said(x), x.person) for x in task.limits),
        ),
    )


def solve_task(task: Task, solver: Solver = exhaustive, step: int = STEP) -> tuple[DaySlot | None, str]:
    """The earliest slot that meets every constraint and "", or None and what conflicts."""
    found = solver(to_scheduling(task, step))
    if found.best is None:
        return None, found.conflict.text if found.conflict else "the solver ran out of time"
    day, start = divmod(found.best.start, MIDNIGHT)
    return DaySlot(DAYS[day], start, start + task.duration), ""


def run_all(
    problems: Iterable[Problem] | None = None,
    solver: Solver = exhaustive,
    clock: Callable[[], float] | None = None,
) -> pd.DataFrame:
    """Read, solve and judge every problem.

    Parameters
    ----------
    problems : iterable of Problem, optional
        By default all of them.
    solver : callable
        `exhaustive` or `solve` of `support.solvers.scheduling`.
    clock : callable, optional
        Seconds that have passed, such as `time.perf_counter`; without one the times are missing.

    Returns
    -------
    DataFrame
        One row for each problem: id, people and days (counts), status ("solved", "no slot", "not understood"),
        parse_ms, solve_ms, slot, golden, verdict, why; works: how many starts meet every constraint but "the
        earliest"; golden_breaks: what the golden slot breaks in our reading.
    """
    import pandas as pd

    return pd.DataFrame([_row(problem, solver, clock or _no_clock) for problem in problems or load()])


def _row(problem: Problem, solver: Solver, clock: Callable[[], float]) -> dict[str, object]:
    row: dict[str, object] = {"id": problem.id, "golden": str(problem.golden)}
    begun = clock()
    try:
        task = parse(problem.text)
    except InvalidInput as error:
        return {**row, "status": "not understood", "verdict": "no slot", "why": str(error)}
    read = clock()
    slot, conflict = solve_task(task, solver)
    done = clock()
    verdict = judge_task(task, problem.golden, slot)
    return {
        **row,
        "people": len(task.people),
        "days": len(task.days),
        "status": "solved" if slot else "no slot",
        "parse_ms": (read - begun) * 1e3,
        "solve_ms": (done - read) * 1e3,
        "works": len(feasible_starts(to_scheduling(task))),
        "slot": str(slot) if slot else None,
        "verdict": verdict.kind,
        "why": conflict or "; ".join(verdict.broken),
        "golden_breaks": "; ".join(judge_task(task, problem.golden, problem.golden).broken),
    }


def _no_clock() -> float:
    return float("nan")


def _said(limit: Limit) -> str:
    return limit.said or f"{limit.person} not on {limit.day}"


def _at(day: str, minute: int) -> int:
    return DAYS.index(day) * MIDNIGHT + minute
