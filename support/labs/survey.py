"""A survey or an interview as a form, page by page: what is sent is stored under a code, and nothing before that."""

from __future__ import annotations

from typing import Any

import ipywidgets as w

from support.errors import ConveneError
from support.labs.base import fill
from support.labs.person import Sheet
from support.survey.answers import AnswerBook, check_code
from support.survey.instruments import Instrument, Item, Section, refusal, section_form

THANKS = {
    "not eligible": "You cannot take part in this study.",
    "no consent": "You chose not to take part, and that is fine.",
}


class SurveyForm:
    """The form of one respondent. Display `form.view`; it goes into `book`, with the source "people", when it is sent.

    Pages follow the instrument's sections. What was typed stays when a page is refused, and when one goes back.
    Whoever is not eligible or does not consent is thanked; then only that fact is stored, and the form is emptied.
    `group` is the respondent's, `code` the participant code, drawn when it is not given.
    """

    def __init__(
        self,
        instrument: Instrument,
        book: AnswerBook,
        *,
        group: str,
        code: str | None = None,
    ) -> None:
        instrument.check_group(group)
        if code is not None:
            check_code(code)
        self.instrument, self.book, self.group, self.code = (
            instrument,
            book,
            group,
            code,
        )
        self.at, self.done, self.answers = 0, False, dict[str, Any]()
        self.sheets = [
            Sheet(section_form(section, question=self._question))
            for section in instrument.sections
        ]
        self.back_button = w.Button(
            description="Back", tooltip="Back to the page before"
        )
        self.next_button = w.Button(description="Next", button_style="primary")
        self.progress, self.error, self.page = w.HTML(), w.HTML(), w.VBox()
        self.error.add_class("convene-error")
        style = w.HTML(fill("person", ""))
        head = [style, self.progress, self.back_button]
        self.view = w.VBox([*head, self.page, self.error, self.next_button])
        self.view.add_class("convene-person")
        self.next_button.add_class("convene-send")
        self.back_button.on_click(lambda _: self.back())
        self.next_button.on_click(lambda _: self.next())
        self.show()

    @property
    def section(self) -> Section:
        """The section at hand."""
        return self.instrument.sections[self.at]

    def back(self) -> None:
        """Turn back a page."""
        if not self.done and self.at:
            self._turn(-1)

    def next(self) -> None:
        """Turn to the next page, or send the form from the last; stay and say why when something does not fit."""
        if self.done:
            return
        try:
            self._go_on()
        except ConveneError as error:
            self.error.value = fill("warning", str(error))

    def show(self) -> None:
        """Draw the page at hand."""
        instrument, section = self.instrument, self.section
        pages = len(instrument.sections)
        self.progress.value = fill("progress", instrument.title, self.at + 1, pages)
        told = instrument.wording(section.text, self.group)
        shown = section.title, told, section.shows, instrument.scenario, self.group
        head = w.HTML(fill("section", *shown))
        self.page.children = head, self.sheets[self.at].view
        self.error.value = ""
        self.back_button.disabled = self.at == 0
        self.next_button.description = "Send" if self.at + 1 == pages else "Next"

    def _question(self, item: Item) -> str:
        """An item as its respondent reads it; a star marks one that needs an answer."""
        unit = f" ({item.unit})" if item.unit else ""
        star = " *" if item.required else ""
        return f"{self.instrument.wording(item.text, self.group)}{unit}{star}"

    def _go_on(self) -> None:
        self.answers |= self.sheets[self.at].reply().model_dump()
        why = refusal(self.section, self.answers)
        if why:
            self.book.refuse(self.instrument, why)
            self._close(fill("refused", THANKS[why]))
        elif self.at + 1 < len(self.sheets):
            self._turn(1)
        else:
            code = self.book.submit(
                self.instrument, self.group, self.answers, self.code
            )
            self._close(fill("thanks", code))

    def _turn(self, step: int) -> None:
        self.at += step
        self.show()
        self.back_button.focus()  # it stands at the top: where the new page begins, for eyes and for the keyboard

    def _close(self, words: str) -> None:
        """Show nothing but these words, and keep nothing of what was typed."""
        self.done, self.sheets, self.answers = True, [], {}
        self.page.children = (w.HTML(words),)
        self.progress.value, self.error.value = "", ""
        self.back_button.layout.display = self.next_button.layout.display = "none"
