"""A survey or an interview as a form, page by page: what is sent is stored under a code, and nothing before that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as w

from support.errors import ConveneError, InvalidInput
from support.survey.answers import AnswerBook, check_code
from support.survey.instruments import Choice, Instrument, Item, Section, cells_of, missing, refusal

if TYPE_CHECKING:
    import numpy as np

THANKS = {
    "not eligible": "You cannot take part in this study.",
    "no consent": "You chose not to take part, and that is fine.",
}


class SurveyForm:
    """The form of one respondent. Display `form.view`.

    Pages follow the instrument's sections. What was typed stays when a page is refused, and when one goes back.
    Whoever is not eligible or does not consent is thanked; then only that fact is stored, and the form is emptied.

    A form goes into `book` when its last page is sent, with the source "people"; `group` is the respondent's, `code`
    the participant code, drawn with `rng` when it is not given.
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
        _check_identity(code, rng)
        self.instrument, self.book, self.group, self.code, self.rng = instrument, book, group, code, rng
        self.at, self.done = 0, False
        self.fields: dict[str, Field] = {
            name: field(item, instrument.wording(item.text, group)) for name, item in instrument.items.items()
        }
        self.back_button = w.Button(description="Back", tooltip="Back to the page before")
        self.next_button = w.Button(description="Next", button_style="primary")
        self.progress, self.error, self.page = w.HTML(), w.HTML(), w.VBox()
        self.error.add_class("convene-error")
        head = [w.HTML(STYLE), self.progress, self.back_button]
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
        self.progress.value = _progress(self.instrument.title, self.at + 1, len(sections))
        head = f"<h3>{escape(section.title)}</h3>{_paragraphs(self.instrument.wording(section.text, self.group))}"
        about = shown(self.instrument, section, self.group)
        self.page.children = (w.HTML(head + about), *(self.fields[item.id].view for item in section.items))
        self.error.value = ""
        self.back_button.disabled = self.at == 0
        self.next_button.description = "Send" if self.at + 1 == len(sections) else "Next"

    def _turn(self, step: int) -> None:
        self.at += step
        self.show()
        self.back_button.focus()  # it stands at the top: where the new page begins, for eyes and for the keyboard

    def _complete(self) -> bool:
        """Whether the page may be left; otherwise say what is missing or does not fit."""
        absent = missing(self.section, self.answers)
        for item in self.section.items:
            self.fields[item.id].mark(item in absent)
        if absent:
            questions = "".join(f"<li>{escape(self.instrument.wording(i.text, self.group))}</li>" for i in absent)
            self._complain(f"Please answer, so that you can go on:<ul>{questions}</ul>")
            return False
        found = [self._fits(item) for item in self.section.items]  # all of them, so that each is marked
        return all(found)

    def _fits(self, item: Item) -> bool:
        fits = self._try(lambda: list(cells_of(item, self.fields[item.id].read())), about=item)
        self.fields[item.id].mark(not fits)
        return fits

    def _send(self) -> None:
        code = self.book.submit(self.instrument, self.group, self.answers, code=self.code, rng=self.rng)
        self._close(
            f"<h3>Thank you.</h3><p>Your answers are stored under the code <b>{escape(code)}</b>.</p><p>Keep the code: "
            "with it your answers can be deleted when you wish. They hold neither your name nor an address.</p>"
        )

    def _end(self, why: str) -> None:
        self.book.refuse(self.instrument, why)
        self._close(f"<h3>Thank you for your interest.</h3><p>{THANKS[why]} Nothing of what you entered was kept.</p>")

    def _close(self, words: str) -> None:
        self.done = True
        for each in self.fields.values():
            each.empty()
        self.page.children = (w.HTML(f'<div role="status">{words}</div>'),)
        self.progress.value, self.error.value = "", ""
        self.back_button.layout.display = self.next_button.layout.display = "none"

    def _try(self, act: Callable[[], Any], about: Item | None = None) -> bool:
        try:
            act()
        except ConveneError as error:
            # A respondent knows questions, not the ids of items.
            words = self.instrument.wording(about.text, self.group) if about else ""
            self._complain(escape(str(error).replace(f"{about.id}: ", f"{words} ", 1) if about else str(error)))
            return False
        return True

    def _complain(self, words: str) -> None:
        self.error.value = f'<div role="alert" style="color:#8a3b00">{words}</div>'


def _check_identity(code: str | None, rng: Any) -> None:
    if code is not None:
        check_code(code)
    elif rng is None:
        raise InvalidInput("code: none given, and no rng to draw one; give one of the two")


def _progress(title: str, page: int, pages: int) -> str:
    bar = f'<progress value="{page}" max="{pages}" aria-label="page {page} of {pages}"></progress>'
    return f"<b>{escape(title)}</b><br>{bar} page {page} of {pages}; questions with * need an answer"


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(part)}</p>" for part in text.split("\n\n") if part.strip())


