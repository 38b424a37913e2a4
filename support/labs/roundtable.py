"""A round table to sit at: settings, seats, step-by-step play, a live figure; what is played goes to the store."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np
import pandas as pd
from pydantic import TypeAdapter

from support.analysis.metrics import even_split, total_utility
from support.choice import RULES
from support.errors import InvalidInput
from support.labs.base import SEEDS, control, controls, fill
from support.labs.play import PlayLab
from support.labs.roles import Asked, RoleForm
from support.plots.roundtable import draw_discussion
from support.prompts import SETS
from support.roundtable.economy import PREFERENCES, Background, exchange_economy
from support.roundtable.mechanism import MECHANISMS, Choose
from support.roundtable.negotiators import KINDS, RuleBased
from support.roundtable.records import Round, Transcript
from support.roundtable.seats import ACTS, seat_all
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
from support.seats import HUMAN, HumanSeat, Shown, Spoken

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
TITLES = {
    "message": "what do you say?",
    "propose": "what do you propose?",
    "vote": "how do you vote?",
    "choose": "what do you choose?",
}

FIELDS = {"message": "message", "propose": "proposal", "choose": "choice"}
Fields = tuple[Sequence[w.Widget], Callable[[], Any]]
"""Widgets that take an answer, and what reads it from them."""


def seat_form(
    about: str,
    me: str,
    proposal: Callable[[Any], Fields],
    line: Callable[[Any], str],
    claims: str,
) -> RoleForm:
    """The form of a person at the table; `proposal` makes the fields of a proposal, `line` says a candidate, `claims`
    what a message may state in numbers."""

    def asked(phase: str, view: Any, fields: Fields, send: str, skip: str) -> Asked:
        heard = [
            (f"{m.sender} → {', '.join(m.recipients)}:", m.text) for m in view.messages
        ]
        where = f"Round {view.round}, {view.phase.title.lower()}"
        secret = " (private)" if view.phase.private else ""
        told = fill("asked", f"{where}{secret}: {TITLES[phase]}", "", heard)
        shown, read = fields
        name = view.form if phase == "vote" else FIELDS[phase]
        given = read if phase == "message" else lambda: {name: read()}
        nothing: dict[str, Any] = {"target": [], name: None}
        return Asked(told, shown, given, send, skip, nothing)

    def message(view: Any) -> Asked:
        others = [agent for agent in view.agents if agent != me]
        to = w.SelectMultiple(
            options=others, value=others, description="to", rows=len(others)
        )
        text = w.Textarea(
            placeholder="what you want to say",
            description="message",
            layout=w.Layout(width="36rem"),
        )
        numbers = {
            name: w.Text(description=name, placeholder="not stated")
            for name in view.claims
        }
        hint = (
            f"Some read numbers only; state here what you want them to know: {claims}."
        )
        told = [w.HTML(fill("hint", hint))] if numbers else []

        def read() -> dict[str, Any]:
            typed = {name: field.value.strip() for name, field in numbers.items()}
            claim = {name: float(x) for name, x in typed.items() if x}
            said = {"target": list(to.value), "message": text.value.strip()}
            return {**said, "claim": claim} if numbers else said

        fields = [to, text, *told, *numbers.values()]
        return asked("message", view, (fields, read), "Send", "Say nothing")

    def vote(view: Any) -> Asked:
        lines = [(f"{one.id} ({', '.join(one.proposers) or 'the standing decision'})", line(one.value))
                 for one in view.candidates]  # fmt: skip
        told = fill(
            "asked",
            "",
            "" if lines else "There is no proposal.",
            lines,
            f"{view.rule}: {view.explanation}",
        )
        fields, read = BALLOTS[view.form](
            [candidate.id for candidate in view.candidates]
        )
        return asked("vote", view, ([w.HTML(told), *fields], read), "Vote", "Abstain")

    return RoleForm(
        {
            "message": message,
            "propose": lambda view: asked(
                "propose", view, proposal(view), "Propose", "No new proposal"
            ),
            "vote": vote,
            "choose": lambda view: asked(
                "choose", view, _choice(view.phase), "Choose", "Nothing"
            ),
        },
        about,
    )


def _choice(phase: Choose) -> Fields:
    """The field of an act of one's own, from its type: some names, a whole number between
    two bounds, or else JSON."""
    schema = TypeAdapter(phase.reply).json_schema()
    match schema:
        case {"enum": names}:
            fields, read = _vote(names)
        case {"type": "integer", "minimum": low, "maximum": high}:
            number = w.BoundedIntText(
                low, min=low, max=high, description=f"{low} to {high}"
            )
            fields, read = [number], lambda: number.value
        case _:
            return _typed(phase.asks)
    return [w.HTML(fill("asked", "", f"You choose {phase.asks}.")), *fields], read


def _typed(expected: str) -> Fields:
    """A field in which an answer is typed as JSON."""
    field = w.Text(placeholder="as JSON", layout=w.Layout(width="36rem"))

    def read() -> Any:
        try:
            return json.loads(field.value)
        except ValueError:
            raise InvalidInput(
                f"{field.value!r} given; expected {expected}, as JSON"
            ) from None

    return [w.HTML(fill("asked", "", expected)), field], read


def market_seat(background: Background) -> RoleForm:
    """The seat of a person in the exchange economy, who knows this background, and proposes amounts of each good."""
    b = background
    weights = ", ".join(
        f"{good}: {weight:.3g}" for good, weight in zip(b.goods, b.weights, strict=True)
    )
    about = (
        f"Only you know your exponents: {weights}. More of a good with a larger exponent is worth more to you; with "
        "none of a good your utility is 0."
    )

    def proposal(view: Any) -> Fields:
        even = [round(b.endowment / len(b.agents), 2)] * len(b.goods)
        latest = dict(view.latest).get(b.me) or [even] * len(b.agents)
        look: Any = {"layout": w.Layout(width="8rem"), "step": 1}
        look["style"] = {"description_width": "2rem"}
        cells = {
            agent: [w.FloatText(value=x, **look) for x in row]
            for agent, row in zip(b.agents, latest, strict=True)
        }
        total = w.HTML()

        def read() -> dict[str, dict[str, float]]:
            return {
                agent: {cell.description: cell.value for cell in row}
                for agent, row in cells.items()
            }

        def show_totals(_: Any = None) -> None:
            sums = pd.DataFrame(read()).sum(axis=1).items()
            told = ", ".join(f"{good}: {x:g}" for good, x in sums)
            total.value = f"Sums, {b.endowment:g} each: {told}"

        for row in cells.values():
            for good, cell in zip(b.goods, row, strict=True):
                cell.description = good
                cell.observe(show_totals, "value")
        show_totals()
        name = w.Layout(width="5rem")
        rows = [w.HBox([w.Label(a, layout=name), *row]) for a, row in cells.items()]
        return [*rows, total], read

    def line(value: Any) -> str:
        rows = zip(b.agents, value, strict=True)
        amounts = "; ".join(
            f"{agent}: " + ", ".join(f"{x:g}" for x in row) for agent, row in rows
        )
        return f"{amounts} – your utility {b.utility(value[b.index]):.1f}"

    about = fill("about", b.me, about)
    return seat_form(about, b.me, proposal, line, "your exponent of each good")


def own_seat(me: str, environment: Any) -> RoleForm:
    """The same in an environment of the user's own: a proposal is typed as JSON, as its `form` asks a model for it."""

    return seat_form(
        fill("about", me, environment.goal(me, Shown())),
        me,
        lambda view: _typed(environment.form()),
        environment.describe,
        getattr(environment, "claim_words", ""),
    )


