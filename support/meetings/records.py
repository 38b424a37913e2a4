"""What is said and decided when a coordinator finds a meeting's time: private chats, options, scores, candidates.

Symbols are those of Papachristou, Yang and Hsu (2023), section 3. Moments are ISO 8601 texts with their offset from
UTC, such as "2026-02-16T10:00-05:00".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from support.play import FormatError

ASSISTANT = "assistant"
"""Speaker of the turns that the coordinating system says."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said in a private conversation, by "assistant" or by the member."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Option:
    """An option x_j: a start, the members whom the coordinator says it satisfies, and reasons that members expressed.

    `id` ("O1", "O2", …) stays the same for a start during the whole run.
    """

    id: str
    start: str
    members: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """The conversation m_i of one member in one round, theta_i (`preferences`), and the id of an option agreed to.

    Without turns (the non-conversational design) the preferences were handed over as they are.
    """

    member: str
    turns: tuple[Turn, ...] = ()
    preferences: tuple[str, ...] = ()
    agreed: str | None = None

    @property
    def interactions(self) -> int:
        """The member's turns in the conversation (section 5.3)."""
        return sum(turn.speaker != ASSISTANT for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Score:
    """pi_{j,i}: how far an option meets a member's preferences, 0 (none) to 3 (all), and why."""

    option: str
    member: str
    value: int
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CoordinationRound:
    """One finished round.

    `scores` are those of the evaluator in the loop, on what was extracted in this round; they choose `candidate`, an
    option's id, None while there is no option. `audit` are the scores of the same options on the members' true
    preferences, which nobody in the loop sees. `breaches` says in words where the options leave section 3.2.
    """

    number: int
    conversations: tuple[Conversation, ...]
    options: tuple[Option, ...]
    scores: tuple[Score, ...]
    candidate: str | None
    audit: tuple[Score, ...] = ()
    breaches: tuple[str, ...] = ()
    format_errors: tuple[FormatError, ...] = ()
    replies: int = 0

    def option(self, id: str) -> Option:
        """The option of that id; KeyError if this round has none."""
        return {option.id: option for option in self.options}[id]


@dataclass(frozen=True, slots=True)
class Coordination:
    """A whole run. `meeting` is the invitation as plain data, `seats` says which kind sat in each role.

    Keys of `seats` are the members' names and "interviewer", "coordinator" and "evaluator".
    """

    meeting: Mapping[str, Any]
    seats: Mapping[str, str]
    rounds: tuple[CoordinationRound, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the members."""
        return tuple(self.meeting["members"])

    @property
    def outcome(self) -> Option | None:
        """The last decision candidate, or None when there never was one."""
        last = self.rounds[-1] if self.rounds else None
        return last.option(last.candidate) if last and last.candidate else None

    @property
    def summary(self) -> dict[str, Any]:
        """What a table of meetings says of this one: its time, turns and misfits."""
        talks = [talk for entry in self.rounds for talk in entry.conversations]
        return {
            "decided": self.outcome is not None,
            "outcome": self.outcome.start if self.outcome else None,
            "messages": sum(len(talk.turns) for talk in talks),
            "format_errors": sum(len(entry.format_errors) for entry in self.rounds),
        }
