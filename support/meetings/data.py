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
from typing import Annotated, Any, ClassVar
from zoneinfo import ZoneInfo

import numpy as np
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter

from support.data import inputs
from support.errors import DamagedFile, InvalidInput, MissingData
from support.meetings.preferences import STRICT, Stated, Time, Words
from support.prompts import listed

FIRST, LAST, STEP = 8, 18, 30
"""Hours of the organiser's day, and minutes from one start to the next."""
Zone = Annotated[str, AfterValidator(lambda name: str(ZoneInfo(name)))]


@dataclass(frozen=True)
class Profile:
    """What everybody may know of an employee; `manager` is "" for who has none."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: str
    role: str
    level: Annotated[int, Field(ge=1, le=5)]
    responsibilities: tuple[str, ...]
    zone: Zone
    hours: tuple[Time, Time] = ("09:00", "17:00")
    manager: str = ""


@dataclass(frozen=True)
class Private:
    """What only the employee knows: wishes as data, and three texts that say the same.

    A text is its sentences; `sentences` tells for each text which of them, from 0, says
    each preference. `venue` are wishes about a place, `busy` other events.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: str
    texts: tuple[tuple[str, ...], ...]
    sentences: tuple[tuple[int, ...], ...]
    preferences: Annotated[tuple[Stated, ...], Field(min_length=1)]
    venue: tuple[Stated, ...] = ()
    busy: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        numbers = [len(self.preferences)] * len(self.texts)
        if [*map(len, self.sentences)] != numbers:
            raise InvalidInput(
                f"sentences {self.sentences} given; expected for each of the "
                f"{len(self.texts)} texts a number for each preference"
            )

    def said(self, text: int = 0) -> tuple[Words, ...]:
        """A text, sentence by sentence, with the wishes that each sentence says."""
        if text not in range(len(self.texts)):
            most = len(self.texts) - 1
            raise InvalidInput(f"paraphrase: {text!r} given; expected 0 to {most}")
        said = [Words(text=sentence) for sentence in self.texts[text]]
        for place, wish in zip(self.sentences[text], self.preferences, strict=True):
            words = said[place]
            said[place] = replace(words, says=(*words.says, wish))
        return tuple(said)


@dataclass(frozen=True)
class Meeting:
    """One meeting that waits for its time (Table 5 of the paper).

    The organiser is not among the members. `date` is the first of `days` working days
    in question, `duration` in minutes, `sent` when the invitation went out, `zone` the
    organiser's; who is `required` has to be there.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    timed: ClassVar[bool] = True

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

    def __post_init__(self) -> None:
        everybody = {self.organiser, *self.members}
        twice = len(everybody) <= len(self.members)
        if twice or not {*self.required} <= {*self.members}:
            given = f"organiser {self.organiser}, members {list(self.members)}"
            raise InvalidInput(
                f"{given}, required {list(self.required)} given; expected everybody "
                "once, and required ones among the members"
            )

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

    @property
    def invitation(self) -> str:
        """The letter, in words that hold all that the invitation says."""
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

TEAMMATE, COLLABORATOR, MANAGER = "teammate", "collaborator", "manager"


@dataclass(frozen=True)
class Database:
    """What a coordinator may look up about some members (section 5.1): no wishes.

    `relations` are (source, target, relation); of a "manager" the target manages.
    """

    profiles: tuple[Profile, ...]
    relations: tuple[tuple[str, str, str], ...]

    @cached_property
    def pairs(self) -> frozenset[frozenset[str]]:
        """Pairs that know each other from work."""
        return frozenset(frozenset((a, b)) for a, b, _ in self.relations)

    @property
    def once(self) -> list[tuple[str, str, str]]:
        """The relations, each pair once."""
        found = {(frozenset((a, b)), of): (a, b, of) for a, b, of in self.relations}
        return list(found.values())


@dataclass(frozen=True, eq=False)
class Company:
    """Employees with what each keeps private, and the groups that are to meet.

    `past` are the people of each meeting that they had, the organiser first.
    """

    by_name: dict[str, Profile]
    private: dict[str, Private]
    past: tuple[tuple[str, ...], ...]
    groups: tuple[Meeting, ...]

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
        known = [other for other in self.by_name if met[other]]
        known.sort(key=lambda other: -met[other])
        return tuple(known[: (len(known) + 1) // 2])

    def database(self, members: Sequence[str]) -> Database:
        """The public part of what is known about some members."""
        found = []
        for a in members:
            found += [(a, b, TEAMMATE) for b in self.teammates(a)]
            found += [(a, b, COLLABORATOR) for b in self.collaborators(a)]
            found.append((a, self.by_name[a].manager, MANAGER))
        relations = tuple(r for r in found if r[1] in members)
        return Database(tuple(self.by_name[m] for m in members), relations)


# ---- the files ---------------------------------------------------------------------------


def load_company(folder: str | Path | None = None) -> Company:
    """The company of a folder; by default the authored one."""
    path = Path(folder) if folder else inputs("meetings")
    files = sorted(path.glob("*.toml"))
    return _company(path, tuple(file.stat().st_mtime_ns for file in files))


@lru_cache(maxsize=8)
def _company(folder: Path, changed: tuple[int, ...]) -> Company:
    people = {p.name: p for p in _read(folder, "employees", Profile)}
    private = {p.name: p for p in _read(folder, "preferences", Private)}
    past = tuple(tuple(row["people"]) for row in _read(folder, "meetings", dict))
    groups = tuple(_read(folder, "groups", Meeting))
    invited = [(group.organiser, *group.members) for group in groups]
    for name in chain(people, private, *past, *invited):
        if name not in people or name not in private:
            told = "is no employee, or one without preferences"
            raise InvalidInput(f"{folder}: {name!r} {told}")
    return Company(people, private, past, groups)


def _read(folder: Path, file: str, made: Any) -> list[Any]:
    """The tables of a file, which are all of one kind."""
    path = folder / f"{file}.toml"
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
