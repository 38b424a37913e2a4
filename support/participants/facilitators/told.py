"""What prompts say of a meeting, a conversation and a company: facts turned into words and short times."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from support.environments.meetings.company import COLLABORATOR, MANAGER, TEAMMATE, Database
from support.environments.meetings.meeting import STEP, Meeting
from support.environments.meetings.views import Brief, Chat

STARTS = 60
"""Starts that a tight model chooses from; with more slots, only every second, fourth, … is offered."""

WORDS = {
    TEAMMATE: "{a} and {b} are teammates.",
    COLLABORATOR: "{a} often works with {b}.",
    MANAGER: "{a} reports to {b}.",
}


def label(start: datetime) -> str:
    """A start as models read and write it, short.

    >>> label(datetime(2026, 2, 16, 10))
    'Mon 16 Feb 10:00'
    """
    return f"{start:%a} {start.day} {start:%b} {start:%H:%M}"


def invitation(meeting: Meeting) -> dict[str, Any]:
    """What everybody who is invited may read, for a prompt: text, days in words, minutes."""
    days = dict.fromkeys(f"{slot:%A} {slot.day} {slot:%B %Y}" for slot in meeting.slots())
    return {"invitation": meeting.invitation, "days": list(days), "duration": meeting.duration}


def said(chat: Chat) -> list[str]:
    """The turns so far as lines; a turn stays on its line, whatever stands in it."""
    return [f"{turn.speaker}: {' '.join(turn.text.split())}" for turn in chat.turns]


def on_clock(start: datetime, zone: str | None) -> datetime:
    """A moment in a zone; as it is without one."""
    return start if zone is None else start.astimezone(ZoneInfo(zone))


def difference(meeting: Meeting, zone: str | None) -> str:
    """How a member's clock differs from the organiser's on the meeting's first day, in words; "" where it does not."""
    start = meeting.slots()[0]
    apart = on_clock(start, zone).replace(tzinfo=None) - start.replace(tzinfo=None)  # by the clocks on the wall
    hours = apart.total_seconds() / 3600
    if not hours:
        return ""
    how = "ahead of" if hours > 0 else "behind"
    return f"whose clock is {abs(hours):g} {'hour' if abs(hours) == 1 else 'hours'} {how} that of {meeting.organiser}"


def offered(brief: Brief, most: int = STARTS) -> list[datetime]:
    """The starts that a model may choose from, in order: every slot, or a coarser grid and the options so far."""
    meeting, step = brief.meeting, STEP
    while len(meeting.slots(step)) > most:
        step *= 2
    so_far = [meeting.slot(option.start) for option in brief.previous]
    best = [meeting.slot(brief.candidate.start)] if brief.candidate else []
    return sorted({*meeting.slots(step), *so_far, *best})


def described(database: Database | None) -> tuple[list[str], list[str]]:
    """Roles with responsibilities, and relations, as lines; nothing without a database."""
    if database is None:
        return [], []
    people = [f"{p.name}: {p.role}; responsible for {', '.join(p.responsibilities)}" for p in database.profiles]
    seen: dict[Any, str] = {}
    for a, b, relation in database.relations:
        mutual = frozenset((a, b)) if relation == TEAMMATE else (a, b)
        seen.setdefault((relation, mutual), WORDS[relation].format(a=a, b=b))
    return people, list(seen.values())
