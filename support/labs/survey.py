"""A survey or an interview as a form, page by page: what is sent is stored under a code, and nothing before that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import ipywidgets as w
from pydantic import ValidationError

from support.errors import ConveneError
from support.labs.base import fill
from support.seats import misfits
from support.survey.answers import AnswerBook, check_code
from support.survey.instruments import (
    Instrument,
    Item,
    Section,
    refusal,
    section_form,
)

if TYPE_CHECKING:
    import numpy as np

THANKS = {
    "not eligible": "You cannot take part in this study.",
    "no consent": "You chose not to take part, and that is fine.",
}


class SurveyForm:
    """The form of one respondent. Display `form.view`; it goes into `book`, with the source "people", when it is sent.

    Pages follow the instrument's sections. What was typed stays when a page is refused, and when one goes back.
    Whoever is not eligible or does not consent is thanked; then only that fact is stored, and the form is emptied.
    `group` is the respondent's, `code` the participant code, drawn with `rng` when it is not given.
    """

    def __init__(
        self,
        instrument: Instrument,
        book: AnswerBook,
        *,
        group: str,
        code: str | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        instrument.check_group(group)
        if code is not None:
            check_code(code)
        self.instrument, self.book, self.group, self.code, self.rng = (
            instrument,
            book,
            group,
            code,
            rng,
        )
        self.at, self.done = 0, False
        self.questions = {
            name: instrument.wording(item.text, group)
            for name, item in instrument.items.items()
        }
        self.fields = {
            name: field(item, self.questions[name])
            for name, item in instrument.items.items()
        }
        self.back_button = w.Button(
            description="Back", tooltip="Back to the page before"
        )
        self.next_button = w.Button(description="Next", button_style="primary")
        self.progress, self.error, self.page = w.HTML(), w.HTML(), w.VBox()
        self.error.add_class("convene-error")
        head = [w.HTML(fill("survey_style")), self.progress, self.back_button]
        self.view = w.VBox([*head, self.page, self.error, self.next_button])
        self.view.add_class("convene-survey")
        self.back_button.on_click(lambda _: self.back())
        self.next_button.on_click(lambda _: self.next())
        self.show()

    @property
    def section(self) -> Section:
        """The section at hand."""
        return self.instrument.sections[self.at]

    @property
    def answers(self) -> dict[str, Any]:
        """What is filled in so far, by item."""
        return {name: field.read() for name, field in self.fields.items()}

    def back(self) -> None:
        """Turn back a page."""
        if not self.done and self.at:
            self._turn(-1)

    def next(self) -> None:
        """Turn to the next page, or send the form from the last; stay and say why when something is missing."""
        if self.done or not self._complete():
            return
        if why := refusal(self.section, self.answers):
            self._try(lambda: self._end(why))
        elif self.at + 1 < len(self.instrument.sections):
            self._turn(1)
        else:
            self._try(self._send)

    def show(self) -> None:
        """Draw the page at hand."""
        sections, section = self.instrument.sections, self.section
        self.progress.value = fill(
            "progress", self.instrument.title, self.at + 1, len(sections)
        )
        told = self.instrument.wording(section.text, self.group)
        head = w.HTML(
            fill(
                "section",
                section.title,
                told,
                section.shows,
                self.instrument.scenario,
                self.group,
            )
        )
        self.page.children = (
            head,
            *(self.fields[item.id].view for item in section.items),
        )
        self.error.value = ""
        self.back_button.disabled = self.at == 0
        self.next_button.description = (
            "Send" if self.at + 1 == len(sections) else "Next"
        )

    def _turn(self, step: int) -> None:
        self.at += step
        self.show()
        self.back_button.focus()  # it stands at the top: where the new page begins, for eyes and for the keyboard

    def _complete(self) -> bool:
        """Whether the page may be left; otherwise say what does not fit."""
        form = section_form(self.section, question=lambda item: self.questions[item.id])
        given = {item.id: self.fields[item.id].read() for item in self.section.items}
        wrong: list[str] = []
        try:
            form.model_validate(given)
        except ValidationError as error:
            wrong = [str(each["loc"][0]) for each in error.errors()]
            self.error.value = fill("complaint", "\n".join(misfits(error)))
        for item in self.section.items:
            self.fields[item.id].mark(item.id in wrong)
        return not wrong

    def _send(self) -> None:
        code = self.book.submit(self.instrument, self.group, self.answers, self.code)
        self._close(fill("thanks", code))

    def _end(self, why: str) -> None:
        self.book.refuse(self.instrument, why)
        self._close(fill("refused", THANKS[why]))

    def _close(self, words: str) -> None:
        self.done = True
        for each in self.fields.values():
            each.empty()
        self.page.children = (w.HTML(words),)
        self.progress.value, self.error.value = "", ""
        self.back_button.layout.display = self.next_button.layout.display = "none"

    def _try(self, act: Callable[[], Any], about: str = "") -> bool:
        try:
            act()
        except ConveneError as error:
            told = str(error)
            if about:  # a respondent knows questions, not the ids of items
                told = told.replace(f"{about}: ", f"{self.questions[about]} ", 1)
            self.error.value = fill("complaint", told)
            return False
        return True


@dataclass(frozen=True)
class Field:
    """One item on the page: its view and its controls, a box for each choice where several may be ticked."""

    view: w.Widget
    controls: Mapping[Any, Any]

    def read(self) -> Any:
        """What it says now."""
        first = next(iter(self.controls.values()))
        return (
            [name for name, box in self.controls.items() if box.value]
            if _box(first)
            else first.value
        )

    def empty(self) -> None:
        """Say nothing any more."""
        for control in self.controls.values():
            control.value = (
                None
                if isinstance(control, w.RadioButtons)
                else False
                if _box(control)
                else ""
            )

    def mark(self, wrong: bool) -> None:
        """Show by a bar beside it that an answer is missing, or take the bar away."""
        (self.view.add_class if wrong else self.view.remove_class)("convene-missing")


def _box(control: Any) -> bool:
    return isinstance(control, w.Checkbox)


def field(item: Item, wording: str) -> Field:
    """The field of an item under its wording; a star marks one that is required."""
    said = f"{wording} *" if item.required else wording
    choices = [
        SimpleNamespace(value=v, label=label) for v, label in item.choices.items()
    ]
    above: list[w.Widget] = []
    control: dict[Any, Any]
    match item.kind:
        case "multiple":
            above = [w.HTML(fill("asked", said, ""))]
            control = {c.value: w.Checkbox(description=c.label, indent=False, tooltip=f"{said} {c.label}")
                       for c in choices}  # fmt: skip
        case "text":
            control = {"": w.Textarea(description=said, rows=3)}
        case "number":
            placeholder = f"{item.low:g} to {item.high:g} {item.unit}"
            control = {
                "": w.Text(description=f"{said} ({item.unit})", placeholder=placeholder)
            }
        case kind:
            scale = kind == "likert5"
            options = [
                (f"{c.value}  {c.label}" if scale else c.label, c.value)
                for c in choices
            ]
            control = {
                "": w.RadioButtons(
                    options=options, value=None, description=said, tooltip=said
                )
            }
    view = w.VBox([*above, *control.values()])
    view.add_class("convene-item")
    return Field(view, control)
