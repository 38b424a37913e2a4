"""The middle of the desk: the chat, newest at the bottom, and the form of what is asked right below it."""

from __future__ import annotations

import ipywidgets as w

from support.boards.chat import chat_to_html
from support.seminars.seminar import Seminar
from support.widgets.dashboard.form import DashboardForm
from support.widgets.dashboard.frame import boxed, plain
from support.widgets.dashboard.running import running_day

WELCOME = plain(
    '<div class="welcome"><h2>The organiser works day by day</h2><ol><li>In the morning replies are read; what no '
    "policy covers is asked of you.</li><li>It selects policies, plans the day, chooses actions and writes mails. As "
    "far as you did not delegate them, each is shown to you here before it counts.</li><li>In the evening it sums up "
    "the day. Everything is kept at once: you may close the page at any moment, and go on later.</li></ol>"
    "<p>Change policies on the left whenever you like: they hold from the organiser’s next step on.</p></div>"
)
"""What stands in the place of the chat before the first day."""


class Talk:
    """The chat of a seminar; what somebody unfolded of finished days stays so while a day goes on.

    Parameters
    ----------
    form : DashboardForm
    """

    def __init__(self, form: DashboardForm) -> None:
        self.form = form
        self.past, self.now = w.HTML(), w.HTML()
        self._drawn: tuple[int, int, bool] | None = None
        inside = w.VBox([self.past, self.now])
        self.chat = boxed("convene-talk", inside)
        self.view = boxed("middle", self.chat, form.view)

    def refresh(self, seminar: Seminar | None) -> None:
        """Show what is new."""
        if seminar is None or not seminar.day:
            self.past.value, self.now.value, self._drawn = WELCOME, "", None
            return
        self._finished(seminar)
        if seminar.running:
            day = running_day(seminar.entries, seminar.desk, seminar.day, self.form.question)
            self.now.value = chat_to_html((), day, seminar.policies, seminar.setup.scenario.seats)
        else:
            self.now.value = ""

    def _finished(self, seminar: Seminar) -> None:
        """The finished days, drawn only when there are others."""
        nothing = not seminar.finished and seminar.running
        state = id(seminar), len(seminar.finished), nothing
        if state == self._drawn:
            return
        self._drawn = state
        days, seats = seminar.finished, seminar.setup.scenario.seats
        self.past.value = "" if nothing else chat_to_html(days, None, seminar.policies, seats)
