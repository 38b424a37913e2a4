"""A company's meetings: invitations, who works with whom, what each keeps private, and the files that say so.

The authored company lies in `data/inputs/meetings`, whose README explains the fields; a folder of your own takes the
same form.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    AwareDatetime,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from support.data import inputs
from support.errors import DamagedFile, InvalidInput, MissingData
from support.meetings.preferences import (
    STRICT,
    Date,
    Preference,
    Time,
    breadth,
    contradictions,
    minutes,
    preference,
)
from support.meetings.reading import restate
from support.meetings.reading.times import sentences

if TYPE_CHECKING:
    import networkx as nx

T = TypeVar("T")
FIRST, LAST, STEP = (
    8,
    18,
    30,
)  # hours of the organiser's day, and minutes from one slot's start to the next


def _zone(name: str) -> str:
    try:
        return str(ZoneInfo(name))
    except (KeyError, ValueError, OSError):  # a folder of zones is an OSError
        raise ValueError("expected an IANA time zone such as Europe/Berlin") from None


def _moment(text: str) -> str:
    TypeAdapter(AwareDatetime).validate_python(text)
    return text


Zone = Annotated[str, AfterValidator(_zone)]
Moment = Annotated[str, AfterValidator(_moment)]


# ---- invitations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Meeting:
    """One meeting that waits for its time (Table 5 of the paper; `days`, `sent` and `zone` are ours).

    The organiser is not among the members, whose preferences count; `date` is the first of `days` working days in
    question, `duration` minutes, `sent` the ISO moment at which the invitation went out, `zone` the organiser's.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    id: str
    organiser: str
    members: Annotated[tuple[str, ...], Field(min_length=1)]
    subject: str
    date: Date
    duration: Annotated[int, Field(ge=5, le=600)]
    invitation: str
    sent: Moment
    zone: Zone
    required: tuple[str, ...] = ()
    days: Annotated[int, Field(ge=1, le=20)] = 1

    def __post_init__(self) -> None:
        everybody = (self.organiser, *self.members)
        if len(set(everybody)) < len(everybody) or not {*self.required} <= {
            *self.members
        }:
            raise InvalidInput(
                f"organiser {self.organiser}, members {list(self.members)}, required {list(self.required)} given; "
                "expected everybody once, and required ones among the members"
            )
        if date.fromisoformat(self.date).weekday() > 4:
            raise InvalidInput(f"date {self.date} given; expected a working day")
        if self.sent_at >= self.slots()[-1]:
            raise InvalidInput(
                f"sent {self.sent} given; expected a moment before {self.slots()[-1]}"
            )

    def slots(self, step: int = STEP) -> tuple[datetime, ...]:
        """Every start that comes into question, in order, in the organiser's zone."""
        first, zone = date.fromisoformat(self.date), ZoneInfo(self.zone)
        every = [first + timedelta(days=k) for k in range(2 * self.days + 2)]
        starts = range(FIRST * 60, LAST * 60 - self.duration + 1, step)
        working = [day for day in every if day.weekday() < 5][: self.days]
        return tuple(
            datetime(d.year, d.month, d.day, *divmod(m, 60), tzinfo=zone)
            for d in working
            for m in starts
        )

    def slot(self, start: str) -> datetime:
        """The moment of an option's start; InvalidInput where it is none of `slots`."""
        try:
            moment = datetime.fromisoformat(start)
        except (TypeError, ValueError):
            moment = datetime.min
        if moment.tzinfo is None or moment not in self.slots():
            first, last = iso(self.slots()[0]), iso(self.slots()[-1])
            raise InvalidInput(
                f"start: {start!r} given; expected one of the {len(self.slots())} slots of meeting {self.id}, every "
                f"{STEP} minutes from {first} to {last}"
            )
        return moment.astimezone(ZoneInfo(self.zone))

    @property
    def sent_at(self) -> datetime:
        """When the invitation went out."""
        return datetime.fromisoformat(self.sent)

    @property
    def year(self) -> int:
        """Of dates that name none."""
        return int(self.date[:4])

    def without_demands(self) -> Meeting:
        """Without required attendees, and without the invitation's sentences that name them."""
        kept = [
            s
            for s in sentences(self.invitation)
            if not any(name in s for name in self.required)
        ]
        return (
            replace(self, required=(), invitation=" ".join(kept))
            if self.required
            else self
        )


