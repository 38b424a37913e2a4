"""The simulations that several notebooks analyse: said once, run once, kept in one file for each study."""

from __future__ import annotations

import tomllib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from support.choice import RULES
from support.data import inputs
from support.errors import MissingData
from support.fair_decisions.study import fair_decisions
from support.meetings.study import meeting_coordination
from support.play import check_one
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

PARTS: Mapping[str, Mapping[str, Grid]] = tomllib.loads(
    inputs("simulations.toml").read_text("utf-8")
)
"""Of each study the parts that are simulated, and their settings, by the papers' figures."""


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
    check_one("environment", environment, STUDIES)
    who = as_participants(seats)
    grid: Grid = {
        "rule": list(RULES),
        "seats": who,
        "rounds": [rounds],
    }
    study = STUDIES[environment]
    paired = ["rule", "draw"]
    return _part(study, {"rules": grid}, "rules", n, seed, more, paired)


def available() -> dict[str, str]:
    """Each environment with why its simulations cannot be run here; "" where they can."""
    from support.roundtable.ratings import load

    try:
        load()
    except MissingData as error:
        return {"exchange_economy": "", "movielens": str(error)}
    return {"exchange_economy": "", "movielens": ""}


def coordinations(
    part: str,
    n: int,
    seed: int,
    **grid: list[object],
) -> Sweep:
    """One part of the meetings of `PARTS`: n groups, the same in all settings.

    Repetition r is group r of the company, of which three or four members meet in the
    smaller meetings; `grid` are further settings, or other values of the part's own.
    """
    parts = PARTS["meetings"]
    paired = dict.fromkeys([*parts.get(part, ()), *grid])
    return _part(meeting_coordination, parts, part, n, seed, grid, paired)


def plannings(
    part: str,
    n: int,
    seed: int,
    **grid: list[object],
) -> Sweep:
    """One part of the planning of `PARTS`: n instances of each setting (30 in the paper), the same for all coordinators;
    `grid` are further settings, or other values of the part's own."""
    paired = ["feedback", "coordinator", "estimator", "solver", "rounds", "prompt"]
    return _part(fair_decisions, PARTS["planning"], part, n, seed, grid, paired)


def rehearsals(
    part: str,
    n: int,
    seed: int,
    **grid: list[object],
) -> Sweep:
    """One part of the seminar of `PARTS`: n runs of each setting, with the same simulated people under every policy set;
    `grid` are further settings, or other values of the part's own."""
    who = ["seats", "organizer", "detector", "reader", "reviewer"]
    paired = ["policies", *who, "delegation"]
    return _part(seminar, PARTS["seminar"], part, n, seed, grid, paired)


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
    check_one("part", part, parts)
    known: Grid = {"temperature": [TEMPERATURE], **parts[part]}
    settings = {**known, **grid}
    added = sorted(grid.keys() - known.keys())
    name = f"{' by '.join([part, *added])}, seed {seed}"
    shared = [one for one in (*paired, "temperature") if one in settings]
    return Sweep(name, study, settings, n, seed, shared)
