"""Who labels talk with dialogue acts: what is known stays, a model labels models' talk, and where none can be asked an
annotator that learnt from labelled sentences does (`labelled`).
"""

from __future__ import annotations

import asyncio
import re
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from support.analysis.agreement import evaluate
from support.analysis.dialogue_acts import (
    HELD_OUT,
    LABELS,
    MEANINGS,
    Annotator,
    Labels,
    Scheme,
    authors,
    union,
)
from support.analysis.embeddings import Encoder
from support.data import study_file
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
OFFLINE = "embedding"

Chosen = Any
"""Who is to label: "model:NAME", `OFFLINE`, an object that labels, {participant or kind: either}, or None."""


async def labelled(
    messages: pd.DataFrame,
    annotators: Chosen = None,
    encoder: Encoder | None = None,
    meanings: Scheme = MEANINGS,
) -> pd.DataFrame:
    """The messages with `acts` filled, and who gave them, `labelled_by`.

    Acts that are known (of rule-based agents, of corpora) stay, unless some are none of the scheme `meanings`. Others
    are given by `annotator_for` of their sender's kind. `attrs["unseen"]` says which acts the annotator of each
    participant (the column seats, or participant) cannot tell.
    """
    from support.models import serving

    fits = {*messages["acts"].explode().dropna()} <= {*meanings}
    known = fits & (messages["acts"].map(len) > 0)
    made = messages.assign(labelled_by=np.where(known, TRUE, ""))
    blank = messages[~known]
    kinds = blank["kind"] if "kind" in blank else pd.Series(PEOPLE, blank.index)
    participants = blank.get("seats", blank.get("participant", kinds))
    unseen: dict[str, Labels] = {}
    with serving(cache=study_file("dialogue_acts")):
        for group, part in blank.groupby([participants, kinds]):
            who, kind = map(str, group)
            given = annotators
            if isinstance(given, Mapping):
                given = given.get(who, given.get(kind))
            annotator = annotator_for(kind, given, encoder, meanings)
            acts = await annotator.label(part, messages)
            made.loc[part.index, "acts"] = pd.Series(acts, part.index, dtype=object)
            made.loc[part.index, "labelled_by"] = annotator.name
            abroad = kind == PEOPLE and annotator.name == OFFLINE
            blind = LABELS if abroad else annotator.unseen  # notebook 22, section 4
            unseen[who] = tuple(dict.fromkeys((*unseen.get(who, ()), *blind)))
    made.attrs["unseen"] = unseen
    return made


def annotator_for(
    kind: str,
    given: Chosen = None,
    encoder: Encoder | None = None,
    meanings: Scheme = MEANINGS,
) -> Annotator:
    """Who labels the talk of a kind ("model:gpt-4o-mini", "linear", "people").

    Whoever is `given`: "model:NAME", `OFFLINE`, or an object that labels. Otherwise the model that spoke,
    and where it cannot be asked (no key, the embedded one) the offline one, which knows no scheme but ours.
    """
    if given is None and is_model(kind) and kind != f"{MODEL}:{EMBEDDED.name}":
        with suppress(ModelUnavailable):
            return LanguageModelAnnotator(kind, meanings)
    given = given or OFFLINE
    if not isinstance(given, str):
        return given
    if is_model(given):
        return LanguageModelAnnotator(given, meanings)
    expected = f"{OFFLINE}, or {MODEL}:NAME"
    if tuple(meanings) != LABELS:
        expected = f"{MODEL}:NAME or an object, for labels of your own"
    elif given == OFFLINE:
        return offline(encoder or Encoder())
    raise InvalidInput(f"annotators: {given!r} given; expected {expected}")


def whose(messages: pd.DataFrame) -> str:
    """Whose labels these are, and which acts they cannot show: for a caption."""
    names = ", ".join(messages["labelled_by"].unique())
    blind = dict.fromkeys(chain(*messages.attrs.get("unseen", {}).values()))
    return f"labels: {names}" + (f" (cannot show {', '.join(blind)})" if blind else "")


# -- learnt from labelled sentences ----------------------------------------------------------------------------------

END_OF_SENTENCE = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+")
WORD = re.compile(r"[^\W_]")  # a letter or a digit of any script
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
LONGEST = 800  # letters: the encoder reads 256 tokens, so a longer one goes in pieces
STRENGTH = 30.0  # of 1 to 100 the best on the three authors, each left out once
ALSO = 0.3  # probability from which an act is given beside the most probable one
MODERATE = 0.4  # kappa below which an act cannot be told (Landis and Koch 1977)


def masked(text: str) -> str:
    """A sentence with every number made the same, since what it does depends on none."""
    return NUMBER.sub("10", text)


def pieces(text: str) -> list[str]:
    """The sentences of a message, long ones in pieces, so that nothing is left unread.

    >>> pieces("I take 3.5 of A. And you? :-)")
    ['I take 10 of A.', 'And you?']
    """
    parts = filter(WORD.search, END_OF_SENTENCE.split(text))
    wrapped = [textwrap.wrap(masked(part.strip()), LONGEST) for part in parts]
    return [*chain(*wrapped)]


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
        self,
        name: str,
        model: Any,
        least: Mapping[str, float] | None = None,
    ) -> None:
        self.name = name
        self.model = model
        least = dict.fromkeys(model.classes_, 1.0) if least is None else least
        self.unseen: Labels = tuple(
            act for act in LABELS if least.get(act, 0) < MODERATE
        )

    async def label(
        self,
        messages: pd.DataFrame,
        talk: pd.DataFrame | None = None,
    ) -> list[Labels]:
        """The acts of each message."""
        parts = messages["text"].map(pieces)
        known = sorted(set(parts.explode().dropna()))
        acts = dict(zip(known, self.classify(known), strict=True))
        given = []
        for text, own in zip(messages["text"], parts, strict=True):
            performed = union(act for part in own for act in acts[part])
            given.append(() if is_foreign(text) else performed)
        return given

    def classify(self, sentences: Sequence[str]) -> list[Labels]:
        """The acts of each sentence."""
        if not sentences:
            return []
        p = self.model.predict_proba(sentences)
        chosen = (p >= ALSO) | (p == p.max(axis=1, keepdims=True))
        return [union(self.model.classes_[row]) for row in chosen]


