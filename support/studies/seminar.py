"""One rehearsal of 002, "DoubleAgents": an organiser fills the dates of a seminar, and the people answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.seminar.artefacts import Artefacts, Template, load_past, load_templates
from support.environments.seminar.policies import PolicySet, load_policies, policies_of
from support.environments.seminar.scenario import Scenario
from support.environments.seminar.scenario import scenario as load_scenario
from support.errors import DamagedFile, InvalidInput
from support.mechanisms import organizing
from support.mechanisms.organizing_review import AUTOMATIC, levels
from support.participants.seating import SeatsOf
from support.participants.speakers.protocol import Speaker
from support.records import Organizing

if TYPE_CHECKING:
    from support.models.model import ChatModel
    from support.participants.detectors.protocol import Detector
    from support.participants.organizers.protocol import Organizer
    from support.participants.reviewers.protocol import Reviewer

Policies = str | PolicySet | Sequence[Mapping[str, Any]]

PARTS = ("seed", "further", "all", "none")
"""What a setting of policies begins with."""


async def seminar(
    rng: np.random.Generator,
    scenario: str | Scenario = "four",
    policies: Policies = "seed",
    organizer: str | Organizer = "rule-based",
    detector: str | Detector = "lexical",
    seats: SeatsOf[Speaker] = "rule-based",
    reviewer: str | Reviewer = "automatic",
    delegation: Mapping[str, str] | str = AUTOMATIC,
    until: int | None = None,
    artefacts: Artefacts | None = None,
    temperature: float = 0.0,
    repetition: int = 0,
    model: ChatModel | str | None = None,
) -> Organizing:
    """One run from the first mail to the last date, or to the deadline (section 3).

    Parameters
    ----------
    scenario : str or Scenario
        "four", "series", "panel", or one of your own.
    policies : str, PolicySet, or list of {"id", "text"}
        See `policy_set`.
    organizer, detector, reviewer
        Kinds of `seat_organizer`, `seat_detector`, `seat_reviewer`, or the participants themselves.
    seats
        Of the people, see `seat_speakers`.
    delegation, until
        See `mechanisms.organizing.organize`.
    artefacts : Artefacts, optional
        What an earlier run left; its policies count then, in place of `policies`.
    temperature, model
        Of language models, in whichever role; a role of the kind "model:NAME" has its own, `model` is that of "model".

    Raises
    ------
    InvalidInput
        On a setting out of its range.
    """
    who, desk = rng.spawn(2)
    programme = _programme(scenario) if isinstance(scenario, str) else scenario
    templates, past = _letters()
    begun = artefacts or Artefacts(policy_set(policies))
    begun = begun if begun.templates else replace(begun, templates=templates)
    spoken: dict[str, Any] = {"model": model, "temperature": temperature, "repetition": repetition}
    people, roles = _seated(programme, seats, organizer, detector, reviewer, who, desk, spoken)
    told: dict[str, Any] = {"delegation": delegation if isinstance(delegation, str) else levels(delegation)}
    run = organizing.organize(
        programme, people, **roles, artefacts=begun, past=past, delegation=delegation, until=until
    )
    days = [day async for day in run]
    told |= {"policies": policies if isinstance(policies, str) and artefacts is None else "own", "until": until}
    return organizing.record(programme, {**people, **roles}, days, artefacts=begun, **told)


def _seated(
    programme: Scenario,
    seats: SeatsOf[Speaker],
    organizer: str | Organizer,
    detector: str | Detector,
    reviewer: str | Reviewer,
    who: np.random.Generator,
    desk: np.random.Generator,
    spoken: Mapping[str, Any],
) -> tuple[dict[str, Speaker], dict[str, Any]]:
    """The people, and the three roles at the desk."""
    from support.participants.detectors.seating import seat_detector
    from support.participants.organizers.seating import seat_organizer
    from support.participants.reviewers.seating import seat_reviewer
    from support.participants.speakers.seating import seat_speakers

    roles = {
        "organizer": seat_organizer(organizer, rng=desk, **spoken),
        "detector": seat_detector(detector, **spoken),
        "reviewer": seat_reviewer(reviewer),
    }
    return seat_speakers(programme, seats, who, **spoken), roles


def policy_set(given: Policies) -> PolicySet:
    """Policies by what a setting says of them.

    Parameters
    ----------
    given : str, PolicySet, or sequence of mappings
        A part of the project's own ("seed", "further", "all", "none"), with policies of theirs added and taken away:
        "seed + weekend - give_up"; or policies as a file holds them.

    Raises
    ------
    InvalidInput
        On a part or a policy that there is not, an entry without id and text, or policies that contradict each other.

    Examples
    --------
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
    chosen, known = PolicySet() if part == "none" else _policies(part), _policies("all")
    for sign, name in zip(changes[::2], changes[1::2], strict=True):
        if sign == "-":
            chosen = chosen.drop(name)
        elif name in {policy.id for policy in chosen}:
            raise InvalidInput(f"policies: {given!r} given, but {part} has {name} already; leave it out")
        else:
            chosen = PolicySet((*chosen, known[name]))
    return chosen


# The project's own files are read once: they take as long as a rehearsal.
@lru_cache(maxsize=16)
def _programme(name: str) -> Scenario:
    return load_scenario(name)


@lru_cache(maxsize=16)
def _policies(part: str) -> PolicySet:
    return load_policies(part)


@lru_cache(maxsize=1)
def _letters() -> tuple[dict[str, Template], tuple[Template, ...]]:
    return load_templates(), load_past()
