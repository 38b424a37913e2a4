"""A coordinator that solves: on the gains where they are public, else on what is expected of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from support.environments.fair_decisions.measures import value
from support.environments.fair_decisions.views import Brief, Move
from support.participants.planners.known import best_known, new_move, unknown
from support.records.planning import Plan

STEPS = 100
"""Solvers work on whole numbers: expected gains are rounded to so many steps from 0 to the largest of them.

Finer ones would only cost time (a hundred times as much at 30 decisions): estimates err by far more than a step.
"""

MEETING = 3
"""Participants up to whom the special algorithm of the solvers works."""

Draw = Callable[[np.random.Generator], np.ndarray]
"""Draws gains of shape (participants, decisions, options) from what an estimator believes."""


class Suggester:
    """A solver for `mechanisms.planning.plan`: the best plan by an objective on given gains.

    Parameters
    ----------
    objective : a name of `measures.OBJECTIVES`
    solver : str
        Of `support.solvers.fair`. On expected gains of up to three participants, "auto" is "meet", and not CP-SAT
        after it where that proves nothing: a proof would be of an estimate, and cost seconds.
    time_limit : float
        Seconds; where a solver had to stop (CP-SAT, with more than three participants), the plan may differ from run
        to run.
    """

    def __init__(self, objective: str = "divergence", *, solver: str = "auto", time_limit: float = 10.0) -> None:
        self.objective, self.solver, self.time_limit = objective, solver, time_limit
        self.kind = f"exact {solver}"

    def __call__(self, gains: np.ndarray) -> Plan:
        """The plan; `gains`, whole or expected, have the shape (participants, decisions, options)."""
        from support.solvers.fair import solve

        solver = self._on_estimates(gains) if gains.dtype.kind == "f" else self.solver
        return solve(whole(gains), self.objective, solver=solver, time_limit=self.time_limit).plan

    def _on_estimates(self, gains: np.ndarray) -> str:
        meets = self.solver == "auto" and self.objective == "divergence" and len(gains) <= MEETING
        return "meet" if meets else self.solver


def whole(gains: np.ndarray) -> np.ndarray:
    """Gains as whole numbers of 0 or more: whole ones as they are, expected ones in hundredths of the largest.

    Where an expectation is below 0, all are raised alike, which changes neither a divergence nor which plan has the
    largest welfare.

    Examples
    --------
    >>> whole(np.array([[[0.5, -0.25]]])).tolist()
    [[[150, 0]]]
    """
    if np.issubdtype(gains.dtype, np.integer):
        return gains
    largest = float(np.abs(gains).max())
    rounded = np.rint(gains * (STEPS / largest if largest else 1.0)).astype(np.int64)
    return rounded - min(int(rounded.min()), 0)


class ExactPlanner:
    """Proposes the best plan by a solver; where that is known, the best unknown one that differs from it in little.

    Parameters
    ----------
    rng : numpy.random.Generator
    draw : callable, optional
        With it, plans are best not on expected gains but on gains drawn from the estimator's belief (Thompson 1933),
        which tries out what is uncertain.
    solver, time_limit
        See `Suggester`.

    Notes
    -----
    While nothing is known of gains, a plan is drawn uniformly. Under complete information the solver's plan is
    proposed in round 1, and there is nothing to search for after it: the planner stops. "Little" is one decision or
    two; beyond, a plan is drawn.
    """

    def __init__(
        self, rng: np.random.Generator, *, draw: Draw | None = None, solver: str = "auto", time_limit: float = 10.0
    ) -> None:
        self.rng, self.draw, self.solver, self.time_limit = rng, draw, solver, time_limit
        self.kind = "thompson" if draw else "exact"

    async def propose(self, brief: Brief) -> Move:
        """The solver's plan, or the best known one and the solver's."""
        if brief.gains is not None and (best := best_known(brief.history, brief.objective)) is not None:
            return Move((best,), "the solver's plan is known", True)
        return new_move(brief, lambda known: self._fresh(brief, known), f"the best plan of the {self.kind} solver")

    def _fresh(self, brief: Brief, known: set[Plan]) -> Plan | None:
        _, n, m = brief.table.shape
        gains = self._gains(brief)
        if gains is None or len(known) == m**n:
            return unknown(self.rng, n, m, known)
        solve = Suggester(brief.objective, solver=self.solver, time_limit=self.time_limit)
        return nearby(solve(gains), gains, brief.objective, known) or unknown(self.rng, n, m, known)

    def _gains(self, brief: Brief) -> np.ndarray | None:
        if brief.gains is not None or brief.estimates is None or self.draw is None:
            return brief.estimates if brief.gains is None else brief.gains
        return self.draw(self.rng)


def nearby(plan: Plan, gains: np.ndarray, objective: str, known: set[Plan]) -> Plan | None:
    """The plan itself if it is not known, else the best unknown one with one or two other options; None without any.

    Examples
    --------
    >>> nearby((0, 0), np.array([[[1, 0], [4, 2]], [[1, 1], [4, 5]]]), "divergence", {(0, 0)})
    (1, 0)
    """
    if plan not in known:
        return plan
    if not (changes := _changes(plan, gains.shape[2])):
        return None
    totals = gains[:, np.arange(len(plan)), plan].sum(axis=1)
    moved = np.array([gains[:, j, k] - gains[:, j, plan[j]] for j, k in changes])
    first, second = np.triu_indices(len(changes))
    apart = np.array([j for j, _ in changes])
    kept = (apart[first] != apart[second]) | (first == second)
    first, second = first[kept], second[kept]
    twice = np.where((first == second)[:, None], 0, moved[second])
    order = np.argsort(-value(objective, totals + moved[first] + twice), kind="stable")
    tried = (_changed(plan, changes[first[i]], changes[second[i]]) for i in order)
    return next((other for other in tried if other not in known), None)


def _changes(plan: Plan, options: int) -> list[tuple[int, int]]:
    return [(j, k) for j, chosen in enumerate(plan) for k in range(options) if k != chosen]


def _changed(plan: Plan, *changes: tuple[int, int]) -> Plan:
    made = list(plan)
    for j, k in changes:
        made[j] = k
    return tuple(made)
