"""Who reads a reply and says whether somebody has to decide about it, or whether a policy covers it: by words, learnt.

By words, a reply is flagged when a sentence of it wants something that no policy speaks of. A topic alone flags
nothing, since a routine reply may speak of trains and films as well: the same sentence has to ask, wish or make a
condition, and must not merely tell what was or what is settled.

What it rests on: the cases that "DoubleAgents" (002) names in section 3.5 and appendices A and C.2 (video, travel
money, papers for a visa, somebody else as speaker, another date, health and access, doubt until the last day), the
policies of `policies.yaml`, and what anybody knows of invitations. Its writer had read the README of the inputs and the
personas' issues, which name the kinds of case, but none of the texts by which it is measured, and changed no pattern
afterwards: on the 100 texts of the suite it was right on 62, since most of them avoid the words that give a case away.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from support.errors import InvalidInput
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
    return checked_question(f"{what or 'This may be for you to decide'}: “{quote}” What shall I answer?")


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that an organiser may have to decide about.

    Attributes
    ----------
    name : str
        What the reply does, for the question.
    words : str
        A pattern that tells the topic in a sentence, and a policy that covers it.
    alone : str
        A pattern that needs no wish or condition beside it.
    """

    name: str
    words: str = r"(?!)"
    alone: str = r"(?!)"


_TALK = r"(?:talk|lecture|seminar|slot|hour|stage|presentation|session)"
_OTHER = r"(?:another|(?:a )?different|some other|an earlier|an? later|earlier|later)"
_WHEN = r"(?:day|date|days|dates|week|month|weekday|term|semester|year|time|slot|hour)"
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_SOMEBODY = r"(?:students?|postdocs?|colleagues?|collaborators?|co-?authors?|advisor|supervisor|somebody|someone)"

TOPICS = (
    Topic("wants to speak from afar",
          words=r"\b(?:zoom|online|remote(?:ly)?|virtual(?:ly)?|hybrid|video ?(?:call|link|conference)?"
                r"|from (?:home|afar))\b",
          alone=r"\b(?:by|over|via|on) (?:zoom|video(?: link| call)?|skype|teams)\b(?=.*\?)"),
    Topic("asks about money",
          words=r"\b(?:reimburs\w*|honorari\w*|funding|funds?|expenses?"
                r"|travel (?:costs?|money|support|grant|budget)|fees?|airfare|fares?|business class|first[- ]class"
                r"|(?:cover|pay|book)\w* .*\b(?:flights?|hotel|tickets?|travel|nights?|accommodation|train|trip)"
                r"|(?:flights?|hotel|tickets?|trip|train)\b.*\b(?:cover|paid|pay)\w*)\b",
          alone=r"\bwho (?:pays|covers|would pay|will pay)\b|\bis there (?:any |a |some )?(?:budget|money|funding)\b"),
    Topic("needs papers",
          words=r"\b(?:visas?|consulate|embassy|passport|work permit|entry permit|immigration|border|stamp)\b",
          alone=r"\b(?:visa|invitation|official|formal|signed|support) letter\b|\bletter (?:of|for|on|from)\b.*"
                r"\b(?:invitation|visa|letterhead|embassy|consulate|university)\b"),
    Topic("proposes somebody else as the speaker",
          words=rf"\b{_SOMEBODY}\b.*\b(?:instead|speak|present|step in|take (?:my|the|over)|stand in|replace|give"
                r"|deliver)\b"
                rf"|\b(?:invite|ask|send|recommend|suggest)\b.*\b{_SOMEBODY}\b",
          alone=r"\b(?:in my (?:place|stead)|instead of me|on my behalf|rather than me)\b"),
    Topic("wants to share the talk",
          words=rf"\b(?:co-?present\w*|joint(?:ly)?|together with|both of us|two of us|share the {_TALK}|duo)\b"
                r"|\bwith my (?:co-?author|colleague|collaborator|student)s?\b"),
    Topic("asks for a day that was not offered",
          words=rf"\b{_OTHER} {_WHEN}\b|\b(?:mov|shift|swap|reschedul|postpon|exchang|switch)\w*\b"
                rf"|\b{_WEEKDAYS}\b.*\b(?:instead|rather)\b|\binstead\b.*\b{_WEEKDAYS}\b",
          alone=r"\bnot (?:on|in|among) (?:your|the) (?:list|dates)\b"
                r"|\bnone of (?:them|these|those|your)\b.*\bbut\b.*\bcould\b"),
    Topic("needs access",
          words=r"\b(?:wheelchair|step-?free|steps?|stairs|ramps?|lift|elevator|accessib\w*|barrier|sign language"
                r"|interpreter|captions?|hearing (?:aid|loop)|blind|deaf|crutches|service dog|guide dog|assistant)\b"),
    Topic("tells of health or family leave",
          words=r"\b(?:surgery|operation|treatment|hospital|chemo\w*|diagnos\w*|medical|medication|doctors?|pregnan\w*"
                r"|health|injur\w*|epilep\w*|migraines?|allerg\w*)\b",
          alone=r"\b(?:maternity|paternity|parental|sick|medical|family) leave\b|\b(?:due|expecting) (?:a |our |the )?"
                r"(?:baby|child)\b|\b(?:baby|child) is due\b"),
    Topic("will know only at the last moment",
          words=r"\b(?:last[- ]minute|short notice|day before|evening before|morning of|night before|the same day)\b"
                r"|\b(?:back-?up|stand-?by|plan b)\b",
          alone=r"\b(?:not|n't|only|cannot|never) (?:be able to )?(?:know|tell|say|confirm|decide|promise)\b.*"
                r"\b(?:until|till|before|day|evening|morning|eve)\b"
                r"|\bmay (?:well )?(?:have to|need to) (?:cancel|drop|withdraw|pull)\b"),
    Topic("has a wish about recording",
          words=r"\b(?:record(?:ed|ing|ings|s)?|film(?:ed|ing)?|stream(?:ed|ing)?|live-?stream\w*|photograph\w*|cameras?"
                r"|channel|youtube|publish\w*|put online|slides online)\b"),
    Topic("proposes another format",
          words=r"\b(?:workshop|panel|tutorial|demo(?:nstration)?s?|poster|fireside|conversation|debate|performance"
                r"|round ?table|hands-on|interactive|two hours|half an hour|\d+ minutes"
                r"|(?:twenty|thirty|forty|ninety) minutes|longer|shorter)\b"),
    Topic("needs care for a child",
          words=r"\b(?:child ?care|babysit\w*|nursery|nursing|breastfeed\w*|mind (?:my|the|her|him)|look after"
                r"|(?:my|our) (?:baby|child|children|kids?|son|daughter|toddler))\b"),
    Topic("sets a condition of its own",
          words=r"\b(?:confidential|embargo\w*|nda|patent\w*|unpublished|press|journalists?|security|bodyguard|sponsor\w*"
                r"|contract|lawyers?|ethics|politic\w*|boycott\w*|sign(?:ed)? (?:a|the) (?:form|waiver|agreement))\b"),
)  # fmt: skip
"""What is looked for, in this order."""

