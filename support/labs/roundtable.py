"""A round table to sit at: settings, seats, step-by-step play, a live figure; what is played goes to the store."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np

from support.analysis.metrics import total_utility
from support.choice import RULES
from support.errors import InvalidInput
from support.labs.base import SEEDS, PlayLab, control, controls, warning
from support.plots.roundtable import draw_discussion
from support.roundtable.economy import PREFERENCES, Background, exchange_economy
from support.roundtable.negotiators import KINDS, RuleBased
from support.roundtable.records import Message, Round, Transcript
from support.roundtable.seats import negotiator, seat_all
from support.roundtable.study import roundtable_exchange
from support.roundtable.table import ENVIRONMENTS, ROUNDS, play, roundtable, transcript
from support.runs.pages import rounds_to_html
from support.runs.study import Store
from support.seats import HUMAN, HumanSeat, Question, Shown, Spoken

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

SWEEP, STAND_IN = "round table", "conceder"
CROWD = 20
ECONOMY, MARKET = "exchange_economy", ("preferences", "agents")
"""The environment that the lab begins with, and the controls that no other has."""
RANGES = {"rule": RULES, "preferences": PREFERENCES, "agents": (2, 5), "rounds": (1, 20)}
TITLES = {"message": "what do you say?", "propose": "what do you propose?", "vote": "how do you vote?"}


class SeatForm:
    """The form of one human seat: shows the question at hand, gives its answer, keeps what was typed on an error.

    `background` is what the person may know: shown above the form.
    """

    def __init__(self, background: Background) -> None:
        self.background = background
        self.error = w.HTML()
        self.error.add_class("convene-error")
        self.view = w.VBox([w.HTML(self._about())])

    def _about(self) -> str:
        b = self.background
        weights = ", ".join(f"{good}: {weight:.3g}" for good, weight in zip(b.goods, b.weights, strict=True))
        return (
            f"<b>You are {escape(b.me)}.</b> Only you know your exponents: {weights}. "
            "More of a good with a larger exponent is worth more to you; with none of a good your utility is 0."
        )

    def ask(self, question: Question) -> None:
        """Show the form for a question; its buttons answer it."""
        make = {"message": self._message, "propose": self._proposal, "vote": self._ballot}[question.phase]
        fields, read, send, skip = make(question)
        self.error.value = ""
        buttons = [
            self._button(send, "primary", lambda: question.answer(read())),
            self._button(skip, "", lambda: question.answer(None)),
        ]
        title = w.HTML(f"<b>Round {question.view.round}: {TITLES[question.phase]}</b>")
        said = w.HTML("".join(_heard(m) for m in question.view.messages))
        self.view.children = (w.HTML(self._about()), title, said, *fields, w.HBox(buttons), self.error)

    def rest(self) -> None:
        """Nothing is asked: show a note in the place of a form."""
        self.view.children = (w.HTML(self._about()), w.HTML("<i>The others are at work.</i>"))

    def _button(self, label: str, style: str, act: Callable[[], None]) -> w.Button:
        button = w.Button(description=label, button_style=style)

        def clicked(_: Any) -> None:
            try:
                act()
            except InvalidInput as error:
                self.error.value = warning(str(error))
            else:
                self.rest()

        button.on_click(clicked)
        return button

    def _message(self, question: Question) -> tuple:
        others = [a for a in question.view.agents if a != self.background.me]
        to = w.SelectMultiple(options=others, value=others, description="to", rows=len(others))
        text = w.Textarea(placeholder="what you want to say", description="message", layout=w.Layout(width="36rem"))
        return [to, text], lambda: (to.value, text.value), "Send", "Say nothing"

    def _proposal(self, question: Question) -> tuple:
        b = self.background
        latest = dict(question.view.latest).get(b.me)
        even = b.endowment / len(b.agents)
        cells = {
            (agent, good): w.FloatText(
                value=latest[i][k] if latest else round(even, 2), layout=w.Layout(width="6rem"), step=1
            )
            for i, agent in enumerate(b.agents)
            for k, good in enumerate(b.goods)
        }
        total = w.HTML()

        def show_totals(_: Any = None) -> None:
            sums = {good: sum(cells[a, good].value for a in b.agents) for good in b.goods}
            total.value = f"Sums, {b.endowment:g} each: " + ", ".join(f"{g}: {s:g}" for g, s in sums.items())

        for cell in cells.values():
            cell.observe(show_totals, "value")
        show_totals()
        head = w.HBox([w.Label("", layout=w.Layout(width="5rem"))] + [
            w.Label(f"good {good}", layout=w.Layout(width="6rem")) for good in b.goods
        ])  # fmt: skip
        rows = [
            w.HBox([w.Label(agent, layout=w.Layout(width="5rem")), *(cells[agent, good] for good in b.goods)])
            for agent in b.agents
        ]
        return [head, *rows, total], lambda: self._read(cells), "Propose", "No new proposal"

    def _read(self, cells: dict[tuple[str, str], w.FloatText]) -> dict[str, dict[str, float]]:
        return {a: {g: cells[a, g].value for g in self.background.goods} for a in self.background.agents}

    def _ballot(self, question: Question) -> tuple:
        ids = [c.id for c in question.view.candidates]
        listing = w.HTML("<br>".join(self._line(c) for c in question.view.candidates) or "There is no proposal.")
        hint = w.HTML(f"<i>{escape(question.view.rule)}: {escape(question.view.explanation)}</i>")
        fields, read = BALLOTS[question.view.form](ids)
        return [listing, hint, *fields], read, "Vote", "Abstain"

    def _line(self, candidate: Any) -> str:
        b = self.background
        utility = b.utility(candidate.value[b.index])
        rows = zip(b.agents, candidate.value, strict=True)
        amounts = "; ".join(f"{agent}: " + ", ".join(f"{x:g}" for x in row) for agent, row in rows)
        who = ", ".join(candidate.proposers) or "the standing decision"
        return f"<b>{candidate.id}</b> ({escape(who)}) {escape(amounts)} – your utility {utility:.1f}"


class OwnForm(SeatForm):
    """The same in an environment of the user's own: a proposal is typed as JSON, as its `form` asks a model for it."""

    def __init__(self, me: str, environment: Any) -> None:
        self.environment = environment
        super().__init__(SimpleNamespace(me=me))  # type: ignore[arg-type]

    def _about(self) -> str:
        me = self.background.me
        return f"<b>You are {escape(me)}.</b> {escape(self.environment.goal(me, Shown()))}"

    def _proposal(self, question: Question) -> tuple:
        field = w.Text(placeholder="as JSON", description="proposal", layout=w.Layout(width="36rem"))

        def read() -> Any:
            try:
                return json.loads(field.value)
            except ValueError:
                raise InvalidInput(f"proposal: {field.value!r} given; expected {self.environment.form()}") from None

        return [w.HTML(escape(self.environment.form())), field], read, "Propose", "No new proposal"

    def _line(self, candidate: Any) -> str:
        who = ", ".join(candidate.proposers) or "the standing decision"
        return f"<b>{candidate.id}</b> ({escape(who)}) {escape(self.environment.describe(candidate.value))}"


