"""The forms of persons: at the desk, for plans, actions, mails and questions; among the speakers, for their mail."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ipywidgets as w

from support.desk.fields import Press, area, boxed, hint, row, there, told
from support.desk.markup import fill
from support.errors import InvalidInput
from support.seats import Question
from support.seminar.checkpoints import AGAINS
from support.seminar.data import Persona, in_words
from support.seminar.records import ACTION, ACTIONS, MAIL, ORGANISER, PLAN, Action, Flag
from support.seminar.reviewing import FLAG
from support.seminar.views import (
    AGAIN,
    APPROVE,
    EDIT,
    REMOVE,
    DayPlan,
    Desk,
    Draft,
    Letter,
    Review,
)
from support.seminars.unlock import Lock

Read = Callable[[], Any]
ANSWER = "answer"  # the phase of a question to somebody among the speakers
HOLDS = "The policy holds at once, and is among what you take along."
SAME = (
    "It is the same again. A rule-based organiser writes mails by templates, and follows no wish: change it here, or "
    "remove it."
)
CHANGED = (
    "You changed it: press “Use my changes”, or “Undo my changes” and then “Approve”."
)
GLANCE = 0.7  # seconds that a real mail is on the screen before it can be sent: a second click of two is for no mail


class DeskForm:
    """Takes the decisions of the person at the desk, one question after the other; a refusal keeps what was typed.

    `make_policy` makes a policy of a flag with its answer on a day, or raises. If `live`, every mail is shown, and none
    is among "the rest of today". With `follow` the focus goes along: not while something is typed elsewhere.
    """

    def __init__(
        self, make_policy: Callable[[Flag, int], None], changed: Callable[[], None]
    ) -> None:
        self.make_policy, self.changed, self.lock = make_policy, changed, Lock()
        self.live, self.follow, self.waved, self.wished = False, False, 0, False
        self.question: Question | None = None
        self.replies: dict[str, ReplyForm] = {}
        self._made, self._again = tuple[Any, ...](), 0
        self._item: Any = None
        self._shown = self._pressed = 0.0
        self._read: Read = lambda: None
        self.head, self.context, self.error = w.HTML(), w.HTML(), w.HTML()
        self.fields, self.buttons, self.others = w.VBox(), row(), w.VBox()
        self.buttons.add_class("buttons")
        self.wish = w.Text(description="wish", placeholder="what to make otherwise", layout=w.Layout(width="19rem"),
                           style={"description_width": "3rem"})  # fmt: skip
        self.code = w.Password(
            description="code", placeholder="8 digits, from the terminal of `make app`"
        )
        self.keep = w.Checkbox(
            description="make this answer a policy", indent=False, tooltip=HOLDS
        )
        self.view = boxed(
            "ask",
            self.head,
            self.context,
            self.fields,
            self.code,
            self.buttons,
            self.error,
        )
        press = Press(lambda: (self._read(), self.wish.value), self.error)
        press.started = self._follow
        new = press.new
        self.approve_button = new("Approve", self._approve, button_style="primary")
        self.edit_button = new(
            "Use my changes", lambda: self._give(Review(EDIT, edited=self._read()))
        )
        self.undo_button = new(
            "Undo my changes",
            lambda: self._thing(self.question) if self.question else None,
        )
        self.rest_button = new("", lambda: self._approve(rest=True))
        self.again_button = new(
            "Make again", lambda: self._give(Review(AGAIN, wish=self.wish.value))
        )
        self.remove_button = new("Remove", lambda: self._give(Review(REMOVE)))
        self.answer_button = new("Answer", self._answer, button_style="primary")
        self.open_button = new("Leave it open", lambda: self._give(""))
        there(self.view, False)

    @property
    def waiting(self) -> Question | None:
        """What waits for a person: at the desk, or else among the speakers."""
        return self.question or next(
            (one.question for one in self.replies.values() if one.question), None
        )

    def begin(self, *, live: bool) -> None:
        """Another seminar: what was waved through in the one before counts no more."""
        self.live, self.waved = live, 0
        self.rest()

    def rest(self) -> None:
        """Nothing is asked any more: the forms are hidden."""
        self.question, self.replies = None, {}
        self.others.children = ()
        there(self.view, False)
        self.changed()

    def ask(self, question: Question) -> None:
        """Show a question, with the focus on it if the person has just been here."""
        self._shown = time.monotonic()
        shown: Any = question.view
        if question.phase == ANSWER:
            self.replies[shown.person] = ReplyForm(
                question, self.persona(shown.person), self._replied
            )
            self._list_replies()
            return
        real = self.live and question.phase == MAIL
        if question.phase != FLAG and self.waved == shown.round and not real:
            question.answer(Review(APPROVE))
            return
        self.question, self.error.value = question, ""
        made = shown.round, question.phase, shown.about
        self._again = self._again + 1 if made == self._made and self.wished else 0
        self._made, self.wished = made, False
        self.head.value = told(self._title(question), look="who")
        self._flag(shown.item, shown.desk) if question.phase == FLAG else self._thing(
            question
        )
        if self._again and shown.item == self._item:
            self.context.value += told(SAME, "status", "trouble")
        self._item = shown.item
        there(self.view, True)
        self.changed()
        if self.follow:
            (
                self.answer_field if question.phase == FLAG else self.approve_button
            ).focus()

    persona: Callable[[str], Persona]
    """Gives whom somebody among the speakers plays."""

    def _replied(self, person: str) -> None:
        del self.replies[person]
        self._list_replies()

    def _list_replies(self) -> None:
        self.others.children = tuple(form.view for form in self.replies.values())
        self.changed()

    def _title(self, question: Question) -> str:
        what, shown = question.phase, question.view
        about = (
            f" to {shown.about}"
            if what == MAIL
            else f" about {shown.about}"
            if shown.about
            else ""
        )
        again = f", made again ({self._again} of {AGAINS})" if self._again else ""
        asked = "a question" if what == FLAG else f"the {what}"
        return f"Day {shown.round}, {shown.desk.today:%A}: {asked}{about}{again}"

    def _thing(self, question: Question) -> None:
        """A plan, an action or a mail, with the buttons for it."""
        shown: Any = question.view
        real = self.live and question.phase == MAIL
        person = shown.desk.scenario.person(shown.about) if shown.about else None
        address = person.email if person else ""
        self.approve_button.description = (
            f"Approve and send to {address}" if real else "Approve"
        )
        self.edit_button.description = (
            f"Send my text to {address}" if real else "Use my changes"
        )
        self.rest_button.description = (
            "Approve today’s other actions"
            if self.live
            else "Approve the rest of today"
        )
        self.rest_button.tooltip = (
            "Flags and mails are still shown" if self.live else "Flags are still shown"
        )
        there(self.rest_button, not real)
        there(self.code, real and not self.lock.open)
        fields, self._read = FIELDS[question.phase](shown.item, shown.desk)
        came = (
            [
                mail
                for mail in shown.desk.thread(shown.about)
                if mail.sender != ORGANISER
            ]
            if person
            else []
        )
        to = address if question.phase == MAIL else ""
        self.context.value = (
            fill("page", "to_whom", shown.about, to, came[-1] if came else None)
            if person
            else ""
        )
        self.fields.children, self.wish.value = tuple(fields), ""
        for field in fields:
            field.observe(lambda _: self._offer(), "value")
        self.again_button.disabled = self._again >= AGAINS
        self.buttons.children = (self.approve_button, self.edit_button, self.undo_button, self.remove_button,
                                 self.rest_button, self.again_button, self.wish)  # fmt: skip
        self._offer()

    def _offer(self) -> None:
        self.approve_button.disabled = changed = self._changed()
        self.edit_button.disabled = self.undo_button.disabled = not changed

    def _changed(self) -> bool:
        return self.question is not None and self._read() != self.question.view.item

    def _flag(self, flag: Flag, desk: Desk) -> None:
        mails = [mail for mail in desk.mails if mail.id == flag.mail]
        self.context.value = fill("page", "asked", flag.question, mails)
        answer = self.answer_field = area("answer", "", 2)
        self._read, self.keep.value = lambda: answer.value, False
        there(self.code, False)
        kept = (
            () if flag.dates else (self.keep, hint(HOLDS))
        )  # an answer about dates is noted, and is no policy
        self.fields.children = (answer, *kept)
        self.buttons.children = (self.answer_button, self.open_button)

    def _follow(self) -> None:
        self.follow, self._pressed = True, time.monotonic()

    def _approve(self, *, rest: bool = False) -> None:
        """Approve what is shown, and the `rest` of the day where that is said; not where something was changed."""
        if self._changed():
            raise InvalidInput(CHANGED)
        day = self.question.view.round if self.question and rest else self.waved
        self._give(Review(APPROVE))
        self.waved = day

    def _answer(self) -> None:
        """Answer a flag; the policy is made first, so that one which cannot be leaves the question open."""
        if self.question is None:
            return
        shown: Any = self.question.view
        if not self._read().strip():
            raise InvalidInput(
                "Nothing is typed: type an answer, or press “Leave it open”."
            )
        if self.keep.value:
            self.make_policy(
                replace(shown.item, answer=self._read().strip()), shown.round
            )
        self._give(self._read())

    def _give(self, answer: Any) -> None:
        if self.question is None:
            return
        sends = isinstance(answer, Review) and answer.decision in (APPROVE, EDIT)
        if sends and self.live and self.question.phase == MAIL:
            if self._pressed - self._shown < GLANCE:
                self._shown = (
                    self._pressed
                )  # a key that is held down never gets through
                raise InvalidInput(
                    "This mail came onto the screen just now: read it, then press again."
                )
            if not self.lock.open:
                code, self.code.value = self.code.value, ""
                self.lock.unlock(code)
        self.question.answer(answer)
        self.wished = isinstance(answer, Review) and answer.decision == AGAIN
        self.question = None
        there(self.view, False)
        self.changed()


def _plan(item: DayPlan, desk: Desk) -> tuple[list[w.Widget], Read]:
    text, reason = area("plan", item.text, 3), area("reason", item.reason, 2)
    return [text, reason], lambda: DayPlan(text.value, reason.value)


def _action(item: Action, desk: Desk) -> tuple[list[w.Widget], Read]:
    look = {"style": {"description_width": "5rem"}, "layout": w.Layout(width="24rem")}
    kinds = [(kind.replace("_", "-"), kind) for kind in ACTIONS]
    kind = w.Dropdown(options=kinds, value=item.kind, description="action", **look)
    days = {
        slot.isoformat(): f"{slot:%a} {slot.day} {slot:%b %Y}"
        for slot in desk.state.slots
    }
    days |= {item.slot: item.slot} if item.slot and item.slot not in days else {}
    dates = [("no date", ""), *((said, slot) for slot, said in days.items())]
    slot = w.Dropdown(options=dates, value=item.slot or "", description="date", **look)
    goal = area("to what end", item.goal, 2)
    return [kind, slot, goal], lambda: replace(
        item, kind=kind.value, goal=goal.value, slot=slot.value or None
    )


def _mail(item: Draft, desk: Desk) -> tuple[list[w.Widget], Read]:
    subject, body = area("subject", item.subject, 1), area("mail", item.body, 11)
    return [subject, body], lambda: Draft(subject.value, body.value)


FIELDS: dict[str, Callable[[Any, Desk], tuple[list[w.Widget], Read]]] = {
    PLAN: _plan,
    ACTION: _action,
    MAIL: _mail,
}


class ReplyForm:
    """The mail of somebody among the speakers who is a person: an answer now, later, or never."""

    def __init__(
        self, question: Question, persona: Persona, replied: Callable[[str], None]
    ) -> None:
        letter: Any = question.view
        self.question: Question | None = question
        self.persona, self.replied, self.error = persona, replied, w.HTML()
        self.field = area("your mail", "", 4, placeholder="what you write back")
        self.day = w.BoundedIntText(value=letter.day + 2, min=1, max=999, description="look again on day",
                                    style={"description_width": "8rem"}, layout=w.Layout(width="13rem"))  # fmt: skip
        press = Press(lambda: (self.field.value, self.day.value), self.error)
        send = press.new(
            "Send", lambda: self._give(self.field.value), button_style="primary"
        )
        never = press.new("Leave it unanswered", lambda: self._give(None))
        later = press.new("Later", lambda: self._give(self.day.value))
        buttons = row(send, never, later, self.day)
        self.view = boxed(
            "ask", w.HTML(self._letter(letter)), self.field, buttons, self.error
        )

    def _letter(self, letter: Letter) -> str:
        me = self.persona
        head = f"Day {letter.day}, {letter.today:%A} evening: you are {me.name}"
        about = ", ".join(part for part in (me.role, me.field, me.affiliation) if part)
        known = " ".join(
            part for part in (me.description, *me.constraints, me.issue) if part
        )
        older, newest = letter.thread[:-1], letter.thread[-1:]
        return fill(
            "page",
            "letter",
            head,
            about,
            known,
            older,
            newest,
            [in_words(day) for day in letter.given],
        )

    def _give(self, answer: str | int | None) -> None:
        if self.question is not None:
            self.question.answer(answer)
            self.question = None
            self.replied(self.persona.name)
