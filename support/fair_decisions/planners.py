"""Coordinators that compute: searchers (MCTS, local, random), the exact solver, and what is common to all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import product, zip_longest
from typing import Any

import numpy as np

from support.errors import InvalidInput
from support.fair_decisions.measures import value
from support.fair_decisions.problem import Brief, Heard, Move
from support.fair_decisions.records import Plan
from support.solvers.fair import meet, solve
from support.solvers.search import PRINTED, Search, Tree, follow

LISTED = 4096  # up to so many plans, the unknown ones are listed; above, they are found by drawing
TRIES = 30  # how often a searcher is asked again when it comes up with a known plan, before a plan is drawn
MEETING = 3  # participants up to whom the special algorithm of the solvers works
STEPS = 100  # of expected gains, for solvers of whole numbers; finer ones cost time, and estimates err by far more
Draw = Callable[[np.random.Generator], np.ndarray]
"""Draws gains of shape (participants, decisions, options) from what an estimator believes."""


def best_known(history: Sequence[Heard], objective: str) -> Plan | None:
    """The best plan by the totals as the group knows them, the earlier of equals; without totals the last, if any."""
    known = [
        (plan, row)
        for heard in history
        for plan, row in zip(heard.plans, heard.totals, strict=False)
    ]
    if not known:
        return history[-1].plans[-1] if history else None
    return known[int(value(objective, np.array([row for _, row in known])).argmax())][0]


def unknown(
    rng: np.random.Generator, decisions: int, options: int, known: Collection[Plan]
) -> Plan | None:
    """A plan drawn uniformly from those that are not known; None where all are."""
    if options**decisions <= max(LISTED, 2 * len(known)):
        left = [
            plan
            for plan in product(range(options), repeat=decisions)
            if plan not in known
        ]
        return left[int(rng.integers(len(left)))] if left else None
    while (plan := tuple(rng.integers(options, size=decisions).tolist())) in known:
        pass  # at least half of all plans are unknown
    return plan


def new_move(
    brief: Brief, fresh: Callable[[set[Plan]], Plan | None], reason: str
) -> Move:
    """A move of plans that `fresh` finds, given those that it must not; under comparison against the best known one.

    In round 1 both are new. Where no plan is new it stops with the best, or compares the only one with itself.
    """
    best = best_known(brief.history, brief.objective)
    if best is not None and brief.over:
        return Move((best,), "no round is left", True)
    plans = [best] if best is not None and brief.plans > 1 else []
    while len(plans) < brief.plans:
        if (found := fresh({*brief.known, *plans})) is not None:
            plans.append(found)
        elif best is None:
            return Move((plans[0],) * brief.plans, "there is but one plan")
        else:
            return Move((best,), "every plan is known", True)
    return Move(tuple(plans), reason)


def checked_move(brief: Brief, move: Any) -> Move:
    """The move, if it is allowed: a known plan to stop with, an unknown one (under comparison the second) to go on."""
    if not isinstance(move, Move):
        raise InvalidInput(f"move: {move!r} given; expected a Move with plans")
    problem = brief.table.problem
    plans = tuple(problem.check(plan) for plan in move.plans)
    wanted = 1 if move.finish else brief.plans
    if len(plans) != wanted:
        raise InvalidInput(f"plans: {len(plans)} given; expected {wanted}")
    last = problem.words(plans[-1])
    if move.finish:
        if plans[0] not in brief.known:
            raise InvalidInput(
                f"plan: {last} is not known yet; to stop, choose one of the known plans"
            )
    elif brief.over:
        raise InvalidInput(
            "finish: False given, but no round is left; stop with one of the known plans"
        )
    elif len(set(brief.known)) < brief.table.plans:  # else nothing new is left
        if len(set(plans)) < len(plans) <= brief.table.plans:
            raise InvalidInput(
                f"plans: {last} given twice; expected two different plans to compare"
            )
        if plans[-1] in brief.known:
            raise InvalidInput(
                f"plan: {last} is known already; expected one that is not, or a stop with a known one"
            )
    return Move(plans, move.reason, move.finish)


class SearchPlanner:
    """Proposes what a searcher asks for, and lets it learn what the participants answered: MCTS, random, local.

    Section 5.2 and appendix B of 003. It sees nothing but the totals of proposed plans, as the group knows or estimates
    them in their round, under complete information too: so many rounds, so many plans evaluated, in every kind.

    A searcher that comes back to a known plan (MCTS as it is printed) is told once more what it is worth, and asked for
    another. A solver's new suggestion goes first; a plan of which nothing is known is left out of the search.
    """

    def __init__(self, kind: str, searcher: Search, rng: np.random.Generator) -> None:
        self.kind, self.searcher, self.rng = kind, searcher, rng
        self._worth, self._rounds = dict[Plan, float](), 0

    async def propose(self, brief: Brief) -> Move:
        """The next plan, or the best known one and the next; a stop where every plan is known."""
        for heard in brief.history[self._rounds :]:
            for plan, totals in zip_longest(heard.plans, heard.totals):
                if totals is None:
                    self.searcher.close(plan)
                else:
                    self._worth[plan] = float(value(brief.objective, np.array(totals)))
                    self.searcher.learn(plan, self._worth[plan])
        self._rounds = len(brief.history)
        return new_move(
            brief,
            lambda known: self._fresh(brief, known),
            f"the next plan of the {self.kind} search",
        )

    def _fresh(self, brief: Brief, known: set[Plan]) -> Plan | None:
        if brief.suggestion is not None and brief.suggestion not in known:
            return brief.suggestion
        _, n, m = brief.table.shape
        for _ in range(TRIES if len(known) < m**n else 0):
            plan = self.searcher.descend()
            if plan not in known:
                return plan
            if plan in self._worth:
                self.searcher.learn(plan, self._worth[plan])
        return unknown(self.rng, n, m, known)


class ExactPlanner:
    """Proposes the best plan by a solver; where that is known, the best unknown one with one or two other options.

    With `draw`, plans are best not on expected gains but on gains drawn from the estimator's belief (Thompson 1933).
    While nothing is known of gains, and beyond two options, a plan is drawn uniformly. Under complete information it
    proposes the solver's plan, and stops.
    """

    def __init__(self, rng: np.random.Generator, draw: Draw | None = None) -> None:
        self.rng, self.draw, self.kind = rng, draw, "thompson" if draw else "exact"

    async def propose(self, brief: Brief) -> Move:
        """The solver's plan, or the best known one and the solver's."""
        if (
            brief.gains is not None
            and (best := best_known(brief.history, brief.objective)) is not None
        ):
            return Move((best,), "the solver's plan is known", True)
        return new_move(
            brief,
            lambda known: self._fresh(brief, known),
            f"the best plan of the {self.kind} solver",
        )

    def _fresh(self, brief: Brief, known: set[Plan]) -> Plan | None:
        _, n, m = brief.table.shape
        gains = brief.estimates if brief.gains is None else brief.gains
        if gains is None or len(known) == m**n:
            return unknown(self.rng, n, m, known)
        if brief.gains is None and self.draw is not None:
            gains = self.draw(self.rng)
        found = Suggester(brief.objective)(gains)
        return nearby(found, gains, brief.objective, known) or unknown(
            self.rng, n, m, known
        )


SOLVERS = ("exact", "mcts", "mcts printed")
"""Who may advise a coordinator: the exact solver, or a tree search, also as appendix B of 003 prints it."""
ADVICE = (
    100  # plans that a tree search tries on expected gains, for which nobody is asked
)


class Suggester:
    """Advises a coordinator: the best plan by an objective on given gains, whole or expected, that a solver finds.

    On expected gains of up to three participants "exact" stops at meeting in the middle: a proof beyond it would be of
    an estimate, and cost seconds. The tree searches draw from `rng`.
    """

    def __init__(
        self,
        objective: str,
        solver: str = "exact",
        rng: np.random.Generator | None = None,
    ) -> None:
        self.objective, self.solver, self.rng = objective, solver, rng
        self.kind = "exact auto" if solver == "exact" else solver

    def __call__(self, gains: np.ndarray) -> Plan:
        """The plan; gains have the shape (participants, decisions, options)."""

        def worth(plan: Plan) -> float:
            return float(
                value(
                    self.objective,
                    gains[:, np.arange(len(plan)), list(plan)].sum(axis=1),
                )
            )

        if self.solver == "exact":
            expected = (
                gains.dtype.kind == "f"
                and self.objective == "divergence"
                and len(gains) <= MEETING
            )
            return (
                meet(whole(gains)) if expected else solve(whole(gains), self.objective)
            ).plan
        settings = PRINTED if self.solver == "mcts printed" else None
        _, n, m = gains.shape
        return follow(
            Tree(n, m, self.rng or np.random.default_rng(0), settings), worth, ADVICE
        )[0]


def whole(gains: np.ndarray) -> np.ndarray:
    """Gains as whole numbers of 0 or more: whole ones as they are, expected ones in hundredths of the largest.

    Where one is below 0, all are raised alike: neither divergences nor the plan of the largest welfare change by that.
    """
    if np.issubdtype(gains.dtype, np.integer):
        return gains
    largest = float(np.abs(gains).max())
    rounded = np.rint(gains * (STEPS / largest if largest else 1.0)).astype(np.int64)
    return rounded - min(int(rounded.min()), 0)


def nearby(
    plan: Plan, gains: np.ndarray, objective: str, known: set[Plan]
) -> Plan | None:
    """The plan itself if it is not known, else the best unknown one with one or two other options; None without any."""
    changes = [
        (j, k) for j, now in enumerate(plan) for k in range(gains.shape[2]) if k != now
    ]
    if plan not in known or not changes:
        return None if plan in known else plan
    totals = gains[:, np.arange(len(plan)), plan].sum(axis=1)
    moved = np.array([gains[:, j, k] - gains[:, j, plan[j]] for j, k in changes])
    first, second = np.triu_indices(len(changes))
    apart = np.array([j for j, _ in changes])
    kept = (apart[first] != apart[second]) | (first == second)
    first, second = first[kept], second[kept]
    twice = np.where((first == second)[:, None], 0, moved[second])
    order = np.argsort(-value(objective, totals + moved[first] + twice), kind="stable")
    for i in order:
        other = list(plan)
        for j, k in (changes[first[i]], changes[second[i]]):
            other[j] = k
        if tuple(other) not in known:
            return tuple(other)
    return None
