"""A meeting, what its members prefer and when they are busy; and what each role may know when it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from support.errors import InvalidInput
from support.meetings.data import (
    Company,
    Database,
    Meeting,
    Private,
    Profile,
    calendar_of,
    load_company,
    load_private,
)
from support.meetings.preferences import Preference, Situation, situation
from support.meetings.reading.times import sentences
from support.meetings.records import Option, Turn

Busy = tuple[tuple[datetime, datetime], ...]
"""Busy times in order, as (start, end) in UTC."""

AROUND = timedelta(
    days=2
)  # events this far from a meeting's slots can still touch a gap, in any zone


@dataclass(frozen=True)
class Scenario:
    """One meeting with all that the study knows of its members.

    `private` is for the simulated member and the exact audit, never for a coordinator; `busy` holds each member's other
    events around the meeting's slots, None where nobody looks into the calendar.
    """

    company: Company
    meeting: Meeting
    private: Mapping[str, Private]
    busy: Mapping[str, Busy | None]

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the members, in the invitation's order."""
        return self.meeting.members

    @property
    def zones(self) -> dict[str, str]:
        """The IANA time zone of each member."""
        return {name: self.company.by_name[name].zone for name in self.members}

    def situation(self, member: str, start: datetime) -> Situation:
        """A start as one member sees it."""
        return situation(
            start,
            self.meeting.duration,
            self.meeting.sent_at,
            self.zones[member],
            self.busy[member],
        )

    def text(self, member: str, paraphrase: int = 0) -> str:
        """A member's free text (0), or one of its two paraphrases."""
        texts = self.private[member].texts
        if paraphrase not in range(len(texts)):
            raise InvalidInput(
                f"paraphrase: {paraphrase!r} given; expected 0 to {len(texts) - 1}"
            )
        return texts[paraphrase]

    def handed(self, paraphrase: int = 0) -> dict[str, tuple[str, ...]]:
        """Each member's free text, sentence by sentence, as the non-conversational baseline hands it over."""
        return {
            name: tuple(sentences(self.text(name, paraphrase))) for name in self.private
        }

    def database(self) -> Database:
        """What a coordinator may look up about the members."""
        return self.company.database(self.members)

    def narrowed(self, most: int | None) -> Scenario:
        """Everybody wants, and says, only the `most` narrowest of the own wishes; None leaves all of them."""
        if most is None:
            return self
        return replace(
            self,
            private={name: own.narrowed(most) for name, own in self.private.items()},
        )

    def without_demands(self) -> Scenario:
        """Nobody is required: what the organiser demands of attendance belongs to the database (section 5.2)."""
        return replace(self, meeting=self.meeting.without_demands())

    @property
    def public(self) -> Scenario:
        """Without what is private."""
        return replace(self, private={})

    def persona(self, name: str, paraphrase: int = 0) -> Persona:
        """What one member knows, and nobody else does."""
        firm, own = self.company, self.private[name]
        relations = firm.teammates(name), firm.collaborators(name)
        text, view = self.text(name, paraphrase), partial(self.situation, name)
        return Persona(firm.by_name[name], text, own.preferences, *relations, view)


@dataclass(frozen=True)
class Persona:
    """One member: profile, preferences as text and as structures, colleagues, and slots as the member sees them."""

    profile: Profile
    text: str
    preferences: tuple[Preference, ...]
    teammates: tuple[str, ...]
    collaborators: tuple[str, ...]
    situation: Callable[[datetime], Situation]


def scenario(meeting_id: str, folder: Path | None = None) -> Scenario:
    """The scenario of one meeting."""
    ids = {m.id: m for m in load_company(folder).meetings}
    if meeting_id not in ids:
        raise InvalidInput(
            f"meeting: {meeting_id!r} given; expected one of {', '.join(ids)}"
        )
    return _scenario(ids[meeting_id], folder)


def scenarios(
    n: int, count: int, seed: int, required: bool = False
) -> tuple[Scenario, ...]:
    """Draw scenarios of `n` members without repetition, as section 5.2 draws its 20; the same seed gives the same ones.

    `required` keeps to meetings with required attendees.
    """
    fit = [m for m in fitting(n) if m.required or not required]
    return tuple(
        _scenario(fit[i], None)
        for i in np.random.default_rng(seed).choice(len(fit), count, replace=False)
    )


def fitting(n: int, folder: Path | None = None) -> list[Meeting]:
    """The meetings with `n` members."""
    return [m for m in load_company(folder).meetings if len(m.members) == n]


def _scenario(chosen: Meeting, folder: Path | None) -> Scenario:
    private = load_private(folder)
    busy = {name: _busy(chosen, name, folder) for name in chosen.members}
    return Scenario(
        load_company(folder),
        chosen,
        {name: private[name] for name in chosen.members},
        busy,
    )


def _busy(chosen: Meeting, name: str, folder: Path | None) -> Busy:
    slots = chosen.slots()
    low, high = (
        slots[0] - AROUND,
        slots[-1] + timedelta(minutes=chosen.duration) + AROUND,
    )
    company, path = load_company(folder), calendar_of(name, folder)
    whole = _whole(
        path, path.stat().st_mtime_ns, *company.horizon, company.by_name[name].zone
    )
    return tuple((start, end) for start, end in whole if start < high and low < end)


@lru_cache(maxsize=256)
def _whole(
    path: Path, changed: int, first: datetime, last: datetime, zone: str
) -> Busy:
    """A calendar from the first to the last slot of any meeting, and around: it is read once for all of them."""
    from support.meetings.calendars import (
        busy,
    )  # takes long to import, and only this needs it

    low, high = first - 2 * AROUND, last + 2 * AROUND
    return busy(path, low.astimezone(UTC), high.astimezone(UTC), zone)


# ---- what each role may know -----------------------------------------------------------------------------------------


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

    @property
    def spoken(self) -> list[str]:
        """The member's turns, in order."""
        return [turn.text for turn in self.turns if turn.speaker == self.member]


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
    reasons: tuple[str, ...] = ()
