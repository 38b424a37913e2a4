"""A person in any seat of any study: a form from the schema of the reply, below the text
that a model would read.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import ipywidgets as w
from pydantic import BaseModel, ValidationError

from support.errors import InvalidInput
from support.forms import FEW, Field, field_of, misfits, readable
from support.labs.base import Press, fill
from support.seats import Question, people

LEFT_OUT = object()
SHORT = 80  # characters of options that stand beside each other


class Control(NamedTuple):
    """Widgets that take a part of a reply, and what reads it: `LEFT_OUT` where nothing is given."""

    view: w.Widget
    read: Callable[[], Any]


# ---- one part of a reply ---------------------------------------------------------------


def control(field: Field) -> Control:
    """The widgets of a field, whatever it is."""
    made = MAKERS[field.kind](field)
    if field.folds:
        made = _folded(field, made)
    view = made.view
    if field.help:
        hint = w.HTML(fill("hint", field.help))
        view = w.VBox([view, hint])
    view.add_class("convene-field")
    return Control(view, made.read)


def _folded(field: Field, inner: Control) -> Control:
    """What may be left out as a whole: a box to tick, and the fields below it."""
    given = w.Checkbox(
        description=field.title,
        value=field.required,
        indent=False,
    )

    def fold(_: Any = None) -> None:
        inner.view.layout.display = "" if given.value else "none"

    given.observe(fold, "value")
    fold()
    view = w.VBox([given, inner.view])
    return Control(view, lambda: inner.read() if given.value else None)


def _titled(field: Field, view: w.Widget) -> w.Widget:
    """Widgets with their title, unless a box to tick bears it."""
    if field.folds or not field.title:
        return view
    title = w.HTML(fill("title", field.title))
    together = w.HBox if field.flat else w.VBox
    return together([title, view])


def _typed(field: Field) -> Control:
    line = field.kind == "number" or (field.kind == "text" and not field.long)
    make = w.Text if line else w.Textarea
    first = "" if field.first is None else str(field.first)
    box = make(description=field.title, value=first, placeholder=field.hint)
    box.add_class(f"convene-{field.kind}")

    def read() -> Any:
        typed = box.value.strip()
        if typed:
            return _parsed(typed) if field.kind == "json" else typed
        if field.optional:
            return None
        return "" if field.kind == "text" and field.required else LEFT_OUT

    return Control(box, read)


def _parsed(typed: str) -> Any:
    try:
        return json.loads(typed)
    except ValueError:
        return typed


def _choice(field: Field) -> Control:
    nothing = [("nothing", None)] if field.optional else []
    options = [*field.options, *nothing]
    values = [value for _, value in options]
    at = None if len(values) > 1 else 0
    if not field.required and field.first in values:
        at = values.index(field.first)
    make = w.Dropdown if len(values) > FEW else w.RadioButtons
    menu = make(description=field.title, options=options, index=at)
    if make is w.RadioButtons:
        shown = sum(len(words) + 4 for words, _ in options)
        menu.orientation = "horizontal" if shown < SHORT else "vertical"
    return Control(menu, lambda: LEFT_OUT if menu.index is None else menu.value)


def _several(field: Field) -> Control:
    first = field.first or ()
    boxes = {}
    for words, value in field.options:
        boxes[value] = w.Checkbox(
            description=words,
            value=value in first,
            indent=False,
        )
    row = w.Box([*boxes.values()])
    row.add_class("convene-several")

    def read() -> list[Any]:
        return [value for value, box in boxes.items() if box.value]

    return Control(_titled(field, row), read)


def _ranking(field: Field) -> Control:
    options = [("–", None), *field.options]
    numbers = range(1, len(options))
    places = [w.Dropdown(description=f"{n}.", options=options) for n in numbers]

    def read() -> list[Any]:
        ranked = [place.value for place in places]
        return [value for value in ranked if value is not None]

    return Control(_titled(field, w.VBox(places)), read)


def _lines(field: Field) -> Control:
    box = w.Textarea(
        description=field.title,
        placeholder="one a line",
        value="\n".join(field.first or ()),
    )

    def read() -> list[str]:
        return [line for line in box.value.splitlines() if line.strip()]

    return Control(box, read)


def _inside(field: Field) -> Control:
    """The parts of an object, or of a row; what is left out of a row is None there."""
    made = {part.name: control(part) for part in field.parts}

    def read() -> Any:
        given = {name: part.read() for name, part in made.items()}
        if field.kind == "row":
            return [None if x is LEFT_OUT else x for x in given.values()]
        return {name: x for name, x in given.items() if x is not LEFT_OUT}

    views = [part.view for part in made.values()]
    box = w.HBox(views) if field.flat else w.VBox(views)
    if field.flat:
        box.add_class("convene-row")
    return Control(_titled(field, box), read)


def _either(field: Field) -> Control:
    """What it is, and below that what such a thing has."""
    made = {part.name: _inside(part) for part in field.parts}
    menu = w.Dropdown(description=field.title or field.hint, options=list(made))
    shown = w.VBox()

    def show(_: Any = None) -> None:
        shown.children = (made[menu.value].view,)

    menu.observe(show, "value")
    show()

    def read() -> dict[str, Any]:
        return {field.hint: menu.value, **made[menu.value].read()}

    return Control(w.VBox([menu, shown]), read)


def _list(field: Field) -> Control:
    rows = w.VBox()
    made: dict[w.Widget, Control] = {}
    more = w.Button(description="Add")

    def add(_: Any = None, first: Any = None) -> None:
        one = control(_begun(field.parts[0], first))
        less = w.Button(description="Remove")
        row = w.HBox([one.view, less])
        row.add_class("convene-item")
        less.on_click(lambda _: remove(row))
        made[row] = one
        rows.children = tuple(made)

    def remove(row: w.Widget) -> None:
        del made[row]
        rows.children = tuple(made)

    begun = list(field.first or ())
    for first in begun + [None] * (field.least - len(begun)):
        add(first=first)
    more.on_click(add)
    view = _titled(field, w.VBox([rows, more]))
    return Control(view, lambda: [one.read() for one in made.values()])


def _begun(field: Field, first: Any) -> Field:
    """The field of an item, with what stands there at first."""
    if not isinstance(first, Mapping):
        return field if first is None else replace(field, first=first)
    parts = []
    for part in field.parts:
        there = {"first": first[part.name], "required": False}
        parts.append(replace(part, **there) if part.name in first else part)
    return replace(field, parts=tuple(parts))


MAKERS: dict[str, Callable[[Field], Control]] = {
    "text": _typed,
    "number": _typed,
    "json": _typed,
    "choice": _choice,
    "several": _several,
    "ranking": _ranking,
    "lines": _lines,
    "parts": _inside,
    "row": _inside,
    "either": _either,
    "list": _list,
}


# ---- a whole form, and who fills it in -------------------------------------------------------------------------------


class Sheet:
    """The fields of a form; `reply` is what they hold, or an error in the words of the schema, with a mark beside each
    that does not fit."""

    def __init__(self, form: type[BaseModel]) -> None:
        self.form = form
        self.field = field_of(form)
        self.view, self.read = _inside(self.field)

    def reply(self) -> BaseModel:
        """What stands there; InvalidInput says what does not fit."""
        self._mark(set())
        try:
            return self.form.model_validate(self.read())
        except ValidationError as error:
            self._mark({each["loc"][:1] for each in error.errors()})
            told = misfits(error, self.field)
            raise InvalidInput("\n".join(told)) from None

    def _mark(self, wrong: set[tuple[Any, ...]]) -> None:
        parts = zip(self.field.parts, self.view.children, strict=True)
        for part, view in parts:
            view.remove_class("convene-amiss")
            if (part.name,) in wrong:
                view.add_class("convene-amiss")


class PersonForm:
    """Shows the questions to one person, in the order in which they come. Display `form.view`.

    Send answers the one that is shown, as Enter does in a line and Ctrl+Enter elsewhere; an answer that does not fit
    stays, with the reason below it.
    """

    def __init__(self, name: str = "") -> None:
        self.waiting: list[Question] = []
        self.sheet: Sheet | None = None
        self._answered = False
        self.text = w.HTML()
        self.fields = w.VBox()
        self.error = w.HTML()
        self.error.add_class("convene-error")
        self.send_button = w.Button(description="Send", button_style="primary")
        self.send_button.add_class("convene-send")
        self.press = Press(self._typed, self.error)
        self.press.button(self.send_button, self.send)
        head = w.HTML(fill("person", name))
        shown = [head, self.text, self.fields, self.error, self.send_button]
        self.view = w.VBox(shown)
        self.view.add_class("convene-person")
        self._show()

    def ask(self, question: Question) -> None:
        """Show a question, or keep it until those before it are answered."""
        self.waiting.append(question)
        if len(self.waiting) == 1:
            self._show()

    def send(self) -> None:
        """Give what stands in the fields as the answer; one that does not fit raises."""
        if self.sheet is None:
            return
        self.waiting[0].answer(self.sheet.reply())
        self.waiting.pop(0)
        self._answered = True
        self._show()

    def _typed(self) -> Any:
        return self.sheet and self.sheet.read()

    def _show(self) -> None:
        """The fields of the first question that waits; the page moves the focus along with who answers."""
        self.sheet = Sheet(self.waiting[0].form) if self.waiting else None
        self.send_button.layout.display = "" if self.sheet else "none"
        if self.sheet is None:
            self.text.value = fill("resting")
            self.fields.children = ()
            return
        asked = self.waiting[0]
        text, briefing = readable(asked.text), readable(asked.briefing)
        self.text.value = fill("question", text, briefing, not self._answered)
        self.fields.children = (self.sheet.view,)


class Forms:
    """A form for each person who is asked, as they come. Display `forms.view`."""

    def __init__(self) -> None:
        self.view = w.VBox()
        self.persons: dict[str, PersonForm] = {}

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Within it, whoever is a person in any study is asked here."""
        questions: asyncio.Queue[Question] = asyncio.Queue()
        listening = asyncio.ensure_future(self._listen(questions))
        try:
            with people(questions):
                yield
        finally:
            listening.cancel()
            self.persons = {}
            self.view.children = ()

    async def _listen(self, questions: asyncio.Queue[Question]) -> None:
        while True:
            question = await questions.get()
            if question.me not in self.persons:
                self.persons[question.me] = PersonForm(question.me)
                shown = [person.view for person in self.persons.values()]
                self.view.children = tuple(shown)
            self.persons[question.me].ask(question)
