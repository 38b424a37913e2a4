"""What the labs share: a play by steps or to its end, seats for people, words on how it stands, its way to the store.

A lab adds its controls, how its play begins, and how it is shown.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import ipywidgets as w

from support.errors import ConveneError
from support.models.profiles import MODEL, is_model
from support.runs.study import Store
from support.seats import Question
from support.widgets.home import Home

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

HUMAN = "human"
R = TypeVar("R")


class PlayLab(ABC, Generic[R]):
    """Seats, buttons and a live figure around one play in rounds, each of which leaves a record R in `finished`.

    Parameters
    ----------
    store : Store
        Where finished plays go, as units of the sweep `sweep`.
    model : ChatModel or str, optional
        Offered as the kind of participant "model" when it, or its name, is given.
    again : str
        What the button says that begins anew.
    width : str
        The figure's widest, in CSS.
    """

    sweep: ClassVar[str]
    called: ClassVar[str]
    """What one play is called where it is said that it is stored."""
    place: ClassVar[str]
    """Where a person is asked."""

    rounds: Any
    """The control that shows T; a lab makes it."""
    run: AsyncIterator[R] | None

    def __init__(self, store: Store, model: ChatModel | str | None, *, again: str, width: str) -> None:
        self.store, self.model = store, model
        self.seats = w.VBox()
        self.step_button = w.Button(description="Next round", button_style="primary")
        self.end_button = w.Button(description="Play to the end")
        self.new_button = w.Button(description=again)
        self.figure = w.Image(format="png", layout=w.Layout(width="100%", max_width=width))
        self.status, self.talk, self.forms = w.HTML(), w.HTML(), w.VBox()
        self.task: asyncio.Task[None] | None = None
        self._listeners: list[asyncio.Task[None]] = []
        self.home = Home()
        self.step_button.on_click(lambda _: self.start(to_the_end=False))
        self.end_button.on_click(lambda _: self.start(to_the_end=True))
        self.new_button.on_click(lambda _: self.restart())

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, Any]:
        """What the controls show."""

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of participant chosen for each seat."""
        return {seat.description: seat.value for seat in self.seats.children}

    def restart(self) -> None:
        """Begin anew with the settings shown; a play at hand is given up."""
        for task in (*self._listeners, *([self.task] if self.task else [])):
            task.cancel()
        self._listeners, self.task = [], None
        self.finished: list[R] = []
        self.run = None
        self.stored = False
        self.forms.children = ()
        self._clear()
        self._tell(self._welcome())
        self.talk.value = ""
        self._redraw()

    def start(self, *, to_the_end: bool) -> None:
        """Play one round, or all that are left, in the background; a person is waited for."""
        if self.task and not self.task.done():
            self._tell(f"A round is being played; it waits for the {self.place} below.")
            return
        self.home.run(lambda: self._go(to_the_end))

    def _go(self, to_the_end: bool) -> None:
        self.task = asyncio.ensure_future(self.advance(to_the_end=to_the_end))

    async def advance(self, *, to_the_end: bool = False) -> None:
        """Play one round, or all that are left, and show them; store the play when it is over."""
        try:
            if self.run is None:
                await self._sit_down()
            while not self._over:
                self._tell(f"Round {len(self.finished) + 1} of {self.rounds.value} is being played.")
                assert self.run is not None
                self.finished.append(await anext(self.run))
                self._show()
                if not to_the_end:
                    break
            self._conclude()
        except Exception as error:  # nobody awaits this task: what went wrong has to be shown here
            name = "" if isinstance(error, ConveneError) else f"{type(error).__name__}: "
            self._tell(warning(name + str(error)))

    @property
    def _over(self) -> bool:
        """Whether no round is left to play."""
        return len(self.finished) >= self.rounds.value

    @abstractmethod
    def draw(self) -> Figure:
        """The live figure as it is now, for a page without a kernel."""

    @abstractmethod
    def _clear(self) -> None:
        """Make ready what the settings shown ask for, and forget what a play before it left."""

    @abstractmethod
    async def _sit_down(self) -> None:
        """Seat everybody, and set `run`."""

    @abstractmethod
    def _redraw(self) -> None:
        """Put what `draw` draws into `figure`."""

    @abstractmethod
    def _show(self) -> None:
        """Show the rounds that are finished."""

    @abstractmethod
    def _record(self) -> Any:
        """What is stored of a finished play."""

    @abstractmethod
    def _result(self) -> str:
        """What the newest round came to, in a few words."""

    def _why(self) -> str:
        """A reason to add to the result of a round that is not the last; HTML."""
        return ""

    def _welcome(self) -> str:
        return "Press <b>Next round</b>, or play to the end."

    def _layout(self, controls: w.Widget) -> w.VBox:
        """The lab's page: the controls above what all labs have."""
        buttons = w.HBox([self.step_button, self.end_button, self.new_button])
        return w.VBox([controls, buttons, self.status, self.forms, self.figure, self.talk])

    def _offer_seats(self, names: Iterable[str], kinds: Iterable[str], stand_in: str, **look: Any) -> None:
        """One choice of participant per name; those made already for somebody are kept."""
        before = self.kinds
        known = [*offered([*kinds, MODEL], self.model), HUMAN]
        seats = [w.Dropdown(options=known, value=before.get(n, stand_in), description=n, **look) for n in names]
        for seat in seats:
            seat.observe(lambda _: self.restart(), "value")
        self.seats.children = tuple(seats)

    def _listen(self, questions: asyncio.Queue[Question], ask: Callable[[Question], None]) -> None:
        """Pass the questions to a person on to the form, for as long as this play lasts."""

        async def pass_on() -> None:
            while True:
                ask(await questions.get())

        self._listeners.append(asyncio.ensure_future(pass_on()))

    def _conclude(self) -> None:
        played, result = len(self.finished), self._result()
        if not self._over:
            self._tell(f"Round {played} of {self.rounds.value}: {result}.{self._why()}")
            return
        self.forms.children = ()
        if not self.stored:
            unit = self.store.save(self.sweep, self._record(), self.settings)
            self.stored = True
            self._tell(
                f"Finished after {played} {'round' if played == 1 else 'rounds'}: {result}. "
                f"Stored in {escape(self.store.path.name)} as {self.called} {unit.repetition} of “{self.sweep}” with "
                "these settings."
            )

    def _tell(self, text: str) -> None:
        self.status.value = f'<div class="convene-status" role="status">{text}</div>'


def offered(kinds: Iterable[str], model: ChatModel | str | None, chosen: str = "") -> list[str]:
    """The kinds of a menu: "model" where there is one, and the one that is chosen at first, where it is a model's name.

    >>> offered(["rule-based", "model"], None, "model:chat")
    ['rule-based', 'model:chat']
    """
    kept = [kind for kind in kinds if model or kind != MODEL]
    return [*kept, chosen] if is_model(chosen) and chosen not in kept else kept


def warning(text: str) -> str:
    """Words on what went wrong, or cannot be, as HTML."""
    return f'<span style="color:#8a3b00">{escape(text)}</span>'
