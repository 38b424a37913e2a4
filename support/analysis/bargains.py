"""The deals that people reached in CaSiNo beside what their priorities allowed.

Two parties divide three units each of three goods; a plan says how many of each the first one takes. There are 64
deals, so that everything about one negotiation can be listed.

References
----------
K. Chawla et al., CaSiNo: A Corpus of Campsite Negotiation Dialogues for Automatic Negotiation Systems, NAACL 2021.
"""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.analysis.stats import cluster_bootstrap
from support.errors import InvalidInput
from support.fair_decisions.problem import FairDecisions

MANY = 4096  # every deal is compared with every other


def against_solver(deals: pd.DataFrame) -> pd.DataFrame:
    """Each deal with what was possible; the solver looks for the fairest, and among them for the most welfare.

    `deals` are as `support.fair_decisions.casino.deals` gives them: dialogue, gains (participants, decisions, options),
    plan (None where both walked away), satisfaction_a and satisfaction_b. Added are: reached; points_a, points_b,
    divergence, welfare of people's deal (NaN without one); fair_a, fair_b, fair_divergence, fair_welfare of the
    solver's; wasted (points that another deal would give both together); efficient (no deal is better for one and not
    worse for the other).
    """
    need_columns(deals, ("dialogue", "gains", "plan", "satisfaction_a", "satisfaction_b"), "deals")
    rows = [_compared(np.array(g), p) for g, p in zip(deals["gains"], deals["plan"], strict=True)]
    found = pd.DataFrame(rows, index=deals.index)
    return pd.concat([deals.drop(columns=[c for c in found if c in deals]), found], axis=1)


def _compared(gains: np.ndarray, plan: Any) -> dict[str, Any]:
    problem = FairDecisions(gains)
    p, n, m = problem.shape
    if p != 2 or m**n > MANY:
        raise InvalidInput(f"gains: {p} participants and {m}^{n} plans given; expected two and at most {MANY} plans")
    every = problem.totals_of(np.indices((m,) * n).reshape(n, -1).T)
    apart, together = np.ptp(every, axis=1), every.sum(axis=1)
    fair = every[np.lexsort((-together, apart))[0]]  # the least divergence, then the most welfare
    there = isinstance(plan, list | tuple)  # after a walk-away None, or NaN out of a file
    got = problem.totals(plan) if there else np.full(2, nan)
    better = (every >= got).all(axis=1) & (every > got).any(axis=1)
    return {
        **{"reached": there, "points_a": got[0], "points_b": got[1], "divergence": np.ptp(got), "welfare": got.sum()},
        **{"fair_a": fair[0], "fair_b": fair[1], "fair_divergence": np.ptp(fair), "fair_welfare": fair.sum()},
        **{"wasted": together.max() - got.sum(), "efficient": there and not better.any()},
    }


def counted(people: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """What people's deals come to, and over which negotiations: measure, of, mean, low, high, n.

    A walk-away is no efficient deal and not the fairest, and counts as such; it has no divergence and no welfare, and
    is left out there.
    """
    fairest = people["reached"] & (people["divergence"] == people["fair_divergence"])
    measured = {
        ("reached a deal", "all"): people["reached"],
        ("efficient (Pareto)", "all, walk-aways as no"): people["efficient"],
        ("the fairest divergence", "all, walk-aways as no"): fairest,
        ("divergence (points)", "deals"): people["divergence"],
        ("welfare (points)", "deals"): people["welfare"],
        ("points wasted", "deals"): people["wasted"],
    }
    rows = [
        {"measure": name, "of": of, **cluster_bootstrap(people.assign(value=value * 1.0), "value", "dialogue", rng)}
        for (name, of), value in measured.items()
    ]
    return pd.DataFrame(rows).drop(columns=["se", "clusters"])
