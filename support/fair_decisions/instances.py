"""Seeded instances, with names that can be read: arbitrary scores and rankings (sections
3, 4.1 and 4.3 of 003).

The paper draws 30 instances for each number of decisions and options, and does not say
how the 100 points of a decision are shared. Here all ways to share them are equally
likely: points are whole, options may get none. Names lie in
`data/inputs/fair_decisions/menus.toml`, whose README explains the fields, and carry no
gains.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from support.data import inputs
from support.errors import InvalidInput
from support.fair_decisions.problem import (
    POINTS,
    RANKINGS,
    SCORES,
    FairDecisions,
    check_size,
)
from support.play import check_one


def _scores(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Options share exactly 100 points. Stars and bars: m - 1 bars among 100 stars;
    gains are the runs between them."""
    *people, m = shape
    count = POINTS + m - 1
    places = np.broadcast_to(np.arange(count), (*people, count))
    drawn = rng.permuted(places, axis=2)
    bars = np.sort(drawn[..., : m - 1], axis=2)
    return (
        np.diff(
            bars,
            axis=2,
            prepend=-1,
            append=count,
        )
        - 1
    )


def _rankings(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """All orders of the options are equally likely."""
    ranks = np.indices(shape)[2] + 1
    return rng.permuted(ranks, axis=2)


DRAWS = {SCORES: _scores, RANKINGS: _rankings}
"""What draws the gains of each kind of preference; seeds hang on their order."""


def instance(
    preferences: str,
    decisions: int,
    options: int,
    number: int,
    seed: int,
    participants: int = 3,
) -> FairDecisions:
    """Problem `number` of a setting: the same whoever coordinates, and whatever other
    settings are drawn beside it.

    Numbers 0 to 29 are the paper's 30.
    """
    check_one("preferences", preferences, DRAWS)
    shape = (participants, decisions, options)
    check_size("participants", participants)
    check_size("decisions", decisions)
    check_size("options", options)
    key = (list(DRAWS).index(preferences), *shape, number)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
    gains = DRAWS[preferences](rng, shape)
    return named(FairDecisions(gains))


# ---- a problem of one's own ------------------------------------------------------------


def stated(points: Any, preferences: str = SCORES) -> FairDecisions:
    """The problem of people who say what each option is worth to them.

    `points` is {participant: {decision: {option: points}}}, in any order: everybody
    shares 100 points among the options of each decision, or ranks them from 1, the
    least wished for, on.

    >>> stated({"Ana": {"Soup": {"miso": 70, "borscht": 30}}}).gains.tolist()
    [[[30, 70]]]
    """
    gains: Any = []
    menu: Any = []
    try:
        for who, told in sorted(points.items()):
            decisions = sorted(told.items())
            mine = [(decision, *sorted(options)) for decision, options in decisions]
            menu = menu or mine
            if mine != menu:
                raise InvalidInput(f"problem: {who} has {mine}; expected {menu}")
            worth = []
            for decision, options in decisions:
                worth.append(_worth(who, decision, options, preferences))
            gains.append(worth)
    except (AttributeError, TypeError):
        wanted = "{participant: {decision: {option: points}}}"
        raise InvalidInput(f"problem: {points!r} given; expected {wanted}") from None
    names: Any = [
        sorted(points),
        [one for one, *_ in menu],
        [rest for _, *rest in menu],
    ]
    return FairDecisions(gains, *names)


def _worth(
    who: str,
    decision: str,
    options: Mapping[str, int],
    preferences: str,
) -> list[int]:
    """The points of options by their names."""
    worth = [options[name] for name in sorted(options)]
    fits = sum(worth) == POINTS
    wanted = f"{POINTS} points in all"
    if preferences == RANKINGS:
        fits = sorted(worth) == [*range(1, len(worth) + 1)]
        wanted = "each rank from 1 on once"
    if not fits:
        raise InvalidInput(
            f"problem: {who}, {decision}: {options} given; expected {wanted}"
        )
    return worth


# ---- what is decided, and what options are called --------------------------------------


@cache
def load() -> Mapping[str, Mapping[str, Any]]:
    """All skins by name; the README beside `menus.toml` explains their fields."""
    menus = inputs("fair_decisions", "menus.toml")
    return tomllib.loads(menus.read_text(encoding="utf-8"))


def named(problem: FairDecisions, skin: str = "meals") -> FairDecisions:
    """The same gains and participants, the decisions and options with the names of a
    skin; the next decision of a kind goes on where the options of this one end."""
    check_one("skin", skin, load())
    menu = load()[skin]
    _, n, m = problem.shape
    kinds = menu["options"]
    options = []
    for j in range(n):
        turn, kind = divmod(j, len(kinds))
        names = kinds[kind]
        start = turn * m % len(names)
        names = names[start:] + names[:start]
        options.append(tuple(_numbered(names, k) for k in range(m)))
    decisions = tuple(_numbered(menu["decisions"], j) for j in range(n))
    return replace(problem, decisions=decisions, options=tuple(options))


def _numbered(names: Sequence[str], i: int) -> str:
    """Name i, counted from 0; where they are used up: "ramen (2)"."""
    turn, i = divmod(i, len(names))
    return f"{names[i]} ({turn + 1})" if turn else names[i]
