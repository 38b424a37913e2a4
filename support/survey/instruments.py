"""Survey instruments: sections of items, the meeting they are about, the form of a section.

They are read from TOML files, whose format `data/inputs/survey/README.md` explains, and
checked strictly: answers are worth nothing when the questions are in doubt.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from support.data import inputs
from support.errors import DamagedFile, InvalidInput
from support.forms import labelled, misfits
from support.seats import form

GATES = ("eligibility", "consent")
BLANK = {"text": "", "multiple": []}
"""What stands for no answer, by the kinds of items that may be left blank."""
LONGEST = 2000
"""Characters of a free text."""
COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
STRICT = ConfigDict(extra="forbid")
Text = Annotated[str, Field(pattern=r"\S")]
Paragraphs = Annotated[str, StringConstraints(strip_whitespace=True)]
Share = Annotated[float, Field(ge=0, le=1)]


# ---- the meeting that respondents judge


@dataclass(frozen=True, config=STRICT)
class Member:
    """One member of the meeting, whose part the respondents of `group` take."""

    group: Text
    name: Text
    wishes: tuple[Text, ...]


@dataclass(frozen=True, config=STRICT)
class Reason:
    """A reason given for an option, about the member of a group.

    `sound`: it follows from what that member wants.
    """

    text: Text
    about: Text
    sound: bool


@dataclass(frozen=True, config=STRICT)
class Option:
    """A proposal: the groups whose members it is said to satisfy, its reasons, the truth.

    `fit` is how well it truly meets each group's member, 0 to 1. Like `Reason.sound` it
    is for simulated respondents and for the analysis; no respondent sees it.
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


# ---- the questions


@dataclass(frozen=True, config=STRICT)
class Item:
    """One question.

    `choices` are what is read of each number that can be stored: the five steps of a
    likert5 item, or what can be chosen; `low`, `high` and `unit` belong to a number;
    `passes` is the choice with which one may go on, in sections of eligibility and
    consent. `paper` names the item of the published instrument.
    """

    id: Text
    kind: Literal["likert5", "choice", "multiple", "text", "number"]
    text: Text
    construct: Text
    paper: Text
    required: bool
    choices: Mapping[int, Text] = field(default_factory=dict)
    low: float = 0.0
    high: float = 100.0
    unit: str = ""
    passes: int | None = None
    scale: str = ""

    def __post_init__(self) -> None:
        least = {"likert5": 5, "choice": 2, "multiple": 2}.get(self.kind, 0)
        if len(self.choices) < least:
            raise ValueError(f"choices {self.scale}: expected {least} or more")


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
        for item in self.items:
            if self.kind in GATES and item.passes not in item.choices:
                raise ValueError(f"item {item.id!r}: expected the choice that `passes`")


@dataclass(frozen=True, config=STRICT)
class Instrument:
    """A survey or an interview, about a scenario or none."""

    name: Text
    version: Text
    title: Text
    source: Text
    groups: Annotated[tuple[Text, ...], Field(min_length=1)]
    sections: Annotated[tuple[Section, ...], Field(min_length=1)]
    scenario: Scenario | None

    def __post_init__(self) -> None:
        items = [item.id for section in self.sections for item in section.items]
        if len(set(items)) < len(items):
            raise ValueError(f"items {', '.join(items)}: expected each once")
        members = self.scenario.members if self.scenario else ()
        if members and tuple(member.group for member in members) != self.groups:
            raise ValueError(f"scenario: expected a member for each of {self.groups}")

    @property
    def sum(self) -> str:
        """What identifies all of its wording, the scenario's among it."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]

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
            there = ", ".join(self.groups)
            raise InvalidInput(f"group: {group!r} given; {self.name} has {there}")

    def wording(self, text: str, group: str) -> str:
        """A text as a group reads it: with its member's name, and how many members."""
        if not self.scenario:
            return text
        count = len(self.groups)
        text = text.replace("{count}", COUNTS.get(count, str(count)))
        return text.replace("{member}", self.scenario.member(group).name)

    def about(self, scenario: Scenario, name: str) -> Instrument:
        """The same questions on another meeting, one that was played for instance.

        Its members are the groups; `name` is added to the instrument's.
        """
        return replace(
            self,
            name=f"{self.name}, {name}",
            groups=tuple(member.group for member in scenario.members),
            scenario=scenario,
        )


# ---- from files


def load(name: str) -> Instrument:
    """An instrument of `data/inputs/survey`, such as "meeting_survey"."""
    return read(inputs("survey", f"{name}.toml"))


