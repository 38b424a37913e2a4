"""The people who may be asked: typed one by one, or pasted as a table; nothing is refused while it is typed."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import ipywidgets as w

from support.desk import fields as f
from support.desk.markup import fill
from support.errors import InvalidInput
from support.mail.letters import NAME, checked_address, folded
from support.models.profiles import MODEL
from support.seats import HUMAN, MIXED
from support.seminar.data import POSTDOC, PROFESSOR, ROLE_NAMES, ROLES, STUDENT, Persona
from support.seminar.speakers import VARIATIONS

MOST, SHOWN = 300, 8  # people on one list; problems that one message lists
AS_ALL = ""
LONGEST = {
    "name": NAME,
    "field": 200,
    "affiliation": 200,
    "description": 4000,
    "style": 1000,
    "issue": 1000,
}
PEOPLE = {
    "name": f.Spec("name"),
    "email": f.Spec("e-mail"),
    "role": f.Spec("role", kind="choice", rest=ROLES),
    "field": f.Spec("field"),
    "affiliation": f.Spec("affiliation"),
}
NUMBERS = {
    "days": f.Spec("working days until an answer", kind="number", rest=(0, 99, 0)),
    "needs": f.Spec("mails until there is one", kind="number", rest=(1, 99, 1)),
    "limit": f.Spec("dates named at first", kind="number", rest=(1, 99, 1)),
    "vague": f.Spec("dates named vaguely", kind="share"),
    "forgets": f.Spec("mails never answered", kind="share"),
    "cancels": f.Spec("dates cancelled later", kind="share"),
    "share": f.Spec("dates that suit", kind="share"),
}
WORDS = {
    "description": f.Spec("persona, in words", "who they are and how they write; for a language model that plays them",
                          "lines"),
    "constraints": f.Spec("constraints, one a line", "for example: never on Fridays", "lines"),
    "issue": f.Spec("what they may bring up", "a wish that no policy covers; it is flagged for you", "lines"),
}  # fmt: skip
TABLE = {"name": "name", "email": "e-mail", "role": "role", "field": "field", "affiliation": "affiliation",
         "days": "days", "needs": "mails", "vague": "vague", "played": "played by"}  # fmt: skip
PASTED = (
    "Copy the rows out of a spreadsheet, with their heads, or type CSV. Heads: name, email (both needed), role "
    "(professor, postdoc, phd student), field, affiliation; and for a rehearsal days, needs, vague, description, "
    "constraints."
)
REHEARSED = "How they answer in a rehearsal; shares are from 0 (never) to 1 (always)."
HEADS = {  # of a table, in small letters, and the fields that they stand for
    "full name": "name", "person": "name", "speaker": "name", "e-mail": "email", "mail": "email", "address": "email",
    "e-mail address": "email", "email address": "email", "position": "role", "area": "field", "topic": "field",
    "institution": "affiliation", "university": "affiliation", "mails": "needs", "persona": "description",
    **{name: name for name in (*PEOPLE, *NUMBERS, "style", *WORDS)},
}  # fmt: skip
SPOKEN = {
    "prof": PROFESSOR, "prof.": PROFESSOR, "faculty": PROFESSOR, "post-doc": POSTDOC,
    "postdoctoral researcher": POSTDOC, "phd": STUDENT, "doctoral student": STUDENT, "student": STUDENT,
}  # fmt: skip


def draft_of(person: Persona, played: str = AS_ALL) -> f.Entry:
    """Somebody as they stand in the form; constraints are lines of a text."""
    return {
        **asdict(person),
        "constraints": "\n".join(person.constraints),
        "played": played,
    }


NEW: f.Entry = {
    **draft_of(Persona("new", "new", "new@example.org", PROFESSOR)),
    "id": "",
    "name": "",
    "email": "",
}


class PeopleForm:
    """Takes the list of people; `model` says whether a language model may play somebody."""

    def __init__(self, changed: Callable[[], None], model: bool) -> None:
        self.tell = changed
        self.table = w.HTML()
        kinds = [*VARIATIONS, MIXED, *([MODEL] if model else []), HUMAN]
        options = [
            ("as everybody (see Roles)", AS_ALL),
            *((kind, kind) for kind in kinds),
        ]
        played = {"played": f.Spec("played by", kind="choice", rest=options)}
        fields = f.fields_of(PEOPLE | NUMBERS | WORDS | played)
        self.people = f.Entries(
            "people",
            fields,
            _titled,
            faults_of,
            self._changed,
            rows=15,
            new=NEW,
            most=MOST,
        )
        known, numbers, said = (
            [fields[name].view for name in part]
            for part in (PEOPLE | played, NUMBERS, WORDS)
        )
        self.acted = w.VBox(
            [f.hint(REHEARSED), f.columns(*numbers), f.columns(*said, narrow="17rem")]
        )
        example = "name\temail\trole\nAna Ray\tana@example.org\tprofessor"
        self.pasted = f.over(
            w.Textarea(description="a table of people", rows=5, placeholder=example)
        )
        self.error = w.HTML()
        press = f.Press(lambda: self.pasted.value, self.error)
        self.take_button = press.new("Add these people", self.take)
        self.instead_button = press.new(
            "Replace the list by these", lambda: self.take(instead=True)
        )
        pasting = w.VBox(
            [
                f.hint(PASTED),
                self.error,
                self.pasted,
                f.row(self.take_button, self.instead_button),
            ]
        )
        folds = w.Accordion(
            [pasting, self.table], titles=("Paste a table", "The whole list as a table")
        )
        self.view = w.VBox(
            [
                f.sides(
                    self.people.left, [f.columns(*known, narrow="17rem"), self.acted]
                ),
                folds,
            ]
        )

    def _changed(self) -> None:
        rows = [[draft["played"] or "as everybody" if name == "played" else str(draft[name]) for name in TABLE]
                for draft in self.people.entries]  # fmt: skip
        self.table.value = fill(
            "page", "table", "the list of people", list(TABLE.values()), rows
        )
        self.tell()

    def fill(
        self, people: Sequence[Persona], played: Mapping[str, str] | None = None
    ) -> None:
        """Show a list; who is played by somebody else than all, by name."""
        self.people.set(
            [
                draft_of(person, (played or {}).get(person.name, AS_ALL))
                for person in people
            ]
        )

    def rehearsed(self, shown: bool) -> None:
        """Whether they are simulated, and their ways count."""
        f.there(self.acted, shown)

    def played(self, everybody: str) -> str | dict[str, str]:
        """Who plays whom: one kind, or a kind by each name where they differ."""
        kinds = {
            draft["name"].strip(): draft["played"] or everybody
            for draft in self.people.entries
        }
        return everybody if set(kinds.values()) <= {everybody} else kinds

    def check(self, shown: bool) -> list[str]:
        """What does not fit."""
        nobody = ["people: nobody is on the list; add somebody, or paste a table"]
        return self.people.check(shown) if self.people.entries else nobody

    def take(self, *, instead: bool = False) -> None:
        """Take the table that was pasted: nobody is taken unless all are."""
        drafts = read_table(self.pasted.value)
        self.people.set(drafts) if instead else self.people.add(drafts)
        self.pasted.value = ""


def _titled(draft: f.Entry) -> str:
    return (
        " · ".join(fact for fact in (draft["name"].strip(), draft["role"]) if fact)
        if draft["name"].strip()
        else ""
    )


def persons_of(drafts: Sequence[f.Entry]) -> list[Persona]:
    """The people, each with an id of their own."""
    taken, made = set[str](), []
    for draft in drafts:
        plain: f.Entry = {
            name: value.strip() if isinstance(value, str) else value
            for name, value in draft.items()
        }
        plain["constraints"] = tuple(
            line.strip() for line in draft["constraints"].splitlines() if line.strip()
        )
        ascii_only = (
            unicodedata.normalize("NFKD", plain["id"] or plain["name"])
            .encode("ascii", "ignore")
            .decode()
        )
        stem = (
            re.sub(r"[^a-z0-9]+", "_", ascii_only.casefold()).strip("_")[:40]
            or "person"
        )
        plain["id"] = next(
            n
            for k in range(1, 10_000)
            if (n := stem if k == 1 else f"{stem}_{k}") not in taken
        )
        taken.add(plain["id"])
        made.append(
            Persona(
                **{name: value for name, value in plain.items() if name != "played"}
            )
        )
    return made


def faults_of(drafts: Sequence[f.Entry]) -> list[dict[str, str]]:
    """Of each person what does not fit, by the names of the fields."""
    counted = {
        what: Counter(folded(draft[what]) for draft in drafts)
        for what in ("name", "email")
    }
    return [_faults(draft, counted) for draft in drafts]


def _faults(draft: f.Entry, counted: Mapping[str, Counter[str]]) -> dict[str, str]:
    found = {
        name: f.text_fault(
            draft[name].strip(), most, "", "" if name in PEOPLE else None
        )
        for name, most in LONGEST.items()
    }
    found["email"] = address_fault(draft["email"])
    if not draft["name"].strip():
        found["name"] = f.NOTHING
    elif folded(draft["name"]) in ROLE_NAMES:
        found["name"] = (
            f"“{draft['name'].strip()}” stands for a role in mails and reports; add another name to it"
        )
    for what, word in (("name", "name"), ("email", "address")):
        if not found.get(what) and counted[what][folded(draft[what])] > 1:
            found[what] = (
                f"somebody else has this {word}; mails and reports tell people apart by it"
            )
    return {name: fault for name, fault in found.items() if fault}


def address_fault(text: str) -> str:
    """What is wrong with an address, in words that stand beside it; "" if nothing is."""
    if not text.strip():
        return (
            "nothing is typed; rehearsals need an address too, such as ana@example.org"
        )
    try:
        checked_address(text.strip(), "it")
    except InvalidInput as error:
        return str(error).removeprefix("it is ")
    return ""


# ---- a table that was pasted ----------------------------------------------------------------------------------------


def read_table(text: str) -> list[f.Entry]:
    """People out of a table whose first row names the columns; tabs, semicolons or commas between the cells.

    What does not fit is told by rows and columns, and nobody is taken then.

    >>> [(p["name"], p["role"]) for p in read_table("Name;E-mail;Role\\nAna Ray;ana@example.org;PhD student")]
    [('Ana Ray', 'phd student')]
    """
    rows = _rows(text)
    if not rows:
        raise InvalidInput(
            "table: nothing is pasted; paste rows with a first row of heads, such as name, email, role"
        )
    fields = _fields(rows[0])
    if len(rows) - 1 > MOST:
        raise InvalidInput(
            f"table: {len(rows) - 1} people given; expected {MOST} at most"
        )
    people, problems = [], list[str]()
    for number, cells in enumerate(rows[1:], start=2):
        draft, wrong = _person(fields, cells)
        people.append(draft)
        whose = f" ({draft['name']})" if draft["name"] else ""
        problems += [f"row {number}{whose}, {fault}" for fault in wrong]
    if problems:
        more = f"\nand {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise InvalidInput(
            "table: nobody was added.\n" + "\n".join(problems[:SHOWN]) + more
        )
    if not people:
        raise InvalidInput(
            "table: only a row of heads is pasted; expected a row for each person below it"
        )
    return people


def _rows(text: str) -> list[list[str]]:
    """The rows that have anything in them; cells in quotation marks may have line ends in them."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    between = max("\t;,", key=head.count)
    try:
        read = list(
            csv.reader(
                text.strip("\r\n").splitlines(keepends=True),
                delimiter=between,
                strict=True,
            )
        )
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
    if unknown := [head for head in heads if head and head.casefold() not in HEADS]:
        known = ", ".join(dict.fromkeys(HEADS.values()))
        raise InvalidInput(
            f"table: row 1, column {unknown[0]!r} is none of {known}; rename or drop it"
        )
    fields = [HEADS.get(head.casefold(), "") for head in heads]
    for name in ("name", "email"):
        if name not in fields:
            raise InvalidInput(
                f"table: row 1 has no column {name}; expected at least name and email"
            )
    if twice := [name for name in fields if name and fields.count(name) > 1]:
        raise InvalidInput(f"table: row 1 has two columns for {twice[0]}; drop one")
    return fields


