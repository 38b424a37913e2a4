"""A search for a fair plan to coordinate, to answer, or to watch.

The truth shows at the end; what is played goes to the store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np

from support.analysis.fairness import random_plans, trajectory
from support.fair_decisions.instances import instance, load, named
from support.fair_decisions.measures import OBJECTIVES, value
from support.fair_decisions.problem import FEEDBACK, PREFERENCES
from support.fair_decisions.records import Planning, PlanningRound
from support.fair_decisions.search import Search
from support.fair_decisions.seats import (
    BAYESIAN,
    DECIDER,
    PLANNER,
    Leading,
    seat_deciders,
    seat_estimator,
)
from support.fair_decisions.study import estimator_for, fair_decisions
from support.labs.base import SEEDS, blank, control, controls, offered
from support.labs.play import PlayLab
from support.plots.planning import plot_trajectory
from support.runs.pages import planning_to_html
from support.runs.study import Store
from support.seats import HUMAN, MODEL, Spoken
from support.solvers.fair import solve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

SWEEP = "fair decisions"
RANGES = {
    "decisions": (1, 35),
    "options": (2, 30),
    "participants": (2, 6),
    "rounds": (1, 9),
    "preferences": PREFERENCES,
    "feedback": FEEDBACK,
    "objective": list(OBJECTIVES),
}
KEPT = ("feedback", "objective", "preferences", "rounds")


class PlanningLab(PlayLab[PlanningRound]):
    """Controls over one search for a fair plan, as `fair_decisions` runs it.

    Display `lab.view`. The arguments beside `store` and `model` say what the controls
    show at first: settings of `fair_decisions` (a person coordinates by default),
    `skin`, the names of things (a key of `instances.load()`), and a seed.
    """

    sweep, called, place, study = SWEEP, "game", "form", "fair_decisions"

    def __init__(
        self,
        store: Store,
        model: ChatModel | str | None = None,
        *,
        coordinator: str = HUMAN,
        seats: str = "plain",
        skin: str = "meals",
        seed: int = 1,
        **first: Any,
    ) -> None:
        super().__init__(store, model, again="New game", width="1056px")
        leads = offered([HUMAN, *PLANNER.kinds, MODEL], model, coordinator)
        people = offered([*DECIDER.kinds, MODEL, HUMAN], model, seats)
        ranges = {**RANGES, "coordinator": leads, "seats": people}
        first |= {"coordinator": coordinator, "seats": seats}
        self.controls = controls(fair_decisions, ranges, **first)
        self.controls["skin"] = control("skin", load(), skin)
        self.controls["skin"].description = "names of things"
        self.controls["seed"] = control("seed", SEEDS, seed)
        self.rounds = self.controls["rounds"]
        shown = list(self.controls.values())
        columns = [w.VBox(shown[at : at + 4]) for at in range(0, len(shown), 4)]
        self._show_controls(*columns)

    @property
    def who(self) -> str:
        """Who coordinates, and how the participants answer."""
        s = self.settings
        return f"coordinator: {s['coordinator']}, participants: {s['seats']}"

    def record(self) -> Planning:
        """The game so far."""
        named = {name: self.settings[name] for name in ("skin", "seed")}
        return self.search.record(self.finished, **named)

    @property
    def _over(self) -> bool:
        """The coordinator stopped, or there is no round left."""
        ended = bool(self.finished) and self.finished[-1].finish
        return ended or super()._over

    def _clear(self) -> None:
        s = self.settings
        sizes = (s["decisions"], s["options"], 0, s["seed"], s["participants"])
        self.problem = named(instance(s["preferences"], *sizes), s["skin"])

    async def _sit_down(self) -> None:
        s, spoken = self.settings, Spoken(self.model)
        who, led, guess = np.random.default_rng(s["seed"]).spawn(3)
        seats = [s["seats"]]
        reader = estimator_for(s["feedback"], seats, s["coordinator"], model=self.model)
        people = seat_deciders(
            self.problem,
            s["preferences"],
            s["seats"],
            who,
            stated=reader == BAYESIAN,
            spoken=spoken,
        )
        leading = Leading(self.problem.shape)
        leads = PLANNER.seat(s["coordinator"], led, leading, spoken)
        reads = seat_estimator(reader, guess, spoken)
        told = {name: s[name] for name in KEPT}
        self.search = Search(self.problem, people, leads, reads, **told)
        self.run = self.search.played()

    def _said(self, rounds: list[PlanningRound]) -> str:
        played = self.record()
        about = load()[self.settings["skin"]]["about"]
        title = f"To decide: {about} Newest plan first"
        return planning_to_html(played, self.problem, title=title, truth=self._over)

    def _result(self) -> str:
        """What the group knows; at the end, what was reached and what was possible."""
        chosen, objective = self.record().chosen, self.settings["objective"]
        if not self._over:
            return f"{len(self.finished[-1].plans)} plans judged"
        if chosen is None:
            return "there is no plan"
        totals = self.problem.totals(chosen)
        reached = abs(value(objective, totals, self.problem.best))
        best = solve(self.problem, objective)
        rng = np.random.default_rng(self.settings["seed"])
        tried = random_plans(self.problem, objective, 5000, rng)
        surely = "the optimum is" if best.proven else "the best plan found has"
        return (
            f"{objective} {reached:.0f}; {surely} {best.value} "
            f"({self.problem.words(best.plan)}), a random plan has {tried['random']:.0f} "
            "on average"
        )

    def draw(self) -> Figure:
        """Everybody's total round by round, as the group knows it; at the end, in truth."""
        fig, ax = blank(8, 3.6)
        table = trajectory(self.record()) if self.finished else None
        if table is not None and not self._over:
            table = table.assign(total=table["heard"], chosen=False)
        known = None if table is None else table.dropna(subset="total")
        if known is None or known.empty:
            ax.set_axis_off()
            ax.text(0.5, 0.5, "The group knows no totals yet.", ha="center")
            return fig
        plot_trajectory(known, ax)
        ax.set_title("the truth" if self._over else "as the group knows it")
        return fig
