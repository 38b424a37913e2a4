"""A round table to sit at: settings, seats, step-by-step play, a live figure; what is played goes to the store."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np

from support.analysis.metrics import total_utility
from support.choice import RULES
from support.draw import png
from support.plots.roundtable import draw_discussion
from support.roundtable.economy import PREFERENCES, ExchangeEconomy, exchange_economy
from support.roundtable.negotiators import KINDS
from support.roundtable.records import Round, Transcript
from support.roundtable.seats import negotiator, seat_all
from support.roundtable.table import play, roundtable, transcript
from support.runs.pages import rounds_to_html
from support.runs.study import Store
from support.seats import HumanSeat
from support.widgets.forms import SeatForm
from support.widgets.play import HUMAN, PlayLab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

SWEEP = "round table"
CROWD = 20
STAND_IN = "conceder"


class RoundTableLab(PlayLab[Round]):
    """Controls over one discussion on the exchange economy. Display `lab.view`.

    Parameters
    ----------
    store : Store
        Where finished discussions go, as units of the sweep "round table".
    model : ChatModel or str, optional
        Offered as a kind of participant when it is given.
    rule, preferences, agents, rounds, seed
        What the controls show at first.
    """

    sweep, called, place = SWEEP, "discussion", "seat"

    def __init__(
        self,
        store: Store,
        model: ChatModel | str | None = None,
        *,
        rule: str = "majority",
        preferences: str = "asymmetric",
        agents: int = 3,
        rounds: int = 10,
        seed: int = 1,
    ) -> None:
        super().__init__(store, model, again="New discussion", width="860px")
        self.rule = w.Dropdown(options=list(RULES), value=rule, description="rule")
        self.preferences = w.Dropdown(options=PREFERENCES, value=preferences, description="preferences")
        self.agents = w.IntSlider(value=agents, min=2, max=5, description="agents")
        self.rounds = w.IntSlider(value=rounds, min=1, max=20, description="rounds")
        self.seed = w.IntText(value=seed, description="seed")
        asked = w.VBox([self.rule, self.preferences, self.agents, self.rounds, self.seed])
        self.view = self._layout(w.HBox([asked, self.seats]))
        self._seat_choices()
        self._connect()
        self.restart()

    def _connect(self) -> None:
        self.agents.observe(lambda _: self._seat_choices(), "value")
        for control in (self.rule, self.preferences, self.agents, self.rounds, self.seed):
            control.observe(lambda _: self.restart(), "value")

    def _seat_choices(self) -> None:
        self._offer_seats(exchange_economy(self.preferences.value, self.agents.value).agents, KINDS, STAND_IN)

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

    def _clear(self) -> None:
        self.economy: ExchangeEconomy = exchange_economy(self.preferences.value, self.agents.value)
        self.people: dict[str, Any] = {}
        self.crowd: np.ndarray | None = None

    async def _sit_down(self) -> None:
        people = {a: negotiator().person(a, self.economy) for a, kind in self.kinds.items() if kind == HUMAN}
        rng = np.random.default_rng(self.seed.value)
        self.people = seat_all(self.economy, {**self.kinds, **people}, rng, model=self.model)
        self.forms.children = tuple(self._form(seat).view for seat in people.values())
        self.run = roundtable(self.economy, self.people, self.rule.value, rounds=self.rounds.value, rng=rng)
        self.crowd = await self._simulate()

    def _form(self, seat: HumanSeat) -> SeatForm:
        form = SeatForm(self.economy.background(seat.me))
        self._listen(seat.questions, form.ask)
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
        self._redraw()
        newest_first = list(reversed(self.finished))
        self.talk.value = rounds_to_html(newest_first, self.economy.agents, title="Newest round first")

    def _redraw(self) -> None:
        self.figure.value = png(self.draw())

    def draw(self) -> Figure:
        """The live figure as it is now, for a page without a kernel."""
        curve = total_utility(self.transcript) if self.finished else np.array([])
        decision = self.finished[-1].decision if self.finished else None
        e = self.economy
        return draw_discussion(
            curve, decision.value if decision else None, e.agents, e.goods, self.rounds.value, self.crowd
        )

    def _record(self) -> Transcript:
        return self.transcript

    def _result(self) -> str:
        decision = self.finished[-1].decision
        return f"{decision.candidate} stands" if decision else "nothing is decided"

    def _why(self) -> str:
        return f" {escape(self.finished[-1].why)}"
