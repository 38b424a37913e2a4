"""The form of a parser's reply, bounded everywhere, and the task that it says."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from support.environments.natural_plan.task import DAYS, MIDNIGHT, Busy, Limit, Task, minutes
from support.errors import InvalidInput

if TYPE_CHECKING:
    from pydantic import BaseModel

PEOPLE, NAME = 7, 20  # people, and letters of a name
BLOCKS, LIMITS = 30, 8  # blocks in one calendar (25 are the most in NaturalPlan), limits in all (5 are)
CLOCK = "[0-9]{1,2}:[0-9]{2}"  # llama.cpp knows no other way to say a digit


@cache
def reply_schema() -> type[BaseModel]:
    """Schema of a reply. What makes no sense but fits the form is found by `task_of`, and not asked again."""
    from pydantic import Field, create_model

    name: Any = Annotated[str, Field(min_length=1, max_length=NAME)]
    clock: Any = Annotated[str, Field(pattern=rf"^{CLOCK}$", max_length=5)]
    block: Any = Annotated[str, Field(pattern=rf"^({'|'.join(DAYS)}) {CLOCK}-{CLOCK}$", max_length=24)]
    day: Any = Literal[DAYS]
    side: Any = Literal["before", "after", "all day"]
    calendar = create_model("Calendar", person=(name, ...), busy=(list[block], Field(max_length=BLOCKS)))
    limit = create_model(
        "LimitReply", person=(name, ...), day=(day, ...), side=(side, ...),
        time=(clock | None, ...),
    )  # fmt: skip
    fields: dict[str, Any] = {
        "people": (list[name], Field(min_length=1, max_length=PEOPLE)),
        "minutes": (int, Field(ge=5, le=480)),
        "days": (list[day], Field(min_length=1, max_length=len(DAYS))),
        "from": (clock, ...),
        "to": (clock, ...),
        "calendars": (list[calendar], Field(max_length=PEOPLE)),  # type: ignore[valid-type]
        "limits": (list[limit], Field(max_length=LIMITS)),  # type: ignore[valid-type]
        "earliest": (bool, ...),
    }
    return create_model("TaskReply", **fields)


def task_of(reply: BaseModel) -> Task:
    """The task that a reply says.

    Raises
    ------
    InvalidInput
        When it cannot be one: a stranger's calendar, a block that ends before it begins, a time that is none.
    """
    said = reply.model_dump()
    people, hours = tuple(said["people"]), (minutes(said["from"]), minutes(said["to"]))
    named = [item["person"] for item in (*said["calendars"], *said["limits"])]
    if strangers := sorted({person for person in named if person not in people}):
        raise InvalidInput(f"reply: {', '.join(strangers)} not among its people, {', '.join(people)}.")
    if len(set(people)) < len(people) or hours[1] - hours[0] < said["minutes"]:
        raise InvalidInput(f"reply: people {people}, hours {hours}; expected each once, and room for the meeting.")
    return Task(
        people=people,
        duration=said["minutes"],
        days=tuple(day for day in DAYS if day in said["days"]),
        hours=hours,
        busy=tuple(_block(calendar["person"], block) for calendar in said["calendars"] for block in calendar["busy"]),
        limits=tuple(_limit(limit) for limit in said["limits"]),
        earliest=said["earliest"],
    )


def _block(person: str, text: str) -> Busy:
    day, _, span = text.partition(" ")
    low, high = (minutes(time) for time in span.split("-"))
    if low >= high:
        raise InvalidInput(f"reply: {person}'s block {text!r} ends before it begins.")
    return Busy(person, day, low, high)


def _limit(said: dict[str, Any]) -> Limit:
    person, day, side, time = said["person"], said["day"], said["side"], said["time"]
    if (time is None) != (side == "all day"):
        raise InvalidInput(f"reply: {person}'s limit on {day} is {side!r} with time {time!r}; one needs the other.")
    low = minutes(time) if side == "after" else 0
    high = minutes(time) if side == "before" else MIDNIGHT
    if low >= high:
        raise InvalidInput(f"reply: {person}'s limit on {day}, {side} {time}, leaves no time.")
    return Limit(person, day, low, high, f"{person} not on {day}" + (f" {side} {time}" if time else ""))
