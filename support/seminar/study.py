"""One rehearsal, or one run, of an organiser's agent that fills a seminar by mail (002)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support.errors import InvalidInput
from support.seats import TEMPERATURE, Seats, Spoken
from support.seminar.acts import seat_roles, seat_speakers
from support.seminar.data import Scenario
from support.seminar.data import scenario as load_scenario
from support.seminar.day import DirectPost, Run, organize
from support.seminar.desk import Artefacts, load_past, load_templates
from support.seminar.policies import PolicySet, policy_set
from support.seminar.records import STATED, Day, Organizing
from support.seminar.review import AUTOMATIC

if TYPE_CHECKING:
    from support.models.model import ChatModel


async def seminar(
    rng: np.random.Generator,
    scenario: str | Scenario = "four",
    policies: str | PolicySet | Sequence[Mapping[str, Any]] = "seed",
    organizer: Any = "rule-based",
    detector: Any = "stated",
    reader: Any = "stated",
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
    """One run from the first mail to the last date, or to the deadline (section 3), or
    `until` a day.

    `scenario` is "four", "series", "panel", or one of your own; `policies` are those of
    `policy_set`, or those of `artefacts`, which an earlier run left. Everybody is a kind
    of the roles in `seminar.acts`, "model:NAME", "human", or an object of your own; the
    organiser may be a kind for each of `acts.STEPS`. `reader` is who makes data of
    replies: "stated", their writers, or a model, who reads the words. `delegation` is
    one of `review.LEVELS`, for all or for some of `review.DELEGATED`.
    """
    if until is not None and until < 1:
        raise InvalidInput(f"until: day {until} given; expected one from 1 on")
    who, drawn = rng.spawn(2)
    programme = load_scenario(scenario) if isinstance(scenario, str) else scenario
    begun = artefacts or Artefacts(policy_set(policies))
    begun = begun if begun.templates else replace(begun, templates=load_templates())
    spoken = Spoken(model, temperature, repetition, prompts, reasoning)
    kinds = {"organizer": organizer, "detector": detector}
    kinds |= {"reader": reader, "reviewer": reviewer}
    roles = seat_roles(kinds, drawn, spoken)
    people = seat_speakers(programme, seats, who, spoken)
    post = DirectPost(programme, people)
    run = Run(programme, post, roles, begun, load_past(), delegation)
    days = tuple([day async for day in organize(run, until)])
    named = isinstance(policies, str) and artefacts is None
    told = {
        "policies": policies if named else "own",
        "until": until,
        "delegation": delegation,
    }
    return recorded(programme, {**people, **roles}, begun, days, told)


def recorded(
    programme: Scenario,
    seats: Mapping[str, Any],
    begun: Artefacts,
    days: tuple[Day, ...],
    told: Mapping[str, Any],
) -> Organizing:
    """The record of a run that began with these artefacts."""
    kinds = {"reader": STATED} | {name: one.kind for name, one in seats.items()}
    policies = tuple((policy.id, policy.text) for policy in begun.policies)
    flags = [flag for day in days for flag in day.flags]
    hooks = (*begun.hooks, *flags)
    return Organizing(programme, kinds, policies, days, hooks, told)
