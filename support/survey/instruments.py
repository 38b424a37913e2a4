"""Survey instruments: sections of items, the scenario they are about, and the check of a filled-in form.

They are read from TOML files, whose format `data/inputs/survey/README.md` explains, and checked strictly: answers are
worth nothing when the questions are in doubt.
"""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from support.data import inputs
from support.errors import DamagedFile, InvalidInput

INSTRUMENTS = ("meeting_survey", "administrator_interview")
GATES = ("eligibility", "consent")
LONGEST = 2000
"""Characters of a free text."""
ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
STRICT = ConfigDict(extra="forbid")
Text = Annotated[str, Field(pattern=r"\S")]
Paragraphs = Annotated[str, StringConstraints(strip_whitespace=True)]
Share = Annotated[float, Field(ge=0, le=1)]
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z]\w*$")]


# ---- the meeting that respondents judge ------------------------------------------------------------------------------


@dataclass(frozen=True, config=STRICT)
class Member:
    """One member of the meeting, whose part the respondents of `group` take."""

    group: Text
    name: Text
    wishes: Annotated[tuple[Text, ...], Field(min_length=1)]


@dataclass(frozen=True, config=STRICT)
class Reason:
    """A reason given for an option, about the member of `about`; `sound` when it follows from that member's wishes."""

    text: Text
    about: Text
    sound: StrictBool


@dataclass(frozen=True, config=STRICT)
class Option:
    """A proposed time: the groups whose members it is said to satisfy, its reasons, and the truth.

    `fit` gives each group the share of its member's wishes that the option meets, 0 to 1. Like `Reason.sound` it is
    for simulated respondents and for the analysis; no respondent sees it.
    """

    decision: Text
    satisfies: tuple[Text, ...]
    reasons: tuple[Reason, ...]
    fit: Mapping[str, Share]


@dataclass(frozen=True, config=STRICT)
class Scenario:
    """What a section may show; `members` in the order of the groups."""

    organiser: Text
    invitation: Paragraphs
    members: tuple[Member, ...]
    options: Annotated[tuple[Option, ...], Field(min_length=1)]

    def member(self, group: str) -> Member:
        """The member whose part a group takes."""
        return next(member for member in self.members if member.group == group)


# ---- the questions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, config=STRICT)
class Choice:
    """One choice of an item: the whole number that is stored, and what respondents read."""

    value: StrictInt
    label: Text


@dataclass(frozen=True, config=STRICT)
class Item:
    """One question.

    `choices` are the five steps of a likert5 item (1 to 5, in the words of its `scale`) or what can be chosen; `low`,
    `high` and `unit` belong to a number; `passes` is the choice with which a respondent may go on, in sections of
    eligibility and consent. `paper` names the item of the published instrument.
    """

    id: Identifier
    kind: Literal["likert5", "choice", "multiple", "text", "number"]
    text: Text
    construct: Text
    paper: Text
    required: StrictBool
    choices: tuple[Choice, ...] = ()
    low: (
        int | float
    ) = -math.inf  # as the file has it: it is part of what a model is asked
    high: int | float = math.inf
    unit: str = ""
    passes: StrictInt | None = None
    scale: str = ""

    def __post_init__(self) -> None:
        values = {choice.value for choice in self.choices}
        if self.kind == "likert5" and len(values) != 5:
            raise ValueError(
                f"scale {self.scale!r} has {len(values)} labels; expected five, the worst one first"
            )
        if self.kind in ("choice", "multiple") and not 2 <= len(self.choices) == len(
            values
        ):
            raise ValueError(
                "choices: expected two or more, each with a value of its own"
            )
        if self.kind == "number" and not -math.inf < self.low < self.high < math.inf:
            raise ValueError(
                f"low {self.low:g}, high {self.high:g}: expected two bounds, the lower one first"
            )
        if self.passes is not None and self.passes not in values:
            raise ValueError(
                f"passes {self.passes}: expected the value of one of its choices"
            )


@dataclass(frozen=True, config=STRICT)
class Section:
    """One page: its items, and what it shows of the scenario."""

    id: Text
    kind: Literal["questions", "eligibility", "consent", "part"]
    title: Text
    text: Paragraphs
    shows: tuple[Literal["invitation", "own wishes", "all wishes", "options"], ...]
    items: Annotated[tuple[Item, ...], Field(min_length=1)]

    def __post_init__(self) -> None:
        gate = self.kind in GATES
        for item in self.items:
            if gate != (item.passes is not None) or (
                gate and not (item.required and item.kind == "choice")
            ):
                raise ValueError(
                    f"item {item.id!r}: `passes` belongs to eligibility and consent, where every item is a required "
                    "choice that lets people through"
                )


