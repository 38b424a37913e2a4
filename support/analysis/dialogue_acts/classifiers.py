"""Annotators that learn from labelled sentences: on embeddings, on bags of words, and the majority label to beat."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from support.analysis.dialogue_acts.acts import OTHERS, checked_acts
from support.analysis.dialogue_acts.annotators import Labels, union
from support.analysis.dialogue_acts.heads import Heads, fit_heads
from support.analysis.dialogue_acts.sentences import FOREIGN, is_foreign, masked, sentences
from support.analysis.embeddings import Encoder
from support.analysis.frames import need_columns
from support.data import ROOT
from support.errors import DamagedFile, InvalidInput, MissingData

if TYPE_CHECKING:
    import pandas as pd

COEFFICIENTS = ROOT / "data" / "models" / "dialogue_acts_ami.json"
STRENGTH = 10.0  # best of 1, 10 and 100 on the training teams alone (mean F1 on their folds)
LONGEST = 800  # letters of a sentence: the encoder reads 256 tokens, so that a longer one is read in pieces


class SentenceClassifier:
    """A message is cut into sentences, each gets the acts whose threshold it reaches, the message gets their union.

    A message without a letter or a digit (empty, only emoji) performs "others"; one in another script is left
    unlabelled, and `problems` says so.
    """

    def __init__(self, heads: Heads, name: str) -> None:
        self.heads, self.name = heads, name
        self.covered: Labels = checked_acts((*heads.acts, OTHERS))
        self.problems: dict[int, str] = {}

    def features(self, texts: Sequence[str]) -> Any:
        """What the heads see of sentences, one row each."""
        raise NotImplementedError

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """The acts of each message."""
        need_columns(messages, ["text"], "messages")
        texts = list(messages["text"])
        parts = [pieces(text) for text in texts]
        self.problems = {i: FOREIGN for i, text in enumerate(texts) if is_foreign(text)}
        acts = self._acts({part for i, own in enumerate(parts) if i not in self.problems for part in own})
        return [
            () if i in self.problems else union(act for part in own for act in acts[part])
            for i, own in enumerate(parts)
        ]

    def _acts(self, texts: set[str]) -> dict[str, Labels]:
        known = sorted(texts)
        return dict(zip(known, self.heads.decide(self.features(known)), strict=True)) if known else {}


def pieces(text: str) -> list[str]:
    """The sentences of a message, their numbers masked, long ones in pieces, so that nothing is left unread.

    >>> [len(piece) for piece in pieces("word " * 400)]
    [799, 799, 399]
    """
    return [piece for part in sentences(text) for piece in textwrap.wrap(masked(part), LONGEST)]


class EmbeddingAnnotator(SentenceClassifier):
    """Logistic regressions on sentence embeddings (Reimers and Gurevych 2019) and two `marks` that these lose.

    Parameters
    ----------
    encoder : Encoder
        The one whose vectors the heads were fitted on.
    heads : Heads
        From `load`, which reads those trained on AMI, or from `fit`.
    """

    def __init__(self, encoder: Encoder, heads: Heads, name: str = "embedding") -> None:
        super().__init__(heads, name)
        self.encoder = encoder

    def features(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors and marks of sentences, shape (sentences, dimensions + 2)."""
        return _seen(self.encoder, texts)

    @classmethod
    def load(cls, encoder: Encoder | None = None, path: str | Path = COEFFICIENTS) -> EmbeddingAnnotator:
        """The annotator trained on AMI's human labels (`python -m support.analysis.dialogue_acts.train`).

        Raises
        ------
        MissingData, DamagedFile, InvalidInput
            The coefficients are not there, are no coefficients, or belong to another embedding model.
        """
        heads, model = _read(Path(path))
        encoder = encoder or Encoder()
        if encoder.model != model:
            raise InvalidInput(f"encoder: it embeds with {encoder.model}; the heads in {path} were fitted on {model}")
        return cls(encoder, heads)

    @classmethod
    def fit(
        cls, frame: pd.DataFrame, encoder: Encoder, *, acts: str = "acts", group: str = "run", name: str = "embedding"
    ) -> EmbeddingAnnotator:
        """Learn from labelled messages: text, a column of labels, and the group that each message comes from.

        Raises
        ------
        InvalidInput
            When there is too little to learn from (see `fit_heads`).
        """
        need_columns(frame, ["text", acts, group], "the labelled messages")
        vectors = _seen(encoder, [masked(text) for text in frame["text"]])
        return cls(encoder, fit_heads(vectors, list(frame[acts]), list(frame[group]), strength=STRENGTH), name)

    def save(self, path: str | Path, about: Mapping[str, Any]) -> None:
        """Write the heads as JSON of four decimals, with what `about` says of their training."""
        h = self.heads
        rows = {
            act: {"bias": round(float(b), 4), "threshold": round(float(t), 4), "weights": np.round(w, 4).tolist()}
            for act, b, t, w in zip(h.acts, h.biases, h.thresholds, h.weights, strict=True)
        }
        body = {**about, "encoder": self.encoder.model, "heads": rows}
        lines = (f" {json.dumps(key)}: {_compact(value)}" for key, value in body.items())
        Path(path).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _compact(value: Any) -> str:
    """A line for each act, and one for all else."""
    if not (isinstance(value, dict) and all(isinstance(row, dict) for row in value.values())):
        return json.dumps(value)
    return "{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(row)}" for k, row in value.items()) + "\n }"


