"""The pages beside the desk: mails; policies, templates, and what one takes along. And
the forms of single entries, made from their records."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from dataclasses import MISSING, asdict, fields
from datetime import date
from typing import Annotated, Any, Literal, Union, get_type_hints

import ipywidgets as w
import yaml
from pydantic import BaseModel, Field, create_model

from support.desk import post
from support.desk.boards import fill, flagged, mails
from support.desk.cards import button, row
from support.errors import InvalidInput
from support.mail.letters import shown_text
from support.person import Press
from support.seminar.books import Books
from support.seminar.data import ORGANISER, Persona
from support.seminar.desk import Template, as_content
from support.seminar.policies import RULES, Policy, as_entries, checked, policies_of
from support.seminars.seminar import Seminar
from support.seminars.setup import REHEARSAL

COLUMNS = ("name", "email", "role", "field", "affiliation", "notes")
EVERYBODY = "everybody"
HOLD = "They hold from the organiser's next step on."
ADD, OFF, BACK, OPEN, DROP, CLOSE = (
    "add somebody",
    "take somebody off the list",
    "put somebody back",
    "open a date",
    "drop a date",
    "close the seminar for good",
)
"""What can be changed about people and dates, at any time."""


# ---- forms of single entries -----------------------------------------------------------


def entry(kind: Any, names: Iterable[str], **first: Any) -> type[BaseModel]:
    """A form for some fields of a record, by their own types; `first` stands in it."""
    hints = get_type_hints(kind, include_extras=True)
    begun = {part.name: part.default for part in fields(kind)} | first
    told: dict[str, Any] = {}
    for name in names:
        value = begun.get(name, MISSING)
        told[name] = hints[name], ... if value is MISSING else value
    return create_model(kind.__name__, **told)


def policy_form(text: str, name: str) -> type[BaseModel]:
    """The form of a policy, with a sentence in it."""
    parts = ("id", "text", "days", "mails", "dates")
    base = entry(Policy, parts, id=name, text=text)
    rule: Any = Annotated[
        Literal["", *RULES],
        Field(description="what an organiser without a model follows, with its number"),
    ]
    return create_model("Policy", __base__=base, rule=(rule, ""))


def change_form(books: Books) -> type[BaseModel]:
    """The form of a change of people or dates."""
    person = Literal[*books.contacts], ...
    slots: Any = [str(slot) for slot in books.holders]
    parts: dict[str, Any] = {
        OFF: {"person": person},
        BACK: {"person": person},
        OPEN: {"day": (date, ...)},
        DROP: {"day": (date, Field(json_schema_extra={"enum": slots}))},
        CLOSE: {"why": (str, "")},
    }
    parts[ADD] = {"__base__": entry(Persona, COLUMNS)}
    kinds = []
    for do, told in parts.items():
        told["do"] = Literal[do], do
        kinds.append(create_model(do, **told))
    one: Any = Union[tuple(kinds)], Field(discriminator="do")  # noqa: UP007
    return create_model("Change", change=one)


def change(seminar: Seminar, given: Any) -> None:
    """Do what such a form says."""
    acts: dict[str, Callable[..., Any]] = {
        ADD: lambda name, *rest: seminar.add_person(Persona(name, name, *rest)),
        OFF: seminar.remove,
        BACK: seminar.put_back,
        OPEN: seminar.open_date,
        DROP: seminar.drop_date,
        CLOSE: seminar.finish,
    }
    told = given.change.model_dump()
    acts[told.pop("do")](*told.values())


# ---- parts of pages --------------------------------------------------------------------


def to_yaml(plain: Any) -> str:
    """Plain data as people read YAML: texts of several lines as blocks."""

    class Blocks(yaml.SafeDumper):
        pass

    def text(dumper: Any, given: str) -> Any:
        style = "|" if "\n" in given else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", given, style)

    Blocks.add_representer(str, text)
    return yaml.dump(
        plain,
        Dumper=Blocks,
        sort_keys=False,
        allow_unicode=True,
        width=76,
    )


def from_yaml(text: str, what: str) -> Any:
    """Plain data; InvalidInput says where it is no YAML."""
    try:
        return yaml.safe_load(text) or []
    except yaml.YAMLError as error:
        raise InvalidInput(f"{what}: {error}") from None


def link(name: str, text: str, words: str) -> str:
    """A link that downloads a text."""
    return fill("download", name, base64.b64encode(text.encode()).decode(), words)


def area(name: str, rows: int) -> w.Textarea:
    """A field of many lines."""
    return w.Textarea(rows=rows, tooltip=name)


def titled(words: str, *those: w.Widget, about: str = "") -> w.VBox:
    """Widgets below a heading."""
    return w.VBox([w.HTML(fill("heading", words, about)), *those])


def halves(left: w.Widget, right: w.Widget) -> w.GridBox:
    """Two columns."""
    made = w.GridBox([left, right])
    made.add_class("columns")
    return made


def offer(menu: w.Dropdown, options: list[Any]) -> None:
    """Let other things be chosen, if they are others."""
    if list(menu.options) != options:
        menu.options = options


class MailsPage:
    """All mails, by person, and how the post stands; `correct` is called with a reply
    that was misread."""

    def __init__(
        self,
        seminar: Callable[[], Seminar],
        correct: Callable[[int], Any],
    ) -> None:
        self.seminar = seminar
        self.person = w.Dropdown(options=[EVERYBODY])
        self.person.observe(lambda _: self.refresh(), "value")
        self.reply = w.Dropdown()
        self.error = w.HTML()
        self.table = w.HTML()
        self.thread = w.HTML()
        press = Press(lambda: self.reply.value, self.error)
        read = button(press, "Correct what was read", lambda: correct(self.reply.value))
        self.fetch = button(press, "Fetch mail now", self._fetch)
        top = row(self.person, self.reply, read, self.fetch)
        self.view = w.VBox([top, self.error, self.table, self.thread])

    async def _fetch(self) -> None:
        count = await self.seminar().check_mail()
        told = f"{count} came; what is new is read on the next day."
        self.error.value = fill("note", told)

    def refresh(self) -> None:
        """Show how it stands now."""
        seminar = self.seminar()
        desk = self.seminar().desk
        name = self.person.value
        offer(self.person, [EVERYBODY, *desk.books.contacts])
        shown = desk.mails if name == EVERYBODY else desk.thread(name)
        replies = [mail for mail in shown[::-1] if mail.sender != ORGANISER]
        options = []
        for one in replies:
            begins = " ".join(shown_text(one.body).split())[:40]
            options.append((f"{one.sender}, day {one.day}: {begins}", one.id))
        none = "a reply …" if replies else "no reply yet"  # a menu shows no None
        offer(self.reply, [(none, 0), *options])
        away = seminar.setup.mode != REHEARSAL
        self.fetch.layout.display = "" if away else "none"
        self.table.value = post.standing(seminar)
        self.thread.value = mails(shown, flagged(desk))


class RulesPage:
    """Policies and templates, which hold from the organiser's next step on; and all of
    it to take along."""

    def __init__(
        self,
        seminar: Callable[[], Seminar],
        propose: Callable[[], Any],
        again: Callable[[], Any],
    ) -> None:
        self.seminar = seminar
        self._shown: Any = None
        self.policies = area("policies", 18)
        self.templates = area("templates", 18)
        self.links = w.HTML()
        self.error = w.HTML()
        press = Press(lambda: (self.policies.value, self.templates.value), self.error)
        below = row(
            button(press, "Use these", self._use),
            button(press, "Add one policy", propose),
            button(press, "Begin another seminar with these", again),
            self.links,
        )
        left = titled("policies", self.policies)
        both = halves(left, titled("templates", self.templates))
        self.view = w.VBox([both, below, self.error])

    def _use(self) -> None:
        policies = policies_of(from_yaml(self.policies.value, "policies"), "policies")
        given = from_yaml(self.templates.value, "templates")
        templates = checked(tuple[Template, ...], given, "templates")
        self.seminar().set_policies(policies)
        self.seminar().set_templates(templates)
        self.error.value = fill("note", HOLD, "good")

    def refresh(self) -> None:
        """Show what holds now; what is typed stays until something else holds."""
        seminar = self.seminar()
        desk = self.seminar().desk
        if (desk.policies, desk.templates) != self._shown:
            self._shown = desk.policies, desk.templates
            self.policies.value = to_yaml(as_entries(desk.policies))
            self.templates.value = to_yaml([asdict(one) for one in desk.templates])
        made = to_yaml(as_content(seminar.artefacts))
        log = json.dumps(asdict(seminar.record), default=str, indent=1)
        links = [
            link(f"{seminar.name}.yaml", made, "policies, templates, hooks"),
            link(f"{seminar.name} log.json", log, "the log"),
        ]
        self.links.value = " · ".join(links)
