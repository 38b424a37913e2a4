"""The pages beside the desk: mails; people and dates; policies, templates, what one takes
along."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Annotated, Any, Literal

import ipywidgets as w
import yaml
from pydantic import BaseModel, Field

from support.desk import post
from support.desk.boards import fill, flagged, mails, short
from support.desk.cards import FormCard, button, row
from support.errors import InvalidInput
from support.labs.base import Press
from support.seminar.data import ORGANISER, Persona
from support.seminar.desk import Template, as_content, hooks_of
from support.seminar.policies import (
    LONGEST,
    RULES,
    Policy,
    as_entries,
    checked,
    policies_of,
)
from support.seminar.records import Hook
from support.seminars.seminar import Seminar
from support.seminars.setup import REHEARSAL

COLUMNS = ("name", "email", "role", "field", "affiliation", "notes")
EVERYBODY = "everybody"
CLOSE = (
    "A closed seminar plays no day any more; its record is kept in the study's file."
)
RULE = "What an organiser without a model follows; none: for models and people."


class PersonEntry(BaseModel):
    """Somebody who may be asked to speak."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    email: Annotated[str, Field(max_length=80)]
    role: Annotated[str, Field(min_length=1, max_length=80)] = "professor"
    field: Annotated[str, Field(max_length=80)] = ""
    affiliation: Annotated[str, Field(max_length=80)] = ""
    notes: str = ""

    @property
    def persona(self) -> Persona:
        """The same as the programme has it."""
        return checked(Persona, {"id": self.name, **self.model_dump()}, "person")


def policy_form(text: str = "", kind: str = "") -> type[BaseModel]:
    """The form of one policy, with a sentence in it."""

    class PolicyEntry(BaseModel):
        id: Annotated[str, Field(min_length=1, max_length=40)] = kind
        sentence: Annotated[str, Field(min_length=1, max_length=LONGEST)] = text
        rule: Annotated[Literal["none", *RULES], Field(description=RULE)] = "none"  # type: ignore[valid-type]
        number: Annotated[int | None, Field(ge=1)] = None

    return PolicyEntry


def policy_of(entry: Any) -> Policy:
    """The policy that a form holds."""
    rule = "" if entry.rule == "none" else entry.rule
    unit = RULES[rule].unit if rule else ""
    return Policy(
        entry.id, entry.sentence, rule, **{unit: entry.number} if unit else {}
    )


def to_yaml(plain: Any) -> str:
    """Plain data as people read YAML: texts of several lines as blocks."""

    class Blocks(yaml.SafeDumper):
        pass

    def text(dumper: Any, given: str) -> Any:
        style = "|" if "\n" in given else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", given, style)

    Blocks.add_representer(str, text)
    return yaml.dump(
        plain, Dumper=Blocks, sort_keys=False, allow_unicode=True, width=76
    )


def plain(made: Any) -> list[dict[str, Any]]:
    """Records as YAML holds them, without what is empty."""
    rows = [asdict(one) for one in made]
    return [{name: x for name, x in each.items() if x} for each in rows]


def from_yaml(text: str, what: str) -> Any:
    """Plain data; InvalidInput says where it is no YAML."""
    try:
        return yaml.safe_load(text) or []
    except yaml.YAMLError as error:
        raise InvalidInput(f"{what}: {error}") from None


def people_table(people: Iterable[Persona]) -> str:
    """People as the organiser knows them."""
    return fill(
        "table", [[getattr(p, name) for name in COLUMNS] for p in people], COLUMNS
    )


def link(name: str, kind: str, text: str, words: str) -> str:
    """A link that downloads a text."""
    data = base64.b64encode(text.encode()).decode()
    return fill("download", name, kind, data, words)


def area(name: str, rows: int) -> w.Textarea:
    """A field of many lines."""
    return w.Textarea(rows=rows, tooltip=name, layout=w.Layout(width="auto"))


def titled(words: str, *those: w.Widget, about: str = "") -> w.VBox:
    """Widgets below a heading."""
    return w.VBox([w.HTML(fill("heading", words, about)), *those])


def halves(left: w.Widget, right: w.Widget) -> w.GridBox:
    """Two columns."""
    made = w.GridBox([left, right])
    made.add_class("columns")
    return made


