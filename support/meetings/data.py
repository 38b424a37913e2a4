"""A company's meetings as data: wishes about times, invitations, who works with whom, and the files that say so.

Times of day are texts "HH:MM" on the member's own clock, weekdays the English names. The authored company lies in
`data/inputs/meetings`, whose README explains the fields; a folder of your own takes the same form.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field, TypeAdapter, ValidationError

from support.data import inputs
from support.errors import DamagedFile, InvalidInput, MissingData

if TYPE_CHECKING:
    import networkx as nx

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FIRST, LAST, STEP = 8, 18, 30  # hours of the organiser's day, and minutes from one slot's start to the next
STRICT = ConfigDict(extra="forbid")


def minutes(time: str) -> int:
    """Minutes after midnight of "HH:MM"; "24:00" is the end of the day."""
    hour, _, rest = time.partition(":")
    return int(hour) * 60 + int(rest)


def _zone(name: str) -> str:
    try:
        return str(ZoneInfo(name))
    except (KeyError, ValueError, OSError):  # a folder of zones is an OSError
        raise ValueError("expected an IANA time zone such as Europe/Berlin") from None


def _weekday(name: str) -> str:
    if name not in WEEKDAYS:
        raise ValueError(f"expected one of {', '.join(WEEKDAYS)}")
    return name


def _moment(text: str) -> str:
    TypeAdapter(AwareDatetime).validate_python(text)
    return text


def _iso(text: str) -> str:
    return date.fromisoformat(text).isoformat()


# Checked where files are read; whoever builds these in code is trusted.
Time = Annotated[str, Field(pattern=r"^(([01]?\d|2[0-3]):[0-5]\d|24:00)$")]
Weekday = Annotated[str, AfterValidator(_weekday)]
Zone = Annotated[str, AfterValidator(_zone)]
Date = Annotated[str, AfterValidator(_iso)]
Moment = Annotated[str, AfterValidator(_moment)]


# ---- wishes ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Situation:
    """A slot as one member sees it: moments in the member's zone, when the invitation went out, and the member's other
    events as (start, end), None where nobody knows the calendar."""

    start: datetime
    end: datetime
    sent: datetime
    busy: tuple[tuple[datetime, datetime], ...] | None = None

    @property
    def span(self) -> tuple[int, int]:
        """Start and end in minutes after the start day's midnight, by the clock on the wall."""
        days = (self.end.date() - self.start.date()).days
        return self.start.hour * 60 + self.start.minute, days * 1440 + self.end.hour * 60 + self.end.minute


@dataclass(frozen=True)
class Preference:
    """One wish about a meeting's time, wanted above all (3), as a rule (2) or if possible (1)."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT
    kind: ClassVar[str] = ""

    priority: Annotated[int, Field(ge=1, le=3)] = 2

    def fulfilled(self, at: Situation) -> bool:
        """Whether a slot fulfils it."""
        raise NotImplementedError

    def spec(self) -> dict[str, Any]:
        """Plain data that build it again."""
        return {"kind": self.kind, **_plain(self)}

    def __str__(self) -> str:
        said = f"{getattr(self, 'start', '')} to {getattr(self, 'end', '')}" if isinstance(self, Window) else ""
        said = said or ", ".join(getattr(self, "weekdays", ())) or str(getattr(self, "time", ""))
        return f"{self.kind} {'not ' if getattr(self, 'avoid', False) else ''}{said}".strip()


@dataclass(frozen=True)
class Window(Preference):
    """Within a part of the day, or, with `avoid`, outside of it; on given weekdays only, or on all."""

    kind = "window"
    start: Time = "00:00"
    end: Time = "24:00"
    avoid: bool = False
    weekdays: tuple[Weekday, ...] = ()

    def __post_init__(self) -> None:
        if minutes(self.start) >= minutes(self.end):
            raise InvalidInput(f"{self.kind}: {self.start} to {self.end} given; expected a start before the end")

    def fulfilled(self, at: Situation) -> bool:
        """Within the window, or clear of it; a day that the preference says nothing of is fine."""
        if self.weekdays and WEEKDAYS[at.start.weekday()] not in self.weekdays:
            return True
        (start, end), low, high = at.span, minutes(self.start), minutes(self.end)
        return end <= low or start >= high if self.avoid else low <= start and end <= high


@dataclass(frozen=True)
class Focus(Window):
    """A block of the day kept free for work that needs quiet: a window to avoid, by another name."""

    kind = "focus"
    avoid: Literal[True] = True


@dataclass(frozen=True)
class Weekdays(Preference):
    """On one of some weekdays, or, with `avoid`, on none of them."""

    kind = "weekdays"
    weekdays: tuple[Weekday, ...] = ()
    avoid: bool = False

    def __post_init__(self) -> None:
        if not self.weekdays:
            raise InvalidInput(f"weekdays: none given; expected at least one of {', '.join(WEEKDAYS)}")

    def fulfilled(self, at: Situation) -> bool:
        """By the weekday on which it begins."""
        return (WEEKDAYS[at.start.weekday()] in self.weekdays) != self.avoid


@dataclass(frozen=True)
class Notice(Preference):
    """At least `hours` lie between the invitation and the meeting."""

    kind = "notice"
    hours: Annotated[int, Field(ge=1)] = 24

    def fulfilled(self, at: Situation) -> bool:
        """From when the invitation was sent to the start."""
        return at.start - at.sent >= timedelta(hours=self.hours)


@dataclass(frozen=True)
class Gap(Preference):
    """At least `minutes` lie between the meeting and the member's other events."""

    kind = "gap"
    minutes: Annotated[int, Field(ge=1)] = 15

    def fulfilled(self, at: Situation) -> bool:
        """Judged on the member's calendar; without one, nothing is known to stand in the way."""
        room = timedelta(minutes=self.minutes)
        return all(end + room <= at.start or start >= at.end + room for start, end in at.busy or ())