def _heard(message: Message) -> str:
    """A message of this round, which everybody may read once all have been written."""
    recipients = escape(", ".join(message.recipients))
    return f"<div><b>{escape(message.sender)} → {recipients}</b>: {escape(message.text)}</div>"


def _vote(ids: list[str]) -> tuple[list[w.Widget], Callable[[], Any]]:
    choice = w.RadioButtons(options=ids, value=None)
    return [choice], lambda: choice.value


def _ratings(ids: list[str]) -> tuple[list[w.Widget], Callable[[], Any]]:
    fields = {c: w.IntSlider(value=3, min=1, max=5, description=c) for c in ids}
    return list(fields.values()), lambda: {c: field.value for c, field in fields.items()}


def _ranking(ids: list[str]) -> tuple[list[w.Widget], Callable[[], Any]]:
    places = [w.Dropdown(options=ids, value=c, description=f"{i}.") for i, c in enumerate(ids, start=1)]
    return list(places), lambda: [place.value for place in places]


def _points(ids: list[str]) -> tuple[list[w.Widget], Callable[[], Any]]:
    fields = {c: w.BoundedIntText(value=1, min=0, max=len(ids), description=c) for c in ids}
    return list(fields.values()), lambda: {c: field.value for c, field in fields.items()}


BALLOTS: dict[str, Callable[[list[str]], tuple[list[w.Widget], Callable[[], Any]]]] = {
    "vote": _vote,
    "ratings": _ratings,
    "ranking": _ranking,
    "points": _points,
}


