"""What all participants of a group decision share: gains, totals of plans, how much an option satisfies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from support.environments.fair_decisions.views import (
    COMPARISON,
    COMPLETE,
    COUNTS,
    FEEDBACK,
    PREFERENCES,
    RANKINGS,
    Table,
)
from support.errors import InvalidInput
from support.records import Plan

ASKED = tuple(kind for kind in FEEDBACK if kind != COMPLETE)
"""What a participant can be asked for; under complete information that is the score."""


def own_gains(name: str, table: Table, gains: object) -> np.ndarray:
    """A participant's gains, int of shape (decisions, options), a copy that cannot be written to.

    Raises
    ------
    InvalidInput
        When they do not fit the table, or the table has no such participant or kind of preference.
    """
    if name not in table.participants:
        raise InvalidInput(f"name: {name!r} given; expected one of {', '.join(table.participants)}")
    if table.preferences not in PREFERENCES:
        raise InvalidInput(f"preferences: {table.preferences!r} given; expected one of {', '.join(PREFERENCES)}")
    own, shape = np.array(gains), table.shape[1:]
    if own.shape != shape or not np.issubdtype(own.dtype, np.integer) or (own < 0).any():
        raise InvalidInput(
            f"gains of {name}: {own.dtype} values of shape {own.shape} given; expected whole numbers of 0 or more, one "
            f"for each of {shape[0]} decisions and {shape[1]} options"
        )
    own.setflags(write=False)
    return own


def totals(gains: np.ndarray, plans: Sequence[Plan]) -> list[int]:
    """The participant's total V_i for each plan.

    >>> totals(np.array([[80, 10, 10], [50, 30, 20]]), [(0, 1), (2, 2)])
    [110, 30]
    """
    decisions = np.arange(len(gains))
    return [int(gains[decisions, list(plan)].sum()) for plan in plans]


def preferred(own_totals: Sequence[int]) -> int | None:
    """The position of the plan with the larger total, None on a tie.

    >>> preferred([110, 30]), preferred([5, 5])
    (0, None)
    """
    first, second = own_totals
    return None if first == second else int(second > first)


def check_asked(plans: Sequence[Plan], feedback: str, table: Table) -> None:
    """Refuse a question that no participant can answer.

    Raises
    ------
    InvalidInput
        On another kind of feedback, or plans that are too many, too few, or do not fit the table.
    """
    if feedback not in ASKED:
        raise InvalidInput(f"feedback: {feedback!r} given; expected one of {', '.join(ASKED)}")
    wanted = 2 if feedback == COMPARISON else 1
    if len(plans) != wanted:
        raise InvalidInput(f"plans: {len(plans)} given; expected {wanted} for feedback {feedback!r}")
    _, n, m = table.shape
    for plan in plans:
        if len(plan) != n or not all(0 <= option < m for option in plan):
            raise InvalidInput(f"plan: {tuple(plan)!r} given; expected for each of {n} decisions an option below {m}")


def satisfaction(gains: np.ndarray, preferences: str) -> np.ndarray:
    """How satisfied each option leaves the participant: float from 0 to 1, of the shape of `gains`.

    Within a decision a larger gain never satisfies less.

    - scores: the option's share of the decision's points, bent so that an equal share, 1/m, is 0.5;
    - rankings: the share of the other options that it beats, a tie counting for one half;
    - counts: where the gain lies between the decision's smallest, 0, and its largest, 1.

    What tells no options apart (a single option, equal counts) is 0.5.

    >>> satisfaction(np.array([[80, 10, 10], [50, 30, 20]]), "scores").round(2).tolist()
    [[0.87, 0.23, 0.23], [0.65, 0.47, 0.36]]
    >>> satisfaction(np.array([[3, 1, 2]]), "rankings").tolist()
    [[1.0, 0.0, 0.5]]
    """
    m = gains.shape[1]
    if m == 1:
        return np.full(gains.shape, 0.5)
    if preferences == RANKINGS:
        this, other = gains[:, :, None], gains[:, None, :]
        return ((other < this).sum(axis=2) + ((other == this).sum(axis=2) - 1) / 2) / (m - 1)
    if preferences == COUNTS:
        return _shares(gains - gains.min(axis=1, keepdims=True), np.ptp(gains, axis=1), 0.5)
    return _shares(gains, gains.sum(axis=1), 1 / m) ** (np.log(2) / np.log(m))


def _shares(parts: np.ndarray, whole: np.ndarray, otherwise: float) -> np.ndarray:
    """Parts over the whole of their row; `otherwise` where that is 0."""
    given = whole[:, None].astype(float)
    return np.divide(parts, given, out=np.full(parts.shape, otherwise), where=given > 0)
