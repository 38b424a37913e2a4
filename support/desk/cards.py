"""What waits for a person, each a card: a list to look over, or a question with a form."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import ipywidgets as w
from pydantic import BaseModel

from support.desk.boards import fill, short
from support.errors import InvalidInput
from support.person import Press, Sheet
from support.seats import Question
from support.seminar.desk import Desk
from support.seminar.records import (
    ACTION,
    ACTIONS,
    ASKS,
    MAIL,
    PLAN,
    WAIT,
    Action,
    Review,
)
from support.seminar.review import AGAINS
from support.seminars.seminar import Seminar
from support.seminars.setup import LIVE

GLANCE = 0.7
"""Seconds for which real mail is on the screen before it can be approved: a second click
of two, or a key that is held down, is for no mail."""
TITLES = {
    PLAN: "is this the plan?",
    ACTION: "what is to be done today",
    MAIL: "the mails, before they go",
}
LEFT_OUT = "left out"
CHANGED = "changed"


def button(press: Press, words: str, act: Callable[[], Any]) -> w.Button:
    """A button that does something."""
    made = w.Button(description=words)
    press.button(made, act)
    return made


def row(*those: w.Widget) -> w.HBox:
    """Widgets in a row that may wrap."""
    made = w.HBox(those)
    made.add_class("buttons")
    return made


def framed(title: str, about: str, *inside: w.Widget) -> w.VBox:
    """A card with its heading."""
    made = w.VBox([w.HTML(fill("asks", title, about)), *inside])
    made.add_class("card")
    return made


# ---- a list that is looked over as a whole ---------------------------------------------


def controls(what: str, desk: Desk) -> dict[str, w.Widget]:
    """The widgets for the parts of a plan, an action, or a mail, by their names."""
    if what == PLAN:
        return {
            "text": w.Textarea(description="plan", rows=3),
            "reason": w.Textarea(description="because", rows=3),
        }
    if what == MAIL:
        return {
            "subject": w.Text(description="subject"),
            "body": w.Textarea(description="mail", rows=14),
        }
    kinds = [(kind.replace("_", "-"), kind) for kind in ACTIONS]
    slots = [(short(slot), slot) for slot in desk.books.holders]
    asked = [("–", ""), *((words, words) for words in ASKS)]
    return {
        "kind": w.Dropdown(description="what", options=kinds),
        "slots": w.SelectMultiple(description="dates", options=slots),
        "asks": w.Dropdown(description="asks for", options=asked),
        "goal": w.Text(description="to"),
    }


class ReviewCard:
    """A plan, the actions of a day, or their mails: all stay, unless one is changed or
    left out; a wish makes all of them again.

    One form shows whoever is picked. Real mail has to be seen, one by one. `wishes` were
    made today.
    """

    def __init__(
        self,
        seminar: Seminar,
        question: Question,
        give: Callable[[Review], None],
        wishes: int = 0,
    ) -> None:
        self.desk, self.what, items = question.view
        self.give = give
        self.held = seminar.run.held
        self.shown = {item.person: item for item in items}
        self.left: dict[str, Any] = dict(self.shown)
        self.live = seminar.setup.mode == LIVE and self.what == MAIL
        self.seen = set[str]()
        self.since = 0.0
        self.picked: str | None = None
        self.fields = controls(self.what, self.desk)
        self.about = w.HTML()
        self.listed = w.HTML()
        self.error = w.HTML()
        self.wish = w.Text(placeholder="what to do otherwise")
        self.press = Press(self._typed, self.error)
        self.yes = button(self.press, "", self._approve)
        self.yes.button_style = "primary"
        self.again = button(self.press, "Make all again", self._again)
        self.out = button(self.press, "Leave out", self._leave_out)
        self.picks = {name: self._pick_button(name) for name in self.shown}
        self.names = row()
        self.names.add_class("picks")
        self.form = w.VBox([self.about, *self.fields.values(), row(self.out)])
        again = [self.wish, self.again] if wishes < AGAINS else []
        parts = [*self._parts(), row(self.yes, *again), self.error]
        self.view = framed(f"Day {self.desk.day}", TITLES[self.what], *parts)
        for control in self.fields.values():
            control.observe(lambda _: self._mark(), "value")
        if self.what == ACTION:
            self.form.layout.display = "none"
        else:
            self._pick(next(iter(self.shown)))
        self._mark()

    def _pick_button(self, name: str) -> w.Button:
        return button(self.press, name, lambda: self._pick(name))

    def _parts(self) -> list[w.Widget]:
        if self.what != ACTION:
            return [self.names, self.form]
        free = [name for name in self.desk.books.contacts if name not in self.shown]
        more = w.Dropdown(options=["add somebody …", *free])
        more.observe(lambda change: self._add(change["new"]), "value")
        plan = w.HTML(fill("plan", self.desk.plan))
        return [plan, self.listed, row(self.names, more), self.form]

    def _typed(self) -> Any:
        return self._values(), self.wish.value

    def _values(self) -> dict[str, Any]:
        return {name: control.value for name, control in self.fields.items()}

    def _now(self) -> dict[str, Any]:
        """What becomes of each, with what stands in the form; None: it is left out."""
        now = dict(self.left)
        if self.picked is not None and now[self.picked] is not None:
            now[self.picked] = replace(now[self.picked], **self._values())
        return now

    def _pick(self, name: str) -> None:
        """Show somebody's in the form; what stood there is kept."""
        self.left = self._now()
        self.picked = None
        item = self.left[name] or self.shown[name]
        for part, control in self.fields.items():
            control.value = getattr(item, part)
        self.picked = name
        self.since = time.monotonic()
        self.seen.add(name)
        self.form.layout.display = ""
        self._mark()

    def _add(self, name: str) -> None:
        if name in self.desk.books.contacts and name not in self.shown:
            self.shown[name] = self.left[name] = Action(WAIT, name)
            self.picks[name] = self._pick_button(name)
            self._pick(name)

    def _leave_out(self) -> None:
        name = self.picked
        if name is not None:
            gone = self.left[name] is None
            self.left[name] = self.shown[name] if gone else None
            self._pick(name)

    def _mark(self) -> None:
        """Say what is changed or left out, and what the buttons do now."""
        now = self._now()
        states = dict[str, str]()
        for name, item in now.items():
            same = "" if item == self.shown[name] else CHANGED
            states[name] = LEFT_OUT if item is None else same
            seen = "seen" if self.live and name in self.seen else ""
            picked = "picked" if name == self.picked else ""
            looks = (picked, seen, states[name].replace(" ", "-"))
            self.picks[name]._dom_classes = tuple(filter(None, looks))
        if len(now) > 1 or self.what == ACTION:
            self.names.children = tuple(self.picks.values())
        if self.what == ACTION:
            items = [item or self.shown[name] for name, item in now.items()]
            self.listed.value = fill(
                "actions", zip(items, states.values(), strict=True)
            )
        if self.picked is not None:
            self._tell(self.picked, now[self.picked], states[self.picked])
        self.yes.description = self._approval(sum(map(bool, now.values())))

    def _tell(
        self,
        name: str,
        item: Any,
        state: str,
    ) -> None:
        """Whom the form is about, what they wrote last, and why it cannot go."""
        self.out.description = "Put back" if item is None else "Leave out"
        if self.what == PLAN:
            self.out.layout.display = "none"
            self.about.value = fill("note", state, "maybe")
            return
        came = [one for one in self.desk.thread(name) if one.sender == name]
        self.about.value = fill(
            "receiver",
            self.desk.scenario.by_name[name],
            self.held(item) if self.what == MAIL and item else "",
            came[-1] if came else None,
            state,
        )

    def _unseen(self) -> list[str]:
        if not self.live:
            return []
        return [
            name for name, item in self._now().items() if item and name not in self.seen
        ]

    def _approval(self, kept: int) -> str:
        if self.what == PLAN:
            return "Approve the plan"
        if unseen := self._unseen():
            return f"Next mail ({len(unseen)} not seen yet)"
        many = f"{kept} {self.what}{'' if kept == 1 else 's'}"
        return f"Send {many}" if self.what == MAIL else f"Approve {many}"

    def _approve(self) -> None:
        if self.live and time.monotonic() - self.since < GLANCE:
            raise InvalidInput("This is real mail: look at each one before it goes.")
        if unseen := self._unseen():
            self._pick(unseen[0])
            return
        items = [item for item in self._now().values() if item]
        for item in items if self.what == MAIL else ():
            if why := self.held(item):
                self._pick(item.person)
                raise InvalidInput(why)
        self.give(Review(tuple(items)))

    def _again(self) -> None:
        wish = self.wish.value.strip()
        if not wish:
            raise InvalidInput("Say what should be otherwise, then make all again.")
        self.give(Review((), wish))


# ---- a question with a form ------------------------------------------------------------


class FormCard:
    """Something shown, a form below it, and a button for each thing that can be done
    with what stands in it; the first is the usual one."""

    def __init__(
        self,
        title: str,
        about: str,
        shown: str,
        form: type[BaseModel] | None,
        acts: Mapping[str, Callable[[Any], Any]],
    ) -> None:
        self.sheet = Sheet(form or Nothing)
        self.error = w.HTML()
        self.buttons = row()
        self.press = Press(self.sheet.read, self.error)
        for words, act in acts.items():
            self.offer(words, act)
        self.yes = self.buttons.children[0]
        self.yes.button_style = "primary"
        parts = [w.HTML(shown), self.sheet.view, self.buttons, self.error]
        self.view = framed(title, about, *parts)

    def offer(
        self,
        words: str,
        act: Callable[[Any], Any],
        reads: bool = True,
    ) -> None:
        """One more button; one that does not read takes the form as it is."""
        told = self.sheet.reply if reads else lambda: None
        made = button(self.press, words, lambda: act(told()))
        self.buttons.children = (*self.buttons.children, made)


class Nothing(BaseModel):
    """The form where nothing is to be filled in."""
