"""A decision with all that the study knows: slots, wishes, calendars; and who may know.

A slot is a start or a venue; all else is alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

HOUR, AROUND = timedelta(hours=1), timedelta(days=1)
DINNER = "dinner after the planning day"
Wishes = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Scenario:
    """One decision. `private` are wishes, `away` what keeps a member away; who talks to
    members, or decides for them, gets the scenario without both (`public`).

    `meeting` is the invitation, `company` what is public. `views` holds each slot as
    each member sees it. `printed`: see `scores.pi`.
    """

    meeting: Meeting
    company: Company
    views: Mapping[str, Mapping[str, Any]]
    private: Wishes = field(default_factory=dict)
    away: Wishes = field(default_factory=dict)
    texts: Mapping[str, tuple[Words, ...]] = field(default_factory=dict)
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

        def own(secrets: Mapping[str, Any]) -> dict[str, Any]:
            return {name: secrets[name] for name in secrets if name == member}

        private, away, texts = own(self.private), own(self.away), own(self.texts)
        return replace(self, private=private, away=away, texts=texts)

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
        self, member: str, slot: str, wishes: Sequence[Any]
    ) -> list[tuple[Any, bool]]:
        """Each wish, and whether a slot fulfils it; for a gap, by the events among them."""
        at, met = self.views[member][slot], []
        events = [wish for wish in wishes if isinstance(wish, Busy)]
        for wish in wishes:
            known = [events] if isinstance(wish, Gap) else []
            met.append((wish, wish.fulfilled(at, *known)))
        return met

    @cached_property
    def wanted(self) -> Wishes:
        """All that counts in truth: wishes, and what keeps each away."""
        return {name: (*own, *self.away[name]) for name, own in self.private.items()}

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
        return abs(seen[a].start - seen[b].start) >= HOUR


@lru_cache(maxsize=1024)
def meeting_scenario(
    meeting: Meeting, company: Company, paraphrase: int = 0, printed: bool = False
) -> Scenario:
    """A meeting that waits for its time, or for its venue."""
    views, private, texts = {}, {}, {}
    away: dict[str, list[Any]] = {}
    for name in meeting.members:
        profile, own = company.by_name[name], company.private[name]
        views[name] = seen = meeting.seen(profile.zone)
        if meeting.venues:
            private[name], away[name] = own.venue, []
            texts[name] = tuple(Words(text=worded(w, ""), says=(w,)) for w in own.venue)
            continue
        private[name], texts[name] = own.preferences, own.said(paraphrase)
        start, end = profile.hours
        away[name] = [Hours(start=start, end=end)]
        low, high = seen[meeting.slots[0]].start, seen[meeting.slots[-1]].start
        for begins, ends in own.busy:
            event = Busy(start=begins, end=ends)
            first, last = event.span
            if first < high + AROUND and low - AROUND < last:
                away[name].append(event)
    return Scenario(meeting, company.public, views, private, away, texts, printed)


def load_group(
    number: int,
    members: int = 5,
    decision: str = "time",
    *,
    company: Company | str | Path | None = None,
    paraphrase: int = 0,
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
        changed |= {"subject": DINNER, "venues": firm.venues}
    return meeting_scenario(group.model_copy(update=changed), firm, paraphrase, printed)
