"""What lies on the organiser's desk, and what one takes along from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

import yaml
from pydantic import ConfigDict

from support.errors import InvalidInput
from support.seminar.books import Books
from support.seminar.data import STRICT, Scenario, rows
from support.seminar.policies import (
    VERSION,
    PolicySet,
    as_entries,
    checked,
    policies_of,
    read_yaml,
)
from support.seminar.records import (
    ANSWER,
    SENT,
    Action,
    Day,
    DayPlan,
    Edit,
    Flag,
    Mail,
)

QUOTE = 5
"""Words in a row by which a summary of an edit quotes a mail."""


@dataclass(frozen=True)
class Template:
    """A mail with gaps: {speaker}, {dates}, {date}, {place}, {time}, {organiser}, {title},
    {field} are filled; {answer} is left to the person at the desk where no model phrases
    it. `asks`: of a clarification, what for. Past mails have no gaps.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    kind: str
    subject: str
    body: str
    asks: str = ""
    to_role: str = ""

    def __post_init__(self) -> None:
        if self.kind not in SENT:
            expected = ", ".join(SENT)
            raise InvalidInput(
                f"template: kind {self.kind!r} given; expected one of {expected}"
            )


@dataclass(frozen=True)
class Artefacts:
    """What a run begins with, and what it leaves behind: one YAML file that people can
    read and edit. Nothing in it is executed, and no credentials are in it."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    policies: PolicySet = field(default_factory=PolicySet)
    templates: tuple[Template, ...] = ()
    hooks: tuple[Flag, ...] = ()
    learnt: tuple[Edit, ...] = ()

    def learning(self, days: tuple[Day, ...]) -> Artefacts:
        """With the hooks and edits of a run; they are an earlier run's then."""
        hooks = [replace(flag, day=0) for day in days for flag in day.flags]
        edits = [edit for day in days for edit in day.edits]
        return replace(self, hooks=(*self.hooks, *hooks), learnt=(*self.learnt, *edits))


@dataclass
class Desk:
    """All that the organiser has; of how people behave nothing is on it.

    `past` are mails of the organiser's own, for their style; `edits` and `hooks` those
    of earlier runs too, `before` the finished days of this one. Of today are `progress`,
    `selected` (ids of policies), `plan`, `actions`, and the `wish` by which something is
    made again just now.
    """

    books: Books
    policies: PolicySet
    templates: tuple[Template, ...] = ()
    past: tuple[Template, ...] = ()
    hooks: list[Flag] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    mails: list[Mail] = field(default_factory=list)
    before: list[Day] = field(default_factory=list)
    day: int = 0
    progress: str = ""
    selected: tuple[str, ...] = ()
    plan: DayPlan = field(default=DayPlan(""))
    actions: tuple[Action, ...] = ()
    wish: str = ""

    @property
    def scenario(self) -> Scenario:
        """The programme as it is now."""
        return self.books.scenario

    @property
    def today(self) -> date:
        """The date."""
        return self.books.today

    def thread(self, person: str) -> list[Mail]:
        """All mails with one person, the latest last."""
        return [mail for mail in self.mails if person in (mail.sender, mail.to)]

    @property
    def decided(self) -> list[Flag]:
        """What was decided in this run about somebody who was not told since."""
        found = []
        for flag in self.hooks:
            mails = self.thread(flag.person)
            told = [m for m in mails if m.asks == ANSWER and m.day >= flag.day]
            if flag.day and flag.answer and not told:
                found.append(flag)
        return found

    def template(self, action: Action) -> Template | None:
        """The one for such a mail, if any, the organiser's own before the project's; one
        for what a clarification asks goes before one for all."""

        def fits(one: Template) -> bool:
            return one.kind == action.kind and one.asks in ("", action.asks)

        same = [*filter(fits, self.templates)] or [*filter(fits, load_templates())]
        return max(same, key=lambda template: template.asks, default=None)

    def offered(self, person: str) -> tuple[date, ...]:
        """The dates of the programme that were named to somebody; all where none was."""
        named: set[date] = set()
        for mail in self.mails:
            named |= {*mail.slots} if mail.to == person else set()
        slots = tuple(self.books.holders)
        return tuple(slot for slot in slots if slot in named) or slots

    def learnt(self, about: str, *kinds: str) -> list[str]:
        """Summaries of edits of these kinds; for a mail to one person nothing but manner
        of those to others."""
        found = []
        for edit in self.edits:
            ours = about in ("", edit.about) or not self._tells(edit)
            if edit.what in kinds and edit.summary and ours:
                found.append(edit.summary)
        return found

    def _tells(self, edit: Edit) -> bool:
        """Whether a summary names anybody, or repeats `QUOTE` words of a mail."""
        names = {*edit.about.split()}
        for person in self.scenario.people:
            names |= {*person.name.split()}
        said = re.findall(r"\w+", edit.summary)
        mail = " ".join(re.findall(r"\w+", f"{edit.before} {edit.after}"))
        quotes = [" ".join(said[k : k + QUOTE]) for k in range(len(said) - QUOTE + 1)]
        return bool(names & {*said}) or any(quote in mail for quote in quotes)


def load_templates() -> tuple[Template, ...]:
    """The project's templates."""
    return tuple(Template(**row) for row in rows("mails.toml", "template"))


def load_past() -> tuple[Template, ...]:
    """Five mails that an organiser once sent, for their style."""
    return tuple(Template(**row) for row in rows("mails.toml", "past"))


def as_content(made: Artefacts) -> dict[str, Any]:
    """Artefacts as plain lists and mappings."""
    content: dict[str, Any] = asdict(made)
    return content | {"version": VERSION, "policies": as_entries(made.policies)}


def export_artefacts(made: Artefacts, path: str | Path) -> Path:
    """Write them as YAML, for their owner alone: what was changed are mails."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    content = yaml.safe_dump(as_content(made), sort_keys=False, allow_unicode=True)
    target.touch(0o600)
    target.write_text(content, encoding="utf-8")
    return target


def import_artefacts(path: str | Path) -> Artefacts:
    """Read what `export_artefacts` wrote, or a person in its manner."""
    return from_content(read_yaml(path), path)


def from_content(content: Mapping[str, Any], path: str | Path) -> Artefacts:
    """Artefacts out of what `as_content` made; errors name the file."""
    lists = {name: listed for name, listed in content.items() if listed}
    lists |= {"policies": policies_of(lists.get("policies", ()), path)}
    del lists["version"]
    made: Artefacts = checked(Artefacts, lists, path)
    return made