STYLE = """<style>
.convene-survey { max-width: 46rem; }
.convene-survey .convene-item { margin: 0.4rem 0 0.8rem 0; padding: 0 2px 0 0.6rem;
  border-left: 4px solid transparent; }
.convene-survey .convene-missing { border-left-color: #8a3b00; }
.convene-survey .convene-item .widget-label { width: auto; max-width: 44rem; white-space: normal; overflow: visible;
  text-align: left; height: auto; line-height: 1.4 !important; font-weight: bold; margin: 2px 0; }
.convene-survey .widget-html-content { line-height: 1.4; }
.convene-survey .convene-item .widget-radio, .convene-survey .convene-item .widget-textarea,
.convene-survey .convene-item .widget-text { flex-direction: column; align-items: stretch; width: auto; height: auto; }
.convene-survey .convene-item .widget-radio-box { height: auto; margin-bottom: 0; }
.convene-survey .convene-item .widget-radio-box label { height: auto; line-height: 1.6; white-space: normal; }
.convene-survey :focus-visible { outline: 2px solid #0072b2; outline-offset: 1px; }
.convene-scenario { border: 1px solid #bbb; border-radius: 6px; padding: 0.2rem 0.9rem; margin: 0.3rem 0; }
.convene-scenario ul { margin-top: 0.2rem; }
.convene-survey p, .convene-scenario p, .convene-scenario li { line-height: 1.4; }
</style>"""


@dataclass(frozen=True)
class Field:
    """One item on the page: its view, what it says now, and how to empty it."""

    view: w.Widget
    read: Callable[[], Any]
    empty: Callable[[], None]

    def mark(self, wrong: bool) -> None:
        """Show by a bar beside it that an answer is missing, or take the bar away."""
        (self.view.add_class if wrong else self.view.remove_class)("convene-missing")


def field(item: Item, wording: str) -> Field:
    """The field of an item under its wording; a star marks one that is required."""
    made = _FIELDS[item.kind](item, f"{wording} *" if item.required else wording)
    made.view.add_class("convene-item")
    return made


def _radio(item: Item, wording: str) -> Field:
    options = [(_words(item, choice), choice.value) for choice in item.choices]
    control = w.RadioButtons(options=options, value=None, description=wording, tooltip=wording)
    return _one(control, None)


def _words(item: Item, choice: Choice) -> str:
    return f"{choice.value}  {choice.label}" if item.kind == "likert5" else choice.label


def _boxes(item: Item, wording: str) -> Field:
    boxes = {
        choice.value: w.Checkbox(description=choice.label, indent=False, tooltip=f"{wording} {choice.label}")
        for choice in item.choices
    }

    def empty() -> None:
        for box in boxes.values():
            box.value = False

    title = w.HTML(f"<b>{escape(wording)}</b>")
    return Field(w.VBox([title, *boxes.values()]), lambda: [v for v, box in boxes.items() if box.value], empty)


def _text(item: Item, wording: str) -> Field:
    return _one(w.Textarea(description=wording, rows=3), "")


def _number(item: Item, wording: str) -> Field:
    placeholder = f"{item.low:g} to {item.high:g} {item.unit}"
    return _one(w.Text(description=f"{wording} ({item.unit})", placeholder=placeholder), "")


def _one(control: Any, nothing: Any) -> Field:
    def empty() -> None:
        control.value = nothing

    return Field(w.VBox([control]), lambda: control.value, empty)


_FIELDS: dict[str, Callable[[Item, str], Field]] = {
    "likert5": _radio,
    "choice": _radio,
    "multiple": _boxes,
    "text": _text,
    "number": _number,
}


def shown(instrument: Instrument, section: Section, group: str) -> str:
    """What a page shows of the scenario, as HTML: the invitation, wishes, and options with their reasons."""
    scenario = instrument.scenario
    if scenario is None:
        return ""
    parts = []
    if "invitation" in section.shows:
        text = escape(scenario.invitation).replace("\n\n", "</p><p>")
        parts.append(f"<h4>The invitation</h4><p>{text}</p>")
    if "own wishes" in section.shows:
        parts.append(_wishes("What you asked for", scenario.member(group).wishes))
    if "all wishes" in section.shows:
        for member in scenario.members:
            you = " (you)" if member.group == group else ""
            parts.append(_wishes(f"What {member.name}{you} asked for", member.wishes))
    if "options" in section.shows:
        names = {member.group: member.name for member in scenario.members}
        for number, option in enumerate(scenario.options, 1):
            suits = ", ".join(names[other] for other in option.satisfies)
            title = f"Option {number}: {option.decision}"
            parts.append(_wishes(title, [reason.text for reason in option.reasons], f"Said to suit: {suits}. Because:"))
    return "".join(f'<div class="convene-scenario">{part}</div>' for part in parts)


def _wishes(title: str, lines: Any, before: str = "") -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<h4>{escape(title)}</h4>{f'<p>{escape(before)}</p>' if before else ''}<ul>{items}</ul>"
