"""One coordination of a meeting's time by the system of Papachristou, Yang and Hsu (2023)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support.errors import InvalidInput
from support.meetings.coordination import OPTIONS, ROUNDS, coordinate, record
from support.meetings.evaluators import ExactEvaluator
from support.meetings.records import Coordination
from support.meetings.scenario import Scenario, fitting, scenario
from support.meetings.seats import RULES, seat_everybody
from support.seats import TEMPERATURE, Seats, Spoken

if TYPE_CHECKING:
    from support.models.model import ChatModel

DESIGNS = ("no conversation", "single round", "rounds")
"""The two baselines of section 5.2, and the paper's system."""

DIFFICULTIES = {"easy": None, "middle": 2, "hard": 1}
"""How many of each member's wishes are stated, the narrowest first; None: all that the files hold.

Over 300 meetings, 3 to 5 members drawn for an invitation of ours, a start drawn at random satisfies 98, 83 and 34 % of
the members in truth, and the better of two 99, 90 and 48 %; the paper's single round ends at 36 to 58 % (Table 1).
"""

MEETINGS, ORDER = 20, 2023
"""Meetings for each setting, as in the paper; the seed of their order."""


async def meeting_coordination(
    rng: np.random.Generator,
    members: int = 3,
    options: int = OPTIONS,
    design: str = "rounds",
    database: bool = False,
    difficulty: str = "hard",
    paraphrase: int = 0,
    seats: Seats = "mixed",
    coordinator: Any = "satisficing",
    interviewer: Any = RULES,
    evaluator: Any = RULES,
    lowest: int = 0,
    tracking: bool = False,
    rounds: int = ROUNDS,
    temperature: float = TEMPERATURE,
    reasoning: str | None = None,
    repetition: int = 0,
    model: ChatModel | str | None = None,
    prompts: str | Path | None = None,
    company: str | Path | None = None,
) -> Coordination:
    """One coordination of a meeting of the synthetic company (sections 4 and 5).

    `members`, `options` and `rounds` are n, K and T; `design` is one of `DESIGNS`: without conversation, the
    coordinator is handed the members' free texts (`paraphrase` 0, or one of two others), sentence by sentence; both
    baselines have one round. With `database` the coordinator sees the social graph and heeds what the organiser demands
    of attendance; without it neither is there, and the invitation is without these demands. `difficulty` is one of
    `DIFFICULTIES`. Who takes each role, and `lowest`: see `seat_everybody`; `tracking`: see `coordinate`. Outside of
    the loop the exact evaluator scores the same options.
    `repetition` is which of the meetings that fit, in an order that is always the same, so that a sweep of 20
    repetitions goes through 20 meetings, the same ones in every design, and one of more goes on with others. `company`
    is a folder of your own in the form of `data/inputs/meetings` (see its README).
    """
    if design not in DESIGNS:
        raise InvalidInput(
            f"design: {design!r} given; expected one of {', '.join(DESIGNS)}"
        )
    if difficulty not in DIFFICULTIES:
        raise InvalidInput(
            f"difficulty: {difficulty!r} given; expected one of {', '.join(DIFFICULTIES)}"
        )
    written = _scenario(members, repetition, None if company is None else Path(company))
    chosen = written.narrowed(DIFFICULTIES[difficulty])
    chosen = chosen if database else chosen.without_demands()
    spoken = Spoken(model, temperature, repetition, prompts, reasoning)
    people, led = seat_everybody(
        chosen,
        rng,
        seats,
        interviewer,
        coordinator,
        evaluator,
        lowest,
        paraphrase,
        spoken,
    )
    played = coordinate(
        chosen,
        people,
        **led,
        options=options,
        rounds=rounds if design == "rounds" else 1,
        handed=chosen.handed(paraphrase) if design == "no conversation" else None,
        database=database,
        tracking=tracking,
        audit=ExactEvaluator(chosen, people),
    )
    finished = [entry async for entry in played]
    return record(
        chosen, {**people, **led}, finished, design=design, difficulty=difficulty
    )


def _scenario(members: int, number: int, folder: Path | None) -> Scenario:
    """One of the meetings that fit, in an order in which the first 20 are those of the paper's design."""
    fit, rng = fitting(members, folder), np.random.default_rng(ORDER)
    if not 0 <= number < len(fit):
        counted = (
            f"there are {len(fit)} meetings with {members} members, counted from 0"
        )
        raise InvalidInput(f"repetition: {number!r} given; {counted}")
    drawn = rng.choice(len(fit), size=min(MEETINGS, len(fit)), replace=False).tolist()
    drawn += rng.permutation([i for i in range(len(fit)) if i not in drawn]).tolist()
    return scenario(fit[drawn[number]].id, folder=folder)
