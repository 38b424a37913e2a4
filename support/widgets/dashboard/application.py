"""The dashboard: one page for a seminar, from its setup to its last date, over a study's file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w

from support.data import study_file
from support.errors import ConveneError, InvalidInput
from support.labs.base import Home
from support.seminar.artefacts import hook_of, hook_to_policy
from support.seminar.records import Flag
from support.seminar.rules import PolicySet
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE, SeminarSetup
from support.widgets.dashboard.desk import DeskPage
from support.widgets.dashboard.filed import copied
from support.widgets.dashboard.form import DashboardForm
from support.widgets.dashboard.frame import STYLE, boxed, head, plain
from support.widgets.dashboard.mailing import MailPage
from support.widgets.dashboard.people import PeoplePage
from support.widgets.dashboard.policies import PoliciesEditor
from support.widgets.dashboard.setting_up import SetupPage
from support.widgets.dashboard.taking import TakePage
from support.widgets.dashboard.work import PATIENCE, Work, words
from support.widgets.dashboard.writing import TemplatesPage
from support.widgets.organizing.fields import alert, wide
from support.widgets.organizing.log import LogPanel

if TYPE_CHECKING:
    from support.models.model import ChatModel

SETUP, DESK, MAIL, PEOPLE, TEMPLATES, ASK, TAKE = range(7)
TITLES = ("Setup", "Desk", "Mail", "People", "Templates", "Ask", "Take along")
REDRAWN = 0.2
"""Seconds between two drawings at least."""
AGAIN = (1, 3, 8, 20, 45)
"""Seconds after a start at which all is sent again: ipywidgets loses what changes while the page loads."""


class Dashboard:
    """Seminars in a study's file, worked on one at a time. Display `dashboard.view`.

    Parameters
    ----------
    store : path, optional
        The study's file; made when it does not exist.
    model : ChatModel or str, optional
        Offered as organiser, detector and as any of the people, and answers questions, when it is given.
    today : callable
        The calendar; live seminars follow it.

    Notes
    -----
    What is said and decided is kept in the file when it is said. A dashboard that is made anew, after a restart of
    the kernel or in another window, opens the seminar that was worked on last where it was left.
    """

    def __init__(
        self,
        store: str | Path | None = None,
        model: ChatModel | str | None = None,
        *,
        today: Callable[[], date] = date.today,
    ) -> None:
        self.path, self.model = Path(store) if store else study_file("seminars"), model
        self.home, self._tasks = Home(), set[asyncio.Task[None]]()
        self._drawing: asyncio.TimerHandle | None = None
        self._moving = False
        self.form = DashboardForm(self._make_policy, self.changed)
        self.work = Work(self.path, model, today, self.changed, self.form)
        self.policies = PoliciesEditor(self._policies, self._use, self._typing)
        self.desk = DeskPage(self.work, self.form, self.policies)
        self.log = LogPanel(self._newest_desk, model)
        self._bar()
        self._pages(today)
        self.view = boxed("convene-dash", w.HTML(STYLE), self.bar, self.note, self.tabs)
        self._connect()
        self.refresh()
        self._reopen()

    def _pages(self, today: Callable[[], date]) -> None:
        self.setup = SetupPage(self._begin, model=self.model is not None, taken=self._names,
                               copied=self._copied, today=today)  # fmt: skip
        self.mail, self.people = MailPage(self._seminar, self._decided), PeoplePage(self._seminar, self.changed)
        self.templates, self.take = TemplatesPage(self._seminar), TakePage(self.work, self._begin_with)
        asking = boxed("page", w.HTML("<h2>Ask</h2>"), self.log.view)
        views = (self.setup.view, self.desk.view, self.mail.view, self.people.view, self.templates.view, asking,
                 self.take.view)  # fmt: skip
        self.tabs = w.Tab(children=views, titles=TITLES, selected_index=SETUP)

    def _bar(self) -> None:
        self.head = w.HTML(layout=w.Layout(flex="1 1 auto", min_width="0"))
        self.switch = w.Dropdown(
            options=[""], description="seminar", style={"description_width": "auto"},
            layout=w.Layout(width="15rem", flex="0 1 auto", min_width="8rem"),
        )  # fmt: skip
        self.new_button, self.note = wide("New seminar"), w.HTML()
        self.new_button.layout.flex = "0 0 auto"
        self.bar = w.HBox([self.head, self.switch, self.new_button])
        self.bar.add_class("convene-bar")

    def _connect(self) -> None:
        self.switch.observe(self._switched, "value")
        days = self.desk.days
        self._click(self.new_button, lambda: self._go(SETUP))
        self._click(days.day_button, self._play)
        self._click(days.end_button, lambda: self._play(to_the_end=True))
        self._click(days.here_button, self._take_over)
        self._click(days.mail_button, lambda: self._go(MAIL))
        self.log.field.observe(lambda _: self._typing(), "value")
        self.tabs.observe(lambda _: self.home.run(self._turned), "selected_index")

    def _click(self, button: w.Button, act: Callable[[], None]) -> None:
        button.on_click(lambda _: self.home.run(act))

    def _turned(self) -> None:
        """Another page is seen."""
        if self.tabs.selected_index == SETUP:
            self.setup.refresh()
        self.changed()

    def _reopen(self) -> None:
        """Open the seminar that was worked on last."""
        if self._names():
            self.do(self._open(self.work.latest, patience=PATIENCE))
            for seconds in AGAIN:
                asyncio.get_running_loop().call_later(seconds, send_again, self.view)

    def do(self, what: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something in the background; what goes wrong is shown."""
        task = asyncio.ensure_future(self._do(what))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _do(self, what: Coroutine[Any, Any, None]) -> None:
        try:
            await what
        except Exception as error:  # nobody awaits this task
            self.note.value = plain(alert(words(error)))

    def changed(self) -> None:
        """Have everything drawn anew, a few times a second at most."""
        self.home.run(self._later)

    def _later(self) -> None:
        if self._drawing is None:
            self._drawing = asyncio.get_running_loop().call_later(REDRAWN, self._draw)

    def _draw(self) -> None:
        self._drawing = None
        try:
            self.refresh()
        except Exception as error:  # the loop would only log it
            self.note.value = plain(alert(f"The page could not be drawn: {words(error)}"))

    def refresh(self) -> None:
        """Draw what is seen."""
        seminar = self._seminar()
        self.head.value = head(*_facts(seminar))
        real = seminar is not None and seminar.setup.mode == LIVE
        self.bar.add_class("live") if real else self.bar.remove_class("live")
        self._list()
        titles = list(TITLES)
        titles[MAIL] = _mail_title(seminar)
        self.tabs.titles = titles
        pages = {DESK: self.desk, MAIL: self.mail, PEOPLE: self.people, TEMPLATES: self.templates, TAKE: self.take}
        page: Any = pages.get(self.tabs.selected_index)
        if page is not None:
            page.refresh()

    def _list(self) -> None:
        """The seminars of the file, the one at hand chosen."""
        names = self._names()
        at_hand = self.work.seminar.name if self.work.seminar else self.work.taken
        names += [at_hand] if at_hand and at_hand not in names else []  # where the file cannot be read any more
        options = ([] if at_hand else [("choose …", "")]) + [(name, name) for name in names]
        self._moving = True
        if list(self.switch.options) != options:
            self.switch.options = options
        self.switch.value = at_hand
        self._moving = False
        self.switch.layout.display = "" if names else "none"

    def _switched(self, change: Any) -> None:
        if not self._moving and change["new"]:
            self.home.run(lambda: self.do(self._open(change["new"])))

    def _take_over(self) -> None:
        if self.work.taken:
            self.do(self._open(self.work.taken, take_over=True))

    async def _open(self, name: str, *, take_over: bool = False, patience: float = 0.0) -> None:
        await self.work.open(name, take_over=take_over, patience=patience)
        self.note.value = ""
        self.log.clear()
        self._go(DESK)

    def _begin(self, name: str, setup: SeminarSetup) -> None:
        """Begin a new seminar; what cannot be is refused at once, for the page Setup to show."""
        self.work.begin(name, setup)
        self.do(self._open(name))

    def _names(self) -> list[str]:
        """The seminars in the file; none where it cannot be read, which is said."""
        try:
            return self.work.names
        except ConveneError as error:
            self.note.value = plain(alert(words(error)))
            return []

    def _copied(self, name: str) -> SeminarSetup:
        return copied(self.path, name)

    def _begin_with(self, seminar: Seminar) -> None:
        self.setup.fill(replace(seminar.setup, artefacts=seminar.artefacts))
        self._go(SETUP)

    def _go(self, page: int) -> None:
        self.tabs.selected_index = page
        self.changed()

    def _decided(self) -> None:
        """Something was decided about mails: the books are another's then."""
        self.do(self.work.freshen())

    def _play(self, *, to_the_end: bool = False) -> None:
        self.form.follow = True
        self.work.play(to_the_end=to_the_end)
        self.changed()

    def _typing(self) -> None:
        """Somebody types elsewhere: the form keeps its hands off the focus."""
        self.form.follow = False

    def _seminar(self) -> Seminar | None:
        return self.work.seminar

    def _newest_desk(self) -> Any:
        seminar = self._seminar()
        return seminar.desk if seminar and seminar.day else None

    def _policies(self) -> PolicySet | None:
        seminar = self._seminar()
        return seminar.policies if seminar else None

    def _use(self, policies: PolicySet) -> None:
        seminar = self._seminar()
        if seminar is None:
            raise InvalidInput("policies: no seminar is open; begin one on the page Setup")
        seminar.set_policies(policies)

    def _make_policy(self, flag: Flag, day: int) -> None:
        """Make a policy of a flag with its answer; it holds at once."""
        self.policies.use(hook_to_policy(hook_of(flag, day), self.policies.policies))


