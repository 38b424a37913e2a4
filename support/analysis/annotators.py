"""Who labels talk with dialogue acts: what is known stays, a model labels models' talk, and where none can be asked an
annotator that learnt from labelled sentences does (`labelled`).

``python -m support.analysis.annotators`` trains those, on the sentences of three authors and on AMI's meetings, in five
minutes, nearly all of it for embeddings, which are kept. Nothing is drawn: teams and authors are split by name.
"""

from __future__ import annotations

import asyncio
import json
import re
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from support.analysis.agreement import evaluate
from support.analysis.dialogue_acts import (
    HELD_OUT,
    LABELS,
    MEANINGS,
    OTHERS,
    Annotator,
    Labels,
    authors,
    labelled_ami,
    union,
)
from support.analysis.embeddings import Encoder
from support.data import ROOT, output, study_file
from support.errors import (
    ContextOverflow,
    InvalidInput,
    MalformedReply,
    ModelUnavailable,
)
from support.models.profiles import EMBEDDED, MODEL, is_model
from support.prompts import render
from support.seats import given_model

if TYPE_CHECKING:
    from support.models.model import ChatModel


# -- the policy ------------------------------------------------------------------------------------------------------

TRUE = "true"
PEOPLE = "people"
TRAINED = {"embedding": "dialogue_acts_agents", "embedding AMI": "dialogue_acts_ami"}
"""Annotators that need no model, and their files in data/models: one for agents' talk, one for people's."""

Chosen = Any
"""Who is to label: "model:NAME", one of `TRAINED`, an object that labels, {participant or kind: either}, or None."""


async def labelled(
    messages: pd.DataFrame, annotators: Chosen = None, encoder: Encoder | None = None
) -> pd.DataFrame:
    """The messages with `acts` filled, and who gave them, `labelled_by`.

    Acts that are known (of rule-based agents, of corpora) stay. Others are given by `annotator_for` of their sender's
    kind. `attrs["unseen"]` says which acts the annotator of each participant (the column seats, or participant) cannot
    tell.
    """
    from support.models import serving

    known = messages["acts"].map(len) > 0
    made = messages.assign(labelled_by=np.where(known, TRUE, ""))
    blank = messages[~known]
    people = pd.Series(PEOPLE, blank.index)
    kinds = blank.get("kind", people)
    participants = blank.get("seats", blank.get("participant", kinds))
    unseen: dict[str, Labels] = {}
    with serving(cache=study_file("dialogue_acts")):
        for group, part in blank.groupby([participants, kinds]):
            who, kind = map(str, group)
            named = isinstance(annotators, Mapping) and who in annotators
            given = annotators[who] if named else annotators
            annotator = annotator_for(kind, given, encoder)
            acts = await annotator.label(part, messages)
            made.loc[part.index, "acts"] = pd.Series(acts, part.index, dtype=object)
            made.loc[part.index, "labelled_by"] = annotator.name
            both = {*unseen.get(who, ()), *annotator.unseen}
            unseen[who] = tuple(act for act in LABELS if act in both)
    made.attrs["unseen"] = unseen
    return made


def annotator_for(
    kind: str, annotators: Chosen = None, encoder: Encoder | None = None
) -> Annotator:
    """Who labels the talk of a kind ("model:gpt-4o-mini", "linear", "people").

    One that is named: "model:NAME", one of `TRAINED`, an object that labels, or {kind: either}. Otherwise the model
    that spoke; where it cannot be asked (no key, the embedded one), the annotator that is trained on such talk.
    """
    given = annotators.get(kind) if isinstance(annotators, Mapping) else annotators
    if given is None and is_model(kind) and kind != f"{MODEL}:{EMBEDDED.name}":
        with suppress(ModelUnavailable):
            return LanguageModelAnnotator(kind)
    if given is None:
        given = "embedding AMI" if kind == PEOPLE else "embedding"
    if not isinstance(given, str):
        return given
    if is_model(given):
        return LanguageModelAnnotator(given)
    if given in TRAINED:
        return SentenceAnnotator.load(given, encoder)
    expected = f"{', '.join(TRAINED)}, or {MODEL}:NAME"
    raise InvalidInput(f"annotators: {given!r} given; expected {expected}")


def whose(messages: pd.DataFrame) -> str:
    """Whose labels these are, and which acts they cannot show: for a caption."""
    names = ", ".join(messages["labelled_by"].unique())
    blind = {*chain.from_iterable(messages.attrs.get("unseen", {}).values())}
    lacking = ", ".join(act for act in LABELS if act in blind)
    return f"labels: {names}" + (f" (cannot show {lacking})" if blind else "")


# -- learnt from labelled sentences ----------------------------------------------------------------------------------

