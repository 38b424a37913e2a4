"""Who turns a request in words into the data that a solver takes, before the same solver and the same judge.

A parser answers `parse(text)` with a Task; it never picks the time. "grammar" is `natural_plan.parse`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from support.errors import ContextOverflow, InvalidInput, MalformedReply
from support.meetings.natural_plan import (
    DAYS,
    NONE,
    Busy,
    Problem,
    Task,
    forbidden,
    judge,
    minutes,
    parse,
    solve_task,
    taken,
)
from support.seats import Act, Ask, Role, Spoken, form, many, text

if TYPE_CHECKING:
    import pandas as pd

    from support.models.model import ChatModel

TOKENS = (
    900  # of a tight model; 41 blocks of 7 people, the most there are, take about 700
)
PEOPLE, NAME = 7, 20  # people, and letters of a name
BLOCKS, LIMITS = (
    30,
    8,
)  # blocks in one calendar (25 are the most in NaturalPlan), limits in all (5 are)
CLOCK = "[0-9]{1,2}:[0-9]{2}"  # llama.cpp knows no other way to say a digit


@cache
def task_form() -> Any:
    """What makes no sense but fits the form is found by `task_of`, and not asked again."""
    clock: Any = Annotated[str, Field(pattern=rf"^{CLOCK}$", max_length=5)]
    block: Any = Annotated[
        str, Field(pattern=rf"^({'|'.join(DAYS)}) {CLOCK}-{CLOCK}$", max_length=24)
    ]
    day: Any = Literal[DAYS]
    calendar = form("Calendar", person=text(NAME), busy=many(block, BLOCKS))
    side: Any = Literal["before", "after", "all day"]
    limit = form("LimitReply", person=text(NAME), day=day, side=side, time=clock | None)
    length: Any = Annotated[int, Field(ge=5, le=480)]
    hours = {"from": clock, "to": clock}
    lists = {"calendars": many(calendar, PEOPLE), "limits": many(limit, LIMITS)}
    people, days = many(text(NAME), PEOPLE, 1), many(day, len(DAYS), 1)
    return form(
        "TaskReply",
        people=people,
        minutes=length,
        days=days,
        **hours,
        **lists,
        earliest=bool,
    )


def task_of(reply: Any) -> Task:
    """The task that a reply says; InvalidInput when it cannot be one: a stranger's calendar, a time that is none."""
    said = reply.model_dump()
    people, hours = tuple(said["people"]), (minutes(said["from"]), minutes(said["to"]))
    named = [item["person"] for item in (*said["calendars"], *said["limits"])]
    if strangers := sorted({person for person in named if person not in people}):
        raise InvalidInput(
            f"reply: {', '.join(strangers)} not among its people, {', '.join(people)}."
        )
    if len(set(people)) < len(people) or hours[1] - hours[0] < said["minutes"]:
        raise InvalidInput(
            f"reply: people {people}, hours {hours}; expected each once, and room for the meeting."
        )
    return Task(
        people=people,
        duration=said["minutes"],
        days=tuple(day for day in DAYS if day in said["days"]),
        hours=hours,
        busy=tuple(
            _block(calendar["person"], block)
            for calendar in said["calendars"]
            for block in calendar["busy"]
        ),
        limits=tuple(_limit(limit) for limit in said["limits"]),
        earliest=said["earliest"],
    )


def _block(person: str, said: str) -> Busy:
    day, _, span = said.partition(" ")
    low, high = map(minutes, span.split("-"))
    return Busy(person, day, low, high)


def _limit(said: dict[str, Any]) -> Busy:
    person, day, side, time = said["person"], said["day"], said["side"], said["time"]
    if (time is None) != (side == "all day"):
        raise InvalidInput(
            f"reply: {person}'s limit on {day} is {side!r} with time {time!r}; one needs the other."
        )
    low, high = forbidden(side, time)
    return Busy(
        person,
        day,
        low,
        high,
        f"{person} not on {day}" + (f" {side} {time}" if time else ""),
    )


class Grammar:
    """Reads by the rules of `natural_plan.parse`."""

    kind = "grammar"

    async def parse(self, text: str) -> Task:
        """The data of a problem."""
        return parse(text)


def _typed(seat: Any, answer: Any, text: str) -> Task:
    if not isinstance(answer, Task):
        raise InvalidInput(
            f"parse: {answer!r} given; expected a Task, with people, duration, days, hours and so on"
        )
    return answer


PARSER = Role(
    "parser",
    acts={
        "parse": Act(
            "natural_plan/request",
            lambda seat, text: task_form(),
            lambda seat, text: {"text": text},
            lambda seat, reply, text: task_of(reply),
            TOKENS,
            "natural_plan/briefing",
            lambda seat, text: {"people": PEOPLE},
        )
    },
    asks={"parse": Ask(_typed)},
    kinds={"grammar": lambda me, rng, own: Grammar()},
)


async def readings(
    problems: Iterable[Problem],
    parser: Any = "grammar",
    model: ChatModel | str | None = None,
    clock: Callable[[], float] = lambda: float("nan"),
    temperature: float = 0.0,
) -> pd.DataFrame:
    """Let a parser read each problem, solve what it read, and judge the slot by what the text truly says.

    `parser` is "grammar", "model:NAME", "model" for the one given, "human", or an object with `async def parse(text)`;
    `clock` gives the seconds that have passed, such as `time.perf_counter`. What does not fit its form, or makes no
    sense, is a result here; a model that cannot be reached raises.

    One row for each problem: id, people (how many), valid (the reply fits its form), right (it means what the text
    says), blocks (in the text), blocks_said, blocks_right, verdict (of `natural_plan.judge`), why, parse_ms, solve_ms.
    """
    import pandas as pd

    seat = PARSER.seat(
        parser, np.random.default_rng(0), spoken=Spoken(model, temperature)
    )
    return pd.DataFrame([await _reading(problem, seat, clock) for problem in problems])


async def _reading(
    problem: Problem, seat: Any, clock: Callable[[], float]
) -> dict[str, Any]:
    said: Any = None
    why, valid, begun = "", True, clock()
    try:
        said = await seat.parse(problem.text)
    except (MalformedReply, ContextOverflow, InvalidInput) as error:
        why, valid = str(error), isinstance(error, InvalidInput)
    read = clock()
    slot, conflict = solve_task(said) if said else (None, why)
    row = {"id": problem.id, "valid": valid, "verdict": NONE, "why": conflict, "parse_ms": (read - begun) * 1e3,
           "solve_ms": (clock() - read) * 1e3}  # fmt: skip
    if said is None and isinstance(seat, Grammar):
        return row
    truth: Task = said if isinstance(seat, Grammar) else parse(problem.text)
    verdict, broken = judge(truth, problem.golden, slot)
    blocks, blocks_said = taken(truth.busy), taken(said.busy) if said else frozenset()
    return row | {
        "people": len(truth.people),
        "right": said is not None and said.meaning == truth.meaning,
        "blocks": len(blocks),
        "blocks_said": len(blocks_said),
        "blocks_right": len(blocks & blocks_said),
        "verdict": verdict,
        "why": conflict or "; ".join(broken),
    }
