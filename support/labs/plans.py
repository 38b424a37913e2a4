"""A search for a fair plan to coordinate or to watch: the truth shows at the end, what is played goes to the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np
import pandas as pd

from support.analysis.fairness import trajectory
from support.errors import InvalidInput
from support.fair_decisions.deciders import STYLES
from support.fair_decisions.instances import instance, load
from support.fair_decisions.measures import OBJECTIVES
from support.fair_decisions.problem import (
    COMPLETE,
    FEEDBACK,
    PAIRED,
    PREFERENCES,
    Move,
    Table,
    table_of,
)
from support.fair_decisions.records import Plan, Planning, PlanningRound
from support.fair_decisions.search import Search, record
from support.fair_decisions.seats import ESTIMATOR, PLANNER, Leading, seat_deciders
from support.fair_decisions.study import estimator_for, fair_decisions
from support.labs import plan_history as history
from support.labs.base import ROW, SEEDS, control, controls, fill, offered, warning
from support.labs.play import PlayLab
from support.labs.roles import PLANS, RoleForm
from support.plots.planning import draw_planning
from support.runs.study import Store
from support.seats import HUMAN, MIXED, MODEL, Question, Spoken
from support.seats import people as asked

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.models.model import ChatModel

SWEEP = "fair decisions"
RANGES = {"decisions": (1, 35), "options": (2, 30), "participants": (2, 6), "rounds": (1, 9), "noise": (0.0, 1.0),
          "preferences": PREFERENCES, "feedback": FEEDBACK, "objective": list(OBJECTIVES)}  # fmt: skip
ESTIMATORS = {"bayesian": "Bayesian"}
WORTH = {
    "scores": "For each participant, the options of one decision share 100 points.",
    "rankings": "Each participant ranks the options of a decision: of {m}, the best is worth {m} points, the worst 1.",
    "counts": "To each participant, an option is worth a whole number of points from 0 to {highest}.",
}
LOOKS_FOR = {
    "divergence": "Look for a plan that gives everybody about as much: the largest total minus the smallest, the "
    "divergence, is to be small.",
    "welfare": "Look for a plan whose totals add up to as much as can be: the welfare is to be large.",
}
ANSWERS = {
    "complete": "What every option is worth is public, and stands in the table below.",
    "score": "What an option is worth is hidden; each participant tells its total for your plan, and nothing else.",
    "words": "What an option is worth is hidden; each participant says without numbers how your plan satisfies it.",
    "comparison": "What an option is worth is hidden; you propose two plans, and each participant says which one it "
    "prefers. Plan A may be a known one, plan B has to be new.",
    "comparison in words": "What an option is worth is hidden; you propose two plans, and each participant compares "
    "them in words, without numbers. Plan A may be a known one, plan B has to be new.",
}

NOTHING = -1
"""No option chosen; None would be shown as an empty field."""


class PlanForm:
    """The seat of the coordinator: shows the decisions, takes plans, keeps what was chosen on an error.

    What is chosen stays from round to round, so that the next plan begins with the one before. `table` is what
    everybody knows, `about` what the group decides, a sentence; `begin` begins the next round, which will `ask`;
    `gains`, of shape (participants, decisions, options), are given where they are public.
    """

    def __init__(
        self,
        table: Table,
        about: str,
        feedback: str,
        objective: str,
        begin: Callable[[], None],
        gains: np.ndarray | None = None,
    ) -> None:
        self.table, self.begin = table, begin
        self.question: Question | None = None
        self.pending: Move | None = None
        self.names = ("plan A", "plan B") if feedback in PAIRED else ("plan",)
        self.choices = [self._column() for _ in self.names]
        self.known = w.Dropdown(
            description="known plan", layout=w.Layout(width="24rem")
        )
        copied = f"Copy into {'plan A' if len(self.names) > 1 else 'the form'}"
        self.propose_button = w.Button(description="Propose", button_style="primary")
        self.copy_button = w.Button(description=copied, layout=w.Layout(width="11rem"))
        self.stop_button = w.Button(
            description="Stop with the known plan", layout=w.Layout(width="14rem")
        )
        ending = [self.known, self.copy_button, self.stop_button]
        self.ending = w.HBox(ending, layout=w.Layout(display="none", **ROW))
        self.error = w.HTML()
        self.error.add_class("convene-error")
        *others, last = table.participants
        people = f"{', '.join(others)} and {last}" if others else last
        worth = WORTH[table.preferences].format(m=table.shape[2], highest=table.highest)
        told = " ".join(
            [f"To decide: {about}", worth, LOOKS_FOR[objective], ANSWERS[feedback]]
        )
        columns = [
            w.VBox(
                [w.HTML(f"<b>{name[:1].upper()}{name[1:]}</b>"), *column],
                layout=w.Layout(margin="0 1rem 0 0"),
            )
            for name, column in zip(self.names, self.choices, strict=True)
        ]
        listed = w.HTML(
            history.options_to_html(table, gains), layout=w.Layout(max_width="60rem")
        )
        asked = w.HBox([*columns, listed], layout=w.Layout(**ROW))
        head = w.HTML(fill("to_lead", people, told))
        self.view = w.VBox([head, asked, self.propose_button, self.ending, self.error])
        self.propose_button.on_click(lambda _: self.propose())
        self.copy_button.on_click(lambda _: self.copy())
        self.stop_button.on_click(
            lambda _: self._move(Move((self.known.value,), finish=True))
        )

    def _column(self) -> list[w.Dropdown]:
        """One list of options for each decision, none of them chosen."""
        look: dict[str, Any] = {
            "style": {"description_width": "12rem"},
            "layout": w.Layout(width="25rem"),
        }
        return [
            w.Dropdown(options=[("choose …", NOTHING), *((name, k) for k, name in enumerate(options))],
                       description=decision, **look)
            for decision, options in zip(self.table.decisions, self.table.options, strict=True)
        ]  # fmt: skip

    def ask(self, question: Question) -> None:
        """Take the next move for a question; one that was made to begin the round answers it at once."""
        self.question = question
        move, self.pending = self.pending, None
        if move:
            self._answer(move)

    def show(self, known: Mapping[Plan, str], best: Plan | None) -> None:
        """Offer the known plans, by their labels, to stop with and to copy; the best known one at first."""
        self.known.options = [(label, plan) for plan, label in known.items()]
        if known:
            self.known.value = best if best in known else next(iter(known))
        self.ending.layout.display = "flex" if known else "none"

    def propose(self) -> None:
        """Propose what is chosen, once every decision has an option; else say which has none."""
        missing = [
            f"{decision} ({name})" if len(self.names) > 1 else decision
            for name, column in zip(self.names, self.choices, strict=True)
            for decision, choice in zip(self.table.decisions, column, strict=True)
            if choice.value == NOTHING
        ]
        if missing:
            said = f"{', '.join(missing)}: no option chosen; expected one for each decision. Your choices stay."
            self.error.value = warning(said)
        else:
            self._move(
                Move(
                    tuple(
                        tuple(choice.value for choice in column)
                        for column in self.choices
                    )
                )
            )

    def copy(self) -> None:
        """Choose what the known plan chooses."""
        for choice, option in zip(self.choices[0], self.known.value, strict=True):
            choice.value = option

    def _move(self, move: Move) -> None:
        """Answer the open question; where none is, begin a round and answer its question when it comes."""
        if self.question is not None:
            self._answer(move)
            return
        waits, self.pending = self.pending is not None, move
        if not waits:
            self.begin()

    def _answer(self, move: Move) -> None:
        assert self.question is not None
        try:
            self.question.answer(move)
        except InvalidInput as error:
            self.error.value = warning(f"{error}. Your choices stay.")
        else:
            self.question, self.error.value = None, ""


class PlanningLab(PlayLab[PlanningRound]):
    """Controls over one search for a fair plan, as `fair_decisions` runs it. Display `lab.view`.

    The arguments beside `store` and `model` say what the controls show at first: settings of `fair_decisions` (a person
    coordinates by default), `skin`, the names of things (a key of `instances.load()`), and the seed of what is drawn.
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
        led = offered([HUMAN, *PLANNER.kinds, MODEL], model, coordinator)
        who = {
            "coordinator": led,
            "seats": offered([*STYLES, MIXED, MODEL, HUMAN], model, seats),
        }
        first |= {"coordinator": coordinator, "seats": seats}
        self.controls = controls(fair_decisions, RANGES | who, **first) | {
            "skin": control("skin", load(), skin),
            "seed": control("seed", SEEDS, seed),
        }
        self.controls["skin"].description = "names of things"
        self.rounds = self.controls["rounds"]
        self.form: PlanForm | None = None
        shown = list(self.controls.values())
        self._show_controls(
            *(w.VBox(shown[i : i + 4]) for i in range(0, len(shown), 4))
        )

    @property
    def who(self) -> str:
        """Who coordinates, and how the participants answer."""
        return f"coordinator: {self.settings['coordinator']}, participants: {self.settings['seats']}"

    def record(self) -> Planning:
        """The game so far."""
        kept = (
            "noise",
            "preferences",
            "feedback",
            "objective",
            "rounds",
            "skin",
            "seed",
        )
        return record(
            self.problem,
            self.roles,
            self.finished,
            **{k: v for k, v in self.settings.items() if k in kept},
        )

    @property
    def _over(self) -> bool:
        """The coordinator stopped, or there is no round left."""
        return bool(self.finished) and (
            self.finished[-1].finish or len(self.finished) == self.rounds.value
        )

    def _clear(self) -> None:
        s = self.settings
        sizes = (s["decisions"], s["options"], 0, s["seed"], s["participants"])
        self.problem = instance(s["preferences"], *sizes, skin=s["skin"])
        self.table = table_of(self.problem, s["preferences"])
        self.roles: dict[str, Any] = {}
        self.reads: history.Kept | None = None
        self.truth: history.Truth | None = None
        self.form, self.objective = None, s["objective"]
        if s["coordinator"] == HUMAN:
            gains, about = (
                self.problem.gains if s["feedback"] == COMPLETE else None,
                load()[s["skin"]]["about"],
            )
            begin = partial(self.start, to_the_end=False)
            self.form = PlanForm(
                self.table, about, s["feedback"], self.objective, begin, gains
            )
        self.forms.children = (self.form.view,) if self.form else ()

    def _welcome(self) -> str:
        if self.form:
            return "Choose an option for each decision and press <b>Propose</b>: that plays a round."
        return super()._welcome()

    async def _sit_down(self) -> None:
        s = self.settings
        who, led, guess = np.random.default_rng(s["seed"]).spawn(3)
        spoken, questions = Spoken(self.model), asyncio.Queue[Question]()
        with asked(questions):
            people = seat_deciders(
                self.problem,
                s["preferences"],
                s["seats"],
                who,
                noise=s["noise"],
                spoken=spoken,
            )
        if s["seats"] == HUMAN:
            judging = RoleForm(PLANS)
            self._listen(questions, judging.ask)
            self.forms.children = (*self.forms.children, judging.view)
        reads = ESTIMATOR.seat(estimator_for(s["feedback"], s["coordinator"]), guess)
        leads = self._coordinator(led, reads, spoken)
        told = {
            name: s[name] for name in ("feedback", "objective", "preferences", "rounds")
        }
        self.reads = history.Kept(reads) if reads else None
        self.run = Search(self.problem, people, leads, self.reads, **told).played()
        self.roles = {
            **people,
            "coordinator": leads,
            "estimator": reads,
            "solver": None,
        }

    def _coordinator(self, rng: np.random.Generator, reads: Any, spoken: Spoken) -> Any:
        if self.form is None:
            leading = Leading(self.problem.shape, draw=getattr(reads, "draw", None))
            return PLANNER.seat(self.settings["coordinator"], rng, leading, spoken)
        person: Any = PLANNER.person()  # its questions are those of `support.seats`
        self._listen(person.questions, self._ask)
        return person

    def _ask(self, question: Any) -> None:
        """Pass a question on to the form; say so when it is not answered at once."""
        assert self.form is not None
        self.form.ask(question)
        if self.form.question:
            self._tell(
                f"Round {question.view.round} of {self.rounds.value} waits for your plan in the form below."
            )

    def _show(self) -> None:
        if self._over and self.truth is None:
            self.truth = history.truth_of(
                self.problem, self.objective, len(history.names_of(self.finished))
            )
        super()._show()
        if self.form:
            self.form.show(self._labels(self._seen()), self.finished[-1].best)

    def _said(self, rounds: list[PlanningRound]) -> str:
        game, numbers, ended = (
            self.record(),
            {entry.number for entry in rounds},
            self.truth is not None,
        )
        seen, chosen = (
            [r for r in self._seen() if r.number in numbers],
            game.chosen if ended else None,
        )
        said = history.to_html(
            seen, self.table, self.objective, chosen=chosen, truth=ended
        )
        return (
            history.outcome_to_html(self.problem, game, self.truth)
            if self.truth
            else ""
        ) + said

    def _seen(self) -> list[PlanningRound]:
        """The rounds so far, with the totals of their plans as the group knows them now: later answers tell more."""
        return history.as_known(
            self.finished, self.reads.latest if self.reads else None
        )

    def _labels(self, seen: Sequence[PlanningRound]) -> dict[Plan, str]:
        """The known plans, and what the group knows of them."""
        names, best = history.names_of(seen), seen[-1].best
        known = {p: row for r in seen for p, row in zip(r.plans, r.heard, strict=False)}
        worths = {
            p: f", {self.objective} {history.worth(self.objective, row):.0f}"
            for p, row in known.items()
        }
        return {
            p: f"{name}{worths.get(p, '')}{' (best known)' if p == best else ''}"
            for p, name in names.items()
        }

    def draw(self) -> Figure:
        """What the group knows, after the end the truth."""
        game = (
            replace(self.record(), rounds=tuple(self._seen()))
            if self.finished
            else None
        )
        table = trajectory(game) if game else pd.DataFrame()
        if self.truth is None:
            known = (
                table.assign(total=table["heard"]).drop(columns="chosen")
                if len(table)
                else table
            )
            return draw_planning(known, self.rounds.value, title=self._source())
        sure = self.objective == "divergence" and self.truth.solution.proven
        optimum = float(self.truth.best) if sure else None
        return draw_planning(
            table, self.rounds.value, title="the truth", optimum=optimum
        )

    def _source(self) -> str:
        """Where the group's totals come from."""
        kind = estimator_for(self.settings["feedback"], self.settings["coordinator"])
        told = self.settings["feedback"] in (COMPLETE, "score")
        return (
            "as reported"
            if told
            else f"as the {ESTIMATORS.get(kind, kind)} estimator expects"
        )

    def _result(self) -> str:
        if self.truth:
            return history.score_in_words(self.record(), self.problem, self.truth)
        newest = self.finished[-1]
        if not newest.plans:
            return "there was no usable plan"
        if not newest.heard:
            return "the participants have answered"
        worths = " and ".join(
            f"{history.worth(self.objective, row):.0f}" for row in newest.heard
        )
        return f"{self.objective} {worths}, {self._source()}"
