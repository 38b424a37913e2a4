"""The desk: one page for a seminar, from its setup to its last date, over a study's file.

Whatever waits for a person is a card, in one place. All that is said and decided is kept
when it is said: a desk that is made anew opens a seminar where it was left.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np

from support.data import study_file
from support.desk import boards, post
from support.desk.boards import fill, short
from support.desk.cards import FormCard, ReviewCard, button, row
from support.desk.pages import (
    COLUMNS,
    MailsPage,
    RulesPage,
    change,
    change_form,
    halves,
    policy_form,
)
from support.desk.setup import SetupPage
from support.errors import FileInUse, InvalidInput
from support.forms import readable
from support.person import Press, words
from support.runs.study import Store
from support.seats import Question, Spoken
from support.seminar.acts import ANSWERER, REVIEWER
from support.seminar.policies import Policy
from support.seminar.records import Flag, Review
from support.seminars.journal import names
from support.seminars.seminar import Seminar
from support.seminars.setup import REHEARSAL

if TYPE_CHECKING:
    from support.models.model import ChatModel

REDRAWN = 0.1  # seconds between two drawings at least
DRAWN = 0.3  # seconds in which a browser draws a card
DESK, MAILS, RULES, SETUP = range(4)
TITLES = ["Desk", "Mails", "Policies and templates", "New seminar"]
READ = "What does this say of dates?"
WORDS = (
    "The answer is what the organiser goes by; words are what the mail is to say, "
    "verbatim. Both empty: it is left open. Grants: whether what was asked for is given."
)
POLICY = "A policy, as it is to hold"
NONE = Flag(0, "", "")
APPROVED = "Mail that you approved before the break goes out when you go on."
SETTLED = (
    "Every date has a speaker, who knows it. Later days bring what people still write; "
    "“Change people or dates” closes the seminar."
)
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
        self.model = model
        self.today = today
        self.open_one: Seminar | None = None
        self.task: asyncio.Task[None] | None = None
        self.asked = dict[Question, Any]()
        self.cards = dict[str, Any]()
        self.post = dict[str, Any]()
        self.wished = Counter[str]()
        self._drawing: Any = None
        self._follow = False
        self.error = w.HTML()
        self.press = Press(lambda: self.question.value, self.error)
        self._pages()
        known = self._list()
        self.tabs.selected_index = DESK if known else SETUP
        if known:
            self.press.start(lambda: self.open(known[-1]))
        self.refresh()

    def _pages(self) -> None:
        self.head = w.HTML(layout=w.Layout(flex="1 1 20rem"))
        self.which = w.Dropdown(layout=w.Layout(width="12rem"))
        self.which.observe(self._chosen, "value")
        top = w.HBox([self.head, self.which])
        top.add_class("top")
        self.next = button(self.press, "Begin day 1", lambda: self.play())
        self.next.button_style = "primary"
        self.all = button(
            self.press, "Play to the end", lambda: self.play(everything=True)
        )
        self.other = button(self.press, "Change people or dates", self._ask_for_change)
        self.question = w.Text(placeholder="Ask the log …")
        self.press.enter(self.question, self._ask)
        ask = row(self.question, button(self.press, "Ask", self._ask))
        ask.layout.display = "" if self.model else "none"
        self.said, self.answer, self.days, self.board = (w.HTML() for _ in range(4))
        self.now = w.VBox()
        start = row(self.next, self.all, self.other, self.said)
        left = w.VBox([start, self.error, self.now, ask, self.answer, self.days])
        self.mails = MailsPage(lambda: self.seminar, self._correct)
        self.rules = RulesPage(lambda: self.seminar, self._propose, self._again)
        self.setup = SetupPage(self.path, self.model, self.open)
        beside = [self.mails.view, self.rules.view, self.setup.view]
        self.tabs = w.Tab([halves(left, self.board), *beside], titles=TITLES)
        self.tabs.observe(lambda _: self.changed(), "selected_index")
        self.view = w.VBox([w.HTML(boards.style()), top, self.tabs])
        self.view.add_class("convene-desk")

    # ---- one seminar, and its days ----

    @property
    def seminar(self) -> Seminar:
        """The one that is open."""
        if self.open_one is None:
            raise InvalidInput("seminar: none is open; begin one, or choose one on top")
        return self.open_one

    def _list(self) -> list[str]:
        """The seminars in the file, which the menu then lists."""
        known = names(self.path)
        self.which.options = [("a seminar …", ""), *((name, name) for name in known)]
        self.which.value = self.open_one.name if self.open_one else ""
        return known

    def _chosen(self, change: Any) -> None:
        name = change["new"]
        if name and not (self.open_one and self.open_one.name == name):
            self.press.start(lambda: self.open(name))

    async def open(self, name: str, take_over: bool = False) -> None:
        """Open a seminar where it was left, in the place of the one at hand."""
        await self.close()
        self.tabs.selected_index = DESK
        told: Any = {"model": self.model, "today": self.today}
        try:
            made = Seminar(
                self.path,
                name,
                take_over=take_over,
                changed=self.changed,
                **told,
            )
        except FileInUse as error:
            self._taken(name, error)
            return
        try:
            await made.open()
        except BaseException:
            made.close()
            raise
        self.open_one = made
        self._list()
        self.changed()

    def _taken(self, name: str, error: FileInUse) -> None:
        here = {"Work here instead": lambda _: self.open(name, take_over=True)}
        shown = fill("note", str(error))
        self._show("taken", FormCard("Open elsewhere", name, shown, None, here))

    async def close(self) -> None:
        """Leave it; a day that broke off is taken up again where it was."""
        task = self.task
        self.task = None
        if task and not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        if self.open_one:
            self.open_one.close()
        self.open_one = None
        self.cards = {}
        self.post = {}

    @property
    def playing(self) -> bool:
        """Whether a day is being played, or waits for somebody."""
        return self.task is not None and not self.task.done()

    def play(self, *, everything: bool = False) -> None:
        """Play the next day in the background, or all that are left."""
        self._follow = True
        if not self.playing:
            self.task = asyncio.ensure_future(self._play(self.seminar, everything))
            self.changed()

    async def _play(self, seminar: Seminar, everything: bool) -> None:
        listening = asyncio.ensure_future(self._listen(seminar))
        try:
            await seminar.open()
            while not seminar.over:
                self.wished.clear()
                await seminar.play()
                if not everything:
                    break
            self._keep()
        except FileInUse as error:
            seminar.close()
            self.open_one = None
            self._taken(seminar.name, error)
        except Exception as error:  # nobody awaits this task
            self.error.value = fill("note", words(error), "bad")
            with suppress(Exception):  # it was said already
                await seminar.open()
        finally:
            listening.cancel()
            self.asked = {}
            asyncio.get_running_loop().call_soon(self.changed)

    def _keep(self) -> None:
        """Put the record of a seminar that is over into the study's file, once."""
        seminar = self.seminar
        told = {"name": seminar.name, "days": len(seminar.finished)}
        if seminar.over:
            with closing(Store(self.path)) as store:
                if told not in [unit.settings for unit in store.units(SWEEP)]:
                    store.save(SWEEP, seminar.record, told)

    async def _settled(self) -> None:
        """Something was said of mails: a day that broke off for them can go on."""
        if not self.playing:
            await self.seminar.open()
        self.error.value = ""
        self.changed()

    # ---- what waits for somebody ----

    async def _listen(self, seminar: Seminar) -> None:
        while True:
            question = await seminar.questions.get()
            self.asked[question] = self._card(question)
            self.changed()

    def _card(self, question: Question) -> Any:
        give = partial(self._give, question)
        day = f"Day {self.seminar.day}"
        if question.phase == "review":
            wishes = self.wished[question.view[1]]
            reviewed = partial(self._reviewed, question)
            return ReviewCard(self.seminar, question, reviewed, wishes)
        acts = {"Send": give}
        title = f"{day}: you are {question.me or 'the organiser'}"
        about = question.phase
        briefing = readable(question.briefing)
        shown = fill("question", readable(question.text), [], briefing)
        if question.phase == "read":
            mail = question.view[1]
            title = READ
            about = mail.sender
            acts = {"So it is": give}
            shown = fill("question", "", [mail])
        if question.phase == "decide":
            desk, flag = question.view
            mails = [mail for mail in desk.mails if mail.id == flag.mail]
            shown = fill("flagged", flag.question) + fill("question", WORDS, mails)
            title = f"{day}: a question"
            about = flag.person
            for_good = partial(self._answer_for_good, question)
            acts = {"Answer": give, "Answer, and make it a policy": for_good}  # type: ignore[dict-item]
        return FormCard(title, about, shown, question.form, acts)

    def _give(self, question: Question, answer: Any) -> None:
        question.answer(answer)
        del self.asked[question]
        self._follow = True
        self.changed()

    def _reviewed(self, question: Question, review: Review) -> None:
        self.wished[question.view[1]] += bool(review.wish)
        self._give(question, {"items": list(review.items), "wish": review.wish})

    async def _answer_for_good(self, question: Question, answer: Any) -> None:
        self._give(question, answer)
        flag: Flag = await question.wait()
        await self._propose(replace(flag, day=self.seminar.day))

    async def _propose(self, hook: Flag = NONE) -> None:
        """Show a policy to be edited: of a question that was answered, or an empty one."""
        text = hook.answer
        count = len(self.seminar.policies)
        if text:
            text = await self.seminar.generalise(hook) or text
        asked = fill("flagged", f"{hook.question} {hook.answer}") if text else ""
        form = policy_form(text, f"policy_{count + 1}")
        acts = {"Add it": self._add_policy}
        self._show("policy", FormCard(POLICY, "", asked, form, acts))

    def _show(self, key: str, card: FormCard) -> None:
        """Show a card that waits for nobody but whoever asked for it."""
        if key != "taken":
            card.offer("Leave it", lambda _: self._done(key), reads=False)
        self.cards[key] = card
        self.tabs.selected_index = DESK
        self._follow = True
        self.changed()

    def _done(self, key: str) -> None:
        del self.cards[key]
        self.changed()

    def _add_policy(self, entry: Any) -> None:
        policy = Policy(**entry.model_dump())
        self.seminar.set_policies(self.seminar.policies.add(policy))
        self._done("policy")

    def _ask_for_change(self) -> None:
        desk = self.seminar.desk
        people = desk.scenario.people
        rows = [[getattr(one, name) for name in COLUMNS] for one in people]
        shown = fill("table", rows, COLUMNS)
        form = change_form(desk.books)
        acts = {"Do it": self._change}
        self._show("change", FormCard("People and dates", "", shown, form, acts))

    def _change(self, given: Any) -> None:
        change(self.seminar, given)
        self._keep()
        self._done("change")

    def _correct(self, number: int) -> None:
        """Show a reply, and what it was taken to say, to be corrected."""
        desk = self.seminar.desk
        known = {mail.id: mail for mail in desk.mails}
        if number not in known:
            raise InvalidInput("Choose a reply first.")
        readings = [one for day in desk.before for one in day.readings]
        says = {one.mail: one.says for one in readings}
        mail = replace(known[number], says=says.get(number, known[number].says))
        seat = REVIEWER.person()
        act = REVIEWER.acts["read"]

        def right(reply: Any) -> None:
            self.seminar.correct(mail.id, act.made(seat, reply, desk, mail))
            self._done("reading")

        form = act.form(seat, desk, mail)
        acts = {"So it is": right}
        shown = fill("question", "", [mail])
        self._show("reading", FormCard(READ, mail.sender, shown, form, acts))

    async def _ask(self) -> None:
        rng = np.random.default_rng(0)
        desk = self.seminar.desk
        seat = ANSWERER.seat("model", rng, None, Spoken(self.model))
        self.answer.value = fill("note", "Looking …")
        found = await seat.answer(self.question.value, desk)
        shown = [mail for mail in desk.mails if mail.id in found.mails]
        self.answer.value = fill("note", found.text) + boards.mails(shown)

    # ---- what is seen ----

    def changed(self) -> None:
        """Have it drawn soon, from whatever thread."""
        self.press.home.run(self._later)

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
        seminar = self.open_one
        page = self.tabs.selected_index
        if seminar:
            self.post = post.waiting(seminar, self.post, self._settled)
        parts = self.asked, self.cards, self.post
        cards = [card for part in parts for card in part.values()]
        fresh = [card for card in cards if card.view not in self.now.children]
        self.now.children = [card.view for card in cards]
        if fresh and self._follow:
            self._follow = False
            asyncio.get_running_loop().call_later(DRAWN, fresh[0].yes.focus)
        self._days(seminar)
        if seminar and page == DESK:
            self._boards(seminar)
        elif seminar and page != SETUP:
            (self.mails if page == MAILS else self.rules).refresh()

    def _days(self, seminar: Seminar | None) -> None:
        """The buttons of the days, and how it stands in words."""
        rests = seminar is not None and not self.playing
        waits = ""
        if seminar is None:
            self.head.value = fill("head", "No seminar is open", "", (), 0, 0)
        elif seminar.over:
            rests = False
            waits = "It is over."
        elif self.playing and not self.asked:
            waits = "The organiser is at work …"
        elif rests:
            try:
                verb = "Go on with" if seminar.running else "Begin"
                self.next.description = f"{verb} day {seminar.next_day}"
                waits = SETTLED if seminar.desk.books.settled else ""
                waits = APPROVED if seminar.approved else waits
            except InvalidInput as error:
                rests = False
                waits = str(error)
        self.next.layout.display = "" if rests else "none"
        again = rests and seminar and seminar.setup.mode == REHEARSAL
        self.all.layout.display = "" if again else "none"
        self.said.value = fill("note", waits)

    def _boards(self, seminar: Seminar) -> None:
        desk = seminar.desk
        mode = seminar.setup.mode
        today = f"{desk.today:%a} {short(desk.today)}"
        facts = [f"Day {seminar.day} of {seminar.last}", today]
        filled = sum(map(len, desk.books.holders.values()))
        seats = desk.scenario.seats * len(desk.books.holders)
        self.head.value = fill("head", desk.scenario.title, mode, facts, filled, seats)
        now = boards.running(desk) if seminar.running else ""
        self.days.value = now + boards.days(seminar.finished)
        drawn = boards.board(desk), boards.policies(desk), boards.months(desk)
        self.board.value = "".join(drawn)

    def _again(self) -> None:
        """Begin another seminar with what this one left."""
        self.setup.fill(self.seminar.setup, self.seminar.artefacts)
        self.tabs.selected_index = SETUP
