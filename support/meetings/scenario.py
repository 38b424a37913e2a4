"""A decision with all that the study knows: slots, wishes, calendars; and who may know.

A slot is a start or a venue; all else is alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from support.errors import InvalidInput
from support.meetings.data import Company, Meeting, Relation, load_company
from support.meetings.preferences import Busy, Gap, Hours, Words, understood
from support.meetings.scores import pi
from support.meetings.wording import worded

AROUND = timedelta(days=1)
Wishes = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Own:
    """What a member keeps private: wishes, what keeps it away, and its texts."""

    wishes: tuple[Any, ...]
    away: tuple[Any, ...]
    texts: tuple[Words, ...]


@dataclass(frozen=True)
class Scenario:
    """One decision. Who talks to members, or decides for them, gets the scenario without
    anybody's `own` (`public`).

    `meeting` is the invitation, `company` what is public. `views` holds each slot as
    each member sees it. `printed`: see `scores.pi`.
    """

    meeting: Meeting
    company: Company
    views: Mapping[str, Mapping[str, Any]]
    own: Mapping[str, Own]
    printed: bool = False

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the members, in the invitation's order."""
        return self.meeting.members

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """What may be chosen."""
        return tuple(self.views[self.members[0]])

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """Who works with whom among the members."""
        return self.company.relations(self.members)

    @cached_property
    def public(self) -> Scenario:
        """Without what is private."""
        return self.known_to("")

    def known_to(self, member: str) -> Scenario:
        """With what is private to one member alone."""
        own = {name: self.own[name] for name in self.own if name == member}
        return replace(self, own=own)

    def zone(self, member: str) -> str:
        """Where the member's clock stands (IANA)."""
        return self.company.by_name[member].zone

    def words(self, member: str, *wishes: Any) -> str:
        """Wishes of a member, a sentence each, on the member's clock."""
        zone = self.zone(member)
        return " ".join(worded(wish, zone) for wish in wishes)

    def scores(self, slots: Iterable[str], notes: Wishes) -> dict[str, dict[str, Any]]:
        """pi by slot and member, by the wishes that are given; None without any."""
        said = {member: understood(wishes) for member, wishes in notes.items()}
        found: dict[str, dict[str, Any]] = {}
        for slot in slots:
            row = found[slot] = {}
            for member, wishes in said.items():
                met = self.met(member, slot, wishes)
                row[member] = pi(met, printed=self.printed)
        return found

    def met(
        self,
        member: str,
        slot: str,
        wishes: Sequence[Any],
    ) -> list[tuple[Any, bool]]:
        """Each wish, and whether a slot fulfils it; for a gap, by the events among them."""
        at = self.views[member][slot]
        met = []
        events = [wish for wish in wishes if isinstance(wish, Busy)]
        for wish in wishes:
            known = [events] if isinstance(wish, Gap) else []
            met.append((wish, wish.fulfilled(at, *known)))
        return met

    @cached_property
    def wanted(self) -> Wishes:
        """All that counts in truth: wishes, and what keeps each away."""
        return {name: (*own.wishes, *own.away) for name, own in self.own.items()}

    @cached_property
    def truth(self) -> dict[str, dict[str, int]]:
        """pi in truth, by slot and member (of those whose wishes are here)."""
        return self.scores(self.slots, self.wanted)

    @cached_property
    def shares(self) -> np.ndarray:
        """The share of the members whom each slot satisfies in truth."""
        rows = [list(row.values()) for row in self.truth.values()]
        return (np.array(rows) > 0).mean(axis=1)

    def far(self, a: str, b: str) -> bool:
        """Whether two slots lie an hour apart; venues always do."""
        if self.meeting.venues:
            return a != b
        seen = self.views[self.members[0]]
        return abs(seen[a].start - seen[b].start) >= timedelta(hours=1)


@lru_cache(maxsize=1024)
def meeting_scenario(
    meeting: Meeting,
    company: Company,
    printed: bool = False,
) -> Scenario:
    """A meeting that waits for its time, or for its venue."""
    views = {}
    own = {}
    for name in meeting.members:
        zone = company.by_name[name].zone
        secret = company.private[name]
        views[name] = seen = meeting.seen(zone)
        if meeting.venues:
            said = [
                Words(text=worded(wish, zone), says=(wish,)) for wish in secret.venue
            ]
            own[name] = Own(secret.venue, (), tuple(said))
            continue
        start, end = company.by_name[name].hours
        away: list[Any] = [Hours(start=start, end=end)]
        low = seen[meeting.slots[0]].start
        high = seen[meeting.slots[-1]].start
        for begins, ends in secret.busy:
            event = Busy(start=begins, end=ends)
            first, last = event.span
            if first < high + AROUND and low - AROUND < last:
                away.append(event)
        own[name] = Own(secret.preferences, tuple(away), secret.said)
    return Scenario(meeting, company.public, views, own, printed)


def load_group(
    number: int,
    members: int = 5,
    decision: str = "time",
    *,
    company: Company | str | Path | None = None,
    printed: bool = False,
    demands: bool = True,
) -> Scenario:
    """The first so many members of one of a company's groups, and what they decide on.

    Without `demands` the organiser requires nobody.
    """
    firm = load_company(company)
    if not 0 <= number < len(firm.groups):
        raise InvalidInput(
            f"repetition: {number!r} given; there are {len(firm.groups)} groups, "
            "counted from 0"
        )
    group = firm.groups[number]
    if members not in range(2, len(group.members) + 1):
        raise InvalidInput(
            f"members: {members!r} given; expected 2 to {len(group.members)}"
        )
    names = group.members[:members]
    required = tuple(name for name in group.required if demands and name in names)
    changed: dict[str, Any] = {"members": names, "required": required}
    if decision == "venue":
        changed["subject"] = "dinner after the planning day"
        changed["venues"] = firm.venues
    return meeting_scenario(group.model_copy(update=changed), firm, printed)
