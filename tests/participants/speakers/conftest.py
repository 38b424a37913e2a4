"""Correspondence for a test: mails to one person, one after the other, and what comes back."""

import asyncio
from dataclasses import dataclass, field
from datetime import date, timedelta

import pytest

from support.seminar.artefacts import load_templates
from support.seminar.data import in_words
from support.seminar.records import ORGANISER, REPLY, Mail
from support.seminar.views import LATER, Letter

TEMPLATES = load_templates()


@dataclass
class Thread:
    """One person's correspondence; the mechanism's own post is tested elsewhere."""

    speaker: object
    start: date
    offered: tuple[date, ...]
    organiser: str = "Noor Halvard"
    day: int = 1
    mails: tuple[Mail, ...] = ()
    given: tuple[date, ...] = ()
    answers: list = field(default_factory=list)

    def letter(self):
        """What the person sees today."""
        today = self.start + timedelta(days=self.day - 1)
        return Letter("Ana Ray", self.organiser, self.day, today, self.mails, self.offered, self.given)

    def ask(self):
        """What the person does today."""
        response = asyncio.run(self.speaker.answer(self.letter()))
        if response.kind != LATER:
            self.answers.append((self.day, response))
            self.mails += (self._mail(REPLY, "Ana Ray", ORGANISER, response.subject, response.body),)
        return response

    def send(self, kind, slots=None, question="", body=None):
        """A mail of today, out of the project's template unless a body is given; returns the reaction."""
        slots = self.offered if slots is None else slots
        dates = "\n".join(map(in_words, slots))
        date_ = in_words(slots[0]) if slots else ""
        filled = TEMPLATES[kind].fill(
            speaker="Ana", dates=dates, date=date_, question=question, organiser=self.organiser
        )
        self.mails += (self._mail(kind, ORGANISER, "Ana Ray", filled[0], body or filled[1], slots),)
        if kind == "confirmation":
            self.given = (*self.given, slots[0])
        return self.ask()

    def wait(self, until):
        """Go to that day and ask again."""
        self.day = until
        return self.ask()

    def through(self, kind, slots=None, question="", body=None):
        """A mail, and the first reply to it that is no note in between; None where nothing ever comes."""
        count, response = len(self.speaker.said), self.send(kind, slots, question, body)
        while len(self.speaker.said) == count and response.until is not None:
            response = self.wait(response.until)
        self.day += 1
        return response if len(self.speaker.said) > count else None

    def _mail(self, kind, sender, to, subject, body, slots=()):
        return Mail(len(self.mails) + 1, self.day, kind, sender, to, subject, body, tuple(d.isoformat() for d in slots))


@pytest.fixture(scope="session")
def correspond():
    """A function from a speaker and the dates that are offered to a `Thread`; it starts on a Monday."""

    def begun(speaker, offered, start=date(2027, 8, 16)):
        return Thread(speaker, start, tuple(offered))

    return begun
