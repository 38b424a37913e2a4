"""Whether a slot meets every stated constraint of a problem. It looks at the words' data only and knows no solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from support.environments.natural_plan.grammar import parse
from support.environments.natural_plan.problems import Problem
from support.environments.natural_plan.task import Busy, DaySlot, Limit, Task, clock_time

GOLDEN, OTHER, BREAKS, NONE = "golden", "another that meets every constraint", "breaks a constraint", "no slot"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` is `GOLDEN`, `OTHER`, `BREAKS` or `NONE`; `broken` says which constraints, in words.

    A golden slot may break one: then the file is wrong, or our reading of it, and `broken` is not empty.
    """

    kind: str
    broken: tuple[str, ...] = ()


def judge(problem: Problem, slot: DaySlot | None) -> Verdict:
    """Judge a slot by our reading of the problem's text."""
    return judge_task(parse(problem.text), problem.golden, slot)


def judge_task(task: Task, golden: DaySlot, slot: DaySlot | None) -> Verdict:
    """Judge a slot by a task that was read already."""
    if slot is None:
        return Verdict(NONE)
    broken = tuple(violations(task, slot))
    if slot == golden:
        return Verdict(GOLDEN, broken)
    return Verdict(BREAKS if broken else OTHER, broken)


def violations(task: Task, slot: DaySlot) -> Iterator[str]:
    """Every stated constraint that a slot breaks, in words.

    >>> list(violations(Task(("Ana", "Ben"), 60, ("Monday",), (540, 1020)), DaySlot("Monday", 510, 570)))
    ['8:30 - 9:30 is outside the work hours 9:00 - 17:00']
    """
    yield from _unavailable(task, slot)
    if task.earliest and (sooner := _sooner(task, slot)):
        yield f"the earliest time is asked for, and {sooner} works as well"


def _unavailable(task: Task, slot: DaySlot) -> Iterator[str]:
    if slot.end - slot.start != task.duration:
        yield f"it takes {slot.end - slot.start} minutes, not {task.duration}"
    if slot.day not in task.days:
        yield f"{slot.day} is not among {', '.join(task.days)}"
    low, high = task.hours
    if slot.start < low or slot.end > high:
        yield f"{_span(slot.start, slot.end)} is outside the work hours {_span(low, high)}"
    for busy in task.busy:
        if _meets(slot, busy.day, busy.start, busy.end):
            yield f"{busy.person} is busy on {busy.day}, {_span(busy.start, busy.end)}"
    for limit in task.limits:
        if _meets(slot, limit.day, limit.start, limit.end):
            yield f"{limit.said or limit}"


def _sooner(task: Task, slot: DaySlot) -> DaySlot | None:
    """An earlier slot that works. The first one begins with the work hours, or where something that forbids ends."""
    for day in task.days:
        blocked: tuple[Busy | Limit, ...] = (*task.busy, *task.limits)
        ends = {item.end for item in blocked if item.day == day}
        for start in sorted({task.hours[0], *ends}):
            if task.days.index(day) == _place(task, slot) and start >= slot.start:
                return None
            found = DaySlot(day, start, start + task.duration)
            if not any(_unavailable(task, found)):
                return found
        if task.days.index(day) == _place(task, slot):
            return None
    return None


def _place(task: Task, slot: DaySlot) -> int:
    return task.days.index(slot.day) if slot.day in task.days else len(task.days)


def _meets(slot: DaySlot, day: str, start: int, end: int) -> bool:
    return slot.day == day and slot.start < end and start < slot.end


def _span(start: int, end: int) -> str:
    return f"{clock_time(start)} - {clock_time(end)}"
