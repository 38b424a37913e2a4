"""Another decision through the same loop: a group's dinner at one of six venues.

Section 8.6 of the paper names other decisions than times; slots are venues here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from pydantic import TypeAdapter

from support.data import inputs
from support.meetings.data import load_company
from support.meetings.preferences import Venue, Words
from support.meetings.scenario import Scenario, part
from support.meetings.wording import worded


@dataclass(frozen=True)
class Outing:
    """A group that looks for a venue; the organiser is not among the members."""

    id: str
    organiser: str
    members: tuple[str, ...]
    subject: str = "dinner after the planning day"
    required: tuple[str, ...] = ()
    timed: ClassVar[bool] = False

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


def venue_scenario(
    number: int, members: int = 5, *, printed: bool = False, demands: bool = True
) -> Scenario:
    """The first so many members of a group, and the six venues."""
    company = load_company()
    group = part(company, number, members, demands)
    names = group.members
    private = {name: company.private[name].venue for name in names}
    texts = {}
    for name, wishes in private.items():
        texts[name] = tuple(Words(text=worded(w, ""), says=(w,)) for w in wishes)
    return Scenario(
        meeting=Outing(group.id, group.organiser, names, required=group.required),
        zones={name: company.by_name[name].zone for name in names},
        database=company.database(names),
        views=dict.fromkeys(names, venues()),
        private=private,
        away=dict.fromkeys(names, ()),
        texts=texts,
        printed=printed,
    )