def read(path: str | Path) -> Instrument:
    """An instrument from any file, its scenario beside it.

    DamagedFile names file, field and value.
    """
    path = Path(path)
    raw = _toml(path)
    scales = raw.pop("scales", {})
    for section in raw.get("sections", ()):
        for item in section.get("items", ()):
            if item.get("scale"):
                item["choices"] = scales.get(item["scale"], {})
    scenario = None
    if beside := raw.get("scenario"):
        place = path.parent / str(beside)
        scenario = _made(Scenario, _toml(place), place)
    return _made(Instrument, raw | {"scenario": scenario}, path)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DamagedFile(
            f"{path} cannot be read as TOML: {error}. Mend that place, or restore ours "
            "with git checkout -- data/inputs."
        ) from None


def _made(kind: type, raw: dict[str, Any], path: Path) -> Any:
    try:
        return TypeAdapter(kind).validate_python(raw)
    except ValidationError as error:
        raise DamagedFile(f"{path}: {misfits(error)[0]}") from None


# ---- the form of a section, for whoever fills it in


def section_form(
    section: Section,
    longest: int = LONGEST,
    question: Callable[[Item], str] | None = None,
) -> type[BaseModel]:
    """The form of the answers to a section, by item id; every text and list is bounded.

    With `question`, what a person reads of an item, its fields have that as their title,
    and choices their labels.
    """
    fields: dict[str, Any] = {}
    for item in section.items:
        kind = _field(item, longest, titled=question is not None)
        title = Field(title=question(item)) if question else Field()
        fields[item.id] = Annotated[kind, title]
    return form("Answers", **fields)


def _field(item: Item, longest: int, titled: bool) -> Any:
    least = int(item.required)
    if item.kind == "text":
        fits = AfterValidator(partial(_plain_text, least))
        return Annotated[str, Field(min_length=least, max_length=longest), fits]
    if item.kind == "number":
        return Annotated[float, Field(ge=item.low, le=item.high)]
    one: Any = Literal[tuple(item.choices)]
    if titled:
        one = labelled(one, item.choices.items())
    if item.kind != "multiple":
        return one
    bounds = Field(min_length=least or None, max_length=len(item.choices))
    # A box that is ticked twice is ticked.
    return Annotated[list[one], bounds, AfterValidator(lambda v: [*dict.fromkeys(v)])]


def _plain_text(least: int, given: str) -> str:
    if len(given.strip()) < least:
        raise ValueError("nothing given; expected an answer")
    if found := ADDRESS.search(given):
        told = "looks like an e-mail address; please take it out of the text"
        raise ValueError(f"{found[0]!r} {told}")
    return given.strip()


def check_form(instrument: Instrument, answers: Mapping[str, Any]) -> dict[str, Any]:
    """A whole form, checked: by item id a choice's number, a list of them, a number, a text.

    InvalidInput for an unknown item, for what does not fit a section's form, and for a
    form that eligibility or consent did not let through.
    """
    if unknown := sorted(set(answers) - set(instrument.items)):
        known = ", ".join(instrument.items)
        raise InvalidInput(
            f"{instrument.name} has no item {unknown[0]!r}; it has {known}"
        )
    checked: dict[str, Any] = {}
    for section in instrument.sections:
        given = {i.id: answers.get(i.id, BLANK.get(i.kind)) for i in section.items}
        try:
            checked |= section_form(section).model_validate(given).model_dump()
        except ValidationError as error:
            told = "\n".join(misfits(error))
            raise InvalidInput(f"{section.title}: {told}") from None
        if why := refusal(section, checked):
            raise InvalidInput(f"{why}: nothing of such a form is kept but a refusal")
    return checked


Answer = tuple[str, str, str, float | None, str]
"""Item, kind, construct, number, text: a choice has a number and its label."""


def cells_of(instrument: Instrument, answers: Mapping[str, Any]) -> list[Answer]:
    """What is kept of a form: nothing of an item left blank, one for each tick."""
    cells: list[Answer] = []
    for section in instrument.asked:
        for item in section.items:
            given = answers[item.id]
            for one in given if isinstance(given, list) else [given]:
                number = None if item.kind == "text" else float(one)
                words = one if number is None else item.choices.get(one, "")
                if number is not None or words:
                    about = item.id, item.kind, item.construct
                    cells.append((*about, number, words))
    return cells


def refusal(section: Section, answers: Mapping[str, Any]) -> str | None:
    """Why a respondent may not go on after a section, or None."""
    passed = [
        item.passes is None or answers.get(item.id) == item.passes
        for item in section.items
    ]
    if all(passed):
        return None
    return "no consent" if section.kind == "consent" else "not eligible"
