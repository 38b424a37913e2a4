"""Participants whose whole behaviour is stated here: they answer truly, as data, and
say the same in plain words.

They report their total, compare plans by their totals, and state how much they like the
option of each decision. What they state depends on no other participant and on no
earlier round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from support.fair_decisions.problem import (
    PAIRED,
    POINTS,
    RANKINGS,
    SCORE,
    SPOKEN,
    Table,
)
from support.fair_decisions.records import Feedback, Plan
from support.prompts import listed
from support.solvers.fair import totals

LEVELS = {
    "dislike": 0.1,
    "do not care for": 0.3,
    "can live with": 0.5,
    "like": 0.7,
    "love": 0.9,
}
"""How much somebody likes an option: the middles of the fifths of satisfaction, 0 to 1."""
PLACES = ("first", "second")


@dataclass(frozen=True, eq=False)
class Own:
    """What a participant knows and nobody else does: its gains, int of shape (decisions,
    options). `stated`: nobody reads its words, so that it states the same as data."""

    table: Table
    gains: np.ndarray
    stated: bool = False

    def answer(
        self,
        name: str,
        plans: Sequence[Plan],
        feedback: str,
    ) -> Feedback:
        """The true answer: a total, a comparison, levels with their words, or the last
        two."""
        worth = totals(self.gains[None], plans)[:, 0].tolist()
        if feedback == SCORE:
            return Feedback(name, score=worth[0])
        answer = Feedback(name)
        if feedback in PAIRED:
            first, second = worth
            prefers = None if first == second else int(second > first)
            answer = replace(answer, prefers=prefers, alike=first == second)
        if feedback in SPOKEN:
            answer = replace(answer, levels=self._levels(plans))
            answer = replace(answer, text=in_words(self.table, answer))
        return answer

    def _levels(self, plans: Sequence[Plan]) -> tuple[tuple[float | None, ...], ...]:
        """For each plan a level for each decision; of two only where they differ."""
        felt = satisfaction(self.gains, self.table.preferences)
        fifths = np.minimum(felt * len(LEVELS), len(LEVELS) - 1)
        levels = list(LEVELS.values())
        stated = []
        for plan in plans:
            row: list[float | None] = []
            for j, options in enumerate(zip(*plans, strict=True)):
                told = len({*options}) == len(plans)
                row.append(levels[int(fifths[j, plan[j]])] if told else None)
            stated.append(tuple(row))
        return tuple(stated)


@dataclass(frozen=True, eq=False)
class RuleBasedDecider:
    """A participant that answers truly, as data and in plain words."""

    me: str
    rng: np.random.Generator
    own: Own
    kind: ClassVar[str] = "plain"

    async def judge(self, plans: Sequence[Plan], feedback: str) -> Feedback:
        """Answer to a plan by its total or in words, or compare two."""
        return self.own.answer(self.me, plans, feedback)


def satisfaction(gains: np.ndarray, preferences: str) -> np.ndarray:
    """How satisfied each option leaves the participant: float from 0 to 1, of the shape
    of `gains`.

    Scores: the option's share of the decision's points, bent so that an equal share,
    1/m, is 0.5. Rankings: the share of the other options that it beats.
    """
    m = max(gains.shape[1], 2)
    if preferences == RANKINGS:
        return (gains - 1) / (m - 1)
    share = gains / POINTS
    return share ** (np.log(2) / np.log(m))


def in_words(table: Table, answer: Feedback) -> str:
    """What feedback states as data, in plain words."""
    said = []
    if answer.alike:
        said.append("I like both plans alike.")
    elif answer.prefers is not None:
        said.append(f"I prefer the {PLACES[answer.prefers]} plan.")
    for place, levels in zip(PLACES, answer.levels, strict=False):
        planned = f"the {place} plan has" if len(answer.levels) > 1 else "is planned"
        stated = list(zip(table.decisions, levels, strict=True))
        for word, level in reversed(LEVELS.items()):
            named = [decision for decision, told in stated if told == level]
            if named:
                said.append(f"I {word} what {planned} for {listed(named)}.")
    for j, k in enumerate(answer.rather):
        if k is not None:
            option = table.options[j][k]
            said.append(f"For {table.decisions[j]} I would rather have {option}.")
    return " ".join(said)
