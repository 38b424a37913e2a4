"""A search for a fair plan to coordinate or to watch: the truth shows at the end, what is played goes to the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np
import pandas as pd

from support.analysis.fairness import trajectory
from support.draw import png
from support.fair_decisions.deciders import STYLES
from support.fair_decisions.instances import instance, load
from support.fair_decisions.measures import OBJECTIVES
from support.fair_decisions.problem import COMPLETE, FEEDBACK, PREFERENCES, table_of
from support.fair_decisions.records import Plan, Planning, PlanningRound
from support.fair_decisions.search import ROUNDS, Search, record
from support.fair_decisions.seats import ESTIMATOR, PLANNER, Leading, seat_deciders
from support.fair_decisions.study import estimator_for
from support.labs.base import HUMAN, PlayLab, offered
from support.plots.planning import draw_planning
from support.runs.study import Store
from support.seats import MIXED, MODEL, Spoken
from support.widgets.plan_form import PlanForm
from support.widgets.plan_history import (
    Kept,
    Truth,
    as_known,
    history_to_html,
    names_of,
    outcome_to_html,
    score_in_words,
    truth_of,
    worth,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

SWEEP = "fair decisions"
SIZES = {"decisions": (1, 35), "options": (2, 30), "participants": (2, 6), "rounds": (1, 9)}
ESTIMATORS = {"bayesian": "Bayesian"}
SYMBOLS = {"decisions": "n", "options": "m", "participants": "p", "rounds": "T"}


class PlanningLab(PlayLab[PlanningRound]):
    """Controls over one search for a fair plan. Display `lab.view`.

    Parameters
    ----------
    store : Store
        Where finished games go, as units of the sweep "fair decisions".
    model : ChatModel or str, optional
        Offered as a kind of coordinator and of participants when it is given.
    decisions, options, participants, rounds, noise, preferences, feedback, objective, coordinator, seats, skin, seed
        What the controls show at first: those of `support.fair_decisions.study`, a person as coordinator, the names
        of things (a key of `instances.load()`), and the seed of the hidden gains and of whatever draws.
    """

    sweep, called, place = SWEEP, "game", "form"

    def __init__(
        self,
        store: Store,
        model: ChatModel | str | None = None,
        *,
        decisions: int = 5,
        options: int = 3,
        participants: int = 3,
        rounds: int = ROUNDS,
        noise: float = 0.0,
        preferences: str = "scores",
        feedback: str = "score",
        objective: str = "divergence",
        coordinator: str = HUMAN,
        seats: str = "plain",
        skin: str = "meals",
        seed: int = 1,
    ) -> None:
        super().__init__(store, model, again="New game", width="1056px")
        self.decisions, self.options = _slider("decisions", decisions), _slider("options", options)
        self.participants, self.rounds = _slider("participants", participants), _slider("rounds", rounds)
        self.noise = w.FloatSlider(
            value=noise, min=0.0, max=1.0, step=0.05, description="noise", continuous_update=False
        )
        self.preferences = _dropdown("preferences", PREFERENCES, preferences)
        self.feedback = _dropdown("feedback", FEEDBACK, feedback)
        self.objective = _dropdown("objective", list(OBJECTIVES), objective)
        self.skin = _dropdown("names of things", list(load()), skin)
        led = [HUMAN, *offered([*PLANNER.kinds, MODEL], model, coordinator)]
        self.coordinator = _dropdown("coordinator", led, coordinator)
        self.styles = _dropdown("participants", offered([*STYLES, MIXED, MODEL], model, seats), seats)
        self.seed = w.BoundedIntText(value=seed, min=0, max=2**31 - 1, description="seed")
        self.form: PlanForm | None = None
        self.view = self._layout(self._arranged())
        for control in self._controls().values():
            control.observe(lambda _: self.restart(), "value")
        self.restart()

    def _controls(self) -> dict[str, Any]:
        """The controls, by the names of the settings that they show."""
        names = (*SIZES, "noise", "preferences", "feedback", "objective", "skin", "coordinator", "seed")
        return {name: getattr(self, name) for name in names} | {"seats": self.styles}

    def _arranged(self) -> w.HBox:
        sizes = w.VBox([self.decisions, self.options, self.participants, self.rounds, self.noise])
        asked = w.VBox([self.preferences, self.feedback, self.objective, self.skin])
        led = w.VBox([self.coordinator, self.styles, self.seed])
        for control in self._controls().values():
            control.layout.width, control.style.description_width = "20rem", "7.5rem"
        return w.HBox([sizes, asked, led], layout=w.Layout(flex_flow="row wrap"))

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show."""
        return {name: control.value for name, control in self._controls().items()}

    @property
    def planning(self) -> Planning:
        """The game so far."""
        kept = ("noise", "preferences", "feedback", "objective", "rounds", "skin", "seed")
        return record(self.problem, self.roles, self.finished, **{k: v for k, v in self.settings.items() if k in kept})

    @property
    def _over(self) -> bool:
        """The coordinator stopped, or there is no round left."""
        return bool(self.finished) and (self.finished[-1].finish or len(self.finished) == self.rounds.value)

    def _clear(self) -> None:
        s = self.settings
        sizes = (s["decisions"], s["options"], 0, s["seed"], s["participants"])
        self.problem = instance(s["preferences"], *sizes, skin=s["skin"])
        self.table = table_of(self.problem, s["preferences"])
        self.roles: dict[str, Any] = {}
        self.reads: Kept | None = None
        self.truth: Truth | None = None
        self.form = self._seat_form() if s["coordinator"] == HUMAN else None
        self.forms.children = (self.form.view,) if self.form else ()

    def _seat_form(self) -> PlanForm:
        s = self.settings
        gains = self.problem.gains if s["feedback"] == COMPLETE else None
        about = load()[s["skin"]].about
        return PlanForm(self.table, about, s["feedback"], s["objective"], self._begin, gains)

    def _begin(self) -> None:
        self.start(to_the_end=False)

    def _welcome(self) -> str:
        if self.form:
            return "Choose an option for each decision and press <b>Propose</b>: that plays a round."
        return super()._welcome()

    async def _sit_down(self) -> None:
        s = self.settings
        who, led, guess = np.random.default_rng(s["seed"]).spawn(3)
        spoken = Spoken(self.model)
        people = seat_deciders(self.problem, s["preferences"], s["seats"], who, noise=s["noise"], spoken=spoken)
        reads = ESTIMATOR.seat(estimator_for(s["feedback"], s["coordinator"]), guess)
        leads = self._coordinator(led, reads, spoken)
        told = {name: s[name] for name in ("feedback", "objective", "preferences", "rounds")}
        self.reads = Kept(reads) if reads else None
        self.run = Search(self.problem, people, leads, self.reads, **told).played()
        self.roles = {**people, "coordinator": leads, "estimator": reads, "solver": None}

    def _coordinator(self, rng: np.random.Generator, reads: Any, spoken: Spoken) -> Any:
        if self.form is None:
            leading = Leading(self.problem.shape, draw=getattr(reads, "draw", None))
            return PLANNER.seat(self.coordinator.value, rng, leading, spoken)
        person: Any = PLANNER.person()  # its questions are those of `support.seats`
        self._listen(person.questions, self._ask)
        return person

    def _ask(self, question: Any) -> None:
        """Pass a question on to the form; say so when it is not answered at once."""
        assert self.form is not None
        self.form.ask(question)
        if self.form.question:
            self._tell(f"Round {question.view.round} of {self.rounds.value} waits for your plan in the form below.")

    def _show(self) -> None:
        game, seen = self.planning, self._seen()
        if self._over and self.truth is None:
            self.truth = truth_of(self.problem, self.objective.value, len(names_of(self.finished)))
        chosen = game.chosen if self.truth else None
        said = history_to_html(seen, self.table, self.objective.value, chosen=chosen, truth=self.truth is not None)
        self.talk.value = (outcome_to_html(self.problem, game, self.truth) if self.truth else "") + said
        if self.form:
            self.form.show(self._labels(seen), self.finished[-1].best)
        self._redraw()

    def _seen(self) -> list[PlanningRound]:
        """The rounds so far, with the totals of their plans as the group knows them now: later answers tell more."""
        return as_known(self.finished, self.reads.latest if self.reads else None)

    def _labels(self, seen: Sequence[PlanningRound]) -> dict[Plan, str]:
        """The known plans, and what the group knows of them."""
        names, best = names_of(seen), seen[-1].best
        known = {p: row for r in seen for p, row in zip(r.plans, r.heard, strict=False)}
        objective = self.objective.value
        worths = {p: f", {objective} {worth(objective, row):.0f}" for p, row in known.items()}
        return {p: f"{name}{worths.get(p, '')}{' (best known)' if p == best else ''}" for p, name in names.items()}

    def _redraw(self) -> None:
        self.figure.value = png(self.draw())

    def draw(self) -> Figure:
        """The live figure as it is now, for a page without a kernel: what the group knows, after the end the truth."""
        game = replace(self.planning, rounds=tuple(self._seen())) if self.finished else None
        table = trajectory(game) if game else pd.DataFrame()
        if self.truth is None:
            known = table.assign(total=table["heard"]).drop(columns="chosen") if len(table) else table
            return draw_planning(known, self.rounds.value, title=self._source())
        best = float(self.truth.best) if self.objective.value == "divergence" and self.truth.solution.proven else None
        return draw_planning(table, self.rounds.value, title="the truth", optimum=best)

    def _source(self) -> str:
        """Where the group's totals come from."""
        kind = estimator_for(self.feedback.value, self.coordinator.value)
        told = self.feedback.value in (COMPLETE, "score")
        return "as reported" if told else f"as the {ESTIMATORS.get(kind, kind)} estimator expects"

    def _record(self) -> Planning:
        return self.planning

    def _result(self) -> str:
        if self.truth:
            return score_in_words(self.planning, self.problem, self.truth)
        newest = self.finished[-1]
        if not newest.plans:
            return "there was no usable plan"
        if not newest.heard:
            return "the participants have answered"
        objective = self.objective.value
        worths = " and ".join(f"{worth(objective, row):.0f}" for row in newest.heard)
        return f"{objective} {worths}, {self._source()}"


def _slider(name: str, value: int) -> w.IntSlider:
    low, high = SIZES[name]
    return w.IntSlider(value=value, min=low, max=high, description=f"{name} {SYMBOLS[name]}", continuous_update=False)


def _dropdown(name: str, options: Any, value: str) -> w.Dropdown:
    return w.Dropdown(options=list(options), value=value, description=name)
