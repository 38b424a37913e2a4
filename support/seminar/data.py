"""What an organiser sets up before the first mail: dates, seats, people who may be asked.

Working days are Monday to Friday; holidays are nobody's here. The project's own people
and programmes lie in `data/inputs/seminar`, whose README explains the fields.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, cached_property, lru_cache
from typing import Annotated, Any, ClassVar, get_type_hints

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
)

from support.data import inputs
from support.errors import DamagedFile, InvalidInput
from support.forms import misfits
from support.mail.letters import checked_address

ORGANISER = "organiser"
"""Sender and receiver at the desk, whatever the organiser's name."""
TAKEN = (ORGANISER, "organizer", "detector", "reviewer", "reader")
"""Names of roles in mails and records, which nobody may have."""
PROFESSOR, STUDENT = "professor", "phd student"
"""Roles that a policy can put before another; a role is any text."""

Share = Annotated[float, Field(ge=0, le=1)]
Line = Annotated[str, Field(min_length=1, pattern=r"\S")]
Address = Annotated[str, AfterValidator(lambda given: checked_address(given, "it"))]
STRICT = ConfigDict(extra="forbid")
"""Of records that come out of files: a name that is misspelt is told."""


@cache
def _form(kind: type) -> type[BaseModel]:
    hints = get_type_hints(kind, include_extras=True)
    hints.pop("__pydantic_config__", None)
    parts: Any = {name: (hint, ...) for name, hint in hints.items()}
    return create_model(kind.__name__, **parts)


def check(made: Any) -> None:
    """Whether every field of a record is of its type, whoever made it; InvalidInput says
    what is not."""
    kind: Any = type(made)
    try:
        _form(kind).model_validate(vars(made), strict=True)
    except ValidationError as error:
        told = "; ".join(misfits(error))
        raise InvalidInput(f"{kind.__name__} {made.id!r}: {told}") from None


@dataclass(frozen=True)
class Persona:
    """Somebody who may be asked to speak.

    `notes` are the organiser's own and nobody else's. From `days` on how a simulated one
    behaves: `days` are working days until an answer, `needs` the mails that it takes;
    `vague`, `forgets`, `cancels`, `share` are probabilities: that a date is named
    vaguely, that a mail is never answered, that a date is given back, that any date
    suits. `limit` is the number of dates named at first; `style`, `description`,
    `constraints` are for whoever plays them; `issue` is what they may raise that no
    policy covers.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    id: Line
    name: Line
    email: Address
    role: Line
    field: str = ""
    affiliation: str = ""
    notes: str = ""
    days: Annotated[int, Field(ge=0)] = 1
    needs: Annotated[int, Field(ge=1)] = 1
    vague: Share = 0.0
    forgets: Share = 0.0
    cancels: Share = 0.0
    share: Share = 1.0
    limit: Annotated[int, Field(ge=1)] = 3
    style: str = ""
    description: str = ""
    constraints: tuple[str, ...] = ()
    issue: str = ""
    issue_kind: str = ""

    def __post_init__(self) -> None:
        check(self)

    @property
    def introduced(self) -> Persona:
        """As the organiser knows them."""
        known = self.id, self.name, self.email, self.role
        return Persona(*known, self.field, self.affiliation, self.notes)

    @property
    def simulated(self) -> Persona:
        """As they know themselves: without the organiser's notes."""
        return replace(self, notes="")


