"""The simulations that several notebooks analyse: said once, run once, kept in one file for each study."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from support.choice import RULES
from support.errors import InvalidInput, MissingData
from support.fair_decisions.study import fair_decisions
from support.meetings.study import meeting_coordination
from support.roundtable.records import Transcript
from support.roundtable.study import roundtable_exchange, roundtable_movielens
from support.runs.sweep import Sweep
from support.seats import TEMPERATURE, Seats
from support.seminar.study import seminar

Grid = Mapping[str, Sequence[object] | Mapping[str, object]]
"""Values of each setting; where they have labels, by label."""

STUDIES: Mapping[str, Callable[..., Awaitable[Transcript]]] = {
    "exchange_economy": roundtable_exchange,
    "movielens": roundtable_movielens,
}
FILES = {"exchange_economy": "roundtable_exchange", "movielens": "roundtable_movielens"}
"""In which study's file the simulations of an environment are kept."""

SEED = 2024
"""Of the sweeps that the notebooks share."""

MEETING_DESIGNS = ["no conversation", "rounds"]
MEETING_SETTINGS: Mapping[str, Grid] = {
    "size": {
        "members": [3, 4, 5],
        "options": [2],
        "database": [False],
        "design": MEETING_DESIGNS,
    },
    "options": {
        "members": [5],
        "options": [3, 4],
        "database": [False],
        "design": MEETING_DESIGNS,
    },
    "database": {
        "members": [5],
        "options": [2, 4],
        "database": [True],
        "design": MEETING_DESIGNS,
    },
}
"""The settings of section 5.2: size n, options K, the database (K = 2 by the text, 4 by
Table 1). The single round is round 1 of the rounds."""

PLANNING_SETTINGS: Mapping[str, Grid] = {
    "decisions": {
        "decisions": [*range(3, 31), 35],
        "options": [3],
        "feedback": ["complete"],
    },
    "options": {
        "decisions": [5],
        "options": [*range(4, 31, 2)],
        "preferences": ["rankings"],
        "feedback": ["words"],
    },
    "feedback": {
        "decisions": [*range(3, 11)],
        "options": [3],
        "feedback": ["score", "words", "comparison", "comparison in words"],
    },
    "welfare": {
        "decisions": [3, 5, 7, 9],
        "options": [3],
        "feedback": ["score", "words"],
        "objective": ["welfare"],
    },
    "rounds": {
        "decisions": [3, 5, 7, 9],
        "options": [3],
        "feedback": ["score"],
        "rounds": [3, 5, 7, 9],
    },
}
"""The settings of 003 by the figures that show them: 2 and 6, 3, 4 and 5, 7, 10."""

SEMINAR_SETTINGS: Mapping[str, Grid] = {
    "policies": {"scenario": ["four"], "policies": ["seed", "all"]},
    "series": {"scenario": ["series"], "policies": ["seed", "all"]},
    "panel": {"scenario": ["panel"], "policies": ["seed", "all"]},
}
"""Rehearsals with the six seed policies and with all twelve: 4 speakers for 4 dates, 23 for 10, 6 seats of 18."""


def as_participants(given: str | Sequence[Seats]) -> dict[str, Seats]:
    """Who sits, by the label that stands in frames: a kind, or kinds under a name.

    Kinds without a name, a list or {agent: kind}, are called what they are.

    >>> as_participants(["mixed", {"one model": ["model", "linear"]}, ["linear", "mixed"]])
    {'mixed': 'mixed', 'one model': ['model', 'linear'], 'linear + mixed': ['linear', 'mixed']}
    """
    tables: dict[str, Seats] = {}
    for seats in [given] if isinstance(given, str) else given:
        if isinstance(seats, str):
            tables[seats] = seats
        elif isinstance(seats, Mapping) and len(seats) == 1:
            tables |= seats
        else:
            kinds = seats.values() if isinstance(seats, Mapping) else seats
            tables[" + ".join(kinds)] = seats
    return tables


def simulations(
    environment: str,
    n: int,
    seed: int,
    seats: str | Sequence[Seats] = "mixed",
    rounds: int = 10,
    **more: list[object],
) -> Sweep:
    """The sweep of n discussions under each of the six rules in one environment; the same groups under each rule.

    Repetition r is the same group everywhere, on MovieLens case r of `draw_cases`;
    `more` are further settings, such as temperature=[0.7], or draw=[True].
    """
    who = as_participants(seats)
    grid: Grid = {"rule": list(RULES), "seats": who, "rounds": [rounds]}
    return _part(
        STUDIES[environment], {"rules": grid}, "rules", n, seed, more, ["rule", "draw"]
    )


def available() -> dict[str, str]:
    """Each environment with why its simulations cannot be run here; "" where they can."""
    from support.roundtable.ratings import load

    try:
        load()
    except MissingData as error:
        return {"exchange_economy": "", "movielens": str(error)}
    return {"exchange_economy": "", "movielens": ""}


def coordinations(part: str, n: int, seed: int, **grid: list[object]) -> Sweep:
    """One part of `MEETING_SETTINGS`: n groups, the same in all settings.

    Repetition r is group r of the company, of which three or four members meet in the
    smaller meetings; `grid` are further settings, or other values of the part's own.
    """
    paired = [*MEETING_SETTINGS[part], *grid]
    return _part(
        meeting_coordination,
        MEETING_SETTINGS,
        part,
        n,
        seed,
        grid,
        dict.fromkeys(paired),
    )


def plannings(part: str, n: int, seed: int, **grid: list[object]) -> Sweep:
    """One part of `PLANNING_SETTINGS`: n instances of each setting (30 in the paper), the same for all coordinators;
    `grid` are further settings, or other values of the part's own."""
    paired = (
        "feedback",
        "coordinator",
        "estimator",
        "solver",
        "rounds",
        "prompt",
    )
    return _part(fair_decisions, PLANNING_SETTINGS, part, n, seed, grid, paired)


def rehearsals(part: str, n: int, seed: int, **grid: list[object]) -> Sweep:
    """One part of `SEMINAR_SETTINGS`: n runs of each setting, with the same simulated people under every policy set;
    `grid` are further settings, or other values of the part's own."""
    paired = (
        "policies",
        "seats",
        "organizer",
        "detector",
        "reader",
        "reviewer",
        "delegation",
    )
    return _part(seminar, SEMINAR_SETTINGS, part, n, seed, grid, paired)


def _part(
    study: Callable[..., Awaitable[object]],
    parts: Mapping[str, Grid],
    part: str,
    n: int,
    seed: int,
    grid: Grid,
    paired: Iterable[str],
) -> Sweep:
    """A part's sweep, named after the part and the settings that are added to it.

    All have a temperature, for models: it changes no draw, so that rule-based
    participants do the same at any.
    """
    if part not in parts:
        raise InvalidInput(f"part: {part!r} given; expected one of {', '.join(parts)}")
    known: Grid = {"temperature": [TEMPERATURE], **parts[part]}
    settings, added = {**known, **grid}, sorted(grid.keys() - known.keys())
    name = " by ".join([part, *added])
    return Sweep(
        f"{name}, seed {seed}",
        study,
        settings,
        n,
        seed,
        paired=[s for s in (*paired, "temperature") if s in settings],
    )
