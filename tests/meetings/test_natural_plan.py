"""NaturalPlan: every sentence is read or an error that quotes it, the judge, both solvers on all 500, and parsers."""

import asyncio
import json
from itertools import count

import pytest

from support.errors import CallFailed, InvalidInput
from support.meetings.natural_plan import (
    BREAKS,
    DAYS,
    GOLDEN,
    NONE,
    OTHER,
    DaySlot,
    Problem,
    Task,
    _wishes,
    clock_time,
    judge,
    load,
    parse,
    solve_task,
    to_scheduling,
)
from support.meetings.parsing import TOKENS, readings, task_form, task_of
from support.models.fakes import scripted
from support.prompts import render
from support.solvers.scheduling import solve

GOLD = DaySlot("Monday", 570, 600)
CLOSING = "Find a time that works for everyone's schedule and constraints. "


def limits(text, people=("Uma", "Piet")):
    return [(x.person, x.day, x.start, x.end) for x in _wishes(text, people)[0]]


@pytest.mark.parametrize(
    ("text", "people", "found"),
    [
        ("Uma can not meet on Monday. Tuesday after 15:30. Friday. Piet would rather not meet on Monday before 10:00. "
         "Tuesday.", ("Uma", "Piet"), [("Uma", "Monday", 0, 1440), ("Uma", "Tuesday", 930, 1440),
         ("Uma", "Friday", 0, 1440), ("Piet", "Monday", 0, 600), ("Piet", "Tuesday", 0, 1440)]),
        ("Ann do not want to meet on Monday. Anna would like to avoid more meetings on Friday.", ("Ann", "Anna"),
         [("Ann", "Monday", 0, 1440), ("Anna", "Friday", 0, 1440)]),
    ],
)  # fmt: skip
def test_a_list_of_days_goes_on_over_full_stops_and_ends_with_the_next_name(text, people, found):
    assert limits(text, people) == found
    assert _wishes("Uma can not meet on Monday. Tuesday after 15:30.", ("Uma",))[0][1].said == (
        "Uma can not meet on Tuesday after 15:30"
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"wishes": "Uma hates mornings. "}, "wish not understood: 'Uma hates mornings'"),
        ({"wishes": "Tuesday after 15:30. "}, "wish not understood: 'Tuesday after 15:30'"),
        ({"wishes": "Zoe can not meet on Monday. "}, "'Zoe can not meet on Monday'"),
        ({"wishes": f"Uma can not meet on Monday. {CLOSING}Friday. "}, "'Friday'"),
        ({"wishes": "Uma can not meet on Monday after 25:00. "}, "time '25:00'"),
        ({"calendars": ("Uma is busy on Monday during 9:00 to 9:30;", "Zoe is free the entire day.")},
         "calendar not understood: 'Zoe is free"),
        ({"calendars": ("Uma is busy on Monday during 9:00 to 9:30;", "Uma is free the entire day.")},
         "no calendar of Piet"),
        ({"calendars": ("Uma is busy on Monday during 9:30 to 9:00;", "Piet is free the entire day.")},
         "9:30 to 9:00 on Monday ends before"),
        ({"calendars": ("Uma is busy on Monday during lunch;", "Piet is free the entire day.")},
         "Uma's calendar not understood: 'Monday during lunch'"),
        ({"days": "Sunday"}, "opening sentence not understood"),
    ],
)  # fmt: skip
def test_a_sentence_that_fits_no_rule_is_an_error_that_quotes_it(task_text, changes, said):
    with pytest.raises(InvalidInput, match=said):
        parse(task_text(**changes))


