"""The problem: n decisions of m options each, what every option is worth to everybody, and who may know what of it.

Section 3 of "Investigating Language Models for Supporting Complex Group Decisions" (003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from support.errors import InvalidInput
from support.fair_decisions.records import Feedback, Plan
from support.solvers.fair import checked

FEEDBACK = COMPLETE, SCORE, WORDS, COMPARISON, COMPARED = (
    "complete", "score", "words", "comparison", "comparison in words"
)  # fmt: skip
"""Public gains and the score, the score alone, words, and of two plans the better one, by one bit or in words."""
PAIRED = (COMPARISON, COMPARED)  # where two plans are judged at a time
PREFERENCES = SCORES, RANKINGS, COUNTS = ("scores", "rankings", "counts")
"""Arbitrary scores (the options of a decision share 100 points), rankings from 1 to m, other whole numbers."""
POINTS = 100  # shared by the options of a decision under "scores"


@dataclass(frozen=True, eq=False)
class FairDecisions:
    """A group decision with hidden gains, int of shape (participants, decisions, options), each 0 or more.

    Names are "Player 1" …, "Meal 1" … and "Option 1" … where none are given.
    """

    gains: np.ndarray
    participants: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    options: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        gains = checked(self.gains)  # a copy
        gains.setflags(write=False)
        p, n, m = gains.shape
        given = self.options or ((),) * n
        if len(given) != n:
            raise InvalidInput(
                f"options: names for {len(given)} decisions given; expected {n}"
            )
        decisions = _names("decisions", self.decisions, n, "Meal")
        options = tuple(
            _names(f"options of {d}", o, m, "Option")
            for d, o in zip(decisions, given, strict=True)
        )
        participants = _names("participants", self.participants, p, "Player")
        self.__dict__.update(
            gains=gains, participants=participants, decisions=decisions, options=options
        )

    @property
    def shape(self) -> tuple[int, int, int]:
        """Participants, decisions, options."""
        p, n, m = self.gains.shape
        return p, n, m

    def check(self, plan: Sequence[int]) -> Plan:
        """The plan as a tuple; InvalidInput when a decision has no option, or one that there is not."""
        _, n, m = self.shape
        if not isinstance(plan, Sequence | np.ndarray) or len(plan) != n:
            raise InvalidInput(
                f"plan: {plan!r} given; expected an option for each of {n} decisions"
            )
        for decision, option in zip(self.decisions, plan, strict=True):
            if (
                not isinstance(option, int | np.integer)
                or isinstance(option, bool)
                or not 0 <= option < m
            ):
                given = f"plan, {decision}: option {option!r} given"
                raise InvalidInput(
                    f"{given}; expected a whole number from 0 to {m - 1}"
                )
        return tuple(int(option) for option in plan)

    def totals(self, plan: Sequence[int]) -> np.ndarray:
        """Each participant's total V_i for a plan, int of shape (participants,)."""
        return self.gains[:, np.arange(self.shape[1]), list(self.check(plan))].sum(
            axis=1
        )

    def totals_of(self, plans: np.ndarray) -> np.ndarray:
        """The totals of many plans at once: int of shape (plans, decisions) in, (plans, participants) out."""
        return self.gains[:, np.arange(self.shape[1]), plans].sum(axis=2).T

    def words(self, plan: Sequence[int]) -> str:
        """The plan in words: "Meal 1: Option 2, Meal 2: Option 1"."""
        parts = zip(self.decisions, self.options, self.check(plan), strict=True)
        return ", ".join(f"{decision}: {options[k]}" for decision, options, k in parts)


def _names(what: str, given: Sequence[str], count: int, word: str) -> tuple[str, ...]:
    names = (
        ()
        if isinstance(given, str)
        else tuple(given) or tuple(f"{word} {i + 1}" for i in range(count))
    )
    if (
        not all(isinstance(name, str) and name for name in names)
        or not len(names) == len(set(names)) == count
    ):
        raise InvalidInput(f"{what}: {given!r} given; expected {count} different names")
    return names


# ---- what each role may know when it is asked to act, and what it gives back ---------------------------------------


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

    @property
    def plans(self) -> int:
        """How many plans there are: options to the power of decisions."""
        return int(self.shape[2] ** self.shape[1])

    @property
    def problem(self) -> FairDecisions:
        """The problem as everybody knows it: its names, without anybody's gains."""
        return FairDecisions(
            np.zeros(self.shape, int), self.participants, self.decisions, self.options
        )


def table_of(problem: FairDecisions, preferences: str) -> Table:
    """What everybody knows of a problem whose gains are of a kind of `PREFERENCES`.

    The largest possible gain is that of the rules: all points under scores, the number of options under rankings. Of
    other whole numbers the largest of the problem is told.
    """
    if preferences not in PREFERENCES:
        raise InvalidInput(
            f"preferences: {preferences!r} given; expected one of {', '.join(PREFERENCES)}"
        )
    rule = {SCORES: POINTS, RANKINGS: problem.shape[2]}
    highest = rule.get(preferences, int(problem.gains.max()))
    return Table(
        problem.participants, problem.decisions, problem.options, preferences, highest
    )


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

    It is asked for `plans` plans, 1, or 2 under comparison, in round `round` of at most `rounds`, and after them
    (`over`) for the known one to end with; `objective` is a name of `measures.OBJECTIVES`. `gains` are the true ones
    under complete information, else None; `estimates` what is expected of them, float of shape (participants,
    decisions, options); `suggestion` what a solver proposes on those.
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
    def over(self) -> bool:
        """Whether no round is left."""
        return self.round > self.rounds

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
