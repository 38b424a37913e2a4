"""Calendar scheduling of NaturalPlan (Zheng et al. 2024): 500 problems in words, each with one golden slot.

task        what a problem says, as data
grammar     from the words to the data
problems    the problems as they come
judge       whether a slot meets every stated constraint; it knows no solver
solving     the data as hard constraints, and all problems solved and judged
"""

from support.environments.natural_plan.grammar import parse
from support.environments.natural_plan.judge import Verdict, judge, judge_task
from support.environments.natural_plan.problems import Problem, draw, load
from support.environments.natural_plan.solving import run_all, solve_task, to_scheduling
from support.environments.natural_plan.task import DAYS, Busy, DaySlot, Limit, Task, clock_time, minutes, taken

__all__ = [
    "DAYS",
    "Busy",
    "DaySlot",
    "Limit",
    "Problem",
    "Task",
    "Verdict",
    "clock_time",
    "draw",
    "judge",
    "judge_task",
    "load",
    "minutes",
    "parse",
    "run_all",
    "solve_task",
    "taken",
    "to_scheduling",
]