def choose(menu: w.Dropdown, options: list[Any]) -> None:
    """Other options, with what is chosen still chosen if it is there."""
    if list(menu.options) != options:
        kept = menu.value
        menu.options = options
        values = [o[1] if isinstance(o, tuple) else o for o in options]
        menu.value = kept if kept in values else next(iter(values), None)


class Page:
    """A page about the seminar at hand; `changed` is called after a decision."""

    def __init__(self, seminar: Callable[[], Seminar], changed: Callable[[], Any]):
        self._seminar, self.changed = seminar, changed
        self.error, self.note = w.HTML(), w.HTML()
        self.press = Press(self._typed, self.error)
        self.view = w.VBox()

    @property
    def seminar(self) -> Seminar:
        """The one that is open."""
        return self._seminar()

    def _typed(self) -> Any:
        return None

    def button(self, words: str, act: Callable[[], Any]) -> w.Button:
        """A button of this page."""
        made = button(words)
        self.press.button(made, act)
        return made

    def tell(self, words: str) -> None:
        """Say what was done."""
        self.note.value = fill("note", words, "good")
        self.changed()


class MailsPage(Page):
    """All mails, by person; the post; and what a reply was taken to say, to be
    corrected."""

    def __init__(self, seminar: Any, changed: Any, correct: Callable[[int], Any]):
        super().__init__(seminar, changed)
        self.person = w.Dropdown(options=[EVERYBODY])
        self.person.observe(lambda _: self.refresh(), "value")
        self.reply = w.Dropdown(options=[("–", None)])
        read = self.button("Correct what was read", lambda: correct(self.reply.value))
        self.fetch = self.button("Fetch mail now", self._fetch)
        self.post, self.outbox, self.thread = w.HTML(), w.HTML(), w.HTML()
        top = row(self.person, self.reply, read, self.fetch, self.note)
        parts = [top, self.error, self.post, self.outbox, self.thread]
        self.view.children = parts

    async def _fetch(self) -> None:
        count = await self.seminar.check_mail()
        self.tell(f"{count} came; what is new is read on the next day.")

    def refresh(self) -> None:
        """Show how it stands now."""
        seminar, desk = self.seminar, self.seminar.desk
        choose(self.person, [EVERYBODY, *desk.books.contacts])
        person = self.person.value
        shown = desk.mails if person == EVERYBODY else desk.thread(person)
        replies = [mail for mail in shown if mail.sender != ORGANISER]
        options = [(f"{one.sender}, day {one.day}", one.id) for one in replies[::-1]]
        choose(self.reply, options or [("no reply yet", None)])
        self.thread.value = mails(shown, flagged(desk))
        away = seminar.setup.mode != REHEARSAL
        self.fetch.layout.display = "" if away else "none"
        posted = seminar.outbox.posted()[::-1] if away else []
        rows = [(p.status, p.on, p.recipient, p.subject, p.said) for p in posted]
        self.outbox.value = fill("table", rows)
        self.post.value = post.standing(seminar)


