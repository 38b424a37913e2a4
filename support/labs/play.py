"""A lab that plays: seats, rounds one by one or to the end, people who are asked; what is played goes to the store.

A lab of a study adds its controls, how its figure is drawn, and how its play begins.
"""

from __future__ import annotations

import asyncio
import json
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import ipywidgets as w

from support.labs.base import ROW, Home, Lab, held, offered, warning, words
from support.labs.person import PersonForm
from support.models.profiles import MODEL
from support.runs.study import Store
from support.seats import HUMAN, Question, people

if TYPE_CHECKING:
    from support.models.model import ChatModel

R = TypeVar("R")


class PlayLab(Lab, Generic[R]):
    """Seats, buttons and a live figure around one play in rounds, each of which leaves a record R in `finished`.

    `store` is where finished plays go, as units of the sweep `sweep`; `model` is offered as the kind of participant
    "model"; `again` is what the button says that begins anew.
    """

    sweep: ClassVar[str]
    called: ClassVar[str]
    """What one play is called where it is said that it is stored."""
    place: ClassVar[str]
    """Where a person is asked."""

    rounds: Any
    """The control that shows T; a lab makes it."""
    run: AsyncIterator[R] | None

    def __init__(
        self, store: Store, model: ChatModel | str | None, *, again: str, width: str
    ) -> None:
        known = repr(model) if isinstance(model, str) else held(model, "model")
        super().__init__(
            width,
            {"(store)": held(store, "store")}
            | ({} if model is None else {"model": known}),
        )
        self.store, self.model = store, model
        self.seats = w.VBox()
        self.step_button = w.Button(description="Next round", button_style="primary")
        self.end_button = w.Button(description="Play to the end")
        self.stop_button = w.Button(
            description="Stop", tooltip="after the round that is being played"
        )
        self.new_button = w.Button(description=again)
        self.progress = w.IntProgress(min=0, layout=w.Layout(width="12rem"))
        self.shown = w.Dropdown(options=["all rounds"], description="show")
        self.talk, self.forms = w.HTML(), w.VBox()
        self.task: asyncio.Task[None] | None = None
        self._listeners: list[asyncio.Task[None]] = []
        self._stopped = False
        self.home = Home()
        self.step_button.on_click(lambda _: self.start(to_the_end=False))
        self.end_button.on_click(lambda _: self.start(to_the_end=True))
        self.stop_button.on_click(lambda _: self.stop())
        self.new_button.on_click(lambda _: self.home.run(self.restart))
        self.shown.observe(lambda _: self._show_talk(), "value")

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of participant chosen for each seat."""
        return {seat.description: seat.value for seat in self.seats.children}

    @property
    def who(self) -> str:
        """Who sits where."""
        return ", ".join(f"{name}: {kind}" for name, kind in self.kinds.items())

    @property
    def _last_line(self) -> str:
        if HUMAN in json.dumps(self.settings):
            return "lab.view  # a person is asked again: play, and the figure follows"
        played = (
            "lab.advance(to_the_end=True)"
            if self._over
            else f"lab.advance(rounds={len(self.finished)})"
        )
        return f"await {played}\nlab.draw()" if self.finished else "lab.draw()"

    def restart(self) -> None:
        """Begin anew with the settings shown; a play at hand is given up."""
        for task in (*self._listeners, *([self.task] if self.task else [])):
            task.cancel()
        self._listeners, self.task, self.run = [], None, None
        self.finished: list[R] = []
        self.stored = self._stopped = False
        self.persons: dict[str, PersonForm] = {}
        self.forms.children = ()
        self.progress.value = 0
        self._clear()
        self._tell(self._welcome())
        self.talk.value = ""
        self._redraw()

    def start(self, *, to_the_end: bool) -> None:
        """Play one round, or all that are left, in the background; a person is waited for."""

        def play() -> None:
            self.task = asyncio.ensure_future(self.advance(to_the_end=to_the_end))

        if self.task and not self.task.done():
            self._tell(f"A round is being played; it waits for the {self.place} below.")
        else:
            self.home.run(play)

    def stop(self) -> None:
        """Play no further round than the one at hand."""
        self._stopped = True

    async def advance(self, rounds: int = 1, *, to_the_end: bool = False) -> None:
        """Play some rounds, or all that are left, and show them; store the play when it is over."""
        last, self._stopped = len(self.finished) + rounds, False
        try:
            if self.run is None:
                questions: asyncio.Queue[Question] = asyncio.Queue()
                listening = asyncio.ensure_future(self._pass_on(questions))
                self._listeners.append(listening)
                with people(questions):
                    await self._sit_down()
            while (
                not self._over
                and not self._stopped
                and (to_the_end or len(self.finished) < last)
            ):
                self._tell(
                    f"Round {len(self.finished) + 1} of {self.rounds.value} is being played."
                )
                assert self.run is not None
                self.finished.append(await anext(self.run))
                self.progress.max, self.progress.value = (
                    self.rounds.value or 1,
                    len(self.finished),
                )
                self._show()
                await asyncio.sleep(
                    0
                )  # so that "Stop" is heard between rounds that wait for nobody
            self._conclude()
        except (
            Exception
        ) as error:  # nobody awaits this task: what went wrong has to be shown here
            self._tell(warning(words(error)))

    @property
    def _over(self) -> bool:
        """Whether no round is left to play."""
        return len(self.finished) >= self.rounds.value

    @abstractmethod
    def _clear(self) -> None:
        """Make ready what the settings shown ask for, and forget what a play before it left."""

    @abstractmethod
    async def _sit_down(self) -> None:
        """Seat everybody, and set `run`."""

    @abstractmethod
    def record(self) -> Any:
        """The play so far, as it is stored."""

    @abstractmethod
    def _result(self) -> str:
        """What the newest round came to, in a few words."""

    @abstractmethod
    def _said(self, rounds: list[R]) -> str:
        """Some rounds, as HTML."""

    def _why(self) -> str:
        """A reason to add to the result of a round that is not the last; HTML."""
        return ""

    def _welcome(self) -> str:
        return "Press <b>Next round</b>, or play to the end."

    def _show(self) -> None:
        """Show the rounds that are finished."""
        self.shown.options = [
            "all rounds",
            *(str(n) for n in range(len(self.finished), 0, -1)),
        ]
        self._show_talk()
        self._redraw()

    def _show_talk(self) -> None:
        at, rounds = self.shown.index, self.finished[::-1]
        chosen = rounds[at - 1 : at] if at else rounds
        self.talk.value = self._said(chosen) if chosen else ""

    def _show_controls(self, *columns: w.Widget) -> None:
        """Make the lab's page, these columns above what all labs have, and begin; another setting begins anew."""
        buttons = [
            self.step_button,
            self.end_button,
            self.stop_button,
            self.new_button,
            self.progress,
        ]
        above = [
            w.HBox(columns, layout=w.Layout(**ROW)),
            w.HBox(buttons, layout=w.Layout(**ROW)),
        ]
        self.page = w.VBox(
            [
                *above,
                self.status,
                self.forms,
                self.figure,
                self.kept,
                self.shown,
                self.talk,
            ]
        )
        for each in self.controls.values():
            each.observe(lambda _: self.home.run(self.restart), "value")
        self.restart()

    def _offer_seats(
        self,
        names: Iterable[str],
        kinds: Iterable[str],
        usual: str,
        first: Mapping[str, str],
        **look: Any,
    ) -> None:
        """One choice of participant per name, as it was chosen before, as `first` says, or the `usual` one."""
        before = {**first, **self.kinds}
        known = [*offered([*kinds, MODEL], self.model), HUMAN]
        known += [kind for kind in before.values() if kind not in known]
        self.seats.children = tuple(
            w.Dropdown(
                options=known, value=before.get(name, usual), description=name, **look
            )
            for name in names
        )
        for seat in self.seats.children:
            seat.observe(lambda _: self.home.run(self.restart), "value")

    def _ask(self, question: Question) -> None:
        """Show a question to the person whom it is for."""
        if question.me not in self.persons:
            self.persons[question.me] = PersonForm(question.me)
            shown = [person.view for person in self.persons.values()]
            self.forms.children = tuple(shown)
        self.persons[question.me].ask(question)

    async def _pass_on(self, questions: asyncio.Queue[Question]) -> None:
        """Show what people are asked, for as long as this play lasts."""
        while True:
            self._ask(await questions.get())

    def _conclude(self) -> None:
        played, result = len(self.finished), self._result()
        if not self._over:
            self._tell(f"Round {played} of {self.rounds.value}: {result}.{self._why()}")
            return
        self.forms.children = ()
        if not self.stored:
            unit = self.store.save(self.sweep, self.record(), self.settings)
            self.stored = True
            many = f"{played} {'round' if played == 1 else 'rounds'}"
            what = (
                f"{self.called} {unit.repetition} of “{self.sweep}” with these settings"
            )
            self._tell(
                f"Finished after {many}: {result}. Stored in {escape(self.store.path.name)} as {what}."
            )