def learn(frame: pd.DataFrame, encoder: Encoder) -> Any:
    """A multinomial regression on words, pairs of words and embeddings (Reimers and Gurevych 2019) of sentences.

    `frame` has text and acts.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.preprocessing import FunctionTransformer

    rows = frame.explode("acts")
    if rows["acts"].nunique() < 2:
        shown = ", ".join(map(str, rows["acts"].unique())) or "none"
        raise InvalidInput(f"acts: they show {shown}; label sentences of two or more")
    words = TfidfVectorizer(
        ngram_range=(1, 2),
        sublinear_tf=True,
        token_pattern=r"\w+|[?!]",
    )
    meaning = FunctionTransformer(lambda texts: encoder.encode([*texts]))
    regression = LogisticRegression(C=STRENGTH, max_iter=1000)
    model = make_pipeline(make_union(words, meaning), regression)
    return model.fit(rows["text"].map(masked), rows["acts"])


def by_others(frame: pd.DataFrame, encoder: Encoder) -> list[Labels]:
    """The acts of sentences (text, acts, run) as annotators give them that learnt from the other runs, in three folds."""
    from sklearn.model_selection import GroupKFold

    given: list[Labels] = [()] * len(frame)
    for rows, left_out in GroupKFold(3).split(frame, groups=frame["run"]):
        annotator = SentenceAnnotator("fold", learn(frame.iloc[rows], encoder))
        acts = annotator.classify([*frame["text"].iloc[left_out].map(masked)])
        for place, labels in zip(left_out, acts, strict=True):
            given[place] = labels
    return given


@cache
def offline(encoder: Encoder) -> SentenceAnnotator:
    """The annotator for agents' talk that needs no model: learnt from three authors, tested on each left out."""
    sentences = authors()
    learnt = sentences[sentences["run"] != HELD_OUT]
    given = by_others(learnt, encoder)
    rng = np.random.default_rng(1)
    tested = evaluate(learnt["acts"], given, learnt.index, rng)
    kappa = tested[tested["measure"] == "kappa"]
    least = dict(zip(kappa["act"], kappa["low"], strict=True))
    return SentenceAnnotator(OFFLINE, learn(learnt, encoder), least)


# -- a language model ------------------------------------------------------------------------------------------------

MOST = (
    6  # acts of one message by a tight model: a schema without a bound lets it run on
)
TOKENS = 80


def question(
    sender: str,
    text: str,
    before: Sequence[str] = (),
    meanings: Scheme = MEANINGS,
) -> list[Any]:
    """What a model is asked about a message, given the lines of the round before (C.5)."""
    briefing = render("dialogue_acts/briefing", meanings=tuple(meanings.items()))
    asked = render(
        "dialogue_acts/message",
        before=before,
        sender=sender,
        text=text,
    )
    system = {"role": "system", "content": briefing}
    return [system, {"role": "user", "content": asked}]


def form(labels: Labels, most: int) -> Any:
    """The form of a model's answer: one label or more."""
    from pydantic import Field, create_model

    acts: Any = list[Literal[labels]]  # type: ignore[valid-type]
    return create_model("ActsReply", acts=(acts, Field(min_length=1, max_length=most)))


class LanguageModelAnnotator:
    """Asks a model for the acts of each message, given the round before, at temperature 0: the paper's way (C.5).

    `meanings` are the labels to choose from, and what each means, as `dialogue_acts.MEANINGS` are.
    A reply off its form and a message that the model cannot read whole leave the message unlabelled.
    """

    unseen: Labels = ()

    def __init__(self, model: ChatModel | str, meanings: Scheme = MEANINGS) -> None:
        self.model = given_model(MODEL, model, "the annotator")
        self.meanings = meanings
        self.name = f"model {self.model.name}"
        limits = self.model.limits
        labels = tuple(meanings)
        self.settings: dict[str, Any] = {
            "temperature": 0.0,
            "seed": 0,
            "repetition": 0,
            "max_tokens": limits.room(TOKENS),
            "schema": form(labels, MOST if limits.tight else len(labels)),
        }

    async def label(
        self,
        messages: pd.DataFrame,
        talk: pd.DataFrame | None = None,
    ) -> list[Labels]:
        """The acts of each message; run and round tell which messages came before it."""
        whole = messages if talk is None else talk
        lines = whole["sender"] + ": " + whole["text"]
        rounds = lines.groupby([whole["run"], whole["round"]]).agg(list).to_dict()
        asked = []
        for row in messages.to_dict("records"):
            before = rounds.get((row["run"], row["round"] - 1), [])
            asked.append(self._one(row["sender"], row["text"], before))
        return await asyncio.gather(*asked)

    async def _one(
        self,
        sender: str,
        text: str,
        before: list[str],
    ) -> Labels:
        if not text.strip():
            return union((), self.meanings)
        try:
            turns = question(sender, text, before, self.meanings)
            reply = await self.model.reply(turns, **self.settings)
        except (MalformedReply, ContextOverflow):
            return ()
        return union(reply.value.acts, self.meanings)
