"""The best times for a meeting under hard constraints and soft preferences, by constraint programming (CP-SAT).

The paper names optimisation packages as the remedy for what its language model could not do with calendars
(Papachristou, Yang and Hsu 2023, section 7). `solve` proposes the k best and diverse slots; `exhaustive`, which looks
at every start, gives the same and is quicker for one meeting.

Variables: the start t, a multiple of the step; a literal for each optional person who attends and for each wish that
holds. Hard constraints cut the domain of t, a literal that is true confines t to where it may be, and the weighted
sum of the literals is maximised, the earlier start among equals.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from support.solvers.scheduling_grid import (
    HORIZON,
    Conflict,
    Schedule,
    check_request,
    conflict,
    exhaustive,
    feasible_starts,
)
from support.solvers.scheduling_problem import (
    MEETING,
    Block,
    Interval,
    SchedulingProblem,
    Slot,
    Wish,
    merged,
    slot_at,
)

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

__all__ = [
    "HORIZON",
    "MEETING",
    "Block",
    "Conflict",
    "Interval",
    "Schedule",
    "SchedulingProblem",
    "Slot",
    "Wish",
    "conflict",
    "exhaustive",
    "feasible_starts",
    "merged",
    "slot_at",
    "solve",
]


def solve(problem: SchedulingProblem, k: int = 1, spacing: int = 0, time_limit: float = 10.0) -> Schedule:
    """The k best slots, at least `spacing` minutes apart, chosen as `exhaustive` says.

    Parameters
    ----------
    problem : SchedulingProblem
    k : int
        How many are wanted; there may be fewer.
    spacing : int
        Minutes between any two starts.
    time_limit : float
        Seconds that the search for one slot may take. A slot found in time but not proven best is returned, with
        `proven` False.

    Returns
    -------
    Schedule
        With the `conflict` when no slot satisfies the constraints.

    Raises
    ------
    InvalidInput
        When k or spacing does not fit.
    """
    check_request(k, spacing)
    domain = _starts(problem)
    if domain.is_empty():
        return Schedule((), True, conflict(problem))
    model, start = _model(problem, domain)
    apart, proven = max(1, -(-spacing // problem.step)), True
    chosen: list[Slot] = []
    while len(chosen) < k:
        found, optimal = _search(model, start, time_limit)
        proven &= optimal
        if found is None:
            break
        chosen.append(slot_at(problem, found * problem.step))
        model.add_linear_expression_in_domain(start, _outside([(found - apart + 1, found + apart - 1)]))
    return Schedule(tuple(chosen), proven)


def _search(model: cp_model.CpModel, start: cp_model.IntVar, time_limit: float) -> tuple[int | None, bool]:
    """The best start left, in steps, None if there is none; and whether that is proven."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # one thread: the same search every time
    solver.parameters.random_seed = 0
    solver.parameters.cp_model_presolve = False  # it takes longer than the search: without, half the time is saved
    solver.parameters.max_time_in_seconds = time_limit
    status = solver.solve(model)
    found = solver.value(start) if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None
    return found, status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)


def _model(problem: SchedulingProblem, domain: Any) -> tuple[cp_model.CpModel, cp_model.IntVar]:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    start = model.new_int_var_from_domain(domain, "start")
    attends, worth = {}, []
    for name, weight in problem.optional:
        attends[name] = model.new_bool_var(f"{name} attends")
        free = _outside(_overlapping(problem, problem.busy(name)))
        model.add_linear_expression_in_domain(start, free).only_enforce_if(attends[name])
        worth.append(weight * attends[name])
    for wish in problem.wishes:
        held = model.new_bool_var(wish.label)
        model.add_linear_expression_in_domain(start, _meeting(problem, wish)).only_enforce_if(held)
        if wish.person in attends:
            model.add_implication(held, attends[wish.person])
        worth.append(wish.weight * held)
    span = domain.max() - domain.min() + 1  # no gain in earliness outweighs one unit of value
    model.maximize(sum(worth) * span - start)
    return model, start


def _starts(problem: SchedulingProblem) -> Any:
    """The domain of the start: inside the horizon, outside every hard block."""
    domain = _domain(_inside(problem, problem.horizon))
    return domain.intersection_with(
        _outside(_overlapping(problem, [i for found in problem.hard.values() for i in found]))
    )


def _meeting(problem: SchedulingProblem, wish: Wish) -> Any:
    """The domain of the starts that hold a wish."""
    if wish.wanted:
        return _domain(_inside(problem, wish.intervals))
    return _outside(_overlapping(problem, wish.intervals))


def _inside(problem: SchedulingProblem, intervals: Iterable[Interval]) -> list[Interval]:
    """First and last start, in steps, that keep the meeting in an interval."""
    step, duration = problem.step, problem.duration
    return [(-(-low // step), (high - duration) // step) for low, high in merged(intervals)]


def _overlapping(problem: SchedulingProblem, intervals: Iterable[Interval]) -> list[Interval]:
    """First and last start, in steps, that make the meeting overlap an interval."""
    step, duration = problem.step, problem.duration
    return [((low - duration) // step + 1, (high - 1) // step) for low, high in intervals]


def _domain(ranges: Iterable[Interval]) -> Any:
    from ortools.sat.python import cp_model

    return cp_model.Domain.from_intervals([[low, high] for low, high in ranges if low <= high])


def _outside(ranges: Iterable[Interval]) -> Any:
    return _domain(ranges).complement()
