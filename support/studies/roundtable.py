"""One discussion of RoundTable, on the exchange economy or on MovieLens-100k."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from support.choice import Rule
from support.environments.exchange_economy import exchange_economy
from support.errors import InvalidInput
from support.mechanisms.roundtable import ROUNDS, play
from support.participants.negotiators.seating import Seats, seat_all
from support.records import Transcript

if TYPE_CHECKING:
    from support.environments.movielens import Case
    from support.models.model import ChatModel


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
    model: ChatModel | str | None = None,
) -> Transcript:
    """One discussion of the RoundTable study on the exchange economy (sections 4.1 and 5.1).

    The settings are those of `exchange_economy`, `seat_all` and `roundtable`; see there. `rng` feeds the
    participants and the lottery of a tie-break.
    """
    economy = exchange_economy(preferences, agents, exponents)
    people = seat_all(economy, seats, rng, model=model, noise=noise, temperature=temperature, repetition=repetition)
    return await play(economy, people, rule, rounds=rounds, tie_break=tie_break, rng=rng)


async def roundtable_movielens(
    rng: np.random.Generator,
    rule: str | Rule,
    case: int | None = None,
    seats: Seats = "mixed",
    consult: str | None = None,
    rounds: int = ROUNDS,
    noise: float = 0.05,
    tie_break: str = "defer",
    temperature: float = 0.0,
    repetition: int = 0,
    model: ChatModel | str | None = None,
    cases_seed: int | None = None,
) -> Transcript:
    """One discussion of the RoundTable study on MovieLens-100k (sections 4.2 and 5.2).

    Parameters
    ----------
    case : int, optional
        Which of the cases that `draw_cases` gives for `cases_seed` (by default the project's own seed), counted
        from 0. By default the one of the number `repetition`, so that a sweep of 100 repetitions goes through
        the first 100 cases. In a sweep paired by rule, a case has the same participants with the same streams
        under every rule.
    consult : str, optional
        The agent that may consult the recommender.
    seats, noise, model, temperature
        As in `seat_raters`; rounds and tie_break as in `roundtable`.

    Raises
    ------
    InvalidInput
        On a case that there is not, or a setting out of its range.
    MissingData
        When MovieLens-100k cannot be had; the message says how to get it.
    """
    from support.environments.movielens import movielens
    from support.participants.raters.seating import seat_raters

    environment = movielens(_case(repetition if case is None else case, cases_seed), consult)
    options = {"model": model, "noise": noise, "temperature": temperature, "repetition": repetition}
    people = seat_raters(environment, seats, rng, **options)  # type: ignore[arg-type]
    return await play(environment, people, rule, rounds=rounds, tie_break=tie_break, rng=rng)


def _case(number: int, seed: int | None) -> Case:
    cases = _cases(seed)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(cases):
        raise InvalidInput(f"case: {number!r} given; expected a whole number from 0 to {len(cases) - 1}")
    return cases[number]


@lru_cache(maxsize=4)
def _cases(seed: int | None) -> tuple[Case, ...]:
    """All ratings of u1.test in the order of a seed: fewer cases are the beginning of more."""
    from support.environments.movielens import draw_cases, load
    from support.environments.movielens.case import SEED

    return draw_cases(len(load().test), SEED if seed is None else seed)
