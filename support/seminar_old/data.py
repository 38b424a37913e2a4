"""What an organiser sets up before the first mail: dates, seats, people who may be asked, and until when.

Working days are Monday to Friday; holidays are nobody's here. Files lie in `data/inputs/seminar`.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from support.data import inputs
from support.errors import DamagedFile, InvalidInput
from support.seminar.records import ORGANISER


def working(day: date) -> bool:
    """Whether a day is none of Saturday and Sunday."""
    return day.weekday() < 5


@lru_cache(4096)
def passed(since: date, until: date) -> int:
    """Working days after `since` up to `until`: from a Friday to the Monday after it is 1."""
    first, last = (
        np.datetime64(day + timedelta(days=1), "D") for day in (since, until)
    )
    return int(np.busday_count(first, last))


def later(day: date, count: int) -> date:
    """The working day that is `count` working days after a day; of 0, the day itself or the next Monday."""
    return np.busday_offset(
        np.datetime64(day, "D"), count, roll="backward" if count else "forward"
    ).astype(date)


@lru_cache(4096)
def in_words(day: date) -> str:
    """A date as mails write it.

    >>> in_words(date(2027, 9, 5))
    'Sunday, 5 September 2027'
    """
    return f"{day:%A}, {day.day} {day:%B %Y}"


@cache
def read_toml(name: str, table: str) -> tuple[Mapping[str, Any], ...]:
    """The tables `[[table]]` of a file of the project's own, read once."""
    file = inputs("seminar", name)
    try:
        return tuple(tomllib.loads(file.read_text(encoding="utf-8"))[table])
    except (OSError, tomllib.TOMLDecodeError, KeyError, UnicodeDecodeError) as error:
        raise DamagedFile(f"{file}: {error!r}; restore it with git checkout") from error


def lexicon(name: str) -> tuple[dict[str, Any], Callable[[str], str]]:
    """The tables of a file beside this module, and what puts its `parts` (which may hold those before) into a text."""
    known = tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    parts: dict[str, str] = {}

    def filled(text: str) -> str:
        for part, words in parts.items():
            text = text.replace(f"{{{part}}}", words)
        return text

    for part, words in known.pop("parts", {}).items():
        parts[part] = filled(words)
    return known, filled


PROFESSOR, POSTDOC, STUDENT = "professor", "postdoc", "phd student"
ROLES = (PROFESSOR, POSTDOC, STUDENT)
ROLE_NAMES = (ORGANISER, "organizer", "detector", "reviewer")
"""Names of roles in mails and records, which nobody may have."""


@dataclass(frozen=True, slots=True)
class Persona:
    """Somebody who may be asked to speak, of one of the `ROLES`.

    `days` are working days until an answer, `needs` the mails that it takes. `vague`, `forgets`, `cancels` and `share`
    are probabilities: that a date is named vaguely, that a mail is never answered, that a date is cancelled after it
    was given, that any date suits. `limit` is the number of dates named at first; `style`, `description` and
    `constraints` are for a language model; `issue` is what they may raise that no policy covers.
    """

    id: str
    name: str
    email: str
    role: str
    field: str = ""
    affiliation: str = ""
    days: int = 1
    needs: int = 1
    vague: float = 0.0
    forgets: float = 0.0
    cancels: float = 0.0
    share: float = 1.0
    limit: int = 3
    style: str = ""
    description: str = ""
    constraints: tuple[str, ...] = ()
    issue: str = ""
    issue_kind: str = ""

    def __post_init__(self) -> None:
        for fault in self._faults():
            raise InvalidInput(f"persona {self.name or self.id or '?'}: {fault}")

    def _faults(self) -> Iterator[str]:
        for what in ("id", "name", "email"):
            if not str(getattr(self, what)).strip():
                yield f"no {what} given; expected some text"
        if "@" not in self.email or any(c.isspace() for c in self.email):
            yield f"email {self.email!r} given; expected one such as ana@example.org"
        if self.role not in ROLES:
            yield f"role {self.role!r} given; expected one of {', '.join(ROLES)}"
        for what, low in (("days", 0), ("needs", 1), ("limit", 1)):
            if type(value := getattr(self, what)) is not int or value < low:
                yield f"{what} = {value!r} given; expected a whole number from {low}"
        for what in ("vague", "forgets", "cancels", "share"):
            value = getattr(self, what)
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not 0 <= value <= 1
            ):
                yield f"{what} = {value!r} given; expected a number from 0 to 1"

    @property
    def introduced(self) -> Persona:
        """The same person as an organiser knows them: how they behave, and what they may raise, is left out."""
        return Persona(
            self.id, self.name, self.email, self.role, self.field, self.affiliation
        )


