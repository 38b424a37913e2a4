"""Participants whose whole behaviour is stated here: they answer truly, as data, and
say the same in plain words.

They report their total, compare plans by their totals, and state how much they like the
option of each decision. What they state depends on no other participant and on no
earlier round.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from support.fair_decisions.problem import (
    COMPARISON,
    PAIRED,
    RANKINGS,
    SCORE,
    Table,
)
from support.fair_decisions.records import Feedback, Plan
from support.prompts import listed

LEVELS = ("dislike", "do not care for", "can live with", "like", "love")
"""How much somebody likes an option: each stands for a fifth of satisfaction, 0 to 1."""
PLACES = ("first", "second")


@dataclass(frozen=True, eq=False)
class Own:
    """What a participant knows and nobody else does: its gains, int of shape (decisions,
    options), and its noise.

    In words, noise is the standard deviation of its perceived satisfaction with an
    option, from 0 to 1. In a comparison it is the scale of the logistic error, in units
    of the difference between best and worst option of a decision, on average over
    decisions. Scores are exact. `stated`: nobody reads its words, so that it has to
    state the same as data.
    """

    table: Table
    gains: np.ndarray
    noise: float = 0.0
    stated: bool = False

    def totals(self, plans: Sequence[Plan]) -> list[int]:
        """The total V_i for each plan."""
        places = np.arange(len(self.gains))
        return [int(self.gains[places, list(plan)].sum()) for plan in plans]

    def judged(
        self, name: str, plans: Sequence[Plan], feedback: str
    ) -> Feedback | None:
        """The true score, or the true comparison; None in words."""
        if feedback == SCORE:
            return Feedback(name, score=self.totals(plans)[0])
        if feedback == COMPARISON:
            return preferring(name, int(np.diff(self.totals(plans))[0]))
        return None

    def disclosed(self, text: str, plans: Sequence[Plan]) -> bool:
        """Whether digits in a text, but for those in names, are its points or total."""
        names = {*self.table.decisions}
        names.update(*self.table.options)
        for name in sorted(names, key=len, reverse=True):
            text = text.replace(name, "")
        hidden = {*map(str, self.totals(plans))}
        for plan in plans:
            hidden.update(map(str, self.gains[np.arange(len(plan)), list(plan)]))
        return not hidden.isdisjoint(re.findall(r"\d+", text))


def preferring(name: str, more: int) -> Feedback:
    """A comparison by how much more the second plan is worth than the first."""
    return Feedback(name, prefers=int(more > 0) if more else None, alike=not more)


class RuleBasedDecider:
    """A participant that answers truly; `rng` draws its errors, where there is noise."""

    kind = "plain"

    def __init__(self, me: str, rng: np.random.Generator, own: Own) -> None:
        self.me, self.rng, self.own = me, rng, own

    async def judge(self, plans: Sequence[Plan], feedback: str) -> Feedback:
        """Answer to a plan by its total or in words, or compare two."""
        if feedback == SCORE:
            return Feedback(self.me, score=self.own.totals(plans)[0])
        answer = Feedback(self.me)
        if feedback in PAIRED:
            answer = self._compared(plans)
        if feedback == COMPARISON:
            return answer
        answer = replace(answer, levels=self._levels(plans))
        return replace(answer, text=in_words(self.own.table, answer))

    def _compared(self, plans: Sequence[Plan]) -> Feedback:
        first, second = self.own.totals(plans)
        more = second - first
        if more and self.own.noise and self.rng.random() < self._chance(more):
            more = -more
        return preferring(self.me, more)

    def _chance(self, more: int) -> float:
        """How likely the worse plan is called the better one: 1 / (1 + exp(gap))."""
        spread = np.ptp(self.own.gains, axis=1).mean()
        gap = abs(more) / (self.own.noise * spread)
        return float((1 - np.tanh(gap / 2)) / 2)  # which cannot overflow

    def _levels(self, plans: Sequence[Plan]) -> tuple[tuple[float | None, ...], ...]:
        """For each plan a level for each decision; of two only where they differ."""
        satisfied = satisfaction(self.own.gains, self.own.table.preferences)
        alike = np.equal(plans[0], plans[-1]) & (len(plans) > 1)
        stated = []
        for plan in plans:
            felt = satisfied[np.arange(len(plan)), list(plan)]
            felt = felt + self.own.noise * self.rng.standard_normal(len(plan))
            fifths = np.clip(felt * len(LEVELS), 0, len(LEVELS) - 1).astype(int)
            levels = zip(fifths.tolist(), alike, strict=True)
            stated.append(tuple(None if same else level_of(i) for i, same in levels))
        return tuple(stated)


def level_of(fifth: int) -> float:
    """The satisfaction in the middle of a fifth, counted from 0."""
    return (2 * fifth + 1) / (2 * len(LEVELS))


def satisfaction(gains: np.ndarray, preferences: str) -> np.ndarray:
    """How satisfied each option leaves the participant: float from 0 to 1, of the shape
    of `gains`.

    Scores: the option's share of the decision's points, bent so that an equal share,
    1/m, is 0.5. Rankings: the share of the other options that it beats. A single option
    is 0.5.
    """
    if (m := gains.shape[1]) == 1:
        return np.full(gains.shape, 0.5)
    if preferences == RANKINGS:
        return (gains - 1) / (m - 1)
    points = gains.sum(axis=1, keepdims=True)
    shares = np.where(points > 0, gains / np.maximum(points, 1), 1 / m)
    return shares ** (np.log(2) / np.log(m))


def in_words(table: Table, answer: Feedback) -> str:
    """What feedback states as data, in plain words."""
    said = []
    if len(answer.levels) > 1 and answer.alike:
        said.append("I like both plans alike.")
    elif answer.prefers is not None:
        said.append(f"I prefer the {PLACES[answer.prefers]} plan.")
    for place, levels in zip(PLACES, answer.levels, strict=False):
        planned = "is planned" if len(answer.levels) == 1 else f"the {place} plan has"
        for i in reversed(range(len(LEVELS))):
            stated = zip(table.decisions, levels, strict=True)
            named = [name for name, level in stated if level == level_of(i)]
            if named:
                said.append(f"I {LEVELS[i]} what {planned} for {listed(named)}.")
    for decision, options, k in zip(
        table.decisions, table.options, answer.rather, strict=False
    ):
        if k is not None:
            said.append(f"For {decision} I would rather have {options[k]}.")
    return " ".join(said)
