"""Simple predictors of a rating: a constant, means, and a model of user and item effects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

STARS = (1.0, 5.0)


@dataclass(frozen=True, eq=False)
class Offsets:
    """A rating as a mean, plus what the user adds, plus what the item adds, kept within 1 to 5 stars.

    `users` and `items` are indexed by user and item; who is not in them adds nothing. `Offsets(4.0)` says 4 to all.
    """

    mean: float
    users: pd.Series = field(default_factory=lambda: pd.Series(dtype=float), repr=False)
    items: pd.Series = field(default_factory=lambda: pd.Series(dtype=float), repr=False)

    def predict(self, users: Any, items: Any) -> np.ndarray:
        """Predictions in stars for arrays of users and items, both of shape (n,), as an array of shape (n,)."""
        added = [
            effects.reindex(np.asarray(ids)).fillna(0.0).to_numpy(dtype=float)
            for effects, ids in ((self.users, users), (self.items, items))
        ]
        return np.clip(self.mean + added[0] + added[1], *STARS)


@dataclass(frozen=True, eq=False)
class Effects(Offsets):
    """`Offsets` with the standard deviations, in stars, of user effects, item effects and a single rating's noise."""

    user_sd: float = 0.0
    item_sd: float = 0.0
    noise_sd: float = 0.0


def fit_means(
    base: pd.DataFrame, of: Literal["user", "item"], shrink: float = 0.0
) -> Offsets:
    """Each user's or item's mean, drawn to the mean of all as by `shrink` further ratings of that mean.

    `base` has the columns user, item and rating, one row for each rating.
    """
    mean = float(base["rating"].mean())
    groups = (base["rating"] - mean).groupby(base[of])
    return Offsets(mean, **{f"{of}s": groups.sum() / (groups.count() + shrink)})


def fit_effects(base: pd.DataFrame) -> Effects:
    """Fit rating = mean + user + item + noise, with normal effects whose variances are fitted too.

    Expectation-maximisation, 40 sweeps, in which the posteriors of the user and of the item effects are taken as
    independent (the mean field). The shrinkage follows from the variances: `noise_sd**2 / user_sd**2`
    ratings weigh as much as the prior.
    """
    y = base["rating"].to_numpy(dtype=float)
    (u, users), (i, items) = (
        pd.factorize(base[name], sort=True) for name in ("user", "item")
    )
    rated, raters = np.bincount(u), np.bincount(i)
    a, b, mean = np.zeros(len(users)), np.zeros(len(items)), float(y.mean())
    user_var = item_var = noise = float(y.var()) / 3 + 1e-9
    for _ in range(40):
        a = np.bincount(u, y - mean - b[i]) / (rated + noise / user_var)
        b = np.bincount(i, y - mean - a[u]) / (raters + noise / item_var)
        mean = float((y - a[u] - b[i]).mean())
        spread_a, spread_b = (
            noise / (rated + noise / user_var),
            noise / (raters + noise / item_var),
        )
        noise = (
            float(((y - mean - a[u] - b[i]) ** 2 + spread_a[u] + spread_b[i]).mean())
            + 1e-9
        )
        user_var, item_var = (
            float((a**2 + spread_a).mean()) + 1e-9,
            float((b**2 + spread_b).mean()) + 1e-9,
        )
    deviations = {
        "user_sd": user_var**0.5,
        "item_sd": item_var**0.5,
        "noise_sd": noise**0.5,
    }
    return Effects(
        mean, pd.Series(a, index=users), pd.Series(b, index=items), **deviations
    )