# -- the judge -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slot", "kind", "said"),
    [
        (GOLD, GOLDEN, ""),
        (DaySlot("Monday", 960, 990), OTHER, ""),  # it may touch what forbids it
        (None, NONE, ""),
        (DaySlot("Monday", 560, 590), BREAKS, "Uma is busy on Monday, 9:00 - 9:30"),
        (DaySlot("Monday", 570, 630), BREAKS, "it takes 60 minutes, not 30"),
        (DaySlot("Friday", 570, 600), BREAKS, "Friday is not among Monday, Tuesday"),
        (DaySlot("Monday", 1005, 1035), BREAKS, "16:45 - 17:15 is outside the work hours 9:00 - 17:00"),
        (DaySlot("Monday", 990, 1020), BREAKS, "Piet can not meet on Monday after 16:30"),
    ],
)
def test_the_golden_slot_and_another_that_works_are_told_apart_and_what_a_slot_breaks_is_named(
    task_text, slot, kind, said
):
    task = parse(task_text(f"Piet can not meet on Monday after 16:30. Tuesday. {CLOSING}"))
    found, broken = judge(task, GOLD, slot)
    assert found == kind and (said in broken if said else not broken)
    bad = DaySlot("Tuesday", 990, 1020)
    assert judge(task, bad, bad) == (GOLDEN, ["Piet can not meet on Tuesday"])


# -- all 500 ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def all_500(have):
    return have(load)


def test_all_500_are_solved_466_with_the_golden_slot_and_34_with_another_that_works(all_500):
    tasks = [(parse(p.text), p.golden) for p in all_500]
    assert sum(task.earliest for task, _ in tasks) == 83 and sum(bool(task.limits) for task, _ in tasks) == 236
    frame = asyncio.run(readings(all_500))
    assert frame["status"].eq("solved").all() and len(frame) == 500
    assert frame["verdict"].value_counts().to_dict() == {"golden": 466, "another that meets every constraint": 34}
    assert frame["golden_breaks"].eq("").all() and frame["why"].eq("").all()
    assert frame.loc[frame["verdict"] != "golden", "works"].min() == 2 and frame["works"].eq(1).sum() == 335


def test_the_other_solver_finds_the_same_slots(all_500):
    for task in (parse(p.text) for p in all_500[::10]):
        slot, _ = solve_task(task)
        day, start = divmod(solve(to_scheduling(task))[0][0], 1440)
        assert slot == DaySlot(DAYS[day], start, start + task.duration)


def test_rows_keep_what_was_not_understood_time_comes_from_the_clock_and_no_slot_says_what_conflicts(task_text):
    seconds = count()
    problems = [Problem("1", task_text(), GOLD), Problem("2", "Let us meet.", GOLD)]
    frame = asyncio.run(readings(problems, clock=lambda: next(seconds))).set_index("id")
    assert frame["status"].tolist() == ["solved", "no task"] and "opening sentence" in frame.loc["2", "why"]
    assert (frame.loc["1", "parse_ms"], frame.loc["1", "solve_ms"]) == (1000.0, 1000.0)
    slot, why = solve_task(parse(task_text("Piet can not meet on Monday. Tuesday.")))
    assert slot is None and "Uma's calendar" not in why, "the two limits conflict without it"
    assert "because of: Piet can not meet on Monday; Piet can not meet on Tuesday. The least to give up: " in why


# -- parsers ---------------------------------------------------------------------------------------------------------

TEXT = (
    "You need to schedule a meeting for Ana and Ben for half an hour between the work hours of 9:00 to 17:00 on "
    "Monday. \n\nHere are the existing schedules for everyone during the day: \n"
    "Ana is busy on Monday during 9:00 to 10:00, 10:30 to 16:00;\nBen is free the entire day.\n\n"
    "Ben can not meet on Monday after 16:30. Find a time that works for "
    "everyone's schedule and constraints."
)
PROBLEM = Problem("1", TEXT, DaySlot("Monday", 600, 630))
GOOD = {
    "people": ["Ben", "Ana"], "minutes": 30, "days": ["Monday"], "from": "9:00", "to": "17:00",
    "calendars": [{"person": "Ana", "busy": ["Monday 10:30-16:00", "Monday 9:00-10:00"]}],
    "limits": [{"person": "Ben", "day": "Monday", "side": "after", "time": "16:30"}],
    "earliest": False,
}  # fmt: skip


def rows(*replies, problems=(PROBLEM,)):
    return asyncio.run(readings(problems, "model", scripted(list(replies)))).to_dict("records")