END_OF_SENTENCE = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+")
WORD = re.compile(r"[^\W_]")  # a letter or a digit of any script
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
FOREIGN = "not in Latin letters: it learnt from English"
LONGEST = 800  # letters: the encoder reads 256 tokens, so a longer one goes in pieces
STRENGTH = 30.0  # of 1 to 100 the best on the three authors, each left out once
ALSO = 0.3  # probability from which an act is given beside the most probable one
SPARSE = 4  # every so many of AMI's segments are enough: 11,000
MODERATE = 0.4  # kappa below which an act cannot be told (Landis and Koch 1977)


def masked(text: str) -> str:
    """A sentence with every number made the same, since what it does depends on none."""
    return NUMBER.sub("10", text)


def pieces(text: str) -> list[str]:
    """The sentences of a message, long ones in pieces, so that nothing is left unread.

    >>> pieces("I take 3.5 of A. And you? :-)")
    ['I take 10 of A.', 'And you?']
    """
    parts = [part for part in END_OF_SENTENCE.split(text) if part and WORD.search(part)]
    wrapped = [textwrap.wrap(masked(part.strip()), LONGEST) for part in parts]
    return list(chain.from_iterable(wrapped))


def is_foreign(text: str) -> bool:
    """Whether most letters of a message are of another script than Latin."""
    latin = ["LATIN" in unicodedata.name(c, "") for c in text if c.isalpha()]
    return sum(latin) < len(latin) / 2


class SentenceAnnotator:
    """A message performs the acts of its sentences: the most probable one of each, and others of `ALSO` or more.

    `model` is a classifier of scikit-learn whose input is texts; `least` the lower end of its kappa on such talk, act
    by act: what is not surely `MODERATE` cannot be told by its labels. A message without a letter or a digit performs
    "others"; one in another script stays unlabelled.
    """

    def __init__(
        self, name: str, model: Any, least: Mapping[str, float] | None = None
    ) -> None:
        self.name, self.model, self.problems = name, model, dict[int, str]()
        least = dict.fromkeys(model.classes_, 1.0) if least is None else least
        weak = [act for act in LABELS if least.get(act, 0) < MODERATE]
        self.unseen: Labels = tuple(weak)

    async def label(
        self, messages: pd.DataFrame, talk: pd.DataFrame | None = None
    ) -> list[Labels]:
        """The acts of each message."""
        foreign = messages["text"].map(is_foreign).to_numpy()
        self.problems = dict.fromkeys(np.flatnonzero(foreign).tolist(), FOREIGN)
        parts = messages["text"].map(pieces)
        known = sorted(set(parts.explode().dropna()))
        acts = dict(zip(known, self.classify(known), strict=True))
        given = [union(act for part in own for act in acts[part]) for own in parts]
        return [() if i in self.problems else acts for i, acts in enumerate(given)]

    def classify(self, sentences: Sequence[str]) -> list[Labels]:
        """The acts of each sentence."""
        if not sentences:
            return []
        p = self.model.predict_proba(sentences)
        chosen = (p >= ALSO) | (p == p.max(axis=1, keepdims=True))
        return [union(self.model.classes_[row]) for row in chosen]

    @classmethod
    def load(cls, name: str, encoder: Encoder | None = None) -> SentenceAnnotator:
        """One of `TRAINED`."""
        from sklearn.linear_model import LogisticRegression

        data, encoder = json.loads(_path(name).read_text()), encoder or Encoder()
        if encoder.model != (fitted := data["encoder"]):
            was = f"the annotator {name!r} was fitted on {fitted}"
            raise InvalidInput(f"encoder: it embeds with {encoder.model}; {was}")
        regression = LogisticRegression()
        for part in FITTED:
            setattr(regression, part, np.array(data[part]))
        least = {act: low for act, (_, low, _) in data["kappa"].items()}
        return cls(name, on_embeddings(encoder, regression), least)


FITTED = ("classes_", "intercept_", "coef_")  # of scikit-learn's regressions


def _path(name: str) -> Path:
    return ROOT / "data" / "models" / f"{TRAINED[name]}.json"


