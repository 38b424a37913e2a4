"""The form of the person at the desk on the dashboard: to whom a mail goes stands above it, and real mail needs a press
for each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets as w

from support.boards.pieces import said
from support.errors import InvalidInput
from support.labs.base import warning
from support.runs.pages import diary_style, mails_to_html
from support.seats import Question
from support.seminar.records import ACTION, MAIL, ORGANISER, Flag
from support.seminar.reviewing import FLAG
from support.seminar.views import APPROVE, EDIT, Desk, Review
from support.seminars.unlock import Lock
from support.widgets.dashboard.frame import plain
from support.widgets.organizing.desk import DeskForm

HOLDS = "The policy holds at once, and is among what you take along."
SAME = (
    "It is the same again. A rule-based organiser writes mails by templates, and follows no wish: change it here, or "
    "remove it."
)

GLANCE = 0.7
"""Seconds that a real mail is on the screen at least before it can be sent: the second click of two is for no mail."""


class DashboardForm(DeskForm):
    """Takes the decisions of the person at the desk.

    Parameters
    ----------
    make_policy : callable
        As in `DeskForm`.
    changed : callable
        Called when a question was asked or answered.

    Attributes
    ----------
    live : bool
        Whether mail is real: then every mail is shown, and none is among "the rest of today".
    follow : bool
        Whether the keyboard's focus goes along to the next question: not while something is typed elsewhere.
    """

    told = HOLDS

    def __init__(self, make_policy: Callable[[Flag, int], None], changed: Callable[[], None]) -> None:
        self.live, self.follow, self._tell_changed, self.lock = False, False, changed, Lock()
        self.code_field = w.Password(description="code", placeholder="8 digits, from the terminal of `make app`")
        self.code_field.style.description_width = "3rem"
        self._shown = self._pressed = 0.0
        self._item: Any = None
        super().__init__(lambda: ("", ()), make_policy)
        self.view.layout.border, self.view.layout.margin, self.view.layout.max_width = None, None, None
        self.view.layout.padding = None
        self.view.add_class("convene-ask")
        self.view.children = (*self.view.children[:-2], self.code_field, *self.view.children[-2:])
        self.buttons.add_class("buttons")
        self.press.started = self._follow

    def ask(self, question: Question) -> None:
        """Show what is to be looked at, with the focus on it if the person has just been here."""
        self._shown = time.monotonic()
        shown: Any = question.view
        super().ask(question)
        if self._again and shown.item == self._item:
            self.context.value += plain(f'<div role="status">{warning(SAME)}</div>')
        self._item = shown.item
        self._tell_changed()
        if self.question is question and self.follow:
            (self.answer_field if question.phase == FLAG else self.approve_button).focus()

    def rest(self) -> None:
        """Nothing is asked: the form is hidden."""
        super().rest()
        self._tell_changed()

    def begin(self, *, live: bool) -> None:
        """Another seminar: what was waved through in the one before counts no more."""
        self.live, self.waved = live, 0
        self.rest()

    def _follow(self) -> None:
        self.follow, self._pressed = True, time.monotonic()

    def _give(self, answer: Any) -> None:
        sends = isinstance(answer, Review) and answer.decision in (APPROVE, EDIT)
        real = self.live and self.question is not None and self.question.phase == MAIL
        if sends and real and self._pressed - self._shown < GLANCE:
            self._shown = self._pressed  # a key that is held down never gets through
            raise InvalidInput("This mail came onto the screen just now: read it, then press again.")
        if sends and real and not self.lock.open:
            given, self.code_field.value = self.code_field.value, ""
            self.lock.unlock(given)
        super()._give(answer)

    def _waves(self, question: Question) -> bool:
        return super()._waves(question) and not (self.live and question.phase == MAIL)

    def _context(self, question: Question) -> str:
        shown: Any = question.view
        if question.phase == MAIL:
            return _to(shown.about, shown.desk)
        return _last(shown.about, shown.desk) if question.phase == ACTION else ""

    def _thing(self, question: Question) -> None:
        shown: Any = question.view
        real = self.live and question.phase == MAIL
        address = shown.desk.scenario.person(shown.about).email if real else ""
        self.approve_button.description = f"Approve and send to {address}" if real else "Approve"
        self.edit_button.description = f"Send my text to {address}" if real else "Use my changes"
        self.rest_button.description = "Approve today’s other actions" if self.live else "Approve the rest of today"
        self.rest_button.tooltip = "Flags and mails are still shown" if self.live else "Flags are still shown"
        self.rest_button.layout.display = "none" if real else ""
        self.code_field.layout.display = "" if real and not self.lock.open else "none"
        super()._thing(question)

    def _flag(self, flag: Flag, desk: Desk) -> None:
        super()._flag(flag, desk)
        self.context.value = plain(diary_style() + self.context.value)


def _to(name: str, desk: Desk) -> str:
    """To whom a mail goes, and what they wrote last."""
    address = desk.scenario.person(name).email
    return plain(f'<div class="sent-to">To <b>{said(name)}</b> &lt;{said(address)}&gt;</div>') + _last(name, desk)


def _last(name: str, desk: Desk) -> str:
    """The last mail from somebody, folded."""
    came = [mail for mail in desk.thread(name) if mail.sender != ORGANISER]
    if not came:
        return plain(f'<div class="faint">{escape("No mail has come from them yet.")}</div>')
    return plain(f'{diary_style()}<div class="convene-diary">Their last mail: {mails_to_html(came[-1:])}</div>')
