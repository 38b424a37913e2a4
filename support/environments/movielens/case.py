"""Which ratings are predicted: a seeded sample of u1.test (section 4.2: 100 random examples)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from support.environments.movielens.ratings import load
from support.errors import InvalidInput

SEED = 20250101
"""Seed of the project's own cases; the paper gives none, so that its 100 examples are not known."""


@dataclass(frozen=True, order=True)
class Case:
    """One rating to predict: who, which film, and the hidden truth (stars from 1 to 5)."""

    user: int
    item: int
    rating: float


def draw_cases(n: int = 100, seed: int = SEED) -> tuple[Case, ...]:
    """Draw `n` different ratings of u1.test, each as likely as any other.

    Fewer cases of the same seed are the beginning of more: ``draw_cases(50) == draw_cases(100)[:50]``.

    Raises
    ------
    InvalidInput
        When `n` is not a whole number from 1 to the size of u1.test.
    MissingData
        When MovieLens-100k cannot be had; the message says how to get it.
    """
    test = load().test
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= len(test):
        raise InvalidInput(f"n: {n!r} given; expected a whole number of cases from 1 to {len(test)}")
    rows = np.random.default_rng(seed).permutation(len(test))[:n]
    drawn = test.iloc[rows]
    columns = (drawn[name].tolist() for name in ("user", "item", "rating"))
    return tuple(Case(int(user), int(item), float(rating)) for user, item, rating in zip(*columns, strict=True))
