"""Forms in which a person at the round table writes, proposes and votes."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets as w

from support.errors import InvalidInput
from support.roundtable.economy import Background
from support.roundtable.records import Message
from support.seats import Question

TITLES = {"message": "what do you say?", "propose": "what do you propose?", "vote": "how do you vote?"}


class SeatForm:
    """The form of one human seat: shows the question at hand, gives its answer, keeps what was typed on an error.

    Parameters
    ----------
    background : Background
        What the person may know: shown above the form.
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
                self.error.value = f'<span style="color:#8a3b00">{escape(str(error))}</span>'
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
