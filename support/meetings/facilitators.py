"""Rule-based interviewer, evaluator and coordinators.

They know what was noted, and nothing that was not told. The interviewer asks on until
the member is done; the evaluator scores with equation (5) on the notes; a coordinator
looks at all slots, or at a few, or draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from support.meetings.coordination import Brief, Chat
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
            meeting = self.own.meeting
            facts = {"organiser": meeting.organiser, "invitation": meeting.invitation}
            asks = say(
                "assistant", "asks", bounds=bounds(self.own, chat.member), **facts
            )
            return Turn(ASSISTANT, asks)
        told: dict[Any, None] = {}
        for option in chat.options:
            for wishes in option.reasons.values():
                told |= dict.fromkeys(wishes)
        lines = [offered(self.own, option, chat.member) for option in chat.options]
        text = say("assistant", "offers", options="; ".join(lines))
        return Turn(ASSISTANT, text, tuple(told))


@dataclass(frozen=True)
class RuleBasedEvaluator:
    """Equation (5) on what was noted; `lowest` 1 is where the paper's prompt begins."""

    lowest: int = 0
    kind: str = "rule-based"

    async def score(self, brief: Brief, options: Sequence[Option]) -> Scores:
        """pi of each option for each member; None where nothing is known."""
        found = brief.scores([option.slot for option in options])
        made = {}
        for option in options:
            row = found[option.slot].items()
            made[option.id] = {
                member: value if value is None else max(value, self.lowest)
                for member, value in row
            }
        return made


@dataclass(frozen=True)
class Look:
    """A slot by the notes: whom it satisfies, the sum of scores, ties at work, luck."""

    slot: str
    satisfied: tuple[str, ...]
    total: int
    ties: float
    luck: float

    @property
    def rank(self) -> tuple[float, float, float]:
        """Equation (4), working together counting as one member at most; then luck."""
        return len(self.satisfied) + self.ties, self.total, self.luck


class RuleBasedCoordinator:
    """Proposes K options in round 1, later the candidate and K - 1 others.

    "exhaustive" looks at all slots and takes the best by equation (4). "satisficing"
    (Simon 1955) looks at those that members named and at `ATTENTION` others for each
    option wanted, and takes the first that are good enough: two members satisfied in
    round 1, later as many as the candidate satisfies. Where too few are, the best seen
    fill up, short of the protocol's aspiration: the loop records that as a breach.
    "random" takes slots as they come.
    """

    def __init__(self, kind: str, rng: np.random.Generator) -> None:
        self.kind, self._rng = kind, rng

    async def propose(self, brief: Brief) -> list[Option]:
        """K options, or as many as there are slots."""
        looks = self._looks(brief)
        chosen = [look for look in looks if look.slot in brief.kept]
        if self.kind != "random":
            chosen += self._required(brief, chosen, looks)
            looks = self._ranked(brief, looks)
        far = brief.scenario.far
        for apart in (True, False):
            for look in looks:
                alone = all(far(look.slot, other.slot) for other in chosen)
                fits = look not in chosen and (alone or not apart)
                if len(chosen) < brief.k and fits:
                    chosen.append(look)
        return [self._option(brief, look) for look in chosen]

    def _looks(self, brief: Brief) -> list[Look]:
        """The candidate, then slots in the order in which they are looked at."""
        slots, pairs = self._attended(brief), brief.scenario.database.pairs
        found, looks = brief.scores(slots), []
        for slot, luck in zip(slots, self._rng.random(len(slots)), strict=True):
            row = found[slot]
            pleased = tuple(member for member, value in row.items() if value)
            both = list(combinations(pleased, 2)) if "ties" in brief.database else []
            close = sum(frozenset(pair) in pairs for pair in both)
            total = sum(row[member] for member in pleased)
            looks.append(
                Look(
                    slot,
                    pleased,
                    total,
                    close / max(len(both), 1),
                    luck,
                )
            )
        return looks

    def _attended(self, brief: Brief) -> list[str]:
        slots = brief.scenario.slots
        wishes = [wish for told in brief.told.values() for wish in told]
        named = [wish.slot for wish in wishes if isinstance(wish, Choice)]
        drawn = [slots[i] for i in self._rng.permutation(len(slots)).tolist()]
        if self.kind == "random":
            return list(dict.fromkeys([*brief.kept, *drawn]))
        first = list(dict.fromkeys([*brief.kept, *named]))
        others = [slot for slot in drawn if slot not in first]
        bounded = self.kind == "satisficing"
        return first + (others[: ATTENTION * brief.k] if bounded else others)

    def _required(
        self, brief: Brief, chosen: Sequence[Look], looks: Sequence[Look]
    ) -> list[Look]:
        """An option for each required member, while there is room."""
        added: list[Look] = []
        ranked = self._ranked(brief, looks)
        for member in brief.scenario.meeting.required:
            taken = [*chosen, *added]
            suited = any(member in look.satisfied for look in taken)
            fitting = [look for look in ranked if member in look.satisfied]
            if fitting and not suited and len(taken) < brief.k:
                added.append(fitting[0])
        return added

    def _ranked(self, brief: Brief, looks: Sequence[Look]) -> list[Look]:
        ranked = sorted(looks, key=lambda look: look.rank, reverse=True)
        if self.kind == "exhaustive":
            return ranked
        enough = [look for look in looks if len(look.satisfied) >= brief.least]
        enough.sort(key=lambda look: -look.ties)
        return enough + [look for look in ranked if look not in enough]

    def _option(self, brief: Brief, look: Look) -> Option:
        reasons: dict[str, tuple[Any, ...]] = {}
        for member in look.satisfied:
            told = brief.told[member]
            met = brief.scenario.met(member, look.slot, told)
            held = [wish for wish, fits in zip(told, met, strict=True) if fits]
            reasons[member] = tuple(wish for wish in held if not wish.condition)
        return Option(
            "",
            look.slot,
            look.satisfied,
            reasons,
        )
