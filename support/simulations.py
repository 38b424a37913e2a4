"""The rule-based simulations of RoundTable that several notebooks analyse: said once, run once, kept in one file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from support.choice import RULES
from support.errors import InvalidInput, MissingData
from support.records import Transcript
from support.studies import roundtable_exchange, roundtable_movielens
from support.sweep import Sweep

STUDIES: Mapping[str, Callable[..., Awaitable[Transcript]]] = {
    "exchange_economy": roundtable_exchange,
    "movielens": roundtable_movielens,
}

FILES = {"exchange_economy": "roundtable_exchange", "movielens": "roundtable_movielens"}
"""In which study's file the simulations of an environment are kept."""

SEED = 2024
"""Of the sweeps that the notebooks share."""


def simulations(environment: str, n: int, seed: int, seats: str = "mixed", rounds: int = 10) -> Sweep:
    """The sweep of n discussions under each of the six rules in one environment; the same groups under each rule.

    Repetition r is the same group everywhere; on MovieLens it is case r of `draw_cases`.

    Parameters
    ----------
    environment : {"exchange_economy", "movielens"}
    n : int
        Discussions for each rule.
    seed : int
        Of the sweep.

    Raises
    ------
    InvalidInput
        On another environment.
    """
    if environment not in STUDIES:
        raise InvalidInput(f"environment: {environment!r} given; expected one of {', '.join(STUDIES)}")
    grid: dict[str, list[object]] = {"rule": list(RULES), "seats": [seats], "rounds": [rounds]}
    return Sweep(f"rules, seed {seed}", STUDIES[environment], grid, n, seed, paired=["rule"])


def available() -> dict[str, str]:
    """Each environment with why its simulations cannot be run here; "" where they can."""
    from support.environments.movielens import load

    try:
        load()
    except MissingData as error:
        return {"exchange_economy": "", "movielens": str(error)}
    return {"exchange_economy": "", "movielens": ""}
