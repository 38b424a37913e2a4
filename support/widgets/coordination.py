"""A meeting to coordinate: settings, seats, round by round, a live figure; what is played goes to the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np
import pandas as pd

from support.analysis.coordination import rounds_of
from support.conversations import FACILITATORS, rounds_to_html
from support.environments.meetings.scenario import load_company, scenario
from support.errors import ConveneError
from support.figures import png
from support.mechanisms.coordination import OPTIONS, ROUNDS, coordinate, record
from support.participants.facilitators.seating import COORDINATORS, MODEL, RULES, seat_facilitators
from support.participants.members.human import HumanMember
from support.participants.members.rule_based import STYLES
from support.participants.members.seating import seat_members
from support.plots.live_coordination import draw_coordination
from support.records import Coordination, CoordinationRound
from support.store import Store
from support.studies.meetings import exact_evaluator
from support.widgets.chat import ChatForm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.llm import ChatModel

HUMAN = "human"
SWEEP = "coordination"
SIZES = (3, 4, 5)
STAND_IN = "plain"


class CoordinationLab:
    """Controls over one coordination of a meeting of the synthetic company. Display `lab.view`.

    Parameters
    ----------
    store : Store
        Where finished runs go, as units of the sweep "coordination".
    model : ChatModel, optional
        Offered as a kind of member and facilitator when it is given.
    members, options, rounds, coordinator, seed
        What the controls show at first: n, K, T, who proposes, and the seed of whatever draws.
    """

    def __init__(
        self,
        store: Store,
        model: ChatModel | None = None,
        *,
        members: int = 3,
        options: int = OPTIONS,
        rounds: int = ROUNDS,
        coordinator: str = "satisficing",
        seed: int = 1,
    ) -> None:
        self.store, self.model = store, model
        self.members = w.Dropdown(options=SIZES, value=members, description="members n")
        self.meeting = w.Dropdown(options=_meetings(members), description="meeting", layout=w.Layout(width="26rem"))
        self.options = w.BoundedIntText(value=options, min=1, max=9, description="options K")
        self.rounds = w.BoundedIntText(value=rounds, min=1, max=8, description="rounds T")
        self.seed = w.IntText(value=seed, description="seed")
        rules = [RULES, *([MODEL] if model else [])]
        led = [kind for kind in COORDINATORS if model or kind != MODEL]
        self.interviewer = w.Dropdown(options=rules, description="interviewer")
        self.coordinator = w.Dropdown(options=led, value=coordinator, description="coordinator")
        self.evaluator = w.Dropdown(options=rules, description="evaluator")
        self.database = w.Checkbox(description="coordinator sees the social graph", indent=False)
        self.tracking = w.Checkbox(description="preferences of earlier rounds stay", indent=False)
        self.seats = w.VBox()
        self.step_button = w.Button(description="Next round", button_style="primary")
        self.end_button = w.Button(description="Play to the end")
        self.new_button = w.Button(description="New coordination")
        self.status, self.figure, self.talk, self.forms = w.HTML(), _image(), w.HTML(), w.VBox()
        self.task: asyncio.Task[None] | None = None
        self._listeners: list[asyncio.Task[None]] = []
        self.view = self._layout()
        self._seat_choices()
        self._connect()
        self.restart()

    def _layout(self) -> w.VBox:
        asked = w.VBox([self.members, self.meeting, self.options, self.rounds, self.seed])
        led = w.VBox([self.interviewer, self.coordinator, self.evaluator, self.database, self.tracking])
        for control in (self.members, self.options, self.rounds, self.seed, self.interviewer, self.coordinator):
            control.layout.width = "17rem"
        self.evaluator.layout.width = "17rem"
        controls = w.HBox([asked, led, self.seats], layout=w.Layout(flex_flow="row wrap"))
        buttons = w.HBox([self.step_button, self.end_button, self.new_button])
        return w.VBox([controls, buttons, self.status, self.forms, self.figure, self.talk])

    def _connect(self) -> None:
        self.members.observe(lambda _: self._meeting_choices(), "value")
        self.meeting.observe(lambda _: self._seat_choices(), "value")
        for control in self._controls().values():
            control.observe(lambda _: self.restart(), "value")
        self.step_button.on_click(lambda _: self.start(to_the_end=False))
        self.end_button.on_click(lambda _: self.start(to_the_end=True))
        self.new_button.on_click(lambda _: self.restart())

    def _controls(self) -> dict[str, Any]:
        """The controls that are settings of a run, by name."""
        names = ("meeting", "options", "rounds", "seed", "interviewer", "coordinator", "evaluator", "database")
        return {name: getattr(self, name) for name in (*names, "tracking")}

    def _meeting_choices(self) -> None:
        self.meeting.options = _meetings(self.members.value)

    def _seat_choices(self) -> None:
        """One choice of participant per member; those made already for somebody are kept."""
        before = self.kinds
        kinds = [*STYLES, *([MODEL] if self.model else []), HUMAN]
        seats = [
            w.Dropdown(options=kinds, value=before.get(name, STAND_IN), description=name, style=_WIDE)
            for name in scenario(self.meeting.value).members
        ]
        for seat in seats:
            seat.observe(lambda _: self.restart(), "value")
        self.seats.children = tuple(seats)

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of participant chosen for each member."""
        return {seat.description: seat.value for seat in self.seats.children}

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        return {name: control.value for name, control in self._controls().items()} | {"seats": self.kinds}

    def restart(self) -> None:
        """Begin anew with the settings shown; a run at hand is given up."""
        for task in (*self._listeners, *([self.task] if self.task else [])):
            task.cancel()
        self._listeners, self.task = [], None
        self.scenario = scenario(self.meeting.value)
        self.finished: list[CoordinationRound] = []
        self.run: AsyncIterator[CoordinationRound] | None = None
        self.roles: dict[str, Any] = {}
        self.chats: dict[str, ChatForm] = {}
        self.stored = False
        self.forms.children = ()
        self._tell("Press <b>Next round</b>, or play to the end." if self._k_fits() else self._too_many())
        self.talk.value, self.figure.value = "", png(self.draw())

    def _k_fits(self) -> bool:
        return self.options.value < len(self.scenario.members)

    def _too_many(self) -> str:
        n = len(self.scenario.members)
        return _warning(
            f"options: K = {self.options.value} given; expected 1 to {n - 1}, fewer than the {n} members of this "
            "meeting. Choose a smaller K, or a meeting with more members."
        )

    def start(self, *, to_the_end: bool) -> None:
        """Play one round, or all that are left, in the background; a person is waited for."""
        if self.task and not self.task.done():
            self._tell("A round is being played; it waits for the conversation below.")
            return
        self.task = asyncio.ensure_future(self.advance(to_the_end=to_the_end))

    async def advance(self, *, to_the_end: bool = False) -> None:
        """Play one round, or all that are left, and show them; store the run when it is over."""
        try:
            self._sit_down()
            while len(self.finished) < self.rounds.value:
                self._tell(f"Round {len(self.finished) + 1} of {self.rounds.value} is being played.")
                assert self.run is not None
                self.finished.append(await anext(self.run))
                self._show()
                if not to_the_end:
                    break
            self._conclude()
        except Exception as error:  # nobody awaits this task: what went wrong has to be shown here
            name = "" if isinstance(error, ConveneError) else f"{type(error).__name__}: "
            self._tell(_warning(name + str(error)))

    def _sit_down(self) -> None:
        if self.run is not None:
            return
        who, drawn = np.random.default_rng(self.seed.value).spawn(2)
        people = {name: HumanMember(name) for name, kind in self.kinds.items() if kind == HUMAN}
        seats = seat_members(self.scenario, {**self.kinds, **people}, who, model=self.model)
        chosen = {role: getattr(self, role).value for role in FACILITATORS}
        led = seat_facilitators(self.scenario, drawn, **chosen, model=self.model)
        self.run = coordinate(
            self.scenario,
            seats,
            *led,
            options=self.options.value,
            rounds=self.rounds.value,
            database=self.database.value,
            tracking=self.tracking.value,
            audit=exact_evaluator(self.scenario, seats),
        )
        self.roles = {**seats, **dict(zip(FACILITATORS, led, strict=True))}
        self.chats = {name: self._listen(seat) for name, seat in people.items()}
        self.forms.children = tuple(form.view for form in self.chats.values())

    def _listen(self, seat: HumanMember) -> ChatForm:
        given = self.scenario
        form = ChatForm(given.company.by_name[seat.me], given.private[seat.me], given.meeting)

        async def pass_on() -> None:
            while True:
                form.ask(await seat.questions.get())

        self._listeners.append(asyncio.ensure_future(pass_on()))
        return form

    @property
    def coordination(self) -> Coordination:
        """The run so far."""
        return record(self.scenario, self.roles, self.finished, seed=self.seed.value)

    def _show(self) -> None:
        for form in self.chats.values():
            form.rest("This round is over; press Next round." if len(self.finished) < self.rounds.value else "")
        self.figure.value = png(self.draw())
        run = self.coordination
        self.talk.value = rounds_to_html(
            list(reversed(run.rounds)), run.meeting, run.seats, title="Newest round first", invitation=not self.chats,
            only=list(self.chats) or None,
        )  # fmt: skip

    def draw(self) -> Figure:
        """The live figure as it is now, for a page without a kernel."""
        frame = rounds_of([({}, self.coordination)]) if self.finished else pd.DataFrame()
        newest = self.finished[-1] if self.finished else None
        return draw_coordination(frame, newest, self.rounds.value)

    def _conclude(self) -> None:
        played, outcome = len(self.finished), self.coordination.outcome
        chosen = f"{outcome.id} is the candidate" if outcome else "there is no candidate"
        if played < self.rounds.value:
            self._tell(f"Round {played} of {self.rounds.value}: {chosen}.")
            return
        self.forms.children = ()
        if not self.stored:
            unit = self.store.save(SWEEP, self.coordination, self.settings)
            self.stored = True
            self._tell(
                f"Finished after {played} rounds: {chosen}. Stored in {escape(self.store.path.name)} "
                f"as run {unit.repetition} of “{SWEEP}” with these settings."
            )

    def _tell(self, text: str) -> None:
        self.status.value = f'<div class="convene-status" role="status">{text}</div>'


_WIDE: Mapping[str, str] = {"description_width": "10rem"}


def _meetings(members: int) -> list[tuple[str, str]]:
    """Subject and date of every meeting with so many members, and its id."""
    return [(f"{m.subject} ({m.date})", m.id) for m in load_company().meetings if len(m.members) == members]


def _warning(text: str) -> str:
    return f'<span style="color:#8a3b00">{escape(text)}</span>'


def _image() -> w.Image:
    return w.Image(format="png", layout=w.Layout(width="100%", max_width="1056px"))