@dataclass(frozen=True, config=STRICT)
class Instrument:
    """A survey or an interview; `sum` identifies its wording and that of its scenario."""

    name: Text
    version: Text
    title: Text
    source: Text
    groups: Annotated[tuple[Text, ...], Field(min_length=1)]
    sections: Annotated[tuple[Section, ...], Field(min_length=1)]
    scenario: Scenario | None
    sum: str

    def __post_init__(self) -> None:
        ids = (
            [section.id for section in self.sections],
            [i.id for section in self.sections for i in section.items],
        )
        for what, names in zip(
            ("group", "section", "item"), (self.groups, *ids), strict=True
        ):
            if twice := sorted({name for name in names if list(names).count(name) > 1}):
                raise ValueError(
                    f"{what} {', '.join(map(repr, twice))} is there twice; expected each once"
                )
        if self.scenario is None:
            texts = [
                text
                for s in self.sections
                for text in (s.text, *(item.text for item in s.items), *s.shows)
            ]
            if any(section.shows for section in self.sections) or any(
                "{member}" in text for text in texts
            ):
                raise ValueError(
                    "scenario '': expected a file, since a section shows it, or says {member}"
                )
            return
        if tuple(member.group for member in self.scenario.members) != self.groups:
            raise ValueError(
                f"scenario: expected one member for each group, in the order {', '.join(self.groups)}"
            )
        for option in self.scenario.options:
            named = {*option.satisfies, *(reason.about for reason in option.reasons)}
            if set(option.fit) != set(self.groups) or not named <= set(self.groups):
                raise ValueError(
                    f"scenario, option {option.decision!r}: expected a share of `fit` for each group, and no group but "
                    f"{', '.join(self.groups)}"
                )

    @property
    def items(self) -> dict[str, Item]:
        """All items by their ids, in order."""
        return {item.id: item for section in self.sections for item in section.items}

    @property
    def asked(self) -> tuple[Section, ...]:
        """The sections whose answers are kept: all but eligibility and consent."""
        return tuple(section for section in self.sections if section.kind not in GATES)

    def check_group(self, group: str) -> None:
        """Raise InvalidInput when there is no such group."""
        if group not in self.groups:
            raise InvalidInput(
                f"group: {group!r} given; {self.name} has {', '.join(self.groups)}"
            )

    def wording(self, text: str, group: str) -> str:
        """A text of the instrument as the respondents of a group read it: {member} becomes their member's name."""
        return (
            text.replace("{member}", self.scenario.member(group).name)
            if self.scenario
            else text
        )


# ---- from files ------------------------------------------------------------------------------------------------------


def load(name: str) -> Instrument:
    """An instrument of `data/inputs/survey`: "meeting_survey" or "administrator_interview"."""
    if name not in INSTRUMENTS:
        raise InvalidInput(
            f"name: {name!r} given; there are the instruments {', '.join(INSTRUMENTS)}"
        )
    return read(inputs("survey", f"{name}.toml"))


def read(path: str | Path) -> Instrument:
    """An instrument from any file; its scenario lies beside it. DamagedFile names file, field and value."""
    path, more = Path(path), b""
    raw, content = _toml(path)
    scales = raw.pop("scales", {})
    for item in (
        item for section in raw.get("sections", ()) for item in section.get("items", ())
    ):
        if item.get("kind") == "likert5":
            labels = scales.get(item.get("scale"), ())
            item["choices"] = [
                {"value": value, "label": label}
                for value, label in enumerate(labels, 1)
            ]
    if beside := raw.get("scenario"):
        told, more = _toml(path.parent / str(beside))
        raw["scenario"] = _made(Scenario, told, path.parent / str(beside))
    raw |= {
        "scenario": raw.get("scenario") or None,
        "sum": hashlib.sha256(content + more).hexdigest()[:12],
    }
    return _made(Instrument, raw, path)


def _toml(path: Path) -> tuple[dict[str, Any], bytes]:
    if not path.is_file():
        raise DamagedFile(
            f"{path} is not there; expected a TOML file. Restore it with git checkout -- data/inputs."
        )
    content = path.read_bytes()
    try:
        return tomllib.loads(content.decode("utf-8")), content
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DamagedFile(
            f"{path} is no TOML: {error}. Restore it from a copy, or mend that place."
        ) from None


