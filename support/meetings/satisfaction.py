"""How well an option serves the members: equations (1) to (5) of Papachristou, Yang and Hsu (2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

HIGHEST = 3


def score(fulfilled: int, of: int, *, lowest: int = 0) -> int:
    """pi of one member for one option: 0 none, 1 under half, 2 at least half, 3 all of the preferences are fulfilled.

    Equation (5) gives exactly half both 1 and 2; here it is 2, as in the paper's evaluator prompt. That prompt's
    scale begins at 1, so that nobody is ever unsatisfied: `lowest=1` does that. A member of whom no preference is
    known is at `lowest`.
    """
    if fulfilled == 0:
        return lowest
    return HIGHEST if fulfilled == of else 2 if 2 * fulfilled >= of else 1


def satisfaction_ratio(scores: Sequence[int]) -> float:
    """r, equation (1): the share of members with a score above 0."""
    return float(np.mean(np.asarray(scores) > 0))


def satisfaction_score(scores: Sequence[int]) -> float:
    """s, equation (2): the mean score."""
    return float(np.mean(scores))


def equity(scores: Sequence[int], *, printed: bool = False) -> float:
    """g, equation (3): the Gini coefficient of the scores; 0 is even, and 1 stands for a ratio of 0.

    The text calls g the Gini coefficient, which is sum |pi_a - pi_b| / (2 n sum pi). The formula as printed divides
    by n once more, so that it cannot pass (n-1)/n^2 (0.16 for five members), where Table 1 prints 0.67:
    `printed=True` gives that form.

    >>> equity([3, 0, 0]), equity([0, 0, 0]), equity([3, 0, 0], printed=True)
    (0.6666666666666666, 1.0, 0.2222222222222222)
    """
    values = np.asarray(scores)
    if not values.any():
        return 1.0
    n = len(values)
    gini = float(np.abs(values[:, None] - values).sum() / (2 * n * values.sum()))
    return gini / n if printed else gini


def candidate(scores: Mapping[str, Sequence[int]]) -> str:
    """The decision candidate, equation (4): of the options with the largest ratio the one with the largest score.

    Ties that remain go to the option that is named first.

    >>> candidate({"O1": [3, 3, 0], "O2": [1, 1, 1], "O3": [2, 1, 1]})
    'O3'
    """
    return max(
        scores,
        key=lambda option: (
            satisfaction_ratio(scores[option]),
            satisfaction_score(scores[option]),
        ),
    )
