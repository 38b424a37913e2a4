"""The control over the days: begin one, go on with one that broke off, play to the end; and how it stands, in words."""

from __future__ import annotations

from datetime import timedelta
from html import escape

import ipywidgets as w

from support.boards.pieces import said
from support.boards.standing import seats_of
from support.errors import InvalidInput
from support.labs.base import warning
from support.seats import Question
from support.seminar.data import in_words
from support.seminar.records import MAIL
from support.seminar.reviewing import FLAG
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE, REHEARSAL
from support.widgets.dashboard.frame import status
from support.widgets.dashboard.work import Work
from support.widgets.organizing.fields import alert, wide

AFTER = {
    None: "fetches the mail",
    "collect": "reads what came in",
    "read": "reads what came in",
    "check": "reads what came in",
    "decide": "reads what came in",
    "progress": "selects the policies that apply",
    "select": "plans the day",
    "plan": "works out what to do",
    "act": "writes mails",
    "review": "goes on with the day",
    "draft": "sends mails",
    "describe": "goes on with the day",
    "answer": "closes the day",
}
"""What comes after a step of the journal, in words."""

TODAY = {
    REHEARSAL: "The next day begins when you press the button.",
    "dry run": "The next day begins when you press the button; put replies into the folder before (see Mail).",
}


class DayControl:
    """A row of buttons with words on how it stands.

    Parameters
    ----------
    work : Work
    """

    def __init__(self, work: Work) -> None:
        self.work = work
        self.day_button, self.end_button = wide("Begin day 1", button_style="primary"), wide("Play to the end")
        self.here_button, self.mail_button = wide("Work here instead", button_style="warning"), wide("Open Mail")
        self.said = w.HTML(layout=w.Layout(flex="1 1 24rem", min_width="0"))
        self.buttons = (self.day_button, self.end_button, self.here_button, self.mail_button)
        self.view = w.HBox([*self.buttons, self.said])
        self.view.add_class("convene-days")

    def focus(self) -> None:
        """Give the keyboard the button of the next day, where there is one."""
        if self.day_button.layout.display != "none":
            self.day_button.focus()

    def refresh(self, question: Question | None) -> None:
        """Show how it stands; `question` is what waits for a decision."""
        seminar = self.work.seminar
        self.here_button.layout.display = _shown(bool(self.work.taken))
        self.mail_button.layout.display = _shown(self.work.unsure)
        free = seminar is not None and not self.work.playing and not seminar.over
        self.end_button.layout.display = _shown(free and seminar is not None and seminar.setup.mode == REHEARSAL)
        number, why = _next(seminar) if free and seminar is not None else (None, "")
        self.day_button.layout.display = _shown(number is not None)
        if number is not None and seminar is not None:
            self.day_button.description = f"{'Go on with' if seminar.running else 'Begin'} day {number}"
        self.said.value = status(self._words(question, why))

    def _words(self, question: Question | None, why: str) -> str:
        seminar, work = self.work.seminar, self.work
        if work.error:
            return alert(work.error) + escape(_way_out(work))
        if seminar is None:
            return "No seminar is open: begin one on the page <b>Setup</b>."
        if work.playing:
            return f"<b>Day {seminar.day}</b>: {_doing(seminar, question)}"
        if seminar.over:
            return f"<b>The seminar is over.</b> {escape(_result(seminar))} Its record lies in {said(work.path.name)}."
        if why:
            return _later(seminar) or warning(why)
        if seminar.running:
            return f"<b>Day {seminar.day}</b> was begun and is not finished. Press the button to go on where it was."
        told = f"<b>Day {seminar.day}</b> is over. {escape(_result(seminar))} " if seminar.day else "<b>Ready.</b> "
        return told + escape(_when(seminar))


def _shown(is_shown: bool) -> str | None:
    return "" if is_shown else "none"


def _next(seminar: Seminar) -> tuple[int | None, str]:
    """The day to play, or why there is none."""
    try:
        return seminar.next_day, ""
    except InvalidInput as error:
        return None, str(error)


def _doing(seminar: Seminar, question: Question | None) -> str:
    if question is not None:
        about = question.view.about
        to = f" to <b>{said(about)}</b>" if question.phase == MAIL else f" about <b>{said(about)}</b>" if about else ""
        what = "a question" if question.phase == FLAG else f"the {escape(question.phase)}"
        return f"waits for <b>your decision</b> on {what}{to}, in the form below the chat."
    today = [entry for entry in seminar.entries if entry.day == seminar.day and entry.role != "user"]
    step = today[-1].step if today else None
    return f"the organiser {AFTER.get(step, 'is at work')} …"


def _result(seminar: Seminar) -> str:
    mails = len(seminar.finished[-1].sent) if seminar.finished else 0
    sent = f"{mails} mail{'' if mails == 1 else 's'} went out on the last day."
    seats = seats_of(seminar.desk.state)
    filled = " Every date is filled; further days are for those who cancel." if seats.filled == seats.total else ""
    return f"{seats.words}; {sent}{filled if not seminar.over else ''}"


def _when(seminar: Seminar) -> str:
    if seminar.setup.mode != LIVE:
        return TODAY[seminar.setup.mode]
    today = seminar.setup.scenario.start + timedelta(days=seminar.next_day - 1)
    return f"Today is {in_words(today)}: begin the day when you have time for what it asks."


def _later(seminar: Seminar) -> str:
    """When a live seminar goes on, as HTML; "" where something else is the matter."""
    start = seminar.setup.scenario.start
    number = (seminar.today() - start).days + 1
    if number < 1:
        return f"<b>Ready.</b> The first day of work is {in_words(start)}: begin it then. You may close the page."
    if number == seminar.day:
        over = f"<b>Day {number}</b> is over. {escape(_result(seminar))}"
        return f"{over} The next day can be begun tomorrow. You may close the page."
    return ""


def _way_out(work: Work) -> str:
    if work.taken:
        return ". If you work here instead, the other window can change nothing any more."
    if work.unsure:
        return " Say on the page Mail whether they arrived, then go on."
    return " Nothing is lost. Put right what is said there, then go on." if work.seminar else ""