class PeoplePage(Page):
    """Who is on the list and which dates are on the programme, to be changed at any
    time; and the end."""

    def __init__(self, seminar: Any, changed: Any) -> None:
        super().__init__(seminar, changed)
        self.person, self.slot = w.Dropdown(), w.Dropdown()
        self.person.observe(lambda _: self.refresh(), "value")
        self.day, self.why = w.DatePicker(), w.Text(placeholder="why, in a few words")
        self.table = w.HTML()
        self.off = self.button("Take off the list", self._turn)
        self.sure = w.Checkbox(description="for good", indent=False)
        add = {"Add to the list": self._add}
        self.new = FormCard("Somebody new", "", "", PersonEntry, add)
        dates = titled(
            "Dates",
            row(self.day, self.button("Open this date", self._open)),
            row(self.slot, self.button("Drop this date", self._drop)),
        )
        close = self.button("Close and keep the record", self._close)
        end = titled(
            "The end", w.HTML(fill("note", CLOSE)), row(self.why, self.sure, close)
        )
        left = w.VBox([row(self.person, self.off), self.new.view])
        parts = [self.note, self.error, self.table]
        self.view.children = [*parts, halves(left, w.VBox([dates, end]))]

    def _typed(self) -> Any:
        return self.person.value, self.slot.value, self.day.value, self.why.value

    def _turn(self) -> None:
        name = self.person.value
        if self.seminar.desk.books.contacts[name].off:
            self.seminar.put_back(name)
            self.tell(f"{name} is on the list again.")
        else:
            self.seminar.remove(name)
            self.tell(f"{name} is off the list: no more mail, what they write is held.")

    def _add(self, entry: Any) -> None:
        self.seminar.add_person(entry.persona)
        self.tell(f"{entry.name} is on the list.")

    def _open(self) -> None:
        if self.day.value is None:
            raise InvalidInput("Choose a date first.")
        self.seminar.open_date(self.day.value)
        self.tell(f"{short(self.day.value)} is on the programme.")

    def _drop(self) -> None:
        self.seminar.drop_date(self.slot.value)
        self.tell("The date is off the programme; whoever had it has it no more.")

    def _close(self) -> None:
        if not self.sure.value:
            raise InvalidInput("Tick “for good” first: nothing is played after that.")
        self.seminar.finish(self.why.value)
        self.tell("It is closed.")

    def refresh(self) -> None:
        """Show how it stands now."""
        desk = self.seminar.desk
        self.table.value = people_table(desk.scenario.people)
        choose(self.person, list(desk.books.contacts))
        choose(self.slot, [(short(slot), slot) for slot in desk.books.holders])
        off = desk.books.contacts[self.person.value].off
        self.off.description = "Put back on the list" if off else "Take off the list"


class RulesPage(Page):
    """Policies and templates, which hold from the organiser's next step on; hooks, of
    which policies can be made; and all of it to take along."""

    def __init__(self, seminar: Any, changed: Any, propose: Any, again: Any) -> None:
        super().__init__(seminar, changed)
        self.policies, self.templates = area("policies", 18), area("templates", 18)
        self.hook, self.links = w.Dropdown(options=[("–", None)]), w.HTML()
        use = self.button("Use these", self._use)
        one = self.button("Add one policy", lambda: propose(Hook("")))
        hook = self.button("Make a policy of it", lambda: propose(self.hook.value))
        begin = self.button("Begin another seminar with these", again)
        left = titled("Policies", self.policies, row(one))
        right = titled("Templates", self.templates, row(use))
        asked = titled("Questions that were answered", row(self.hook, hook))
        self.view.children = [
            self.note,
            self.error,
            halves(left, right),
            halves(asked, titled("To take along", row(begin), self.links)),
        ]
        self._shown: Any = None

    def _typed(self) -> Any:
        return self.policies.value, self.templates.value

    def _use(self) -> None:
        policies = policies_of(from_yaml(self.policies.value, "policies"), "policies")
        given = from_yaml(self.templates.value, "templates")
        templates = checked(tuple[Template, ...], given, "templates")
        self.seminar.set_policies(policies)
        self.seminar.set_templates(templates)
        alone = ", ".join(policy.id for policy in policies.words_alone)
        more = f" Without a rule, for models and people: {alone}." if alone else ""
        self.tell(f"They hold from the organiser's next step on.{more}")

    def refresh(self) -> None:
        """Show what holds now; what is typed stays until something else holds."""
        seminar, desk = self.seminar, self.seminar.desk
        if (desk.policies, desk.templates) != self._shown:
            self._shown = desk.policies, desk.templates
            self.policies.value = to_yaml(as_entries(desk.policies))
            self.templates.value = to_yaml(plain(desk.templates))
        answered = [hook for hook in hooks_of(tuple(desk.before)) if hook.answer]
        options = [(f"day {h.day}: {h.question[:60]}", h) for h in answered]
        choose(self.hook, options or [("none yet", None)])
        name = seminar.name.replace(" ", "_")
        made = to_yaml(as_content(seminar.artefacts))
        log = json.dumps(asdict(seminar.record), default=str, indent=1)
        self.links.value = fill("facts", []) + " ".join(
            [
                link(
                    f"{name}.yaml",
                    "application/yaml",
                    made,
                    "policies, templates, hooks",
                ),
                link(f"{name}_log.json", "application/json", log, "the log"),
            ]
        )
