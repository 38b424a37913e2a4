"""A company: who works with whom, which groups are to meet, what each keeps private.

The authored company lies in `data/inputs/meetings`, whose README explains the fields; a
folder of your own takes the same form.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter

from support.data import inputs
from support.errors import DamagedFile, InvalidInput, MissingData
from support.meetings.preferences import STRICT, Busy, Stated, Time, Words
from support.prompts import listed

if TYPE_CHECKING:
    import networkx as nx

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
        said = list(zip(self.sentences[text], self.preferences, strict=True))
        made = []
        for number, sentence in enumerate(self.texts[text]):
            wishes = tuple(wish for place, wish in said if place == number)
            made.append(Words(text=sentence, says=wishes))
        return tuple(made)

    @cached_property
    def events(self) -> tuple[Busy, ...]:
        """Other events, in order."""
        return tuple(Busy(start=start, end=end) for start, end in self.busy)


@dataclass(frozen=True)
class Meeting:
    """One meeting that waits for its time (Table 5 of the paper).

    The organiser is not among the members. `date` is the first of `days` working days
    in question, `duration` in minutes, `sent` when the invitation went out, `zone` the
    organiser's; who is `required` has to be there.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

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
        first, zone = date.fromisoformat(self.date), ZoneInfo(self.zone)
        every = [first + timedelta(days=k) for k in range(2 * self.days + 2)]
        working = [day for day in every if day.weekday() < 5]
        starts = range(FIRST * 60, LAST * 60 - self.duration + 1, STEP)
        return tuple(
            iso(datetime.combine(day, time(*divmod(minute, 60)), zone))
            for day in working[: self.days]
            for minute in starts
        )

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
        everybody = list(self.by_name)
        ranked = sorted(met, key=lambda other: (-met[other], everybody.index(other)))
        return tuple(ranked[: (len(ranked) + 1) // 2])

    def database(self, members: Sequence[str]) -> Database:
        """The public part of what is known about some members."""
        found = []
        for a in members:
            found += [(a, b, TEAMMATE) for b in self.teammates(a)]
            found += [(a, b, COLLABORATOR) for b in self.collaborators(a)]
            found.append((a, self.by_name[a].manager, MANAGER))
        relations = tuple(r for r in found if r[1] in members)
        return Database(tuple(self.by_name[m] for m in members), relations)

    def graph(self, members: Sequence[str] | None = None) -> nx.MultiDiGraph:
        """The social graph of Figure 7, or its part for some members."""
        import networkx as nx

        found = nx.MultiDiGraph()
        known = self.database(list(self.by_name) if members is None else members)
        for p in known.profiles:
            found.add_node(p.name, level=p.level, role=p.role)
        for source, target, relation in known.relations:
            found.add_edge(source, target, relation=relation)
        return found


# ---- the files ---------------------------------------------------------------------------


def load_company(folder: str | Path | None = None) -> Company:
    """The company of a folder; by default the authored one."""
    path = Path(folder) if folder else inputs("meetings")
    files = sorted(path.glob("*.toml"))
    return _company(path, tuple(file.stat().st_mtime_ns for file in files))


@lru_cache(maxsize=8)
def _company(folder: Path, changed: tuple[int, ...]) -> Company:
    people = {p.name: p for p in _records(folder, "employees", Profile)}
    private = {p.name: p for p in _records(folder, "preferences", Private)}
    past = tuple(tuple(row["people"]) for row in _rows(folder, "meetings"))
    groups = tuple(_records(folder, "groups", Meeting))
    named = [name for group in past for name in group] + list(private)
    for meeting in groups:
        named += [meeting.organiser, *meeting.members]
    strangers = [name for name in named if name not in people]
    if wrong := strangers or [name for name in people if name not in private]:
        told = "no employee" if strangers else "an employee without preferences"
        raise InvalidInput(f"{folder}: {wrong[0]!r} is {told}")
    return Company(people, private, past, groups)


def _rows(folder: Path, file: str) -> list[Any]:
    """The tables of a file, which are all of one kind."""
    path = folder / f"{file}.toml"
    if not path.is_file():
        raise MissingData(f"{path} is not there; a company needs it (see the README)")
    try:
        (rows,) = tomllib.loads(path.read_text("utf-8")).values()
    except ValueError as error:
        raise DamagedFile(f"{path}: no TOML ({error}); mend the file") from error
    return rows


def _records(folder: Path, file: str, made: Any) -> list[Any]:
    found, adapter = [], TypeAdapter(made)
    for number, row in enumerate(_rows(folder, file), start=1):
        try:
            found.append(adapter.validate_python(row))
        except (ValueError, KeyError) as error:
            raise InvalidInput(f"{file}.toml, table {number}: {error}") from error
    return found
