"""A round table to sit at: settings, seats, step-by-step play, a live figure; what is played goes to the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np

from support.analysis.metrics import total_utility
from support.choice import RULES
from support.environments.exchange_economy import PREFERENCES, ExchangeEconomy, exchange_economy
from support.errors import ConveneError
from support.figures import draw_discussion, png
from support.mechanisms.roundtable import play, roundtable, transcript
from support.participants.human import HumanSeat
from support.participants.negotiators.protocol import Negotiator
from support.participants.negotiators.rule_based import KINDS
from support.participants.negotiators.seating import MODEL, seat_all
from support.records import Round, Transcript
from support.store import Store
from support.transcripts import rounds_to_html
from support.widgets.forms import SeatForm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.llm import ChatModel

HUMAN = "human"
SWEEP = "round table"
CROWD = 20
STAND_IN = "conceder"


class RoundTableLab:
    """Controls over one discussion on the exchange economy. Display `lab.view`.

    Parameters
    ----------
    store : Store
        Where finished discussions go, as units of the sweep "round table".
    model : ChatModel, optional
        Offered as a kind of participant when it is given.
    rule, preferences, agents, rounds, seed
        What the controls show at first.
    """

    def __init__(
        self,
        store: Store,
        model: ChatModel | None = None,
        *,
        rule: str = "majority",
        preferences: str = "asymmetric",
        agents: int = 3,
        rounds: int = 10,
        seed: int = 1,
    ) -> None:
        self.store, self.model = store, model
        self.rule = w.Dropdown(options=list(RULES), value=rule, description="rule")
        self.preferences = w.Dropdown(options=PREFERENCES, value=preferences, description="preferences")
        self.agents = w.IntSlider(value=agents, min=2, max=5, description="agents")
        self.rounds = w.IntSlider(value=rounds, min=1, max=20, description="rounds")
        self.seed = w.IntText(value=seed, description="seed")
        self.seats = w.VBox()
        self.step_button = w.Button(description="Next round", button_style="primary")
        self.end_button = w.Button(description="Play to the end")
        self.new_button = w.Button(description="New discussion")
        self.status, self.figure, self.talk, self.forms = w.HTML(), _image(), w.HTML(), w.VBox()
        self.task: asyncio.Task[None] | None = None
        self._listeners: list[asyncio.Task[None]] = []
        self.view = self._layout()
        self._seat_choices()
        self._connect()
        self.restart()

    def _layout(self) -> w.VBox:
        controls = w.HBox([w.VBox([self.rule, self.preferences, self.agents, self.rounds, self.seed]), self.seats])
        buttons = w.HBox([self.step_button, self.end_button, self.new_button])
        return w.VBox([controls, buttons, self.status, self.forms, self.figure, self.talk])

    def _connect(self) -> None:
        self.agents.observe(lambda _: self._seat_choices(), "value")
        for control in (self.rule, self.preferences, self.agents, self.rounds, self.seed):
            control.observe(lambda _: self.restart(), "value")
        self.step_button.on_click(lambda _: self.start(to_the_end=False))
        self.end_button.on_click(lambda _: self.start(to_the_end=True))
        self.new_button.on_click(lambda _: self.restart())

    def _seat_choices(self) -> None:
        """One choice of participant per agent; those made already are kept."""
        before = {seat.description: seat.value for seat in self.seats.children}
        kinds = [*KINDS, *([MODEL] if self.model else []), HUMAN]
        names = exchange_economy(self.preferences.value, self.agents.value).agents
        seats = [w.Dropdown(options=kinds, value=before.get(name, STAND_IN), description=name) for name in names]
        for seat in seats:
            seat.observe(lambda _: self.restart(), "value")
        self.seats.children = tuple(seats)

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of participant chosen for each agent."""
        return {seat.description: seat.value for seat in self.seats.children}

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        return {
            "rule": self.rule.value,
            "preferences": self.preferences.value,
            "seats": self.kinds,
            "rounds": self.rounds.value,
            "seed": self.seed.value,
        }

    def restart(self) -> None:
        """Clear the table for the settings shown; a discussion at hand is given up."""
        for task in (*self._listeners, *([self.task] if self.task else [])):
            task.cancel()
        self._listeners, self.task = [], None
        self.economy: ExchangeEconomy = exchange_economy(self.preferences.value, self.agents.value)
        self.finished: list[Round] = []
        self.table: AsyncIterator[Round] | None = None
        self.stored = False
        self.forms.children = ()
        self.people: dict[str, Negotiator] = {}
        self.crowd: np.ndarray | None = None
        self._tell("Press <b>Next round</b>, or play to the end.")
        self.talk.value, self.figure.value = "", png(self.draw())

    def start(self, *, to_the_end: bool) -> None:
        """Play one round, or all that are left, in the background; a human seat is waited for."""
        if self.task and not self.task.done():
            self._tell("A round is being played; it waits for the seat below.")
            return
        self.task = asyncio.ensure_future(self.advance(to_the_end=to_the_end))

    async def advance(self, *, to_the_end: bool = False) -> None:
        """Play one round, or all that are left, and show them; store the discussion when it is over."""
        try:
            await self._sit_down()
            while len(self.finished) < self.rounds.value:
                self._tell(f"Round {len(self.finished) + 1} of {self.rounds.value} is being played.")
                assert self.table is not None
                self.finished.append(await anext(self.table))
                self._show()
                if not to_the_end:
                    break
            self._conclude()
        except Exception as error:  # nobody awaits this task: what went wrong has to be shown here
            name = "" if isinstance(error, ConveneError) else f"{type(error).__name__}: "
            self._tell(f'<span style="color:#8a3b00">{escape(name + str(error))}</span>')

    async def _sit_down(self) -> None:
        if self.table is not None:
            return
        people = {a: HumanSeat(a, self.economy.validate) for a, kind in self.kinds.items() if kind == HUMAN}
        rng = np.random.default_rng(self.seed.value)
        self.people = seat_all(self.economy, {**self.kinds, **people}, rng, model=self.model)
        self.forms.children = tuple(self._listen(seat).view for seat in people.values())
        self.table = roundtable(self.economy, self.people, self.rule.value, rounds=self.rounds.value, rng=rng)
        self.crowd = await self._simulate()

    def _listen(self, seat: HumanSeat) -> SeatForm:
        form = SeatForm(self.economy.background(seat.me))

        async def pass_on() -> None:
            while True:
                form.ask(await seat.questions.get())

        self._listeners.append(asyncio.ensure_future(pass_on()))
        return form

    async def _simulate(self) -> np.ndarray:
        """Curves of rule-based discussions with the same settings and other seeds, shape (CROWD, rounds).

        Conceders sit in for people and models.
        """
        kinds = {agent: kind if kind in KINDS else STAND_IN for agent, kind in self.kinds.items()}
        streams = np.random.default_rng(self.seed.value).spawn(CROWD)
        crowd = [
            await play(self.economy, seat_all(self.economy, kinds, rng), self.rule.value, rounds=self.rounds.value)
            for rng in streams
        ]
        return np.stack([total_utility(t, self.rounds.value) for t in crowd])

    @property
    def transcript(self) -> Transcript:
        """The discussion so far."""
        return transcript(self.economy, self.people, self.rule.value, self.finished, seed=self.seed.value)

    def _show(self) -> None:
        self.figure.value = png(self.draw())
        newest_first = list(reversed(self.finished))
        self.talk.value = rounds_to_html(newest_first, self.economy.agents, title="Newest round first")

    def draw(self) -> Figure:
        """The live figure as it is now, for a page without a kernel."""
        curve = total_utility(self.transcript) if self.finished else np.array([])
        decision = self.finished[-1].decision if self.finished else None
        e = self.economy
        return draw_discussion(
            curve, decision.value if decision else None, e.agents, e.goods, self.rounds.value, self.crowd
        )

    def _conclude(self) -> None:
        played, last = len(self.finished), self.finished[-1]
        decided = f"{last.decision.candidate} stands" if last.decision else "nothing is decided"
        if played < self.rounds.value:
            self._tell(f"Round {played} of {self.rounds.value}: {decided}. {escape(last.why)}")
            return
        self.forms.children = ()
        if not self.stored:
            unit = self.store.save(SWEEP, self.transcript, self.settings)
            self.stored = True
            self._tell(
                f"Finished after {played} rounds: {decided}. Stored in {escape(self.store.path.name)} "
                f"as discussion {unit.repetition} of “{SWEEP}” with these settings."
            )

    def _tell(self, text: str) -> None:
        self.status.value = f'<div class="convene-status" role="status">{text}</div>'


def _image() -> w.Image:
    return w.Image(format="png", layout=w.Layout(width="100%", max_width="860px"))