def marks(texts: Sequence[str]) -> np.ndarray:
    """Whether each text has a question mark, and the logarithm of its number of words: shape (texts, 2).

    The mean over words that makes an embedding drowns both. On the folds of the training teams alone they raise the
    mean F1 of the acts from 0.51 to 0.55, most of all for request (0.47 to 0.60).

    >>> marks(["Is it red ?", "red"])[:, 0]
    array([1., 0.], dtype=float32)
    """
    return np.array([["?" in text, np.log1p(len(text.split())) / 3] for text in texts], dtype=np.float32).reshape(-1, 2)


def _seen(encoder: Encoder, texts: Sequence[str]) -> np.ndarray:
    return np.hstack([encoder.encode(texts), marks(texts)])


def _read(path: Path) -> tuple[Heads, str]:
    if not path.is_file():
        raise MissingData(f"no coefficients at {path}; make them with python -m support.analysis.dialogue_acts.train")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = list(data["heads"].values())
        arrays = (np.array([row[key] for row in rows], dtype=float) for key in ("weights", "bias", "threshold"))
        return Heads(tuple(data["heads"]), *arrays), data["encoder"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFile(f"{path} holds no heads of an annotator ({error!r}). Make it again, or restore it.") from None


class WordAnnotator(SentenceClassifier):
    """A baseline: the same regressions on words and pairs of words, weighted by how rare they are (tf-idf)."""

    SETTINGS: ClassVar[dict[str, Any]] = {"ngram_range": (1, 2), "min_df": 3, "sublinear_tf": True,
                                          "token_pattern": r"\w+|[?!]"}  # fmt: skip

    def __init__(self, vectorizer: Any, heads: Heads, name: str = "bag of words") -> None:
        super().__init__(heads, name)
        self.vectorizer = vectorizer

    def features(self, texts: Sequence[str]) -> Any:
        """Weighted counts, sparse."""
        return self.vectorizer.transform(texts)

    @classmethod
    def fit(cls, frame: pd.DataFrame, *, acts: str = "acts", group: str = "run") -> WordAnnotator:
        """Learn from labelled messages, as `EmbeddingAnnotator.fit` does."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        need_columns(frame, ["text", acts, group], "the labelled messages")
        vectorizer = TfidfVectorizer(**cls.SETTINGS)
        counts = vectorizer.fit_transform(map(masked, frame["text"]))
        return cls(vectorizer, fit_heads(counts, list(frame[acts]), list(frame[group])))


class MajorityAnnotator:
    """A baseline that gives every message the most frequent act of its training messages."""

    def __init__(self, act: str, name: str = "majority label") -> None:
        self.act, self.name, self.problems = act, name, dict[int, str]()
        self.covered: Labels = (act,)

    @classmethod
    def fit(cls, frame: pd.DataFrame, *, acts: str = "acts") -> MajorityAnnotator:
        """Find the most frequent act; among equals the first one met."""
        need_columns(frame, [acts], "the labelled messages")
        return cls(Counter(act for given in frame[acts] for act in given).most_common(1)[0][0])

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """The same act for each message."""
        return [(self.act,)] * len(messages)
