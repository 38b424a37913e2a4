"""Coordinators that need no model: one follows the protocol exactly or with bounded attention, one draws at random.

They see only the `Brief`: the invitation, what was extracted from conversations, and the database if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations

import numpy as np

from support.meetings.data import MANAGER, Database, iso
from support.meetings.evaluators import View, known, on_the_clock, understood, worth
from support.meetings.preferences import At, Preference
from support.meetings.scenario import Brief, Suggestion

APART, NEW = (
    timedelta(hours=1),
    timedelta(minutes=1),
)  # between options where enough slots qualify, and at least
LEAST = 2  # members whom an option of the first round satisfies (section 3.2)
ATTENTION = 4  # slots that the satisficing coordinator looks at, besides those that somebody named


@dataclass(frozen=True, slots=True)
class Look:
    """A slot under what was said: whom it satisfies, the sum of scores, and how close those satisfied are at work."""

    start: datetime
    satisfied: tuple[str, ...]
    total: int
    ties: int
    chance: float

    @property
    def rank(self) -> tuple[int, int, int, float]:
        """Equation (4), then the database, then chance."""
        return len(self.satisfied), self.total, self.ties, self.chance


class RuleBasedCoordinator:
    """Proposes the best slots by equation (4) that keep the rules of section 3.2.

    Round 1: K options that each satisfy at least two members (one, if nobody else is invited), or, where no slot does,
    the best there are, a breach that the record tells. Later: the candidate, and others that satisfy at least as many
    members as it did. A required attendee is satisfied by at least one option if any slot looked at does that, even
    where the option then satisfies fewer than the others have to. Options are an hour apart where enough slots qualify.
    Among slots equal by equation (4), those whose satisfied members are teammates or collaborators, or a member and the
    manager, come first; then chance decides. Fewer than K options come back when no more qualify.

    `attention` is how many slots it looks at, drawn at random in each round, besides those that somebody named exactly:
    the search of a satisficer (Simon 1955). None looks at all of them, and is an exact optimiser.
    """

    kind = "rule-based"

    def __init__(
        self,
        rng: np.random.Generator,
        zones: Mapping[str, str],
        attention: int | None = None,
    ) -> None:
        self.rng, self.attention, self.zones = rng, attention, zones

    async def propose(self, brief: Brief) -> Sequence[Suggestion]:
        """At most K options; from round 2 on the candidate is the first of them."""
        view = on_the_clock(brief.meeting, self.zones)
        wishes = understood(brief.meeting, brief.intents, brief.previous, self.zones)
        looks = [
            _look(brief, start, chance, wishes, view)
            for start, chance in self._attended(brief, wishes, view)
        ]
        return [_suggestion(brief, chosen, view) for chosen in _chosen(brief, looks)]

    def _attended(
        self, brief: Brief, wishes: Mapping[str, Sequence[Preference]], view: View
    ) -> Iterable[tuple[datetime, float]]:
        """The slots it looks at, in order, each with a number that settles ties."""
        slots = brief.meeting.slots()
        chances = self.rng.random(len(slots))
        if self.attention is None or self.attention >= len(slots):
            return zip(slots, chances, strict=True)
        drawn = set(self.rng.choice(len(slots), self.attention, replace=False).tolist())
        candidate = brief.candidate and brief.meeting.slot(brief.candidate.start)
        named = [
            (m, p) for m, said in wishes.items() for p in said if isinstance(p, At)
        ]
        return [
            (slot, chance)
            for i, (slot, chance) in enumerate(zip(slots, chances, strict=True))
            if i in drawn
            or slot == candidate
            or any(p.fulfilled(view(m, slot)) for m, p in named)
        ]


class RandomCoordinator:
    """A floor: slots drawn at random, whatever anybody said; from round 2 on after the candidate.

    Whom they satisfy is not looked at, so that it says nothing of members and reasons.
    """

    kind = "random"

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    async def propose(self, brief: Brief) -> Sequence[Suggestion]:
        """K options, or as many as there are slots."""
        starts = [iso(slot) for slot in brief.meeting.slots()]
        kept = (
            [iso(brief.meeting.slot(brief.candidate.start))] if brief.candidate else []
        )
        others = [
            start
            for start in self.rng.permutation(starts).tolist()
            if start not in kept
        ]
        return [Suggestion(start) for start in (kept + others)[: brief.k]]


def _look(
    brief: Brief,
    start: datetime,
    chance: float,
    wishes: Mapping[str, Sequence[Preference]],
    view: View,
) -> Look:
    scores = {
        member: worth(said, view(member, start)) for member, said in wishes.items()
    }
    satisfied = tuple(member for member, value in scores.items() if value)
    return Look(
        start,
        satisfied,
        sum(scores.values()),
        _ties(satisfied, brief.database),
        float(chance),
    )


def _ties(satisfied: Sequence[str], database: Database | None) -> int:
    """Pairs who work together; one with the manager counts twice."""
    related = (
        [database.related(a, b) for a, b in combinations(satisfied, 2)]
        if database
        else []
    )
    return sum(1 + (MANAGER in found) for found in related if found)


def _chosen(brief: Brief, looks: Sequence[Look]) -> list[Look]:
    """The options: the candidate, whatever required attendees need, then the best that qualify."""
    least = (
        min(LEAST, len(brief.meeting.members))
        if brief.candidate is None
        else brief.satisfied
    )
    candidate = brief.candidate and brief.meeting.slot(brief.candidate.start)
    chosen = [look for look in looks if look.start == candidate]
    forced = list(chosen)
    qualified = [look for look in looks if len(look.satisfied) >= least] or (
        [] if forced else looks
    )
    while len(chosen) < brief.k:  # required attendees for whom no option works yet
        missing = {*brief.meeting.required} - {
            member for look in chosen for member in look.satisfied
        }
        fitting = [look for look in looks if missing & {*look.satisfied}]
        if not fitting:
            break
        chosen.append(
            max(
                fitting,
                key=lambda x, need=missing: (  # type: ignore[misc]
                    len(need & {*x.satisfied}),
                    len(x.satisfied) >= least,
                    x.rank,
                ),
            )
        )
    for spacing in (APART, timedelta(0)):
        for look in sorted(qualified, key=lambda look: look.rank, reverse=True):
            if len(chosen) < brief.k and all(
                abs(look.start - x.start) >= max(spacing, NEW) for x in chosen
            ):
                chosen.append(look)
    return forced + sorted(
        (x for x in chosen if x not in forced), key=lambda look: look.rank, reverse=True
    )


def _suggestion(brief: Brief, look: Look, view: View) -> Suggestion:
    """The option with whom it satisfies and why, in the members' restated words."""
    reasons = []
    for member in look.satisfied:
        at, texts = view(member, look.start), brief.intents[member].preferences
        held = [
            text
            for text in texts
            if any(wish.fulfilled(at) for wish in known(text, brief.meeting.year))
        ]
        reasons.append(f"{member}: {'; '.join(held) or 'agreed to this option'}")
    return Suggestion(iso(look.start), look.satisfied, tuple(reasons))
