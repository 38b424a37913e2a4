"""A company: who works with whom, which groups are to meet, what each keeps private.

The authored company lies in `data/inputs/meetings`, whose README explains the fields; a
folder of your own takes the same form.
"""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field, TypeAdapter
from pydantic import ValidationError as Misfit

from support.data import inputs
from support.errors import DamagedFile, InvalidInput, MissingData
from support.meetings.preferences import STRICT, Busy, Stated, Time, Words

if TYPE_CHECKING:
    import networkx as nx

T = TypeVar("T")
FIRST, LAST, STEP = 8, 18, 30
"""Hours of the organiser's day, and minutes from one start to the next."""


def _zone(name: str) -> str:
    try:
        return str(ZoneInfo(name))
    except (KeyError, ValueError, OSError):  # a folder of zones is an OSError
        raise ValueError("expected an IANA time zone such as Europe/Berlin") from None


def _day(text: str) -> str:
    if date.fromisoformat(text).weekday() > 4:
        raise ValueError(f"{text} given; expected a working day")
    return text


def _moment(text: str) -> str:
    TypeAdapter(AwareDatetime).validate_python(text)
    return text


Zone = Annotated[str, AfterValidator(_zone)]
Moment = Annotated[str, AfterValidator(_moment)]


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
    each preference.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: str
    texts: Annotated[tuple[tuple[str, ...], ...], Field(min_length=1)]
    sentences: tuple[tuple[int, ...], ...]
    preferences: Annotated[tuple[Stated, ...], Field(min_length=1)]

    def __post_init__(self) -> None:
        fits = [len(row) == len(self.preferences) for row in self.sentences]
        if len(fits) != len(self.texts) or not all(fits):
            raise InvalidInput(
                f"sentences {self.sentences} given; expected for each of the "
                f"{len(self.texts)} texts a number for each preference"
            )

    def said(self, text: int = 0) -> tuple[Words, ...]:
        """A text, sentence by sentence, with the wishes that each sentence says."""
        if text not in range(len(self.texts)):
            most = len(self.texts) - 1
            raise InvalidInput(f"paraphrase: {text!r} given; expected 0 to {most}")
        says: dict[int, list[Any]] = {}
        for place, wish in zip(self.sentences[text], self.preferences, strict=True):
            says.setdefault(place, []).append(wish)
        return tuple(
            Words(text=sentence, says=tuple(says.get(k, ())))
            for k, sentence in enumerate(self.texts[text])
        )


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
    members: Annotated[tuple[str, ...], Field(min_length=2)]
    subject: str
    date: Annotated[str, AfterValidator(_day)]
    days: Annotated[int, Field(ge=1, le=20)]
    duration: Annotated[int, Field(ge=5, le=600)]
    sent: Moment
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
            iso(datetime(d.year, d.month, d.day, *divmod(m, 60), tzinfo=zone))
            for d in working[: self.days]
            for m in starts
        )

    @property
    def invitation(self) -> str:
        """The letter, in words that hold all that the invitation says."""
        days = dict.fromkeys(day_of(slot) for slot in self.slots)
        when = f"on {listed(days, 'or')}"
        demand = f" {listed(self.required)} must be there." if self.required else ""
        return (
            f'I would like to meet you for {self.duration} minutes {when}: "'
            f'{self.subject}".{demand}'
        )


@dataclass(frozen=True)
class Past:
    """A meeting that took place, for the social graph."""

    organiser: str
    members: tuple[str, ...]
    subject: str


def iso(start: datetime) -> str:
    """A moment as records hold it."""
    return start.isoformat(timespec="minutes")


def day_of(moment: str, zone: str = "") -> str:
    """The day of a moment, on its own clock or on that of a zone.

    >>> day_of("2026-02-16T23:30-05:00", "Europe/Berlin")
    'Tuesday 17 February 2026'
    """
    day = datetime.fromisoformat(moment)
    day = day.astimezone(ZoneInfo(zone)) if zone else day
    return f"{day:%A} {day.day} {day:%B %Y}"


