"""A programme to be filled: dates, seats, people who may be asked, and until when it has to be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from support.environments.seminar.personas import Persona, check_people, load_personas
from support.environments.seminar.sources import read_toml
from support.environments.seminar.workdays import working
from support.errors import DamagedFile, InvalidInput


@dataclass(frozen=True)
class Scenario:
    """What an organiser sets up before the first mail.

    Attributes
    ----------
    id, title, goal : str
    organiser, organiser_role : str
    place, time : str
    start : date
        The first day of work.
    deadline : date
        The last one.
    slots : tuple of date
        The dates to be filled, in order.
    seats : int
        Speakers that each date takes.
    people : tuple of Persona
        Who may be asked.

    Raises
    ------
    InvalidInput
        Without dates or people, on a date before the start or given twice, on a start that is no working day, and on
        people whom nobody could tell apart.
    """

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
        check_people(self.people)
        if not self.slots:
            raise InvalidInput(f"scenario {self.id}: no dates given; expected at least one date to fill")
        if isinstance(self.seats, bool) or not isinstance(self.seats, int) or self.seats < 1:
            raise InvalidInput(f"scenario {self.id}: seats = {self.seats!r} given; expected a whole number from 1")
        if not working(self.start):
            raise InvalidInput(f"scenario {self.id}: start {self.start} is a {self.start:%A}; expected a working day")
        for slot in self.slots:
            if slot <= self.start:
                raise InvalidInput(
                    f"scenario {self.id}: the date {slot} is over when work starts ({self.start}); drop it, or start "
                    "earlier"
                )
            if self.slots.count(slot) > 1:
                raise InvalidInput(f"scenario {self.id}: the date {slot} is given twice; give it once, with more seats")
        if list(self.slots) != sorted(self.slots):
            raise InvalidInput(f"scenario {self.id}: dates not in their order; expected the earliest first")
        if self.deadline <= self.start:
            raise InvalidInput(f"scenario {self.id}: deadline {self.deadline} given; expected one after {self.start}")

    @property
    def by_name(self) -> dict[str, Persona]:
        """The people by their names."""
        return {person.name: person for person in self.people}

    def person(self, name: str) -> Persona:
        """Somebody on the list.

        Raises
        ------
        InvalidInput
            When nobody has that name.
        """
        if name not in self.by_name:
            raise InvalidInput(f"person: {name!r} given; expected one of {', '.join(self.by_name)}")
        return self.by_name[name]


def scenario(name: str, path: str | Path | None = None, people: Mapping[str, Persona] | None = None) -> Scenario:
    """One of the project's scenarios ("four", "series", "panel"), or of a file of the same form.

    Raises
    ------
    DamagedFile
        On a file without that form.
    InvalidInput
        When there is none of that name, or it cannot be (see `Scenario`).
    """
    entries = {str(entry.get("id")): entry for entry in read_toml("personas.toml", path, "scenario")}
    if name not in entries:
        raise InvalidInput(f"scenario: {name!r} given; expected one of {', '.join(entries)}")
    known = load_personas(path) if people is None else people
    return _scenario(entries[name], known, str(path or "personas.toml"))


def _scenario(entry: Mapping[str, Any], known: Mapping[str, Persona], file: str) -> Scenario:
    try:
        strangers = [name for name in entry["personas"] if name not in known]
        if strangers:
            raise InvalidInput(
                f"scenario {entry['id']}: nobody has the id {strangers[0]!r}; expected ids of [[persona]]"
            )
        return Scenario(
            id=entry["id"],
            title=entry["title"],
            goal=entry["goal"],
            organiser=entry["organiser"]["name"],
            organiser_role=entry["organiser"].get("role", ""),
            place=entry["place"],
            time=entry["time"],
            start=day(entry["start"], f"scenario {entry['id']}, start"),
            deadline=day(entry["deadline"], f"scenario {entry['id']}, deadline"),
            slots=days(entry["slots"], f"scenario {entry['id']}, slots"),
            people=tuple(known[name] for name in entry["personas"]),
            seats=entry.get("seats", 1),
        )
    except (KeyError, TypeError) as error:
        raise DamagedFile(f"{file}: {error!r}; expected the fields of a [[scenario]], see its README.md") from error


def day(given: date | str, what: str) -> date:
    """A date out of ISO text.

    Raises
    ------
    InvalidInput
        On anything else; it names `what`.

    Examples
    --------
    >>> day("2027-09-15", "start")
    datetime.date(2027, 9, 15)
    """
    if isinstance(given, date):
        return given
    try:
        return date.fromisoformat(given)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{what}: {given!r} given; expected a date such as 2027-09-15") from error


def days(given: Sequence[date | str], what: str) -> tuple[date, ...]:
    """Dates out of ISO texts, see `day`."""
    return tuple(day(each, what) for each in given)
