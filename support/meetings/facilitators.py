"""Rule-based interviewer, evaluator and coordinators.

They know what was noted, and nothing that was not told. The interviewer asks on until
the member is done; the evaluator scores with equation (5) on the notes; a coordinator
looks at all slots, or at a few, or draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from support.meetings.coordination import LEAST, Brief, Chat, Suggestion
from support.meetings.preferences import Choice
from support.meetings.records import ASSISTANT, Option, Scores, Turn
from support.meetings.scenario import Scenario
from support.meetings.wording import bounds, offered, say

ATTENTION = 2
"""Slots looked at for each option wanted, anew each round, beside those named."""


@dataclass(frozen=True)
class RuleBasedInterviewer:
    """Asks a member what suits, and later whether an option does, on the member's clock."""

    own: Scenario
    kind: str = "rule-based"

    async def remark(self, chat: Chat) -> Turn:
        """The next question; the first of a later round tells the options."""
        if chat.turns:
            return Turn(ASSISTANT, say("assistant", "more"))
        if not chat.options:
            return Turn(ASSISTANT, self._opening(chat.member))
        lines = [offered(self.own, option, chat.member) for option in chat.options]
        reasons: list[Any] = []
        for option in chat.options:
            reasons += [w for said in option.reasons.values() for w in said]
        text = say("assistant", "offers", options="; ".join(lines))
        return Turn(ASSISTANT, text, tuple(dict.fromkeys(reasons)))

    def _opening(self, member: str) -> str:
        meeting = self.own.meeting
        said = {"organiser": meeting.organiser, "invitation": meeting.invitation}
        return say("assistant", "asks", **said, bounds=bounds(self.own, member))


@dataclass(frozen=True)
class RuleBasedEvaluator:
    """Equation (5) on what was noted; `lowest` 1 is where the paper's prompt begins."""

    lowest: int = 0
    kind: str = "rule-based"

    async def score(self, brief: Brief, options: Sequence[Option]) -> Scores:
        """pi of each option for each member; None where nothing is known."""
        found = brief.scores([option.slot for option in options])
        made: dict[str, dict[str, int | None]] = {}
        for option in options:
            row = found[option.slot]
            made[option.id] = {
                member: None if value is None else max(value, self.lowest)
                for member, value in row.items()
            }
        return made


@dataclass(frozen=True)
class Look:
    """A slot by the notes: scores by member, and how close those satisfied are at work."""

    slot: str
    scores: Mapping[str, int | None]
    ties: float
    luck: float

    @property
    def satisfied(self) -> tuple[str, ...]:
        """Members of whom something is known and whom the slot satisfies."""
        return tuple(member for member, value in self.scores.items() if value)

    @property
    def rank(self) -> tuple[float, float, float]:
        """Equation (4), working together counting as one member at most; then luck."""
        total = float(sum(value or 0 for value in self.scores.values()))
        return len(self.satisfied) + self.ties, total, self.luck


class RandomCoordinator:
    """The candidate and others drawn at random."""

    kind = "random"

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    async def propose(self, brief: Brief) -> list[Suggestion]:
        """K slots without reasons."""
        kept = brief.kept
        others = self._rng.permutation(len(brief.scenario.slots)).tolist()
        drawn = [brief.scenario.slots[i] for i in others]
        slots = [*kept, *(slot for slot in drawn if slot not in kept)]
        return [Suggestion(slot) for slot in slots[: brief.k]]


class RuleBasedCoordinator:
    """Proposes K options in round 1, later the candidate and K - 1 others.

    "exhaustive" looks at all slots and takes the best by equation (4). "satisficing"
    (Simon 1955) looks at those that members named and at `attention` others for each
    option wanted, and takes the first that are good enough: two members satisfied in
    round 1, later as many as the candidate satisfies. Where too few are, the best seen
    fill up, short of the protocol's aspiration: the loop records that as a breach.
    """

    def __init__(
        self, rng: np.random.Generator, kind: str, attention: int = ATTENTION
    ) -> None:
        self.kind, self._rng, self._attention = kind, rng, attention

    async def propose(self, brief: Brief) -> list[Suggestion]:
        """K options, or as many as there are slots."""
        looks = self._look(brief, [*brief.kept, *self._attended(brief)])
        chosen = self._required(brief, looks)
        ranked = self._ranked(brief, [look for look in looks if look not in chosen])
        far = brief.scenario.far
        for apart in (True, False):
            for look in ranked:
                alone = all(far(look.slot, other.slot) for other in chosen)
                fits = look not in chosen and (alone or not apart)
                if len(chosen) < brief.k and fits:
                    chosen.append(look)
        return [self._suggestion(brief, look) for look in chosen]

    def _attended(self, brief: Brief) -> list[str]:
        """Slots in the order in which they are looked at: those named, then others."""
        slots, kept = brief.scenario.slots, brief.kept
        named: dict[str, None] = {}
        for wishes in brief.told.values():
            choices = [wish.slot for wish in wishes if isinstance(wish, Choice)]
            named |= dict.fromkeys(choices)
        drawn = [slots[i] for i in self._rng.permutation(len(slots)).tolist()]
        others = [slot for slot in drawn if slot not in named and slot not in kept]
        exhaustive = self.kind == "exhaustive"
        most = len(others) if exhaustive else self._attention * brief.k
        return [slot for slot in named if slot not in kept] + others[:most]

    def _look(self, brief: Brief, slots: Sequence[str]) -> list[Look]:
        found, pairs = brief.scores(slots), brief.scenario.database.pairs
        looks = []
        for slot, luck in zip(slots, self._rng.random(len(slots)), strict=True):
            pleased = [member for member, value in found[slot].items() if value]
            both = list(combinations(pleased, 2)) if "ties" in brief.database else []
            close = sum(frozenset(pair) in pairs for pair in both)
            looks.append(Look(slot, found[slot], close / max(len(both), 1), luck))
        return looks

    def _required(self, brief: Brief, looks: Sequence[Look]) -> list[Look]:
        """The candidate, and for each required member an option, while there is room."""
        chosen = [look for look in looks if look.slot in brief.kept]
        while len(chosen) < brief.k:
            suited = {member for look in chosen for member in look.satisfied}
            missing = {*brief.required} - suited
            fitting = [
                look
                for look in looks
                if look not in chosen and missing & {*look.satisfied}
            ]
            if not fitting:
                break
            if self.kind == "exhaustive":
                fitting.sort(key=lambda look: look.rank, reverse=True)
            most = max(fitting, key=lambda look: len(missing & {*look.satisfied}))
            chosen.append(most)
        return chosen

    def _ranked(self, brief: Brief, looks: Sequence[Look]) -> list[Look]:
        ranked = sorted(looks, key=lambda look: look.rank, reverse=True)
        if self.kind == "exhaustive":
            return ranked
        least = brief.satisfied if brief.kept else LEAST
        enough = [look for look in looks if len(look.satisfied) >= least]
        enough.sort(key=lambda look: -look.ties)
        return enough + [look for look in ranked if look not in enough]

    def _suggestion(self, brief: Brief, look: Look) -> Suggestion:
        reasons: dict[str, tuple[Any, ...]] = {}
        for member in look.satisfied:
            told = brief.told[member]
            met = brief.scenario.met(member, look.slot, told)
            held = [wish for wish, fits in zip(told, met, strict=True) if fits]
            reasons[member] = tuple(wish for wish in held if not wish.condition)
        return Suggestion(look.slot, look.satisfied, reasons)