def reply_of(task: Task) -> dict:
    """The reply of a model that reads perfectly."""
    blocks = [
        {
            "person": p,
            "busy": [f"{b.day} {clock_time(b.start)}-{clock_time(b.end)}" for b in task.busy if b.person == p],
        }
        for p in task.people
    ]
    stated = []
    for x in task.limits:
        side = "all day" if (x.start, x.end) == (0, 1440) else "before" if x.start == 0 else "after"
        time = {"all day": None, "before": clock_time(x.end), "after": clock_time(x.start)}[side]
        stated.append({"person": x.person, "day": x.day, "side": side, "time": time})
    hours = {"from": clock_time(task.hours[0]), "to": clock_time(task.hours[1])}
    return {"people": list(task.people), "minutes": task.duration, "days": list(task.days), **hours,
            "calendars": blocks, "limits": stated, "earliest": task.earliest}  # fmt: skip


def test_a_perfect_reader_is_right_on_every_problem_so_the_form_can_say_them_all_in_its_room(all_500):
    replies = [reply_of(parse(p.text)) for p in all_500]
    found = rows(*replies, problems=all_500)
    assert all(row["right"] for row in found) and sum(row["verdict"] == "golden" for row in found) == 466
    longest = max(len(json.dumps(reply, separators=(",", ":"))) for reply in replies)
    assert longest / 2.5 < TOKENS, "digits and colons are a token each; other text takes about four letters"


def test_a_reading_that_leaves_out_a_block_is_judged_by_the_text():
    [row] = rows({**GOOD, "calendars": [{"person": "Ana", "busy": ["Monday 10:30-16:00"]}]})
    assert row["valid"] and not row["right"] and row["slot"] == "Monday, 9:00 - 9:30"
    assert row["verdict"] == "breaks a constraint" and row["why"] == "Ana is busy on Monday, 9:00 - 10:00"
    assert (row["blocks"], row["blocks_said"], row["blocks_right"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"calendars": [{"person": "Zoe", "busy": []}]}, "Zoe not among its people"),
        ({"calendars": [{"person": "Ana", "busy": ["Monday 10:00-9:00"]}]}, "ends before it begins"),
        ({"limits": [{"person": "Ben", "day": "Monday", "side": "after", "time": None}]}, "one needs the other"),
        ({"limits": [{"person": "Ben", "day": "Monday", "side": "before", "time": "0:00"}]}, "leaves no time"),
        ({"limits": [{"person": "Zoe", "day": "Monday", "side": "all day", "time": None}]}, "Zoe not among"),
        ({"from": "25:00"}, "time '25:00'"),
        ({"from": "16:45"}, "room for the meeting"),
        ({"people": ["Ana", "Ben", "Ana"]}, "expected each once"),
    ],
)
def test_a_reply_of_the_right_form_that_makes_no_sense_is_no_task_and_not_asked_again(change, said):
    [row] = rows({**GOOD, **change})
    assert (row["valid"], row["right"], row["status"], row["verdict"]) == (True, False, "no task", "no slot")
    assert said in row["why"]


def test_a_reply_is_repaired_once_told_why_one_without_form_is_a_row_and_a_model_that_fails_is_an_error():
    for wrong in ({"minutes": 0}, {"days": ["Sunday"]}, {"people": []}, {"minutes": "half an hour"}):
        assert rows({**GOOD, **wrong}, GOOD)[0]["right"]
    [row] = rows("soon", "soon", "soon")
    assert (row["valid"], row["status"]) == (False, "no valid reply") and "TaskReply" in row["why"]
    [row] = rows({**GOOD, "limits": [{"person": "Ben", "day": "Monday", "side": "all day", "time": None}]})
    assert (row["status"], row["verdict"]) == ("no slot", "no slot") and "Ben not on Monday" in row["why"]
    with pytest.raises(CallFailed):
        rows(CallFailed("gone"))


def test_the_model_is_told_the_text_and_never_the_slot_and_its_example_is_right(overheard):
    model, heard = overheard(GOOD)
    assert asyncio.run(readings([PROBLEM], "model", model))["right"].all()
    ((system, user),) = heard
    assert TEXT in user["content"] and "10:00 - 10:30" not in system["content"] + user["content"]
    example = render("natural_plan/briefing", people=7).rpartition("Reply:")[2]
    reply = task_of(task_form().model_validate_json(example))
    assert reply.people == ("Uma", "Piet") and len(reply.busy) == 3 and len(reply.limits) == 2
