"""What mails are written from: a template for each kind of mail, and mails of the organiser's own for the style."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import ipywidgets as w

from support.desk import fields as f
from support.errors import InvalidInput
from support.mail.letters import SENT_BODY, SUBJECT
from support.seminar.artefacts import PLACEHOLDERS, Template, load_past, load_templates
from support.seminar.records import INVITATION, SENT

if TYPE_CHECKING:
    from support.seminars.seminar import Seminar

GAPS = (
    "What stands in braces is filled in for each mail: "
    + ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    + ". A gap that has nothing to be filled with leaves nothing behind."
)
STYLE_OF = (
    "Mails that you once sent: a language model as organiser takes your tone from them; the rule-based one writes by "
    "the templates alone. At most 10."
)
PASTS, UNTYPED = 10, "nothing is typed, and no mail leaves without words"
KINDS = {kind: kind.replace("_", "-") for kind in SENT}


class TemplatesForm:
    """A template for each kind of mail."""

    def __init__(self, changed: Callable[[], None]) -> None:
        fields = _fields(rows=11)
        self.mails = f.Entries(
            "kind of mail",
            fields,
            lambda e: KINDS[e["kind"]],
            faults_of,
            changed,
            rows=5,
        )
        self.own_button = self.mails.press.new(
            "The project’s template for this kind", self._own
        )
        left = [self.mails.list, self.own_button, self.mails.error]
        self.view = w.VBox(
            [f.hint(GAPS), f.sides(left, [field.view for field in fields.values()])]
        )
        self.fill({})

    def fill(self, templates: Mapping[str, Template]) -> None:
        """Show templates; kinds that are missing get the project's."""
        self.mails.set(entries_of(templates), self.mails.at)

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates; an unknown gap raises."""
        return tuple(_template(entry) for entry in self.mails.entries)

    def _own(self) -> None:
        at = self.mails.at
        self.mails.entries[at] = _entry(
            load_templates()[self.mails.entries[at]["kind"]]
        )
        self.mails.show(at)


class PastForm:
    """Mails of the organiser's own."""

    def __init__(self, changed: Callable[[], None]) -> None:
        kinds = [(words, kind) for kind, words in KINDS.items()]
        fields = f.fields_of(
            {"kind": f.Spec("kind", kind="choice", rest=kinds)}
        ) | _fields(rows=8)
        new = _entry(Template(INVITATION, "", ""))
        titled = lambda e: f"{KINDS[e['kind']]} · {e['subject']}".rstrip(" ·")
        self.mails = f.Entries(
            "past mails",
            fields,
            titled,
            faults_of,
            changed,
            rows=9,
            new=new,
            most=PASTS,
        )
        five = self.mails.press.new(
            "The project’s five", lambda: self.fill(load_past())
        )
        left = [*self.mails.left[:-1], five, self.mails.error]
        self.view = w.VBox(
            [f.hint(STYLE_OF), f.sides(left, [field.view for field in fields.values()])]
        )
        self.fill(load_past())

    def fill(self, mails: Iterable[Template]) -> None:
        """Show mails."""
        self.mails.set([_entry(mail) for mail in mails])

    @property
    def past(self) -> tuple[Template, ...]:
        """The mails."""
        return tuple(_template(entry) for entry in self.mails.entries)


class TemplatesPage:
    """The templates of a seminar that runs, to be changed while it does."""

    def __init__(self, seminar: Callable[[], Seminar | None]) -> None:
        self.seminar = seminar
        self._shown: tuple[int, list[f.Entry]] = (0, entries_of({}))
        self.said, self.error = w.HTML(), w.HTML()
        self.form = TemplatesForm(
            lambda: self._changed() if hasattr(self, "form") else None
        )
        press = f.Press(lambda: list(map(dict, self.form.mails.entries)), self.error)
        self.keep_button = press.new(
            "Keep these templates", self.keep, button_style="primary"
        )
        self.undo_button = press.new(
            "Undo my changes",
            lambda: self.form.mails.set(self._shown[1], self.form.mails.at),
        )
        buttons = f.row(self.keep_button, self.undo_button, self.said)
        self.view = f.page("Templates", self.form.view, buttons, self.error)
        self.refresh()

    def refresh(self) -> None:
        """Show the seminar's, unless something is typed that was not kept yet."""
        seminar = self.seminar()
        now = (
            id(seminar),
            entries_of(
                seminar.templates
                if seminar is not None and hasattr(seminar, "run")
                else {}
            ),
        )
        if now != self._shown and not (self._typed and now[0] == self._shown[0]):
            self._shown = now
            self.form.mails.set(now[1], self.form.mails.at)
        self._changed()

    def keep(self) -> None:
        """Keep what is typed; a refusal leaves it as it is."""
        seminar, faults = self.seminar(), self.form.mails.check()
        if faults:
            raise InvalidInput("Nothing was kept:\n" + "\n".join(faults))
        if seminar is not None:
            seminar.set_templates(self.form.templates)
            self._shown = (id(seminar), entries_of(seminar.templates))
            self._changed()
            self.said.value = f.told("Kept: they hold from the next mail on.", "status")

    @property
    def _typed(self) -> bool:
        """Whether something is typed that is not among what is kept."""
        return self.form.mails.entries != self._shown[1]

    def _changed(self) -> None:
        typed = self._typed
        self.keep_button.disabled = self.undo_button.disabled = not typed
        self.said.value = f.told("Changed, not kept yet.") if typed else ""


def entries_of(templates: Mapping[str, Template]) -> list[f.Entry]:
    """An entry for each kind of mail; kinds that are missing get the project's."""
    known = load_templates() | dict(templates)
    return [_entry(known[kind]) for kind in SENT]


def faults_of(entries: Sequence[f.Entry]) -> list[dict[str, str]]:
    """Of each mail or template, what does not fit, by the names of its fields."""
    return [
        {name: fault for name in ("subject", "body") if (fault := _fault(entry, name))}
        for entry in entries
    ]


def _fault(entry: f.Entry, name: str) -> str:
    text, allowed = entry[name].strip(), "" if name == "subject" else "\n\t"
    if fault := f.text_fault(
        text, SUBJECT if name == "subject" else SENT_BODY, UNTYPED, allowed
    ):
        return fault
    try:
        Template(entry["kind"], **{"subject": "", "body": "", name: text})
    except InvalidInput as error:
        return str(error).partition(": ")[2]
    return ""


def _fields(rows: int) -> dict[str, f.Field]:
    return f.fields_of(
        {"subject": f.Spec("subject"), "body": f.Spec("text", kind="lines", rest=rows)}
    )


def _entry(made: Template) -> f.Entry:
    return {
        "kind": made.kind,
        "subject": made.subject,
        "body": made.body.strip("\n"),
        "to_role": made.to_role,
    }


def _template(entry: f.Entry) -> Template:
    return Template(
        **{**entry, "subject": entry["subject"].strip(), "body": entry["body"].strip()}
    )
