"""One coordination by the system of Papachristou, Yang and Hsu (2023)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support.errors import InvalidInput
from support.meetings.coordination import (
    DATABASE,
    OPTIONS,
    ROUNDS,
    Brief,
    Coordinating,
)
from support.meetings.data import load_company
from support.meetings.records import Coordination
from support.meetings.scenario import Scenario, load_group
from support.meetings.seats import (
    COORDINATOR,
    EVALUATOR,
    INTERVIEWER,
    MEMBER,
    PARAPHRASER,
    READER,
    RULES,
    Led,
    Persona,
)
from support.meetings.venues import venue_scenario
from support.models.profiles import is_model
from support.play import between, check_number, together
from support.seats import HUMAN, TEMPERATURE, Seats, Spoken, by_name

if TYPE_CHECKING:
    from support.models.model import ChatModel

DESIGNS = ("no conversation", "single round", "rounds")
"""The two baselines of section 5.2, and the paper's system."""
GROUPS = 150
"""Groups of the authored company, in `data/inputs/meetings/groups.toml`."""


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
    lowest: int = 0,
    printed: bool = False,
    paraphrase: int = 0,
    paraphraser: str | None = None,
    rounds: int = ROUNDS,
    decision: str = "time",
    temperature: float = TEMPERATURE,
    reasoning: str | None = None,
    repetition: int = 0,
    model: ChatModel | str | None = None,
    prompts: str | Path | None = None,
    company: str | Path | None = None,
) -> Coordination:
    """One coordination of a group of the synthetic company (sections 4 and 5).

    `members`, `options` and `rounds` are n, K and T; `repetition` is which of the 150
    groups, whose first n members take part, so that settings share their groups.
    `design` is one of `DESIGNS`: without conversation the coordinator is handed the
    members' texts (`paraphrase` 0, or one of two others; with `paraphraser`, a model,
    so many rephrasings of it). `database` is whether the coordinator uses demands of
    attendance and ties at work, or a list out of `DATABASE`. `memory`, `curt`,
    `redacted`: see `Coordinating`; `lowest`
    and `printed`: the scale of scores. `seats` are kinds of members: a style, "mixed",
    "human", "model:NAME" or participants of your own. `reader` is who makes data of
    words: "own", the speaker's model (a person states data), "stated", each speaker in
    the same reply, or "model:NAME". `decision` is a "time" or a "venue". `company` is a
    folder in the form of `data/inputs/meetings`.
    """
    expected("design", design, DESIGNS)
    expected("decision", decision, ("time", "venue"))
    expected("redacted", redacted, ("", "names", "reasons"))
    expected("lowest", lowest, (0, 1))
    check_number("rounds", rounds, 1)
    used = DATABASE[:2] if database is True else tuple(database or ())
    for name in used:
        expected("database", name, DATABASE)
    firm = load_company(company)
    spoken = Spoken(model, temperature, repetition, prompts, reasoning)
    who, *streams = rng.spawn(6)
    given: Any = {"printed": printed, "demands": "demands" in used}
    if decision == "venue":
        scenario = venue_scenario(repetition, members, **given)
    else:
        given |= {"company": company, "paraphrase": 0 if paraphraser else paraphrase}
        scenario = load_group(repetition, members, **given)
    if paraphraser:
        seat = PARAPHRASER.seat(paraphraser, streams[4], spoken=spoken)
        scenario = await rephrased(scenario, seat, paraphrase)
    kinds = by_name("member", seats, scenario.members)
    reading = {name: read_by(kind, reader) for name, kind in kinds.items()}

    def persona(name: str) -> Persona:
        """What a member of that name knows."""
        return Persona(
            scenario.known_to(name),
            firm.by_name[name],
            firm.teammates(name),
            firm.collaborators(name),
            reading[name] == "stated",
        )

    own = Led(scenario.public, lowest, curt)
    seated = MEMBER.fill(scenario.members, kinds, who, persona, spoken) | {
        "interviewer": INTERVIEWER.seat(interviewer, streams[0], own, spoken),
        "coordinator": COORDINATOR.seat(coordinator, streams[1], own, spoken),
        "evaluator": EVALUATOR.seat(evaluator, streams[2], own, spoken),
    }
    readers = {}
    for name, kind in reading.items():
        if kind not in (None, "stated"):
            readers[name] = READER.seat(kind, streams[3], own, spoken)
    silent = design == "no conversation"
    notes = scenario.texts if silent else dict.fromkeys(scenario.members, ())
    brief = Brief(scenario.public, 0, options, notes, database=used)
    how: Any = {"memory": memory, "curt": curt, "redacted": redacted}
    played = Coordinating(scenario, seated, readers, brief, silent, **how)
    told = {"design": design, "decision": decision, "options": options}
    record = Coordination(
        meeting=asdict(scenario.meeting),
        seats={name: seat.kind for name, seat in seated.items()} | {"reader": reader},
        rounds=(),
        settings={**told, "printed": printed, **how, "database": used},
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
    """Who makes data of a member's words: a model, or itself ("stated"); of a rule nobody."""
    person = getattr(kind, "kind", kind) == HUMAN
    if not person and not is_model(kind):
        return None
    if reader == "own":
        return "stated" if person else kind
    return reader


async def rephrased(scenario: Scenario, seat: Any, times: int) -> Scenario:
    """A scenario in whose texts a model said the same wishes in other words, so often."""
    for _ in range(times):
        calls = {name: seat.rephrase(said) for name, said in scenario.texts.items()}
        scenario = replace(scenario, texts=await together(calls))
    return scenario


def expected(name: str, given: Any, allowed: Sequence[Any]) -> None:
    """Refuse a setting that is none of some."""
    if given not in allowed:
        listed = ", ".join(map(repr, allowed))
        raise InvalidInput(f"{name}: {given!r} given; expected one of {listed}")
