"""Who reads a reply and says whether somebody has to decide about it, or whether a policy covers it: by words, learnt.

By words, a reply is flagged when a sentence of it wants something that no policy speaks of. A topic alone flags
nothing: the same sentence has to ask, wish or make a condition, and must not merely tell what was or what is settled.
The words, and what they rest on, are in `detectors.toml`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from support.seminar.data import lexicon
from support.seminar.forms import checked_question
from support.seminar.rules import PolicySet
from support.seminar.views import Verdict

QUOTED = 18  # words of a reply that a question quotes


def asking(reply: str, what: str = "") -> str:
    """A question that quotes the reply, for who can tell that somebody has to decide, but not about what.

    >>> asking("May I bring my dog?")
    'This may be for you to decide: “May I bring my dog?” What shall I answer?'
    """
    words = " ".join(reply.split()).replace("“", "'").replace("”", "'").split()
    quote = " ".join(words[:QUOTED]) + (" …" if len(words) > QUOTED else "")
    return checked_question(
        f"{what or 'This may be for you to decide'}: “{quote}” What shall I answer?"
    )


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that an organiser may have to decide about, with the words that tell it; see `detectors.toml`."""

    name: str
    words: re.Pattern[str]
    alone: re.Pattern[str]


def _phrases(listed: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(listed)})\b" if listed else r"(?!)")


_KNOWN, _ = lexicon("detectors.toml")
TOPICS = tuple(
    Topic(t["name"], *(_phrases(t.get(how, ())) for how in ("words", "alone")))
    for t in _KNOWN["topic"]
)
WANTS, SETTLED = _phrases(_KNOWN["wants"]), _phrases(_KNOWN["settled"])
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
LONGEST = 600  # letters: a longer sentence is read in pieces, since some patterns take time that grows with its square


class NoDetector:
    """Flags nothing: a control that shows what a detector adds."""

    kind = "none"

    async def check(
        self, reply: str, policies: PolicySet, context: str = ""
    ) -> Verdict:
        """Clear, whatever was written."""
        return Verdict(False)


class LexicalDetector:
    """Flags by words (see the module), whatever the context."""

    kind = "lexical"

    async def check(
        self, reply: str, policies: PolicySet, context: str = ""
    ) -> Verdict:
        """A flag for the first topic that a sentence wants something of, unless a policy names the topic."""
        for topic, sentence in matches(reply):
            if not covered(topic, policies):
                return Verdict(True, asking(sentence, f"The writer {topic.name}"))
        return Verdict(False)


@lru_cache(4096)  # rehearsals of the same people read the same replies
def matches(reply: str) -> tuple[tuple[Topic, str], ...]:
    """Topics with the sentences that want something of them, in the order of `TOPICS`.

    >>> [topic.name for topic, _ in matches("The 5th is fine. Could I speak by video?")]
    ['wants to speak from afar']
    """
    parts = [
        piece
        for sentence in _SENTENCE.split(reply)
        for piece in textwrap.wrap(sentence, LONGEST)
    ]
    sentences = [(part, _plain(part)) for part in parts]
    return tuple(
        (topic, part)
        for topic in TOPICS
        for part, plain in sentences
        if _wanted(topic, plain)
    )


def covered(topic: Topic, policies: PolicySet) -> bool:
    """Whether a policy names the topic, as one may that was made of a stop hook; none of `policies.yaml` does."""
    texts = [_plain(policy.text) for policy in policies]
    return any(topic.words.search(text) or topic.alone.search(text) for text in texts)


def _wanted(topic: Topic, sentence: str) -> bool:
    wants = topic.words.search(sentence) and ("?" in sentence or WANTS.search(sentence))
    return not SETTLED.search(sentence) and bool(topic.alone.search(sentence) or wants)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


STRENGTH = 10.0  # inverse of the penalty, that of the dialogue acts' classifier; it was not tuned on the cases
FOLDS = 10  # of the 20 cases each fold leaves out two, one to flag and one clear


class Encodes(Protocol):
    """What makes vectors of texts, as `support.analysis.embeddings.Encoder` does."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, shape (texts, dimensions)."""


class ClassifierDetector:
    """Flags a reply whose embedding lies on the side of those that were flagged, whatever policies and context."""

    kind = "classifier"

    def __init__(self, encoder: Encodes, weights: np.ndarray, bias: float) -> None:
        self.encoder, self.weights, self.bias = encoder, weights, bias

    @classmethod
    def fit(
        cls, texts: Sequence[str], flags: Sequence[bool], encoder: Encodes
    ) -> ClassifierDetector:
        """Learn from replies and whether each is to be flagged; both sides weigh alike, however many they are."""
        from sklearn.linear_model import LogisticRegression

        fitted = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=1000)
        fitted.fit(encoder.encode(texts), np.asarray(flags, dtype=bool))
        return cls(encoder, fitted.coef_[0], float(fitted.intercept_[0]))

    def probabilities(self, texts: Sequence[str]) -> np.ndarray:
        """Probability of a flag for each text, shape (texts,)."""
        return 1 / (
            1 + np.exp(-(self.encoder.encode(texts) @ self.weights + self.bias))
        )

    async def check(
        self, reply: str, policies: PolicySet, context: str = ""
    ) -> Verdict:
        """A flag where it is likelier than not."""
        flagged = bool(self.probabilities([reply])[0] > 0.5)
        return Verdict(True, asking(reply)) if flagged else Verdict(False)


def cross_validated(
    texts: Sequence[str],
    flags: Sequence[bool],
    cases: Sequence[str],
    encoder: Encodes,
    rng: np.random.Generator,
) -> np.ndarray:
    """Probability of a flag for each reply, by a classifier that saw no reply of its case; a case has one flag."""
    label, fold = dict(zip(cases, flags, strict=True)), dict[str, int]()
    for side in (True, False):
        names = sorted(case for case, flag in label.items() if bool(flag) is side)
        fold |= {names[i]: k % FOLDS for k, i in enumerate(rng.permutation(len(names)))}
    own = np.array([fold[case] for case in cases])
    result = np.empty(len(texts))
    for k in range(FOLDS):
        rest, left = np.flatnonzero(own != k), np.flatnonzero(own == k)
        learnt = ClassifierDetector.fit(
            [texts[i] for i in rest], [flags[i] for i in rest], encoder
        )
        result[left] = learnt.probabilities([texts[i] for i in left])
    return result
