"""Coordinators that compute: searchers (MCTS, local, random), the exact solver, and what
is common to all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter

import numpy as np

from support.errors import InvalidInput
from support.fair_decisions.measures import value
from support.fair_decisions.problem import Brief, Heard, Move, neighbours
from support.fair_decisions.records import Plan
from support.solvers.fair import meet, solve, totals
from support.solvers.search import (
    PRINTED,
    LocalSearch,
    RandomSearch,
    Search,
    Tree,
    follow,
)

TRIES = 30  # asks of a searcher that comes up with known plans, before one is drawn
STEPS = 100  # of expected gains, for solvers of whole numbers
NEAR = 300  # options of all decisions, up to which two are changed at a time


def worths(
    history: Sequence[Heard],
    objective: str,
    best: Sequence[int],
) -> list[tuple[Plan, float | None]]:
    """Every known plan, and how good it is by the totals as the group knows them; None
    where it knows none. `best` is that of the table."""
    found: list[tuple[Plan, float | None]] = []
    for heard in history:
        known = [None] * len(heard.plans)
        if heard.totals:
            told = np.array(heard.totals)
            known = value(objective, told, np.array(best)).tolist()
        found += zip(heard.plans, known, strict=True)
    return found


def best_known(
    history: Sequence[Heard],
    objective: str,
    best: Sequence[int],
) -> Plan | None:
    """The best known plan, the earlier of equals; without totals the last, if any."""
    plans = worths(history, objective, best)
    known = [pair for pair in plans if pair[1] is not None] or plans[-1:]
    return max(known, key=itemgetter(1))[0] if known else None


def checked_move(brief: Brief, move: Move) -> Move:
    """The move, if it is allowed: a known plan to stop with, an unknown one (under
    comparison the second) to go on."""
    plans = tuple(map(brief.table.check, move.plans))
    wanted = 1 if move.finish else brief.plans
    if len(plans) != wanted:
        raise InvalidInput(f"plans: {len(plans)} given; expected {wanted}")
    last = brief.table.words(plans[-1])
    new = not (move.finish or brief.exhausted)
    if move.finish and plans[0] not in brief.known:
        said = f"{last} is not known yet; to stop, choose one of the known plans"
    elif brief.over and not move.finish:
        said = "no round is left; stop with one of the known plans"
    elif new and len(set(plans)) < len(plans) <= brief.table.plans:
        said = f"{last} given twice; expected two different plans to compare"
    elif new and plans[-1] in brief.known:
        said = (
            f"{last} is known already; expected a new one, or a stop with a known one"
        )
    else:
        return replace(move, plans=plans)
    raise InvalidInput(f"plan: {said}")


class Planner:
    """Proposes plans that `fresh` finds; under comparison against the best known one.

    In round 1 both are new. Where no plan is new it stops with the best, or compares
    the only one with itself.
    """

    kind: str

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def fresh(self, brief: Brief, known: set[Plan]) -> Plan | None:
        """A plan drawn uniformly from those that are not known; None where all are."""
        _, n, m = brief.table.shape
        while len(known) < brief.table.plans:
            plan = tuple(self.rng.integers(m, size=n).tolist())
            if plan not in known:
                return plan
        return None

    async def propose(self, brief: Brief) -> Move:
        """The next plan, or the best known one and the next."""
        best = best_known(brief.history, brief.objective, brief.table.best)
        if best is not None and brief.over:
            return Move((best,), "no round is left", True)
        plans = [best] if best is not None and brief.plans > 1 else []
        while len(plans) < brief.plans:
            found = self.fresh(brief, {*brief.known, *plans})
            if found is None:
                only = (best,) if best is not None else (plans[0],) * brief.plans
                return Move(only, "there is no other plan", best is not None)
            plans.append(found)
        return Move(tuple(plans), f"the next plan of the {self.kind} search")


SEARCHES: dict[str, Callable[..., Search]] = {
    "mcts": Tree,
    "mcts printed": partial(Tree, settings=PRINTED),
    "random": RandomSearch,
    "local": LocalSearch,
}
"""Monte Carlo tree search with settings that work at few evaluations, or as appendix B
of 003 reads word by word; two floors, plans drawn at random and local search."""


class SearchPlanner(Planner):
    """Proposes what a searcher asks for, and lets it learn what the participants
    answered: MCTS, random, local.

    Section 5.2 and appendix B of 003. It sees nothing but the totals of proposed plans,
    as the group knows or estimates them in their round, under complete information too:
    so many rounds, so many plans evaluated, in every kind.

    A searcher that comes back to a known plan (MCTS as it is printed) is told once more
    what it is worth, and asked for another. A solver's new suggestion goes first; a
    plan of which nothing is known is left out of the search.
    """

    def __init__(
        self,
        kind: str,
        shape: tuple[int, int, int],
        rng: np.random.Generator,
    ) -> None:
        searching, drawing = rng.spawn(2)
        super().__init__(drawing)
        self.kind = kind
        self.searcher = SEARCHES[kind](*shape[1:], searching)
        self._worth = dict[Plan, float]()
        self._rounds = 0

    async def propose(self, brief: Brief) -> Move:
        """What the search asks for, once it has learnt what was answered."""
        new = brief.history[self._rounds :]
        for plan, worth in worths(new, brief.objective, brief.table.best):
            if worth is None:
                self.searcher.close(plan)
            else:
                self._worth[plan] = worth
                self.searcher.learn(plan, worth)
        self._rounds = len(brief.history)
        return await super().propose(brief)

    def fresh(self, brief: Brief, known: set[Plan]) -> Plan | None:
        """What the solver suggests, what the searcher asks for, or what is drawn."""
        if brief.suggestion is not None and brief.suggestion not in known:
            return brief.suggestion
        for _ in range(TRIES):
            plan = self.searcher.descend()
            if plan not in known:
                return plan
            if plan in self._worth:
                self.searcher.learn(plan, self._worth[plan])
        return super().fresh(brief, known)


class ExactPlanner(Planner):
    """Proposes the best plan by a solver; where that is known, the best unknown one with
    one or two other options.

    While nothing is known of gains, and beyond two options, a plan is drawn uniformly.
    Under complete information it proposes the solver's plan, and stops.
    """

    kind = "exact"

    async def propose(self, brief: Brief) -> Move:
        """The solver's plan, or the best known one and the solver's."""
        if brief.gains is not None and brief.known:
            return Move(brief.known[-1:], "the solver's plan is known", True)
        return await super().propose(brief)

    def fresh(self, brief: Brief, known: set[Plan]) -> Plan | None:
        """The solver's plan, one near it, or what is drawn."""
        gains = brief.estimates if brief.gains is None else brief.gains
        if gains is None:
            return super().fresh(brief, known)
        suggested = Suggester(brief.objective)(gains)
        near = nearby(suggested, gains, brief.objective, known)
        return near or super().fresh(brief, known)


