"""The form of the person at the desk: plans, actions and mails to approve, change, have made again or remove; flags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import Any

import ipywidgets as w

from support.draw import COLOURS
from support.runs.pages import mails_to_html, morning_to_html
from support.seats import Question
from support.seminar.checkpoints import AGAINS
from support.seminar.records import ACTION, ACTIONS, MAIL, PLAN, Action, Flag
from support.seminar.reviewing import FLAG
from support.seminar.views import AGAIN, APPROVE, EDIT, REMOVE, DayPlan, Desk, Draft, Review
from support.widgets.organizing.fields import Press, alert, frame, row, wide

Read = Callable[[], Any]
HOLDS = (
    "The policy holds from the next rehearsal on (Begin anew, or Carry over), and is among what you take along; the "
    "organiser of this one sees your answer as it is."
)


class DeskForm:
    """Takes the decisions of one person, one question after the other; a refusal keeps what was typed.

    Parameters
    ----------
    morning : callable
        Gives the organiser's report of the morning and the policies that it selected.
    make_policy : callable
        Makes a policy of a flag with its answer on a day, or raises.
    """

    told = HOLDS
    """From when on a policy that is made of an answer holds."""

    def __init__(
        self,
        morning: Callable[[], tuple[str, tuple[str, ...]]],
        make_policy: Callable[[Flag, int], None],
    ) -> None:
        self.morning, self.make_policy = morning, make_policy
        self.question: Question | None = None
        self.waved, self.wished = 0, False
        self._made, self._again = tuple[Any, ...](), 0
        self._read: Read = lambda: None
        self.head, self.context, self.error = w.HTML(), w.HTML(), w.HTML()
        self.fields, self.buttons = w.VBox(), row()
        self._review_buttons()
        self._flag_buttons()
        inside = [self.head, self.context, self.fields, self.buttons, self.error]
        self.view = w.VBox(inside, layout=frame(COLOURS[0]))
        self.press = Press(lambda: (self._read(), self.wish.value), self.error)
        self._connect()

    def _review_buttons(self) -> None:
        self.approve_button = wide("Approve", button_style="primary")
        self.edit_button = wide("Use my changes")
        self.undo_button = wide("Undo my changes")
        self.again_button = wide("Make again")
        self.remove_button = wide("Remove")
        self.rest_button = wide("Approve the rest of today", tooltip="Flags are still shown")
        self.wish = w.Text(
            description="wish",
            placeholder="what to make otherwise",
            style={"description_width": "3rem"},
            layout=w.Layout(width="19rem"),
        )

    def _flag_buttons(self) -> None:
        self.answer_button, self.open_button = wide("Answer", button_style="primary"), wide("Leave it open")
        self.keep = w.Checkbox(description="make this answer a policy", indent=False, tooltip=self.told)

    def _connect(self) -> None:
        for button, act in (
            (self.approve_button, self._approve),
            (self.edit_button, self._change),
            (self.undo_button, self._undo),
            (self.again_button, lambda: self._give(Review(AGAIN, wish=self.wish.value))),
            (self.remove_button, lambda: self._give(Review(REMOVE))),
            (self.rest_button, self._wave),
            (self.answer_button, self._answer),
            (self.open_button, lambda: self._give("")),
        ):
            self.press.button(button, act)

    def ask(self, question: Question) -> None:
        """Show what is to be looked at; after "Approve the rest of today" only flags are shown."""
        shown: Any = question.view
        if self._waves(question):
            question.answer(Review(APPROVE))
            return
        self.question, self.error.value = question, ""
        self._count(shown.round, question.phase, shown.about)
        self.head.value = f"<b>{escape(self._title(question))}</b>"
        self._flag(shown.item, shown.desk) if question.phase == FLAG else self._thing(question)
        self.view.layout.display = ""

    def _waves(self, question: Question) -> bool:
        """Whether it is approved without being shown."""
        shown: Any = question.view
        return question.phase != FLAG and self.waved == shown.round

    def _context(self, question: Question) -> str:
        """What is to be known about a plan, an action or a mail, as HTML."""
        shown: Any = question.view
        return morning_to_html(shown.desk, *self.morning()) if question.phase == PLAN else ""

    def rest(self) -> None:
        """Nothing is asked: the form is hidden."""
        self.question, self.view.layout.display = None, "none"

    def _title(self, question: Question) -> str:
        what, shown = question.phase, question.view
        about = f" to {shown.about}" if what == MAIL else f" about {shown.about}" if shown.about else ""
        again = f", made again ({self._again} of {AGAINS})" if self._again else ""
        asked = "a question" if what == FLAG else f"the {what}"
        return f"Day {shown.round}, {shown.desk.today:%A}: {asked}{about}{again}"

    def _count(self, *made: Any) -> None:
        """How often this very thing was made again."""
        self._again = self._again + 1 if made == self._made and self.wished else 0
        self._made, self.wished = made, False

    def _thing(self, question: Question) -> None:
        shown: Any = question.view
        fields, self._read = FIELDS[question.phase](shown.item, shown.desk)
        self.context.value = self._context(question)
        self.fields.children, self.wish.value = tuple(fields), ""
        for field in fields:
            field.observe(lambda _: self._offer(), "value")
        self.again_button.disabled = self._again >= AGAINS
        self.buttons.children = (
            self.approve_button,
            self.edit_button,
            self.undo_button,
            self.remove_button,
            self.rest_button,
            self.again_button,
            self.wish,
        )
        self._offer()

    def _offer(self) -> None:
        changed = self._changed()
        self.approve_button.disabled, self.edit_button.disabled, self.undo_button.disabled = (
            changed,
            not changed,
            not changed,
        )

    def _changed(self) -> bool:
        return self.question is not None and self._read() != self.question.view.item

    def _flag(self, flag: Flag, desk: Desk) -> None:
        mail = [mail for mail in desk.mails if mail.id == flag.mail]
        said = f'<div class="flag">{escape(flag.question)}</div>{mails_to_html(mail, unfolded=True)}'
        self.context.value = f'<div class="convene-diary">{said}</div>'
        answer = self.answer_field = _area("answer", "", 2)
        self._read = lambda: answer.value
        self.keep.value = False
        kept = () if flag.dates else (self.keep, w.HTML(f'<span style="color:#595959">{self.told}</span>'))
        self.fields.children = (answer, *kept)  # an answer about dates is noted, and is no policy
        self.buttons.children = (self.answer_button, self.open_button)

    def _approve(self) -> None:
        if self._changed():
            self.error.value = alert("You changed it: press “Use my changes”, or “Undo my changes” and then “Approve”.")
            return
        self._give(Review(APPROVE))

    def _change(self) -> None:
        self._give(Review(EDIT, edited=self._read()))

    def _undo(self) -> None:
        if self.question:
            self._thing(self.question)

    def _wave(self) -> None:
        if self._changed():
            self._approve()
        elif self.question:
            self.waved = self.question.view.round
            self._give(Review(APPROVE))

    def _answer(self) -> None:
        """Answer a flag; the policy is made first, so that one which cannot be leaves the question open."""
        if self.question is None:
            return
        shown: Any = self.question.view
        if not self._read().strip():
            self.error.value = alert("Nothing is typed: type an answer, or press “Leave it open”.")
            return
        if self.keep.value:
            self.make_policy(replace(shown.item, answer=self._read().strip()), shown.round)
        self._give(self._read())

    def _give(self, answer: Any) -> None:
        if self.question is None:
            return
        self.question.answer(answer)
        self.wished = isinstance(answer, Review) and answer.decision == AGAIN
        self.rest()


def _plan(item: DayPlan, desk: Desk) -> tuple[list[w.Widget], Read]:
    text, reason = _area("plan", item.text, 3), _area("reason", item.reason, 2)
    return [text, reason], lambda: DayPlan(text.value, reason.value)


def _action(item: Action, desk: Desk) -> tuple[list[w.Widget], Read]:
    look = {"style": {"description_width": "5rem"}, "layout": w.Layout(width="24rem")}
    kinds = [(kind.replace("_", "-"), kind) for kind in ACTIONS]
    kind = w.Dropdown(options=kinds, value=item.kind, description="action", **look)
    days = {slot.isoformat(): f"{slot:%a} {slot.day} {slot:%b %Y}" for slot in desk.state.slots}
    days |= {item.slot: item.slot} if item.slot and item.slot not in days else {}
    dates = [("no date", ""), *((said, slot) for slot, said in days.items())]
    slot = w.Dropdown(options=dates, value=item.slot or "", description="date", **look)
    goal = _area("to what end", item.goal, 2)
    return [kind, slot, goal], lambda: replace(item, kind=kind.value, goal=goal.value, slot=slot.value or None)


def _mail(item: Draft, desk: Desk) -> tuple[list[w.Widget], Read]:
    subject, body = _area("subject", item.subject, 1), _area("mail", item.body, 11)
    return [subject, body], lambda: Draft(subject.value, body.value)


FIELDS: dict[str, Callable[[Any, Desk], tuple[list[w.Widget], Read]]] = {PLAN: _plan, ACTION: _action, MAIL: _mail}


def _area(name: str, value: str, rows: int) -> w.Textarea:
    look = {"style": {"description_width": "5rem"}, "layout": w.Layout(width="100%", max_width="54rem")}
    return w.Textarea(value=value, rows=rows, description=name, **look)
