"""The form of a person who coordinates: an option for each decision, plans to propose, a known one to end with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import ipywidgets as w
import numpy as np

from support.errors import InvalidInput
from support.fair_decisions.problem import PAIRED, Move, Table
from support.fair_decisions.records import Plan
from support.seats import Question
from support.widgets.plan_history import STYLE, options_to_html

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

    What is chosen stays from round to round, so that the next plan begins with the one before.

    Parameters
    ----------
    table : Table
        What everybody knows.
    about : str
        What the group decides, a sentence.
    feedback, objective : names of `problem.FEEDBACK` and of `measures.OBJECTIVES`
    begin : callable
        Begins the next round; it will `ask`.
    gains : int array of shape (participants, decisions, options), optional
        Where they are public.
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
        self.known = w.Dropdown(description="known plan", layout=w.Layout(width="24rem"))
        self.propose_button = w.Button(description="Propose", button_style="primary")
        self.stop_button = w.Button(description="Stop with the known plan", layout=w.Layout(width="14rem"))
        self.copy_button = w.Button(
            description=f"Copy into {'plan A' if len(self.names) > 1 else 'the form'}", layout=w.Layout(width="11rem")
        )
        self.error = w.HTML()
        self.error.add_class("convene-error")
        self.ending = w.HBox([self.known, self.copy_button, self.stop_button], layout=_hidden(flex_flow="row wrap"))
        worth = WORTH[table.preferences].format(m=table.shape[2], highest=table.highest)
        self.view = self._layout(
            " ".join([f"To decide: {about}", worth, LOOKS_FOR[objective], ANSWERS[feedback]]), gains
        )
        self._connect()

    def _layout(self, told: str, gains: np.ndarray | None) -> w.VBox:
        me = f'<div class="me"><b>You coordinate {escape(_listed(self.table.participants))}.</b> {escape(told)}</div>'
        head = w.HTML(f'{STYLE}<div class="convene-plans">{me}</div>')
        columns = [
            w.VBox([w.HTML(f"<b>{name[:1].upper()}{name[1:]}</b>"), *column], layout=w.Layout(margin="0 1rem 0 0"))
            for name, column in zip(self.names, self.choices, strict=True)
        ]
        listed = w.HTML(options_to_html(self.table, gains), layout=w.Layout(max_width="60rem"))
        asked = w.HBox([*columns, listed], layout=w.Layout(flex_flow="row wrap"))
        return w.VBox([head, asked, self.propose_button, self.ending, self.error])

    def _column(self) -> list[w.Dropdown]:
        """One list of options for each decision, none of them chosen."""
        look: dict[str, Any] = {"style": {"description_width": "12rem"}, "layout": w.Layout(width="25rem")}
        return [
            w.Dropdown(options=[("choose …", NOTHING), *((name, k) for k, name in enumerate(options))],
                       description=decision, **look)
            for decision, options in zip(self.table.decisions, self.table.options, strict=True)
        ]  # fmt: skip

    def _connect(self) -> None:
        self.propose_button.on_click(lambda _: self.propose())
        self.stop_button.on_click(lambda _: self.stop())
        self.copy_button.on_click(lambda _: self.copy())

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
        if missing := self._missing():
            self._tell(f"{missing}: no option chosen; expected one for each decision. Your choices stay.")
            return
        self._move(Move(tuple(tuple(choice.value for choice in column) for column in self.choices)))

    def stop(self) -> None:
        """End the search with the known plan that is shown."""
        self._move(Move((self.known.value,), finish=True))

    def copy(self) -> None:
        """Choose what the known plan chooses."""
        for choice, option in zip(self.choices[0], self.known.value, strict=True):
            choice.value = option

    def _missing(self) -> str:
        """The decisions without an option, by plan where there are two."""
        missing = [
            f"{decision} ({name})" if len(self.names) > 1 else decision
            for name, column in zip(self.names, self.choices, strict=True)
            for decision, choice in zip(self.table.decisions, column, strict=True)
            if choice.value == NOTHING
        ]
        return ", ".join(missing)

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
            self._tell(f"{error}. Your choices stay.")
        else:
            self.question, self.error.value = None, ""

    def _tell(self, text: str) -> None:
        self.error.value = f'<span role="alert" style="color:#8a3b00">{escape(text)}</span>'


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _hidden(**look: Any) -> w.Layout:
    return w.Layout(display="none", **look)
