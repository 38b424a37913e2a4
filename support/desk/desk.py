"""The desk: one page for a seminar, from its setup to its last date, over a study's file.

Whatever waits for a person is a card, in one place. All that is said and decided is kept
when it is said: a desk that is made anew opens a seminar where it was left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np

from support.data import study_file
from support.desk import boards, post
from support.desk.boards import fill
from support.desk.cards import FormCard, ReviewCard, button, row
from support.desk.pages import (
    MailsPage,
    PeoplePage,
    RulesPage,
    policy_form,
    policy_of,
)
from support.desk.setup import SetupPage
from support.errors import FileInUse, InvalidInput
from support.forms import readable
from support.labs.base import Home, Press, words
from support.runs.study import Store
from support.seats import Question, Spoken
from support.seminar.acts import ANSWERER, REVIEWER
from support.seminar.records import Flag, Hook, Review
from support.seminars.journal import names
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE, REHEARSAL

if TYPE_CHECKING:
    from support.models.model import ChatModel

REDRAWN = 0.1  # seconds between two drawings at least
DRAWN = 0.3  # seconds in which a browser draws a card
DESK, MAILS, PEOPLE, RULES, SETUP = range(5)
TITLES = ["Desk", "Mails", "People and dates", "Policies and templates", "New seminar"]
READ = "What does this say of dates?"
POLICY = "A policy, as it is to hold"
SWEEP = "seminars"
"""Under which name the records of closed seminars lie in the study's file."""


