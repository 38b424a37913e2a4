"""Of the fairest plans for up to three participants the one of largest welfare, by meeting in the middle once more.

When the least divergence r is known, every combination of the left half asks for each of the points at distance r
which right half completes it there, and only the richest right half at each point matters.
"""

from __future__ import annotations

import numpy as np

from support.solvers.fair.meet import LIMITS, LOOKUPS, Halves, differences, sums
from support.solvers.fair.problem import Found

OVERHEAD = 10_000
"""What one more point costs beside its lookups, in lookups."""


def richest(gains: np.ndarray, divergence: int) -> Found | None:
    """The plan of largest welfare at the least divergence; None where that cannot be enumerated."""
    halves = Halves.of(differences(gains), LIMITS[1])
    keys = halves.keys(divergence) if halves.complete else None
    if keys is None or 6 * divergence * (len(keys.asked) + OVERHEAD) > LOOKUPS:
        return None
    together = gains.sum(axis=0)[None]
    left, right = sums(together[:, : halves.middle])[0], sums(together[:, halves.middle :])[0]
    points, places = _richest(keys.given, right)
    best, pair = -1, (0, 0)
    for shift in keys.shifts(divergence):
        asked = keys.asked + shift
        at = np.searchsorted(points, asked).clip(max=len(points) - 1)
        worth = np.where(points[at] == asked, left + right[places[at]], -1)
        top = int(worth.argmax())
        if worth[top] > best:
            best, pair = int(worth[top]), (top, int(places[at[top]]))
    return Found(halves.plan(*pair), divergence, True) if best >= 0 else None


def _richest(points: np.ndarray, worth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every point once, ascending, and the place of the combination there that is worth most."""
    order = np.lexsort((-worth, points))
    first = np.append(True, np.diff(points[order]) != 0)
    return points[order][first], order[first]
