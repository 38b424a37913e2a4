"""The problem: n decisions of m options each, and what every option is worth to every participant.

Section 3 of "Investigating Language Models for Supporting Complex Group Decisions" (003).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from support.errors import InvalidInput
from support.records.planning import Plan

LARGEST = 10**9
"""The largest gain: totals of many decisions stay exact in every solver's arithmetic."""


@dataclass(frozen=True, eq=False)
class FairDecisions:
    """A group decision with hidden gains.

    Parameters
    ----------
    gains : int array of shape (participants, decisions, options)
        What each option is worth to each participant, 0 or more.
    participants, decisions : names, optional
        By default "Player 1" …, "Meal 1" ….
    options : names for each decision, optional
        By default "Option 1" … for every decision.

    Raises
    ------
    InvalidInput
        On gains of another shape, negative or fractional ones, or names that do not fit.
    """

    gains: np.ndarray
    participants: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    options: tuple[tuple[str, ...], ...] = field(default=())

    def __post_init__(self) -> None:
        gains = checked_gains(self.gains)
        gains.setflags(write=False)
        p, n, m = gains.shape
        set_ = object.__setattr__
        set_(self, "gains", gains)
        set_(self, "participants", _names("participants", self.participants, p, "Player"))
        set_(self, "decisions", _names("decisions", self.decisions, n, "Meal"))
        options = self.options or ((),) * n
        if len(options) != n:
            raise InvalidInput(f"options: names for {len(options)} decisions given; expected {n}")
        set_(
            self,
            "options",
            tuple(_names(f"options of {d}", o, m, "Option") for d, o in zip(self.decisions, options, strict=True)),
        )

    @property
    def shape(self) -> tuple[int, int, int]:
        """Participants, decisions, options."""
        p, n, m = self.gains.shape
        return p, n, m

    def check(self, plan: Sequence[int]) -> Plan:
        """The plan as a tuple.

        Raises
        ------
        InvalidInput
            When a decision has no option, or one that there is not.
        """
        _, n, m = self.shape
        if not isinstance(plan, Sequence | np.ndarray):
            raise InvalidInput(f"plan: {plan!r} given; expected a sequence of options, one for each of {n} decisions")
        if len(plan) < n:
            raise InvalidInput(
                f"plan: no option for {self.decisions[len(plan)]}; expected one for each of {n} decisions"
            )
        if len(plan) > n:
            raise InvalidInput(f"plan: {len(plan)} options given for {n} decisions; expected one for each")
        for decision, option in zip(self.decisions, plan, strict=True):
            whole = isinstance(option, int | np.integer) and not isinstance(option, bool)
            if not whole or not 0 <= option < m:
                raise InvalidInput(
                    f"plan, {decision}: option {option!r} given; expected a whole number from 0 to {m - 1}"
                )
        return tuple(int(option) for option in plan)

    def totals(self, plan: Sequence[int]) -> np.ndarray:
        """Each participant's total V_i for a plan, int of shape (participants,)."""
        return self.gains[:, np.arange(self.shape[1]), list(self.check(plan))].sum(axis=1)

    def totals_of(self, plans: np.ndarray) -> np.ndarray:
        """The totals of many plans at once: int of shape (plans, decisions) in, (plans, participants) out."""
        return self.gains[:, np.arange(self.shape[1]), plans].sum(axis=2).T

    def words(self, plan: Sequence[int]) -> str:
        """The plan in words: "Meal 1: Option 2, Meal 2: Option 1"."""
        parts = zip(self.decisions, self.options, self.check(plan), strict=True)
        return ", ".join(f"{decision}: {options[k]}" for decision, options, k in parts)


def checked_gains(gains: object) -> np.ndarray:
    """Gains as an int64 array of three dimensions, a copy of its own.

    Raises
    ------
    InvalidInput
        Naming the participant, the decision and the option of the first value that does not fit.
    """
    given = _array(gains)
    if given.ndim != 3 or 0 in given.shape:
        raise InvalidInput(
            f"gains: shape {given.shape} given; expected (participants, decisions, options), at least one of each"
        )
    if not (np.issubdtype(given.dtype, np.number) and not np.iscomplexobj(given)):
        raise InvalidInput(f"gains: values of type {given.dtype} given; expected whole numbers of 0 or more")
    wrong = ~((given >= 0) & (given <= LARGEST) & (given == np.floor(given)))  # nan fails every comparison
    if wrong.any():
        i, j, k = map(int, np.argwhere(wrong)[0])
        raise InvalidInput(
            f"gains: {given[i, j, k]} given for participant {i + 1}, decision {j + 1}, option {k + 1}; expected a "
            f"whole number from 0 to {LARGEST:,} (multiply fractions up)"
        )
    return given.astype(np.int64)


def _array(gains: object) -> np.ndarray:
    try:
        return np.asarray(gains)
    except ValueError as error:
        raise InvalidInput(
            "gains: rows of different lengths given; expected every participant to value the same number of options "
            "of every decision"
        ) from error


def _names(what: str, given: Iterable[str], count: int, word: str) -> tuple[str, ...]:
    names = () if isinstance(given, str) else tuple(given) or tuple(f"{word} {i + 1}" for i in range(count))
    if not all(isinstance(name, str) and name for name in names) or not len(names) == len(set(names)) == count:
        raise InvalidInput(f"{what}: {given!r} given; expected {count} different names")
    return names
