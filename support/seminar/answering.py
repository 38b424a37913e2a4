"""Answers about the mail log by looking up: the people and the order that a question names, then what is nearest.

Nothing is made up: the answer quotes mails. It is what answers when no language model is connected.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from support.errors import InvalidInput
from support.seminar.data import surname_twice
from support.seminar.detectors import Encodes
from support.seminar.records import ORGANISER, Mail
from support.seminar.views import Desk

MOST = 3  # mails that an answer quotes
QUOTED = 240  # characters of each

FROM_US = re.compile(
    r"\b(?:we|i|us) (?:\w+ )?(?:write|wrote|send|sent|ask|asked|tell|told|say|said)\b|\bdid (?:we|i)\b", re.I
)
FROM_THEM = re.compile(
    r"\b(?:say|said|reply|replied|answer(?:ed)?|write|wrote|ask|asked|offer(?:ed)?|suggest(?:ed)?|tell|told)\b", re.I
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
        raise InvalidInput("question: nothing given; expected words such as: What did Prof. Tarrant say last?")


class RetrievalAnswerer:
    """Quotes the mails that a question is about.

    People are known by their name, their first or their last name, unless two share it. A question on what somebody
    said looks at their mails, one on what we wrote at ours; "last" and "first" take one mail; otherwise the mails
    nearest in meaning are quoted, the latest first among equals.
    """

    kind = "retrieval"

    def __init__(self, encoder: Encodes) -> None:
        self.encoder = encoder

    async def answer(self, question: str, desk: Desk) -> Told:
        """The mails that the question is about, quoted."""
        asked_about(question)
        about = people_in(question, desk)
        mails = [mail for mail in desk.mails if not about or {mail.sender, mail.to} & set(about)]
        mails = _one_side(question, mails)
        if not mails:
            whom = f" with {', '.join(about)}" if about else ""
            return Told(f"The log holds no such mail{whom}.")
        chosen = self._chosen(question, mails)
        return Told("\n".join(_quoted(mail) for mail in chosen), tuple(mail.id for mail in chosen))

    def _chosen(self, question: str, mails: Sequence[Mail]) -> list[Mail]:
        if LAST.search(question):
            return [mails[-1]]
        if FIRST.search(question):
            return [mails[0]]
        texts = [f"{mail.subject}. {mail.body}" for mail in mails]
        vectors = self.encoder.encode([question, *texts])
        near = vectors[1:] @ vectors[0]
        order = np.lexsort((-np.arange(len(mails)), -np.round(near, 6)))
        return [mails[i] for i in order[:MOST]]


def people_in(question: str, desk: Desk) -> tuple[str, ...]:
    """Names of the people whom a question names; a first or a last name that two share names nobody by itself."""
    words = set(re.findall(r"[\w'-]+", TITLES.sub(" ", question).casefold()))
    people = desk.scenario.people
    shared = surname_twice(people)
    firsts = [person.name.split()[0].casefold() for person in people]
    found = []
    for person in people:
        first, last = person.name.split()[0].casefold(), person.name.split()[-1].casefold()
        whole = person.name.casefold() in question.casefold()
        by_last = last in words and person.name not in shared
        if whole or by_last or (first in words and firsts.count(first) == 1):
            found.append(person.name)
    return tuple(found)


def _one_side(question: str, mails: Sequence[Mail]) -> list[Mail]:
    """Mails of the side that the question asks about, if it does."""
    if FROM_US.search(question):
        return [mail for mail in mails if mail.sender == ORGANISER]
    if FROM_THEM.search(question):
        return [mail for mail in mails if mail.sender != ORGANISER]
    return list(mails)


def _quoted(mail: Mail) -> str:
    body = " ".join(mail.body.split())
    body = body if len(body) <= QUOTED else body[:QUOTED].rstrip() + " […]"
    return f"Day {mail.day}, {mail.sender} to {mail.to} ({mail.subject}): “{body}”"
