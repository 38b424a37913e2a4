"""Samples with known acts: agents in sentences kept apart, and two samples that a small model can label whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from support.analysis.dialogue_acts.testing import Test, ami_turns, held_out_talk, true_acts
from support.analysis.dialogue_acts.train import labelled_ami
from support.errors import InvalidInput
from support.roundtable.economy import exchange_economy
from support.roundtable.seats import seat_all

if TYPE_CHECKING:
    import pandas as pd

MEETINGS, TURNS = 4, 6  # of AMI
RUNS, ROUNDS = 2, 4  # of three rule-based agents


async def held_out(n: int, seed: int, rounds: int = 10, environment: str = "exchange_economy") -> pd.DataFrame:
    """Messages of n discussions in sentences that no study speaks, with their true acts.

    Parameters
    ----------
    environment : {"exchange_economy", "movielens"}

    Raises
    ------
    InvalidInput
        On another environment.
    MissingData
        When MovieLens-100k cannot be had.
    """
    tables = {"exchange_economy": _economy, "movielens": _ratings}
    if environment not in tables:
        raise InvalidInput(f"environment: {environment!r} given; expected one of {', '.join(tables)}")
    return await held_out_talk(tables[environment], np.random.default_rng(seed), n=n, rounds=rounds)


def _economy(stream: np.random.Generator) -> tuple[Any, Mapping[str, Any]]:
    economy = exchange_economy()
    return economy, seat_all(economy, "mixed", stream)


def _ratings(stream: np.random.Generator) -> tuple[Any, Mapping[str, Any]]:
    from support.roundtable.movielens import draw_cases, movielens

    environment = movielens(draw_cases(100)[stream.integers(100)])
    return environment, seat_all(environment, "mixed", stream)


async def small_tests(seed: int = 7) -> list[Test]:
    """24 messages of rule-based agents in sentences kept apart, and 24 turns of four unseen AMI meetings.

    Raises
    ------
    MissingData
        When AMI is not there.
    """
    return [true_acts(await held_out(RUNS, seed, ROUNDS)), _people()]


def _people() -> Test:
    """Turns from the middle of the meetings, each with the turn before it as its context."""
    _, unseen = labelled_ami()
    whole = ami_turns(unseen)
    chosen: list[int] = []
    for run in list(dict.fromkeys(whole.messages["run"]))[:MEETINGS]:
        places = whole.messages.index[whole.messages["run"] == run]
        chosen += list(places[len(places) // 2 :][:TURNS])
    frame = whole.messages.loc[chosen].reset_index(drop=True)
    return Test(whole.name, frame, [whole.truth[i] for i in chosen], whole.acts)
