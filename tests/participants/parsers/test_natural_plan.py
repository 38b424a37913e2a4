"""The model as parser: what it is told, what it may answer, and what becomes of an answer that makes no sense."""

import asyncio
import json

import pytest
from pydantic import ValidationError

from support.environments.natural_plan import DaySlot, Problem, Task, load, parse
from support.environments.natural_plan.task import clock_time
from support.errors import CallFailed, InvalidInput
from support.models.fakes import scripted
from support.models.model import strict_schema
from support.participants.parsers import model_parses
from support.participants.parsers import parse as ask
from support.participants.parsers.natural_plan import TOKENS
from support.participants.parsers.schema import reply_schema, task_of

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


def rows(*replies, problems=None):
    return asyncio.run(model_parses(problems or [PROBLEM], scripted(list(replies))))


def reply_of(task: Task) -> dict:
    """The reply of a model that reads perfectly."""
    blocks = [
        {
            "person": p,
            "busy": [f"{b.day} {clock_time(b.start)}-{clock_time(b.end)}" for b in task.busy if b.person == p],
        }
        for p in task.people
    ]
    limits = []
    for x in task.limits:
        side = "all day" if (x.start, x.end) == (0, 1440) else "before" if x.start == 0 else "after"
        time = {"all day": None, "before": clock_time(x.end), "after": clock_time(x.start)}[side]
        limits.append({"person": x.person, "day": x.day, "side": side, "time": time})
    hours = {"from": clock_time(task.hours[0]), "to": clock_time(task.hours[1])}
    return {"people": list(task.people), "minutes": task.duration, "days": list(task.days), **hours,
            "calendars": blocks, "limits": limits, "earliest": task.earliest}  # fmt: skip


def test_a_right_reading_gets_the_golden_slot():
    (row,) = rows(GOOD).to_dict("records")
    assert row["valid"] and row["right"] and (row["status"], row["verdict"]) == ("solved", "golden")
    assert (row["blocks"], row["blocks_said"], row["blocks_right"]) == (2, 2, 2) and row["why"] == ""


def test_a_perfect_reader_is_right_on_every_problem_so_the_form_can_say_them_all():
    problems = load()
    frame = rows(*[reply_of(parse(p.text)) for p in problems], problems=problems)
    assert frame["right"].all() and frame["verdict"].value_counts()["golden"] == 466


def test_the_longest_reply_fits_into_its_room():
    longest = max(len(json.dumps(reply_of(parse(p.text)), separators=(",", ":"))) for p in load())
    assert longest / 2.5 < TOKENS, "digits and colons are a token each; other text takes about four letters"


def test_a_reading_that_leaves_out_a_block_is_judged_by_the_text():
    missing = {**GOOD, "calendars": [{"person": "Ana", "busy": ["Monday 10:30-16:00"]}]}
    (row,) = rows(missing).to_dict("records")
    assert row["valid"] and not row["right"] and row["slot"] == "Monday, 9:00 - 9:30"
    assert row["verdict"] == "breaks a constraint" and row["why"] == "Ana is busy on Monday, 9:00 - 10:00"
    assert (row["blocks_said"], row["blocks_right"]) == (1, 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"calendars": [{"person": "Zoe", "busy": []}]}, "Zoe not among its people"),
        ({"calendars": [{"person": "Ana", "busy": ["Monday 10:00-9:00"]}]}, "ends before it begins"),
        ({"limits": [{"person": "Ben", "day": "Monday", "side": "after", "time": None}]}, "one needs the other"),
        ({"limits": [{"person": "Ben", "day": "Monday", "side": "before", "time": "0:00"}]}, "leaves no time"),
        ({"from": "25:00"}, "time '25:00'"),
        ({"from": "16:45"}, "room for the meeting"),
        ({"people": ["Ana", "Ben", "Ana"]}, "expected each once"),
    ],
)
def test_a_reply_of_the_right_form_that_makes_no_sense_is_no_task_and_not_asked_again(change, said):
    (row,) = rows({**GOOD, **change}).to_dict("records")
    assert (row["valid"], row["right"], row["status"], row["verdict"]) == (True, False, "no task", "no slot")
    assert said in row["why"]


def test_a_reading_without_a_slot_says_what_conflicts():
    (row,) = rows({**GOOD, "limits": [{"person": "Ben", "day": "Monday", "side": "all day", "time": None}]}).to_dict(
        "records"
    )
    assert (row["status"], row["verdict"]) == ("no slot", "no slot") and "Ben not on Monday" in row["why"]


def test_a_reply_without_form_is_a_row_and_a_model_that_fails_is_an_error():
    (row,) = rows("soon", "soon", "soon").to_dict("records")
    assert (row["valid"], row["status"]) == (False, "no valid reply") and "TaskReply" in row["why"]
    with pytest.raises(CallFailed):
        rows(CallFailed("gone"))


def test_a_reply_is_repaired_once_told_why():
    (row,) = rows({**GOOD, "minutes": "half an hour"}, GOOD).to_dict("records")
    assert row["right"]


def test_the_model_is_told_the_text_and_never_the_slot():
    asked = []

    def script(messages):
        asked.append(messages)
        return GOOD

    asyncio.run(ask(TEXT, scripted(script)))
    ((system, user),) = asked
    assert TEXT in user["content"] and '"calendars"' in system["content"]
    assert "10:00 - 10:30" not in system["content"] + user["content"]


def test_the_example_in_the_prompt_is_itself_of_the_form_and_right():
    from support.prompts import render

    text = render("natural_plan/briefing", people=7)
    reply = task_of(reply_schema().model_validate_json(text.rpartition("Reply:")[2]))
    assert reply.people == ("Uma", "Piet") and len(reply.busy) == 3 and len(reply.limits) == 2


def test_every_text_and_list_of_the_form_is_bounded():
    def walk(node):
        if isinstance(node, dict):
            if node.get("type") == "array":
                assert "maxItems" in node, node
            if node.get("type") == "string":
                assert "maxLength" in node or "enum" in node, node
            for part in node.values():
                walk(part)
        elif isinstance(node, list):
            for part in node:
                walk(part)

    walk(strict_schema(reply_schema()))


@pytest.mark.parametrize(
    "change",
    [{"days": ["Sunday"]}, {"people": []}, {"calendars": [{"person": "Ana", "busy": ["Monday"]}]}, {"minutes": 0}],
)
def test_what_the_form_excludes_is_refused(change):
    with pytest.raises(ValidationError):
        reply_schema().model_validate({**GOOD, **change})


def test_task_of_refuses_a_stranger_s_limit():
    limits = [{"person": "Zoe", "day": "Monday", "side": "all day", "time": None}]
    with pytest.raises(InvalidInput, match="Zoe"):
        task_of(reply_schema().model_validate({**GOOD, "limits": limits}))
