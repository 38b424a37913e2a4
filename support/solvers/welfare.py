"""Cobb-Douglas agents share out goods: utilities, efficient allocations, welfare."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from support.errors import InvalidInput


def cobb_douglas(amounts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """prod_k amounts_k ** weights_k over the last axis, of goods; both broadcast."""
    return (amounts**weights).prod(axis=-1)


def equilibrium_allocation(
    weights: np.ndarray,
    incomes: np.ndarray,
    endowment: float = 100.0,
) -> np.ndarray:
    """The competitive equilibrium of agents who spend given incomes.

    Each agent spends the share theta_k of its income on good k, so prices are incomes @
    weights (Varian 1992, chapter 17). Every such allocation is Pareto-efficient, and
    every efficient one is such an equilibrium for some incomes.

    `weights`, shape (agents, goods), are normalised to sum to one; `incomes`, shape
    (..., agents), may have any unit. The amounts have shape (..., agents, goods); a
    good that nobody wants is shared equally.
    """
    shares = np.maximum(weights, 1e-9)
    shares = shares / shares.sum(axis=1, keepdims=True)
    spending = np.asarray(incomes, dtype=float)[..., None] * shares
    return endowment * spending / spending.sum(axis=-2, keepdims=True)


@lru_cache(maxsize=1024)
def utilitarian_allocation(
    weights: tuple[tuple[float, ...], ...], endowment: float = 100.0
) -> np.ndarray:
    """The allocation, shape (agents, goods), of the largest total utility.

    The total is concave where no row of exponents sums to more than one (else
    InvalidInput), so a local optimum is global. SLSQP starts twice, from equal incomes
    and from where `_ascent` leads, and the best of what was met is returned: at the
    border of the simplex, where gradients are infinite, it alone stops short in one
    economy of thirty.
    """
    theta = np.asarray(weights, dtype=float)
    if theta.sum(axis=1).max() > 1 + 1e-9:
        raise InvalidInput(
            f"weights: exponents {theta.sum(axis=1).tolist()} sum to more than one; "
            "scale them down to at most one"
        )
    equal = equilibrium_allocation(theta, np.ones(len(theta)), 1.0)
    risen = _ascent(theta, equal)
    met = [equal, risen]
    met += [_sequential_programming(theta, start) for start in (equal, risen)]
    best = endowment * max(met, key=lambda shares: cobb_douglas(shares, theta).sum())
    best.setflags(write=False)
    return best


def _ascent(theta: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Give each good in proportion to u_i theta_ik, again and again; the total never falls.

    log sum_i u_i is bounded from below by sum_i q_i log u_i + H(q) with q_i = u_i / sum
    u (Jensen), and each step maximises that bound: the minorise-maximise scheme of
    Hunter and Lange (2004).
    """
    for _ in range(10_000):
        wanted = np.maximum(cobb_douglas(shares, theta)[:, None] * theta, 1e-300)
        before = shares
        shares = wanted / wanted.sum(axis=0)
        if np.abs(shares - before).max() < 1e-13:
            break
    return shares


def _sequential_programming(theta: np.ndarray, start: np.ndarray) -> np.ndarray:
    from scipy.optimize import minimize

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        amounts = np.maximum(flat.reshape(theta.shape), 1e-12)
        utility = cobb_douglas(amounts, theta)
        return -float(utility.sum()), -(utility[:, None] * theta / amounts).ravel()

    everything_is_shared_out: Any = {
        "type": "eq",
        "fun": lambda flat: flat.reshape(theta.shape).sum(axis=0) - 1.0,
        "jac": lambda flat: np.tile(np.eye(theta.shape[1]), theta.shape[0]),
    }
    solution = minimize(
        loss,
        start.ravel(),
        jac=True,
        method="SLSQP",
        bounds=[(1e-12, 1.0)] * theta.size,
        constraints=everything_is_shared_out,
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    shares = np.maximum(solution.x.reshape(theta.shape), 1e-12)
    return shares / shares.sum(axis=0)
