"""Who labels: annotators that learn from labelled sentences, the majority label to beat, and a language model.

``python -m support.analysis.annotators`` trains the embedding annotators on AMI's human labels. Deterministic: the
teams are split by name, nothing is drawn, and the thresholds and the penalty come from folds over the training teams.
It takes about ten minutes on two cores, nearly all of it for embeddings, which are kept in data/runs/embeddings.sqlite.
"""

from __future__ import annotations

import asyncio
import json
import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from support.analysis.dialogue_acts import (
    AMI_TO_ACTS,
    LABELS,
    MEANINGS,
    OTHERS,
    Labels,
    checked_acts,
    labelled_ami,
    union,
)
from support.analysis.embeddings import Encoder
from support.analysis.frames import need_columns
from support.data import ROOT, output, outside
from support.errors import ContextOverflow, DamagedFile, InvalidInput, MalformedReply, MissingData
from support.models.profiles import MODEL
from support.prompts import render
from support.seats import given_model

if TYPE_CHECKING:
    import pandas as pd
    from pydantic import BaseModel

    from support.models.model import ChatModel

END_OF_SENTENCE = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+")
WORD = re.compile(r"[^\W_]")  # a letter or a digit of any script
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
FOREIGN = "not in Latin letters: it learnt from English"
LONGEST = 800  # letters of a sentence: the encoder reads 256 tokens, so that a longer one is read in pieces


def sentences(text: str) -> list[str]:
    """The sentences of a message that have a letter or a digit in them.

    >>> sentences("I take 3.5 of A. And you? :-)")
    ['I take 3.5 of A.', 'And you?']
    """
    return [part.strip() for part in END_OF_SENTENCE.split(text) if part and WORD.search(part)]


def masked(text: str) -> str:
    """A sentence with every number made the same: what a sentence does depends on none of them.

    Agents that bargain over amounts then say few different sentences, and each is embedded once.

    >>> masked("I take 33.34 of A and 7 of B")
    'I take 10 of A and 10 of B'
    """
    return NUMBER.sub("10", text)


def pieces(text: str) -> list[str]:
    """The sentences of a message, their numbers masked, long ones in pieces, so that nothing is left unread."""
    return [piece for part in sentences(text) for piece in textwrap.wrap(masked(part), LONGEST)]


def is_foreign(text: str) -> bool:
    """Whether most letters of a message are of another script than Latin."""
    letters = [c for c in text if c.isalpha()]
    return bool(letters) and sum(map(_is_latin, letters)) < len(letters) / 2


@lru_cache(maxsize=4096)
def _is_latin(letter: str) -> bool:
    return "LATIN" in unicodedata.name(letter, "")


FOLDS = 5
FEWEST = 5  # texts that have to show an act before it can be learnt
GRID = np.arange(0.05, 0.96, 0.01)


@dataclass(frozen=True, eq=False)
class Heads:
    """One logistic regression for each act: weights (acts, features), biases and thresholds (acts,).

    An act is given when its probability reaches the threshold; a sentence that performs none performs "others".
    """

    acts: Labels
    weights: np.ndarray
    biases: np.ndarray
    thresholds: np.ndarray

    def decide(self, features: Any) -> list[Labels]:
        """The acts of each sentence, from an array or a sparse matrix of shape (sentences, features)."""
        chances = 1 / (1 + np.exp(-(np.asarray(features @ self.weights.T) + self.biases)))
        return [
            union(act for act, yes in zip(self.acts, row, strict=True) if yes) for row in chances >= self.thresholds
        ]

    @classmethod
    def fit(cls, features: Any, labels: Sequence[Labels], groups: Sequence[Any], strength: float) -> Heads:
        """Fit an act that occurs often enough, and tune its threshold on groups that the fold's fit has not seen.

        `strength` is the inverse of the L2 penalty, scikit-learn's C.
        """
        acts = tuple(a for a in LABELS if a != OTHERS and FEWEST <= sum(a in given for given in labels) < len(labels))
        fold = np.unique(np.asarray([str(g) for g in groups]), return_inverse=True)[1]
        count = fold.max(initial=-1) + 1
        if not acts or count < 2:
            raise InvalidInput(
                f"labels: they show {len(acts)} learnable acts in {count} groups; label more "
                f"messages of two runs at least, until some act stands in {FEWEST} of them and not in all"
            )
        fold = fold % min(FOLDS, count)
        fitted = [_fit_one(features, np.array([a in given for given in labels]), fold, strength) for a in acts]
        weights, biases, thresholds = (np.array(part) for part in zip(*fitted, strict=True))
        return cls(acts, weights, biases, thresholds)


def _fit_one(features: Any, there: np.ndarray, fold: np.ndarray, strength: float) -> tuple[np.ndarray, float, float]:
    """Weights, bias and threshold of one act."""
    from sklearn.linear_model import LogisticRegression

    def regression(rows: np.ndarray) -> Any:
        return LogisticRegression(C=strength, max_iter=500).fit(features[rows], there[rows])

    unseen = np.full(len(there), np.nan)
    for k in np.unique(fold):
        if 0 < there[fold != k].sum() < (fold != k).sum():
            unseen[fold == k] = regression(fold != k).predict_proba(features[fold == k])[:, 1]
    whole, known = regression(np.ones(len(there), dtype=bool)), ~np.isnan(unseen)
    return whole.coef_[0], float(whole.intercept_[0]), best_threshold(unseen[known], there[known])


