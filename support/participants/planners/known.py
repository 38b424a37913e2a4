"""What a coordinator knows of plans: the best so far, one that was not tried yet, and whether a move is allowed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import product
from typing import Any

import numpy as np

from support.environments.fair_decisions.measures import value
from support.environments.fair_decisions.problem import FairDecisions
from support.environments.fair_decisions.views import Brief, Heard, Move, Table
from support.errors import InvalidInput
from support.records.planning import Plan

LISTED = 4096
"""Up to so many plans, the unknown ones are listed; above, they are found by drawing."""


def nameless(table: Table) -> FairDecisions:
    """The problem as everybody knows it: its names, without anybody's gains."""
    return FairDecisions(np.zeros(table.shape, int), table.participants, table.decisions, table.options)


def plans_of(table: Table) -> int:
    """How many plans there are: options to the power of decisions."""
    _, n, m = table.shape
    return m**n


def best_known(history: Sequence[Heard], objective: str) -> Plan | None:
    """Of all plans so far the best by the totals as the group knows them.

    The earlier of equals; the last plan where no totals are known; None while there is no plan.
    """
    known = [(plan, row) for heard in history for plan, row in zip(heard.plans, heard.totals, strict=False)]
    if not known:
        return history[-1].plans[-1] if history else None
    return known[int(value(objective, np.array([row for _, row in known])).argmax())][0]


def unknown(rng: np.random.Generator, decisions: int, options: int, known: Collection[Plan]) -> Plan | None:
    """A plan drawn uniformly from those that are not known; None where all are.

    Examples
    --------
    >>> unknown(np.random.default_rng(0), 1, 3, {(0,), (2,)})
    (1,)
    """
    if options**decisions <= max(LISTED, 2 * len(known)):
        left = [plan for plan in product(range(options), repeat=decisions) if plan not in known]
        return left[int(rng.integers(len(left)))] if left else None
    while (plan := tuple(rng.integers(options, size=decisions).tolist())) in known:
        pass  # at least half of all plans are unknown
    return plan


def new_move(brief: Brief, fresh: Callable[[set[Plan]], Plan | None], reason: str) -> Move:
    """A move of plans that `fresh` finds, given those that it must not; the best known plan where it finds none.

    Under comparison the first plan is the best known one, so that participants say whether the new one beats it; in
    round 1 both are new.
    """
    best = best_known(brief.history, brief.objective) if brief.plans > 1 else None
    plans = [] if best is None else [best]
    while len(plans) < brief.plans:
        found = fresh({*brief.known, *plans})
        if found is None:
            return _last_move(brief, plans)
        plans.append(found)
    return Move(tuple(plans), reason)


def _last_move(brief: Brief, plans: Sequence[Plan]) -> Move:
    """When no plan is new: a stop with the best, or the only plan that there is, compared with itself."""
    best = best_known(brief.history, brief.objective)
    if best is None:
        return Move((plans[0],) * brief.plans, "there is but one plan")
    return Move((best,), "every plan is known", True)


def checked_move(brief: Brief, move: Any) -> Move:
    """The move, if it is allowed: known plans to stop with, plans that are not known to go on with.

    Under comparison the first of two plans may be known, and the second may not.

    Raises
    ------
    InvalidInput
        Saying which plan does not fit, and what would.
    """
    if not isinstance(move, Move):
        raise InvalidInput(f"move: {move!r} given; expected a Move with plans")
    problem = nameless(brief.table)
    plans = tuple(problem.check(plan) for plan in move.plans)
    wanted = 1 if move.finish else brief.plans
    if len(plans) != wanted:
        raise InvalidInput(f"plans: {len(plans)} given; expected {wanted}")
    if move.finish and plans[0] not in brief.known:
        raise InvalidInput(f"plan: {problem.words(plans[0])} is not known yet; to stop, choose one of the known plans")
    _check_new(brief, problem, () if move.finish else plans)
    return Move(plans, move.reason, move.finish)


def _check_new(brief: Brief, problem: FairDecisions, plans: Sequence[Plan]) -> None:
    if not plans or len(set(brief.known)) == plans_of(brief.table):
        return  # a stop, or nothing new is left
    if len(set(plans)) < len(plans) <= plans_of(brief.table):
        raise InvalidInput(f"plans: {problem.words(plans[0])} given twice; expected two different plans to compare")
    if plans[-1] in brief.known:
        raise InvalidInput(
            f"plan: {problem.words(plans[-1])} is known already; expected one that is not, or a stop with a known one"
        )
