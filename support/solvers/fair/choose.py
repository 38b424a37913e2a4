"""`solve`: the best plan by an objective, by the solver that is asked for or by the one that fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from support.errors import InvalidInput
from support.solvers.fair import backends
from support.solvers.fair.brute import brute
from support.solvers.fair.meet import lowest, meet
from support.solvers.fair.problem import (
    DIVERGENCE,
    FAIREST_BEST,
    LEXIMIN,
    OBJECTIVES,
    WELFARE,
    Found,
    Solution,
    check_choice,
    check_time,
    checked,
    valued,
)
from support.solvers.fair.program import Minimise, in_turn, program
from support.solvers.fair.richest import richest

AUTO, MEET, BRUTE = "auto", "meet", "brute"
PROGRAMS: dict[str, Minimise] = {"milp": backends.milp, "cpsat": backends.cp_sat, "cplex": backends.cplex}
SOLVERS = (AUTO, MEET, *PROGRAMS, BRUTE)
"""Picked by the problem; meet in the middle (divergence, up to three participants); HiGHS; CP-SAT; CPLEX; all plans."""
FEW = 2_000_000
"""Totals, participants times plans, up to which looking at all plans is the quickest."""
NOTHING = "every decision has one option: there is nothing to choose"


def solve(problem: object, objective: str = DIVERGENCE, solver: str = AUTO, time_limit: float = 10.0) -> Solution:
    """The best plan, and whether that is proven.

    Parameters
    ----------
    problem : int array of shape (participants, decisions, options), or anything that has one as `gains`
    objective : a name of OBJECTIVES
    solver : a name of SOLVERS
    time_limit : float
        Seconds that HiGHS, CP-SAT and CPLEX may search. The other solvers' work is bounded instead.

    Returns
    -------
    Solution
        With `proven` False when time ran out, when "meet" could look at a part of the plans only, or when numbers are
        too large for a proof in floating point (HiGHS and CPLEX).

    Raises
    ------
    InvalidInput
        When gains, objective, solver or time limit do not fit, when a solver is asked for what it cannot do, and when
        time was too short to find any plan.
    MissingData
        When CPLEX is asked for and not installed.

    Examples
    --------
    >>> solve([[[80, 10, 10], [30, 30, 40]], [[20, 60, 20], [40, 37, 23]]])
    Solution(plan=(2, 2), value=7, bound=7, proven=True, solver='meet', note='')
    """
    gains, seconds = checked(problem), check_time(time_limit)
    check_choice("objective", objective, OBJECTIVES)
    check_choice("solver", solver, SOLVERS)
    name, found = _picked(gains, objective, seconds) if solver == AUTO else _asked(gains, objective, solver, seconds)
    note = NOTHING if gains.shape[2] == 1 else found.note
    return Solution(found.plan, valued(objective, gains, found.plan), found.bound, found.proven, name, note)


def _asked(gains: np.ndarray, objective: str, solver: str, seconds: float) -> tuple[str, Found]:
    if solver == BRUTE:
        return BRUTE, brute(gains, objective)
    if solver == MEET:
        return MEET, meet(_meetable(gains, objective))
    found = in_turn(program(gains, objective, lowest(gains)), PROGRAMS[solver], seconds)
    if found is None:
        raise InvalidInput(
            f"time_limit: {seconds:g} s given, in which {solver!r} found no plan; expected more, or solver 'auto'"
        )
    return solver, found


def _picked(gains: np.ndarray, objective: str, seconds: float) -> tuple[str, Found]:
    """Meet in the middle where it proves its plan, all plans where they are few, else CP-SAT."""
    p, n, m = gains.shape
    if objective == WELFARE:
        return "each decision alone", _separate(gains)
    if objective == DIVERGENCE and p <= 3:
        return _finished(gains, objective, meet(gains), seconds)
    if p * m**n <= FEW:
        return BRUTE, brute(gains, objective)
    if objective == FAIREST_BEST and p <= 3:
        met = meet(gains)
        met = (richest(gains, int(met.bound)) if met.proven else None) or replace(met, proven=False)
        return _finished(gains, objective, met, seconds)
    asked = program(gains, objective, lowest(gains))
    return "cpsat", in_turn(asked, backends.cp_sat, seconds) or _unproven(gains, objective)


def _finished(gains: np.ndarray, objective: str, met: Found, seconds: float) -> tuple[str, Found]:
    return (MEET, met) if met.proven else (f"{MEET} then cpsat", _on_from(gains, objective, met, seconds))


def _on_from(gains: np.ndarray, objective: str, known: Found, seconds: float) -> Found:
    """CP-SAT goes on from a plan and a divergence that none is below; the plan is kept where it finds no better."""
    asked = program(gains, objective, int(known.bound))
    return in_turn(asked, backends.cp_sat, seconds, known.plan) or known


def _unproven(gains: np.ndarray, objective: str) -> Found:
    """The plan of largest welfare, for want of a better, with what bounds the objective without a search."""
    plan, least = _separate(gains).plan, gains.max(axis=2).sum(axis=1).min()
    bound = least if objective == LEXIMIN else lowest(gains)
    return Found(plan, float(bound), False, "time was too short to look for a plan: this is the one of largest welfare")


def _separate(gains: np.ndarray) -> Found:
    """The largest welfare: the best option of each decision."""
    together = gains.sum(axis=0)
    return Found(tuple(together.argmax(axis=1).tolist()), int(together.max(axis=1).sum()), True)


def _meetable(gains: np.ndarray, objective: str) -> np.ndarray:
    if objective != DIVERGENCE or len(gains) > 3:
        raise InvalidInput(
            f"solver: 'meet' given for {objective} and {len(gains)} participants; expected divergence and at most 3. "
            "Take 'auto'"
        )
    return gains


__all__ = ["SOLVERS", "solve"]
