"""What is planned, written and answered when an organiser fills the dates of a seminar by mail, day after day.

The steps are those of "DoubleAgents" (Long et al.), section 3. Days count from 1; dates are ISO texts such as
"2027-09-15".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from support.play import FormatError

INVITATION, FOLLOW_UP, CLARIFICATION, CONFIRMATION, THANKS = SENT = (
    "invitation", "follow_up", "clarification", "confirmation", "thanks",
)  # fmt: skip
"""Kinds of mail that an organiser sends."""

REPLY = "reply"  # the kind of every mail that comes back
WAIT = "wait"
ACTIONS = (*SENT, WAIT)  # what can be done about somebody on a day
ORGANISER = (
    "organiser"  # sender and receiver at the desk, whatever the organiser's name
)
PLAN, ACTION, MAIL = "plan", "action", "mail"
REVIEWED = (
    PLAN,
    ACTION,
    MAIL,
)  # what a person at the desk may approve, change, have made again, or remove


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail; `id` counts through the whole run, `answers` is the mail that it answers.

    `slots` are the dates that it is about; in a rule-based writer's reply those that were meant, for an audit alone.
    """

    id: int
    day: int
    kind: str
    sender: str
    to: str
    subject: str
    body: str
    slots: tuple[str, ...] = ()
    answers: int | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """What is to be done today about one person; a confirmation gives `slot` to them, `policy` (its id) asks for it."""

    kind: str
    person: str
    goal: str = ""
    slot: str | None = None
    policy: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """What of `REVIEWED` a person at the desk changed, about whom ("" for a plan); a removal leaves `after` empty.

    `summary` is the one sentence that is remembered of it.
    """

    what: str
    about: str
    before: str
    after: str
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Remade:
    """What a person at the desk had made again, by which wish, and what came of it ("" where nothing did)."""

    what: str
    about: str
    before: str
    after: str
    wish: str = ""


@dataclass(frozen=True, slots=True)
class Flag:
    """A reply that no policy covers: the question to the person at the desk, and what they said ("" if nothing).

    `dates`: it asks which dates the reply gives; the answer is read for dates, and neither told nor kept as a hook.
    """

    mail: int
    person: str
    question: str
    answer: str = ""
    dates: bool = False


@dataclass(frozen=True, slots=True)
class Hook:
    """A stop hook: what made the organiser stop and ask, about whom, and what was decided then. Day 0 is earlier."""

    topic: str
    question: str
    answer: str = ""
    day: int = 0
    person: str = ""


@dataclass(frozen=True, slots=True)
class Understood:
    """What the organiser made of a reply; `unclear` are sentences about dates that it does not dare to take as said."""

    mail: int
    person: str
    available: tuple[str, ...] = ()
    vague: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()
    never_offered: tuple[str, ...] = ()
    declined: bool = False
    cancelled: tuple[str, ...] = ()
    wait_until: str | None = None
    note: str = ""
    unclear: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OrganizingDay:
    """One finished day, in its order; `number` counts the days of the run from 1.

    `progress` is the morning's summary; `assignment` has every date with the people who have it in the evening,
    `pending` people with an unanswered mail and the working days since it, in the morning; `violations` are of policies
    that were broken, read literally.
    """

    number: int
    date: str
    received: tuple[Mail, ...] = ()
    understood: tuple[Understood, ...] = ()
    flags: tuple[Flag, ...] = ()
    progress: str = ""
    selected: tuple[str, ...] = ()
    plan: str = ""
    reason: str = ""
    actions: tuple[Action, ...] = ()
    sent: tuple[Mail, ...] = ()
    edits: tuple[Edit, ...] = ()
    assignment: tuple[tuple[str, tuple[str, ...]], ...] = ()
    pending: tuple[tuple[str, int], ...] = ()
    violations: tuple[str, ...] = ()
    summary: str = ""
    format_errors: tuple[FormatError, ...] = ()
    replies: int = 0
    tokens: int = 0
    remade: tuple[Remade, ...] = ()


@dataclass(frozen=True, slots=True)
class Organizing:
    """A whole run: from the first mail to the last date, or to the deadline.

    `people` are told with all that drove the simulated ones; `seats` has the kind of each of them, of "organizer",
    "detector" and "reviewer"; `policies` are pairs of id and text at the start, `hooks` those there were at the end.
    """

    scenario: Mapping[str, Any]
    people: tuple[Mapping[str, Any], ...]
    seats: Mapping[str, str]
    policies: tuple[tuple[str, str], ...]
    days: tuple[OrganizingDay, ...]
    hooks: tuple[Hook, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rounds(self) -> tuple[OrganizingDay, ...]:
        """The days, under the name that every record has for its steps."""
        return self.days

    @property
    def assignment(self) -> Mapping[str, tuple[str, ...]]:
        """Who has each date in the end."""
        return dict(self.days[-1].assignment) if self.days else {}

    @property
    def summary(self) -> dict[str, Any]:
        """What a table of rehearsals says of this one: days, dates filled, mails sent."""
        return {
            "days": len(self.days),
            "filled": sum(map(bool, self.assignment.values())),
            "messages": sum(len(day.sent) for day in self.days),
            "format_errors": sum(len(day.format_errors) for day in self.days),
        }
