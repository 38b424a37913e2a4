"""The project's test material: replies that somebody has to decide about or not, states with the policies that apply.

`edge_cases` are 20 cases in five voices each, to be cross-validated by case; `held_out_replies` and `held_out_states`
are kept out, written by another author before any detector was (`data/inputs/seminar/TESTS.md`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from support.seminar.data import day, days, read_toml
from support.seminar.ledger import Contact, State


@dataclass(frozen=True, slots=True)
class JudgedReply:
    """A reply and whether the organiser has to decide about it; of one `case` all stay on one side of a split.

    `voice` is who speaks, or, of test replies, the topic.
    """

    id: str
    text: str
    flag: bool
    case: str
    voice: str = ""


@dataclass(frozen=True)
class JudgedState:
    """A state of an organising process, the report of an assistant on it, and the policies that apply."""

    id: str
    state: State
    summary: str
    applies: tuple[str, ...]
    why: str


def edge_cases() -> list[JudgedReply]:
    """The 100 replies of the edge-case suite."""
    return [
        JudgedReply(f"{case['id']}, {voice}", text, case["flag"], case["id"], voice)
        for case in read_toml("edge_cases.toml", "case")
        for voice, text in case["voices"].items()
    ]


def held_out_replies() -> list[JudgedReply]:
    """The 60 held-out replies."""
    found = read_toml("test_replies.toml", "reply")
    return [
        JudgedReply(e["id"], e["text"], e["flag"], e["id"], e["topic"]) for e in found
    ]


def held_out_states() -> list[JudgedState]:
    """The 30 held-out states."""
    return [_state(entry) for entry in read_toml("test_states.toml", "state")]


def _state(entry: Mapping[str, Any]) -> JudgedState:
    name = f"state {entry['id']}"
    slots = {
        day(s["date"], name): ((s["speaker"],) if s["speaker"] else ())
        for s in entry["slots"]
    }
    contacts = {}
    for s in entry["speakers"]:
        said: dict[str, Any] = {
            what: days(s[what], name)
            for what in ("mails", "answered", "available", "vague")
        }
        mine = tuple(slot for slot, names in slots.items() if s["name"] in names)
        contacts[s["name"]] = Contact(
            s["name"], s["role"], **said, said=s["said"], confirmed=mine
        )
    known = State(day(entry["today"], name), slots, contacts)
    return JudgedState(
        entry["id"],
        known,
        entry["summary"],
        tuple(entry["applies"]),
        entry.get("why", ""),
    )
