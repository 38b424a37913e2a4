"""The deals that people reached in CaSiNo beside what their priorities allowed.

Two parties divide three units each of three goods (Chawla et al., CaSiNo, NAACL 2021); a plan says how many of each
the first one takes. There are 64 deals, so that everything about one negotiation can be listed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from support.analysis.stats import cluster_bootstrap
from support.fair_decisions.problem import FairDecisions


def against_solver(deals: pd.DataFrame) -> pd.DataFrame:
    """Each of `support.fair_decisions.casino.deals` with what was possible.

    Added are: reached; divergence, welfare of people's deal (NaN after a walk-away); fair_divergence, that of the
    fairest; wasted (points that another deal would give both together); efficient (no deal is better for one and not
    worse for the other).
    """
    rows = [
        _compared(np.array(gains), plan)
        for gains, plan in zip(deals["gains"], deals["plan"], strict=True)
    ]
    found = pd.DataFrame(rows, index=deals.index)
    return deals.drop(columns=list(found), errors="ignore").join(found)


def _compared(gains: np.ndarray, plan: Any) -> dict[str, Any]:
    problem = FairDecisions(gains)
    _, n, m = problem.shape
    every = problem.totals_of(np.indices((m,) * n).reshape(n, -1).T)
    there = isinstance(
        plan, list | tuple
    )  # after a walk-away None, or NaN out of a file
    got = problem.totals(plan) if there else np.full(2, np.nan)
    better = (every >= got).all(axis=1) & (every > got).any(axis=1)
    return {
        **{"reached": there, "divergence": np.ptp(got), "welfare": got.sum()},
        **{
            "fair_divergence": np.ptp(every, axis=1).min(),
            "wasted": every.sum(axis=1).max() - got.sum(),
        },
        "efficient": there and not better.any(),
    }


def counted(people: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """What people's deals come to, and over which negotiations: measure, of, mean, low, high, n."""
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
        {
            "measure": name,
            "of": of,
            **cluster_bootstrap(
                people.assign(value=value * 1.0), "value", "dialogue", rng
            ),
        }
        for (name, of), value in measured.items()
    ]
    return pd.DataFrame(rows).drop(columns=["se", "clusters"])
