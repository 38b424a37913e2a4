"""Rule-based interviewer, evaluator and coordinators.

They know what was noted, and nothing that was not told. The interviewer asks on until
the member is done; the evaluator scores with equation (5) on the notes; a coordinator
looks at all slots, or at a few, or draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np

from support.meetings.coordination import Brief, Chat
from support.meetings.preferences import Choice, understood
from support.meetings.records import ASSISTANT, Option, Scores, Turn
from support.meetings.scenario import Scenario
from support.meetings.scores import satisfied
from support.meetings.wording import say

ATTENTION = 2
"""Slots looked at for each option wanted, anew each round, beside those named."""


class RuleBasedInterviewer:
    """Asks a member what suits, and later whether an option does, on the member's clock."""

    kind = "rule-based"

    async def remark(self, chat: Chat) -> Turn:
        """The next question; the first of a later round tells the options."""
        if chat.turns:
            return Turn(ASSISTANT, say("assistant", "more"))
        if not chat.options:
            asked = {"meeting": chat.scenario.meeting, "bounds": chat.bounds}
            return Turn(ASSISTANT, say("assistant", "asks", **asked))
        text = say("assistant", "offers", options="; ".join(chat.offers))
        reasons = chain(*(option.reasons.values() for option in chat.options))
        told = dict.fromkeys(chain.from_iterable(reasons))
        return Turn(ASSISTANT, text, tuple(told))


class RuleBasedEvaluator:
    """Equation (5) on what was noted."""

    kind = "rule-based"

    async def score(self, brief: Brief, options: Sequence[Option]) -> Scores:
        """pi of each option for each member; None where nothing is known."""
        slots = [option.slot for option in options]
        found = brief.scenario.scores(slots, brief.notes)
        return {option.id: found[option.slot] for option in options}


@dataclass(frozen=True)
class Look:
    """A slot by the notes: whom it satisfies, the share of them that work together, and
    its rank by equation (4), working together counting as one member at most; then luck.
    """

    slot: str
    satisfied: tuple[str, ...]
    ties: float
    rank: tuple[float, float, float]


@dataclass
class RuleBasedCoordinator:
    """Proposes K options in round 1, later the candidate and K - 1 others.

    "exhaustive" looks at all slots and takes the best by equation (4). "satisficing"
    (Simon 1955) looks at those that members named and at `ATTENTION` others for each
    option wanted, and takes the first that are good enough: two members satisfied in
    round 1, later as many as the candidate satisfies. Where too few are, the best seen
    fill up, short of the protocol's aspiration: the loop records that as a breach.
    "random" takes slots as they come.
    """

    me: str
    rng: np.random.Generator
    own: Scenario
    kind: str

    async def propose(self, brief: Brief) -> list[Option]:
        """K options, or as many as there are slots."""
        looks = self._looks(brief)
        chosen = [look for look in looks if look.slot in brief.kept]
        if self.kind != "random":
            looks = self._ranked(brief, looks)
            for member in brief.scenario.meeting.required:
                fitting = [look for look in looks if member in look.satisfied]
                suited = any(look in chosen for look in fitting)
                if fitting and not suited and len(chosen) < brief.k:
                    chosen.append(fitting[0])
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
        slots = self._attended(brief)
        related = [{*relation[:2]} for relation in brief.scenario.relations]
        found = brief.scenario.scores(slots, brief.notes)
        looks = []
        for slot, luck in zip(slots, self.rng.random(len(slots)), strict=True):
            row = satisfied(found[slot])
            both = list(combinations(row, 2)) if "ties" in brief.database else []
            close = sum({*pair} in related for pair in both)
            ties = close / max(len(both), 1)
            rank = len(row) + ties, sum(row.values()), luck
            looks.append(Look(slot, tuple(row), ties, rank))
        return looks

    def _attended(self, brief: Brief) -> list[str]:
        slots = brief.scenario.slots
        first = list(brief.kept)
        most = len(slots)
        if self.kind == "satisficing":
            most = ATTENTION * brief.k
        if self.kind != "random":
            told = understood(chain(*brief.notes.values()))
            first += [wish.slot for wish in told if isinstance(wish, Choice)]
        drawn = [slots[i] for i in self.rng.permutation(len(slots))]
        others = [slot for slot in drawn if slot not in first]
        return [*dict.fromkeys(first), *others[:most]]

    def _ranked(self, brief: Brief, looks: Sequence[Look]) -> list[Look]:
        ranked = sorted(looks, key=lambda look: look.rank, reverse=True)
        if self.kind == "exhaustive":
            return ranked
        enough = [look for look in looks if len(look.satisfied) >= brief.least]
        enough.sort(key=lambda look: -look.ties)
        return enough + [look for look in ranked if look not in enough]

    def _option(self, brief: Brief, look: Look) -> Option:
        """With the wishes of each member that it fulfils."""
        reasons = {}
        for member in look.satisfied:
            told = understood(brief.notes[member])
            met = brief.scenario.met(member, look.slot, told)
            held = [wish for wish, fits in met if fits and not wish.condition]
            reasons[member] = tuple(held)
        return Option("", look.slot, look.satisfied, reasons)
