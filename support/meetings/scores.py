"""How well an option serves the members: equations (1) to (5) of the paper (000).

Scores are by member; one of whom nothing is known (None) is left out, not unsatisfied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import numpy as np

HIGHEST = 3
ByMember = Mapping[str, int | None]


def pi(met: Sequence[tuple[Any, bool]], *, printed: bool = False) -> int | None:
    """Equation (5) for (wish, fulfilled) pairs; None where no wish is known.

    0 where a wish that binds is broken, or none is met of those that speak for a slot;
    else 1 for under half of the wishes, 2 from half on, 3 for all. As `printed` every
    wish counts alike and 0 means none: what only rules slots out ("no Mondays") is then
    met by nearly any slot.
    """
    if not met:
        return None
    wishes = [held for wish, held in met if not wish.condition]
    if printed:
        return level(wishes) if wishes else None
    bound = [held for wish, held in met if wish.binds]
    support = [held for wish, held in met if wish.supports]
    if not all(bound) or (support and not any(support)):
        return 0
    return level(wishes) if wishes else HIGHEST


def level(held: Sequence[bool]) -> int:
    """0 none, 1 under half, 2 from half on, 3 all."""
    if not any(held):
        return 0
    if all(held):
        return HIGHEST
    return 2 if 2 * sum(held) >= len(held) else 1


def known(scores: ByMember) -> np.ndarray:
    """The scores of the members of whom something is known."""
    return np.array([v for v in scores.values() if v is not None], dtype=float)


def ratio(scores: ByMember) -> float:
    """r, equation (1): the share of members with a score above 0; nan without any."""
    values = known(scores)
    return float((values > 0).mean()) if len(values) else nan


def score(scores: ByMember) -> float:
    """s, equation (2): the mean score; nan without any."""
    values = known(scores)
    return float(values.mean()) if len(values) else nan


def equity(scores: ByMember) -> float:
    """g, equation (3) as the Gini coefficient that the text means; 1 where r is 0.

    Printed, the formula divides by n once more: it cannot pass (n - 1)/n^2 then.

    >>> equity({"a": 3, "b": 0, "c": 0}), equity({"a": 0, "b": None})
    (0.6666666666666666, 1.0)
    """
    values = known(scores)
    if not len(values):
        return nan
    if not values.any():
        return 1.0
    apart = np.abs(values[:, None] - values).sum()
    return float(apart / (2 * len(values) * values.sum()))


def satisfied(scores: ByMember) -> dict[str, int]:
    """The scores above 0, of which *depth* (their mean) and G+ (their Gini) are taken.

    g = (1 - r) + r G+, where G+ of scores 1 to 3 is at most .268.
    """
    return {member: value for member, value in scores.items() if value}


def best(scores: Mapping[str, ByMember]) -> str | None:
    """Equation (4): the option with the largest ratio, then score, then named first.

    Without any known score there is none.
    """
    ranked = {
        option: (ratio(row), score(row))
        for option, row in scores.items()
        if len(known(row))
    }
    return max(ranked, key=ranked.__getitem__) if ranked else None
