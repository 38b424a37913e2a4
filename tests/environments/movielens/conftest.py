"""A small data set of our own, and the real one where it can be had."""

import numpy as np
import pandas as pd
import pytest

from support.environments.movielens import MovieLens100k, load
from support.environments.movielens.sources import GENRES


def invented(seed=0, users=40, items=30, n=1000, tested=100):
    """Ratings of invented films: two tastes, of which every user has one."""
    rng = np.random.default_rng(seed)
    pairs = rng.permutation(users * items)[:n]
    u, i = pairs // items + 1, pairs % items + 1
    stars = np.clip(3 + np.where(u % 2 == i % 2, 1.8, -1.8) + rng.normal(0, 0.5, n), 1, 5).round().astype(int)
    at = 880_000_000 + rng.integers(0, 20_000_000, n)
    rows = pd.DataFrame({"user": u, "item": i, "rating": stars, "timestamp": at})
    test, base = (part.sort_values(["user", "item"], ignore_index=True) for part in (rows[:tested], rows[tested:]))
    ages = rng.integers(7, 74, users + 1)
    people = {"age": ages, "gender": rng.choice(["F", "M"], users + 1), "occupation": "other", "zip": "10003"}
    films = {
        "title": [f"Film {k}" for k in range(1, items + 2)],
        "release": [str(1930 + 2 * k) for k in range(items + 1)],
        "genres": [(GENRES[1 + k % 5], GENRES[6 + k % 3]) for k in range(items + 1)],
    }
    number = pd.RangeIndex(1, users + 2, name="user"), pd.RangeIndex(1, items + 2, name="item")
    return MovieLens100k(
        base, test, pd.DataFrame({**people, "state": "NY"}, index=number[0]), pd.DataFrame(films, index=number[1])
    )


@pytest.fixture(scope="session")
def toy():
    """40 users and 30 films with 900 ratings, and one user (41) and one film (31) that nobody knows anything of."""
    return invented()


@pytest.fixture(scope="session")
def real(have):
    """MovieLens-100k."""
    return have(load)