def meeting(spec: Mapping[str, Any]) -> Meeting:
    """A meeting from plain data, as records hold it; ValueError (of pydantic) where they do not fit."""
    return TypeAdapter(Meeting).validate_python(dict(spec))


def iso(start: datetime) -> str:
    """A start as records hold it."""
    return start.isoformat(timespec="minutes")


def in_words(start: datetime) -> str:
    """A start as people read it.

    >>> in_words(datetime(2026, 2, 16, 9, 30))
    'Monday 16 February at 09:30'
    """
    return f"{start:%A} {start.day} {start:%B} at {start:%H:%M}"


# ---- the company -----------------------------------------------------------------------------------------------------

TEAMMATE, COLLABORATOR, MANAGER = "teammate", "collaborator", "manager"


@dataclass(frozen=True)
class Profile:
    """What everybody may know of an employee. `manager` is None for who reports to nobody."""

    name: str
    role: str
    level: Annotated[int, Field(ge=1, le=5)]
    responsibilities: tuple[str, ...]
    zone: Zone
    hours: tuple[Time, Time] = ("09:00", "17:00")
    manager: Annotated[str | None, AfterValidator(lambda name: name or None)] = None

    def __post_init__(self) -> None:
        if minutes(self.hours[0]) >= minutes(self.hours[1]):
            raise InvalidInput(
                f"hours {list(self.hours)} given; expected two times, the start before the end"
            )


@dataclass(frozen=True)
class Private:
    """What only the employee knows: preferences as free text, as two paraphrases of it, and as structures, which say
    what the free text says."""

    texts: tuple[str, ...]
    preferences: tuple[Preference, ...]
    said: tuple[
        tuple[int, ...], ...
    ] = ()  # for each text, which of its sentences says each preference

    def narrowed(self, most: int) -> Private:
        """With the `most` narrowest of the preferences (see `breadth`), and without the sentences that say the others.

        Where nothing tells which sentences these are, each text is the preferences restated.
        """
        ranked = sorted(
            range(len(self.preferences)), key=lambda i: breadth(self.preferences[i])
        )
        kept = sorted(ranked[:most])
        chosen = tuple(self.preferences[i] for i in kept)
        if not self.said:
            return Private(
                (". ".join(map(restate, chosen)) + ".",) * len(self.texts), chosen
            )
        left_out = [{*said} - {said[i] for i in kept} for said in self.said]
        texts = [
            " ".join(
                sentence
                for number, sentence in enumerate(sentences(text))
                if number not in gone
            )
            for text, gone in zip(self.texts, left_out, strict=True)
        ]
        return Private(tuple(texts), chosen)


@dataclass(frozen=True)
class Database:
    """What the coordinator may look up about the members of one meeting (section 5.1): no preferences.

    `relations` holds (source, target, relation): "teammate", "collaborator", or "manager" (the target manages the
    source).
    """

    profiles: tuple[Profile, ...]
    relations: tuple[tuple[str, str, str], ...]

    def related(self, a: str, b: str) -> set[str]:
        """The relations between two members, in either direction."""
        return {r for s, t, r in self.relations if {s, t} == {a, b}}


