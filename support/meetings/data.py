"""A company: who works with whom, which groups are to meet, what each keeps private.

The authored company lies in `data/inputs/meetings`, whose README explains the fields; a
folder of your own takes the same form.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from functools import cached_property, lru_cache
from itertools import chain, product
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import numpy as np
from pydantic import AfterValidator, Field, TypeAdapter, model_validator

from support.data import inputs
from support.errors import DamagedFile, InvalidInput, MissingData
from support.meetings.preferences import (
    Stated,
    Strict,
    Time,
    Venue,
    Words,
    moment,
    situation,
)
from support.prompts import listed

FIRST, LAST, STEP = 8, 18, 30
"""Hours of the organiser's day, and minutes from one start to the next."""
Zone = Annotated[str, AfterValidator(lambda name: str(ZoneInfo(name)))]


class Profile(Strict):
    """What everybody may know of an employee; `manager` is "" for who has none."""

    name: str
    role: str
    level: Annotated[int, Field(ge=1, le=5)]
    responsibilities: tuple[str, ...]
    zone: Zone
    hours: tuple[Time, Time] = ("09:00", "17:00")
    manager: str = ""


class Private(Strict):
    """What only the employee knows: wishes as data, and a text that says the same.

    The text is its sentences, each with the numbers, from 0, of the preferences that it
    says. `venue` are wishes about a place, `busy` other events.
    """

    name: str
    text: tuple[tuple[str, tuple[int, ...]], ...]
    preferences: Annotated[tuple[Stated, ...], Field(min_length=1)]
    venue: tuple[Stated, ...] = ()
    busy: tuple[tuple[str, str], ...] = ()

    @model_validator(mode="after")
    def _the_text_says_all(self) -> Private:
        numbers = [*range(len(self.preferences))]
        said = sorted(chain.from_iterable(says for _, says in self.text))
        if said != numbers:
            raise ValueError(f"preferences {said} said; expected each of {numbers}")
        return self

    @property
    def said(self) -> tuple[Words, ...]:
        """The text, sentence by sentence, with the wishes that each sentence says."""
        said = []
        for sentence, numbers in self.text:
            says = tuple(self.preferences[number] for number in numbers)
            said.append(Words(text=sentence, says=says))
        return tuple(said)


class Meeting(Strict):
    """One meeting that waits for its time (Table 5 of the paper), or for its venue.

    The organiser is not among the members. `date` is the first of `days` working days
    in question, `duration` in minutes, `sent` when the invitation went out, `zone` the
    organiser's; who is `required` has to be there. With `venues` these are in question.
    """

    id: str
    organiser: str
    members: tuple[str, ...]
    subject: str
    date: str
    days: Annotated[int, Field(ge=1, le=20)]
    duration: Annotated[int, Field(ge=5, le=600)]
    sent: str
    zone: Zone
    required: tuple[str, ...] = ()
    venues: tuple[Venue, ...] = ()

    @model_validator(mode="after")
    def _a_date_and_everybody_once(self) -> Meeting:
        np.datetime64(self.date)  # refuses what is none
        twice = len({self.organiser, *self.members}) <= len(self.members)
        if twice or not {*self.required} <= {*self.members}:
            raise ValueError(
                "organiser, members, required: expected everybody once, and required "
                "ones among the members"
            )
        return self

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """Every start that comes into question, in order, on the organiser's clock."""
        days = np.busday_offset(self.date, range(self.days), roll="forward")
        starts = range(FIRST * 60, LAST * 60 - self.duration + 1, STEP)
        slots = []
        for day, minute in product(days.tolist(), starts):
            clock = time(*divmod(minute, 60), tzinfo=ZoneInfo(self.zone))
            slots.append(iso(datetime.combine(day, clock)))
        return tuple(slots)

    def seen(self, zone: str) -> dict[str, Any]:
        """Each slot as a member in an IANA zone sees it."""
        if self.venues:
            return {venue.slot: venue for venue in self.venues}
        sent = datetime.fromisoformat(self.sent)
        return {s: situation(s, self.duration, sent, zone) for s in self.slots}

    def sent_at(self, zone: str) -> str:
        """When the invitation went out, by a clock; "" where no time is in question."""
        there = datetime.fromisoformat(self.sent).astimezone(ZoneInfo(zone))
        return "" if self.venues else moment(there)

    @property
    def invitation(self) -> str:
        """The letter, in words that hold all that the invitation says."""
        if self.venues:
            return f"I would like to invite you to a {self.subject}."
        starts = map(datetime.fromisoformat, self.slots)
        days = dict.fromkeys(f"{s:%A} {s.day} {s:%B %Y}" for s in starts)
        when = f"on {' or '.join(days)}"
        demand = f" {listed(self.required)} must be there." if self.required else ""
        return (
            f'I would like to meet you for {self.duration} minutes {when}: "'
            f'{self.subject}".{demand}'
        )


