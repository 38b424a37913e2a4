"""Seeded instances: arbitrary scores, rankings, counts (sections 3, 4.1 and 4.3 of 003).

The paper draws 30 instances for each number of decisions and options, and does not say how the 100 points of a decision
are shared. Here all ways to share them are equally likely: points are whole, options may get none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from support.environments.fair_decisions.menus import named
from support.environments.fair_decisions.problem import FairDecisions
from support.environments.fair_decisions.views import COUNTS, POINTS, RANKINGS, SCORES
from support.errors import InvalidInput

INSTANCES = 30
"""How many problems the paper draws for each setting."""

HIGHEST = 20


def scores(rng: np.random.Generator, decisions: int, options: int, participants: int = 3) -> FairDecisions:
    """Options of a decision share exactly 100 points, for each participant, in one of all ways with equal chance.

    Stars and bars: `options` - 1 bars among 100 stars, and the gains are the runs of stars between them.

    Raises
    ------
    InvalidInput
        On a count that is no whole number of 1 or more.

    Examples
    --------
    >>> scores(np.random.default_rng(1), decisions=2, options=3).gains.sum(axis=2).tolist()
    [[100, 100], [100, 100], [100, 100]]
    """
    shape = _shape(decisions, options, participants)
    places = np.broadcast_to(np.arange(POINTS + options - 1), (*shape[:2], POINTS + options - 1))
    bars = np.sort(rng.permuted(places, axis=2)[..., : options - 1], axis=2)
    edges = np.pad(bars, ((0, 0), (0, 0), (1, 1)), constant_values=-1)
    edges[..., -1] = POINTS + options - 1
    return FairDecisions(np.diff(edges, axis=2) - 1)


def rankings(rng: np.random.Generator, decisions: int, options: int, participants: int = 3) -> FairDecisions:
    """Each participant ranks the options of each decision at random, from 1 to m; more is better.

    Raises
    ------
    InvalidInput
        As for `scores`.
    """
    shape = _shape(decisions, options, participants)
    return FairDecisions(rng.permuted(np.broadcast_to(np.arange(1, options + 1), shape), axis=2))


def counts(
    rng: np.random.Generator, decisions: int, options: int, participants: int = 3, highest: int = HIGHEST
) -> FairDecisions:
    """Any whole numbers: each gain is drawn from 0 to `highest`, both included, with equal chance.

    Raises
    ------
    InvalidInput
        As for `scores`, and on `highest` below 0.
    """
    shape = _shape(decisions, options, participants)
    return FairDecisions(rng.integers(0, _whole("highest", highest, least=0), size=shape, endpoint=True))


KINDS: Mapping[str, tuple[int, Callable[..., FairDecisions]]] = {
    SCORES: (0, scores),
    RANKINGS: (1, rankings),
    COUNTS: (2, counts),
}
"""Each kind of preference with its generator, and a number that must never change: seeds hang on it."""


def instance(
    preferences: str,
    decisions: int,
    options: int,
    number: int,
    seed: int,
    participants: int = 3,
    *,
    skin: str = "meals",
) -> FairDecisions:
    """Problem `number` of a setting: the same whoever coordinates, and whatever other settings are drawn beside it.

    Parameters
    ----------
    preferences : a name of `views.PREFERENCES`
    number : int
        0 to 29 are the paper's 30 (`INSTANCES`); larger ones are more of the same.
    seed : int
        Of the whole study. Kind, sizes and number become the spawn key of its SeedSequence.
    skin : a name of `menus.load()`; gains do not depend on it

    Raises
    ------
    InvalidInput
        On another kind, or a number that is not whole.

    Examples
    --------
    >>> instance("rankings", decisions=1, options=3, number=0, seed=1).decisions
    ('Monday breakfast',)
    """
    if preferences not in KINDS:
        raise InvalidInput(f"preferences: {preferences!r} given; expected one of {', '.join(KINDS)}")
    code, draw = KINDS[preferences]
    key = (code, *_shape(decisions, options, participants), _whole("number", number, least=0))
    rng = np.random.default_rng(np.random.SeedSequence(_whole("seed", seed, least=0), spawn_key=key))
    return named(draw(rng, decisions, options, participants), skin)


def _shape(decisions: int, options: int, participants: int) -> tuple[int, int, int]:
    return _whole("participants", participants), _whole("decisions", decisions), _whole("options", options)


def _whole(field: str, value: int, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidInput(f"{field}: {value!r} given; expected a whole number of {least} or more")
    return int(value)