@dataclass(frozen=True)
class Deadline(Preference):
    """Over by a time on a weekday of its week."""

    kind = "deadline"
    weekday: Weekday = "Friday"
    time: Time = "24:00"

    def fulfilled(self, at: Situation) -> bool:
        """By the end of the meeting, in the member's zone."""
        return (at.start.weekday(), at.span[1]) <= (WEEKDAYS.index(self.weekday), minutes(self.time))


@dataclass(frozen=True)
class At(Preference):
    """One start: a time of day, on a date (ISO) or on any. An option that a member agrees to or asks for."""

    kind = "at"
    time: Time = "00:00"
    date: Date | None = None

    def fulfilled(self, at: Situation) -> bool:
        """By its start, to the minute."""
        return at.span[0] == minutes(self.time) and self.date in (None, at.start.date().isoformat())


@dataclass(frozen=True)
class Flexible(Preference):
    """Any time will do."""

    kind = "flexible"

    def fulfilled(self, at: Situation) -> bool:
        """Always."""
        return True


KINDS: Mapping[str, type[Preference]] = {
    made.kind: made for made in (Window, Focus, Weekdays, Notice, Gap, Deadline, At, Flexible)
}


def preference(spec: Mapping[str, Any]) -> Preference:
    """A preference from plain data; ValueError (of pydantic) where they do not fit."""
    rest = dict(spec)
    kind = rest.pop("kind", None)
    if kind not in KINDS:
        raise InvalidInput(f"preference: kind {kind!r} given; expected one of {', '.join(KINDS)}")
    return TypeAdapter(KINDS[kind]).validate_python(rest)


def situation(start: datetime, duration: int, sent: datetime, zone: str, busy: Any = None) -> Situation:
    """A slot of `duration` minutes as a member in `zone` (an IANA name) sees it."""
    here = ZoneInfo(zone)
    # Sums and differences within one ZoneInfo go by the clock on the wall; in UTC they are what passes.
    end = start.astimezone(UTC) + timedelta(minutes=duration)
    return Situation(start.astimezone(here), end.astimezone(here), sent.astimezone(UTC), busy)


def contradictions(preferences: Sequence[Preference]) -> list[str]:
    """Pairs that no slot of any length can fulfil together, in words: windows, weekdays, exact times.

    >>> contradictions([Window(start="09:00", end="11:00"), Window(start="13:00", end="15:00")])
    ['window 09:00 to 11:00 and window 13:00 to 15:00 exclude each other']
    """
    pairs = [(a, b) for i, a in enumerate(preferences) for b in preferences[i + 1 :]]
    return [f"{a} and {b} exclude each other" for a, b in pairs if _exclude(a, b) or _exclude(b, a)]