class Desk:
    """Seminars in a study's file, worked on one at a time. Display `desk.view`.

    `store` is the study's file, or its path; a `model` may sit in every seat, and answers
    questions; live seminars follow the calendar `today`.
    """

    def __init__(
        self,
        store: Store | str | Path | None = None,
        model: ChatModel | str | None = None,
        *,
        today: Callable[[], date] = date.today,
    ) -> None:
        given = store.path if isinstance(store, Store) else store
        self.path = Path(given or study_file("seminars"))
        self.model, self.today, self.home = model, today, Home()
        self.seminar: Seminar | None = None
        self.task: asyncio.Task[None] | None = None
        self.cards: dict[Any, Any] = {}
        self.post: dict[str, Any] = {}
        self.wished: dict[str, tuple[Any, int]] = {}
        self._drawing: Any = None
        self._follow = self._moving = False
        self.error = w.HTML()
        self.press = Press(lambda: None, self.error)
        self._pages()
        known = self._list()
        self.tabs.selected_index = DESK if known else SETUP
        self.refresh()
        if known:
            self.press.start(lambda: self.open(known[-1]))

    def _pages(self) -> None:
        self.head = w.HTML(layout=w.Layout(flex="1 1 20rem"))
        self.which = w.Dropdown(layout=w.Layout(width="12rem"))
        self.which.observe(self._chosen, "value")
        top = w.HBox([self.head, self.which])
        top.add_class("top")
        self.next, self.all = button("Begin day 1", "primary"), button("Play on")
        self.all.tooltip = "day after day, until something waits for you"
        self.said, self.now = w.HTML(), w.VBox()
        self.press.button(self.next, lambda: self.play())
        self.press.button(self.all, lambda: self.play(everything=True))
        self.days, self.board, self.months = w.HTML(), w.HTML(), w.HTML()
        self.policies, self.answer = w.HTML(), w.HTML()
        self.asked = w.Text(placeholder="Ask the log: what did … reply?")
        ask = button("Ask")
        asking = Press(lambda: self.asked.value, self.error)
        asking.button(ask, self._ask)
        asking.enter(self.asked, self._ask)
        log = row(self.asked, ask) if self.model else w.HTML()
        start = row(self.next, self.all, self.said)
        left = w.VBox([start, self.error, self.now, log, self.answer, self.days])
        columns = w.GridBox([left, w.VBox([self.board, self.policies, self.months])])
        columns.add_class("columns")
        seminar = self._opened
        self.mails = MailsPage(seminar, self.changed, self._correct)
        self.people = PeoplePage(seminar, self._settled)
        self.rules = RulesPage(seminar, self.changed, self._propose, self._again)
        self.setup = SetupPage(self.path, self.model, self.open)
        pages = [columns, *(p.view for p in (self.mails, self.people, self.rules))]
        self.tabs = w.Tab([*pages, self.setup.view], titles=TITLES)
        self.tabs.observe(lambda _: self.changed(), "selected_index")
        self.view = w.VBox([w.HTML(boards.style()), top, self.tabs])
        self.view.add_class("convene-desk")

    # ---- one seminar, and its days ----

    def _opened(self) -> Seminar:
        if self.seminar is None:
            raise InvalidInput("seminar: none is open; begin one, or choose one on top")
        return self.seminar

    def _list(self) -> list[str]:
        """The seminars in the file, which the menu then lists."""
        known = names(self.path)
        self._moving = True
        self.which.options = [("a seminar …", ""), *((name, name) for name in known)]
        self.which.value = self.seminar.name if self.seminar else ""
        self._moving = False
        return known

    def _chosen(self, change: Any) -> None:
        if change["new"] and not self._moving:
            self.press.start(lambda: self.open(change["new"]))

    async def open(self, name: str, take_over: bool = False) -> None:
        """Open a seminar where it was left, in the place of the one at hand."""
        await self.close()
        self.tabs.selected_index = DESK
        told = {"model": self.model, "today": self.today, "changed": self.changed}
        try:
            made = Seminar(self.path, name, take_over=take_over, **told)
        except FileInUse as error:
            here = {"Work here instead": lambda _: self.open(name, take_over=True)}
            shown = fill("note", str(error))
            self.cards["taken"] = FormCard("Open elsewhere", name, shown, None, here)
            self.changed()
            return
        try:
            await made.open()
        except BaseException:
            made.close()
            raise
        self.seminar = made
        self._list()
        self.changed()

    async def close(self) -> None:
        """Leave it; a day that broke off is taken up again where it was."""
        task, self.task = self.task, None
        if task and not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        if self.seminar:
            self.seminar.close()
        self.seminar, self.cards = None, {}

    @property
    def playing(self) -> bool:
        """Whether a day is being played, or waits for somebody."""
        return self.task is not None and not self.task.done()

    def play(self, *, everything: bool = False) -> None:
        """Play the next day in the background, or all that are left."""
        self._follow = True
        if self.seminar and not self.playing:
            self.task = asyncio.ensure_future(self._play(self.seminar, everything))
            self.changed()

    async def _play(self, seminar: Seminar, everything: bool) -> None:
        listening = asyncio.ensure_future(self._listen(seminar))
        self.error.value = ""
        try:
            await seminar.open()
            while not seminar.over:
                self.wished = {}
                await seminar.play()
                if not everything:
                    break
            self._keep()
        except Exception as error:  # nobody awaits this task
            self.error.value = fill("note", words(error), "bad")
            with suppress(Exception):  # it was said already
                await seminar.open()
        finally:
            listening.cancel()
            self.cards = {
                key: card
                for key, card in self.cards.items()
                if not isinstance(key, Question)
            }
            asyncio.get_running_loop().call_soon(self.changed)

    def _keep(self) -> None:
        """Put the record of a seminar that is over into the study's file, once."""
        seminar = self._opened()
        if seminar.over:
            told = {"name": seminar.name, "days": len(seminar.finished)}
            with closing(Store(self.path)) as store:
                kept = [unit.settings for unit in store.units(SWEEP)]
                if told not in kept:
                    store.save(SWEEP, seminar.record, told)

    async def _settled(self) -> None:
        """What was decided outside of a day holds: a day that broke off can go on."""
        if not self.playing:
            await self._opened().open()
            self._keep()
        self.error.value = ""
        self.changed()

    # ---- what waits for somebody ----

    async def _listen(self, seminar: Seminar) -> None:
        while True:
            question = await seminar.questions.get()
            self.cards[question] = self._card(seminar, question)
            self.changed()

    def _card(self, seminar: Seminar, question: Question) -> Any:
        give, form = partial(self._give, question), question.form
        if question.phase == "review":
            desk, what, items = question.view
            return ReviewCard(
                desk,
                what,
                items,
                partial(self._reviewed, question),
                live=seminar.setup.mode == LIVE,
                held=seminar.run.held,
                wished=self.wished.get(what, ((), 0)),
            )
        if question.phase == "decide":
            desk, flag = question.view
            mails = [mail for mail in desk.mails if mail.id == flag.mail]
            shown = fill("flagged", flag.question) + fill("question", "", mails)
            for_good = partial(self._answer_for_good, question)
            acts = {"Answer": give, "Answer, and make it a policy": for_good}
            title = f"Day {desk.day}: a question"
            return FormCard(title, flag.person, shown, form, acts)
        if question.phase == "read":
            desk, mail = question.view
            shown = fill("question", "", [mail])
            return FormCard(READ, mail.sender, shown, form, {"So it is": give})
        briefing = readable(question.briefing)
        shown = fill("question", readable(question.text), [], briefing)
        title = f"Day {seminar.day}: you are {question.me or 'the organiser'}"
        return FormCard(title, question.phase, shown, form, {"Send": give})

    def _give(self, question: Question, answer: Any) -> None:
        question.answer(answer)
        self._follow = True
        self._done(question)

    def _done(self, key: Any, _: Any = None) -> None:
        self.cards.pop(key, None)
        self.changed()

    def _reviewed(self, question: Question, review: Review) -> None:
        _, what, items = question.view
        if review.wish:
            _, before = self.wished.get(what, ((), 0))
            self.wished[what] = items, before + 1
        self._give(question, {"items": list(review.items), "wish": review.wish})

    async def _answer_for_good(self, question: Question, answer: Any) -> None:
        self._give(question, answer)
        flag: Flag = await question.wait()
        day = self._opened().day
        await self._propose(Hook(flag.question, flag.answer, day, flag.person))

    async def _propose(self, hook: Hook | None) -> None:
        """Show a policy to be edited: of a question that was answered, or an empty one."""
        if hook is None:
            raise InvalidInput("No question was answered yet.")
        seminar = self._opened()
        text = await seminar.generalise(hook) if hook.answer else ""
        asked = fill("flagged", f"{hook.question} {hook.answer}") if hook.answer else ""
        acts = {"Add it": self._add_policy, "Leave it": partial(self._done, "policy")}
        form = policy_form(text or hook.answer, f"policy_{len(seminar.policies) + 1}")
        self._show("policy", FormCard(POLICY, "", asked, form, acts))

    def _show(self, key: str, card: FormCard) -> None:
        self.cards[key] = card
        self.tabs.selected_index, self._follow = DESK, True
        self.changed()

    def _add_policy(self, entry: Any) -> None:
        seminar = self._opened()
        seminar.set_policies(seminar.policies.add(policy_of(entry)))
        self._done("policy")

    def _correct(self, number: int | None) -> None:
        """Show a reply, and what it was taken to say, to be corrected."""
        desk = self._opened().desk
        found = [mail for mail in desk.mails if mail.id == number]
        if not found:
            raise InvalidInput("Choose a reply first.")
        seat, act = REVIEWER.person(), REVIEWER.acts["read"]
        read = [one for day in desk.before for one in day.readings]
        for one in read:
            if one.mail == number:
                found = [replace(found[0], says=one.says)]
        view = desk, found[0]

        def right(reply: Any) -> None:
            self._opened().correct(found[0].id, act.made(seat, reply, *view))
            self._done("reading")

        acts = {"So it is": right, "Leave it": partial(self._done, "reading")}
        shown = fill("question", "", found)
        form = act.form(seat, *view)
        self._show("reading", FormCard(READ, found[0].sender, shown, form, acts))

    async def _ask(self) -> None:
        rng = np.random.default_rng(0)
        seat = ANSWERER.seat("model", rng, None, Spoken(self.model))
        desk = self._opened().desk
        self.answer.value = fill("note", "Looking …")
        found = await seat.answer(self.asked.value, desk)
        shown = [mail for mail in desk.mails if mail.id in found.mails]
        self.answer.value = fill("note", found.text) + boards.mails(shown)

    # ---- what is seen ----

    def changed(self) -> None:
        """Have it drawn soon, from whatever thread."""
        self.home.run(self._later)

    def _later(self) -> None:
        if self._drawing is None:
            loop = asyncio.get_running_loop()
            self._drawing = loop.call_later(REDRAWN, self._draw)

    def _draw(self) -> None:
        self._drawing = None
        try:
            self.refresh()
        except Exception as error:  # the loop would only log it
            self.error.value = fill("note", words(error), "bad")

    def refresh(self) -> None:
        """Draw what is known now."""
        seminar = self.seminar
        if seminar:
            self.post = post.waiting(seminar, self.post, self._settled)
        shown = tuple(card.view for card in (*self.cards.values(), *self.post.values()))
        fresh = [view for view in shown if view not in self.now.children]
        self.now.children = shown
        if fresh and self._follow:
            self._focus(fresh[0])
        self._days(seminar)
        if seminar is None:
            self.head.value = fill("head", "No seminar is open", "", (), 0, 0)
            return
        page = self.tabs.selected_index
        if page == DESK:
            self._boards(seminar)
        elif page != SETUP:
            [self.mails, self.people, self.rules][page - 1].refresh()

    def _focus(self, view: Any) -> None:
        """Let the keyboard go along to the usual button of the first new card."""
        self._follow = False
        cards = (*self.cards.values(), *self.post.values())
        card = next(card for card in cards if card.view is view)
        asyncio.get_running_loop().call_later(DRAWN, card.yes.focus)

    def _days(self, seminar: Seminar | None) -> None:
        """The buttons of the days, and how it stands in words."""
        rests = seminar is not None and not self.playing and not seminar.over
        self.next.layout.display = self.all.layout.display = "" if rests else "none"
        waits = "The organiser is at work …" if self.playing and not self.cards else ""
        if seminar and rests:
            if seminar.setup.mode != REHEARSAL:
                self.all.layout.display = "none"
            try:
                verb = "Go on with" if seminar.running else "Begin"
                self.next.description = f"{verb} day {seminar.next_day}"
            except InvalidInput as error:
                self.next.layout.display, waits = "none", str(error)
        elif seminar and seminar.over:
            waits = "It is over."
        self.said.value = fill("note", waits)

    def _boards(self, seminar: Seminar) -> None:
        desk, scenario = seminar.desk, seminar.setup.scenario
        today = scenario.start + timedelta(days=max(seminar.day, 1) - 1)
        facts = [
            f"Day {seminar.day} of {seminar.last}",
            f"{today:%a} {today.day} {today:%b %Y}",
        ]
        holders = desk.books.holders
        filled, seats = sum(map(len, holders.values())), len(holders) * scenario.seats
        mode = seminar.setup.mode
        self.head.value = fill("head", scenario.title, mode, facts, filled, seats)
        finished = boards.days(seminar.finished, seminar.policies)
        now = boards.running(desk) if seminar.running else ""
        self.days.value = now + finished
        self.board.value, self.months.value = boards.board(desk), boards.months(desk)
        self.policies.value = boards.policies(desk)

    def _again(self) -> None:
        """Begin another seminar with what this one left."""
        seminar = self._opened()
        self.setup.fill(seminar.setup, seminar.artefacts)
        self.tabs.selected_index = SETUP
