"""What each role may know when it is asked to act, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from support.environments.fair_decisions.problem import FairDecisions
from support.errors import InvalidInput
from support.records.planning import Feedback, Plan

COMPLETE, SCORE, WORDS, COMPARISON = "complete", "score", "words", "comparison"
FEEDBACK = (COMPLETE, SCORE, WORDS, COMPARISON)
"""Complete information (gains are public, feedback is the score), total score, words, comparison of two plans."""

SCORES, RANKINGS, COUNTS = "scores", "rankings", "counts"
POINTS = 100
"""Shared by the options of a decision under "scores"."""
PREFERENCES = (SCORES, RANKINGS, COUNTS)
"""Arbitrary scores (the options of a decision share 100 points), rankings from 1 to m, other whole numbers."""


@dataclass(frozen=True, slots=True)
class Table:
    """What everybody knows: names, the kind of the hidden preferences, and the largest gain that there can be."""

    participants: tuple[str, ...]
    decisions: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    preferences: str
    highest: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Participants, decisions, options."""
        return len(self.participants), len(self.decisions), len(self.options[0])


def table_of(problem: FairDecisions, preferences: str) -> Table:
    """What everybody knows of a problem.

    The largest possible gain is public by the rules: all points under scores, the number of options under rankings. Of
    other whole numbers there is no rule, and the largest gain of the problem is told.

    Raises
    ------
    InvalidInput
        On another kind of preferences.
    """
    if preferences not in PREFERENCES:
        raise InvalidInput(f"preferences: {preferences!r} given; expected one of {', '.join(PREFERENCES)}")
    rule = {SCORES: POINTS, RANKINGS: problem.shape[2]}
    highest = rule.get(preferences, int(problem.gains.max()))
    return Table(problem.participants, problem.decisions, problem.options, preferences, highest)


@dataclass(frozen=True, slots=True)
class Heard:
    """One earlier round: the plans, what each participant answered, and the totals as the group knows them.

    `totals` has one row for each plan, one number for each participant: reported, or estimated; empty when unknown.
    """

    plans: tuple[Plan, ...]
    feedback: tuple[Feedback, ...]
    totals: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Brief:
    """What the coordinator is given before it proposes.

    Attributes
    ----------
    round, rounds : the number of this round from 1, and how many there are at most
    plans : how many plans it is to propose, 1, or 2 under comparison
    objective : a name of `measures.OBJECTIVES`
    history : all earlier rounds
    gains : the true gains under complete information, else None
    estimates : expected gains by the estimator, float of shape (participants, decisions, options), or None
    suggestion : what a solver proposes on those, or None
    """

    table: Table
    feedback: str
    objective: str
    round: int
    rounds: int
    plans: int = 1
    history: tuple[Heard, ...] = ()
    gains: np.ndarray | None = field(default=None, compare=False)
    estimates: np.ndarray | None = field(default=None, compare=False)
    suggestion: Plan | None = None

    @property
    def known(self) -> tuple[Plan, ...]:
        """Every plan that was proposed so far, in order."""
        return tuple(plan for heard in self.history for plan in heard.plans)


@dataclass(frozen=True, slots=True)
class Move:
    """What the coordinator gives back: new plans, or, with `finish`, the one plan that the group is to end with."""

    plans: tuple[Plan, ...]
    reason: str = ""
    finish: bool = False
