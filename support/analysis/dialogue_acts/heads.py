"""One logistic regression for each act over the features of a sentence, each with the threshold that suits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from support.analysis.dialogue_acts.acts import LABELS, OTHERS
from support.analysis.dialogue_acts.annotators import Labels, union
from support.errors import InvalidInput

if TYPE_CHECKING:
    from scipy.sparse import spmatrix

    Features = np.ndarray | spmatrix

FOLDS = 5
FEWEST = 5  # texts that have to show an act before it can be learnt
GRID = np.arange(0.05, 0.96, 0.01)


@dataclass(frozen=True, eq=False)
class Heads:
    """What a classifier has learnt.

    Attributes
    ----------
    acts : tuple of str
        The acts that it can tell; a sentence that performs none of them performs "others".
    weights : float array, shape (acts, features)
    biases, thresholds : float arrays, shape (acts,)
        An act is given when its probability reaches the threshold.
    """

    acts: Labels
    weights: np.ndarray
    biases: np.ndarray
    thresholds: np.ndarray

    def probabilities(self, features: Features) -> np.ndarray:
        """Probability of every act, shape (sentences, acts); they need not sum to one."""
        scores = np.asarray(features @ self.weights.T) + self.biases
        return 1 / (1 + np.exp(-scores))

    def decide(self, features: Features) -> list[Labels]:
        """The acts of each sentence."""
        given = self.probabilities(features) >= self.thresholds
        return [union(act for act, yes in zip(self.acts, row, strict=True) if yes) for row in given]


def fit_heads(
    features: Features, labels: Sequence[Labels], groups: Sequence[Any], *, strength: float = 1.0, folds: int = FOLDS
) -> Heads:
    """Fit one regression for every act that occurs often enough, and tune its threshold.

    Parameters
    ----------
    features : array or sparse matrix, shape (texts, features)
    labels : the acts of each text.
    groups : which group each text comes from: thresholds are tuned on groups that the fold's fit has not seen.
    strength : float
        Inverse of the L2 penalty, scikit-learn's C.
    folds : int
        At most; fewer when there are fewer groups.

    Raises
    ------
    InvalidInput
        When lengths differ, there is one group only, or no act occurs in `FEWEST` texts.
    """
    if not features.shape[0] == len(labels) == len(groups):
        raise InvalidInput(
            f"features, labels, groups: {features.shape[0]}, {len(labels)} and {len(groups)} given; one of each a text"
        )
    acts = tuple(a for a in LABELS if a != OTHERS and FEWEST <= sum(a in given for given in labels) < len(labels))
    numbers = np.unique(np.asarray([str(g) for g in groups]), return_inverse=True)[1]
    if not acts or numbers.max(initial=0) < 1:
        raise InvalidInput(
            f"labels: they show {len(acts)} learnable acts in {numbers.max(initial=-1) + 1} groups; label more "
            f"messages of two runs at least, until some act stands in {FEWEST} of them and not in all"
        )
    fitted = [_one(features, np.array([a in given for given in labels]), numbers, strength, folds) for a in acts]
    weights, biases, thresholds = (np.array(part) for part in zip(*fitted, strict=True))
    return Heads(acts, weights, biases, thresholds)


def _one(features: Any, there: np.ndarray, groups: np.ndarray, strength: float, folds: int) -> tuple:
    """Weights, bias and threshold of one act."""
    weights, bias = _regression(features, there, strength)
    fold = groups % min(folds, groups.max() + 1)
    unseen = np.full(len(there), np.nan)
    for k in np.unique(fold):
        train, test = fold != k, fold == k
        if 0 < there[train].sum() < train.sum():
            w, b = _regression(features[train], there[train], strength)
            unseen[test] = 1 / (1 + np.exp(-(np.asarray(features[test] @ w).ravel() + b)))
    return weights, bias, best_threshold(unseen[~np.isnan(unseen)], there[~np.isnan(unseen)])


def _regression(features: Any, there: np.ndarray, strength: float) -> tuple[np.ndarray, float]:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=strength, max_iter=500).fit(features, there)
    return model.coef_[0], float(model.intercept_[0])


def best_threshold(probabilities: np.ndarray, there: np.ndarray) -> float:
    """The threshold of `GRID` with the largest F1; 0.5 where none finds anything.

    >>> best_threshold(np.array([0.1, 0.3, 0.4]), np.array([False, True, True])) <= 0.3
    True
    """
    given = probabilities[:, None] >= GRID
    hits = (given & there[:, None]).sum(axis=0)
    f1 = 2 * hits / np.maximum(given.sum(axis=0) + there.sum(), 1)
    best = np.flatnonzero(f1 == f1.max())
    return float(GRID[best[len(best) // 2]].round(2)) if f1.max() > 0 else 0.5
