"""Rule-based speakers: people whose whole behaviour by mail is stated here and in their `Persona`.

When they answer is decided here: after `days` working days, from the mail on that it `needs`, unless it is forgotten;
some send a note in between that they are away or will look. What they answer is in `replies`, what is true of them in
`truth`, drawn once. All three draw from streams of their own, so that two organisers who meet the same people (the same
seed) meet the same calendars, and the same mails are forgotten.
"""

from __future__ import annotations

from datetime import date
from typing import Protocol

import numpy as np

from support.seminar.data import Persona, Scenario, later
from support.seminar.records import CLARIFICATION, CONFIRMATION, ORGANISER, THANKS, Mail
from support.seminar.replies import (
    ASKS_MORE,
    ASKS_SURE,
    HOLD,
    NO,
    NOTED,
    PERHAPS,
    REFUSE,
    WARM,
    WITHDRAW,
    Pen,
    Said,
    Truth,
    already,
    mentioned,
)
from support.seminar.views import ANSWER, ASK, LATER, Letter, Response
from support.seminar.wordings import Voice, in_days

HOLDS = 0.25
"""Share of people who need three working days or more and send a note in between."""


class Speaker(Protocol):
    """Who gets mail from the organiser. One speaker serves one run, and may remember what was said."""

    @property
    def kind(self) -> str:
        """Which kind sits here, for records."""

    async def answer(self, letter: Letter) -> Response:
        """What they do about the latest mail of the thread, on the day on which they read it."""


