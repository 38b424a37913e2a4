"""A meeting to coordinate: settings, seats, round by round, a live figure; what is played goes to the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import ipywidgets as w
import numpy as np
import pandas as pd

from support.analysis.meetings import rounds_of
from support.draw import png
from support.labs.base import PlayLab, offered, warning
from support.meetings.coordination import OPTIONS, ROUNDS, coordinate, record
from support.meetings.evaluators import ExactEvaluator
from support.meetings.members import STYLES
from support.meetings.records import Coordination, CoordinationRound
from support.meetings.scenario import load_company, scenario
from support.meetings.seats import COORDINATOR, MEMBER, RULES, seat_everybody
from support.meetings.study import DIFFICULTIES
from support.models.profiles import MODEL
from support.plots.meetings import draw_coordination
from support.runs.pages import FACILITATORS, meeting_to_html
from support.runs.study import Store
from support.seats import HUMAN, HumanSeat, Spoken
from support.widgets.chat import ChatForm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

SWEEP = "coordination"
SIZES = (3, 4, 5)
STAND_IN = "plain"


class CoordinationLab(PlayLab[CoordinationRound]):
    """Controls over one coordination of a meeting of the synthetic company. Display `lab.view`.

    Parameters
    ----------
    store : Store
        Where finished runs go, as units of the sweep "coordination".
    model : ChatModel or str, optional
        Offered as a kind of member and facilitator when it is given.
    members, options, rounds, coordinator, difficulty, seed
        What the controls show at first: n, K, T, who proposes, one of `DIFFICULTIES`, and the seed of whatever draws.
    """

    sweep, called, place = SWEEP, "run", "conversation"

    def __init__(
        self,
        store: Store,
        model: ChatModel | str | None = None,
        *,
        members: int = 3,
        options: int = OPTIONS,
        rounds: int = ROUNDS,
        coordinator: str = "satisficing",
        difficulty: str = "hard",
        seed: int = 1,
    ) -> None:
        super().__init__(store, model, again="New coordination", width="1056px")
        self.members = w.Dropdown(options=SIZES, value=members, description="members n")
        self.meeting = w.Dropdown(options=_meetings(members), description="meeting", layout=w.Layout(width="26rem"))
        self.options = w.BoundedIntText(value=options, min=1, max=9, description="options K")
        self.rounds = w.BoundedIntText(value=rounds, min=1, max=8, description="rounds T")
        self.seed = w.IntText(value=seed, description="seed")
        rules = offered([RULES, MODEL], model)
        led = offered([*COORDINATOR.kinds, MODEL], model, coordinator)
        self.interviewer = w.Dropdown(options=rules, description="interviewer")
        self.coordinator = w.Dropdown(options=led, value=coordinator, description="coordinator")
        self.evaluator = w.Dropdown(options=rules, description="evaluator")
        self.difficulty = w.Dropdown(options=[*DIFFICULTIES], value=difficulty, description="difficulty")
        self.database = w.Checkbox(description="coordinator has the database, and heeds who is required", indent=False)
        self.tracking = w.Checkbox(description="preferences of earlier rounds stay", indent=False)
        self.view = self._layout(self._arranged())
        self._seat_choices()
        self._connect()
        self.restart()

    def _arranged(self) -> w.HBox:
        asked = w.VBox([self.members, self.meeting, self.difficulty, self.options, self.rounds, self.seed])
        led = w.VBox([self.interviewer, self.coordinator, self.evaluator, self.database, self.tracking])
        for control in (self.members, self.options, self.rounds, self.seed, self.interviewer, self.coordinator):
            control.layout.width = "17rem"
        self.evaluator.layout.width = "17rem"
        return w.HBox([asked, led, self.seats], layout=w.Layout(flex_flow="row wrap"))

    def _connect(self) -> None:
        self.members.observe(lambda _: self._meeting_choices(), "value")
        self.meeting.observe(lambda _: self._seat_choices(), "value")
        for control in self._controls().values():
            control.observe(lambda _: self.restart(), "value")

    def _controls(self) -> dict[str, Any]:
        """The controls that are settings of a run, by name."""
        names = ("meeting", "options", "rounds", "seed", "interviewer", "coordinator", "evaluator", "database")
        return {name: getattr(self, name) for name in (*names, "tracking", "difficulty")}

    def _meeting_choices(self) -> None:
        self.meeting.options = _meetings(self.members.value)

    def _seat_choices(self) -> None:
        self._offer_seats(scenario(self.meeting.value).members, STYLES, STAND_IN, style=_WIDE)

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        return {name: control.value for name, control in self._controls().items()} | {"seats": self.kinds}

    def _clear(self) -> None:
        chosen = scenario(self.meeting.value).narrowed(DIFFICULTIES[self.difficulty.value])
        self.scenario = chosen if self.database.value else chosen.without_demands()
        self.roles: dict[str, Any] = {}
        self.chats: dict[str, ChatForm] = {}

    def _welcome(self) -> str:
        return super()._welcome() if self._k_fits() else self._too_many()

    def _k_fits(self) -> bool:
        return self.options.value < len(self.scenario.members)

    def _too_many(self) -> str:
        n = len(self.scenario.members)
        return warning(
            f"options: K = {self.options.value} given; expected 1 to {n - 1}, fewer than the {n} members of this "
            "meeting. Choose a smaller K, or a meeting with more members."
        )

    async def _sit_down(self) -> None:
        people = {name: MEMBER.person(name) for name, kind in self.kinds.items() if kind == HUMAN}
        chosen = {role: getattr(self, role).value for role in FACILITATORS}
        rng, spoken = np.random.default_rng(self.seed.value), Spoken(self.model)
        seats, led = seat_everybody(self.scenario, rng, {**self.kinds, **people}, **chosen, spoken=spoken)
        self.run = coordinate(
            self.scenario,
            seats,
            **led,
            options=self.options.value,
            rounds=self.rounds.value,
            database=self.database.value,
            tracking=self.tracking.value,
            audit=ExactEvaluator(self.scenario, seats),
        )
        self.roles = {**seats, **led}
        self.chats = {name: self._form(seat) for name, seat in people.items()}
        self.forms.children = tuple(form.view for form in self.chats.values())

    def _form(self, seat: HumanSeat) -> ChatForm:
        given = self.scenario
        form = ChatForm(given.company.by_name[seat.me], given.private[seat.me], given.meeting)
        questions, ask = cast("Any", seat.questions), cast("Any", form.ask)
        self._listen(questions, ask)
        return form

    @property
    def coordination(self) -> Coordination:
        """The run so far."""
        return record(self.scenario, self.roles, self.finished, seed=self.seed.value)

    def _show(self) -> None:
        for form in self.chats.values():
            form.rest("This round is over; press Next round." if len(self.finished) < self.rounds.value else "")
        self._redraw()
        run = self.coordination
        self.talk.value = meeting_to_html(
            list(reversed(run.rounds)), run.meeting, run.seats, title="Newest round first", invitation=not self.chats,
            only=list(self.chats) or None,
        )  # fmt: skip

    def _redraw(self) -> None:
        self.figure.value = png(self.draw())

    def draw(self) -> Figure:
        """The live figure as it is now, for a page without a kernel."""
        frame = rounds_of([({}, self.coordination)]) if self.finished else pd.DataFrame()
        newest = self.finished[-1] if self.finished else None
        return draw_coordination(frame, newest, self.rounds.value)

    def _record(self) -> Coordination:
        return self.coordination

    def _result(self) -> str:
        outcome = self.coordination.outcome
        return f"{outcome.id} is the candidate" if outcome else "there is no candidate"


_WIDE: Mapping[str, str] = {"description_width": "10rem"}


def _meetings(members: int) -> list[tuple[str, str]]:
    """Subject and date of every meeting with so many members, and its id."""
    return [(f"{m.subject} ({m.date})", m.id) for m in load_company().meetings if len(m.members) == members]
