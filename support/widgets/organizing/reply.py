"""The form of somebody on the list who is a person: their mail, and an answer now, later, or never."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as w

from support.draw import COLOURS
from support.runs.pages import diary_style, mails_to_html
from support.seats import Question
from support.seminar.data import Persona, in_words
from support.seminar.views import Letter
from support.widgets.organizing.fields import Press, frame, row, wide


class ReplyForm:
    """Shows the thread with the organiser, and takes what is written; a refusal keeps it.

    Parameters
    ----------
    persona : Persona
        Whom the person plays; they may say something else.
    """

    def __init__(self, persona: Persona) -> None:
        self.persona = persona
        self.question: Question | None = None
        self.thread, self.error = (
            w.HTML(layout=w.Layout(max_height="19rem", overflow="auto", border_bottom="1px dashed #999999")),
            w.HTML(),
        )
        look = {"style": {"description_width": "5rem"}, "layout": w.Layout(width="100%", max_width="54rem")}
        self.field = w.Textarea(description="your mail", rows=4, placeholder="what you write back", **look)
        self.day = w.BoundedIntText(
            min=1,
            max=999,
            description="look again on day",
            style={"description_width": "8rem"},
            layout=w.Layout(width="13rem"),
        )
        self.send_button, self.later_button = wide("Send", button_style="primary"), wide("Later")
        self.never_button = wide("Leave it unanswered")
        buttons = row(self.send_button, self.never_button, self.later_button, self.day)
        self.view = w.VBox([self.thread, self.field, buttons, self.error], layout=frame(COLOURS[1]))
        self.press = Press(lambda: (self.field.value, self.day.value), self.error)
        self.press.button(self.send_button, lambda: self._give(self.field.value))
        self.press.button(self.later_button, lambda: self._give(self.day.value))
        self.press.button(self.never_button, lambda: self._give(None))

    def ask(self, question: Question) -> None:
        """Show the mail, and take the next answer for it."""
        letter: Any = question.view
        self.question, self.error.value = question, ""
        self.thread.value = self._shown(letter)
        self.day.value = letter.day + 2
        self.view.layout.display = ""

    def rest(self) -> None:
        """Nothing is asked: the form is hidden; what stands in the field stays there until it is sent."""
        self.question, self.view.layout.display = None, "none"

    def _give(self, answer: str | int | None) -> None:
        if self.question is None:
            return
        self.question.answer(answer)
        if isinstance(answer, str):
            self.field.value = ""
        self.rest()

    def _shown(self, letter: Letter) -> str:
        me, rest = self.persona, letter.thread[:-1]
        older = (
            f"<details><summary>{len(rest)} mails before it</summary>{mails_to_html(rest)}</details>" if rest else ""
        )
        newest = mails_to_html(letter.thread[-1:], unfolded=True)
        has = f"<div>You have {escape(', '.join(in_words(day) for day in letter.given))}.</div>" if letter.given else ""
        known = " ".join(part for part in (me.description, *me.constraints, me.issue) if part)
        return (
            f'{diary_style()}<div class="convene-diary"><b>Day {letter.day}, {letter.today:%A} evening: you are '
            f"{escape(me.name)}</b>, {escape(', '.join(part for part in (me.role, me.field, me.affiliation) if part))}."
            f'<div class="text quiet">{escape(known)}</div>{older}{newest}{has}</div>'
        )