def listed(names: Sequence[str] | Mapping[str, Any], last: str = "and") -> str:
    """Names as one says them.

    >>> listed(["Ana", "Ben", "Cem"])
    'Ana, Ben and Cem'
    """
    *most, end = names
    return f"{', '.join(most)} {last} {end}" if most else end


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


@dataclass(frozen=True)
class Company:
    """Employees, the meetings that they had, and the groups that are to meet."""

    profiles: tuple[Profile, ...]
    past: tuple[Past, ...]
    private: Mapping[str, Private]
    busy: Mapping[str, tuple[Busy, ...]]
    groups: tuple[Meeting, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Profile]:
        """Profiles by name."""
        return {p.name: p for p in self.profiles}

    def teammates(self, name: str) -> tuple[str, ...]:
        """Who reports to the same manager, in the company's order."""
        boss = self.by_name[name].manager
        team = [p.name for p in self.profiles if boss and p.manager == boss]
        return tuple(other for other in team if other != name)

    def collaborators(self, name: str) -> tuple[str, ...]:
        """The first half of those met in meetings, most meetings first (section 5.1).

        Ties keep the company's order; of an odd number the half is rounded up.
        """
        met = Counter[str]()
        for meeting in self.past:
            group = {meeting.organiser, *meeting.members}
            met.update(group - {name} if name in group else ())
        place = {p.name: i for i, p in enumerate(self.profiles)}
        ranked = sorted(met, key=lambda other: (-met[other], place[other]))
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
    if not path.is_dir():
        raise MissingData(f"company: {path} given; expected a folder, see the README")
    return _company(path, tuple(f.stat().st_mtime_ns for f in sorted(path.iterdir())))


@lru_cache(maxsize=8)
def _company(folder: Path, changed: tuple[int, ...]) -> Company:
    profiles = tuple(_toml(folder / "employees.toml", "employee", Profile))
    private = {p.name: p for p in _toml(folder / "preferences.toml", "private", Private)}
    past = tuple(_csv(folder / "meetings.csv", Past))
    groups = tuple(_csv(folder / "groups.csv", Meeting))
    busy: dict[str, list[Busy]] = {p.name: [] for p in profiles}
    events = list(_csv(folder / "busy.csv", _Event))
    named = [*private, *(event.employee for event in events)]
    for meeting in (*past, *groups):
        named += [meeting.organiser, *meeting.members]
    strangers = [name for name in named if name not in busy]
    missing = [name for name in busy if name not in private]
    if strangers or missing:
        told = "no employee" if strangers else "without preferences"
        raise InvalidInput(f"{folder}: {(strangers or missing)[0]!r} is {told}")
    for event in events:
        busy[event.employee].append(Busy(start=event.start, end=event.end))
    events_of = {name: tuple(found) for name, found in busy.items()}
    return Company(profiles, past, private, events_of, groups)


@dataclass(frozen=True)
class _Event:
    employee: str
    start: Moment
    end: Moment


def _toml(path: Path, key: str, made: type[T]) -> Iterator[T]:
    try:
        rows = tomllib.loads(_text(path)).get(key, [])
    except tomllib.TOMLDecodeError as error:
        raise DamagedFile(f"{path}: no TOML ({error}); mend the file") from error
    return _records(path, rows, made)


def _csv(path: Path, made: type[T]) -> Iterator[T]:
    rows: list[dict[str, Any]] = []
    for row in csv.DictReader(_text(path).splitlines()):
        for name in {"members", "required"} & row.keys():
            row[name] = tuple(filter(None, row[name].split("; ")))  # type: ignore[arg-type]
        rows.append(row)
    return _records(path, rows, made)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise MissingData(f"{path} is not there; a company needs it") from None


def _records(path: Path, rows: Sequence[Any], made: type[T]) -> Iterator[T]:
    adapter = TypeAdapter(made)
    for number, row in enumerate(rows, start=1):
        try:
            yield adapter.validate_python(row)
        except (Misfit, InvalidInput) as error:
            raise InvalidInput(f"{path.name}, entry {number}: {error}") from error
