"""Study functions: one unit of a study, from its settings to its record, for `support.sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from support.choice import Rule
from support.environments.exchange_economy import exchange_economy
from support.mechanisms.roundtable import ROUNDS, play
from support.participants.negotiators.seating import Seats, seat_all
from support.records import Transcript

if TYPE_CHECKING:
    from support.llm import ChatModel


async def roundtable_exchange(
    rng: np.random.Generator,
    rule: str | Rule,
    preferences: str = "asymmetric",
    agents: int = 3,
    seats: Seats = "linear",
    exponents: str = "sum_to_one",
    rounds: int = ROUNDS,
    noise: float = 0.05,
    tie_break: str = "defer",
    temperature: float = 0.0,
    repetition: int = 0,
    model: ChatModel | None = None,
) -> Transcript:
    """One discussion of the RoundTable study on the exchange economy (sections 4.1 and 5.1).

    The settings are those of `exchange_economy`, `seat_all` and `roundtable`; see there. `rng` feeds the
    participants and the lottery of a tie-break.
    """
    economy = exchange_economy(preferences, agents, exponents)
    people = seat_all(economy, seats, rng, model=model, noise=noise, temperature=temperature, repetition=repetition)
    return await play(economy, people, rule, rounds=rounds, tie_break=tie_break, rng=rng)