def _made(kind: type, raw: dict[str, Any], path: Path) -> Any:
    try:
        return TypeAdapter(kind).validate_python(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at: Any = raw
        place = []
        for step in first["loc"]:  # by ids, which the file has, and not by numbers
            at = at[step] if isinstance(step, int) or step in at else {}
            place.append(
                repr(at["id"]) if isinstance(step, int) and "id" in at else str(step)
            )
        given = "" if isinstance(first["input"], dict) else f" is {first['input']!r}"
        raise DamagedFile(
            f"{path}: {', '.join(place)}{given}; {first['msg']}."
        ) from None


# ---- a filled-in form ------------------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """One cell of a filled-in form: a number, a text, or both (a choice has its label as text)."""

    item: Item
    number: float | None
    text: str


def check_form(
    instrument: Instrument, answers: Mapping[str, Any]
) -> tuple[Answer, ...]:
    """The cells of a whole form; the answers to eligibility and consent are checked and left out.

    `answers` has for each item id a whole number (likert5, choice), a sequence of them (multiple), a number, or a text;
    None, "" and () stand for an item that was left blank. InvalidInput for an unknown item, one that is required and
    blank, an answer that does not fit, or a form that was not let through by eligibility or consent.
    """
    if unknown := sorted(set(answers) - set(instrument.items)):
        known = ", ".join(instrument.items)
        raise InvalidInput(
            f"{instrument.name} has no item {', '.join(map(repr, unknown))}; it has {known}"
        )
    cells: list[Answer] = []
    for section in instrument.sections:
        found = check_section(section, answers)
        if why := refusal(section, answers):
            raise InvalidInput(
                f"{section.id}: {why}; nothing of such a form is kept, record it as a refusal"
            )
        cells += found if section.kind not in GATES else []
    return tuple(cells)


def refusal(section: Section, answers: Mapping[str, Any]) -> str | None:
    """Why a respondent may not go on after a section ("not eligible", "no consent"), or None."""
    if all(
        item.passes is None or answers.get(item.id) == item.passes
        for item in section.items
    ):
        return None
    return "no consent" if section.kind == "consent" else "not eligible"


def missing(section: Section, answers: Mapping[str, Any]) -> list[Item]:
    """The items of a section that are required and blank."""
    return [
        item for item in section.items if item.required and _blank(answers.get(item.id))
    ]


def check_section(section: Section, answers: Mapping[str, Any]) -> list[Answer]:
    """The cells of one section; InvalidInput names all required items that are blank, or what does not fit."""
    if absent := missing(section, answers):
        names = ", ".join(item.id for item in absent)
        raise InvalidInput(
            f"{section.id}: no answer to {names}; please answer what is marked as required"
        )
    return [
        cell for item in section.items for cell in cells_of(item, answers.get(item.id))
    ]


def cells_of(item: Item, value: Any) -> Iterator[Answer]:
    """The cells that an answer makes: none for a blank one, one for each tick of a multiple."""
    if _blank(value):
        return
    if item.kind == "text":
        yield Answer(item, None, _plain_text(item, value))
    elif item.kind == "number":
        yield Answer(item, _number(item, value), "")
    elif item.kind == "multiple" and (
        not isinstance(value, tuple | list) or len(set(value)) < len(value)
    ):
        raise InvalidInput(
            f"{item.id}: {value!r} given; expected a list of choices, each once"
        )
    else:
        for number in value if item.kind == "multiple" else [value]:
            yield Answer(item, number, _label(item, number))


def _blank(value: Any) -> bool:
    return (
        value is None
        or value in ((), [])
        or (isinstance(value, str) and not value.strip())
    )


def _label(item: Item, value: Any) -> str:
    labels = {choice.value: choice.label for choice in item.choices}
    if isinstance(value, bool) or not isinstance(value, int) or value not in labels:
        expected = ", ".join(f"{number} ({label})" for number, label in labels.items())
        raise InvalidInput(f"{item.id}: {value!r} given; expected one of {expected}")
    return labels[value]


def _plain_text(item: Item, value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST:
        size = f"{len(value)} characters" if isinstance(value, str) else repr(value)
        raise InvalidInput(
            f"{item.id}: {size} given; expected a text of at most {LONGEST} characters"
        )
    if found := ADDRESS.search(value):
        raise InvalidInput(
            f"{item.id}: {found[0]!r} looks like an e-mail address; please take it out of the text"
        )
    return value.strip()


def _number(item: Item, value: Any) -> float:
    try:
        number = float(value.replace(",", ".") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not item.low <= number <= item.high:
        expected = f"a number from {item.low:g} to {item.high:g} {item.unit}".rstrip()
        raise InvalidInput(f"{item.id}: {value!r} given; expected {expected}")
    return number
