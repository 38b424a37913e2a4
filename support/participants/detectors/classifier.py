"""A detector that learnt from labelled replies: logistic regression on sentence embeddings.

Embeddings live in `support.analysis.embeddings`, a later room: whoever fits a detector hands the encoder in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from support.environments.seminar.policies import PolicySet
from support.environments.seminar.views import Verdict
from support.errors import InvalidInput
from support.participants.detectors.questions import asking

STRENGTH = 10.0
"""Inverse of the penalty, that of the dialogue acts' classifier; it was not tuned on the cases."""

FOLDS = 10
"""Of the 20 cases each fold leaves out two, one to flag and one clear."""


class Encodes(Protocol):
    """What makes vectors of texts, as `support.analysis.embeddings.Encoder` does."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, shape (texts, dimensions)."""


class ClassifierDetector:
    """Flags a reply whose embedding lies on the side of those that were flagged.

    It reads neither policies nor context: what it was trained on is all that it knows; its question quotes the reply.

    Parameters
    ----------
    encoder : Encodes
    weights : float array, shape (dimensions,)
    bias : float
    """

    kind = "classifier"

    def __init__(self, encoder: Encodes, weights: np.ndarray, bias: float) -> None:
        self.encoder, self.weights, self.bias = encoder, weights, bias

    @classmethod
    def fit(
        cls, texts: Sequence[str], flags: Sequence[bool], encoder: Encodes, *, strength: float = STRENGTH
    ) -> ClassifierDetector:
        """Learn from replies and whether each is to be flagged; both sides weigh alike, however many they are.

        Raises
        ------
        InvalidInput
            When texts and flags are not as many, or all flags are the same.
        """
        from sklearn.linear_model import LogisticRegression

        _check(texts, flags)
        fitted = LogisticRegression(C=strength, class_weight="balanced", max_iter=1000)
        fitted.fit(encoder.encode(texts), np.asarray(flags, dtype=bool))
        return cls(encoder, fitted.coef_[0], float(fitted.intercept_[0]))

    def probabilities(self, texts: Sequence[str]) -> np.ndarray:
        """Probability of a flag for each text, shape (texts,)."""
        return 1 / (1 + np.exp(-(self.encoder.encode(texts) @ self.weights + self.bias)))

    async def check(self, reply: str, policies: PolicySet, context: str = "") -> Verdict:
        """A flag where it is likelier than not."""
        flagged = bool(self.probabilities([reply])[0] > 0.5)
        return Verdict(True, asking(reply)) if flagged else Verdict(False)


def cross_validated(
    texts: Sequence[str],
    flags: Sequence[bool],
    cases: Sequence[str],
    encoder: Encodes,
    rng: np.random.Generator,
    *,
    folds: int = FOLDS,
) -> np.ndarray:
    """Probability of a flag for each reply, by a classifier that saw no reply of its case.

    Parameters
    ----------
    cases : sequence of str
        What must stay on one side of every split; the five voices of a case say the same thing.
    rng : numpy.random.Generator
        Deals the cases out to folds, those to flag and the clear ones each in turn, so that no fold's classifier learns
        from their numbers which side was left out.

    Raises
    ------
    InvalidInput
        When a case has both labels, or there are fewer cases of a label than folds.
    """
    _check(texts, flags)
    fold = _deal(flags, cases, rng, folds)
    own = np.array([fold[case] for case in cases])
    result = np.empty(len(texts))
    for k in range(folds):
        rest = np.flatnonzero(own != k)
        learnt = ClassifierDetector.fit([texts[i] for i in rest], [flags[i] for i in rest], encoder)
        left = np.flatnonzero(own == k)
        result[left] = learnt.probabilities([texts[i] for i in left])
    return result


def _deal(flags: Sequence[bool], cases: Sequence[str], rng: np.random.Generator, folds: int) -> dict[str, int]:
    label = dict(zip(cases, flags, strict=True))
    if mixed := [case for case, flag in zip(cases, flags, strict=True) if flag != label[case]]:
        raise InvalidInput(f"case {mixed[0]!r}: flagged and clear given; expected one label for all of its replies")
    fold: dict[str, int] = {}
    for side in (True, False):
        names = sorted(case for case, flag in label.items() if bool(flag) is side)
        if not 2 <= folds <= len(names):
            raise InvalidInput(f"folds: {folds} given for {len(names)} cases of a label; expected 2 to {len(names)}")
        fold |= {names[i]: k % folds for k, i in enumerate(rng.permutation(len(names)))}
    return fold


def _check(texts: Sequence[str], flags: Sequence[bool]) -> None:
    if len(texts) != len(flags):
        raise InvalidInput(f"flags: {len(flags)} given for {len(texts)} replies; expected one for each")
    if len({bool(flag) for flag in flags}) < 2:
        raise InvalidInput("flags: all alike; expected replies to flag and clear ones")