def iso(start: datetime) -> str:
    """A moment as records hold it."""
    return start.isoformat(timespec="minutes")


# ---- the company -----------------------------------------------------------------------

TEAMMATE = "teammate"
COLLABORATOR = "collaborator"
MANAGER = "manager"


Relation = tuple[str, str, str]
"""Source, target and kind; of a "manager" the target manages."""


@dataclass(frozen=True, eq=False)
class Company:
    """Employees with what each keeps private, and the groups that are to meet.

    `past` are the people of each meeting that they had, the organiser first.
    """

    by_name: dict[str, Profile]
    private: dict[str, Private]
    past: tuple[tuple[str, ...], ...]
    groups: tuple[Meeting, ...]
    venues: tuple[Venue, ...]

    @cached_property
    def public(self) -> Company:
        """Without what is private."""
        return replace(self, private={})

    def teammates(self, name: str) -> tuple[str, ...]:
        """Who reports to the same manager, in the company's order."""
        boss = self.by_name[name].manager
        team = [p.name for p in self.by_name.values() if boss and p.manager == boss]
        return tuple(other for other in team if other != name)

    def collaborators(self, name: str) -> tuple[str, ...]:
        """The first half of those met in meetings, most meetings first (section 5.1).

        Ties keep the company's order; of an odd number the half is rounded up.
        """
        met = Counter[str]()
        for people in self.past:
            met.update({*people} - {name} if name in people else ())
        known = sorted(filter(met.get, self.by_name), key=met.__getitem__, reverse=True)
        return tuple(known[: (len(known) + 1) // 2])

    def relations(self, members: Sequence[str]) -> tuple[Relation, ...]:
        """Who works with whom among some (section 5.1), each pair once for each kind."""
        found: dict[Any, Relation] = {}
        for a in members:
            known = {TEAMMATE: self.teammates(a), COLLABORATOR: self.collaborators(a)}
            known[MANAGER] = (self.by_name[a].manager,)
            for kind, others in known.items():
                for b in others:
                    found.setdefault((frozenset((a, b)), kind), (a, b, kind))
        return tuple(relation for relation in found.values() if relation[1] in members)


# ---- the files ---------------------------------------------------------------------------

FILES = {
    "employees": Profile,
    "preferences": Private,
    "meetings": dict,
    "groups": Meeting,
    "venues": Venue,
}


def load_company(folder: Company | str | Path | None = None) -> Company:
    """The company of a folder; by default the authored one."""
    if isinstance(folder, Company):
        return folder
    path = Path(folder) if folder else inputs("meetings")
    changed = [file.stat().st_mtime_ns for file in sorted(path.glob("*.toml"))]
    return _company(path, tuple(changed))


@lru_cache(maxsize=8)
def _company(folder: Path, changed: tuple[int, ...]) -> Company:
    employees, preferences, meetings, groups, venues = (
        _read(folder / f"{file}.toml", made) for file, made in FILES.items()
    )
    people = {one.name: one for one in employees}
    private = {one.name: one for one in preferences}
    past = tuple(tuple(row["people"]) for row in meetings)
    invited = [(group.organiser, *group.members) for group in groups]
    for name in chain(people, private, *past, *invited):
        if name not in people or name not in private:
            told = "is no employee, or one without preferences"
            raise InvalidInput(f"{folder}: {name!r} {told}")
    return Company(people, private, past, tuple(groups), tuple(venues))


def _read(path: Path, made: Any) -> list[Any]:
    """The tables of a file, which are all of one kind."""
    if not path.is_file():
        raise MissingData(f"{path} is not there; a company needs it (see the README)")
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise DamagedFile(f"{path}: no TOML ({error}); mend the file") from error
    try:
        (rows,) = TypeAdapter(dict[str, list[made]]).validate_python(tables).values()
    except (ValueError, KeyError) as error:
        raise InvalidInput(f"{path}: {error}") from error
    return rows