@dataclass(frozen=True)
class Scenario:
    """A programme to be filled from `start` (a working day) to `deadline`: dates in
    order, `seats` speakers on each. InvalidInput where that makes no sense."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    id: str
    title: str
    goal: str
    organiser: Line
    place: str
    time: str
    start: date
    deadline: date
    slots: Annotated[tuple[date, ...], Field(min_length=1)]
    people: Annotated[tuple[Persona, ...], Field(min_length=1)]
    seats: Annotated[int, Field(ge=1)] = 1
    organiser_role: str = ""

    def __post_init__(self) -> None:
        check(self)
        for fault in self._faults():
            raise InvalidInput(f"programme {self.id}: {fault}")

    def _faults(self) -> Iterator[str]:
        for what in ("name", "email"):
            given = [getattr(p, what).strip().casefold() for p in self.people]
            for name, count in Counter(given).items():
                if count > 1:
                    yield f"two people have the {what} {name!r}; change one of them"
                if name in TAKEN:
                    yield f"the name {name!r} stands for a role in mails; give another"
        if not working(self.start):
            yield f"start {self.start} is a {self.start:%A}; expected a working day"
        if self.slots and min(self.slots) <= self.start:
            yield f"{min(self.slots)} is over on {self.start}, when work starts"
        if list(self.slots) != sorted(set(self.slots)):
            yield "expected each date once, in order; several speakers are `seats`"
        if self.deadline <= self.start:
            yield f"deadline {self.deadline} given; expected one after {self.start}"

    @cached_property
    def by_name(self) -> Mapping[str, Persona]:
        """The people by their names."""
        return {person.name: person for person in self.people}

    @property
    def last(self) -> int:
        """The number of the last day; the first is 1."""
        return (self.deadline - self.start).days + 1

    def on(self, day: int) -> date:
        """The date of a day."""
        return self.start + timedelta(days=day - 1)

    @property
    def introduced(self) -> Scenario:
        """As the organiser knows it."""
        return replace(self, people=tuple(p.introduced for p in self.people))


# ---- days ------------------------------------------------------------------------------


def working(day: date) -> bool:
    """Whether a day is none of Saturday and Sunday."""
    return day.weekday() < 5


@lru_cache(4096)
def passed(since: date, until: date) -> int:
    """Working days after `since` up to `until`: from a Friday to the Monday after: 1."""
    one = timedelta(days=1)
    return int(np.busday_count(since + one, until + one))


def later(day: date, count: int) -> date:
    """The working day so many working days ahead; of 0, the day itself or the next
    Monday."""
    roll: Any = "backward" if count else "forward"
    found: date = np.busday_offset(day, count, roll=roll).astype(date)
    return found


@lru_cache(4096)
def in_words(day: date) -> str:
    """A date as mails write it.

    >>> in_words(date(2027, 9, 5))
    'Sunday, 5 September 2027'
    """
    return f"{day:%A}, {day.day} {day:%B %Y}"


def days_in_words(days: Iterable[date]) -> str:
    """Dates as a report writes them: "15 September, 13 October"."""
    return ", ".join(f"{day.day} {day:%B}" for day in sorted(days))


# ---- the files -------------------------------------------------------------------------


@cache
def rows(name: str, table: str) -> tuple[Mapping[str, Any], ...]:
    """The tables `[[table]]` of a file of the project's own, read once."""
    file = inputs("seminar", name)
    try:
        return tuple(tomllib.loads(file.read_text(encoding="utf-8"))[table])
    except (OSError, ValueError, KeyError) as error:
        told = f"{file}: {error!r}; restore it with git checkout"
        raise DamagedFile(told) from error


@cache
def load_personas() -> Mapping[str, Persona]:
    """The project's personas by their id."""
    made = TypeAdapter(list[Persona]).validate_python(rows("personas.toml", "persona"))
    return {persona.id: persona for persona in made}


@cache
def scenario(name: str) -> Scenario:
    """One of the project's programmes: "four", "series", "panel"."""
    known = {row["id"]: dict(row) for row in rows("personas.toml", "scenario")}
    if name not in known:
        expected = f"expected one of {', '.join(known)}"
        raise InvalidInput(f"scenario: {name!r} given; {expected}")
    told = known[name]
    told["people"] = [load_personas()[persona] for persona in told.pop("personas")]
    return TypeAdapter(Scenario).validate_python(told)
