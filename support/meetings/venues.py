"""Another decision through the same loop: a group's dinner at one of six venues.

Section 8.6 of the paper names other decisions than times; slots are venues here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from support.data import inputs
from support.meetings.data import load_company
from support.meetings.preferences import Feature, Limit, Venue, Words
from support.meetings.scenario import Scenario, part
from support.meetings.wording import worded

MOST = {"price": (20, 35, 45), "walk": (5, 15, 25)}
"""Limits that members draw: euros a head, minutes."""
LOUD = ("live music", "a terrace", "a grill")
"""What somebody may want to do without."""


@dataclass(frozen=True)
class Outing:
    """A group that looks for a venue; the organiser is not among the members."""

    id: str
    organiser: str
    members: tuple[str, ...]
    subject: str = "dinner after the planning day"
    required: tuple[str, ...] = ()

    @property
    def invitation(self) -> str:
        """The letter."""
        return f"I would like to invite you to a {self.subject}."


@cache
def venues() -> dict[str, Venue]:
    """The six venues, by name."""
    rows = tomllib.loads(inputs("meetings", "venues.toml").read_text("utf-8"))["venue"]
    made = TypeAdapter(list[Venue]).validate_python(rows)
    return {venue.slot: venue for venue in made}


@lru_cache(maxsize=1024)
def venue_scenario(
    number: int, members: int = 5, *, printed: bool = False, demands: bool = True
) -> Scenario:
    """The first so many members of a group, each with wishes drawn for it."""
    company = load_company()
    group = part(company, number, members)
    rng = np.random.default_rng([2026, number])
    names, private = group.members, {}
    for name in names:
        private[name] = _wishes(rng)
    zones = {name: company.by_name[name].zone for name in names}
    texts = {
        name: tuple(Words(text=worded(w, zones[name]), says=(w,)) for w in own)
        for name, own in private.items()
    }
    return Scenario(
        Outing(group.id, group.organiser, names, required=group.required if demands else ()),
        zones,
        company.database(names),
        dict.fromkeys(names, venues()),
        private,
        dict.fromkeys(names, ()),
        texts,
        printed,
    )


def _wishes(rng: np.random.Generator) -> tuple[Any, ...]:
    """Something to have, something to do without, and a limit."""
    features = sorted({f for venue in venues().values() for f in venue.features})
    wanted = str(rng.choice(features))
    unwanted = str(rng.choice([name for name in LOUD if name != wanted]))
    of = str(rng.choice(list(MOST)))
    first, second, third = rng.integers(1, 4, size=3).tolist()
    return (
        Feature(feature=wanted, priority=first),
        Feature(feature=unwanted, avoid=True, priority=second),
        Limit(of=of, most=int(rng.choice(MOST[of])), priority=third),
    )
