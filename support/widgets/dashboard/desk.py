"""The page of the desk: policies left, the chat in the middle, grid, calendar and correspondence right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as w

from support.boards.calendar import calendar_to_html
from support.boards.correspondence import correspondence_to_html
from support.boards.grid import grid_to_html
from support.seminar.records import Flag
from support.seminar.reviewing import FLAG
from support.seminar.views import Desk
from support.seminars.seminar import Seminar
from support.widgets.dashboard.days import DayControl
from support.widgets.dashboard.form import DashboardForm
from support.widgets.dashboard.frame import boxed
from support.widgets.dashboard.policies import PoliciesEditor
from support.widgets.dashboard.running import chosen
from support.widgets.dashboard.talking import Talk
from support.widgets.dashboard.work import Work

EVERYBODY = "everybody"


class Panel:
    """A board below a head that folds it.

    Parameters
    ----------
    title : str
    draw : callable
        Gives its HTML.
    above : widgets
        Stand above the board.
    """

    def __init__(self, title: str, draw: Callable[[], str], *above: w.Widget) -> None:
        self.title, self.draw = title, draw
        self.head = w.ToggleButton(value=True)
        self.head.add_class("panel-head")
        self.board = w.HTML()
        self.inside = w.VBox([*above, self.board], layout=w.Layout(overflow="visible"))
        self.view = boxed("panel", self.head, self.inside)
        self.head.observe(lambda _: self._fold(), "value")
        self._fold()

    def refresh(self) -> None:
        """Draw it anew, unless it is folded."""
        if self.head.value:
            self.board.value = self.draw()

    def _fold(self) -> None:
        unfolded = self.head.value
        self.head.description = f"{'▾' if unfolded else '▸'} {self.title}"
        self.head.tooltip = f"{'Fold' if unfolded else 'Unfold'}: {self.title}"
        self.inside.layout.display = "" if unfolded else "none"
        self.refresh()


class DeskPage:
    """The desk of the seminar at hand.

    Parameters
    ----------
    work : Work
    form : DashboardForm
    policies : PoliciesEditor
    """

    def __init__(self, work: Work, form: DashboardForm, policies: PoliciesEditor) -> None:
        self.work, self.form, self.policies = work, form, policies
        self.days, self.talk = DayControl(work), Talk(form)
        self.person = w.Dropdown(
            options=[EVERYBODY], description="mails with", style={"description_width": "5rem"},
            layout=w.Layout(width="100%"),
        )  # fmt: skip
        self._desk: Desk | None = None
        self._playing = False
        self.panels = [
            Panel("Assignment grid", self._board(grid_to_html)),
            Panel("Calendar", self._board(calendar_to_html)),
            Panel("Correspondence", self._board(self._correspondence), self.person),
        ]
        self.wide_button = w.ToggleButton(
            description="⇔ Wider",
            tooltip="More room for this side",
            layout=w.Layout(width="auto", align_self="flex-end"),
        )
        self.wide_button.add_class("convene-small")
        head = w.HBox([w.HTML("<h2>How it stands</h2>", layout=w.Layout(flex="1 1 auto")), self.wide_button])
        right = boxed("right", head, *(panel.view for panel in self.panels))
        self.columns = w.GridBox([policies.view, self.talk.view, right])
        self.columns.add_class("convene-desk")
        self.view = w.VBox([self.days.view, self.columns], layout=w.Layout(overflow="visible"))
        self.person.observe(lambda _: self.panels[-1].refresh(), "value")
        self.wide_button.observe(lambda _: self._widen(), "value")

    def refresh(self) -> None:
        """Show what is new."""
        seminar, question = self.work.seminar, self.form.question
        self.days.refresh(question)
        if self._playing and not self.work.playing and self.form.follow:
            self.days.focus()  # the day is over, and the form that had the keyboard is gone
        self._playing = self.work.playing
        self.policies.refresh(_selected(seminar))
        self.talk.refresh(seminar)
        self._show_desk(seminar.desk if seminar else None, _flags(seminar, self.form))

    def _show_desk(self, desk: Desk | None, flags: tuple[Flag, ...]) -> None:
        """The boards, when there is another desk."""
        if desk == self._desk and flags == getattr(self, "_flags", None):
            return
        self._desk, self._flags = desk, flags
        names = [EVERYBODY, *(desk.state.contacts if desk else ())]
        if list(self.person.options) != names:
            self.person.options = names
        for panel in self.panels:
            panel.refresh()

    def _board(self, draw: Callable[[Desk], str]) -> Callable[[], str]:
        return lambda: draw(self._desk) if self._desk else ""

    def _correspondence(self, desk: Desk) -> str:
        chosen_person = None if self.person.value == EVERYBODY else self.person.value
        return correspondence_to_html(desk, self._flags, chosen_person)

    def _widen(self) -> None:
        wide = self.wide_button.value
        self.columns.add_class("wide") if wide else self.columns.remove_class("wide")
        self.wide_button.description = "⇔ Narrower" if wide else "⇔ Wider"


def _selected(seminar: Seminar | None) -> tuple[str, ...]:
    """The policies of today: of the running day, or of the one that is over."""
    return chosen(seminar.entries, seminar.day) if seminar else ()


def _flags(seminar: Seminar | None, form: DashboardForm) -> tuple[Flag, ...]:
    """All questions that were asked so far, the one that waits among them."""
    asked: Any = form.question.view.item if form.question and form.question.phase == FLAG else None
    past = tuple(flag for day in seminar.finished for flag in day.flags) if seminar else ()
    return (*past, asked) if asked else past
