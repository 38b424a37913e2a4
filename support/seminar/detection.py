"""Replies that no policy covers: detectors that flag them without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from support.seminar.desk import Desk
from support.seminar.records import Mail, Verdict


class StatedDetector:
    """Flags what a reply says that somebody has to decide about, and a reply that nobody
    could read, which it cannot judge."""

    kind = "stated"

    async def check(self, mail: Mail, desk: Desk) -> Verdict:
        """A question that quotes what is asked."""
        if mail.says is None:
            return Verdict(
                True, f"Nobody could read the mail of {mail.sender}. What now?"
            )
        question = f"{mail.sender} asks: “{mail.says.asks}” What shall I answer?"
        return Verdict(True, question) if mail.says.asks else Verdict(False)


class NoDetector:
    """A floor: lets every reply pass."""

    kind = "none"

    async def check(self, mail: Mail, desk: Desk) -> Verdict:
        """Clear."""
        return Verdict(False)


# ---- learnt from replies that were judged ----------------------------------------------

STRENGTH = 10.0
"""Inverse of the penalty, that of the dialogue acts' classifier; not tuned on replies."""
FOLDS = 10


class Encodes(Protocol):
    """What makes vectors of texts, as `support.analysis.embeddings.Encoder` does."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, shape (texts, dimensions)."""


class ClassifierDetector:
    """Flags a reply whose embedding lies on the side of those that were flagged."""

    kind = "classifier"

    def __init__(self, encoder: Encodes, learnt: object) -> None:
        self.encoder, self._learnt = encoder, learnt

    @classmethod
    def fit(
        cls, texts: Sequence[str], flags: Sequence[bool], encoder: Encodes
    ) -> ClassifierDetector:
        """Learn from replies and whether each is to be flagged; both sides weigh alike."""
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=1000)
        return cls(encoder, model.fit(encoder.encode(texts), np.asarray(flags, bool)))

    def probabilities(self, texts: Sequence[str]) -> np.ndarray:
        """Probability of a flag for each text, shape (texts,)."""
        found: np.ndarray = self._learnt.predict_proba(self.encoder.encode(texts))  # type: ignore[attr-defined]
        return found[:, 1]

    async def check(self, mail: Mail, desk: Desk) -> Verdict:
        """A flag where it is likelier than not."""
        return Verdict(bool(self.probabilities([mail.body])[0] > 0.5))


def cross_validated(
    texts: Sequence[str],
    flags: Sequence[bool],
    cases: Sequence[str],
    encoder: Encodes,
    rng: np.random.Generator,
) -> np.ndarray:
    """Probability of a flag for each reply, by a classifier that saw none of its case;
    folds have alike many cases of either kind."""
    fold: dict[str, int] = {}
    for side in (True, False):
        mine = zip(cases, flags, strict=True)
        names = sorted({case for case, flag in mine if bool(flag) is side})
        for k, i in enumerate(rng.permutation(len(names))):
            fold[names[i]] = k % FOLDS
    own = np.array([fold[case] for case in cases])
    result = np.empty(len(texts))
    for k in sorted({*own}):
        rest, left = np.flatnonzero(own != k), np.flatnonzero(own == k)
        known = [texts[i] for i in rest], [flags[i] for i in rest]
        learnt = ClassifierDetector.fit(*known, encoder)
        result[left] = learnt.probabilities([texts[i] for i in left])
    return result
