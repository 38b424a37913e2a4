"""What an instrument is made of: sections of items, and the answer to an item."""

from __future__ import annotations

import math
from dataclasses import dataclass

from support.errors import InvalidInput
from support.instruments.scenario import Scenario

KINDS = ("likert5", "choice", "multiple", "text", "number")
SECTIONS = ("questions", "eligibility", "consent", "part")
GATES = ("eligibility", "consent")
SHOWS = ("invitation", "own wishes", "all wishes", "options")


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of an item: the whole number that is stored, and what respondents read."""

    value: int
    label: str


@dataclass(frozen=True, slots=True)
class Item:
    """One question.

    `choices` are the five steps of a likert5 item (1 to 5, in the words of its `scale`) or what can be chosen; `low`,
    `high` and `unit` belong to a number; `passes` is the choice with which a respondent may go on, in sections of
    eligibility and consent. `paper` names the item of the published instrument.
    """

    id: str
    kind: str
    text: str
    construct: str
    paper: str
    required: bool
    choices: tuple[Choice, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    passes: int | None = None
    scale: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One page: its items, and what it shows of the scenario."""

    id: str
    kind: str
    title: str
    text: str
    shows: tuple[str, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One cell of a filled-in form: a number, a text, or both (a choice has its label as text)."""

    item: Item
    number: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Instrument:
    """A survey or an interview; `sum` identifies its wording and that of its scenario."""

    name: str
    version: str
    title: str
    source: str
    groups: tuple[str, ...]
    sections: tuple[Section, ...]
    scenario: Scenario | None
    sum: str

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
            raise InvalidInput(f"group: {group!r} given; {self.name} has {', '.join(self.groups)}")

    def wording(self, text: str, group: str) -> str:
        """A text of the instrument as the respondents of a group read it: {member} becomes their member's name."""
        if self.scenario is None:
            return text
        return text.replace("{member}", self.scenario.member(group).name)