def send_again(widget: w.Widget) -> None:
    """Send once more what is shown and laid out in a widget and below it; what somebody types is left alone."""
    if isinstance(widget, w.HTML):
        widget.send_state("value")
    if isinstance(widget, w.Button):
        widget.send_state("description")
    if isinstance(widget, w.Box):
        for child in widget.children:
            send_again(child)
        widget.send_state("children")


def _facts(seminar: Seminar | None) -> tuple[str, str, tuple[str, ...]]:
    """Title, mode, and how far it is."""
    if seminar is None:
        return "", "", ()
    state, programme = seminar.desk.state, seminar.setup.scenario
    today = f"Day {seminar.day} of {seminar.last} · {_short(programme.start + timedelta(days=seminar.day - 1))}"
    begun = today if seminar.day else f"begins {_short(programme.start)}"
    full = sum(len(names) >= state.seats for names in state.slots.values())
    return programme.title, seminar.setup.mode, (begun, f"{full} of {len(state.slots)} dates filled")


def _short(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b %Y}"


def _mail_title(seminar: Seminar | None) -> str:
    """The name of the mail page, with what waits there for a person.

    >>> _mail_title(None)
    'Mail'
    """
    if seminar is None:
        return "Mail"
    waits = {"uncertain": len(seminar.uncertain), "held": seminar.workplace.inbox.waiting()}
    said = ", ".join(f"{number} {what}" for what, number in waits.items() if number)
    return f"Mail ({said})" if said else "Mail"
