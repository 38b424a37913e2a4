"""Rule-based members: what each says, turn by turn, and when there is nothing to add.

A member knows the public scenario and what is its own; it says nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.meetings.coordination import Chat
from support.meetings.preferences import Choice
from support.meetings.records import Option, Turn
from support.meetings.scenario import Scenario
from support.meetings.wording import say


@dataclass(frozen=True, slots=True)
class Style:
    """`pace`: things said in a turn. `recall`: the chance that a wish of priority 1 comes
    to mind unasked (1 - (1 - recall)^p for priority p). `least`: the score from which an
    option suits. `prepared`: has looked into the calendar before anybody names a slot.
    `thorough`: says of every option what speaks against it, not of the best alone.
    `repeats`: says so again. `inflates`: says of every wish that it counts above all.
    """

    pace: int = 1
    recall: float = 0.5
    least: int = 2
    prepared: bool = False
    thorough: bool = True
    repeats: bool = False
    inflates: bool = False


STYLES = {
    "plain": Style(),
    "terse": Style(recall=0.3, thorough=False),
    "talkative": Style(
        pace=3,
        recall=0.9,
        prepared=True,
    ),
    "stubborn": Style(
        pace=2,
        recall=0.9,
        least=3,
        repeats=True,
    ),
    "easy": Style(
        recall=0.3,
        least=1,
        repeats=True,
    ),
    "organised": Style(
        pace=2,
        recall=1.0,
        prepared=True,
    ),
    "frank": Style(pace=2, recall=0.9),
    "exaggerating": Style(
        pace=2,
        recall=0.9,
        inflates=True,
    ),
}
MIXED = ("plain", "terse", "talkative", "stubborn", "easy")


@dataclass
class RuleBasedMember:
    """`queue` is what is on the member's mind in this round and was not said yet."""

    me: str
    rng: np.random.Generator
    scenario: Scenario
    kind: str
    said: set[Any] = field(default_factory=set)
    queue: list[Any] = field(default_factory=list)
    agrees: str | None = None

    @property
    def style(self) -> Style:
        """How it talks."""
        return STYLES[self.kind]

    async def answer(self, chat: Chat) -> Turn:
        """The next turn: a few things; done once nothing is left."""
        if len(chat.turns) < 2:
            self._begin(chat)
        pace = self.style.pace
        now = self.queue[:pace]
        self.queue = self.queue[pace:]
        self.said.update(now)
        agrees = self.agrees
        self.agrees = None
        wishes = tuple(now)
        if self.style.inflates:
            above = {"priority": 3}
            wishes = tuple(
                w if w.condition else w.model_copy(update=above) for w in now
            )
        words = [say("member", "agrees", option=agrees)] if agrees else []
        words += [self.scenario.words(self.me, *wishes)] if wishes else []
        text = " ".join(words) or say("member", "silent")
        return Turn(self.me, text, wishes, agrees, done=not self.queue)

    def _begin(self, chat: Chat) -> None:
        """What comes to mind about the invitation, or about the options."""
        self.queue = []
        self.agrees = None
        if chat.options:
            self._judge(chat.options, chat.candidate)
            return
        for wish in sorted(
            self.scenario.own[self.me].wishes, key=lambda w: -w.priority
        ):
            forgotten = (1 - self.style.recall) ** wish.priority
            if self.rng.random() >= forgotten:
                self.queue.append(wish)
        if self.style.prepared:
            # What keeps the member from some slot.
            views = self.scenario.views[self.me].values()
            away = self.scenario.own[self.me].away
            self.queue += [w for w in away if not all(map(w.fulfilled, views))]

    def _judge(self, options: Sequence[Option], candidate: str | None) -> None:
        worth = {o.id: self.scenario.truth[o.slot][self.me] for o in options}
        best = max(options, key=lambda o: (worth[o.id], o.id == candidate))
        suits = worth[best.id] >= self.style.least
        self.agrees = best.id if suits else None
        for option in options:
            bad = worth[option.id] < self.style.least
            told = option is best or self.style.thorough
            self.queue += self._against(option) if bad and told else []
        known = set() if self.style.repeats else self.said
        news = dict.fromkeys(self.queue)
        self.queue = [wish for wish in news if wish not in known]
        if not suits:
            self.queue += self._instead(worth[best.id])

    def _against(self, option: Option) -> list[Any]:
        """What the option breaks: conditions first, then wishes by their priority."""
        wanted = self.scenario.wanted[self.me]
        met = self.scenario.met(self.me, option.slot, wanted)
        broken = [wish for wish, held in met if not held]
        return sorted(broken, key=lambda w: (not w.condition, -w.priority))

    def _instead(self, beaten: int) -> list[Any]:
        """One of the slots that suit best, if it beats all options."""
        worth = {slot: row[self.me] for slot, row in self.scenario.truth.items()}
        most = max(worth.values())
        if most <= beaten:
            return []
        best = [slot for slot, value in worth.items() if value == most]
        return [Choice(slot=best[int(self.rng.integers(len(best)))])]