class RoundTableLab(PlayLab[Round]):
    """Controls over one discussion on the exchange economy, as `roundtable_exchange` plays it. Display `lab.view`.

    Finished discussions go to `store`, as units of the sweep "round table"; `model` is offered as a kind of
    participant. The others say what the controls show at first; `seats` is {name: kind}. What is registered is in the
    menus: a rule in `RULES`, an agent's class in `KINDS`, an environment that needs no `spec` in `ENVIRONMENTS`;
    `prompts` is a folder of templates that may go before ours.
    """

    sweep, called, place, study = SWEEP, "discussion", "seat", "roundtable_exchange"

    def __init__(
        self,
        store: Store,
        model: ChatModel | str | None = None,
        *,
        rule: str = "majority",
        preferences: str = "asymmetric",
        agents: int = 3,
        rounds: int = ROUNDS,
        seed: int = 1,
        seats: Mapping[str, str] | None = None,
        environment: str = ECONOMY,
        prompts: str | Path | None = None,
    ) -> None:
        super().__init__(store, model, again="New discussion", width="860px")
        first: dict[str, Any] = {"rule": rule, "preferences": preferences, "agents": agents, "rounds": rounds}
        self.controls = controls(roundtable_exchange, RANGES, **first) | {"seed": control("seed", SEEDS, seed)}
        if len(matters := [name for name in ENVIRONMENTS if name != "movielens"]) > 1:
            self.controls["environment"] = control("environment", matters, environment)
            self.controls["environment"].observe(lambda _: self._turn(), "value")
        if prompts:
            folders = [("ours", None), (str(prompts), str(prompts))]
            self.controls["prompts"] = control("prompts", folders, str(prompts))
        self.rounds = self.controls["rounds"]
        self.view = self._layout(w.HBox([w.VBox(list(self.controls.values())), self.seats]))
        self._seat_choices(seats or STAND_IN)
        self.controls["agents"].observe(lambda _: self._seat_choices(STAND_IN), "value")
        for each in self.controls.values():
            each.observe(lambda _: self.restart(), "value")
        self.restart()

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        shown = {name: value for name, value in super().settings.items() if not (self._own and name in MARKET)}
        return shown | {"seats": self.kinds}

    @property
    def _own(self) -> bool:
        """Whether an environment of the user's own is chosen."""
        return "environment" in self.controls and self.controls["environment"].value != ECONOMY

    def _economy(self) -> Any:
        if self._own:
            return ENVIRONMENTS[name := self.controls["environment"].value]({"name": name})
        return exchange_economy(*(self.controls[name].value for name in MARKET))

    def _turn(self) -> None:
        """Another matter, other people."""
        self.seats.children = ()
        self._seat_choices(STAND_IN)

    def _seat_choices(self, first: str | Mapping[str, str]) -> None:
        """Ours, and the user's own; at a table of the user's own, who knows no exchange economy."""
        kinds = [kind for kind, cls in KINDS.items() if not (self._own and issubclass(cls, RuleBased))]
        for name in MARKET:
            self.controls[name].layout.display = "none" if self._own else ""
        usual = [*kinds, HUMAN][0] if self._own and first == STAND_IN else first
        self._offer_seats(self._economy().agents, kinds, usual)

    def _clear(self) -> None:
        self.economy = self._economy()
        self.people: dict[str, Any] = {}
        self.crowd: np.ndarray | None = None

    async def _sit_down(self) -> None:
        people = {a: negotiator().person(a, self.economy) for a, kind in self.kinds.items() if kind == HUMAN}
        s, rng = self.settings, np.random.default_rng(self.settings["seed"])
        spoken = Spoken(self.model, prompts=s.get("prompts"))
        self.people = seat_all(self.economy, {**self.kinds, **people}, rng, spoken=spoken)
        self.forms.children = tuple(self._form(seat).view for seat in people.values())
        self.run = roundtable(self.economy, self.people, s["rule"], rounds=s["rounds"], rng=rng)
        self.crowd = await self._simulate()

    def _form(self, seat: HumanSeat) -> SeatForm:
        form = OwnForm(seat.me, self.economy) if self._own else SeatForm(self.economy.background(seat.me))
        self._listen(seat.questions, form.ask)
        return form

    async def _simulate(self) -> np.ndarray | None:
        """Curves of rule-based discussions with the same settings and other seeds, shape (CROWD, rounds).

        Conceders sit in for people and models; in an environment of the user's own there are none.
        """
        if self._own:
            return None
        s = self.settings
        kinds = {agent: kind if kind in KINDS else STAND_IN for agent, kind in self.kinds.items()}
        crowd = [
            await play(self.economy, seat_all(self.economy, kinds, rng), s["rule"], rounds=s["rounds"])
            for rng in np.random.default_rng(s["seed"]).spawn(CROWD)
        ]
        return np.stack([total_utility(t, s["rounds"]) for t in crowd])

    @property
    def transcript(self) -> Transcript:
        """The discussion so far."""
        s = self.settings
        return transcript(self.economy, self.people, s["rule"], self.finished, seed=s["seed"])

    def draw(self) -> Figure:
        """The live figure as it is now, for a page without a kernel."""
        curve = total_utility(self.transcript) if self.finished else np.array([])
        decision = self.finished[-1].decision if self.finished else None
        e = self.economy
        standing, told, goods = decision.value if decision else None, "", getattr(e, "goods", ())
        if decision and not goods:
            standing, told = None, e.describe(decision.value)
        return draw_discussion(curve, standing, e.agents, goods, self.rounds.value, self.crowd, told)

    def _said(self, rounds: list[Round]) -> str:
        told = {"describe": self.economy.describe} if self._own else {}
        return rounds_to_html(rounds, self.economy.agents, title="Newest round first", **told)

    def _record(self) -> Transcript:
        return self.transcript

    def _result(self) -> str:
        decision = self.finished[-1].decision
        return f"{decision.candidate} stands" if decision else "nothing is decided"

    def _why(self) -> str:
        return f" {escape(self.finished[-1].why)}"
