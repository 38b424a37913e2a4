"""Ordinary least squares on designs whose columns depend on each other: one factorisation of a small matrix.

The numbers are those of `statsmodels.api.OLS(y, X).fit(method="pinv")`: the solution of smallest norm, so that
columns that always occur together share their coefficient evenly; standard errors from the pseudo-inverse; degrees
of freedom from the rank. Where a coefficient is identified, its p-value is the usual one; elsewhere it tests the
solution of smallest norm, and says no more than that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack
from scipy.special import stdtr

from support.errors import InvalidInput

TOLERANCE = 1e-10  # of the largest diagonal element, below which a column adds nothing


@dataclass(frozen=True, eq=False)
class Fit:
    """A least-squares fit; the names are those of statsmodels.

    Attributes
    ----------
    params, bse, pvalues : float array, shape (columns,)
        Coefficients, their standard errors and two-sided p-values of Student's t. A p-value is NaN when the error
        variance is not estimated (no degree of freedom) or both coefficient and error are zero.
    rank : int
    fittedvalues : float array, shape (rows,), or None
        None when only sums over rows were given.
    """

    params: np.ndarray
    bse: np.ndarray
    pvalues: np.ndarray
    rank: int
    fittedvalues: np.ndarray | None = None


def fast_ols(X: np.ndarray, y: np.ndarray) -> Fit:
    """Least squares of smallest norm.

    1. A pivoted Cholesky factorisation X'X = L L' finds the rank k and L of shape (columns, k); for a design of
       counts X'X is exact, and so is the rank.
    2. With M = L'L, the pseudo-inverse of X is L M^-1 Q', Q being the orthonormal factor of X = Q L', which is never
       formed: Q'y solves a triangular system in the k pivot columns.
    3. Should the residual not be orthogonal to X, the factor lost digits, and a singular value decomposition of X
       takes its place.

    Parameters
    ----------
    X : array, shape (rows, columns)
        Numbers, a constant column included where one is wanted.
    y : array, shape (rows,)

    Raises
    ------
    InvalidInput
        When the shapes do not fit, a number is not finite, or X is zero.
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if X.ndim != 2 or y.shape != X.shape[:1] or not X.size:
        raise InvalidInput(f"X, y: shapes {X.shape} and {y.shape} given; expected (rows, columns) and (rows,)")
    moment = X.T @ y
    if not np.isfinite(moment).all():
        raise InvalidInput("X, y: a number is not finite; leave out the rows without a known outcome")
    params, spread, rank = _solved(X.T @ X, moment) or _by_singular_values(X, y)
    fitted = X @ params
    residual = y - fitted
    return _tested(params, spread, rank, float(residual @ residual), len(y), fitted)


def ols_from_sums(square: np.ndarray, moment: np.ndarray, squares: float, rows: int) -> Fit | None:
    """The same from X'X, X'y, y'y and the number of rows, which over folds are differences of sums.

    The residual's square is y'y - b'X'y: let y be centred, so that it keeps its digits. None when the factor of
    X'X lost digits; `fast_ols` on the rows finds the answer then.
    """
    found = _solved(square, moment)
    if found is None:
        return None
    return _tested(*found, max(squares - float(found[0] @ moment), 0.0), rows)


def _solved(square: np.ndarray, moment: np.ndarray) -> tuple[np.ndarray, np.ndarray, int] | None:
    """Coefficients, the diagonal of the pseudo-inverse of X'X, and the rank; None when digits were lost."""
    largest = square.diagonal().max()
    if not largest > 0:
        raise InvalidInput("X: every number is zero; expected at least one column that varies, or a constant")
    packed, pivots, rank, _ = lapack.dpstrf(square, lower=1, tol=TOLERANCE * largest)
    lower, order = np.tril(packed[:, :rank]), pivots - 1
    L = np.empty_like(lower)
    L[order] = lower
    half, _ = lapack.dpotri(lapack.dpotrf(L.T @ L, lower=1)[0], lower=1)  # faster than as many solutions
    weights = blas.dsymm(1.0, half, L.T, lower=1)  # of shape (rank, columns)
    projected, _ = lapack.dtrtrs(lower[:rank], moment[order[:rank]], lower=1)
    params = projected @ weights
    if not np.abs(moment - square @ params).max() <= 1e-9 * max(np.abs(moment).max(), 1.0):
        return None
    return params, np.einsum("kp,kp->p", weights, weights), rank


def _by_singular_values(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    inverse = np.linalg.pinv(X)
    return inverse @ y, np.einsum("pn,pn->p", inverse, inverse), int(np.linalg.matrix_rank(X))


def _tested(
    params: np.ndarray, spread: np.ndarray, rank: int, squares: float, rows: int, fitted: np.ndarray | None = None
) -> Fit:
    left = rows - rank
    bse = np.sqrt(squares / left * spread) if left > 0 else np.full(len(params), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        pvalues = 2 * stdtr(max(left, 1), -np.abs(params / bse))
    return Fit(params, bse, pvalues, rank, fitted)
