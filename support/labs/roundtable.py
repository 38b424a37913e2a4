"""A round table to sit at: settings, seats, step-by-step play, a live figure; what is played goes to the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np

from support.analysis.metrics import even_split, total_utility
from support.choice import RULES
from support.labs.base import SEEDS, control, controls
from support.labs.play import PlayLab
from support.plots.roundtable import draw_discussion
from support.prompts import SETS
from support.roundtable.economy import PREFERENCES, exchange_economy
from support.roundtable.mechanism import MECHANISMS
from support.roundtable.negotiators import KINDS, RuleBased
from support.roundtable.records import Round, Transcript
from support.roundtable.seats import seat_all
from support.roundtable.study import roundtable_exchange
from support.roundtable.table import (
    ENVIRONMENTS,
    STOPS,
    Table,
    as_stop,
    play,
)
from support.runs.pages import to_html
from support.runs.study import Store
from support.seats import HUMAN, Spoken

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

SWEEP, STAND_IN = "round table", "conceder"
CROWD = 20
ECONOMY, MARKET = "exchange_economy", ("preferences", "agents")
"""The environment that the lab begins with, and the controls that no other has."""
RANGES = {
    "rule": RULES,
    "mechanism": MECHANISMS,
    "preferences": PREFERENCES,
    "agents": (2, 5),
    "rounds": (1, 20),
}


class RoundTableLab(PlayLab[Round]):
    """Controls over one discussion on the exchange economy, as `roundtable_exchange` plays it. Display `lab.view`.

    The arguments beside `store` and `model` say what the controls show at first; `seats` is {name: kind}. What is
    registered is in the menus: a rule in `RULES`, a mechanism in `MECHANISMS`, a stopping rule in `STOPS`, an agent's
    class in `KINDS`, an environment that needs no `spec` in `ENVIRONMENTS`; `prompts` is a set of ours, or a folder
    that may go before it.
    """

    sweep, called, place, study = SWEEP, "discussion", "seat", "roundtable_exchange"

    def __init__(
        self,
        store: Store,
        model: ChatModel | str | None = None,
        *,
        seed: int = 1,
        seats: Mapping[str, str] | None = None,
        environment: str = ECONOMY,
        prompts: str | Path = "plain",
        **first: Any,
    ) -> None:
        super().__init__(store, model, again="New discussion", width="860px")
        self.controls = controls(
            roundtable_exchange, RANGES, **{"rule": "majority", **first}
        )
        self.controls["seed"] = control("seed", SEEDS, seed)
        if len(matters := [name for name in ENVIRONMENTS if name != "movielens"]) > 1:
            self.controls["environment"] = control("environment", matters, environment)
            self.controls["environment"].observe(lambda _: self._turn(), "value")
        sets = list(dict.fromkeys([*SETS, str(prompts)]))
        self.controls["prompts"] = control("prompts", sets, str(prompts))
        if STOPS:
            names = [("none", None), *((name, name) for name in STOPS)]
            self.controls["stop"] = control("stop", names, None)
        self.rounds = self.controls["rounds"]
        self._seat_choices(seats or {})
        self.controls["agents"].observe(lambda _: self._seat_choices({}), "value")
        self._show_controls(w.VBox(list(self.controls.values())), self.seats)

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        shown = {
            name: value
            for name, value in super().settings.items()
            if not (self._own and name in MARKET)
        }
        return shown | {"seats": self.kinds}

    @property
    def _own(self) -> bool:
        """Whether an environment of the user's own is chosen."""
        return (
            "environment" in self.controls
            and self.controls["environment"].value != ECONOMY
        )

    def _economy(self) -> Any:
        if self._own:
            return ENVIRONMENTS[name := self.controls["environment"].value](
                {"name": name}
            )
        return exchange_economy(*(self.controls[name].value for name in MARKET))

    def _turn(self) -> None:
        """Another matter, other people."""
        self.seats.children = ()
        self._seat_choices({})

    def _seat_choices(self, first: Mapping[str, str]) -> None:
        """Ours, and the user's own; at a table of the user's own, who knows no exchange economy."""
        kinds = [
            kind
            for kind, cls in KINDS.items()
            if not (self._own and issubclass(cls, RuleBased))
        ]
        for name in MARKET:
            self.controls[name].layout.display = "none" if self._own else ""
        usual = [*kinds, HUMAN][0] if self._own or first else STAND_IN
        self._offer_seats(self._economy().agents, kinds, usual, first)

    def _clear(self) -> None:
        self.economy = self._economy()
        self.people: dict[str, Any] = {}
        self.crowd: np.ndarray | None = None

    async def _sit_down(self) -> None:
        s, rng = self.settings, np.random.default_rng(self.settings["seed"])
        spoken = Spoken(self.model, prompts=s["prompts"])
        self.people = seat_all(self.economy, self.kinds, rng, spoken=spoken)
        how = {name: s[name] for name in ("mechanism", "rounds")}
        self.table = Table(self.economy, self.people, s["rule"], rng=rng, **how)
        self.run = self.table.discuss(as_stop(s.get("stop")))
        self.crowd = await self._simulate()

    async def _simulate(self) -> np.ndarray | None:
        """Curves of rule-based discussions with the same settings and other seeds, shape (CROWD, rounds).

        Conceders sit in for people and models; in an environment of the user's own, or with an act of the user's own,
        there are none.
        """
        stages = self.table.stages
        acts = {phase.act for one in stages for phase in one.mechanism.phases}
        if self._own or "choose" in acts:
            return None
        s = self.settings
        kinds = {
            agent: kind if kind in KINDS else STAND_IN
            for agent, kind in self.kinds.items()
        }
        crowd = [
            await play(
                self.economy,
                seat_all(self.economy, kinds, rng),
                s["rule"],
                mechanism=s["mechanism"],
                rounds=s["rounds"],
            )
            for rng in np.random.default_rng(s["seed"]).spawn(CROWD)
        ]
        return np.stack([total_utility(t, s["rounds"]) for t in crowd])

    def record(self) -> Transcript:
        """The discussion so far."""
        return self.table.record(self.finished, seed=self.settings["seed"])

    def draw(self) -> Figure:
        """Utility round by round, and what stands."""
        curve = total_utility(self.record()) if self.finished else np.array([])
        decision = self.finished[-1].decision if self.finished else None
        e = self.economy
        standing, told, goods = (
            decision.value if decision else None,
            "",
            getattr(e, "goods", ()),
        )
        if decision and not goods:
            standing, told = None, e.describe(decision.value)
        even = even_split(e)
        return draw_discussion(
            curve, standing, e.agents, goods, self.rounds.value, self.crowd, told, even
        )

    def _said(self, rounds: list[Round]) -> str:
        shown = replace(self.record(), rounds=tuple(map(self._public, rounds)))
        return to_html(shown, title="Newest round first")

    def _public(self, entry: Round) -> Round:
        """A round as a person at the table may see it."""
        here = {agent for agent, kind in self.kinds.items() if kind == HUMAN}
        if not here:
            return entry
        messages = (
            m
            for m in entry.messages
            if not m.private or here & {m.sender, *m.recipients}
        )
        chosen = (c for c in entry.chosen if not c.private or c.agent in here)
        return replace(entry, messages=tuple(messages), chosen=tuple(chosen))

    def _result(self) -> str:
        decision = self.finished[-1].decision
        return f"{decision.candidate} stands" if decision else "nothing is decided"

    def _why(self) -> str:
        return f" {escape(self.finished[-1].why)}"
