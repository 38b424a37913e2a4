"""The seat of a person who leads a meeting, or judges plans: each question with its fields, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from html import escape
from typing import Any

import ipywidgets as w

from support.errors import InvalidInput
from support.fair_decisions.problem import COMPARED, COMPARISON, SCORE, WORDS
from support.labs import base
from support.meetings.data import Meeting
from support.meetings.records import Option
from support.meetings.satisfaction import HIGHEST
from support.meetings.scenario import Brief, Chat
from support.meetings.seats import label, starts_for
from support.seats import Question

MOST_STARTS = 200
"""Starts that a coordinator chooses from; longer weeks are offered on a coarser grid."""

ALIKE = 2
Fields = tuple[str, Sequence[w.Widget], Callable[[], Any]]
"""What is asked, as HTML; the widgets that take the answer; and what reads it from them."""


class RoleForm:
    """Shows the questions to a person in a role, in the order in which they come; Send answers the one that is shown.

    An answer that does not fit stays, with the reason below it. `asked` gives the fields of a question, by its phase.
    """

    def __init__(self, asked: Mapping[str, Callable[[Any], Fields]]) -> None:
        self.known = asked
        self.waiting: list[Question] = []
        self.asked, self.error = w.VBox(), w.HTML()
        self.error.add_class("convene-error")
        self.send_button = w.Button(description="Send", button_style="primary", disabled=True)
        self.send_button.on_click(lambda _: self._start())
        self._sending: asyncio.Task[None] | None = None
        self.view = w.VBox([self.asked, self.send_button, self.error])
        self.read: Callable[[], Any] = lambda: None

    def ask(self, question: Question) -> None:
        """Show a question, or keep it until those before it are answered."""
        self.waiting.append(question)
        if len(self.waiting) == 1:
            self._show()

    def send(self) -> None:
        """Give what stands in the fields as the answer."""
        if not self.waiting:
            return
        try:
            self.waiting[0].answer(self.read())
        except InvalidInput as error:
            self.error.value = base.warning(str(error))
            return
        self.waiting.pop(0)
        self._show()

    def _start(self) -> None:
        """Send in the background, once the last letters are there; a second press meanwhile does nothing more."""
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._settled())

    async def _settled(self) -> None:
        before: Any = self
        while before != (now := self.read()):
            before = now
            await asyncio.sleep(base.SETTLE)
        self.send()

    def _show(self) -> None:
        self.error.value, self.send_button.disabled = "", not self.waiting
        if not self.waiting:
            self.asked.children = (w.HTML("<i>The others are at work.</i>"),)
            return
        told, fields, self.read = self.known[self.waiting[0].phase](self.waiting[0].view)
        self.asked.children = (w.HTML(f'<div style="white-space:pre-wrap;max-width:46rem">{told}</div>'), *fields)


def _area(name: str) -> w.Textarea:
    return w.Textarea(description=name, rows=3, layout=w.Layout(width="40rem"), style={"description_width": "8rem"})


def _choice(name: str, options: Sequence[Any]) -> w.Dropdown:
    return w.Dropdown(options=options, description=name, layout=w.Layout(width="28rem"),
                      style={"description_width": "12rem"})  # fmt: skip


def _number(name: str, low: int, high: int) -> w.BoundedIntText:
    return w.BoundedIntText(value=low, min=low, max=high, description=name, layout=w.Layout(width="20rem"),
                            style={"description_width": "12rem"})  # fmt: skip


# ---- meetings ------------------------------------------------------------------------------------------------------


def _said(chat: Chat) -> str:
    turns = "".join(f"\n<b>{escape(turn.speaker)}:</b> {escape(turn.text)}" for turn in chat.turns)
    offered = "".join(f"\n{escape(_told(option, chat.meeting))}" for option in chat.options)
    subject = f"{escape(chat.meeting.subject)}, {chat.meeting.duration} minutes"
    return f"<b>Round {chat.round}, your talk with {escape(chat.member)}</b> about {subject}.{offered}{turns}"


def _told(option: Option, meeting: Meeting) -> str:
    why = f" ({'; '.join(option.reasons)})" if option.reasons else ""
    return f"{option.id}: {label(meeting.slot(option.start))}{why}"


def _remark(chat: Chat) -> Fields:
    field = _area("you say")
    last = "\n<i>Send nothing to end the talk.</i>" if chat.turns else ""
    return _said(chat) + last, [field], lambda: field.value.strip() or None


def _extract(chat: Chat) -> Fields:
    field = _area("wishes, a line each")
    agreed = _choice("agrees to", [("none of them", None), *((option.id, option.id) for option in chat.options)])
    told = f"{_said(chat)}\n<i>Note what {escape(chat.member)} wishes: the coordinator reads nothing else.</i>"
    return told, [field, *([agreed] if chat.options else [])], lambda: (field.value, agreed.value)


def _propose(brief: Brief) -> Fields:
    starts = starts_for(brief, MOST_STARTS)
    wishes = "".join(f"\n<b>{escape(name)}:</b> {escape('; '.join(intent.preferences) or 'nothing is known')}"
                     for name, intent in brief.intents.items())  # fmt: skip
    best = brief.candidate and label(datetime.fromisoformat(brief.candidate.start))
    fields = [_choice(f"option {i + 1}", [("none", None), *starts.items()]) for i in range(brief.k)]
    if best in starts:
        fields[0].value = starts[best]
    kept = f"\nThe best so far is {escape(best)}, for {brief.satisfied} of them." if best else ""
    told = f"<b>Round {brief.round}: place {escape(brief.meeting.subject)}</b>, {brief.meeting.duration} minutes."
    return told + wishes + kept, fields, lambda: [field.value for field in fields if field.value]


def _score(view: tuple[Meeting, Sequence[Option], Mapping[str, Any], int]) -> Fields:
    meeting, options, intents, number = view
    marks = {o.id: {name: _number(name, 0, HIGHEST) for name in meeting.members} for o in options}
    known = "".join(f"\n<b>{escape(name)}:</b> {escape('; '.join(intent.preferences))}"
                    for name, intent in intents.items())  # fmt: skip
    columns = [w.VBox([w.HTML(f"<b>{escape(_told(o, meeting))}</b>"), *marks[o.id].values()]) for o in options]
    told = f"<b>Round {number}: how well does each option meet what each member said? 0 not at all, 3 fully.</b>{known}"
    row = w.HBox(columns, layout=w.Layout(flex_flow="row wrap"))
    return told, [row], lambda: {o: {name: mark.value for name, mark in row.items()} for o, row in marks.items()}


MEETINGS: Mapping[str, Callable[[Any], Fields]] = {
    "remark": _remark, "extract": _extract, "propose": _propose, "score": _score
}  # fmt: skip
"""The questions to interviewer, coordinator and evaluator of a meeting."""


# ---- fair decisions ------------------------------------------------------------------------------------------------


def _judged(view: tuple[str, Any, Sequence[Any]], feedback: str) -> Fields:
    """What a participant says of one plan, or two; only they see what the options are worth to them."""
    me, own, plans = view
    lines = [f"<b>You are {escape(me)}.</b> Only you know what each option is worth to you."]
    for number, plan in enumerate(plans):
        lines.append(f"<b>Plan {'AB'[number]}</b>" if len(plans) > 1 else "<b>The plan</b>")
        for j, (decision, options) in enumerate(zip(own.table.decisions, own.table.options, strict=True)):
            worth = f"{own.gains[j][plan[j]]} of {own.gains[j].max()} at best"
            lines.append(f"{escape(decision)}: {escape(options[plan[j]])}, worth {worth}")
    told = "\n".join(lines)
    if feedback == SCORE:
        total = _number("your total", 0, int(own.gains.max(axis=1).sum()))
        return told, [total], lambda: total.value
    if feedback == COMPARISON:
        choice = _choice("you prefer", [("plan A", 0), ("plan B", 1), ("both alike", ALIKE)])
        return told, [choice], lambda: None if choice.value == ALIKE else choice.value
    field = _area("you say")
    return f"{told}\n<i>Say without numbers how it suits you.</i>", [field], lambda: field.value


PLANS: Mapping[str, Callable[[Any], Fields]] = {
    kind: partial(_judged, feedback=kind) for kind in (SCORE, WORDS, COMPARISON, COMPARED)
}
"""The questions to a participant in a search for a fair plan."""
