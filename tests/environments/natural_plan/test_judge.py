"""The judge finds what a slot breaks, and knows no solver."""

import ast
import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.environments.natural_plan import DaySlot, Problem, judge, judge_task, load, parse
from support.environments.natural_plan import judge as judging
from support.environments.natural_plan.judge import BREAKS, GOLDEN, NONE, OTHER, violations

GOLD = DaySlot("Monday", 570, 600)


@pytest.fixture
def task(task_text):
    return parse(
        task_text(
            "Piet can not meet on Monday after 16:30. Tuesday. "
            "Find a time that works for everyone's schedule and constraints."
        )
    )


def test_the_golden_slot_and_another_that_works_are_told_apart(task_text):
    problem = Problem("1", task_text(), GOLD)
    assert judge(problem, GOLD) == (judging_verdict := judge_task(parse(problem.text), GOLD, GOLD))
    assert (judging_verdict.kind, judging_verdict.broken) == (GOLDEN, ())
    assert judge(problem, DaySlot("Monday", 960, 990)).kind == OTHER
    assert judge(problem, None).kind == NONE


@pytest.mark.parametrize(
    ("slot", "said"),
    [
        (DaySlot("Monday", 560, 590), "Uma is busy on Monday, 9:00 - 9:30"),
        (DaySlot("Monday", 570, 630), "it takes 60 minutes, not 30"),
        (DaySlot("Friday", 570, 600), "Friday is not among Monday, Tuesday"),
        (DaySlot("Monday", 1005, 1035), "16:45 - 17:15 is outside the work hours 9:00 - 17:00"),
        (DaySlot("Monday", 990, 1020), "Piet can not meet on Monday after 16:30"),
        (DaySlot("Tuesday", 990, 1020), "Piet can not meet on Tuesday"),
    ],
)
def test_what_a_slot_breaks_is_named(task, slot, said):
    verdict = judge_task(task, GOLD, slot)
    assert verdict.kind == BREAKS and said in verdict.broken


def test_a_golden_slot_that_breaks_something_is_golden_and_says_so(task):
    bad = DaySlot("Tuesday", 990, 1020)
    verdict = judge_task(task, bad, bad)
    assert verdict.kind == GOLDEN and verdict.broken == ("Piet can not meet on Tuesday",)


def test_a_slot_may_touch_what_forbids_it(task):
    assert not list(violations(task, DaySlot("Monday", 630, 660)))
    assert not list(violations(task, DaySlot("Monday", 960, 990)))


def test_where_the_earliest_time_is_asked_for_a_later_one_breaks_that(task_text):
    task = parse(task_text("The group would like to meet at their earlist availability."))
    assert not list(violations(task, GOLD))
    assert list(violations(task, DaySlot("Monday", 600, 630))) == [
        "the earliest time is asked for, and Monday, 9:30 - 10:00 works as well"
    ]
    assert "Monday" in "".join(violations(task, DaySlot("Tuesday", 990, 1020)))


@given(st.sampled_from(["Monday", "Tuesday"]), st.integers(540, 990))
def test_only_one_start_is_the_earliest(day, start):
    task = EARLIEST
    works = not list(violations(task, DaySlot(day, start, start + 30)))
    assert works == ((day, start) == ("Monday", 570))


EARLIEST = parse(
    "You need to schedule a meeting for Uma for half an hour between the work hours of 9:00 to 17:00 on either Monday "
    "or Tuesday. \n\nHere are the existing schedules for everyone during the days: \n"
    "Uma is busy on Monday during 9:00 to 9:30;\n\nThe group would like to meet at their earlist availability."
)


def test_the_judge_imports_no_solver():
    tree = ast.parse(inspect.getsource(inspect.getmodule(judging)))
    named = [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert not [name for name in named if "solv" in name]


def test_every_golden_slot_meets_every_constraint_that_we_read():
    assert [p.id for p in load() if judge(p, p.golden).broken] == []
