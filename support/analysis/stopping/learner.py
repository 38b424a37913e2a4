"""A regularised learner on the same pairs and folds: what least squares with a grid search leaves on the table.

Appendix C.7 fits 132 dependent columns without a penalty and then picks at most five. This one keeps all pairs, with
a ridge penalty chosen by cross-validation over training discussions (never over rounds of one discussion, which are
no independent rows), predicts the performance of each round, and stops once the prediction reaches a threshold.
The threshold is, of the quantiles of the predictions, the one with the best mean training performance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from support.analysis.stopping.dialogue_act import NEGLIGIBLE, mean_known
from support.analysis.stopping.rules import stop_round
from support.analysis.stopping.study import Study, check_known

PENALTIES = np.logspace(-1, 4, 11)
QUANTILES = np.linspace(0, 1, 41)


@dataclass(frozen=True)
class Ridge:
    """Stops when a ridge regression on the pairs of acts expects enough of the round.

    Parameters
    ----------
    inner : int
        Folds, over training discussions, that choose the penalty.
    """

    inner: int = 5
    name: str = "Ridge on pairs"

    def fit(self, train: Study) -> Predicted:
        """Fit the regression, then the threshold; never stops when the performance does not vary."""
        check_known(train)
        known = np.isfinite(train.gain)
        X, y = (train.pairs[known] > 0).astype(float), train.gain[known]
        silent = Predicted(np.zeros(X.shape[1]), 0.0, np.nan, self.name)
        if np.ptp(y) <= NEGLIGIBLE:
            return silent
        penalty = self._penalty(X, y, np.nonzero(known)[0])
        coefficients, constants = ridge_path(X, y, PENALTIES[[penalty]])
        return _with_threshold(Predicted(coefficients[:, 0], float(constants[0]), np.nan, self.name), train)

    def _penalty(self, X: np.ndarray, y: np.ndarray, discussion: np.ndarray) -> int:
        """Which penalty predicts discussions left out best; the smallest where there is only one discussion."""
        wrong = np.zeros(len(PENALTIES))
        for train, test in _parts(discussion, self.inner):
            if len(train):
                coefficients, constants = ridge_path(X[train], y[train], PENALTIES)
                wrong += np.square(X[test] @ coefficients + constants - y[test, None]).sum(axis=0)
        return int(wrong.argmin())


def ridge_path(X: np.ndarray, y: np.ndarray, penalties: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ridge regression with an unpenalised constant for several penalties, from one eigendecomposition.

    Returns
    -------
    float arrays of shape (columns, penalties) and (penalties,)
        Coefficients and constants, those of `sklearn.linear_model.Ridge(penalty)`.
    """
    centre, level = X.mean(axis=0), y.mean()
    values, vectors = np.linalg.eigh((X - centre).T @ (X - centre))
    moment = vectors.T @ ((X - centre).T @ (y - level))
    coefficients = vectors @ (moment[:, None] / (np.maximum(values, 0.0)[:, None] + penalties))
    return coefficients, level - centre @ coefficients


@dataclass(frozen=True, eq=False)
class Predicted:
    """Coefficients of the pairs, shape (pairs,), the constant, and the prediction at which the discussion stops."""

    coefficients: np.ndarray
    constant: float
    threshold: float
    name: str = "Ridge on pairs"

    def expects(self, study: Study) -> np.ndarray:
        """The predicted performance of each round, more being better; shape (runs, rounds)."""
        return (study.pairs > 0) @ self.coefficients + self.constant

    def fires(self, study: Study) -> np.ndarray:
        """Where the prediction reaches the threshold."""
        with np.errstate(invalid="ignore"):
            return self.expects(study) >= self.threshold - NEGLIGIBLE


def _parts(which: np.ndarray, inner: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to train and to test on: the discussions in turn, whole."""
    runs = np.unique(which)
    fold = np.searchsorted(runs, which) % min(inner, len(runs))
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)]


def _with_threshold(model: Predicted, train: Study) -> Predicted:
    expected = model.expects(train)[np.isfinite(train.gain)]
    tried = [
        Predicted(model.coefficients, model.constant, float(value), model.name)
        for value in np.quantile(expected, QUANTILES)
    ]
    reached = np.stack([train.gain[np.arange(len(train.gain)), stop_round(one, train) - 1] for one in tried])
    return tried[int(mean_known(reached).argmax())]
