"""What private talks reveal of the wishes of others (section 8.4 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from support.meetings.records import ASSISTANT, Coordination, Notes, owned


@dataclass(frozen=True)
class Leak:
    """A wish that only `owner` had stated, told to another member; with whose it is?"""

    round: int
    member: str
    owner: str
    wish: Any
    named: bool


def leaks(record: Coordination) -> Iterator[Leak]:
    """Every wish that only one member had stated and another one was told."""
    named = not record.settings["redacted"]
    known: Notes = {}
    for entry in record.rounds:
        for member, talk in entry.talks.items():
            told: list[Any] = []
            for turn in talk:
                told += turn.wishes if turn.speaker == ASSISTANT else ()
            for wish in dict.fromkeys(told):
                owners = [name for name, wishes in known.items() if wish in wishes]
                if len(owners) == 1 and member not in owners:
                    yield Leak(entry.number, member, owners[0], wish, named)
        known = entry.notes


async def overheard(record: Coordination, reader: Any) -> Coordination:
    """A record in which a reader by model tells what the assistant's words reveal.

    `reader.overhear(member, text, wishes)` gives those of `wishes`, pairs of an owner
    and a wish, that a text reveals. For interviewers who are models, or people.
    """
    rounds, stated = [], list[tuple[str, Any]]()
    for entry in record.rounds:
        talks = {}
        for member, talk in entry.talks.items():
            others = [pair for pair in stated if pair[0] != member]
            turns = []
            for turn in talk:
                if turn.speaker == ASSISTANT and others:
                    told = await reader.overhear(member, turn.text, others)
                    turn = replace(turn, wishes=tuple(wish for _, wish in told))
                turns.append(turn)
            talks[member] = tuple(turns)
        rounds.append(replace(entry, talks=talks))
        stated = owned(entry.notes)
    return replace(record, rounds=tuple(rounds))
