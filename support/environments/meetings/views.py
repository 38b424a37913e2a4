"""What each role may know when it is asked to act, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from support.environments.meetings.company import Database
from support.environments.meetings.meeting import Meeting
from support.records import Option, Turn


@dataclass(frozen=True, slots=True)
class Chat:
    """A private conversation so far, as its two sides see it.

    `options` are those of the round before (empty in round 1), `candidate` the id of the best of them.
    """

    member: str
    meeting: Meeting
    round: int
    options: tuple[Option, ...] = ()
    candidate: str | None = None
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark:
    """What the interviewer says next. `done` ends the conversation; the text may be empty then."""

    text: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class Intent:
    """theta_i: compact restatements of what the member said; the id of an option that the member agreed to, if any."""

    preferences: tuple[str, ...]
    agreed: str | None = None


@dataclass(frozen=True, slots=True)
class Brief:
    """What the coordinator is given: the invitation, what was extracted from everybody, and the candidate so far.

    `satisfied` is the number of members whom the evaluator found satisfied by `candidate`. `database` is None when
    the coordinator works without one. Nothing in it comes from the members' structured preferences.
    """

    meeting: Meeting
    round: int
    k: int
    intents: Mapping[str, Intent]
    candidate: Option | None = None
    satisfied: int = 0
    previous: tuple[Option, ...] = ()
    database: Database | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An option as a coordinator writes it: its start (ISO moment), whom it satisfies, the reasons they expressed."""

    start: str
    members: tuple[str, ...] = ()
    reasons: tuple[str, ...] = field(default=())
