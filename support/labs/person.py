"""A person in any seat of any study: a form from the schema of the reply, below the text
that a model would read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import ipywidgets as w
from pydantic import BaseModel, ValidationError

from support.errors import InvalidInput
from support.forms import FEW, Field, field_of, misfits, readable
from support.labs.base import Press, fill, running
from support.seats import Question

LEFT_OUT = object()
SHORT = 80  # characters of options that stand beside each other
DRAWN = 0.3  # seconds in which a browser draws the fields of the next question


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
        view = w.VBox([view, w.HTML(fill("hint", field.help))])
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
    long = field.kind == "json" or (field.kind == "text" and field.long)
    make = w.Textarea if long else w.Text
    box = make(
        description=field.title,
        value="" if field.first is None else str(field.first),
        placeholder=field.hint,
    )
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
    options = [*field.options]
    if field.optional:
        options.append(("nothing", None))
    words, values = zip(*options, strict=True)
    at = None
    if not field.required and field.first in values:
        at = values.index(field.first)
    elif len(values) == 1:
        at = 0
    look: dict[str, Any] = {"description": field.title, "options": words, "index": at}
    if len(options) > FEW:
        menu: Any = w.Dropdown(**look)
    else:
        short = sum(map(len, words)) + 4 * len(words) < SHORT
        way = "horizontal" if short else "vertical"
        menu = w.RadioButtons(**look, orientation=way)
    return Control(menu, lambda: LEFT_OUT if menu.index is None else values[menu.index])


def _several(field: Field) -> Control:
    first = field.first or ()
    boxes = {
        value: w.Checkbox(description=words, value=value in first, indent=False)
        for words, value in field.options
    }
    row = w.Box(list(boxes.values()))
    row.add_class("convene-several")
    return Control(
        _titled(field, row),
        lambda: [value for value, box in boxes.items() if box.value],
    )


def _ranking(field: Field) -> Control:
    options = [("–", None), *field.options]
    places = [
        w.Dropdown(description=f"{place}.", options=options)
        for place in range(1, len(options))
    ]
    return Control(
        _titled(field, w.VBox(places)),
        lambda: [place.value for place in places if place.value is not None],
    )


def _lines(field: Field) -> Control:
    box = w.Textarea(
        description=field.title,
        placeholder="one a line",
        value="\n".join(field.first or ()),
    )
    return Control(
        box,
        lambda: [line for line in box.value.splitlines() if line.strip()],
    )


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
    return Control(
        w.VBox([menu, shown]),
        lambda: {field.hint: menu.value, **made[menu.value].read()},
    )


def _list(field: Field) -> Control:
    rows, made = w.VBox(), dict[w.Widget, Control]()
    more = w.Button(description="Add", tooltip=f"one more of {field.title}")

    def add(_: Any = None) -> None:
        one = control(field.parts[0])
        less = w.Button(description="Remove", tooltip=f"this one of {field.title}")
        row = w.HBox([one.view, less])
        row.add_class("convene-item")
        made[row] = one
        less.on_click(lambda _: remove(row))
        rows.children = (*rows.children, row)

    def remove(row: w.Widget) -> None:
        rows.children = tuple(one for one in rows.children if one is not row)

    for _ in range(field.least):
        add()
    more.on_click(add)
    return Control(
        _titled(field, w.VBox([rows, more])),
        lambda: [made[row].read() for row in rows.children],
    )


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
        self.form, self.field = form, field_of(form)
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
        for part, view in zip(self.field.parts, self.view.children, strict=True):
            view.remove_class("convene-amiss")
            if (part.name,) in wrong:
                view.add_class("convene-amiss")

    def inputs(self) -> list[Any]:
        """The widgets that something is typed or chosen in, in order."""
        return [one for one in _within(self.view) if isinstance(one, INPUTS)]


INPUTS = (w.Text, w.Textarea, w.RadioButtons, w.Dropdown, w.Checkbox)


def _within(widget: w.Widget) -> list[w.Widget]:
    found = [widget]
    for child in getattr(widget, "children", ()):
        found += _within(child)
    return found


class PersonForm:
    """Shows the questions to one person, in the order in which they come. Display `form.view`.

    Send answers the one that is shown, as Enter does in a line and Ctrl+Enter elsewhere; an answer that does not fit
    stays, with the reason below it.
    """

    def __init__(self, name: str = "") -> None:
        self.name, self.waiting = name, list[Question]()
        self.sheet: Sheet | None = None
        self._answered = False
        self.text, self.fields, self.error = w.HTML(), w.VBox(), w.HTML()
        self.error.add_class("convene-error")
        self.send_button = w.Button(description="Send", button_style="primary")
        self.send_button.add_class("convene-send")
        self.press = Press(self._typed, self.error)
        self.press.button(self.send_button, self.send)
        head = w.HTML(fill("person", name))
        self.view = w.VBox([head, self.text, self.fields, self.error, self.send_button])
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
        """The fields of the first question that waits; the focus goes along with who answers."""
        asked = self.waiting[0] if self.waiting else None
        self.sheet = Sheet(asked.form) if asked and asked.form else None
        self.send_button.layout.display = "" if self.sheet else "none"
        if asked is None or self.sheet is None:
            self.text.value = fill("resting")
            self.fields.children = ()
            return
        briefing, text = readable(asked.briefing), readable(asked.text)
        self.text.value = fill("question", text, briefing, not self._answered)
        self.fields.children = (self.sheet.view,)
        inputs = self.sheet.inputs()
        for box in inputs:
            if isinstance(box, w.Text):
                self.press.enter(box, self.send)
        loop = running()
        if self._answered and inputs and loop:
            loop.call_later(DRAWN, inputs[0].focus)