@dataclass(frozen=True)
class Company:
    """Employees, their meetings, and the graph that follows from both."""

    profiles: tuple[Profile, ...]
    meetings: tuple[Meeting, ...] = ()

    @cached_property
    def by_name(self) -> Mapping[str, Profile]:
        """Profiles by name."""
        return {p.name: p for p in self.profiles}

    def teammates(self, name: str) -> tuple[str, ...]:
        """Who reports to the same manager, in the company's order."""
        manager = self.by_name[name].manager
        return tuple(
            p.name
            for p in self.profiles
            if manager and p.manager == manager and p.name != name
        )

    @cached_property
    def horizon(self) -> tuple[datetime, datetime]:
        """The first and the last slot of any meeting."""
        slots = [m.slots() for m in self.meetings]
        return min(s[0] for s in slots), max(s[-1] for s in slots)

    @cached_property
    def shared(self) -> Mapping[str, Counter[str]]:
        """For each employee, how many meetings are shared with whom, organisers included."""
        groups = [(m.organiser, *m.members) for m in self.meetings]
        return {
            p.name: Counter(b for g in groups if p.name in g for b in g if b != p.name)
            for p in self.profiles
        }

    def collaborators(self, name: str) -> tuple[str, ...]:
        """The first half of those with whom one shares a meeting, most meetings first (section 5.1).

        Ties keep the company's order; of an odd number the half is rounded up.
        """
        place = {p.name: i for i, p in enumerate(self.profiles)}
        ranked = sorted(
            self.shared[name],
            key=lambda other: (-self.shared[name][other], place[other]),
        )
        return tuple(ranked[: (len(ranked) + 1) // 2])

    def database(self, members: Sequence[str]) -> Database:
        """The public part of what is known about some members."""
        relations = [
            (a, b, TEAMMATE) for a in members for b in self.teammates(a) if b in members
        ]
        relations += [
            (a, b, COLLABORATOR)
            for a in members
            for b in self.collaborators(a)
            if b in members
        ]
        relations += [
            (a, b, MANAGER)
            for a in members
            if (b := self.by_name[a].manager) is not None and b in members
        ]
        return Database(tuple(self.by_name[m] for m in members), tuple(relations))

    def graph(self, members: Sequence[str] | None = None) -> nx.MultiDiGraph:
        """The social graph of Figure 7, or its part for some members: level and role on nodes, relation on edges."""
        import networkx as nx

        found, known = (
            nx.MultiDiGraph(),
            self.database(list(self.by_name) if members is None else members),
        )
        found.add_nodes_from(
            (p.name, {"level": p.level, "role": p.role}) for p in known.profiles
        )
        found.add_edges_from(
            (source, target, {"relation": relation})
            for source, target, relation in known.relations
        )
        return found


# ---- the files -------------------------------------------------------------------------------------------------------


def _remembered(load: Callable[[Path | None], T]) -> Callable[..., T]:
    """What a folder says is remembered until one of its files changes; ours does not change."""
    kept = lru_cache(maxsize=8)(lambda folder, changed: load(folder))

    @wraps(load)
    def loaded(folder: Path | None = None) -> T:
        files = sorted(folder.rglob("*.*")) if folder else []
        return kept(folder, tuple((path, path.stat().st_mtime_ns) for path in files))

    return loaded


@_remembered
def load_company(folder: Path | None = None) -> Company:
    """Employees and meetings, out of a folder's employees.toml and meetings.toml; by default the authored company's."""
    people = _rows(
        folder, "employees.toml", "employee", TypeAdapter(Profile).validate_python
    )
    meetings = _rows(folder, "meetings.toml", "meeting", meeting)
    company = Company(tuple(people.values()), tuple(meetings.values()))
    for name, profile in people.items():
        if profile.manager is not None and profile.manager not in people:
            raise InvalidInput(
                f"employee {name}: manager {profile.manager!r} given; expected an employee, or nobody"
            )
        line = [name]
        while (above := people[line[-1]].manager) in people and above not in line:
            line.append(above)
        if above == name:
            raise InvalidInput(
                f"employee {name}: managers in a circle, {' to '.join([*line, name])}"
            )
    for made in company.meetings:
        if strangers := [n for n in (made.organiser, *made.members) if n not in people]:
            raise InvalidInput(
                f"meetings.toml, {made.id}: {strangers[0]!r} is no employee; expected a name out of employees.toml"
            )
        if made.zone != (home := people[made.organiser].zone):
            raise InvalidInput(
                f"meetings.toml, {made.id}: zone {made.zone} given; expected {home}, the organiser's"
            )
    return company


@_remembered
def load_private(folder: Path | None = None) -> Mapping[str, Private]:
    """Each employee's preferences by name, out of preferences.toml."""
    found = _rows(folder, "preferences.toml", "private", _private)
    people = load_company(folder).by_name
    if strangers := [name for name in found if name not in people]:
        raise InvalidInput(
            f"preferences.toml: {strangers[0]!r} is no employee; expected a name out of employees.toml"
        )
    if missing := [name for name in people if name not in found]:
        raise MissingData(
            f"employee {missing[0]}: no preferences; add a [[private]] table to preferences.toml"
        )
    return found


def _private(spec: Mapping[str, Any]) -> Private:
    if unknown := sorted(
        set(spec) - {"name", "text", "paraphrases", "preferences", "sentences"}
    ):
        raise InvalidInput(
            f"{unknown[0]!r} given; expected name, text, paraphrases, preferences, sentences"
        )
    texts = (spec.get("text"), *spec.get("paraphrases", ()))
    if len(texts) != 3 or not all(
        isinstance(text, str) and text.strip() for text in texts
    ):
        raise InvalidInput(
            "text or paraphrases missing or empty; expected a text and 2 paraphrases of it"
        )
    wishes = tuple(preference(wish) for wish in spec.get("preferences", ()))
    if not wishes:
        raise InvalidInput("no preference given; expected at least one")
    if found := contradictions(wishes):
        both = " and ".join(f"{restate(wish)!r}" for wish in found[0])
        raise InvalidInput(
            f"{both} exclude each other; drop one, or give it to certain weekdays only"
        )
    places = tuple(map(tuple, spec.get("sentences", ())))
    counts = [len(sentences(text)) for text in texts]
    fit = [
        len(said) == len(wishes) and {*said} <= {*range(n)}
        for said, n in zip(places, counts, strict=False)
    ]
    if places and (len(places) != len(texts) or not all(fit)):
        raise InvalidInput(
            f"sentences {spec['sentences']} given; expected for each of the {len(texts)} texts {len(wishes)} numbers, "
            f"which of its sentences says each preference; there are {counts}, counted from 0"
        )
    return Private(texts, wishes, places)


def calendar_of(name: str, folder: Path | None = None) -> Path:
    """Where an employee's calendar lies; MissingData where it does not."""
    path = (folder or inputs("meetings")) / "calendars" / f"{slug(name)}.ics"
    if not path.is_file():
        raise MissingData(
            f"employee {name}: no calendar at {path}; put an iCalendar file there, without events if there are none"
        )
    return path


def slug(name: str) -> str:
    """A name as its calendar's file is called."""
    ascii_only = (
        unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    )
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")


def _rows(folder: Path | None, file: str, key: str, made: Any) -> dict[str, Any]:
    """What a file's tables say, by name (or id)."""
    path, found = (folder or inputs("meetings")) / file, dict[str, Any]()
    if not path.is_file():
        needed = "employees.toml, meetings.toml, preferences.toml and calendars"
        raise MissingData(f"{path} is not there; a company's folder needs {needed}")
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get(key)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DamagedFile(
            f"{path}: no TOML that can be read ({error}); mend the file, nothing was changed"
        ) from error
    if not isinstance(rows, list) or not rows:
        raise InvalidInput(f"{path}: no [[{key}]] tables; expected one for each {key}")
    for number, row in enumerate(rows, start=1):
        name = str(row.get("name", row.get("id", f"number {number}")))
        if name in found:
            raise InvalidInput(f"{file}, {name}: there twice; expected each once")
        try:
            found[name] = made(row)
        except (InvalidInput, ValidationError) as error:
            raise InvalidInput(f"{file}, {name}: {_said(error)}") from error
    return found


def _said(error: InvalidInput | ValidationError) -> str:
    if isinstance(error, InvalidInput):
        return str(error)
    first = error.errors()[0]
    where = ", ".join(map(str, first["loc"]))
    given = f"{where} {first['input']!r} given; " if where else ""
    return given + first["msg"].removeprefix("Value error, ")
