"""What mails are written from: a template for each kind of mail, and mails of the organiser's own for the style."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets as w

from support.errors import InvalidInput
from support.mail.characters import first_hidden
from support.mail.letters import SENT_BODY, SUBJECT
from support.seminar.artefacts import PLACEHOLDERS, Template, load_past, load_templates
from support.seminar.records import INVITATION, SENT
from support.widgets.dashboard.entries import Entries, Entry, Growing
from support.widgets.dashboard.parts import Field, hint, page, summary
from support.widgets.organizing.fields import Press, row, wide

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
PASTS = 10
KEPT = "Kept: they hold from the next mail on."


class TemplatesForm:
    """A template for each kind of mail.

    Parameters
    ----------
    changed : callable
        Called when one is another.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self.fields = _fields(rows=11)
        self.mails = Entries("kind of mail", self.fields, lambda e: _kind(e["kind"]), faults_of, changed, rows=5)
        self.own_button = wide("The project’s template for this kind")
        self.mails.press.button(self.own_button, self._own)
        left = w.VBox([self.mails.list, self.own_button, self.mails.error], layout=w.Layout(flex="0 1 19rem"))
        right = w.VBox([*(field.view for field in self.fields.values())], layout=w.Layout(flex="1 1 30rem"))
        both = w.HBox([left, right], layout=w.Layout(flex_flow="row wrap", grid_gap="0 16px", width="100%"))
        self.view = w.VBox([hint(GAPS), both])
        self.fill({})

    def fill(self, templates: Mapping[str, Template]) -> None:
        """Show templates; kinds that are missing get the project's."""
        known = load_templates() | dict(templates)
        self.mails.set([_entry(known[kind]) for kind in SENT], self.mails.at)

    def check(self, shown: bool) -> list[str]:
        """What does not fit."""
        return self.mails.check(shown)

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates.

        Raises
        ------
        InvalidInput
            When one has an unknown gap.
        """
        return tuple(_template(entry) for entry in self.mails.entries)

    def _own(self) -> None:
        at = self.mails.at
        self.mails.entries[at] = _entry(load_templates()[self.mails.entries[at]["kind"]])
        self.mails.show(at)


class PastForm:
    """Mails of the organiser's own.

    Parameters
    ----------
    changed : callable
        Called when one is another.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        kinds = w.Dropdown(options=[(_kind(kind), kind) for kind in SENT], description="kind")
        self.fields = {"kind": Field(kinds), **_fields(rows=8)}
        self.mails = Growing(
            "past mails", self.fields, lambda e: f"{_kind(e['kind'])} · {e['subject']}".rstrip(" ·"), faults_of,
            changed, rows=9, new=_entry(Template(INVITATION, "", "")), most=PASTS,
        )  # fmt: skip
        self.five_button = wide("The project’s five")
        self.mails.press.button(self.five_button, lambda: self.fill(load_past()))
        left = [self.mails.list, self.mails.buttons, self.five_button, self.mails.error]
        right = w.VBox([field.view for field in self.fields.values()], layout=w.Layout(flex="1 1 30rem"))
        both = [w.VBox(left, layout=w.Layout(flex="0 1 22rem")), right]
        self.view = w.VBox(
            [hint(STYLE_OF), w.HBox(both, layout=w.Layout(flex_flow="row wrap", grid_gap="0 16px", width="100%"))]
        )
        self.fill(load_past())

    def fill(self, mails: Iterable[Template]) -> None:
        """Show mails."""
        self.mails.set([_entry(mail) for mail in mails])

    def check(self, shown: bool) -> list[str]:
        """What does not fit."""
        return self.mails.check(shown)

    @property
    def past(self) -> tuple[Template, ...]:
        """The mails."""
        return tuple(_template(entry) for entry in self.mails.entries)


