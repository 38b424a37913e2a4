"""From the words to a slot: all 500 problems, by both solvers."""

from itertools import count

import pytest

from support.environments.natural_plan import DaySlot, Problem, load, parse, run_all, solve_task
from support.solvers.scheduling import exhaustive, solve

GOLD = DaySlot("Monday", 570, 600)


@pytest.fixture(scope="module")
def runs():
    return {solver: run_all(load(), solver) for solver in (exhaustive, solve)}


def test_all_500_are_solved_466_with_the_golden_slot_and_34_with_another_that_works(runs):
    frame = runs[exhaustive]
    assert frame["status"].eq("solved").all() and len(frame) == 500
    assert frame["verdict"].value_counts().to_dict() == {"golden": 466, "another that meets every constraint": 34}
    assert frame["golden_breaks"].eq("").all() and frame["why"].eq("").all()


def test_the_other_slots_come_from_texts_that_leave_a_choice(runs):
    frame = runs[exhaustive]
    assert frame.loc[frame["verdict"] != "golden", "works"].min() == 2
    assert frame["works"].min() == 1 and frame["works"].eq(1).sum() == 335


def test_both_solvers_find_the_same_slots(runs):
    assert runs[solve]["slot"].tolist() == runs[exhaustive]["slot"].tolist()


def test_a_problem_without_a_slot_says_what_conflicts(task_text):
    slot, why = solve_task(parse(task_text("Piet can not meet on Monday. Tuesday.")))
    assert slot is None
    assert "Uma's calendar" not in why, "the two limits conflict without it"
    assert "because of: Piet can not meet on Monday; Piet can not meet on Tuesday. The least to give up: " in why


def test_rows_keep_what_was_not_understood_and_time_comes_from_the_clock_given(task_text):
    seconds = count()
    problems = [Problem("1", task_text(), GOLD), Problem("2", "Let us meet.", GOLD)]
    frame = run_all(problems, clock=lambda: next(seconds)).set_index("id")
    assert frame["status"].tolist() == ["solved", "not understood"]
    assert (frame.loc["1", "parse_ms"], frame.loc["1", "solve_ms"]) == (1000.0, 1000.0)
    assert "opening sentence" in frame.loc["2", "why"]
    assert run_all(problems[:1])["solve_ms"].isna().all()
