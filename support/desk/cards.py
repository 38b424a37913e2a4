"""What waits for a person, each a card: a list to look over, or a question with a form."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import ipywidgets as w
from pydantic import BaseModel

from support.desk.boards import fill, short
from support.errors import InvalidInput
from support.labs.base import Press
from support.labs.person import Sheet
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
from support.seminar.review import AGAINS, Items

GLANCE = 0.7
"""Seconds for which real mail is on the screen before it can be approved: a second click
of two, or a key that is held down, is for no mail."""
TITLES = {
    PLAN: "is this the plan?",
    ACTION: "what is to be done today",
    MAIL: "the mails, before they go",
}
UNCHANGED = "The wish changed nothing: it came back as it was."
LEFT_OUT, CHANGED = "left out", "changed"


def button(words: str, primary: bool = False) -> w.Button:
    """A button as wide as its words."""
    made = w.Button(description=words, layout=w.Layout(width="auto"))
    made.button_style = "primary" if primary else ""
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
    wide = {"layout": w.Layout(width="auto"), "style": {"description_width": "5rem"}}
    if what == PLAN:
        return {
            "text": w.Textarea(description="plan", rows=3, **wide),
            "reason": w.Textarea(description="because", rows=3, **wide),
        }
    if what == MAIL:
        return {
            "subject": w.Text(description="subject", **wide),
            "body": w.Textarea(description="mail", rows=14, **wide),
        }
    kinds = [(kind.replace("_", "-"), kind) for kind in ACTIONS]
    slots = [(short(slot), slot) for slot in desk.books.holders]
    asked = [("–", ""), *((words, words) for words in ASKS)]
    return {
        "kind": w.Dropdown(description="what", options=kinds, **wide),
        "slots": w.SelectMultiple(
            description="dates", options=slots, rows=min(len(slots), 5), **wide
        ),
        "asks": w.Dropdown(description="asks for", options=asked, **wide),
        "goal": w.Text(description="to", **wide),
    }


class ReviewCard:
    """A plan, the actions of a day, or their mails: all stay, unless one is changed or
    left out; a wish makes all of them again.

    One form shows whoever is picked. Real mail (`live`) has to be seen, one by one.
    `held` says why a mail cannot go as it is. `wished` are what was shown before and how
    many wishes there were today.
    """

    def __init__(
        self,
        desk: Desk,
        what: str,
        items: Items,
        give: Callable[[Review], None],
        *,
        live: bool = False,
        held: Callable[[Any], str] = lambda draft: "",
        wished: tuple[Items, int] = ((), 0),
    ) -> None:
        self.desk, self.what, self.give, self.held = desk, what, give, held
        self.shown = {item.person: item for item in items}
        self.left: dict[str, Any] = dict(self.shown)
        self.live, self.seen, self.since = live and what == MAIL, set[str](), 0.0
        self.fields = controls(what, desk)
        self.about, self.listed, self.error = w.HTML(), w.HTML(), w.HTML()
        self.picks = {name: button(name) for name in self.shown}
        self.names = w.HBox()
        self.names.add_class("picks")
        self.out = button("Leave out")
        self.form = w.VBox([self.about, *self.fields.values(), row(self.out)])
        self.yes, self.again = button("", primary=True), button("Make all again")
        self.wish = w.Text(placeholder="a wish: what should be otherwise")
        self.press = Press(self._typed, self.error)
        told = fill("note", UNCHANGED, "maybe") if wished[0] == items else ""
        buttons = [self.yes]
        buttons += [self.wish, self.again] if wished[1] < AGAINS else []
        inside = [w.HTML(told), *self._parts(), row(*buttons), self.error]
        self.view = framed(f"Day {desk.day}", TITLES[what], *inside)
        self._connect()
        self.picked: str | None = None
        if what == ACTION:
            self.form.layout.display = "none"
        else:
            self._pick(next(iter(self.shown)))
        self._mark()

    def _parts(self) -> list[w.Widget]:
        if self.what == PLAN:
            return [self.form]
        if self.what == MAIL:
            return [self.names, self.form]
        free = [name for name in self.desk.books.contacts if name not in self.shown]
        self.more = w.Dropdown(options=["add somebody …", *free])
        self.more.observe(lambda change: self._add(change["new"]), "value")
        plan = w.HTML(fill("plan", self.desk.plan))
        return [plan, self.listed, row(self.names, self.more), self.form]

    def _connect(self) -> None:
        self.press.button(self.yes, self._approve)
        self.press.button(self.again, self._again)
        self.press.button(self.out, self._leave_out)
        for name in self.picks:
            self._connect_pick(name)
        for control in self.fields.values():
            control.observe(lambda _: self._mark(), "value")

    def _connect_pick(self, name: str) -> None:
        self.press.button(self.picks[name], lambda: self._pick(name))

    def _typed(self) -> Any:
        return self._values(), self.wish.value

    def _values(self) -> dict[str, Any]:
        return {name: control.value for name, control in self.fields.items()}

    def _now(self) -> dict[str, Any]:
        """What becomes of each, with what stands in the form."""
        now = dict(self.left)
        if self.picked is not None and now[self.picked] is not None:
            now[self.picked] = replace(now[self.picked], **self._values())
        return now

    def _pick(self, name: str) -> None:
        """Show somebody's in the form; what stood there is kept."""
        self.left, self.picked = self._now(), None
        item = self.left[name] or self.shown.get(name) or Action(WAIT, name)
        for part, control in self.fields.items():
            control.value = getattr(item, part)
        self.picked, self.since = name, time.monotonic()
        self.seen.add(name)
        self.form.layout.display = ""
        self._mark()

    def _add(self, name: str) -> None:
        if name not in self.desk.books.contacts or name in self.picks:
            return
        self.left[name] = Action(WAIT, name)
        self.picks[name] = button(name)
        self._connect_pick(name)
        self._pick(name)

    def _leave_out(self) -> None:
        name = self.picked
        if name is not None:
            now = self._now()
            old = self.shown.get(name) or Action(WAIT, name)
            self.left[name] = old if now[name] is None else None
            self._pick(name)

    def _state(self, name: str, item: Any) -> str:
        if item is None:
            return LEFT_OUT
        return "" if item == self.shown.get(name) else CHANGED

    def _mark(self) -> None:
        """Say what is changed, and what the buttons do now."""
        now = self._now()
        states = {name: self._state(name, item) for name, item in now.items()}
        for name, pick in self.picks.items():
            look = {
                "picked": name == self.picked,
                "changed": states[name] == CHANGED,
                "gone": states[name] == LEFT_OUT,
                "seen": self.live and name in self.seen,
            }
            pick._dom_classes = tuple(part for part, holds in look.items() if holds)
        self.names.children = tuple(self.picks.values()) if len(self.picks) > 1 else ()
        if self.what == ACTION:
            known = [item or self.shown.get(name) for name, item in now.items()]
            rows = zip(known, states.values(), strict=True)
            self.listed.value = fill("actions", [pair for pair in rows if pair[0]])
        if self.picked is not None:
            self._tell(now[self.picked], states[self.picked])
        kept = sum(item is not None for item in now.values())
        self.yes.description = self._approval(kept)

    def _tell(self, item: Any, state: str) -> None:
        name = self.picked
        self.out.description = "Put back" if item is None else "Leave out"
        if not name:
            self.out.layout.display = "none"
            self.about.value = fill("changes", state)
            return
        person, why = self.desk.scenario.by_name[name], ""
        goals = [act.goal for act in self.desk.actions if act.person == name]
        goal = goals[0] if goals and self.what == MAIL else ""
        if self.what == MAIL and item is not None:
            why = self.held(item)
        came = [mail for mail in self.desk.thread(name) if mail.sender == name]
        latest = came[-1] if came else None
        self.about.value = fill("receiver", person, goal, why, latest, state)

    def _unseen(self) -> list[str]:
        now = self._now()
        return [name for name in now if now[name] and name not in self.seen]

    def _approval(self, kept: int) -> str:
        if self.what == PLAN:
            return "Approve the plan"
        if self.live and (unseen := self._unseen()):
            return f"Next mail ({len(unseen)} not seen yet)"
        many = f"{kept} {self.what}{'' if kept == 1 else 's'}"
        return f"Send {many}" if self.what == MAIL else f"Approve {many}"

    def _approve(self) -> None:
        if self.live and time.monotonic() - self.since < GLANCE:
            raise InvalidInput("This is real mail: look at each one before it goes.")
        if self.live and (unseen := self._unseen()):
            self._pick(unseen[0])
            return
        self.give(Review(tuple(item for item in self._now().values() if item)))

    def _again(self) -> None:
        if not self.wish.value.strip():
            raise InvalidInput("Say what should be otherwise, then make all again.")
        self.give(Review(tuple(self.shown.values()), self.wish.value.strip()))


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
        self.sheet = Sheet(form) if form else None
        self.error = w.HTML()
        self.press = Press(self._typed, self.error)
        self.buttons = []
        for words, act in acts.items():
            self._button(words, act)
        self.yes = self.buttons[0]
        self.yes.button_style = "primary"
        inside: Iterable[w.Widget] = [self.sheet.view] if self.sheet else []
        parts = [w.HTML(shown), *inside, row(*self.buttons), self.error]
        self.view = framed(title, about, *parts)

    def _button(self, words: str, act: Callable[[Any], Any]) -> None:
        made = button(words)
        self.press.button(made, lambda: act(self.sheet and self.sheet.reply()))
        self.buttons.append(made)

    def _typed(self) -> Any:
        return self.sheet and self.sheet.read()
