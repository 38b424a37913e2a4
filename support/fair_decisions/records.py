"""What is proposed and answered when a group looks for a fair plan: plans, feedback,
totals, the plan it ends with.

Symbols are those of "Investigating Language Models for Supporting Complex Group
Decisions" (003), sections 3 and 4 and appendix C.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.fair_decisions.measures import divergence
from support.play import FormatError
from support.solvers.fair import totals

Plan = tuple[int, ...]
"""The option chosen for each decision, counted from 0."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What one participant answers to the plan, or the two plans, of a round.

    `score` is its total for the plan. `text` are its words, `levels` and `rather` the
    same as data, where it states them: for each plan how much it likes the option of
    each decision, from 0 to 1, None where it says nothing; for each decision the option
    that it would rather have, None where it names none. `prefers` is the position of
    the plan that it likes better, 0 or 1; `alike`: it likes both alike; where that is
    False and `prefers` None too, a comparison has no answer.
    """

    participant: str
    score: int | None = None
    text: str = ""
    prefers: int | None = None
    alike: bool = False
    levels: tuple[tuple[float | None, ...], ...] = ()
    rather: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanningRound:
    """One finished round of Algorithm 2.

    `plans` are one, or two under comparison, and `feedback` has one answer of each
    participant, in their order. `heard` are for each plan the participants' totals as
    the group knows or estimates them (empty while it knows none), `totals` the true
    ones: the audit, which nobody in the loop sees. `best` is, after this round, the
    best plan by what the group knows; `suggestion` what a solver suggested before it;
    `finish` says that the coordinator stopped. `replies` were asked of language models,
    and took `tokens`.
    """

    number: int
    plans: tuple[Plan, ...]
    feedback: tuple[Feedback, ...]
    heard: tuple[tuple[float, ...], ...]
    totals: tuple[tuple[int, ...], ...]
    best: Plan | None = None
    suggestion: Plan | None = None
    reason: str = ""
    finish: bool = False
    format_errors: tuple[FormatError, ...] = ()
    replies: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Planning:
    """A whole search; `gains` have the shape (participants, decisions, options).

    `seats` says which kind took each role: the participants by their names,
    "coordinator", "estimator" and "solver". `chosen` is the plan that the group ends
    with; None when no round had a usable plan.
    """

    gains: tuple[tuple[tuple[int, ...], ...], ...]
    participants: tuple[str, ...]
    seats: Mapping[str, str]
    rounds: tuple[PlanningRound, ...]
    chosen: Plan | None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> dict[str, Any]:
        """What a table of searches says of this one: the plan's divergence in truth, the
        plans evaluated, and the replies off form."""
        apart = None
        if self.chosen is not None:
            apart = int(divergence(totals(np.array(self.gains), self.chosen)))
        return {
            "decided": self.chosen is not None,
            "divergence": apart,
            "evaluated": sum(len(entry.plans) for entry in self.rounds),
            "format_errors": sum(len(entry.format_errors) for entry in self.rounds),
        }
