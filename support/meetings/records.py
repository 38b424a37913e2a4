"""What is said and decided, round after round: turns, notes, options, scores.

Symbols are those of Papachristou, Yang and Hsu (2023), section 3. A turn carries its
wishes, its agreement and its end as data beside its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from support.meetings.preferences import Choice, Wish
from support.play import FormatError

ASSISTANT = "assistant"
"""Speaker of the turns that the coordinating system says."""

Notes = Mapping[str, tuple[Wish, ...]]
"""theta: by member, what the member said so far (or in this round), each wish once."""

Scores = Mapping[str, Mapping[str, int | None]]
"""pi by option and member: 0 to 3, None where nothing is known of the member."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a private talk, by "assistant" or by the member.

    `wishes` is what the words say of the decision (of an assistant's turn: which wishes
    of members it tells), `agrees` the id of an option, `done`: nothing more to say.
    """

    speaker: str
    text: str
    wishes: tuple[Wish, ...] = ()
    agrees: str | None = None
    done: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """x_j: a slot, whom it satisfies by the coordinator's word, and by which wishes.

    `id` ("O1", "O2", …) stays that of its slot during the whole run; `slot` is an ISO
    moment of start, or a venue's name.
    """

    id: str
    slot: str
    members: tuple[str, ...] = ()
    reasons: Mapping[str, tuple[Wish, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Round:
    """One finished round.

    `talks` is empty where nobody talks. `scores` are those of the evaluator, on `notes`;
    they choose `candidate`, an option's id (None while there is none). `audit` are those
    of the same options in truth, which nobody in the loop sees. `breaches` are the ids
    of options that satisfy fewer members, by the coordinator's own word, than step (3)
    of section 3.2 asks for.
    """

    number: int
    talks: Mapping[str, tuple[Turn, ...]]
    notes: Notes
    options: tuple[Option, ...]
    scores: Scores
    audit: Scores
    candidate: str | None
    breaches: tuple[str, ...] = ()
    format_errors: tuple[FormatError, ...] = ()
    replies: int = 0


@dataclass(frozen=True, slots=True)
class Coordination:
    """A whole run. `meeting` is the invitation as plain data, `seats` who sat where.

    `seats` has the members' names and "interviewer", "reader", "coordinator",
    "evaluator". `chance` and `optimum` are shares of the members whom a slot drawn at
    random, and the best one, satisfy in truth.
    """

    meeting: Mapping[str, Any]
    seats: Mapping[str, str]
    rounds: tuple[Round, ...]
    settings: Mapping[str, Any]
    chance: float
    optimum: float

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the members."""
        return tuple(self.meeting["members"])

    @property
    def outcome(self) -> Option | None:
        """The last decision candidate, or None when there never was one."""
        last = self.rounds[-1]
        found = [option for option in last.options if option.id == last.candidate]
        return found[0] if found else None

    @property
    def summary(self) -> dict[str, Any]:
        """What a table of runs says of this one."""
        return {
            "outcome": self.outcome.slot if self.outcome else None,
            "format_errors": sum(len(entry.format_errors) for entry in self.rounds),
        }


def noted(
    before: tuple[Any, ...],
    talk: tuple[Turn, ...],
    slots: Mapping[str, str],
) -> tuple[Any, ...]:
    """A member's notes after a talk: each wish once, as it was said last, and of all
    choices the last alone, at the end.

    `slots` are those of the options that were told, by id.
    """
    said = list(before)
    for turn in talk:
        if turn.speaker == ASSISTANT:
            continue
        said += turn.wishes
        if turn.agrees:
            said.append(Choice(slot=slots[turn.agrees]))
    latest: dict[Any, Any] = {}
    for wish in said:
        alike = wish.model_copy(update={"priority": 2})
        latest[Choice if isinstance(wish, Choice) else alike] = wish
    return tuple(sorted(latest.values(), key=lambda wish: isinstance(wish, Choice)))


def owned(notes: Notes) -> list[tuple[str, Any]]:
    """All notes, each with its owner."""
    return [(member, wish) for member, wishes in notes.items() for wish in wishes]
