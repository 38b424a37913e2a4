"""A survey or an interview as a form, page by page: what is sent is stored under a code, and nothing before that."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as w

from support.errors import ConveneError, InvalidInput
from support.survey.answers import AnswerBook, check_code
from support.survey.instruments import Instrument, Item, Section, cells_of, missing, refusal
from support.widgets.survey_fields import STYLE, Field, field, shown

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

    Parameters
    ----------
    instrument : Instrument
        From `support.survey.instruments.load`.
    book : AnswerBook
        Where a form goes when its last page is sent, with the source "people".
    group : str
        The group of this respondent.
    code : str, optional
        The participant code; drawn with `rng` when it is not given.

    Raises
    ------
    InvalidInput
        When there is no such group, the code is none, or neither a code nor an rng is given.
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
