"""One coordination of a meeting's time by the system of Papachristou, Yang and Hsu (2023)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from support.environments.meetings.preferences import Preference
from support.environments.meetings.scenario import Scenario, scenarios
from support.errors import InvalidInput
from support.mechanisms import coordination
from support.participants.facilitators.evaluators import ExactEvaluator
from support.participants.facilitators.seating import seat_facilitators
from support.participants.members.protocol import Member
from support.participants.members.seating import Seats, seat_members
from support.records import Coordination

if TYPE_CHECKING:
    from support.models.model import ChatModel

DESIGNS = ("no conversation", "single round", "rounds")
"""The two baselines of section 5.2, and the paper's system."""

MEETINGS = 20
"""Meetings for each setting, as in the paper."""


async def meeting_coordination(
    rng: np.random.Generator,
    members: int = 3,
    options: int = coordination.OPTIONS,
    design: str = "rounds",
    database: bool = False,
    paraphrase: int = 0,
    seats: Seats = "mixed",
    coordinator: str = "satisficing",
    interviewer: str = "rule-based",
    evaluator: str = "rule-based",
    lowest: int = 0,
    tracking: bool = False,
    rounds: int = coordination.ROUNDS,
    temperature: float = 0.0,
    repetition: int = 0,
    meetings_seed: int = 2023,
    model: ChatModel | str | None = None,
) -> Coordination:
    """One coordination of a meeting of the synthetic company (sections 4 and 5).

    Parameters
    ----------
    members, options, rounds : int
        n, K and T.
    design : str
        One of `DESIGNS`. Without conversation, the coordinator is handed the members' free texts, sentence by
        sentence; both baselines have one round.
    database : bool
        Whether the coordinator sees the social graph; the meetings are then those with required attendees.
    paraphrase : int
        Which text is handed over, or given to a language model as its persona: 0, or one of two paraphrases.
    seats, coordinator, interviewer, evaluator, lowest
        Who takes each role, see `seat_members` and `seat_facilitators`.
    tracking : bool
        Whether preferences stay in theta over the rounds, see `coordinate`.
    repetition : int
        Which of the meetings that `scenarios` draws with `meetings_seed`, so that a sweep of 20 repetitions goes
        through 20 meetings, the same ones in every design.

    Raises
    ------
    InvalidInput
        On a setting out of its range.
    """
    if design not in DESIGNS:
        raise InvalidInput(f"design: {design!r} given; expected one of {', '.join(DESIGNS)}")
    scenario = _scenario(members, repetition, meetings_seed, database)
    who, drawn = rng.spawn(2)
    settings = {"model": model, "temperature": temperature, "repetition": repetition}
    people = seat_members(scenario, seats, who, paraphrase=paraphrase, **settings)  # type: ignore[arg-type]
    roles = {"interviewer": interviewer, "coordinator": coordinator, "evaluator": evaluator}
    led = seat_facilitators(scenario, drawn, **roles, lowest=lowest, **settings)  # type: ignore[arg-type]
    played = coordination.coordinate(
        scenario,
        people,
        *led,
        options=options,
        rounds=rounds if design == "rounds" else 1,
        handed=scenario.handed(paraphrase) if design == "no conversation" else None,
        database=database,
        tracking=tracking,
        audit=exact_evaluator(scenario, people),
    )
    finished = [entry async for entry in played]
    return coordination.record(scenario, {**people, **dict(zip(roles, led, strict=True))}, finished, design=design)


def exact_evaluator(scenario: Scenario, people: Mapping[str, Member]) -> ExactEvaluator:
    """The evaluator that knows what every member truly wants in each round; a mind may change, others keep to it."""

    def truth(member: str, number: int) -> tuple[Preference, ...]:
        changing = getattr(people[member], "preferences_in", None)
        return changing(number) if changing else scenario.private[member].preferences

    return ExactEvaluator(scenario.situation, truth)


@lru_cache(maxsize=64)
def _drawn(members: int, count: int, seed: int, required: bool) -> tuple[Scenario, ...]:
    return scenarios(members, count, seed, required=required)


def _scenario(members: int, number: int, seed: int, required: bool) -> Scenario:
    drawn = _drawn(members, MEETINGS, seed, required)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(drawn):
        raise InvalidInput(f"repetition: {number!r} given; expected 0 to {len(drawn) - 1}, one for each meeting drawn")
    return drawn[number]
