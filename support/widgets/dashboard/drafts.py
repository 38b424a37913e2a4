"""People as they are typed: nothing is refused while it is typed, and what does not fit is said of each field."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from support.errors import InvalidInput
from support.mail.addresses import checked_address, folded
from support.mail.characters import first_hidden
from support.mail.letters import NAME
from support.seminar.data import PROFESSOR, ROLE_NAMES, Persona

Draft = dict[str, Any]
"""The fields of a `Persona` by their names, and "played": who plays them in a rehearsal, "" for whoever plays all."""

AS_ALL = ""
ONE_LINE = ("name", "email", "field", "affiliation")
LONGEST = {"name": NAME, "field": 200, "affiliation": 200, "description": 4000, "style": 1000, "issue": 1000}
"""Characters at most."""


def draft_of(person: Persona, played: str = AS_ALL) -> Draft:
    """Somebody as they stand in the form; constraints are lines of a text."""
    return {**asdict(person), "constraints": "\n".join(person.constraints), "played": played}


NEW: Draft = {**draft_of(Persona("new", "new", "new@example.org", PROFESSOR)), "id": "", "name": "", "email": ""}
"""Somebody of whom nothing is typed yet."""


def persons_of(drafts: Sequence[Draft]) -> list[Persona]:
    """The people, each with an id of their own.

    Raises
    ------
    InvalidInput
        When somebody cannot be; see `faults_of`.
    """
    taken: set[str] = set()
    made = []
    for draft in drafts:
        plain: Draft = {name: value.strip() if isinstance(value, str) else value for name, value in draft.items()}
        plain["constraints"] = tuple(line.strip() for line in draft["constraints"].splitlines() if line.strip())
        plain["id"] = _own_id(plain["id"] or plain["name"], taken)
        made.append(Persona(**{name: value for name, value in plain.items() if name != "played"}))
    return made


def _own_id(text: str, taken: set[str]) -> str:
    """An id of letters and digits that nobody has yet."""
    ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()
    stem = re.sub(r"[^a-z0-9]+", "_", ascii_only).strip("_")[:40] or "person"
    name = next(made for k in range(1, 10_000) if (made := stem if k == 1 else f"{stem}_{k}") not in taken)
    taken.add(name)
    return name


def faults_of(drafts: Sequence[Draft]) -> list[dict[str, str]]:
    """Of each person what does not fit, by the names of the fields."""
    counted = {what: Counter(folded(draft[what]) for draft in drafts) for what in ("name", "email")}
    return [_faults(draft, counted) for draft in drafts]


def _faults(draft: Draft, counted: dict[str, Counter[str]]) -> dict[str, str]:
    found = {name: _long(draft[name], most) for name, most in LONGEST.items()}
    found |= {name: "a character in it shows on no screen; type it anew" for name in ONE_LINE if _odd(draft[name])}
    found["email"] = address_fault(draft["email"]) or found.get("email", "")
    if not draft["name"].strip():
        found["name"] = "nothing is typed"
    elif folded(draft["name"]) in ROLE_NAMES:
        found["name"] = f"“{draft['name'].strip()}” stands for a role in mails and reports; add another name to it"
    for what, word in (("name", "name"), ("email", "address")):
        if not found[what] and counted[what][folded(draft[what])] > 1:
            found[what] = f"somebody else has this {word}; mails and reports tell people apart by it"
    return {name: fault for name, fault in found.items() if fault}


def address_fault(text: str) -> str:
    """What is wrong with an address, in words that stand beside it; "" if nothing is."""
    if not text.strip():
        return "nothing is typed; rehearsals need an address too, such as ana@example.org"
    try:
        checked_address(text.strip(), "it")
    except InvalidInput as error:
        return str(error).removeprefix("it is ")
    return ""


def _odd(text: str) -> bool:
    return bool(first_hidden(text.strip()))


def _long(text: str, most: int) -> str:
    return f"{len(text)} characters are typed; at most {most} are possible" if len(text) > most else ""
