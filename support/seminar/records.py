"""What is said, planned and kept when an organiser fills the dates of a seminar by mail.

The steps are those of "DoubleAgents" (Long et al., 002), section 3. A mail has words for
people and models and, beside them, what it says as data; rule-based participants read
the data, and nobody reads the words by rules. Days count from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from datetime import date as Date
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field

from support.play import FormatError
from support.seminar.data import STRICT, Scenario

INVITATION, FOLLOW_UP, CLARIFICATION = ASKING = (
    "invitation",
    "follow_up",
    "clarification",
)
"""Mails that ask for an answer."""
CONFIRMATION = "confirmation"
THANKS = "thanks"
SENT = (*ASKING, CONFIRMATION, THANKS)
"""Kinds of mail that an organiser sends."""
REPLY = "reply"
WAIT = "wait"
STATED = "stated"
"""By whom a reply is read whose writer states what it says."""
ACTIONS = (*SENT, WAIT)
"""What can be done about somebody on a day."""
CERTAIN, MORE, ANSWER = ASKS = "is it certain?", "which others?", "an answer"
"""What a clarification is for; an answer is one to what somebody had asked."""
PLAN, ACTION, MAIL = "plan", "action", "mail"
"""What the person at the desk may approve, change, have made again, or remove."""


@dataclass(frozen=True, slots=True)
class Says:
    """What a reply says: dates by what they are to its writer, and what else counts.

    Before `not_before` they do not want to be written to; `asks` is what somebody has to decide about, in words, or "".
    """

    can: tuple[date, ...] = ()
    perhaps: tuple[date, ...] = ()
    cannot: tuple[date, ...] = ()
    gives_back: tuple[date, ...] = ()
    declines: bool = False
    not_before: date | None = None
    asks: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail; `id` counts through the run, `answers` is the mail that it answers.

    Of ours, `slots` are the dates that it is about, `asks` what a clarification is for
    (one of `ASKS`), `grants` whether an answer grants what was asked (None: it does not
    say). Of a reply, `says` is what its writer stated; None where there are words alone.
    """

    id: int
    day: int
    kind: str
    sender: str
    to: str
    subject: str = ""
    body: str = ""
    slots: tuple[date, ...] = ()
    asks: str = ""
    grants: bool | None = None
    answers: int | None = None
    says: Says | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """What is to be done today about one person, and which policy (its id) asks for it.

    A confirmation gives its one slot away; see `Mail` for `asks`.
    """

    kind: Annotated[str, Field(json_schema_extra={"enum": list(ACTIONS)})]
    person: str
    goal: str = ""
    slots: tuple[date, ...] = ()
    policy: str = ""
    asks: Annotated[str, Field(json_schema_extra={"enum": ["", *ASKS]})] = ""


@dataclass(frozen=True, slots=True)
class DayPlan:
    """What is to be done today, and why, in about forty words."""

    text: str
    reason: str = ""
    person: str = ""  # nobody: a plan is about the day


@dataclass(frozen=True, slots=True)
class Draft:
    """A mail before it has a number."""

    person: str
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Review:
    """What the person at the desk leaves of what was shown: the items as they are to be;
    with a `wish`, all are made again by it."""

    items: tuple[DayPlan | Action | Draft, ...] = ()
    wish: str = ""


@dataclass(frozen=True)
class Flag:
    """A stop hook: a question to the person at the desk about a mail (0: about none), and
    what they decided, on which day (0: in an earlier run).

    `answer` is the decision, an instruction to the organiser; `words` is what the mail
    about it is to say, where the person wrote that; `grants`: see `Mail`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    mail: int
    person: str
    question: str
    answer: str = ""
    words: str = ""
    grants: bool | None = None
    day: int = 0


@dataclass(frozen=True)
class Edit:
    """What the person at the desk changed, about whom ("" for a plan), and their role;
    of a removal `after` is empty. `summary` is the sentence that is remembered of it.
    With a `wish`, which is the summary then, all were made again."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    what: str
    about: str
    before: str
    after: str
    summary: str = ""
    role: str = ""
    wish: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply was taken to say, by whom: "stated" by its writer, a reader, or the
    person at the desk; of several the last one counts."""

    mail: int
    person: str
    says: Says
    by: str


@dataclass(frozen=True, slots=True)
class Day:
    """One finished day, in its order; `number` counts the days of the run from 1.

    `progress` is the morning's summary; `assignment` has every date with the people who
    have it in the evening; `violations` are of policies, read literally.
    """

    number: int
    date: Date
    received: tuple[Mail, ...] = ()
    readings: tuple[Reading, ...] = ()
    flags: tuple[Flag, ...] = ()
    progress: str = ""
    selected: tuple[str, ...] = ()
    plan: DayPlan = DayPlan("")
    actions: tuple[Action, ...] = ()
    sent: tuple[Mail, ...] = ()
    edits: tuple[Edit, ...] = ()
    assignment: tuple[tuple[Date, tuple[str, ...]], ...] = ()
    violations: tuple[str, ...] = ()
    summary: str = ""
    format_errors: tuple[FormatError, ...] = ()
    replies: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Organizing:
    """A whole run: from the first mail to the last date, or to the deadline.

    `scenario` has people with all that drove the simulated ones; `seats` has the kind of
    each of them, of "organizer", "detector", "reader" and "reviewer"; `policies` are
    pairs of id and text at the start, `hooks` those there were at the end.
    """

    scenario: Scenario
    seats: Mapping[str, str]
    policies: tuple[tuple[str, str], ...]
    days: tuple[Day, ...]
    hooks: tuple[Flag, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rounds(self) -> tuple[Day, ...]:
        """The days, under the name that every record has for its steps."""
        return self.days

    @property
    def assignment(self) -> Mapping[Date, tuple[str, ...]]:
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