def _person(fields: Sequence[str], cells: Sequence[str]) -> tuple[f.Entry, list[str]]:
    """A row as a person, and what is wrong with it."""
    draft, problems = dict(NEW), []
    if len(cells) > len(fields):
        problems.append(
            f"cell {len(fields) + 1}: {cells[len(fields)]!r} stands below no head"
        )
    given = {name: cell for name, cell in zip(fields, cells, strict=False) if name}
    for name, cell in given.items():
        if not cell:
            continue
        try:
            draft[name] = READERS.get(name, str)(cell)
        except InvalidInput as error:
            problems.append(f"column {name}: {error}")
    return draft, [
        *problems,
        *(
            f"column {n}: nothing is there"
            for n in ("name", "email")
            if not given.get(n)
        ),
    ]


def _role(cell: str) -> str:
    role = SPOKEN.get(cell.casefold(), cell.casefold())
    if role not in ROLES:
        raise InvalidInput(f"{cell!r} given; expected one of {', '.join(ROLES)}")
    return role


def _email(cell: str) -> str:
    if fault := address_fault(cell):
        raise InvalidInput(fault)
    return cell


def _whole(low: int) -> Callable[[str], int]:
    def read(cell: str) -> int:
        if not (cell.isascii() and cell.isdigit()) or not low <= int(cell) <= 99:
            raise InvalidInput(
                f"{cell!r} given; expected a whole number from {low} to 99"
            )
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
        raise InvalidInput(
            f"{cell!r} given; expected a number from 0 to 1, such as 0.3 or 30 %"
        )
    return value


def _lines(cell: str) -> str:
    return "\n".join(
        part.strip() for part in cell.replace(";", "\n").splitlines() if part.strip()
    )


READERS: Mapping[str, Callable[[str], Any]] = {
    "email": _email, "role": _role, "days": _whole(0), "needs": _whole(1), "limit": _whole(1), "constraints": _lines,
    "vague": _share, "forgets": _share, "cancels": _share, "share": _share,
}  # fmt: skip
