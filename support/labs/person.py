"""A person in any seat of any study: what a model would read, above a form made from the schema of the reply."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import ipywidgets as w
from pydantic import BaseModel, ValidationError

from support.errors import InvalidInput
from support.forms import FEW, Field, field_of, misfits, readable
from support.labs.base import Press, fill, running
from support.seats import Question

LEFT_OUT, NONE = object(), "nothing"
SHORT = 60  # characters of options that stand beside each other
DRAWN = 0.3  # seconds in which a browser draws the fields of the next question


class Control(NamedTuple):
    """Widgets that take a part of a reply, and what reads it: `LEFT_OUT` where nothing is given."""

    view: w.Widget
    read: Callable[[], Any]


# ---- one part of a reply ---------------------------------------------------------------------------------------------


def control(field: Field) -> Control:
    """The widgets of a field, whatever it is."""
    folds = field.optional and field.kind in FOLDED
    made = (_folded if folds else MAKERS[field.kind])(field)
    view = made.view
    if field.help:
        view = w.VBox([view, w.HTML(fill("hint", field.help))])
    view.add_class("convene-field")
    return Control(view, made.read)


def _folded(field: Field) -> Control:
    """What may be left out as a whole: a box to tick, and the fields below it."""
    inner = MAKERS[field.kind](field)
    given = w.Checkbox(description=field.title, value=field.required, indent=False)

    def fold(_: Any = None) -> None:
        inner.view.layout.display = "" if given.value else "none"

    given.observe(fold, "value")
    fold()
    return Control(
        w.VBox([given, inner.view]), lambda: inner.read() if given.value else None
    )


def _typed(field: Field, make: type[w.Widget], placeholder: str = "") -> Any:
    first = "" if field.first is None else field.first
    return make(description=field.title, value=str(first), placeholder=placeholder)


def _nothing(field: Field) -> Any:
    return None if field.optional else LEFT_OUT


def _text(field: Field) -> Control:
    box = _typed(field, w.Textarea if field.long else w.Text)

    def read() -> Any:
        said = box.value.strip()
        if said or (field.required and not field.optional):
            return said
        return _nothing(field)

    return Control(box, read)


def _number(field: Field) -> Control:
    box = _typed(field, w.Text, field.hint)
    box.add_class("convene-number")
    return Control(box, lambda: box.value.strip() or _nothing(field))


def _choice(field: Field) -> Control:
    options = [*field.options, *([(NONE, None)] if field.optional else [])]
    words, values = zip(*options, strict=True)
    known = field.first in values and not (field.first is None and field.required)
    look: dict[str, Any] = {"description": field.title, "options": words}
    look["index"] = values.index(field.first) if known else None
    if len(options) > FEW:
        menu: Any = w.Dropdown(**look)
    else:
        beside = sum(map(len, words)) + 4 * len(words) < SHORT
        menu = w.RadioButtons(
            **look, orientation="horizontal" if beside else "vertical"
        )
    return Control(menu, lambda: LEFT_OUT if menu.index is None else values[menu.index])


def _several(field: Field) -> Control:
    first = field.first or ()
    boxes = [
        w.Checkbox(description=words, value=value in first, indent=False)
        for words, value in field.options
    ]

    def read() -> list[Any]:
        pairs = zip(field.options, boxes, strict=True)
        return [value for (_, value), box in pairs if box.value]

    row = w.Box(boxes)
    row.add_class("convene-several")
    return Control(_titled(field, row), read)


def _ranking(field: Field) -> Control:
    words = ["–", *(words for words, _ in field.options)]
    places = [
        w.Dropdown(description=f"{place}.", options=words)
        for place in range(1, len(words))
    ]

    def read() -> list[Any]:
        values = [None, *(value for _, value in field.options)]
        return [values[place.index] for place in places if place.index]

    return Control(_titled(field, w.VBox(places)), read)


def _lines(field: Field) -> Control:
    box = w.Textarea(
        description=field.title,
        placeholder="one a line",
        value="\n".join(field.first or ()),
    )
    return Control(
        box, lambda: [line for line in box.value.splitlines() if line.strip()]
    )


def _parts(field: Field) -> Control:
    made = {part.name: control(part) for part in field.parts}

    def read() -> dict[str, Any]:
        given = {name: part.read() for name, part in made.items()}
        return {name: x for name, x in given.items() if x is not LEFT_OUT}

    return Control(_together(field, [part.view for part in made.values()]), read)


def _row(field: Field) -> Control:
    made = [control(part) for part in field.parts]

    def read() -> list[Any]:
        given = [part.read() for part in made]
        return [x for x in given if x is not LEFT_OUT]

    return Control(_together(field, [part.view for part in made]), read)


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


def _json(field: Field) -> Control:
    box = _typed(field, w.Textarea, "as JSON")

    def read() -> Any:
        try:
            return json.loads(box.value) if box.value.strip() else _nothing(field)
        except ValueError:
            return box.value

    return Control(box, read)


def _titled(field: Field, view: w.Widget) -> w.Widget:
    """Widgets below their title, unless a box to tick bears it."""
    if field.optional or not field.name:
        return view
    return w.VBox([w.HTML(fill("title", field.title)), view])


def _together(field: Field, views: Sequence[w.Widget]) -> w.Widget:
    """The parts of an object or a row: beside each other where they are numbers."""
    if not field.flat:
        return _titled(field, w.VBox(list(views)))
    row = w.HBox(list(views))
    row.add_class("convene-row")
    if field.optional or not field.name:
        return row
    return w.HBox([w.HTML(fill("title", field.title)), row])


MAKERS: dict[str, Callable[[Field], Control]] = {
    "text": _text,
    "number": _number,
    "choice": _choice,
    "several": _several,
    "ranking": _ranking,
    "lines": _lines,
    "parts": _parts,
    "row": _row,
    "list": _list,
    "json": _json,
}
FOLDED = ("parts", "row", "list", "several", "ranking", "lines")


# ---- a whole form, and who fills it in -------------------------------------------------------------------------------


class Sheet:
    """The fields of a form; `reply` is what they hold, or an error in the words of the schema, with a mark beside each
    that does not fit."""

    def __init__(self, form: type[BaseModel]) -> None:
        self.form, self.field = form, field_of(form)
        self.parts = {part.name: control(part) for part in self.field.parts}
        self.view = w.VBox([part.view for part in self.parts.values()])

    def read(self) -> dict[str, Any]:
        """What stands there, as the form takes it."""
        given = {name: part.read() for name, part in self.parts.items()}
        return {name: x for name, x in given.items() if x is not LEFT_OUT}

    def reply(self) -> BaseModel:
        """What stands there; InvalidInput says what does not fit."""
        wrong: set[Any] = set()
        try:
            return self.form.model_validate(self.read())
        except ValidationError as error:
            wrong = {each["loc"][0] for each in error.errors() if each["loc"]}
            titles = {part.name: part.title for part in self.field.parts}
            raise InvalidInput("\n".join(misfits(error, titles))) from None
        finally:
            for name, part in self.parts.items():
                mark = part.view.add_class if name in wrong else part.view.remove_class
                mark("convene-amiss")

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
