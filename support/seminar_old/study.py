"""One rehearsal of 002, "DoubleAgents": an organiser fills the dates of a seminar, and the people answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support.errors import DamagedFile, InvalidInput
from support.seats import TEMPERATURE, Seats, Spoken
from support.seminar.artefacts import Artefacts, load_past, load_templates
from support.seminar.checkpoints import AUTOMATIC, levels
from support.seminar.data import Scenario
from support.seminar.data import scenario as load_scenario
from support.seminar.organizer_seat import ORGANIZER
from support.seminar.organizing import organize, record
from support.seminar.records import Organizing
from support.seminar.rules import PolicySet, load_policies, policies_of
from support.seminar.seats import REVIEWER, seat_detector
from support.seminar.speakers import seat_speakers

if TYPE_CHECKING:
    from support.models.model import ChatModel

Policies = str | PolicySet | Sequence[Mapping[str, Any]]

PARTS = ("seed", "further", "all", "none")  # what a setting of policies begins with


async def seminar(
    rng: np.random.Generator,
    scenario: str | Scenario = "four",
    policies: Policies = "seed",
    organizer: Any = "rule-based",
    detector: Any = "lexical",
    seats: Seats = "rule-based",
    reviewer: Any = "automatic",
    delegation: Mapping[str, str] | str = AUTOMATIC,
    until: int | None = None,
    artefacts: Artefacts | None = None,
    temperature: float = TEMPERATURE,
    reasoning: str | None = None,
    repetition: int = 0,
    model: ChatModel | str | None = None,
    prompts: str | Path | None = None,
) -> Organizing:
    """One run from the first mail to the last date, or to the deadline (section 3), or `until` a day.

    `scenario` is "four", "series", "panel", or one of your own; `policies` are those of `policy_set`, or those of
    `artefacts`, which an earlier run left. Everybody is a kind of the roles in `seminar.seats`, "model:NAME", "human",
    or an object of your own; `delegation` is one of `checkpoints.levels()`.
    """
    who, desk = rng.spawn(2)
    programme = load_scenario(scenario) if isinstance(scenario, str) else scenario
    begun = artefacts or Artefacts(policy_set(policies))
    begun = begun if begun.templates else replace(begun, templates=load_templates())
    spoken = Spoken(model, temperature, repetition, prompts, reasoning)
    roles = {
        "organizer": ORGANIZER.seat(organizer, desk, None, spoken),
        "detector": seat_detector(detector, spoken=spoken),
        "reviewer": REVIEWER.seat(reviewer, np.random.default_rng(0), None, spoken),
    }
    people = seat_speakers(programme, seats, who, spoken)
    told: dict[str, Any] = {
        "delegation": delegation if isinstance(delegation, str) else levels(delegation)
    }
    run = organize(
        programme,
        people,
        **roles,
        artefacts=begun,
        past=load_past(),
        delegation=delegation,
        until=until,
    )
    days = [day async for day in run]
    told |= {
        "policies": policies
        if isinstance(policies, str) and artefacts is None
        else "own",
        "until": until,
    }
    return record(programme, {**people, **roles}, days, artefacts=begun, **told)


def policy_set(given: Policies) -> PolicySet:
    """A part of the project's policies, with some added and taken away, or a list of {"id", "text"} as in a file.

    >>> [policy.id for policy in policy_set("seed + weekend - begin - vague")]
    ['follow_up', 'give_up', 'ask_more', 'faculty_first', 'weekend']
    """
    if isinstance(given, PolicySet):
        return given
    if not isinstance(given, str):
        try:
            return policies_of(given, "policies")
        except DamagedFile as error:  # there is no file that could be
            raise InvalidInput(str(error)) from error
    part, *changes = re.split(r"\s+([+-])\s+", given.strip())
    if part not in PARTS:
        raise InvalidInput(
            f"policies: {part!r} given; expected one of {', '.join(PARTS)}, and changes to it such as 'seed + weekend'"
        )
    chosen, known = (
        PolicySet() if part == "none" else load_policies(part),
        load_policies("all"),
    )
    for sign, name in zip(changes[::2], changes[1::2], strict=True):
        if sign == "-":
            chosen = chosen.drop(name)
        elif name in chosen.ids:
            raise InvalidInput(
                f"policies: {given!r} given, but {part} has {name} already; leave it out"
            )
        else:
            chosen = PolicySet((*chosen, known[name]))
    return chosen