def on_embeddings(encoder: Encoder, classifier: Any) -> Any:
    """A classifier behind what it learns of a text: its embedding, whether it asks, and its length."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    known = {"encoder": encoder}
    return make_pipeline(FunctionTransformer(_features, kw_args=known), classifier)


def _features(texts: Sequence[str], encoder: Encoder) -> np.ndarray:
    """Unit vectors and marks of sentences, shape (sentences, dimensions + 2)."""
    marks = [["?" in text, np.log1p(len(text.split())) / 3] for text in texts]
    return np.hstack([encoder.encode(list(texts)), np.array(marks, dtype=np.float32)])


def learn(frame: pd.DataFrame, encoder: Encoder) -> Any:
    """A multinomial regression on sentence embeddings (Reimers and Gurevych 2019), taught by sentences (text, acts)."""
    from sklearn.linear_model import LogisticRegression

    rows = frame.explode("acts")
    if rows["acts"].nunique() < 2:
        shown = ", ".join(map(str, rows["acts"].unique())) or "none"
        raise InvalidInput(
            f"acts: they show {shown}; label sentences of two acts or more"
        )
    regression = LogisticRegression(C=STRENGTH, max_iter=300)
    texts = [masked(text) for text in rows["text"]]
    return on_embeddings(encoder, regression).fit(texts, rows["acts"])


# -- a language model ------------------------------------------------------------------------------------------------

MOST = (
    6  # acts of one message by a tight model: a schema without a bound lets it run on
)
TOKENS = 80


def question(sender: str, text: str, before: Sequence[str] = ()) -> list[Any]:
    """What a model is asked about a message, given the lines of the round before (C.5)."""
    briefing = render("dialogue_acts/briefing", meanings=tuple(MEANINGS.items()))
    asked = render("dialogue_acts/message", before=before, sender=sender, text=text)
    contents = {"system": briefing, "user": asked}
    return [{"role": role, "content": content} for role, content in contents.items()]


def form(most: int = len(LABELS)) -> Any:
    """The form of a model's answer: one label or more."""
    from pydantic import Field, create_model

    acts: Any = list[Literal[LABELS]]  # type: ignore[valid-type]
    return create_model("ActsReply", acts=(acts, Field(min_length=1, max_length=most)))


class LanguageModelAnnotator:
    """Asks a model for the acts of each message, given the round before, at temperature 0: the paper's way (C.5).

    A reply off its form and a message that the model cannot read whole leave the message unlabelled.
    """

    unseen: Labels = ()

    def __init__(self, model: ChatModel | str) -> None:
        self.model = given_model(MODEL, model, "the annotator")
        self.name, self.problems = f"model {self.model.name}", dict[int, str]()
        limits = self.model.limits
        self.settings: dict[str, Any] = {
            "temperature": 0.0,
            "seed": 0,
            "repetition": 0,
            "max_tokens": limits.room(TOKENS),
            "schema": form(MOST if limits.tight else len(LABELS)),
        }

    async def label(
        self, messages: pd.DataFrame, talk: pd.DataFrame | None = None
    ) -> list[Labels]:
        """The acts of each message; run and round tell which messages came before it."""
        self.problems = {}
        whole = messages if talk is None else talk
        lines = whole["sender"] + ": " + whole["text"]
        rounds = lines.groupby([whole["run"], whole["round"]]).agg(list).to_dict()
        asked = []
        for place, row in enumerate(messages.to_dict("records")):
            before = rounds.get((row["run"], row["round"] - 1), [])
            asked.append(self._one(place, row["sender"], row["text"], before))
        return await asyncio.gather(*asked)

    async def _one(
        self, place: int, sender: str, text: str, before: list[str]
    ) -> Labels:
        if not text.strip():
            return (OTHERS,)
        try:
            turns = question(sender, text, before)
            reply = await self.model.reply(turns, **self.settings)
        except (MalformedReply, ContextOverflow) as error:
            self.problems[place] = str(error)
            return ()
        return union(reply.value.acts)


# -- training --------------------------------------------------------------------------------------------------------


def by_others(frame: pd.DataFrame, encoder: Encoder) -> list[Labels]:
    """The acts of sentences (text, acts, run) as annotators give them that learnt from the other runs, in three folds."""
    from sklearn.model_selection import GroupKFold

    given: list[Labels] = [()] * len(frame)
    for rows, left_out in GroupKFold(3).split(frame, groups=frame["run"]):
        annotator = SentenceAnnotator("fold", learn(frame.iloc[rows], encoder))
        acts = annotator.classify([masked(t) for t in frame["text"].iloc[left_out]])
        for place, labels in zip(left_out, acts, strict=True):
            given[place] = labels
    return given


def train(name: str, frame: pd.DataFrame, encoder: Encoder) -> None:
    """Learn one of `TRAINED` from sentences (text, acts, run), and write it with its kappa on runs not read."""
    rng, given = np.random.default_rng(1), by_others(frame, encoder)
    tested = evaluate(frame["acts"], given, frame.index, rng, draws=500)
    kappa = tested[(tested["measure"] == "kappa") & (tested["truth"] > 0)]
    regression = learn(frame, encoder)[-1]
    data = {part: getattr(regression, part).tolist() for part in FITTED}
    data |= {part: np.round(data[part], 3).tolist() for part in FITTED[1:]}
    bounds = kappa.set_index("act")[["value", "low", "high"]].round(3)
    about = {"encoder": encoder.model, "kappa": bounds.T.to_dict("list")}
    _path(name).write_text(json.dumps(about | data) + "\n")
    print(name, about)


def main() -> None:
    """Train the annotators of `TRAINED`."""
    encoder = Encoder(output("data", "runs", "embeddings.sqlite"))
    talk = authors()
    train("embedding", talk[talk["run"] != HELD_OUT], encoder)
    segments = labelled_ami()[0][::SPARSE].reset_index(drop=True)
    train("embedding AMI", segments, encoder)


if __name__ == "__main__":
    main()
