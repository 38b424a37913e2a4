"""Who labels: annotators that learn from labelled sentences, the majority label to beat, and a language model.

``python -m support.analysis.annotators`` trains the embedding annotators on AMI's human labels, in ten minutes on two
cores, nearly all of it for embeddings, which are kept. Deterministic: teams are split by name, nothing is drawn.
"""

from __future__ import annotations

import asyncio
import json
import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from scipy.special import expit

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
from support.data import ROOT, output, outside
from support.errors import ContextOverflow, InvalidInput, MalformedReply
from support.models.profiles import MODEL
from support.prompts import render
from support.seats import given_model

if TYPE_CHECKING:
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
    return [
        part.strip()
        for part in END_OF_SENTENCE.split(text)
        if part and WORD.search(part)
    ]


def masked(text: str) -> str:
    """A sentence with every number made the same, since what it does depends on none: each is then embedded once."""
    return NUMBER.sub("10", text)


def pieces(text: str) -> list[str]:
    """The sentences of a message, their numbers masked, long ones in pieces, so that nothing is left unread."""
    return [
        piece
        for part in sentences(text)
        for piece in textwrap.wrap(masked(part), LONGEST)
    ]


def is_foreign(text: str) -> bool:
    """Whether most letters of a message are of another script than Latin."""
    latin = ["LATIN" in unicodedata.name(c, "") for c in text if c.isalpha()]
    return sum(latin) < len(latin) / 2


FOLDS = 5
FEWEST = 5  # texts that have to show an act before it can be learnt
GRID = np.arange(0.05, 0.96, 0.01)


@dataclass(frozen=True, eq=False)
class Heads:
    """One logistic regression for each act: weights (acts, features), biases and thresholds (acts,)."""

    acts: Labels
    weights: np.ndarray
    biases: np.ndarray
    thresholds: np.ndarray

    def decide(self, features: Any) -> list[Labels]:
        """The acts of each sentence, from an array or a sparse matrix of shape (sentences, features)."""
        given = (
            expit(np.asarray(features @ self.weights.T) + self.biases)
            >= self.thresholds
        )
        return [union(compress(self.acts, row)) for row in given]

    @classmethod
    def fit(
        cls,
        features: Any,
        labels: Sequence[Labels] | pd.Series,
        groups: Iterable[Any],
        strength: float,
    ) -> Heads:
        """Fit each act that occurs often enough, and tune its threshold on groups that the fold's fit has not seen."""
        acts = tuple(
            a
            for a in LABELS
            if a != OTHERS
            and FEWEST <= sum(a in given for given in labels) < len(labels)
        )
        names, fold = np.unique(
            np.asarray([str(g) for g in groups]), return_inverse=True
        )
        if not acts or len(names) < 2:
            raise InvalidInput(
                f"labels: they show {len(acts)} learnable acts in {len(names)} groups; label more messages of two runs "
                f"at least, until some act stands in {FEWEST} of them and not in all"
            )
        fold = fold % min(FOLDS, len(names))
        fitted = [
            _fit_one(
                features, np.array([a in given for given in labels]), fold, strength
            )
            for a in acts
        ]
        weights, biases, thresholds = (
            np.array(part) for part in zip(*fitted, strict=True)
        )
        return cls(acts, weights, biases, thresholds)


def _fit_one(
    features: Any, there: np.ndarray, fold: np.ndarray, strength: float
) -> tuple[np.ndarray, float, float]:
    """Weights, bias and threshold of one act."""
    from sklearn.linear_model import LogisticRegression

    model, unseen = (
        LogisticRegression(C=strength, max_iter=500),
        np.full(len(there), np.nan),
    )
    for k in np.unique(fold):
        rows = fold != k
        if 0 < there[rows].sum() < rows.sum():
            unseen[~rows] = model.fit(features[rows], there[rows]).predict_proba(
                features[~rows]
            )[:, 1]
    known = ~np.isnan(unseen)
    model.fit(features, there)
    return (
        model.coef_[0],
        float(model.intercept_[0]),
        best_threshold(unseen[known], there[known]),
    )


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

    def __init__(
        self, heads: Heads, name: str, features: Callable[[Sequence[str]], Any]
    ) -> None:
        self.heads, self.name, self.features = heads, name, features
        self.covered: Labels = checked_acts((*heads.acts, OTHERS))
        self.problems: dict[int, str] = {}

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """The acts of each message."""
        self.problems = {
            i: FOREIGN for i, text in enumerate(messages["text"]) if is_foreign(text)
        }
        parts = [
            () if i in self.problems else pieces(text)
            for i, text in enumerate(messages["text"])
        ]
        known = sorted({part for own in parts for part in own})
        acts = (
            dict(zip(known, self.heads.decide(self.features(known)), strict=True))
            if known
            else {}
        )
        given = [union(act for part in own for act in acts[part]) for own in parts]
        return [() if i in self.problems else labels for i, labels in enumerate(given)]


