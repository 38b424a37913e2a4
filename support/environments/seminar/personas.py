"""The people on an organiser's list: what is told of them, and how those behave who are simulated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from support.environments.seminar.sources import read_toml
from support.errors import DamagedFile, InvalidInput
from support.records.organizing import ORGANISER

PROFESSOR, POSTDOC, STUDENT = "professor", "postdoc", "phd student"
ROLES = (PROFESSOR, POSTDOC, STUDENT)
ROLE_NAMES = (ORGANISER, "organizer", "detector", "reviewer")
"""Names of roles in mails and records, which nobody may have."""

SHARES = ("vague", "forgets", "cancels", "share")


@dataclass(frozen=True, slots=True)
class Persona:
    """Somebody who may be asked to speak.

    Attributes
    ----------
    id, name, email, role, field, affiliation : str
        What the organiser knows; role is one of `ROLES`.
    days : int
        Working days until an answer.
    needs : int
        Mails that it takes until there is one; with 4, three reminders are in vain.
    vague, forgets, cancels, share : float
        Probabilities: that a date is named vaguely, that a mail is never answered, that a date is cancelled after it
        was given, that any date suits.
    limit : int
        Dates that are named at first.
    style, description : str
        For a language model that plays them.
    constraints : tuple of str
    issue, issue_kind : str
        What they may raise that no policy covers; "" for nothing.

    Raises
    ------
    InvalidInput
        On a role, a number or a probability out of its range, or nothing where something is needed.
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
        for field_ in ("id", "name", "email"):
            if not str(getattr(self, field_)).strip():
                raise InvalidInput(f"persona {self.id or self.name or '?'}: no {field_} given; expected some text")
        if "@" not in self.email or any(c.isspace() for c in self.email):
            raise InvalidInput(f"persona {self.name}: email {self.email!r} given; expected one such as ana@example.org")
        if self.role not in ROLES:
            raise InvalidInput(f"persona {self.name}: role {self.role!r} given; expected one of {', '.join(ROLES)}")
        for what, low in (("days", 0), ("needs", 1), ("limit", 1)):
            value = getattr(self, what)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise InvalidInput(f"persona {self.name}: {what} = {value!r} given; expected a whole number from {low}")
        for what in SHARES:
            value = getattr(self, what)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise InvalidInput(f"persona {self.name}: {what} = {value!r} given; expected a number from 0 to 1")

    @property
    def introduced(self) -> Persona:
        """The same person as an organiser knows them: how they behave, and what they may raise, is left out."""
        return Persona(self.id, self.name, self.email, self.role, self.field, self.affiliation)


def load_personas(path: str | Path | None = None) -> dict[str, Persona]:
    """Personas by their id; by default the project's own.

    Raises
    ------
    DamagedFile
        On a file that does not have that form.
    InvalidInput
        On a persona that cannot be, or two with one id.
    """
    entries = read_toml("personas.toml", path, "persona")
    for entry in entries:
        _check_form(entry, path or "personas.toml")
    made = [_persona(entry) for entry in entries]
    if twice := [name for name, count in Counter(p.id for p in made).items() if count > 1]:
        raise InvalidInput(f"persona: the id {twice[0]!r} is given twice; expected every id once")
    return {persona.id: persona for persona in made}


def _check_form(entry: Mapping[str, Any], file: str | Path) -> None:
    for name, form, what in (("responsiveness", dict, "a table of days and needs"), ("constraints", list, "a list")):
        if not isinstance(given := entry.get(name, form()), form):
            raise DamagedFile(f"{file}, persona {entry.get('name', '?')}: {name} = {given!r} given; expected {what}")


def _persona(entry: Mapping[str, Any]) -> Persona:
    kept = {k: v for k, v in entry.items() if k not in ("responsiveness", "rank")}
    kept |= {"constraints": tuple(entry.get("constraints", ())), **entry.get("responsiveness", {})}
    known = [f.name for f in fields(Persona)]
    for name in kept:
        if name not in known:
            raise InvalidInput(
                f"persona {kept.get('name', '?')}: {name!r} given; expected fields of {', '.join(known)}"
            )
    needed = dict.fromkeys(("id", "name", "email", "role"), "")
    return Persona(**{**needed, **kept})


def check_people(people: Sequence[Persona]) -> None:
    """Refuse people whom mails and reports could not tell apart.

    Raises
    ------
    InvalidInput
        When two have one name or one address, or somebody is called as a role is: it says who, and how to mend it.
    """
    if not people:
        raise InvalidInput("people: nobody given; expected at least one person to invite")
    for person in people:
        if person.name.strip().casefold() in ROLE_NAMES:
            raise InvalidInput(
                f"people: the name {person.name!r} given ({person.id}), which stands for a role in mails and records; "
                "give another one"
            )
    for what in ("name", "email"):
        seen: dict[str, Persona] = {}
        for person in people:
            key = getattr(person, what).strip().casefold()
            if key in seen:
                raise InvalidInput(
                    f"people: two have the {what} {getattr(person, what)!r} ({seen[key].id} and {person.id}); every "
                    "mail and every report tells people apart by it: add a middle name or an institution to one"
                )
            seen[key] = person


def surname_twice(people: Iterable[Persona]) -> set[str]:
    """Names of people who share their last name with another: nobody may be told by it alone.

    >>> ana, bo = (Persona(i, f"{i} Ray", f"{i}@example.org", "professor") for i in ("Ana", "Bo"))
    >>> sorted(surname_twice([ana, bo]))
    ['Ana Ray', 'Bo Ray']
    """
    counted = Counter(person.name.split()[-1].casefold() for person in people)
    return {person.name for person in people if counted[person.name.split()[-1].casefold()] > 1}
