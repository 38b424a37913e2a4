"""The form of a person in a role: each question with its fields, one after the other; who leads, and who judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import ipywidgets as w

from support.fair_decisions.problem import COMPARED, COMPARISON, SCORE, WORDS
from support.labs.base import ROW, Press, fill
from support.meetings.data import Meeting
from support.meetings.records import Option
from support.meetings.satisfaction import HIGHEST
from support.meetings.scenario import Brief, Chat
from support.meetings.seats import label, starts_for
from support.seats import Question

MOST_STARTS = 200
"""Starts that a coordinator chooses from; longer weeks are offered on a coarser grid."""

ALIKE = 2


class Asked(NamedTuple):
    """What is asked, as HTML; the widgets that take the answer; what reads it from them; what the buttons say."""

    told: str
    fields: Sequence[w.Widget]
    read: Callable[[], Any]
    send: str = "Send"
    skip: str = ""
    nothing: Any = None


Asking = Mapping[str, Callable[[Any], Asked]]
"""What is asked of a role: the fields of a question, by its phase."""


class RoleForm:
    """Shows the questions to a person in a role, in the order in which they come; Send answers the one that is shown.

    An answer that does not fit stays, with the reason below it. `about` says as HTML who the person is.
    """

    def __init__(self, asked: Asking, about: str = "") -> None:
        self.known, self.waiting = asked, list[Question]()
        self.asked, self.error = w.VBox(), w.HTML()
        self.error.add_class("convene-error")
        self.send_button, self.skip_button = (
            w.Button(button_style="primary"),
            w.Button(),
        )
        self.press = Press(lambda: self.read(), self.error)
        self.press.button(self.send_button, self.send)
        self.press.button(self.skip_button, lambda: self._give(self.nothing))
        self.buttons = w.HBox([self.send_button, self.skip_button])
        self.view = w.VBox([w.HTML(about), self.asked, self.buttons, self.error])
        self._show()

    def ask(self, question: Question) -> None:
        """Show a question, or keep it until those before it are answered."""
        self.waiting.append(question)
        if len(self.waiting) == 1:
            self._show()

    def send(self) -> None:
        """Give what stands in the fields as the answer; one that does not fit raises."""
        self._give(self.read())

    def _give(self, answer: Any) -> None:
        if self.waiting:
            self.waiting[0].answer(answer)
            self.waiting.pop(0)
            self._show()

    def _show(self) -> None:
        """The fields of the first question that waits."""
        made = Asked("<i>The others are at work.</i>", (), lambda: None)
        if self.waiting:
            question = self.waiting[0]
            view = question.view[0] if question.form else question.view
            made = self.known[question.phase](view)
        self.asked.children, self.read = (w.HTML(made.told), *made.fields), made.read
        self.nothing = made.nothing
        self.send_button.description, self.skip_button.description = (
            made.send,
            made.skip,
        )
        self.buttons.layout.display = "" if self.waiting else "none"
        self.skip_button.layout.display = "" if made.skip else "none"


def _field(
    make: type[w.Widget], name: str, width: str, label: str = "12rem", **more: Any
) -> Any:
    return make(
        description=name,
        layout=w.Layout(width=width),
        style={"description_width": label},
        **more,
    )


def _area(name: str) -> Any:
    return _field(w.Textarea, name, "40rem", "8rem", rows=3)


def _choice(name: str, options: Sequence[Any]) -> Any:
    return _field(w.Dropdown, name, "28rem", options=options)


def _number(name: str, high: int) -> Any:
    return _field(w.BoundedIntText, name, "20rem", value=0, min=0, max=high)


# ---- meetings ------------------------------------------------------------------------------------------------------


def _talk(chat: Chat, hint: str) -> str:
    title = f"Round {chat.round}, your talk with {chat.member}"
    lines = [*(("", _told(option, chat.meeting)) for option in chat.options),
             *((f"{turn.speaker}:", turn.text) for turn in chat.turns)]  # fmt: skip
    return fill(
        "asked",
        title,
        f" about {chat.meeting.subject}, {chat.meeting.duration} minutes.",
        lines,
        hint,
    )


def _told(option: Option, meeting: Meeting) -> str:
    why = f" ({'; '.join(option.reasons)})" if option.reasons else ""
    return f"{option.id}: {label(meeting.slot(option.start))}{why}"


def _remark(chat: Chat) -> Asked:
    field = _area("you say")
    hint = "Send nothing to end the talk." if chat.turns else ""
    return Asked(_talk(chat, hint), [field], lambda: field.value.strip() or None)


def _extract(chat: Chat) -> Asked:
    field = _area("wishes, a line each")
    agreed = _choice(
        "agrees to",
        [("none of them", None), *((option.id, option.id) for option in chat.options)],
    )
    told = _talk(
        chat, f"Note what {chat.member} wishes: the coordinator reads nothing else."
    )
    return Asked(
        told,
        [field, *([agreed] if chat.options else [])],
        lambda: (field.value, agreed.value),
    )


def _propose(brief: Brief) -> Asked:
    starts, meeting = starts_for(brief, MOST_STARTS), brief.meeting
    known = {
        name: "; ".join(intent.preferences) or "nothing is known"
        for name, intent in brief.intents.items()
    }
    lines = [(f"{name}:", said) for name, said in known.items()]
    best = brief.candidate and label(datetime.fromisoformat(brief.candidate.start))
    fields = [
        _choice(f"option {i + 1}", [("none", None), *starts.items()])
        for i in range(brief.k)
    ]
    if best in starts:
        fields[0].value = starts[best]
    lines += (
        [("", f"The best so far is {best}, for {brief.satisfied} of them.")]
        if best
        else []
    )
    told = fill(
        "asked",
        f"Round {brief.round}: place {meeting.subject}",
        f", {meeting.duration} minutes.",
        lines,
    )
    return Asked(told, fields, lambda: [field.value for field in fields if field.value])


def _score(view: tuple[Meeting, Sequence[Option], Mapping[str, Any], int]) -> Asked:
    meeting, options, intents, number = view
    marks = {
        o.id: {name: _number(name, HIGHEST) for name in meeting.members}
        for o in options
    }
    columns = [
        w.VBox([w.HTML(fill("asked", _told(o, meeting), "")), *marks[o.id].values()])
        for o in options
    ]
    title = f"Round {number}: how well does each option meet what each member said? 0 not at all, 3 fully."
    told = fill(
        "asked",
        title,
        "",
        [
            (f"{name}:", "; ".join(intent.preferences))
            for name, intent in intents.items()
        ],
    )
    row = w.HBox(columns, layout=w.Layout(**ROW))
    return Asked(
        told,
        [row],
        lambda: {
            o: {name: mark.value for name, mark in row.items()}
            for o, row in marks.items()
        },
    )


MEETINGS: Asking = {
    "remark": _remark,
    "extract": _extract,
    "propose": _propose,
    "score": _score,
}
"""The questions to interviewer, coordinator and evaluator of a meeting."""


# ---- fair decisions ------------------------------------------------------------------------------------------------


def _judged(view: tuple[str, Any, Sequence[Any]], feedback: str) -> Asked:
    """What a participant says of one plan, or two; only they see what the options are worth to them."""
    me, own, plans = view
    lines = []
    for number, plan in enumerate(plans):
        lines.append((f"Plan {'AB'[number]}" if len(plans) > 1 else "The plan", ""))
        for j, (decision, options) in enumerate(
            zip(own.table.decisions, own.table.options, strict=True)
        ):
            worth = f"{own.gains[j][plan[j]]} of {own.gains[j].max()} at best"
            lines.append(("", f"{decision}: {options[plan[j]]}, worth {worth}"))
    hint = (
        ""
        if feedback in (SCORE, COMPARISON)
        else "Say without numbers how it suits you."
    )
    told = fill(
        "asked",
        f"You are {me}.",
        " Only you know what each option is worth to you.",
        lines,
        hint,
    )
    if feedback == SCORE:
        total = _number("your total", int(own.gains.max(axis=1).sum()))
        return Asked(told, [total], lambda: total.value)
    if feedback == COMPARISON:
        choice = _choice(
            "you prefer", [("plan A", 0), ("plan B", 1), ("both alike", ALIKE)]
        )
        return Asked(
            told, [choice], lambda: None if choice.value == ALIKE else choice.value
        )
    field = _area("you say")
    return Asked(told, [field], lambda: field.value)


PLANS = {
    kind: partial(_judged, feedback=kind)
    for kind in (SCORE, WORDS, COMPARISON, COMPARED)
}
"""The questions to a participant in a search for a fair plan."""
