"""What rule-based agents have in common, whatever the matter: they read claims, speak by
template, propose what they plan with a trembling hand, and fill in any form of ballot."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.english import say
from support.roundtable.economy import largest_remainder
from support.roundtable.records import (
    Ballot,
    Choice,
    Message,
    Proposal,
    View,
)

ASIDES = ("confirm", "request", "summarize")


@dataclass
class RuleAgent:
    """Common ground of all kinds.

    `noise` is the standard deviation of what the hand and the eye do to a proposal and a
    ballot (random utility, McFadden 1974). `wordings` names its table of sentences.
    """

    background: Any
    rng: np.random.Generator
    noise: float = 0.05

    kind = "rule-based"
    wordings = ""
    _plan = None

    @property
    def voice(self) -> np.random.Generator:
        """What words are drawn from."""
        return self.rng

    def plan(self, view: View) -> Any:
        """What it would propose now with a steady hand."""
        raise NotImplementedError

    def tremble(self, plan: Any) -> Any:
        """What the agent's hand makes of its plan."""
        return plan

    def worth(self, view: View) -> Any:
        """Of the candidates, as perceived; None for an abstention."""
        raise NotImplementedError

    def marks(self, worth: np.ndarray, view: View) -> np.ndarray:
        """Grades of the candidates; they are held to 1 to 5."""
        return np.floor(5 * worth)

    def one_vote(self, worth: np.ndarray, view: View) -> int | None:
        """The place of the candidate that gets a single vote: the best liked one."""
        return int(worth.argmax())

    async def propose(self, view: View) -> Proposal | None:
        """Propose the plan, or nothing when it has not changed since the last time."""
        plan = self.plan(view)
        if plan == self._plan:
            return None
        self._plan = plan
        return Proposal(view.me, self.tremble(plan))

    async def vote(self, view: View) -> Ballot:
        """A ballot in the form that the rule asks for, or an abstention.

        Candidates are ranked by worth, and have points in proportion to it above the worst.
        """
        worth = self.worth(view)
        if worth is None:
            return Ballot(view.me, None)
        ids = [candidate.id for candidate in view.candidates]
        choice: Choice = tuple(ids[i] for i in np.argsort(-worth, kind="stable"))
        if view.form == "vote":
            place = self.one_vote(worth, view)
            choice = None if place is None else ids[place]
        elif view.form != "ranking":
            marks = self.marks(worth, view).clip(1, 5)
            numbers = points(worth) if view.form == "points" else marks
            choice = tuple(zip(ids, map(int, numbers), strict=True))
        return Ballot(view.me, choice)

    def speak(
        self,
        view: View,
        acts: Sequence[str],
        other: str,
        claim: Iterable[tuple[str, float]],
        **slots: Any,
    ) -> Message:
        """A message, an act a sentence; the acts performed are known.

        A refusal or an acceptance of one agent's offer goes to that agent, all else to everybody.
        """
        slots["other"] = other
        texts = [say(self.wordings, act, self.voice, **slots) for act in acts]
        private = not view.decision and {"accept", "decline"} & {*acts}
        recipients = (other,) if private else view.others
        return Message(
            view.me,
            recipients,
            " ".join(texts),
            tuple(acts),
            tuple(claim),
        )

    def drawn(self, options: Sequence[str]) -> str:
        """One of some words."""
        return options[int(self.voice.integers(len(options)))]


def points(worth: np.ndarray) -> np.ndarray:
    """As many points as candidates, in proportion to the worth above the worst, in whole points."""
    above = worth - worth.min()
    if not above.any():
        above += 1
    return largest_remainder(above * (len(worth) / above.sum()), len(worth))


def claims(view: View) -> defaultdict[str, dict[str, float]]:
    """What each agent claimed in messages, the latest number under each name, by agent.

    Anybody may have made a claim: what is no finite number is left out.
    """
    stated: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for _, messages in view.talk:
        for message in messages:
            for name, number in message.claim:
                if math.isfinite(number):
                    stated[message.sender][name] = number
    return stated


def next_offer(view: View) -> tuple[str, Any] | None:
    """The latest proposal of the next agent who made one, as (whose, value)."""
    me = view.agents.index(view.me)
    latest = dict(view.latest)
    for agent in view.others[me:] + view.others[:me]:
        if agent in latest:
            return agent, latest[agent]
    return None
