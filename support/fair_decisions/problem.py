"""The problem: n decisions of m options each, what every option is worth to everybody,
and who may know what of it.

Section 3 of "Investigating Language Models for Supporting Complex Group Decisions" (003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from support.errors import InvalidInput
from support.fair_decisions.records import Feedback, Plan
from support.solvers.fair import checked, totals

FEEDBACK = ("complete", "score", "words", "comparison", "comparison in words")
"""Public gains, the total alone, words; of two plans the better one, by a bit or words."""
COMPLETE, SCORE, WORDS, COMPARISON, COMPARED = FEEDBACK
PAIRED = (COMPARISON, COMPARED)  # where two plans are judged at a time
SPOKEN = (WORDS, COMPARED)  # where participants answer in words
PREFERENCES = SCORES, RANKINGS = ("scores", "rankings")
"""Arbitrary scores (options of a decision share 100 points), rankings from 1 to m."""
POINTS = 100  # shared by the options of a decision under "scores"
SHORTFALL = "shortfall"
MOST = 1000  # of participants, decisions, options and rounds


def check_size(what: str, given: Any) -> None:
    """Refuse what is no whole number from 1 to `MOST`."""
    if given not in range(1, MOST + 1):
        expected = f"expected a whole number from 1 to {MOST}"
        raise InvalidInput(f"{what}: {given!r} given; {expected}")


class Named:
    """Participants, and decisions with their options, all by name."""

    participants: tuple[str, ...]
    decisions: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Participants, decisions, options."""
        return len(self.participants), len(self.decisions), len(self.options[0])

    def check(self, plan: Sequence[int]) -> Plan:
        """The plan as a tuple; InvalidInput when a decision has no option of its own."""
        _, n, m = self.shape
        given = np.asarray(plan)
        whole = given.shape == (n,) and given.dtype.kind in "iu"
        if not whole or not np.isin(given, range(m)).all():
            expected = f"expected {n} whole numbers from 0 to {m - 1}"
            raise InvalidInput(f"plan: {plan!r} given; {expected}")
        return tuple(given.tolist())

    def words(self, plan: Sequence[int]) -> str:
        """The plan in words: "Meal 1: Option 2, Meal 2: Option 1"."""
        parts = zip(self.decisions, self.options, self.check(plan), strict=True)
        return ", ".join(f"{decision}: {options[k]}" for decision, options, k in parts)


@dataclass(frozen=True, eq=False)
class FairDecisions(Named):
    """A group decision with hidden gains, int of shape (participants, decisions,
    options), each 0 or more.

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
        people = _names("participants", self.participants, p, "Player")
        decisions = _names("decisions", self.decisions, n, "Meal")
        given = self.options or ((),) * n
        if len(given) != n:
            told = f"names for {len(given)} decisions given; expected {n}"
            raise InvalidInput(f"options: {told}")
        options = tuple(_names("options", names, m, "Option") for names in given)
        self.__dict__.update(
            gains=gains,
            participants=people,
            decisions=decisions,
            options=options,
        )

    @cached_property
    def best(self) -> np.ndarray:
        """The best total that each participant could have, shape (participants,)."""
        return self.gains.max(axis=2).sum(axis=1)

    def totals(self, plans: Any) -> np.ndarray:
        """Each participant's total V_i for a plan, int of shape (participants,); for
        several plans, of shape (plans, participants)."""
        return totals(self.gains, plans)


def neighbours(plan: Plan, options: int) -> list[Plan]:
    """All plans that differ in one decision, and the plan itself."""
    places = np.ndindex(len(plan), options)
    return [(*plan[:j], k, *plan[j + 1 :]) for j, k in places]


def _names(
    what: str,
    given: Sequence[str],
    count: int,
    word: str,
) -> tuple[str, ...]:
    names = tuple(given) or tuple(f"{word} {i + 1}" for i in range(count))
    if not len(names) == len({*names}) == count:
        raise InvalidInput(f"{what}: {given!r} given; expected {count} different names")
    return names


# ---- what each role may know when it is asked to act, and what it gives back ----------


@dataclass(frozen=True)
class Table(Named):
    """What everybody knows: names, and the kind of the hidden preferences.

    `best` are the best totals that the participants could have; they are told where
    the shortfall is looked for, which cannot be known without them, else empty.
    """

    participants: tuple[str, ...]
    decisions: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    preferences: str = SCORES
    best: tuple[int, ...] = ()

    @property
    def highest(self) -> int:
        """What an option can be worth at most: all points, or the number of options."""
        return self.shape[2] if self.preferences == RANKINGS else POINTS

    @property
    def plans(self) -> int:
        """How many plans there are: options to the power of decisions."""
        return int(self.shape[2] ** self.shape[1])


def table_of(problem: FairDecisions, preferences: str, objective: str = "") -> Table:
    """What everybody knows of a problem whose gains are of a kind of `PREFERENCES`."""
    best = tuple(problem.best.tolist()) if objective == SHORTFALL else ()
    names = problem.participants, problem.decisions, problem.options
    return Table(*names, preferences, best)


@dataclass(frozen=True, slots=True)
class Heard:
    """One earlier round: the plans, what each participant answered, and the totals.

    `totals` has one row for each plan, one number for each participant, as the group
    knows them: reported, or estimated; empty when unknown.
    """

    plans: tuple[Plan, ...]
    feedback: tuple[Feedback, ...]
    totals: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Brief:
    """What the coordinator is given before it proposes.

    It is asked for `plans` plans, 1, or 2 under comparison, in round `round` of at most
    `rounds`, and after them (`over`) for the known one to end with; `objective` is a
    name of `measures.OBJECTIVES`. `gains` are the true ones under complete information,
    else None; `estimates` what is expected of them, float of shape (participants,
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
        return sum((heard.plans for heard in self.history), ())

    @property
    def exhausted(self) -> bool:
        """Whether every plan is known."""
        return len(set(self.known)) == self.table.plans


@dataclass(frozen=True, slots=True)
class Move:
    """What the coordinator gives back: new plans, or, with `finish`, the one plan that
    the group is to end with."""

    plans: tuple[Plan, ...]
    reason: str = ""
    finish: bool = False
