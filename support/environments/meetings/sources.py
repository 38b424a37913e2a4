"""The authored company's files: read, checked, and refused with a sentence about the line that is wrong.

They lie in `data/inputs/meetings`, whose README explains their fields; a company of your own takes the same form.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from support.data import inputs
from support.environments.meetings.company import Company, Private, profile
from support.environments.meetings.meeting import meeting
from support.environments.meetings.preferences import Preference, preference
from support.errors import DamagedFile, InvalidInput, MissingData

TEXTS = 3
"""A preference text and its two paraphrases."""

_PRIVATE_FIELDS = ("name", "text", "paraphrases", "preferences")


@lru_cache(maxsize=8)
def load_company(folder: Path | None = None) -> Company:
    """Employees and meetings, out of employees.toml and meetings.toml.

    Parameters
    ----------
    folder : by default the authored company's, `data/inputs/meetings`.

    Raises
    ------
    MissingData, DamagedFile
        A file is not there, or no TOML.
    InvalidInput
        Naming the employee or the meeting, the field, its value and what was expected.
    """
    company = Company(
        tuple(profile(spec) for spec in _rows("employees.toml", "employee", folder)),
        tuple(meeting(spec) for spec in _rows("meetings.toml", "meeting", folder)),
    )
    ids = [m.id for m in company.meetings]
    if twice := [id for id in ids if ids.count(id) > 1]:
        raise InvalidInput(f"meeting {twice[0]}: there twice; expected each id once")
    for m in company.meetings:
        home = company.by_name[m.organiser].zone
        if m.zone != home:
            raise InvalidInput(f"meeting {m.id}: zone {m.zone} given; expected {home}, where {m.organiser} works")
    return company


@lru_cache(maxsize=8)
def load_private(folder: Path | None = None) -> Mapping[str, Private]:
    """Each employee's preferences by name, out of preferences.toml. Errors as in `load_company`."""
    found: dict[str, Private] = {}
    for spec in _rows("preferences.toml", "private", folder):
        name = str(spec.get("name", ""))
        if name in found:
            raise InvalidInput(f"employee {name}: preferences given twice; expected each employee once")
        found[name] = _private(name, spec)
    check_private(load_company(folder), found)
    return MappingProxyType(found)


@lru_cache(maxsize=8)
def load_calendars(folder: Path | None = None) -> Mapping[str, Path]:
    """The path of each employee's calendar by name; a calendar is read when a scenario asks for it.

    Raises
    ------
    MissingData
        An employee has no file, by the name that `slug` gives.
    """
    place = _folder(folder) / "calendars"
    found = {p.name: place / f"{slug(p.name)}.ics" for p in load_company(folder).profiles}
    check_calendars(found)
    return MappingProxyType(found)


def slug(name: str) -> str:
    """A name as its calendar's file is called.

    >>> slug("Lucía Barrenechea")
    'lucia-barrenechea'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def check_company(company: Company, private: Mapping[str, Private], calendars: Mapping[str, Path]) -> None:
    """Refuse what does not fit together. `Company` itself has checked profiles, managers and meetings.

    Raises
    ------
    InvalidInput
        Preferences of somebody who does not work here, of nobody, or that contradict each other.
    MissingData
        An employee without preferences, or without a calendar's file.
    """
    check_private(company, private)
    check_calendars({p.name: calendars.get(p.name, Path(f"{slug(p.name)}.ics")) for p in company.profiles})


def check_private(company: Company, private: Mapping[str, Private]) -> None:
    """The part of `check_company` about preferences."""
    if strangers := [name for name in private if name not in company.by_name]:
        raise InvalidInput(f"preferences.toml: {strangers[0]!r} is no employee; expected a name out of employees.toml")
    for p in company.profiles:
        if p.name not in private:
            raise MissingData(f"employee {p.name}: no preferences; add a [[private]] table to preferences.toml")
        private[p.name].check(p.name)


def check_calendars(calendars: Mapping[str, Path]) -> None:
    """The part of `check_company` about calendars: every file is there."""
    for name, path in calendars.items():
        if not path.is_file():
            raise MissingData(
                f"employee {name}: no calendar at {path}; put an iCalendar file there, without events if there are none"
            )


def _private(name: str, spec: Mapping[str, Any]) -> Private:
    if unknown := set(spec) - set(_PRIVATE_FIELDS):
        raise InvalidInput(f"employee {name}: {sorted(unknown)[0]!r} given; expected {', '.join(_PRIVATE_FIELDS)}")
    texts = [spec.get("text"), *_listed(name, spec, "paraphrases")]
    if len(texts) != TEXTS or any(not isinstance(t, str) or not t.strip() for t in texts):
        raise InvalidInput(
            f"employee {name}: text or paraphrases missing or empty; expected a text and {TEXTS - 1} paraphrases of it"
        )
    made = [_preference(name, i, p) for i, p in enumerate(_listed(name, spec, "preferences"), start=1)]
    private = Private(tuple(texts), tuple(made))
    private.check(name)
    return private


def _preference(name: str, number: int, spec: Any) -> Preference:
    try:
        if not isinstance(spec, Mapping):
            raise InvalidInput(f"{spec!r} given; expected a table with a kind")
        return preference(spec)
    except InvalidInput as error:
        raise InvalidInput(f"employee {name}, preference {number}: {error}") from error


def _listed(name: str, spec: Mapping[str, Any], field: str) -> Sequence[Any]:
    value = spec.get(field, [])
    if not isinstance(value, list):
        raise InvalidInput(f"employee {name}: {field} {value!r} given; expected a list")
    return value


def _folder(folder: Path | None) -> Path:
    return inputs("meetings") if folder is None else folder


def _rows(file: str, key: str, folder: Path | None) -> list[dict[str, Any]]:
    path = _folder(folder) / file
    if not path.is_file():
        raise MissingData(f"{path} is not there; a company needs employees.toml, meetings.toml and preferences.toml")
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get(key)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DamagedFile(f"{path}: no TOML that can be read ({error}); mend the file, nothing was changed") from error
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InvalidInput(f"{path}: no [[{key}]] tables; expected one for each {key}")
    return rows
