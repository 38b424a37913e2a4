"""Answers about the mail log by looking up: the people and the order that a question names, then what is nearest.

Nothing is made up: the answer quotes mails. It is what answers when no language model is connected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from support.errors import InvalidInput
from support.seats import cut
from support.seminar.data import surname_twice
from support.seminar.detectors import Encodes
from support.seminar.records import ORGANISER, Mail
from support.seminar.views import Desk

MOST = 3  # mails that an answer quotes
QUOTED = 240  # characters of each

FROM_US = re.compile(
    r"\b(?:we|i|us) (?:\w+ )?(?:write|wrote|send|sent|ask|asked|tell|told|say|said)\b|\bdid (?:we|i)\b",
    re.I,
)
FROM_THEM = re.compile(
    r"\b(?:say|said|reply|replied|answer(?:ed)?|write|wrote|ask|asked|offer(?:ed)?|suggest(?:ed)?|tell|told)\b",
    re.I,
)
LAST = re.compile(r"\b(?:last|latest|most recent(?:ly)?|newest)\b", re.I)
FIRST = re.compile(r"\b(?:first|earliest|at the beginning)\b", re.I)
TITLES = re.compile(r"\b(?:prof(?:essor)?|dr|mr|mrs|ms)\b\.?", re.I)


@dataclass(frozen=True, slots=True)
class Told:
    """An answer, and the ids of the mails that it rests on; none where the log says nothing about it."""

    text: str
    mails: tuple[int, ...] = ()


def asked_about(question: str) -> None:
    """Refuse an empty question."""
    if not question.strip():
        raise InvalidInput(
            "question: nothing given; expected words such as: What did Prof. Tarrant say last?"
        )


class RetrievalAnswerer:
    """Quotes the mails that a question is about.

    A question on what somebody said looks at their mails, one on what we wrote at ours; "last" and "first" take one
    mail; otherwise the mails nearest in meaning are quoted, the latest first among equals.
    """

    kind = "retrieval"

    def __init__(self, encoder: Encodes) -> None:
        self.encoder = encoder

    async def answer(self, question: str, desk: Desk) -> Told:
        """The mails that the question is about, quoted."""
        asked_about(question)
        about = people_in(question, desk)
        mails = [
            mail
            for mail in desk.mails
            if not about or {mail.sender, mail.to} & set(about)
        ]
        if FROM_US.search(question):
            mails = [mail for mail in mails if mail.sender == ORGANISER]
        elif FROM_THEM.search(question):
            mails = [mail for mail in mails if mail.sender != ORGANISER]
        if not mails:
            whom = f" with {', '.join(about)}" if about else ""
            return Told(f"The log holds no such mail{whom}.")
        if LAST.search(question):
            chosen = mails[-1:]
        elif FIRST.search(question):
            chosen = mails[:1]
        else:
            chosen = self._nearest(question, mails)
        return Told("\n".join(map(_quoted, chosen)), tuple(mail.id for mail in chosen))

    def _nearest(self, question: str, mails: Sequence[Mail]) -> list[Mail]:
        vectors = self.encoder.encode(
            [question, *(f"{mail.subject}. {mail.body}" for mail in mails)]
        )
        near = vectors[1:] @ vectors[0]
        order = np.lexsort((-np.arange(len(mails)), -np.round(near, 6)))
        return [mails[i] for i in order[:MOST]]


def people_in(question: str, desk: Desk) -> tuple[str, ...]:
    """Names of the people whom a question names; a first or a last name that two share names nobody by itself."""
    words = set(re.findall(r"[\w'-]+", TITLES.sub(" ", question).casefold()))
    names = {
        person.name: person.name.casefold().split() for person in desk.scenario.people
    }
    shared, firsts = (
        surname_twice(desk.scenario.people),
        Counter(parts[0] for parts in names.values()),
    )
    return tuple(
        name
        for name, parts in names.items()
        if name.casefold() in question.casefold()
        or (parts[-1] in words and name not in shared)
        or (parts[0] in words and firsts[parts[0]] == 1)
    )


def _quoted(mail: Mail) -> str:
    body = cut(" ".join(mail.body.split()), QUOTED)
    return f"Day {mail.day}, {mail.sender} to {mail.to} ({mail.subject}): “{body}”"
