"""The deals that people reached in CaSiNo beside what their priorities allowed.

Two parties divide three units each of three goods; a plan says how many of each the first one takes. There are 64
deals, so that everything about one negotiation can be listed.

References
----------
K. Chawla et al., CaSiNo: A Corpus of Campsite Negotiation Dialogues for Automatic Negotiation Systems, NAACL 2021.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from support.analysis.fairness.instances import Solve
from support.analysis.frames import need_columns
from support.errors import InvalidInput
from support.fair_decisions.problem import FairDecisions

MANY = 4096  # every deal is compared with every other
FAIR = "divergence then welfare"
NEEDED = ("dialogue", "gains", "plan", "satisfaction_a", "satisfaction_b")


def against_solver(deals: pd.DataFrame, *, objective: str = FAIR, solve: Solve | None = None) -> pd.DataFrame:
    """Each deal with what was possible.

    Parameters
    ----------
    deals : as `support.fair_decisions.casino.deals` gives it: dialogue, gains (participants, decisions,
        options), plan (None where both walked away), satisfaction_a and satisfaction_b
    objective : what the solver looks for; by default the fairest deals and among them the one with the most welfare
    solve : by default `support.solvers.fair.solve`

    Returns
    -------
    DataFrame
        The given columns; reached; points_a, points_b, divergence, welfare of people's deal (NaN without one); fair_a,
        fair_b, fair_divergence, fair_welfare of the solver's; most_welfare; wasted (points that another deal would
        give both together); efficient (whether no deal is better for one and not worse for the other); better_for
        (how many of the 64 deals are at least as good for both and better for one).
    """
    need_columns(deals, NEEDED, "deals")
    if solve is None:
        from support.solvers.fair import solve as exactly

        solve = exactly
    rows = [_compared(np.array(g), p, objective, solve) for g, p in zip(deals["gains"], deals["plan"], strict=True)]
    found = pd.DataFrame(rows, index=deals.index)
    return pd.concat([deals.drop(columns=[c for c in found if c in deals]), found], axis=1)


def possible(gains: Any) -> pd.DataFrame:
    """Every deal of one negotiation: plan, points_a, points_b, efficient (Pareto)."""
    problem = FairDecisions(np.array(gains))
    plans, totals = _all(problem)
    worse = _dominators(totals, totals)
    named = {"points_a": totals[:, 0], "points_b": totals[:, 1], "efficient": worse == 0}
    return pd.DataFrame({"plan": [tuple(plan) for plan in plans.tolist()], **named})


def frontier(gains: Any) -> pd.DataFrame:
    """The efficient points of one negotiation from the best for the second party on: points_a, points_b."""
    table = possible(gains)
    efficient = table.loc[table["efficient"], ["points_a", "points_b"]]
    return efficient.drop_duplicates().sort_values("points_a").reset_index(drop=True)


def who_is_content(table: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """Rank correlations of a party's satisfaction with what it got: its points, the other's, the gap, the waste.

    Parameters
    ----------
    table : as `against_solver` gives it; deals that were not reached are left out

    Returns
    -------
    DataFrame
        what, n (parties), rho (Spearman's), low, high (Fisher's z with the
        variance of Bonett and Wright 2000), p.
        Both parties of a deal count, so that the interval is somewhat narrow. Envy of
        the other's bundle needs no row: both bundles are worth 36 points to a party, so that it is 36 - 2 own points.
    """
    reached = table[table["reached"]]
    sides = [_party(reached, me, other) for me, other in (("a", "b"), ("b", "a"))]
    party = pd.concat(sides, ignore_index=True).dropna()
    rows = [{"what": name, **_spearman(party["satisfaction"], party[name], level)} for name in party.columns[1:]]
    return pd.DataFrame(rows)


def _party(reached: pd.DataFrame, me: str, other: str) -> pd.DataFrame:
    own, theirs = reached[f"points_{me}"], reached[f"points_{other}"]
    named = {"own points": own, "the other's points": theirs, "own lead": own - theirs}
    more = {"divergence": reached["divergence"], "points wasted": reached["wasted"]}
    return pd.DataFrame({"satisfaction": reached[f"satisfaction_{me}"], **named, **more})


def _spearman(x: pd.Series[float], y: pd.Series[float], level: float) -> dict[str, float]:
    if len(x) < 5 or x.nunique() < 2 or y.nunique() < 2:
        return {"n": len(x), **dict.fromkeys(("rho", "low", "high", "p"), float("nan"))}
    found = stats.spearmanr(x, y)
    rho = float(found.statistic)
    margin = stats.norm.ppf((1 + level) / 2) * np.sqrt((1 + rho**2 / 2) / (len(x) - 3))
    low, high = np.tanh(np.arctanh(np.clip(rho, -1 + 1e-12, 1 - 1e-12)) + np.array([-margin, margin]))
    return {"n": len(x), "rho": rho, "low": float(low), "high": float(high), "p": float(found.pvalue)}


def _compared(gains: np.ndarray, plan: Any, objective: str, solve: Solve) -> dict[str, Any]:
    problem = FairDecisions(gains)
    _, totals = _all(problem)
    fair = problem.totals(solve(gains, objective).plan)
    most = int(totals.sum(axis=1).max())
    there = isinstance(plan, list | tuple)  # after a walk-away None, or NaN out of a file
    got = problem.totals(plan) if there else np.full(2, np.nan)
    above = int(_dominators(got[None], totals)[0]) if there else 0
    return {
        "reached": there,
        "points_a": got[0],
        "points_b": got[1],
        "divergence": np.ptp(got),
        "welfare": got.sum(),
        "fair_a": fair[0],
        "fair_b": fair[1],
        "fair_divergence": np.ptp(fair),
        "fair_welfare": fair.sum(),
        "most_welfare": most,
        "wasted": most - got.sum(),
        "efficient": there and above == 0,
        "better_for": above if there else np.nan,
    }


def _all(problem: FairDecisions) -> tuple[np.ndarray, np.ndarray]:
    """All plans, shape (plans, decisions), and their totals, shape (plans, participants)."""
    p, n, m = problem.shape
    if p != 2 or m**n > MANY:
        raise InvalidInput(f"gains: {p} participants and {m}^{n} plans given; expected two and at most {MANY} plans")
    plans = np.indices((m,) * n).reshape(n, -1).T
    return plans, problem.totals_of(plans)


def _dominators(points: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """For each of points, how many of totals are at least as good for both and better for one."""
    no_worse = (totals[None] >= points[:, None]).all(axis=2)
    better = (totals[None] > points[:, None]).any(axis=2)
    return (no_worse & better).sum(axis=1)