def _exclude(a: Preference, b: Preference) -> bool:
    if isinstance(a, Window) and isinstance(b, Window) and not a.avoid and not (a.weekdays or b.weekdays):
        low, high = (minutes(a.start), minutes(a.end)), (minutes(b.start), minutes(b.end))
        return high[0] <= low[0] and low[1] <= high[1] if b.avoid else low[1] <= high[0] or high[1] <= low[0]
    if isinstance(a, Weekdays) and isinstance(b, Weekdays) and not a.avoid:
        return set(a.weekdays) <= set(b.weekdays) if b.avoid else not set(a.weekdays) & set(b.weekdays)
    if isinstance(a, At) and isinstance(b, At):
        return a.time != b.time or (None not in (a.date, b.date) and a.date != b.date)
    return False


def _plain(given: Any) -> dict[str, Any]:
    values = {f.name: getattr(given, f.name) for f in fields(given)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


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
        if len(set(everybody)) < len(everybody) or not {*self.required} <= {*self.members}:
            raise InvalidInput(
                f"organiser {self.organiser}, members {list(self.members)}, required {list(self.required)} given; "
                "expected everybody once, and required ones among the members"
            )
        if date.fromisoformat(self.date).weekday() > 4:
            raise InvalidInput(f"date {self.date} given; expected a working day")
        if self.sent_at >= self.slots()[-1]:
            raise InvalidInput(f"sent {self.sent} given; expected a moment before {self.slots()[-1]}")

    def slots(self, step: int = STEP) -> tuple[datetime, ...]:
        """Every start that comes into question, in order, in the organiser's zone."""
        first, zone = date.fromisoformat(self.date), ZoneInfo(self.zone)
        every = [first + timedelta(days=k) for k in range(2 * self.days + 2)]
        starts = range(FIRST * 60, LAST * 60 - self.duration + 1, step)
        working = [day for day in every if day.weekday() < 5][: self.days]
        return tuple(datetime(d.year, d.month, d.day, *divmod(m, 60), tzinfo=zone) for d in working for m in starts)

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

    def spec(self) -> dict[str, Any]:
        """Plain data that build the meeting again."""
        return _plain(self)


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
            raise InvalidInput(f"hours {list(self.hours)} given; expected two times, the start before the end")


@dataclass(frozen=True)
class Private:
    """What only the employee knows: preferences as free text, as two paraphrases of it, and as structures, which say
    what the free text says."""

    texts: tuple[str, ...]
    preferences: tuple[Preference, ...]


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
        return tuple(p.name for p in self.profiles if manager and p.manager == manager and p.name != name)

    @cached_property
    def shared(self) -> Mapping[str, Counter[str]]:
        """For each employee, how many meetings are shared with whom, organisers included."""
        groups = [(m.organiser, *m.members) for m in self.meetings]
        return {p.name: Counter(b for g in groups if p.name in g for b in g if b != p.name) for p in self.profiles}

    def collaborators(self, name: str) -> tuple[str, ...]:
        """The first half of those with whom one shares a meeting, most meetings first (section 5.1).

        Ties keep the company's order; of an odd number the half is rounded up.
        """
        place = {p.name: i for i, p in enumerate(self.profiles)}
        ranked = sorted(self.shared[name], key=lambda other: (-self.shared[name][other], place[other]))
        return tuple(ranked[: (len(ranked) + 1) // 2])

    def database(self, members: Sequence[str]) -> Database:
        """The public part of what is known about some members."""
        relations = [(a, b, TEAMMATE) for a in members for b in self.teammates(a) if b in members]
        relations += [(a, b, COLLABORATOR) for a in members for b in self.collaborators(a) if b in members]
        relations += [(a, b, MANAGER) for a in members if (b := self.by_name[a].manager) is not None and b in members]
        return Database(tuple(self.by_name[m] for m in members), tuple(relations))

    def graph(self, members: Sequence[str] | None = None) -> nx.MultiDiGraph:
        """The social graph of Figure 7, or its part for some members: level and role on nodes, relation on edges."""
        import networkx as nx

        found = nx.MultiDiGraph()
        chosen = [p.name for p in self.profiles] if members is None else list(members)
        for name in chosen:
            found.add_node(name, level=self.by_name[name].level, role=self.by_name[name].role)
        for source, target, relation in self.database(chosen).relations:
            found.add_edge(source, target, relation=relation)
        return found


# ---- the files -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def load_company(folder: Path | None = None) -> Company:
    """Employees and meetings, out of a folder's employees.toml and meetings.toml; by default the authored company's.

    MissingData or DamagedFile where a file is not there or no TOML; InvalidInput with the file, the employee or the
    meeting, the field, what was given and what was expected.
    """
    people = _rows(folder, "employees.toml", "employee", TypeAdapter(Profile).validate_python)
    meetings = _rows(folder, "meetings.toml", "meeting", meeting)
    company = Company(tuple(people.values()), tuple(meetings.values()))
    for name, profile in people.items():
        if profile.manager is not None and profile.manager not in people:
            raise InvalidInput(f"employee {name}: manager {profile.manager!r} given; expected an employee, or nobody")
        if name in (line := list(_above(company, name))):
            circle = " to ".join([name, *line])
            raise InvalidInput(f"employee {name}: managers in a circle, {circle}; somebody has to report to nobody")
    for made in company.meetings:
        if strangers := [n for n in (made.organiser, *made.members) if n not in people]:
            raise InvalidInput(
                f"meeting {made.id}: {strangers[0]!r} is no employee; expected a name out of employees.toml"
            )
        if made.zone != (home := people[made.organiser].zone):
            raise InvalidInput(f"meeting {made.id}: zone {made.zone} given; expected {home}, the organiser's")
    return company


def _above(company: Company, name: str) -> Iterator[str]:
    """The line of managers of somebody, as far as it goes without coming back."""
    seen: list[str] = []
    while (profile := company.by_name.get(name)) and profile.manager is not None and profile.manager not in seen:
        seen.append(name := profile.manager)
        yield name


@lru_cache(maxsize=8)
def load_private(folder: Path | None = None) -> Mapping[str, Private]:
    """Each employee's preferences by name, out of preferences.toml; errors as for `load_company`."""
    found = _rows(folder, "preferences.toml", "private", _private)
    people = load_company(folder).by_name
    if strangers := [name for name in found if name not in people]:
        raise InvalidInput(f"preferences.toml: {strangers[0]!r} is no employee; expected a name out of employees.toml")
    if missing := [name for name in people if name not in found]:
        raise MissingData(f"employee {missing[0]}: no preferences; add a [[private]] table to preferences.toml")
    return found


def _private(spec: Mapping[str, Any]) -> Private:
    if unknown := sorted(set(spec) - {"name", "text", "paraphrases", "preferences"}):
        raise InvalidInput(f"{unknown[0]!r} given; expected name, text, paraphrases, preferences")
    texts = (spec.get("text"), *spec.get("paraphrases", ()))
    if len(texts) != 3 or not all(isinstance(text, str) and text.strip() for text in texts):
        raise InvalidInput("text or paraphrases missing or empty; expected a text and 2 paraphrases of it")
    wishes = tuple(preference(wish) for wish in spec.get("preferences", ()))
    if not wishes:
        raise InvalidInput("no preference given; expected at least one")
    if found := contradictions(wishes):
        raise InvalidInput(f"{found[0]}; drop one, or give it to certain weekdays only")
    return Private(texts, wishes)


@lru_cache(maxsize=8)
def load_calendars(folder: Path | None = None) -> Mapping[str, Path]:
    """The path of each employee's calendar by name; a calendar is read when a scenario asks for it."""
    place = (folder or inputs("meetings")) / "calendars"
    found = {p.name: place / f"{slug(p.name)}.ics" for p in load_company(folder).profiles}
    for name, path in found.items():
        if not path.is_file():
            raise MissingData(
                f"employee {name}: no calendar at {path}; put an iCalendar file there, without events if there are none"
            )
    return found


def slug(name: str) -> str:
    """A name as its calendar's file is called.

    >>> slug("Lucía Barrenechea")
    'lucia-barrenechea'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _rows(folder: Path | None, file: str, key: str, made: Any) -> dict[str, Any]:
    """What a file's tables say, by name (or id)."""
    path, found = (folder or inputs("meetings")) / file, dict[str, Any]()
    if not path.is_file():
        raise MissingData(f"{path} is not there; a company needs employees.toml, meetings.toml and preferences.toml")
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get(key)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DamagedFile(f"{path}: no TOML that can be read ({error}); mend the file, nothing was changed") from error
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
