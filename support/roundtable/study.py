"""One discussion of RoundTable, on the exchange economy or on MovieLens-100k: a unit of a sweep."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support.choice import TieBreak
from support.errors import InvalidInput
from support.roundtable.economy import exchange_economy
from support.roundtable.mechanism import ROUNDTABLE
from support.roundtable.records import Transcript
from support.roundtable.seats import seat_all
from support.roundtable.table import ROUNDS, Mechanisms, Rules, Stop, play
from support.seats import TEMPERATURE, Seats, Spoken

if TYPE_CHECKING:
    from support.models.model import ChatModel
    from support.roundtable.movielens import MovieLens


async def roundtable_exchange(
    rng: np.random.Generator,
    rule: Rules,
    preferences: str = "asymmetric",
    agents: int = 3,
    seats: Seats = "linear",
    exponents: str = "sum_to_one",
    draw: bool = False,
    rounds: int = ROUNDS,
    noise: float = 0.05,
    tie_break: TieBreak = "defer",
    mechanism: Mechanisms = ROUNDTABLE.name,
    stop: str | Stop | None = None,
    temperature: float = TEMPERATURE,
    reasoning: str | None = None,
    repetition: int = 0,
    prompts: str | Path | None = None,
    model: ChatModel | str | None = None,
) -> Transcript:
    """One discussion on the exchange economy (sections 4.1 and 5.1).

    The settings are those of `exchange_economy`, `seat_all` and `roundtable`; `rng`
    feeds the participants and the lottery of a tie-break; `prompts` is "plain" (what the
    paper's prompts tell, and no more), "guided", or a folder of templates of one's own. With `draw` the exponents are
    drawn anew for each `repetition`, the same ones whoever sits there under whatever
    rule: even participants that always answer alike meet another problem in each.
    """
    drawn = repetition if draw else None
    economy = exchange_economy(preferences, agents, exponents, drawn)
    spoken = Spoken(model, temperature, repetition, prompts, reasoning)
    people = seat_all(economy, seats, rng, noise=noise, spoken=spoken)
    how: Any = {
        "mechanism": mechanism,
        "tie_break": tie_break,
        "stop": stop,
    }
    return await play(
        economy,
        people,
        rule,
        rounds=rounds,
        rng=rng,
        **how,
    )


async def roundtable_movielens(
    rng: np.random.Generator,
    rule: Rules,
    case: int | None = None,
    seats: Seats = "mixed",
    consult: str | None = None,
    rounds: int = ROUNDS,
    noise: float = 0.05,
    tie_break: TieBreak = "defer",
    mechanism: Mechanisms = ROUNDTABLE.name,
    stop: str | Stop | None = None,
    temperature: float = TEMPERATURE,
    reasoning: str | None = None,
    repetition: int = 0,
    prompts: str | Path | None = None,
    model: ChatModel | str | None = None,
) -> Transcript:
    """One discussion on MovieLens-100k (sections 4.2 and 5.2).

    `case` is one of those that `draw_cases` gives, counted from 0, by default that of the number
    `repetition`: a sweep of 100 repetitions goes through the first 100 cases, and one that is paired by rule has the
    same participants with the same streams at a case. `consult` is the agent that may ask the recommender.
    """
    cases = _cases()
    number = repetition if case is None else case
    if number not in range(len(cases)):
        wanted = f"a whole number from 0 to {len(cases) - 1}"
        raise InvalidInput(f"case: {number!r} given; expected {wanted}")
    environment = replace(cases[number], consult=consult)
    spoken = Spoken(model, temperature, repetition, prompts, reasoning)
    people = seat_all(environment, seats, rng, noise=noise, spoken=spoken)
    how: Any = {
        "mechanism": mechanism,
        "tie_break": tie_break,
        "stop": stop,
    }
    return await play(
        environment,
        people,
        rule,
        rounds=rounds,
        rng=rng,
        **how,
    )


@cache
def _cases() -> tuple[MovieLens, ...]:
    """All ratings of u1.test in a drawn order: fewer cases are the beginning of more."""
    from support.roundtable.movielens import draw_cases, load

    return draw_cases(len(load().test))
