"""One coordination by the system of Papachristou, Yang and Hsu (2023)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support.meetings.coordination import (
    DATABASE,
    OPTIONS,
    ROUNDS,
    Brief,
    Coordinating,
)
from support.meetings.data import Company
from support.meetings.records import Coordination
from support.meetings.scenario import load_group
from support.meetings.seats import (
    COORDINATOR,
    EVALUATOR,
    INTERVIEWER,
    MEMBER,
    READER,
    RULES,
)
from support.models.profiles import is_model
from support.play import between, check_number, check_one
from support.seats import HUMAN, TEMPERATURE, Seats, Spoken, by_name

if TYPE_CHECKING:
    from support.models.model import ChatModel

DESIGNS = ("no conversation", "single round", "rounds")
"""The two baselines of section 5.2, and the paper's system."""


async def meeting_coordination(
    rng: np.random.Generator,
    members: int = 3,
    options: int = OPTIONS,
    design: str = "rounds",
    database: bool | Sequence[str] = False,
    memory: bool = True,
    seats: Seats = "mixed",
    coordinator: Any = "satisficing",
    interviewer: Any = RULES,
    evaluator: Any = RULES,
    reader: str = "own",
    curt: bool = False,
    redacted: str = "",
    printed: bool = False,
    rounds: int = ROUNDS,
    decision: str = "time",
    temperature: float = TEMPERATURE,
    reasoning: str | None = None,
    repetition: int = 0,
    model: ChatModel | str | None = None,
    prompts: str | Path | None = None,
    company: Company | str | Path | None = None,
) -> Coordination:
    """One coordination of a group of the synthetic company (sections 4 and 5).

    `members`, `options` and `rounds` are n, K and T; `repetition` is which of the 150
    groups, whose first n members take part, so that settings share their groups.
    `design` is one of `DESIGNS`: without conversation the coordinator is handed the
    members' texts. `database` is whether the coordinator uses demands of attendance and
    ties at work, or a list out of `DATABASE`.
    `memory`, `curt`, `redacted`: see `Coordinating`; `printed`: the scale of scores.
    `seats` are kinds of members: a style, "mixed", "human", "model:NAME" or participants
    of your own. `reader` is who makes data of words: "own", the speaker's model (a
    person states data), "stated", each speaker in the same reply, or "model:NAME".
    `decision` is a "time" or a "venue". `company` is a folder in the form of
    `data/inputs/meetings`, or what `load_company` made of one.
    """
    used = DATABASE if database is True else tuple(database or ())
    check_one("design", design, DESIGNS)
    check_one("decision", decision, ("time", "venue"))
    check_one("redacted", redacted, ("", "names", "reasons"))
    for name in used:
        check_one("database", name, DATABASE)
    check_number("rounds", rounds, 1)
    scenario = load_group(
        repetition,
        members,
        decision,
        company=company,
        printed=printed,
        demands="demands" in used,
    )
    spoken = Spoken(model, temperature, repetition, prompts, reasoning)
    who, *streams = rng.spawn(5)
    kinds = by_name("member", seats, scenario.members)
    public = scenario.public
    led = {
        "interviewer": INTERVIEWER.seat(interviewer, streams[0], public, spoken),
        "coordinator": COORDINATOR.seat(coordinator, streams[1], public, spoken),
        "evaluator": EVALUATOR.seat(evaluator, streams[2], public, spoken),
    }
    seated = MEMBER.fill(scenario.members, kinds, who, scenario.known_to, spoken) | led
    readers = {}
    for name, kind in kinds.items():
        if reads := read_by(kind, reader):
            readers[name] = READER.seat(reads, streams[3], public, spoken)
    silent = design == "no conversation"
    notes = {name: own.texts if silent else () for name, own in scenario.own.items()}
    brief = Brief(public, 0, options, notes, database=used)
    how: Any = {
        "memory": memory,
        "curt": curt,
        "redacted": redacted,
    }
    played = Coordinating(scenario, seated, readers, brief, silent, **how)
    settings = {
        "design": design,
        "decision": decision,
        "options": options,
        **how,
    }
    settings |= {"printed": printed, "database": used}
    record = Coordination(
        meeting=scenario.meeting.model_dump(),
        seats={name: seat.kind for name, seat in seated.items()} | {"reader": reader},
        rounds=(),
        settings=settings,
        chance=float(scenario.shares.mean()),
        optimum=float(scenario.shares.max()),
    )
    count = rounds if design == "rounds" else 1
    async for entry in played.rounds(count):
        record = replace(record, rounds=(*record.rounds, entry))
        if entry.number < count:
            await between(replace, record)
    return record


def read_by(kind: Any, reader: str) -> str | None:
    """Who makes data of a member's words: a model; nobody where they come with data."""
    person = getattr(kind, "kind", kind) == HUMAN
    if reader == "own":
        return kind if is_model(kind) else None
    return reader if reader != "stated" and (person or is_model(kind)) else None
