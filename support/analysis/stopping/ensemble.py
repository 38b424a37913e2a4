"""Several stopping rules that vote. The paper has rows for an Ensemble and does not define it; this one is ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from support.analysis.stopping.dialogue_act import DialogueAct
from support.analysis.stopping.rules import Fitted, InformationDifference, StoppingRule, ValidationCheckpoint
from support.analysis.stopping.study import Study
from support.errors import InvalidInput


def learnt_rules() -> tuple[StoppingRule, ...]:
    """The three rules that learn from the training discussions."""
    return ValidationCheckpoint(), InformationDifference(), DialogueAct()


@dataclass(frozen=True)
class Ensemble:
    """Stops in the first round by which more than half of its members would have stopped.

    With the three learnt rules that is the median of their stops: one that fires too early or never is
    outvoted. A signal counts from the round in which it was first given. Members that need what a study does not
    hold refuse it, as they do alone.
    """

    members: Sequence[StoppingRule] = field(default_factory=learnt_rules)
    name: str = "Ensemble"

    def __post_init__(self) -> None:
        if not self.members:
            raise InvalidInput("members: none given; an ensemble needs at least one rule")

    def fit(self, train: Study) -> Majority:
        """Fit each member."""
        return Majority(tuple(member.fit(train) for member in self.members), self.name)


@dataclass(frozen=True)
class Majority:
    """The fitted members, of whom more than half have to have given their signal."""

    members: tuple[Fitted, ...]
    name: str = "Ensemble"
    threshold: float = np.nan

    def fires(self, study: Study) -> np.ndarray:
        """From the round on in which the majority is reached."""
        given = [np.maximum.accumulate(np.asarray(member.fires(study)), axis=1) for member in self.members]
        return np.sum(given, axis=0) > len(self.members) / 2
