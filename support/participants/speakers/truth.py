"""What is true of a simulated speaker, drawn once: which dates suit, and what becomes of those that are uncertain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from support.environments.seminar.personas import Persona

FIRM, PERHAPS, NO = "firm", "perhaps", "no"

TURNS = 0.75
"""Share of vague dates that turn out to be free when somebody asks."""
CONDITIONAL = 0.4
"""Share of issues on which coming depends; the others are mere questions."""
YIELDS = 0.6
"""Share of conditions that are given up when they are refused, or never answered."""
LONGEST = 10  # working days between a confirmation and its cancellation, at most; see `cancels_after`


@dataclass
class Truth:
    """One person's calendar and mind; all draws are from `rng`, for the dates in `slots` in their order.

    Attributes
    ----------
    conditional, yields : bool
        Whether coming depends on the issue, and whether that condition would be given up.
    cancels_after : int, optional
        Working days from the first confirmation to its cancellation, beside the `days` of every answer of theirs;
        None for people who keep their word.
    """

    persona: Persona
    slots: Sequence[date]
    rng: np.random.Generator
    conditional: bool = field(init=False)
    yields: bool = field(init=False)
    cancels_after: int | None = field(init=False)
    _moods: dict[date, str] = field(init=False, default_factory=dict, repr=False)
    _turns: dict[date, bool] = field(init=False, default_factory=dict, repr=False)
    _rank: dict[date, float] = field(init=False, default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.conditional = bool(self.persona.issue) & bool(self.rng.random() < CONDITIONAL)
        self.yields = bool(self.rng.random() < YIELDS)
        after, cancels = int(self.rng.integers(1, LONGEST + 1)), self.rng.random() < self.persona.cancels
        self.cancels_after = after if cancels else None
        for slot in self.slots:
            self.mood(slot)

    def mood(self, slot: date) -> str:
        """Whether a date suits, perhaps suits, or does not; of one that is not in `slots` it is drawn now."""
        if slot not in self._moods:
            suits, vague, turns, rank = self.rng.random(4)
            uncertain = PERHAPS if vague < self.persona.vague else FIRM
            self._moods[slot] = uncertain if suits < self.persona.share else NO
            self._turns[slot], self._rank[slot] = bool(turns < TURNS), float(rank)
        return self._moods[slot]

    def suiting(self, offered: Iterable[date]) -> list[date]:
        """The dates that suit or perhaps do, the dearest first."""
        return sorted((d for d in set(offered) if self.mood(d) != NO), key=lambda d: (self._rank[d], d))

    def settle(self, slot: date) -> bool:
        """Look the date up: a vague one is firm or gone from now on. Returns whether it can be had."""
        if self.mood(slot) == PERHAPS:
            self._moods[slot] = FIRM if self._turns[slot] else NO
        return self._moods[slot] == FIRM

    def lose(self, slot: date) -> None:
        """From now on the date does not suit."""
        self.mood(slot)
        self._moods[slot] = NO