WANTS = re.compile(
    r"\?|\b(?:could|would|might|may|can) (?:i|we|you|it|there|that|he|she|they|one|somebody|someone|my)\b"
    r"|\b(?:is|are) (?:it|there|that|you)\b.*\b(?:possible|any|able|allowed|chance|way)\b"
    r"|\b(?:any chance|possibl[ey])\b"
    r"|\b(?:i|we)(?:'d| would| should)? (?:really |much |also |strongly |rather )?(?:need|want|wish|prefer|insist"
    r"|require|ask|rather|like|hope|propose|suggest|recommend|request|have to ask|must ask)\b"
    r"|\b(?:need|needs|requires?) (?:a|an|some|somebody|someone|help|to)\b|\blet me know (?:if|whether|what|who|how)\b"
    r"|\b(?:only if|provided|on (?:the )?condition|as long as|unless|otherwise|depends? on|in case|instead|rather not"
    r"|do not want|don't want|not comfortable|without)\b|\bplease\b",
)
"""What makes a sentence ask, wish or set a condition."""

SETTLED = re.compile(
    r"\b(?:no need|need no|needs? nothing|don't need|do not need|already|myself|at my own"
    r"|my own (?:grant|budget|expense)|is (?:paid|covered|taken care|fine|no problem)"
    r"|are (?:paid|covered|fine|no problem)|nothing (?:special|else|to)"
    r"|don't worry|do not worry|no matter|either way is fine|as (?:usual|always)"
    r"|last (?:year|week|month|time|spring|autumn)|saw|watched|enjoyed|loved|read your|yesterday"
    r"|was (?:ill|sick|away|in hospital)|back (?:from|at work|on my feet))\b",
)
"""What tells of the past, or that there is nothing to decide."""

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
LONGEST = 600  # letters: a longer sentence is read in pieces, since some patterns take time that grows with its square


class NoDetector:
    """Flags nothing: a control that shows what a detector adds."""

    kind = "none"

    async def check(self, reply: str, policies: PolicySet, context: str = "") -> Verdict:
        """Clear, whatever was written."""
        return Verdict(False)


class LexicalDetector:
    """Flags by words (see the module), at once and without a model. It does not look at the context."""

    kind = "lexical"

    async def check(self, reply: str, policies: PolicySet, context: str = "") -> Verdict:
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
    parts = [piece for sentence in _SENTENCE.split(reply) for piece in textwrap.wrap(sentence, LONGEST)]
    sentences = [(part, _plain(part)) for part in parts]
    return tuple((topic, part) for topic in TOPICS for part, plain in sentences if _wanted(topic, plain))


def covered(topic: Topic, policies: PolicySet) -> bool:
    """Whether a policy names the topic, as one may that was made of a stop hook; none of `policies.yaml` does."""
    return any(re.search(f"{topic.words}|{topic.alone}", _plain(policy.text)) for policy in policies)


def _wanted(topic: Topic, sentence: str) -> bool:
    if SETTLED.search(sentence):
        return False
    if re.search(topic.alone, sentence):
        return True
    return bool(re.search(topic.words, sentence) and WANTS.search(sentence))


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


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
    """

    kind = "classifier"

    def __init__(self, encoder: Encodes, weights: np.ndarray, bias: float) -> None:
        self.encoder, self.weights, self.bias = encoder, weights, bias

    @classmethod
    def fit(cls, texts: Sequence[str], flags: Sequence[bool], encoder: Encodes) -> ClassifierDetector:
        """Learn from replies and whether each is to be flagged; both sides weigh alike, however many they are."""
        from sklearn.linear_model import LogisticRegression

        fitted = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=1000)
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
    """Probability of a flag for each reply, by a classifier that saw no reply of its case."""
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
