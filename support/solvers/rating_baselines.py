"""A simple predictor of a rating: what the user and the item add to the mean of all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

STARS = (1.0, 5.0)


@dataclass(frozen=True, eq=False)
class Effects:
    """A rating as a mean, plus what the user and the item add, within 1 to 5 stars.

    `users` and `items` are indexed by user and item; who is not in them adds nothing. The
    standard deviations, in stars, are those of the effects and of a rating's noise.
    """

    mean: float
    users: pd.Series = field(repr=False)
    items: pd.Series = field(repr=False)
    user_sd: float
    item_sd: float
    noise_sd: float

    def predict(self, users: Any, items: Any) -> np.ndarray:
        """Predictions in stars, of shape (n,) as `users` and `items` are."""
        by_user = self.users.reindex(np.asarray(users)).fillna(0.0).to_numpy()
        by_item = self.items.reindex(np.asarray(items)).fillna(0.0).to_numpy()
        return np.clip(self.mean + by_user + by_item, *STARS)


def fit_effects(base: pd.DataFrame) -> Effects:
    """Fit rating = mean + user + item + noise; effects are normal, variances fitted.

    Expectation-maximisation, 40 sweeps, in which the posteriors of the user and of the
    item effects are taken as independent (the mean field). The shrinkage follows from
    the variances: `noise_sd**2 / user_sd**2` ratings weigh as much as the prior.
    """
    y = base["rating"].to_numpy(dtype=float)
    u, users = pd.factorize(base["user"], sort=True)
    i, items = pd.factorize(base["item"], sort=True)
    rated = np.bincount(u)
    raters = np.bincount(i)
    b = np.zeros(len(items))
    mean = y.mean()
    user_var = item_var = noise = y.var() / 3 + 1e-9
    for _ in range(40):
        precision_a = rated + noise / user_var
        precision_b = raters + noise / item_var
        a = np.bincount(u, y - mean - b[i]) / precision_a
        b = np.bincount(i, y - mean - a[u]) / precision_b
        mean = (y - a[u] - b[i]).mean()
        spread_a = noise / precision_a
        spread_b = noise / precision_b
        errors = (y - mean - a[u] - b[i]) ** 2
        noise = (errors + spread_a[u] + spread_b[i]).mean() + 1e-9
        user_var = (a**2 + spread_a).mean() + 1e-9
        item_var = (b**2 + spread_b).mean() + 1e-9
    return Effects(
        mean,
        pd.Series(a, index=users),
        pd.Series(b, index=items),
        user_sd=user_var**0.5,
        item_sd=item_var**0.5,
        noise_sd=noise**0.5,
    )