def load_personas() -> dict[str, Persona]:
    """The project's personas by their id."""
    found = {}
    for entry in read_toml("personas.toml", "persona"):
        told = {
            **entry,
            **entry.get("responsiveness", {}),
            "constraints": tuple(entry.get("constraints", ())),
        }
        found[entry["id"]] = Persona(
            **{k: v for k, v in told.items() if k not in ("responsiveness", "rank")}
        )
    return found


def surname_twice(people: Iterable[Persona]) -> set[str]:
    """Names of people who share their last name with another: nobody may be told by it alone."""
    counted = Counter(person.name.split()[-1].casefold() for person in people)
    return {
        person.name
        for person in people
        if counted[person.name.split()[-1].casefold()] > 1
    }


@dataclass(frozen=True)
class Scenario:
    """A programme to be filled from `start` (a working day) to `deadline`: dates in order, `seats` speakers on each."""

    id: str
    title: str
    goal: str
    organiser: str
    place: str
    time: str
    start: date
    deadline: date
    slots: tuple[date, ...]
    people: tuple[Persona, ...]
    seats: int = 1
    organiser_role: str = ""

    def __post_init__(self) -> None:
        for fault in self._faults():
            raise InvalidInput(fault)

    def _faults(self) -> Iterator[str]:
        if not self.people:
            yield "people: nobody given; expected at least one person to invite"
        for what in ("name", "email"):
            counted = Counter(
                getattr(person, what).strip().casefold() for person in self.people
            )
            for given in (given for given, count in counted.items() if count > 1):
                told = "every mail and every report tells people apart by it"
                yield f"people: two have the {what} {given!r}; {told}: add a middle name or an institution to one"
        for person in self.people:
            if (name := person.name).strip().casefold() in ROLE_NAMES:
                yield f"people: the name {name!r} given, which stands for a role in mails and records; give another"
        if not self.slots:
            yield f"scenario {self.id}: no dates given; expected at least one date to fill"
        if type(self.seats) is not int or self.seats < 1:
            yield f"scenario {self.id}: seats = {self.seats!r} given; expected a whole number from 1"
        if not working(self.start):
            yield f"scenario {self.id}: start {self.start} is a {self.start:%A}; expected a working day"
        if self.slots and min(self.slots) <= self.start:
            over = f"the date {min(self.slots)} is over when work starts ({self.start})"
            yield f"scenario {self.id}: {over}; drop it, or start earlier"
        if len(set(self.slots)) < len(self.slots):
            yield f"scenario {self.id}: a date is given twice; give it once, with more seats"
        if list(self.slots) != sorted(self.slots):
            yield f"scenario {self.id}: dates not in their order; expected the earliest first"
        if self.deadline <= self.start:
            yield f"scenario {self.id}: deadline {self.deadline} given; expected one after {self.start}"

    @property
    def by_name(self) -> dict[str, Persona]:
        """The people by their names."""
        return {person.name: person for person in self.people}

    def person(self, name: str) -> Persona:
        """Somebody on the list."""
        if name not in self.by_name:
            raise InvalidInput(
                f"person: {name!r} given; expected one of {', '.join(self.by_name)}"
            )
        return self.by_name[name]


def scenario(name: str) -> Scenario:
    """One of the project's scenarios ("four", "series", "panel")."""
    entries = {entry["id"]: entry for entry in read_toml("personas.toml", "scenario")}
    if name not in entries:
        raise InvalidInput(
            f"scenario: {name!r} given; expected one of {', '.join(entries)}"
        )
    entry, known = entries[name], load_personas()
    told: dict[str, Any] = {
        key: value
        for key, value in entry.items()
        if key in Scenario.__dataclass_fields__
    }
    told |= {name: day(entry[name], name) for name in ("start", "deadline")}
    told |= {
        "organiser": entry["organiser"]["name"],
        "organiser_role": entry["organiser"].get("role", ""),
    }
    told["people"] = tuple(known[persona] for persona in entry["personas"])
    return Scenario(**told | {"slots": days(entry["slots"], "slots")})


def day(given: date | str, what: str) -> date:
    """A date out of ISO text; an error names `what`."""
    if isinstance(given, date):
        return given
    try:
        return date.fromisoformat(given)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{what}: {given!r} given; expected a date such as 2027-09-15"
        ) from error


def days(given: Sequence[date | str], what: str) -> tuple[date, ...]:
    """Dates out of ISO texts, see `day`."""
    return tuple(day(each, what) for each in given)


def iso(given: Iterable[date]) -> tuple[str, ...]:
    """Dates as ISO texts."""
    return tuple(each.isoformat() for each in given)