COEFFICIENTS = ROOT / "data" / "models" / "dialogue_acts_ami.json"
UNMARKED = COEFFICIENTS.with_name("dialogue_acts_ami_unmarked.json")
STRENGTH = (
    10.0  # best of 1, 10 and 100 on the training teams alone (mean F1 on their folds)
)


class EmbeddingAnnotator(SentenceClassifier):
    """Logistic regressions on sentence embeddings (Reimers and Gurevych 2019), question mark and length.

    Hardly any questions are then found in talk that is written down without marks; one that is not `marked` reads every
    text so.
    """

    def __init__(
        self, encoder: Encoder, heads: Heads, name: str, *, marked: bool
    ) -> None:
        super().__init__(heads, name, partial(marked_vectors, encoder, marked))
        self.encoder, self.marked = encoder, marked

    @classmethod
    def load(
        cls, encoder: Encoder | None = None, path: Path = COEFFICIENTS
    ) -> EmbeddingAnnotator:
        """The annotator trained on AMI's human labels; `UNMARKED` is the one that needs no question marks."""
        data, encoder = (
            json.loads(path.read_text(encoding="utf-8")),
            encoder or Encoder(),
        )
        if encoder.model != (model := data["encoder"]):
            raise InvalidInput(
                f"encoder: it embeds with {encoder.model}; the heads in {path} were fitted on {model}"
            )
        rows, marked = data["heads"].values(), data.get("marked", True)
        arrays = (
            np.array([row[key] for row in rows])
            for key in ("weights", "bias", "threshold")
        )
        name = "embedding" if marked else "embedding, unmarked"
        return cls(encoder, Heads(tuple(data["heads"]), *arrays), name, marked=marked)

    @classmethod
    def fit(
        cls,
        frame: pd.DataFrame,
        encoder: Encoder,
        name: str = "embedding",
        *,
        marked: bool = True,
    ) -> EmbeddingAnnotator:
        """Learn from labelled messages: text, acts, and run, the group that each message comes from."""
        features = marked_vectors(
            encoder, marked, [masked(text) for text in frame["text"]]
        )
        return cls(
            encoder,
            Heads.fit(features, frame["acts"], frame["run"], STRENGTH),
            name,
            marked=marked,
        )

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the heads as JSON of four decimals, with what `about` says of their training."""
        names, parts = (
            ("bias", "threshold", "weights"),
            (self.heads.biases, self.heads.thresholds, self.heads.weights),
        )
        rows = zip(*(np.round(part, 4).tolist() for part in parts), strict=True)
        heads = {
            act: dict(zip(names, row, strict=True))
            for act, row in zip(self.heads.acts, rows, strict=True)
        }
        data = {
            **about,
            "marked": self.marked,
            "encoder": self.encoder.model,
            "heads": heads,
        }
        path.write_text(json.dumps(data) + "\n", encoding="utf-8")


def marked_vectors(encoder: Encoder, marked: bool, texts: Sequence[str]) -> np.ndarray:
    """Unit vectors and marks of sentences, shape (sentences, dimensions + 2)."""
    read = texts if marked else [text.replace("?", "").strip() for text in texts]
    seen = np.array(
        [["?" in text, np.log1p(len(text.split())) / 3] for text in read],
        dtype=np.float32,
    )
    return np.hstack([encoder.encode(read), seen])


class WordAnnotator(SentenceClassifier):
    """A baseline: the same regressions on words and pairs of words, weighted by how rare they are (tf-idf)."""

    @classmethod
    def fit(cls, frame: pd.DataFrame, name: str = "bag of words") -> WordAnnotator:
        """Learn from labelled messages, as `EmbeddingAnnotator.fit` does."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(
            ngram_range=(1, 2), min_df=3, sublinear_tf=True, token_pattern=r"\w+|[?!]"
        )
        counts = vectorizer.fit_transform(map(masked, frame["text"]))
        return cls(
            Heads.fit(counts, frame["acts"], frame["run"], 1.0),
            name,
            vectorizer.transform,
        )


