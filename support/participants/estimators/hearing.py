"""What was answered so far, participant by participant, in the forms that estimators count with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from support.environments.fair_decisions.views import FEEDBACK, Heard, Table
from support.errors import InvalidInput
from support.participants.estimators.reading import read
from support.participants.estimators.targets import Pair
from support.records.planning import Feedback, Plan


@dataclass
class Answers:
    """All that one participant answered.

    Attributes
    ----------
    scores : (plan, reported total) of each round
    levels : (decision, option) to every level that was read of it
    wholes : (plan, level) where something was said of the plan as a whole
    comparisons : (a plan, the other one, whether the first is liked better; else both are liked alike), as they came
    """

    scores: list[tuple[Plan, float]] = field(default_factory=list)
    levels: defaultdict[Pair, list[float]] = field(default_factory=lambda: defaultdict(list))
    wholes: list[tuple[Plan, float]] = field(default_factory=list)
    comparisons: list[tuple[Plan, Plan, bool]] = field(default_factory=list)


def answers(table: Table, feedback: str, history: Sequence[Heard]) -> list[Answers]:
    """One `Answers` for each participant, in their order.

    A round with two plans counts by what was preferred only: words about two plans at once belong to neither.

    Raises
    ------
    InvalidInput
        On another kind of feedback, or the answer of somebody who is not at the table.
    """
    if feedback not in FEEDBACK:
        raise InvalidInput(f"feedback: {feedback!r} given; expected one of {', '.join(FEEDBACK)}")
    heard = {name: Answers() for name in table.participants}
    for entry in history:
        for answer in entry.feedback:
            if answer.participant not in heard:
                raise InvalidInput(
                    f"history: an answer of {answer.participant!r} given; expected one of {', '.join(heard)}"
                )
            mine = heard[answer.participant]
            if len(entry.plans) > 1:
                _compare(mine, answer, entry.plans)
                continue
            mine.scores += [] if answer.score is None else [(entry.plans[0], float(answer.score))]
            _listen(mine, answer.text, entry.plans[0], table)
    return list(heard.values())


def _compare(mine: Answers, answer: Feedback, plans: Sequence[Plan]) -> None:
    """A preference, or a tie; a missing answer is neither, and adds nothing."""
    if answer.prefers is not None:
        mine.comparisons.append((plans[answer.prefers], plans[1 - answer.prefers], True))
    elif answer.alike:
        mine.comparisons.append((plans[0], plans[1], False))


def _listen(mine: Answers, text: str, plan: Plan, table: Table) -> None:
    reading = read(text, plan, table)
    for pair, level in reading.levels.items():
        mine.levels[pair].append(level)
    mine.wholes += [] if reading.whole is None else [(plan, reading.whole)]


def averaged(mean: np.ndarray, decisions: int, told: Mapping[Pair, Sequence[float]]) -> np.ndarray:
    """The mean of what was told of each (decision, option), and `mean`, of shape (options,), where nothing was."""
    gains = np.tile(mean, (decisions, 1))
    for pair, values in told.items():
        gains[pair] = np.mean(values)
    return gains


def chosen(plan: Plan, options: int) -> np.ndarray:
    """Which gains a plan adds up: 0 or 1, float of shape (decisions · options,)."""
    row = np.zeros((len(plan), options))
    row[np.arange(len(plan)), list(plan)] = 1.0
    return row.ravel()
