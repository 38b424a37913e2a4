"""The desk: one page for a seminar, from its setup to its last date, over a study's file.

Policies left, the chat and the forms in the middle, boards right; further pages for mail, people, templates, questions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w

from support.data import study_file
from support.desk import views
from support.desk.fields import alert, boxed, heading, there, wide
from support.desk.figure import Happened
from support.desk.form import DeskForm
from support.desk.markup import fill, style
from support.desk.pages import AskPage, MailPage, PeoplePage, TakePage, opened
from support.desk.policies import PoliciesEditor
from support.desk.setup import SetupPage
from support.desk.work import PATIENCE, Work, chosen, copied, running_day, status
from support.desk.writing import TemplatesPage
from support.errors import ConveneError, InvalidInput
from support.labs.base import Home, words
from support.runs.study import Store
from support.seminar.artefacts import hook_of, hook_to_policy
from support.seminar.records import Flag
from support.seminar.reviewing import FLAG
from support.seminar.views import Desk as Papers
from support.seminars.journal import begin
from support.seminars.journal import names as names_in
from support.seminars.seminar import Seminar
from support.seminars.setup import DRY_RUN, LIVE, MODES, REHEARSAL, SeminarSetup

if TYPE_CHECKING:
    from support.models.model import ChatModel

SETUP, DESK, POST, PEOPLE, TEMPLATES, ASK, TAKE = range(7)
TITLES = ("Setup", "Desk", "Mail", "People", "Templates", "Ask", "Take along")
EVERYBODY = "everybody"
REDRAWN = 0.2  # seconds between two drawings at least
AGAIN = (
    1,
    3,
    8,
    20,
    45,
)  # seconds after a start at which all is sent again: a page that loads loses changes
SIGNS = {REHEARSAL: "▷", DRY_RUN: "◇", LIVE: "●"}


class Desk:
    """Seminars in a study's file, worked on one at a time. Display `desk.view`.

    `store` is the study's file, or its path; a `model` is offered in every seat, and answers questions; live seminars
    follow the calendar `today`. What is said and decided is kept in the file when it is said: a desk that is made anew,
    after a restart of the kernel or in another window, opens the seminar that was worked on last where it was left.
    """

    def __init__(
        self,
        store: Store | str | Path | None = None,
        model: ChatModel | str | None = None,
        *,
        today: Callable[[], date] = date.today,
    ) -> None:
        path = (
            store.path
            if isinstance(store, Store)
            else Path(store)
            if store
            else study_file("seminars")
        )
        self.home = Home()
        self.work: Work
        self.policies: PoliciesEditor
        self.note, self._tasks = w.HTML(), set[asyncio.Task[None]]()
        self._drawing: asyncio.TimerHandle | None = None
        self._moving = False
        as_policy = lambda flag, day: hook_to_policy(
            hook_of(flag, day), self.policies.policies
        )
        self.form = DeskForm(
            lambda flag, day: self.policies.use(as_policy(flag, day)), self.changed
        )
        self.form.persona = lambda name: opened(
            self.work.seminar
        ).setup.scenario.person(name)
        self.work = Work(path, model, today, self.changed, self.form)
        seminar = lambda: self.work.seminar
        hold = lambda policies: opened(seminar()).set_policies(policies)
        self.policies = PoliciesEditor(
            lambda: one.policies if (one := seminar()) else None, hold, self._typing
        )
        self.desk = DeskPage(self.work, self.form, self.policies)
        self.setup = SetupPage(self._begin, self._names, lambda name: copied(path, name), model=model is not None,
                               today=today)  # fmt: skip
        self.mail = MailPage(seminar, lambda: self.do(self.work.freshen()))
        self.people, self.templates = (
            PeoplePage(seminar, self.changed),
            TemplatesPage(seminar),
        )
        self.ask = AskPage(
            lambda: one.desk if (one := seminar()) and one.day else None, model
        )
        self.take = TakePage(self.work, self._begin_with)
        self.head = w.HTML(layout=w.Layout(flex="1 1 auto", min_width="0"))
        self.switch = w.Dropdown(options=[""], description="seminar", style={"description_width": "auto"},
                                 layout=w.Layout(width="15rem", flex="0 1 auto", min_width="8rem"))  # fmt: skip
        new_button = wide("New seminar")
        new_button.layout.flex = "0 0 auto"
        self.bar = w.HBox([self.head, self.switch, new_button])
        self.bar.add_class("bar-top")
        pages = (
            self.setup,
            self.desk,
            self.mail,
            self.people,
            self.templates,
            self.ask,
            self.take,
        )
        self.tabs = w.Tab(
            [one.view for one in pages], titles=TITLES, selected_index=SETUP
        )
        self.view = boxed(
            "convene-desk app", w.HTML(style()), self.bar, self.note, self.tabs
        )
        self._connect(new_button)
        self.refresh()
        if self._names():
            self.do(self._open(self.work.latest, patience=PATIENCE))
            for seconds in AGAIN:
                asyncio.get_running_loop().call_later(seconds, self._send_again)

    def _connect(self, new_button: w.Button) -> None:
        self.switch.observe(self._switched, "value")
        for button, act in (
            (new_button, lambda: self._go(SETUP)),
            (self.desk.day_button, self._play),
            (self.desk.end_button, lambda: self._play(to_the_end=True)),
            (
                self.desk.here_button,
                lambda: self.do(self._open(self.work.taken, take_over=True)),
            ),
            (self.desk.mail_button, lambda: self._go(POST)),
        ):
            button.on_click(lambda _, act=act: self.home.run(act))
        self.ask.field.observe(lambda _: self._typing(), "value")
        self.tabs.observe(lambda _: self.home.run(self._turned), "selected_index")

    def _turned(self) -> None:
        """Another page is seen."""
        if self.tabs.selected_index == SETUP:
            self.setup.refresh()
        self.changed()

    def _send_again(self) -> None:
        send_again(self.view)
        self.switch.send_state(("_options_labels", "index"))

    def do(self, what: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something in the background; what goes wrong is shown."""

        async def guarded() -> None:
            """Its error, in words."""
            try:
                await what
            except Exception as error:  # nobody awaits this task
                self.note.value = alert(words(error))

        task = asyncio.ensure_future(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

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
            self.note.value = alert(f"The page could not be drawn: {words(error)}")

    def refresh(self) -> None:
        """Draw what is seen."""
        seminar = self.work.seminar
        self.head.value = head(seminar)
        real = seminar is not None and seminar.setup.mode == LIVE
        self.bar.add_class("live") if real else self.bar.remove_class("live")
        self._list()
        waits = (
            {
                "uncertain": len(seminar.uncertain),
                "held": seminar.workplace.inbox.waiting(),
            }
            if seminar
            else {}
        )
        waiting = ", ".join(
            f"{number} {what}" for what, number in waits.items() if number
        )
        self.tabs.titles = [
            f"{title} ({waiting})" if title == TITLES[POST] and waiting else title
            for title in TITLES
        ]
        shown: Any = {
            DESK: self.desk,
            POST: self.mail,
            PEOPLE: self.people,
            TEMPLATES: self.templates,
            TAKE: self.take,
        }
        if (page := shown.get(self.tabs.selected_index)) is not None:
            page.refresh()

    def _list(self) -> None:
        """The seminars of the file, the one at hand chosen."""
        names = self._names()
        at_hand = self.work.seminar.name if self.work.seminar else self.work.taken
        names += (
            [at_hand] if at_hand and at_hand not in names else []
        )  # where the file cannot be read any more
        options = ([] if at_hand else [("choose …", "")]) + [
            (name, name) for name in names
        ]
        self._moving = True
        if list(self.switch.options) != options:
            self.switch.options = options
        self.switch.value = at_hand
        self._moving = False
        there(self.switch, bool(names))

    def _switched(self, change: Any) -> None:
        if not self._moving and change["new"]:
            self.home.run(lambda: self.do(self._open(change["new"])))

    async def _open(
        self, name: str, *, take_over: bool = False, patience: float = 0.0
    ) -> None:
        await self.work.open(name, take_over=take_over, patience=patience)
        self.note.value = self.ask.answer.value = self.ask.error.value = ""
        self._go(DESK)

    def _begin(self, name: str, setup: SeminarSetup) -> None:
        """Begin a new seminar; what cannot be is refused at once, for the page Setup to show."""
        begin(self.work.path, name, setup.to_json())
        self.do(self._open(name))

    def _names(self) -> list[str]:
        """The seminars in the file; none where it cannot be read, which is said."""
        try:
            return names_in(self.work.path)
        except ConveneError as error:
            self.note.value = alert(words(error))
            return []

    def _begin_with(self, seminar: Seminar) -> None:
        self.setup.fill(replace(seminar.setup, artefacts=seminar.artefacts))
        self._go(SETUP)

    def _go(self, page: int) -> None:
        self.tabs.selected_index = page
        self.changed()

    def _play(self, *, to_the_end: bool = False) -> None:
        self.form.follow = True
        self.work.play(to_the_end=to_the_end)
        self.changed()

    def _typing(self) -> None:
        """Somebody types elsewhere: the form keeps its hands off the focus."""
        self.form.follow = False


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


def head(seminar: Seminar | None) -> str:
    """The bar on top: the name, whose seminar, its mode, and how far it is."""
    if seminar is None:
        return fill("page", "head", "", "", "", "", ())
    state, programme, mode = (
        seminar.desk.state,
        seminar.setup.scenario,
        seminar.setup.mode,
    )
    day = programme.start + timedelta(days=max(seminar.day, 1) - 1)
    when = f"{day:%a} {day.day} {day:%b %Y}"
    begun = (
        f"Day {seminar.day} of {seminar.last} · {when}"
        if seminar.day
        else f"begins {when}"
    )
    full = sum(len(names) >= state.seats for names in state.slots.values())
    facts = (begun, f"{full} of {len(state.slots)} dates filled")
    return fill("page", "head", programme.title, mode, MODES[mode], SIGNS[mode], facts)


class Panel:
    """A board below a head that folds it; `draw` puts what is new into the board, `above` stands above it."""

    def __init__(
        self,
        title: str,
        board: Any,
        draw: Callable[[], Any],
        *above: w.Widget,
        open: bool = True,
    ) -> None:
        self.title, self.board, self.draw = title, board, draw
        self.head = w.ToggleButton(value=open)
        self.head.add_class("panel-head")
        self.inside = w.VBox([*above, board])
        self.view = boxed("panel", self.head, self.inside)
        self.head.observe(lambda _: self.refresh(), "value")
        self.refresh()

    def refresh(self) -> None:
        """Draw it anew, unless it is folded."""
        unfolded = bool(self.head.value)
        self.head.description = f"{'▾' if unfolded else '▸'} {self.title}"
        there(self.inside, unfolded)
        if unfolded:
            self.board.value = value = self.draw()
            there(self.board, bool(value))


class DeskPage:
    """The desk of the seminar at hand: days on top; policies, chat and forms, boards below."""

    def __init__(self, work: Work, form: DeskForm, policies: PoliciesEditor) -> None:
        self.work, self.form, self.policies = work, form, policies
        self.day_button, self.end_button = (
            wide("Begin day 1", button_style="primary"),
            wide("Play to the end"),
        )
        self.here_button, self.mail_button = (
            wide("Work here instead", button_style="warning"),
            wide("Open Mail"),
        )
        self.said = w.HTML(layout=w.Layout(flex="1 1 24rem", min_width="0"))
        days = w.HBox(
            [
                self.day_button,
                self.end_button,
                self.here_button,
                self.mail_button,
                self.said,
            ]
        )
        days.add_class("days")
        self.past, self.now = w.HTML(), w.HTML()
        middle = boxed(
            "middle",
            boxed("talk", w.VBox([self.past, self.now])),
            form.view,
            form.others,
        )
        self.person = w.Dropdown(options=[EVERYBODY], description="mails with", style={"description_width": "5rem"},
                                 layout=w.Layout(width="100%"))  # fmt: skip
        self._desk: Papers | None = None
        self._flags: tuple[Flag, ...] = ()
        self._playing = False
        self._drawn: Any = None
        self.happened = Happened(work)
        self.panels = [
            Panel("Assignment grid", w.HTML(), lambda: self._board(views.grid)),
            Panel("Calendar", w.HTML(), lambda: self._board(views.calendar)),
            Panel(
                "Correspondence",
                w.HTML(),
                lambda: self._board(self._threads),
                self.person,
            ),
            Panel(
                "What happened so far",
                self.happened.figure,
                self.happened.drawn,
                self.happened.kept,
                open=False,
            ),
        ]
        self.wide_button = w.ToggleButton(description="⇔ Wider", tooltip="More room for this side",
                                          layout=w.Layout(width="auto", align_self="flex-end"))  # fmt: skip
        self.wide_button.add_class("tiny")
        top = w.HBox(
            [heading("How it stands", 2), self.wide_button],
            layout=w.Layout(justify_content="space-between"),
        )
        right = boxed("right", top, *(panel.view for panel in self.panels))
        self.columns = w.GridBox([policies.view, middle, right])
        self.columns.add_class("columns")
        self.view = w.VBox([days, self.columns])
        self.person.observe(lambda _: self.panels[2].refresh(), "value")
        self.wide_button.observe(lambda _: self._widen(), "value")

    def refresh(self) -> None:
        """Show what is new."""
        seminar = self.work.seminar
        self._days(seminar)
        if (
            self._playing
            and not self.work.playing
            and self.form.follow
            and self.day_button.layout.display != "none"
        ):
            self.day_button.focus()  # the day is over, and the form that had the keyboard is gone
        self._playing = self.work.playing
        self.policies.refresh(chosen(seminar.entries, seminar.day) if seminar else ())
        self._talk(seminar)
        desk, flags = (seminar.desk if seminar else None), _flags(seminar, self.form)
        if desk != self._desk or flags != self._flags:
            self._desk, self._flags = desk, flags
            names = [EVERYBODY, *(desk.state.contacts if desk else ())]
            if list(self.person.options) != names:
                self.person.options = names
            for panel in self.panels:
                panel.refresh()

    def _days(self, seminar: Seminar | None) -> None:
        """The control over the days, and how it stands in words."""
        free = None if seminar is None or self.work.playing or seminar.over else seminar
        number: int | None = None
        why = ""
        if free is not None:
            try:
                number = free.next_day
                self.day_button.description = (
                    f"{'Go on with' if free.running else 'Begin'} day {number}"
                )
            except InvalidInput as error:
                why = str(error)
        there(self.here_button, bool(self.work.taken))
        there(self.mail_button, self.work.unsure)
        there(self.end_button, free is not None and free.setup.mode == REHEARSAL)
        there(self.day_button, number is not None)
        self.said.value = fill(
            "page", "status", status(self.work, self.form.waiting, why)
        )

    def _talk(self, seminar: Seminar | None) -> None:
        """The chat; what somebody unfolded of finished days stays so while a day goes on."""
        if seminar is None or not seminar.day:
            self.past.value, self.now.value, self._drawn = (
                fill("page", "welcome"),
                "",
                None,
            )
            return
        seats, state = (
            seminar.setup.scenario.seats,
            (id(seminar), len(seminar.finished), seminar.running),
        )
        if state != self._drawn:
            self._drawn = state
            nothing = not seminar.finished and seminar.running
            self.past.value = (
                "" if nothing else views.chat(seminar.finished, seminar.policies, seats)
            )
        self.now.value = ""
        if seminar.running:
            now, steps = running_day(
                seminar.entries, seminar.desk, seminar.day, self.form.question
            )
            self.now.value = views.running(now, seminar.policies, steps)

    def _board(self, draw: Callable[[Papers], str]) -> str:
        return draw(self._desk) if self._desk else ""

    def _threads(self, desk: Papers) -> str:
        return views.correspondence(
            desk,
            self._flags,
            None if self.person.value == EVERYBODY else self.person.value,
        )

    def _widen(self) -> None:
        wider = self.wide_button.value
        self.columns.add_class("wide") if wider else self.columns.remove_class("wide")
        self.wide_button.description = "⇔ Narrower" if wider else "⇔ Wider"


def _flags(seminar: Seminar | None, form: DeskForm) -> tuple[Flag, ...]:
    """All questions that were asked so far, the one that waits among them."""
    asked: Any = (
        form.question.view.item
        if form.question and form.question.phase == FLAG
        else None
    )
    past = (
        tuple(flag for day in seminar.finished for flag in day.flags) if seminar else ()
    )
    return (*past, asked) if asked else past