class MajorityAnnotator:
    """A baseline that gives every message the most frequent act of its training messages."""

    name = "majority label"

    def __init__(self, frame: pd.DataFrame) -> None:
        self.problems: dict[int, str] = {}
        self.covered: Labels = (
            Counter(act for given in frame["acts"] for act in given).most_common(1)[0][
                0
            ],
        )

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """The same act for each message."""
        return [self.covered] * len(messages)


MOST = 6  # acts of one message by a tight model: a schema without a bound lets small models run on
TOKENS = 80


class LanguageModelAnnotator:
    """Asks a model for the acts of each message, given the round before, at temperature 0: the paper's way (C.5).

    A reply off its form and a message that the model cannot read whole leave the message unlabelled: `problems` says
    why. `talk` are the whole discussions where a sample is labelled: without its round before it is another task.
    """

    covered: Labels = LABELS

    def __init__(
        self, model: ChatModel | str, *, talk: pd.DataFrame | None = None
    ) -> None:
        from pydantic import Field, create_model

        self.model = given_model(MODEL, model, "the annotator")
        self.name = f"model {self.model.name}"
        limits = self.model.limits
        most = Field(min_length=1, max_length=MOST if limits.tight else len(LABELS))
        self.settings: dict[str, Any] = {
            "temperature": 0.0, "seed": 0, "repetition": 0, "max_tokens": limits.room(TOKENS),
            "schema": create_model("ActsReply", acts=(list[Literal[LABELS]], most)),  # type: ignore[valid-type]
        }  # fmt: skip
        self.talk = talk
        self.problems: dict[int, str] = {}

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """The acts of each message; run and round tell which messages came before it."""
        self.problems = {}
        here, whole = (
            _said(talk)
            for talk in (messages, messages if self.talk is None else self.talk)
        )
        asked = []
        rows = messages[["run", "round", "sender", "text"]].itertuples(index=False)
        for place, (run, number, sender, text) in enumerate(rows):
            line = f"{sender}: {text}"
            talk = whole if line in whole.get((str(run), number), ()) else here
            asked.append(
                self._one(place, sender, text, talk.get((str(run), number - 1), []))
            )
        return await asyncio.gather(*asked)

    async def _one(
        self, place: int, sender: str, text: str, before: list[str]
    ) -> Labels:
        if not text.strip():
            return (OTHERS,)
        asked = [
            {
                "role": "system",
                "content": render(
                    "dialogue_acts/briefing", meanings=tuple(MEANINGS.items())
                ),
            },
            {
                "role": "user",
                "content": render(
                    "dialogue_acts/message", before=before, sender=sender, text=text
                ),
            },
        ]
        try:
            reply = await self.model.reply(asked, **self.settings)
        except (MalformedReply, ContextOverflow) as error:
            self.problems[place] = str(error)
            return ()
        return union(reply.value.acts)


def _said(talk: pd.DataFrame) -> dict[Any, list[str]]:
    """What was said, by whom, in each round of each run."""
    lines = talk["sender"] + ": " + talk["text"]
    return (
        lines.groupby([talk["run"].astype(str), talk["round"]], sort=False)
        .agg(list)
        .to_dict()
    )


def main() -> None:
    """Train on the training teams, with question marks and without, and write the coefficients."""
    seen, unseen = labelled_ami()
    encoder = Encoder(output("data", "runs", "embeddings.sqlite"))
    corpus, mapping = (
        outside()["ami"],
        {label: act for label, (act, _) in AMI_TO_ACTS.items()},
    )
    meetings = {
        "training_meetings": sorted(set(seen["meeting"])),
        "unseen_meetings": sorted(set(unseen["meeting"])),
    }
    what = "one logistic regression an act on a sentence's embedding, question mark and length"
    about = {"what": what, "source": corpus.source, "licence": corpus.licence, "segments": len(seen), **meetings,
             "mapping": mapping, "strength": STRENGTH}  # fmt: skip
    for path, marked in ((COEFFICIENTS, True), (UNMARKED, False)):
        annotator = EmbeddingAnnotator.fit(seen, encoder, marked=marked)
        annotator.save(path, about)
        print(f"{path}: {', '.join(annotator.heads.acts)}, from {len(seen)} segments")


if __name__ == "__main__":
    main()
