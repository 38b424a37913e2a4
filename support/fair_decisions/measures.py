"""How good a plan is: fairness and welfare of totals.

Pure functions of arrays of shape (..., participants).
"""

from __future__ import annotations

import numpy as np


def divergence(totals: np.ndarray) -> np.ndarray:
    """The largest total minus the smallest: 0 is fair (section 4.2 of 003, its tables
    and its worked example)."""
    return np.ptp(totals, axis=-1)


def shortfall(totals: np.ndarray, best: np.ndarray) -> np.ndarray:
    """The largest distance of a participant's total from the best that it could have.

    Section 3 of 003 calls this divergence as well; its formula, tables and examples do
    not. `best` are the participants' best totals, as `FairDecisions.best` has them.
    """
    return (best - totals).max(axis=-1)


def welfare(totals: np.ndarray) -> np.ndarray:
    """The sum of the totals (Harsanyi 1955; section 5.6 of 003)."""
    return np.sum(totals, axis=-1)


OBJECTIVES = ("divergence", "welfare", "shortfall")
"""What a group can be told to look for."""


def value(objective: str, totals: np.ndarray, best: np.ndarray) -> np.ndarray:
    """How good totals are by an objective; larger is better."""
    if objective == "welfare":
        return welfare(totals)
    if objective == "shortfall":
        return -shortfall(totals, best)
    return -divergence(totals)
