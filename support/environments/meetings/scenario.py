"""The authored company as scenarios: a meeting, what its members privately prefer, and when they are busy.

The files, their loaders and their validator are in `sources`; the names of its functions can be imported from here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

import numpy as np

from support.environments.meetings.company import Company, Database, Private
from support.environments.meetings.meeting import Meeting
from support.environments.meetings.preferences import Situation, situation
from support.environments.meetings.sources import check_company, load_calendars, load_company, load_private
from support.errors import InvalidInput

__all__ = [
    "Busy",
    "Scenario",
    "check_company",
    "load_calendars",
    "load_company",
    "load_private",
    "scenario",
    "scenarios",
]

Busy = tuple[tuple[datetime, datetime], ...]
"""Busy times in order, as (start, end) in UTC."""

END = re.compile(r"(?<=[.!?])\s+")
"""Where one sentence ends and the next begins."""

_AROUND = timedelta(days=2)  # events this far from a meeting's slots can still touch a gap, in any zone


@dataclass(frozen=True)
class Scenario:
    """One meeting with all that the study knows of its members.

    Attributes
    ----------
    company : the employees and the social graph, public.
    meeting : the invitation.
    private : what each member prefers; for the simulated member and the exact audit, never for a coordinator.
    busy : each member's other events around the meeting's slots, None where nobody looks into the calendar.
    """

    company: Company
    meeting: Meeting
    private: Mapping[str, Private]
    busy: Mapping[str, Busy | None]

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the members, in the invitation's order."""
        return self.meeting.members

    def situation(self, member: str, start: datetime | str) -> Situation:
        """A start (moment, or ISO text of one of the meeting's slots) as one member sees it.

        Raises
        ------
        InvalidInput
            When nobody of that name is a member, or the text is none of the meeting's slots.
        """
        if member not in self.members:
            raise InvalidInput(
                f"meeting {self.meeting.id}: {member!r} is no member; expected one of {', '.join(self.members)}"
            )
        moment = self.meeting.slot(start) if isinstance(start, str) else start
        zone = self.company.by_name[member].zone
        return situation(moment, self.meeting.duration, self.meeting.sent_at, zone, self.busy[member])

    def handed(self, paraphrase: int = 0) -> dict[str, tuple[str, ...]]:
        """Each member's free text, sentence by sentence, as the non-conversational baseline hands it over.

        Raises
        ------
        InvalidInput
            On a paraphrase other than 0 (the text itself), 1 and 2.
        """
        known = min(len(own.texts) for own in self.private.values())
        if isinstance(paraphrase, bool) or not isinstance(paraphrase, int) or not 0 <= paraphrase < known:
            raise InvalidInput(f"paraphrase: {paraphrase!r} given; expected 0 to {known - 1}")
        return {name: tuple(END.split(own.texts[paraphrase].strip())) for name, own in self.private.items()}

    def database(self) -> Database:
        """What a coordinator may look up about the members."""
        return self.company.database(self.members)


def scenario(meeting_id: str, *, calendars: bool = True, folder: Path | None = None) -> Scenario:
    """The scenario of one meeting.

    Raises
    ------
    InvalidInput
        When there is no such meeting; and what the loaders raise.

    Examples
    --------
    >>> scenario("m001", calendars=False).meeting.id
    'm001'
    """
    company = load_company(folder)
    ids = {m.id: m for m in company.meetings}
    if meeting_id not in ids:
        raise InvalidInput(f"meeting: {meeting_id!r} given; expected one of {', '.join(ids)}")
    return _scenario(company, ids[meeting_id], calendars, folder)


def scenarios(
    n: int,
    count: int,
    seed: int | np.random.Generator,
    required: bool = False,
    *,
    calendars: bool = True,
    folder: Path | None = None,
) -> tuple[Scenario, ...]:
    """Draw scenarios without repetition, as section 5.2 draws its 20.

    Parameters
    ----------
    n : exactly that many members.
    count : how many.
    seed : the same seed gives the same scenarios in the same order.
    required : only meetings with required attendees.
    calendars : False leaves the calendars unread; `busy` is None then, and gaps hold everywhere.

    Raises
    ------
    InvalidInput
        When there are fewer such meetings, naming how many there are.
    """
    company = load_company(folder)
    fit = [m for m in company.meetings if len(m.members) == n and (m.required or not required)]
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= len(fit):
        kind = f"with {n} members" + (" and required attendees" if required else "")
        raise InvalidInput(f"count: {count!r} meetings {kind} asked for; there are {len(fit)}, ask for 1 to that many")
    drawn = np.random.default_rng(seed).choice(len(fit), size=count, replace=False)
    return tuple(_scenario(company, fit[i], calendars, folder) for i in drawn)


def _scenario(company: Company, chosen: Meeting, calendars: bool, folder: Path | None) -> Scenario:
    private = load_private(folder)
    paths = load_calendars(folder) if calendars else {}
    busy = {name: _busy(chosen, name, paths[name], folder) if calendars else None for name in chosen.members}
    return Scenario(company, chosen, {name: private[name] for name in chosen.members}, busy)


def _busy(chosen: Meeting, name: str, path: Path, folder: Path | None) -> Busy:
    slots = chosen.slots()
    low, high = slots[0] - _AROUND, slots[-1] + timedelta(minutes=chosen.duration) + _AROUND
    whole = _calendar(path, *_horizon(folder), load_company(folder).by_name[name].zone)
    return tuple((start, end) for start, end in whole if start < high and low < end)


@lru_cache(maxsize=8)
def _horizon(folder: Path | None) -> tuple[datetime, datetime]:
    """From the first to the last slot of any meeting, and around: a calendar is read once for all of them."""
    slots = [m.slots() for m in load_company(folder).meetings]
    first, last = min(s[0] for s in slots), max(s[-1] for s in slots)
    return (first - 2 * _AROUND).astimezone(UTC), (last + 2 * _AROUND).astimezone(UTC)


@lru_cache(maxsize=256)
def _calendar(path: Path, start: datetime, end: datetime, zone: str) -> Busy:
    from support.environments.meetings import calendars  # takes long to import, and only this needs it

    return calendars.busy(calendars.read(path, start, end, zone))