class RuleBasedSpeaker:
    """Somebody who was invited.

    Parameters
    ----------
    persona : Persona
    scenario : Scenario
        Its dates and organiser.
    rng : numpy.random.Generator
        Its own stream.
    kind : str
        For records.

    Attributes
    ----------
    truth : Truth
        Which dates suit; only an audit may look.
    said : list of Said
        What was meant by each reply, in order, for an audit.
    """

    def __init__(
        self, persona: Persona, scenario: Scenario, rng: np.random.Generator, *, kind: str = "rule-based"
    ) -> None:
        self.persona, self.kind = persona, kind
        facts, self._memory, words = rng.spawn(3)
        self.truth = Truth(persona, scenario.slots, facts)
        self.said: list[Said] = []
        self._voice = Voice(persona, scenario.organiser, words)
        self._pen = Pen(self.truth, self._voice)
        self._seen: set[int] = set()
        self._unanswered = 0
        self._due: int | None = None
        self._back: tuple[int, date] | None = None
        self._holds = self._memory.random() < HOLDS and persona.days > 2

    async def answer(self, letter: Letter) -> Response:
        """What they do about the latest mail, on the day on which they are asked.

        A reply may name a day too (`until`), to be asked again on: to send what they promised, or to cancel.
        """
        self._receive(letter)
        if self._back and letter.day >= self._back[0]:
            slot, self._back = self._back[1], None
            if slot in letter.given:
                self._due = None
                return self._sent(letter, self._pen.cancel(slot, letter.offered))
        mail = letter.latest
        if self._due is None or mail is None:
            return Response(LATER, until=self._next)
        if letter.day < self._due:
            return self._hold(letter, self._due) if self._holds else Response(LATER, until=self._next)
        said = self._reply(letter, mail)
        self._due, self._unanswered, self._holds = None, 0, False
        return self._sent(letter, said)

    @property
    def _next(self) -> int | None:
        """The next day of the run on which there is something to do."""
        return min((day for day in (self._due, self._back and self._back[0]) if day is not None), default=None)

    def _receive(self, letter: Letter) -> None:
        """Take in the mails that are new: forgotten, not enough yet, or to be answered on a day."""
        for mail in letter.thread:
            if mail.sender != ORGANISER or mail.id in self._seen:
                continue
            self._seen.add(mail.id)
            forgotten = self._memory.random() < self.persona.forgets
            if mail.kind == THANKS:
                continue
            self._unanswered += 1
            if mail.kind == CONFIRMATION:
                self._plan_cancellation(letter, _slot(mail, letter))
            if not forgotten and self._due is None and (self.said or self._unanswered >= self.persona.needs):
                self._due = _in(self.persona.days, letter)

    def _plan_cancellation(self, letter: Letter, slot: date | None) -> None:
        """Once, some working days after a confirmation and before the date itself."""
        after, self.truth.cancels_after = self.truth.cancels_after, None
        if slot is None or after is None or self.truth.mood(slot) == NO:
            return
        day = _in(after + self.persona.days, letter)
        if letter.day + (slot - letter.today).days > day:
            self._back = day, slot

    def _hold(self, letter: Letter, due: int) -> Response:
        """A note that the answer takes its time, with how long."""
        self._holds = False
        away = self._voice.chance(0.5)
        sentence = self._voice.say("away" if away else "promise", wait=in_days(due - letter.day))
        return self._sent(letter, Said(HOLD, (sentence,)), bare=away)

    def _reply(self, letter: Letter, mail: Mail) -> Said:
        offered = tuple(map(date.fromisoformat, mail.slots)) or letter.offered
        slot = _slot(mail, letter)
        if mail.kind == CONFIRMATION and slot is not None:
            return self._confirmed(slot, letter)
        if mail.kind in (CLARIFICATION, CONFIRMATION, THANKS):
            return self._clarified(mail, letter)
        if letter.given:
            return already(self._pen, letter.given, letter.offered)
        if self._pen.named:
            return self._pen.more(offered, offered, warm=bool(WARM.search(mail.body.casefold())))
        return self._pen.offer(offered, late=self._unanswered > 1)

    def _confirmed(self, slot: date, letter: Letter) -> Said:
        said = self._pen.given(slot, letter.offered)
        if said.act == REFUSE:
            self._back = None
        return said

    def _clarified(self, mail: Mail, letter: Letter) -> Said:
        """Answers everything that is asked: about the issue, about vague dates, about further ones."""
        text = " ".join(f"{mail.subject} {mail.body}".casefold().replace("’", "'").split())
        parts = [part for part in (self._pen.answered(text),) if part]
        if parts and parts[0].act == WITHDRAW:
            self._back = None
            return parts[0]
        about = tuple(map(date.fromisoformat, mail.slots)) or mentioned(letter.offered, text)
        more = bool(ASKS_MORE.search(text))
        if not self._pen.named and about:
            return _together([*parts, self._pen.offer(about, late=False)])
        unsure = [d for d in about if d in self._pen.named and self.truth.mood(d) == PERHAPS]
        if not unsure and not about and ASKS_SURE.search(text):
            unsure = [d for d in self._pen.named if self.truth.mood(d) == PERHAPS]
        if unsure and (ASKS_SURE.search(text) or not more):
            parts.append(self._pen.settle(unsure, letter.offered))
        if more:
            parts.append(self._pen.more(about or letter.offered, letter.offered, warm=bool(WARM.search(text))))
        elif about and not unsure and not parts:
            parts.append(self._pen.settle(about, letter.offered))
        return _together(parts) if parts else Said(NOTED, (self._voice.say("noted"),))

    def _sent(self, letter: Letter, said: Said, *, bare: bool = False) -> Response:
        """The reply as a mail."""
        if said.act != HOLD:
            self.said.append(said)
        mail = letter.latest
        subject = mail.subject if mail else letter.organiser
        body = " ".join(said.sentences) if bare else self._voice.letter(said.sentences)
        kind = ASK if said.asks else ANSWER
        subject = subject if subject.lower().startswith("re:") else f"Re: {subject}"
        return Response(kind, subject, body, self._next, said.named)


def _together(parts: list[Said]) -> Said:
    """Several answers in one reply."""
    if len(parts) == 1:
        return parts[0]
    days = {name: tuple(sorted({d for p in parts for d in getattr(p, name)})) for name in ("firm", "vague", "cannot")}
    sentences = tuple(sentence for part in parts for sentence in part.sentences)
    return Said(parts[-1].act, sentences, **days, asks=any(p.asks for p in parts))


def _slot(mail: Mail, letter: Letter) -> date | None:
    """The date that a confirmation gives."""
    if mail.slots:
        return date.fromisoformat(mail.slots[0])
    return letter.given[-1] if letter.given else None


def _in(working_days: int, letter: Letter) -> int:
    """The day of the run that is so many working days ahead."""
    return letter.day + (later(letter.today, working_days) - letter.today).days
