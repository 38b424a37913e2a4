"""Rule-based participants of a group decision: people whose whole behaviour is stated here.

They report their true total, compare plans by their totals, and tell their satisfaction with the option of each
decision in a vocabulary of their own, without numbers. What they tell depends on no other participant and on no earlier
round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from support.environments.fair_decisions.views import COMPARISON, SCORE, Table
from support.errors import InvalidInput
from support.participants.deciders.own import check_asked, own_gains, preferred, satisfaction, totals
from support.participants.deciders.telling import tell
from support.participants.deciders.vocabulary import vocabularies
from support.participants.seating import check_settings
from support.records import Feedback, Plan

STYLES = {
    "plain": "says what it likes and dislikes, on five levels",
    "terse": "fragments, on four levels",
    "polite": "wraps what it dislikes in courtesy, on five levels",
    "blunt": "short and hard to please, on five levels",
    "vague": "hedges, on three levels, and names no more than three decisions",
    "enthusiastic": "exaggerates and is easy to please, on five levels",
    "understated": "says less than it feels, often by negation, on four levels",
}


@dataclass
class RuleBasedDecider:
    """A participant with gains that nobody else knows.

    Parameters
    ----------
    name : str
        One of the table's participants.
    table : Table
    gains : int array of shape (decisions, options)
    rng : numpy.random.Generator
        Its own stream: draws wordings, and errors where there is noise.
    style : str
        A key of `STYLES`.
    noise : float
        In words: the standard deviation of what it perceives as its satisfaction with an option, which goes from 0 to 1
        (see `own.satisfaction`). In a comparison: the scale of the logistic error, in units of the difference between
        best and worst option of a decision, on average over decisions. Scores are exact.

    Raises
    ------
    InvalidInput
        On an unknown style, a negative noise, or gains that do not fit the table.
    """

    name: str
    table: Table
    gains: np.ndarray
    rng: np.random.Generator
    style: str = "plain"
    noise: float = 0.0
    kind: str = field(init=False)

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise InvalidInput(f"style: {self.style!r} given for {self.name}; expected one of {', '.join(STYLES)}")
        check_settings(self.noise, 0.0)
        self.gains = own_gains(self.name, self.table, self.gains)
        self.kind = f"rule-based {self.style}"
        self._satisfaction = satisfaction(self.gains, self.table.preferences)

    async def judge(self, plans: Sequence[Plan], feedback: str) -> Feedback:
        """Answer to a plan by its total or in words, or say which of two it prefers."""
        check_asked(plans, feedback, self.table)
        if feedback == SCORE:
            return Feedback(self.name, score=totals(self.gains, plans)[0])
        if feedback == COMPARISON:
            prefers = self._compared(totals(self.gains, plans))
            return Feedback(self.name, prefers=prefers, alike=prefers is None)
        return Feedback(self.name, text=self._told(plans[0]))

    def _told(self, plan: Plan) -> str:
        felt = self._satisfaction[np.arange(len(plan)), list(plan)]
        if self.noise:
            felt = felt + self.noise * self.rng.standard_normal(len(felt))
        return tell(self.table.decisions, felt, vocabularies()[self.style], self.rng)

    def _compared(self, own_totals: Sequence[int]) -> int | None:
        """The better plan, None on a tie; with noise the other one, with a chance that falls in the difference."""
        better = preferred(own_totals)
        if better is None or not self.noise:
            return better
        scale = self.noise * np.ptp(self.gains, axis=1).mean()
        difference = abs(own_totals[0] - own_totals[1]) / scale
        chance = (1 - np.tanh(difference / 2)) / 2  # 1 / (1 + exp(difference)), which cannot overflow
        return 1 - better if self.rng.random() < chance else better
