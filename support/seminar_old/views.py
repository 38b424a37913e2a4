"""What each role may know when it is asked to act, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from support.seminar.artefacts import Template
from support.seminar.data import Scenario
from support.seminar.ledger import State
from support.seminar.records import ORGANISER, Action, Edit, Hook, Mail
from support.seminar.rules import PolicySet


@dataclass(frozen=True)
class Desk:
    """What the organiser has on the desk: the programme, the state, all mails, and what one takes along.

    Of people a run's scenario tells nothing but name, address, role, field and affiliation; of their replies, `slots`
    are empty. `past` are mails of the organiser's own, for their style; `answers` are today's, about flags.
    """

    scenario: Scenario
    state: State
    day: int
    mails: tuple[Mail, ...] = ()
    policies: PolicySet = field(default_factory=PolicySet)
    templates: Mapping[str, Template] = field(default_factory=dict)
    past: tuple[Template, ...] = ()
    hooks: tuple[Hook, ...] = ()
    edits: tuple[Edit, ...] = ()
    answers: tuple[Hook, ...] = ()

    @property
    def today(self) -> date:
        """The date."""
        return self.state.today

    def thread(self, person: str) -> tuple[Mail, ...]:
        """All mails with one person, the latest last."""
        return tuple(mail for mail in self.mails if person in (mail.sender, mail.to))

    def learnt(self, *kinds: str) -> tuple[str, ...]:
        """Summaries of edits of these kinds: of plans and actions for planning, of mails for writing."""
        return tuple(
            edit.summary for edit in self.edits if edit.what in kinds and edit.summary
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """A mail before it has a number: subject and body."""

    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class DayPlan:
    """What is to be done today, and why, in about forty words."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a detector says of a reply: clear, or a flag with a question of at most forty words."""

    flag: bool
    question: str = ""


APPROVE, EDIT, AGAIN, REMOVE = "approve", "edit", "again", "remove"
DECISIONS = (APPROVE, EDIT, AGAIN, REMOVE)


@dataclass(frozen=True, slots=True)
class Review:
    """What a person at the desk does: `edited` is the thing as they want it, `wish` how it is to be made again."""

    decision: str
    edited: DayPlan | Action | Draft | None = None
    wish: str = ""


ANSWER, ASK, LATER = "reply", "ask", "wait"
RESPONSES = (ANSWER, ASK, LATER)


@dataclass(frozen=True, slots=True)
class Letter:
    """What one of the people is shown: the thread with the organiser, the day, and the dates that were ever offered."""

    person: str
    organiser: str
    day: int
    today: date
    thread: tuple[Mail, ...]
    offered: tuple[date, ...]
    given: tuple[date, ...] = ()

    @property
    def latest(self) -> Mail | None:
        """The last mail from the organiser."""
        return next(
            (mail for mail in reversed(self.thread) if mail.sender == ORGANISER), None
        )


@dataclass(frozen=True, slots=True)
class Response:
    """What somebody does about a mail, or nothing until a day (None: at all); `meant`: what a rule-based one named."""

    kind: str
    subject: str = ""
    body: str = ""
    until: int | None = None
    meant: tuple[date, ...] = ()
