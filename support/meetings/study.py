"""One coordination by the system of Papachristou, Yang and Hsu (2023)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support.errors import InvalidInput
from support.meetings.coordination import DATABASE, OPTIONS, ROUNDS, Coordinating
from support.meetings.coordinators import ATTENTION
from support.meetings.records import Coordination
from support.meetings.scenario import Scenario, load_group
from support.meetings.seats import COORDINATOR, EVALUATOR, INTERVIEWER, MEMBER, RULES
from support.meetings.venues import venue_scenario
from support.seats import TEMPERATURE, Seats, Spoken

if TYPE_CHECKING:
    from support.models.model import ChatModel

DESIGNS = ("no conversation", "single round", "rounds")
"""The two baselines of section 5.2, and the paper's system."""
GROUPS = 150
"""Groups of the authored company, in `data/inputs/meetings/groups.csv`."""


@dataclass(frozen=True)
class Led:
    """What facilitators know: the public scenario, and how they are set."""

    scenario: Scenario
    lowest: int = 0
    attention: int = ATTENTION


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
    attention: int = ATTENTION,
    lowest: int = 0,
    printed: bool = False,
    paraphrase: int = 0,
    rounds: int = ROUNDS,
    decision: str = "time",
    temperature: float = TEMPERATURE,
    reasoning: str | None = None,
    repetition: int = 0,
    model: ChatModel | str | None = None,
    prompts: str | Path | None = None,
    company: str | Path | None = None,
) -> Coordination:
    """One coordination of a group of the synthetic company (sections 4 and 5)."""
    expected("design", design, DESIGNS)
    used = DATABASE[:2] if database is True else tuple(database or ())
    for name in used:
        expected("database", name, DATABASE)
    if decision == "venue":
        scenario = venue_scenario(repetition, members, printed)
    else:
        scenario = load_group(
            repetition,
            members,
            company=company,
            paraphrase=paraphrase,
            printed=printed,
            demands="demands" in used,
        )
    spoken = Spoken(model, temperature, repetition, prompts, reasoning)
    who, *streams = rng.spawn(5)
    people = MEMBER.fill(scenario.members, seats, who, scenario.known_to, spoken)
    own = Led(scenario.public, lowest, attention)
    kinds = (INTERVIEWER, interviewer), (COORDINATOR, coordinator), (EVALUATOR, evaluator)
    led = {
        role.name: role.seat(kind, stream, own, spoken)
        for (role, kind), stream in zip(kinds, streams, strict=False)
    }
    played = Coordinating(
        scenario,
        people,
        **led,
        k=options,
        database=used,
        memory=memory,
        curt=curt,
        redacted=redacted,
        handed=scenario.texts if design == "no conversation" else None,
    )
    finished = [
        entry async for entry in played.rounds(rounds if design == "rounds" else 1)
    ]
    sat = {name: seat.kind for name, seat in {**people, **led}.items()}
    return Coordination(
        asdict(scenario.meeting),
        sat,
        tuple(finished),
        {"design": design, "decision": decision},
        float(scenario.shares.mean()),
        float(scenario.shares.max()),
    )


def expected(name: str, given: Any, allowed: Sequence[str]) -> None:
    """Refuse a setting that is none of some."""
    if given not in allowed:
        told = f"{name}: {given!r} given; expected one of {', '.join(allowed)}"
        raise InvalidInput(told)