def best_threshold(probabilities: np.ndarray, there: np.ndarray) -> float:
    """The threshold of `GRID` with the largest F1; 0.5 where none finds anything."""
    given = probabilities[:, None] >= GRID
    hits = (given & there[:, None]).sum(axis=0)
    f1 = 2 * hits / np.maximum(given.sum(axis=0) + there.sum(), 1)
    best = np.flatnonzero(f1 == f1.max())
    return float(GRID[best[len(best) // 2]].round(2)) if f1.max() > 0 else 0.5


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
        parts = [() if is_foreign(text) else pieces(text) for text in texts]
        self.problems = {i: FOREIGN for i, text in enumerate(texts) if is_foreign(text)}
        known = sorted({part for own in parts for part in own})
        acts = dict(zip(known, self.heads.decide(self.features(known)), strict=True)) if known else {}
        return [
            () if i in self.problems else union(act for part in own for act in acts[part])
            for i, own in enumerate(parts)
        ]


COEFFICIENTS = ROOT / "data" / "models" / "dialogue_acts_ami.json"
UNMARKED = COEFFICIENTS.with_name("dialogue_acts_ami_unmarked.json")
STRENGTH = 10.0  # best of 1, 10 and 100 on the training teams alone (mean F1 on their folds)


class EmbeddingAnnotator(SentenceClassifier):
    """Logistic regressions on sentence embeddings (Reimers and Gurevych 2019) and two marks that these lose.

    The marks are whether a sentence has a question mark, and the logarithm of its number of words: the mean over words
    that makes an embedding drowns both. On the folds of the training teams alone they raise the mean F1 of the acts
    from 0.51 to 0.55, most of all for request (0.47 to 0.60). Such an annotator knows questions by their mark, and
    finds hardly any in talk that is written down without; one that is not `marked` reads every text without it.
    """

    def __init__(self, encoder: Encoder, heads: Heads, name: str = "embedding", *, marked: bool = True) -> None:
        super().__init__(heads, name)
        self.encoder, self.marked = encoder, marked

    def features(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors and marks of sentences, shape (sentences, dimensions + 2)."""
        read = texts if self.marked else [text.replace("?", "").strip() for text in texts]
        seen = np.array([["?" in text, np.log1p(len(text.split())) / 3] for text in read], dtype=np.float32)
        return np.hstack([self.encoder.encode(read), seen])

    @classmethod
    def load(cls, encoder: Encoder | None = None, path: str | Path = COEFFICIENTS) -> EmbeddingAnnotator:
        """The annotator trained on AMI's human labels; `UNMARKED` is the one that needs no question marks."""
        path, encoder = Path(path), encoder or Encoder()
        if not path.is_file():
            raise MissingData(f"no coefficients at {path}; make them with python -m support.analysis.annotators")
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            rows, model, marked = list(data["heads"].values()), data["encoder"], data.get("marked", True)
            arrays = (np.array([row[key] for row in rows], dtype=float) for key in ("weights", "bias", "threshold"))
            heads = Heads(tuple(data["heads"]), *arrays)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedFile(
                f"{path} holds no heads of an annotator ({error!r}). Make it again, or restore it."
            ) from None
        if encoder.model != model:
            raise InvalidInput(f"encoder: it embeds with {encoder.model}; the heads in {path} were fitted on {model}")
        return cls(encoder, heads, "embedding" if marked else "embedding, unmarked", marked=marked)

    @classmethod
    def fit(
        cls, frame: pd.DataFrame, encoder: Encoder, name: str = "embedding", *, marked: bool = True
    ) -> EmbeddingAnnotator:
        """Learn from labelled messages: text, acts, and run, the group that each message comes from."""
        need_columns(frame, ["text", "acts", "run"], "the labelled messages")
        made = cls(encoder, Heads((), *np.zeros((3, 0))), name, marked=marked)
        features = made.features([masked(text) for text in frame["text"]])
        heads = Heads.fit(features, list(frame["acts"]), list(frame["run"]), STRENGTH)
        return cls(encoder, heads, name, marked=marked)

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the heads as JSON of four decimals, an act a line, with what `about` says of their training."""
        h = self.heads
        rows = {
            act: {"bias": round(float(b), 4), "threshold": round(float(t), 4), "weights": np.round(w, 4).tolist()}
            for act, b, t, w in zip(h.acts, h.biases, h.thresholds, h.weights, strict=True)
        }
        head = {**about, "marked": self.marked, "encoder": self.encoder.model}
        lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
        acts = ",\n".join(f"  {json.dumps(act)}: {json.dumps(row)}" for act, row in rows.items())
        path.write_text("{\n" + ",\n".join([*lines, ' "heads": {\n' + acts + "\n }"]) + "\n}\n", encoding="utf-8")


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
    def fit(cls, frame: pd.DataFrame, name: str = "bag of words") -> WordAnnotator:
        """Learn from labelled messages, as `EmbeddingAnnotator.fit` does."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(**cls.SETTINGS)
        counts = vectorizer.fit_transform(map(masked, frame["text"]))
        return cls(vectorizer, Heads.fit(counts, list(frame["acts"]), list(frame["run"]), 1.0), name)


class MajorityAnnotator:
    """A baseline that gives every message the most frequent act of its training messages; of equals the first met."""

    name = "majority label"

    def __init__(self, frame: pd.DataFrame) -> None:
        self.problems: dict[int, str] = {}
        self.covered: Labels = (Counter(act for given in frame["acts"] for act in given).most_common(1)[0][0],)

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """The same act for each message."""
        return [self.covered] * len(messages)


MOST = 6  # acts of one message by a tight model: a schema without a bound lets small models run on
TOKENS = 80


class LanguageModelAnnotator:
    """Asks a model for the acts of each message, given the round before, at temperature 0: the paper's way (C.5).

    A blank message performs "others" and is not asked. A reply that does not fit its form after the repairs, and a
    message that the model cannot read whole, leave the message unlabelled: `problems` says why. Any other failure of
    the model is raised, for it would meet every message. `repetition` tells apart repeated labellings of the same
    messages, to see how stable they are. `talk` are the whole discussions where only a sample of them is labelled: a
    message without its round before is another task.
    """

    covered: Labels = LABELS

    def __init__(self, model: ChatModel | str, *, repetition: int = 0, talk: pd.DataFrame | None = None) -> None:
        self.model = given_model(MODEL, model, "the annotator")
        self.name = f"model {self.model.name}"
        limits = self.model.limits
        self.settings: dict[str, Any] = {
            "temperature": 0.0, "seed": 0, "repetition": repetition, "max_tokens": limits.room(TOKENS),
            "schema": acts_schema(MOST if limits.tight else len(LABELS)),
        }  # fmt: skip
        self.talk = talk
        self.problems: dict[int, str] = {}

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """The acts of each message; run and round tell which messages came before it."""
        need_columns(messages, ["run", "round", "sender", "text"], "messages")
        self.problems = {}
        here, whole = _said(messages), {} if self.talk is None else _said(self.talk)
        asked = []
        for place, row in enumerate(messages.to_dict("records")):
            now, before = ((str(row["run"]), row["round"] - back) for back in (0, 1))
            talk = whole if (row["sender"], row["text"]) in whole.get(now, ()) else here
            lines = [f"{sender}: {text}" for sender, text in talk.get(before, ())]
            asked.append(self._one(place, row["sender"], row["text"], lines))
        return await asyncio.gather(*asked)

    async def _one(self, place: int, sender: str, text: str, before: list[str]) -> Labels:
        if not text.strip():
            return (OTHERS,)
        asked = [
            {"role": "system", "content": render("dialogue_acts/briefing", meanings=tuple(MEANINGS.items()))},
            {"role": "user", "content": render("dialogue_acts/message", before=before, sender=sender, text=text)},
        ]
        try:
            reply = await self.model.reply(asked, **self.settings)
        except (MalformedReply, ContextOverflow) as error:
            self.problems[place] = str(error)
            return ()
        return union(reply.value.acts)


def _said(talk: pd.DataFrame) -> dict[tuple[str, int], list[tuple[str, str]]]:
    """What was said, by whom, in each round of each run."""
    said: dict[tuple[str, int], list[tuple[str, str]]] = {}
    for run, number, sender, text in talk[["run", "round", "sender", "text"]].itertuples(index=False):
        said.setdefault((str(run), number), []).append((sender, text))
    return said


@cache
def acts_schema(most: int = MOST) -> type[BaseModel]:
    """Schema of a reply: one label or more."""
    from pydantic import Field, create_model

    return create_model("ActsReply", acts=(list[Literal[LABELS]], Field(min_length=1, max_length=most)))  # type: ignore[valid-type]


def main(encoder: Encoder | None = None) -> None:
    """Train on the training teams, with question marks and without, and write the coefficients."""
    seen, unseen = labelled_ami()
    encoder = encoder or Encoder(output("data", "runs", "embeddings.sqlite"))
    about = {
        "what": "one logistic regression an act on a sentence's embedding, question mark and length",
        "source": outside()["ami"].source,
        "licence": outside()["ami"].licence,
        "segments": len(seen),
        "training_meetings": sorted(seen["meeting"].unique()),
        "unseen_meetings": sorted(unseen["meeting"].unique()),
        "mapping": {label: act for label, (act, _) in AMI_TO_ACTS.items()},
        "strength": STRENGTH,
    }
    for path, marked in ((COEFFICIENTS, True), (UNMARKED, False)):
        annotator = EmbeddingAnnotator.fit(seen, encoder, marked=marked)
        annotator.save(path, about)
        print(f"{path}: {', '.join(annotator.heads.acts)}, from {len(seen)} segments")


if __name__ == "__main__":
    main()