def _vote(ids: list[str]) -> Fields:
    choice = w.RadioButtons(options=ids, value=None)
    return [choice], lambda: choice.value


def _ranking(ids: list[str]) -> Fields:
    places = [
        w.Dropdown(options=ids, value=c, description=f"{i}.")
        for i, c in enumerate(ids, start=1)
    ]
    return list(places), lambda: [place.value for place in places]


def _numbers(ids: list[str], make: type[w.Widget], **span: int) -> Fields:
    fields: dict[str, Any] = {c: make(description=c, **span) for c in ids}
    return list(fields.values()), lambda: {
        c: field.value for c, field in fields.items()
    }


BALLOTS: Mapping[str, Callable[[list[str]], Fields]] = {
    "vote": _vote,
    "ranking": _ranking,
    "ratings": lambda ids: _numbers(ids, w.IntSlider, value=3, min=1, max=5),
    "points": lambda ids: _numbers(ids, w.BoundedIntText, value=1, min=0, max=len(ids)),
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
        people = {
            a: HumanSeat(ACTS, self.economy, me=a)
            for a, kind in self.kinds.items()
            if kind == HUMAN
        }
        s, rng = self.settings, np.random.default_rng(self.settings["seed"])
        spoken = Spoken(self.model, prompts=s["prompts"])
        self.people = seat_all(
            self.economy, {**self.kinds, **people}, rng, spoken=spoken
        )
        self.forms.children = tuple(self._form(seat).view for seat in people.values())
        how = {name: s[name] for name in ("mechanism", "rounds")}
        self.table = Table(self.economy, self.people, s["rule"], rng=rng, **how)
        self.run = self.table.discuss(as_stop(s.get("stop")))
        self.crowd = await self._simulate()

    def _form(self, seat: HumanSeat) -> RoleForm:
        form = (
            own_seat(seat.me, self.economy)
            if self._own
            else market_seat(self.economy.background(seat.me))
        )
        self._listen(seat.questions, form.ask)
        return form

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
