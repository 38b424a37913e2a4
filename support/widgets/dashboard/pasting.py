"""People out of a table that was pasted, as spreadsheets copy it or as CSV; nobody is taken unless all are."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from support.errors import InvalidInput
from support.seminar.data import POSTDOC, PROFESSOR, ROLES, STUDENT
from support.widgets.dashboard.drafts import NEW, Draft, address_fault

COLUMNS = {
    "name": "name", "full name": "name", "person": "name", "speaker": "name",
    "email": "email", "e-mail": "email", "mail": "email", "address": "email", "e-mail address": "email",
    "email address": "email", "role": "role", "position": "role", "field": "field", "area": "field", "topic": "field",
    "affiliation": "affiliation", "institution": "affiliation", "university": "affiliation",
    "days": "days", "needs": "needs", "mails": "needs", "limit": "limit", "vague": "vague", "forgets": "forgets",
    "cancels": "cancels", "share": "share", "style": "style", "description": "description", "persona": "description",
    "constraints": "constraints", "issue": "issue",
}  # fmt: skip
"""Heads of columns in small letters, and the fields that they stand for."""

SPOKEN = {
    "prof": PROFESSOR, "prof.": PROFESSOR, "faculty": PROFESSOR, "post-doc": POSTDOC,
    "postdoctoral researcher": POSTDOC, "phd": STUDENT, "doctoral student": STUDENT, "student": STUDENT,
}  # fmt: skip
"""Other words for roles."""

NEEDED = ("name", "email")
SHOWN = 8  # problems that one message lists


def read_table(text: str, most: int = 500) -> list[Draft]:
    """People out of a table whose first row names the columns; tabs, semicolons or commas between the cells.

    Raises
    ------
    InvalidInput
        When a head or a cell does not fit, or there are more than `most` rows; it names rows and columns.

    >>> [(p["name"], p["role"]) for p in read_table("Name;E-mail;Role\\nAna Ray;ana@example.org;PhD student")]
    [('Ana Ray', 'phd student')]
    """
    rows = _rows(text)
    if not rows:
        raise InvalidInput("table: nothing is pasted; paste rows with a first row of heads, such as name, email, role")
    fields = _fields(rows[0])
    if len(rows) - 1 > most:
        raise InvalidInput(f"table: {len(rows) - 1} people given; expected {most} at most")
    people, problems = [], list[str]()
    for number, cells in enumerate(rows[1:], start=2):
        draft, wrong = _person(fields, cells)
        people.append(draft)
        whose = f" ({draft['name']})" if draft["name"] else ""
        problems += [f"row {number}{whose}, {fault}" for fault in wrong]
    if problems:
        more = f"\nand {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise InvalidInput("table: nobody was added.\n" + "\n".join(problems[:SHOWN]) + more)
    if not people:
        raise InvalidInput("table: only a row of heads is pasted; expected a row for each person below it")
    return people


def _rows(text: str) -> list[list[str]]:
    """The rows that have anything in them; cells in quotation marks may have line ends in them."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    between = max("\t;,", key=head.count)
    try:
        read = list(csv.reader(text.strip("\r\n").splitlines(keepends=True), delimiter=between, strict=True))
    except csv.Error as error:
        raise InvalidInput(
            f"table: it cannot be read as rows and cells ({error}); look for a lone quotation mark"
        ) from None
    return [row for cells in read if any(row := [cell.strip() for cell in cells])]


def _fields(heads: Sequence[str]) -> list[str]:
    if any("@" in head for head in heads):
        raise InvalidInput(
            "table: the first row is a person already; expected heads of the columns there, such as name, email, role"
        )
    unknown = [head for head in heads if head.casefold() not in COLUMNS and head]
    if unknown:
        known = ", ".join(dict.fromkeys(COLUMNS.values()))
        raise InvalidInput(f"table: row 1, column {unknown[0]!r} is none of {known}; rename or drop it")
    fields = [COLUMNS.get(head.casefold(), "") for head in heads]
    for name in NEEDED:
        if name not in fields:
            raise InvalidInput(f"table: row 1 has no column {name}; expected at least name and email")
    if twice := [name for name in fields if name and fields.count(name) > 1]:
        raise InvalidInput(f"table: row 1 has two columns for {twice[0]}; drop one")
    return fields


def _person(fields: Sequence[str], cells: Sequence[str]) -> tuple[Draft, list[str]]:
    """A row as a person, and what is wrong with it."""
    draft, problems = dict(NEW), []
    if len(cells) > len(fields):
        problems.append(f"cell {len(fields) + 1}: {cells[len(fields)]!r} stands below no head")
    given = {name: cell for name, cell in zip(fields, cells, strict=False) if name}
    for name, cell in given.items():
        if not cell and name not in NEEDED:
            continue
        try:
            draft[name] = READERS.get(name, str)(cell)
        except InvalidInput as error:
            problems.append(f"column {name}: {error}")
            draft[name] = NEW[name] if name in READERS and name != "email" else cell
    problems += [f"column {name}: nothing is there" for name in NEEDED if not given.get(name)]
    return draft, problems


def _role(cell: str) -> str:
    role = SPOKEN.get(cell.casefold(), cell.casefold())
    if role not in ROLES:
        raise InvalidInput(f"{cell!r} given; expected one of {', '.join(ROLES)}")
    return role


def _email(cell: str) -> str:
    if cell and (fault := address_fault(cell)):
        raise InvalidInput(fault)
    return cell


def _whole(low: int) -> Callable[[str], int]:
    def read(cell: str) -> int:
        if not (cell.isascii() and cell.isdigit()) or not low <= int(cell) <= 99:
            raise InvalidInput(f"{cell!r} given; expected a whole number from {low} to 99")
        return int(cell)

    return read


def _share(cell: str) -> float:
    """A number from 0 to 1, with a point or a comma, or so many per cent."""
    plain = cell.replace(",", ".").replace(" ", "")
    try:
        value = float(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise InvalidInput(f"{cell!r} given; expected a number from 0 to 1, such as 0.3 or 30 %")
    return value


def _lines(cell: str) -> str:
    return "\n".join(part.strip() for part in cell.replace(";", "\n").splitlines() if part.strip())


READERS: Mapping[str, Callable[[str], Any]] = {
    "email": _email, "role": _role, "days": _whole(0), "needs": _whole(1), "limit": _whole(1), "vague": _share,
    "forgets": _share, "cancels": _share, "share": _share, "constraints": _lines,
}  # fmt: skip