SOLVERS = ("exact", "mcts", "mcts printed")
"""Who may advise a coordinator: the exact solver, or a tree search, also as appendix B
of 003 prints it."""
ADVICE = 100  # plans that a tree search tries on expected gains; nobody is asked


@dataclass
class Suggester:
    """Advises a coordinator: the best plan by an objective on given gains, whole or
    expected, that a solver finds.

    On expected gains "exact" stops at meeting in the middle: a proof beyond it would be
    of an estimate, and cost seconds. The tree searches draw from `rng`.
    """

    objective: str
    kind: str = "exact"
    rng: np.random.Generator = field(default_factory=partial(np.random.default_rng, 0))

    def __call__(self, gains: np.ndarray) -> Plan:
        """The plan; gains have the shape (participants, decisions, options)."""
        if self.kind == "exact":
            if gains.dtype.kind == "f" and self.objective == "divergence":
                return meet(whole(gains)).plan
            return solve(whole(gains), self.objective).plan
        best = gains.max(axis=2).sum(axis=1)

        def worth(plan: Plan) -> float:
            return float(value(self.objective, totals(gains, plan), best))

        searcher = SEARCHES[self.kind](*gains.shape[1:], self.rng)
        plan, _ = follow(searcher, worth, ADVICE)
        return plan


def advised(
    solver: Callable[[np.ndarray], Plan],
    gains: np.ndarray,
    latest: Plan,
) -> Plan:
    """A solver's plan of expected gains, out of options of which something is known.

    Others are expected to be worth the same to everybody, so that a solver would fill
    its plan up with them. In their place stand those of the latest plan.
    """
    n, m = gains.shape[1:]
    places = np.arange(n)
    told = np.ptp(gains, axis=0) > 0
    option = np.where(told, np.arange(m), np.array(latest)[:, None])
    found = solver(gains[:, places[:, None], option])
    return tuple(option[places, list(found)].tolist())


def whole(gains: np.ndarray) -> np.ndarray:
    """Gains as whole numbers of 0 or more: whole ones as they are, expected ones in
    hundredths of the largest.

    Where one is below 0, all are raised alike: by no objective does that change which
    plan is the best.
    """
    if gains.dtype.kind != "f":
        return gains
    largest = float(np.abs(gains).max())
    steps = STEPS / largest if largest else 1.0
    rounded = np.rint(gains * steps).astype(int)
    return rounded - min(rounded.min(), 0)


def nearby(
    plan: Plan,
    gains: np.ndarray,
    objective: str,
    known: set[Plan],
) -> Plan | None:
    """The plan itself if it is not known, else the best unknown one with one or two
    other options (one, where there are many decisions); None without any."""
    if plan not in known:
        return plan
    n, m = gains.shape[1:]
    around = {plan}
    for _ in range(2 if n * m <= NEAR else 1):
        for one in list(around):
            around.update(neighbours(one, m))
    new = sorted(around - known)
    if not new:
        return None
    best = gains.max(axis=2).sum(axis=1)
    worth = value(objective, totals(gains, new), best)
    return new[int(worth.argmax())]