class TemplatesPage:
    """The templates of a seminar that runs, to be changed while it does.

    Parameters
    ----------
    seminar : callable
        Gives the seminar that is open, or None.
    """

    def __init__(self, seminar: Callable[[], Seminar | None]) -> None:
        self.seminar = seminar
        self.form = TemplatesForm(self._changed)
        self.keep_button, self.undo_button = (
            wide("Keep these templates", button_style="primary"),
            wide("Undo my changes"),
        )
        self.said, self.error, self.summary = w.HTML(), w.HTML(), w.HTML()
        self.press = Press(lambda: [f.control.value for f in self.form.fields.values()], self.error)
        self.press.button(self.keep_button, self.keep)
        self.press.button(self.undo_button, self._undo)
        buttons = row(self.keep_button, self.undo_button, self.said)
        self.view = page("Templates", self.form.view, self.summary, buttons, self.error)
        self._shown: tuple[Any, ...] = ()
        self.refresh()

    def refresh(self) -> None:
        """Show the seminar's, unless something is typed that was not kept yet."""
        found = self._held()
        of = (id(self.seminar()), found)
        if found is not None and of != self._shown and not (self._typed() and of[0] == self._shown[0]):
            self._shown = of
            self.form.fill(found)
        self._changed()

    def keep(self) -> None:
        """Keep what is typed; a refusal leaves it as it is."""
        seminar, faults = self.seminar(), self.form.check(shown=True)
        self.summary.value = summary("Nothing was kept:", faults)
        if seminar is None or faults:
            return
        seminar.set_templates(self.form.templates)
        self._shown = (id(seminar), self._held())
        self._changed()
        self.said.value = f'<span role="status">{KEPT}</span>'

    def _held(self) -> dict[str, Template] | None:
        seminar = self.seminar()
        return seminar.templates if seminar is not None and hasattr(seminar, "run") else None

    def _typed(self) -> bool:
        """Whether something is typed that is not among what is kept."""
        kept = load_templates() | dict(self._shown[1] or {}) if self._shown else None
        return kept is not None and self.form.mails.entries != [_entry(kept[kind]) for kind in SENT]

    def _undo(self) -> None:
        self.form.fill(self._held() or {})
        self.summary.value = ""

    def _changed(self) -> None:
        if not hasattr(self, "_shown"):
            return
        typed = self._typed()
        self.keep_button.disabled = self.undo_button.disabled = not typed
        self.said.value = "Changed, not kept yet." if typed else ""


def faults_of(entries: Sequence[Entry]) -> list[dict[str, str]]:
    """Of each mail or template, what does not fit, by the names of its fields."""
    return [{name: fault for name in ("subject", "body") if (fault := _fault(entry, name))} for entry in entries]


def _fault(entry: Entry, name: str) -> str:
    text, most = entry[name].strip(), SUBJECT if name == "subject" else SENT_BODY
    if not text:
        return "nothing is typed, and no mail leaves without words"
    if len(text) > most:
        return f"{len(text)} characters are typed; at most {most} are possible"
    if first_hidden(text, allowed="" if name == "subject" else "\n\t"):
        return "there is a character in it that no screen shows; type it anew"
    try:
        Template(entry["kind"], **{"subject": "", "body": "", name: text})
    except InvalidInput as error:
        return str(error).partition(": ")[2]
    return ""


def _fields(rows: int) -> dict[str, Field]:
    return {"subject": Field(w.Text(description="subject")), "body": Field(w.Textarea(description="text", rows=rows))}


def _entry(template: Template) -> Entry:
    plain = {"kind": template.kind, "subject": template.subject, "body": template.body.strip("\n")}
    return plain | {"to_role": template.to_role}


def _template(entry: Entry) -> Template:
    return Template(**{**entry, "subject": entry["subject"].strip(), "body": entry["body"].strip()})


def _kind(kind: str) -> str:
    """A kind of mail in words.

    >>> _kind("follow_up")
    'follow-up'
    """
    return kind.replace("_", "-")
