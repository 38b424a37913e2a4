"""What the desk's pages are made of: one press at a time, labels above controls, words beside them, lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, Literal, NamedTuple

import ipywidgets as w

from support.desk.markup import fill
from support.errors import InvalidInput
from support.labs import base
from support.mail.letters import first_hidden


class Press(base.Press):
    """Does one thing at a time, once what was typed has arrived; a refusal looks as the desk's words do."""

    def told(self, text: str) -> str:
        """What was refused, as HTML."""
        return alert(text)

    def new(self, words: str, act: Callable[[], Any], **look: Any) -> w.Button:
        """A button of these words that does it."""
        self.button(made := wide(words, **look), act)
        return made


def alert(text: str) -> str:
    """Words on what was refused, as HTML that screen readers read at once."""
    return told(text, "alert", "trouble")


def told(text: str, role: str = "", look: str = "") -> str:
    """A text as HTML."""
    return fill("page", "plain", text, role, look) if text else ""


def beside(text: str) -> str:
    """What does not fit, as HTML to stand beside its field."""
    return told(f"▲ {text}", look="beside") if text else ""


def hint(text: str) -> w.HTML:
    """Words that help."""
    return w.HTML(told(text, look="hint"))


def heading(text: str, level: int = 3) -> w.HTML:
    """A heading within a page."""
    return w.HTML(f"<h{level}>{escape(text)}</h{level}>")


def wide(button: str, **look: Any) -> w.Button:
    """A button as wide as its words."""
    return w.Button(
        description=button,
        layout=w.Layout(width="auto", align_self="flex-start"),
        **look,
    )


def row(*children: w.Widget, **layout: Any) -> w.HBox:
    """Widgets beside each other, on as many lines as they need."""
    return w.HBox(
        list(children),
        layout=w.Layout(flex_flow="row wrap", align_items="center", **layout),
    )


def boxed(look: str, *children: w.Widget) -> w.VBox:
    """Widgets below each other, with classes of the sheet."""
    made = w.VBox(list(children))
    for name in look.split():
        made.add_class(name)
    return made


def page(title: str, *children: w.Widget) -> w.VBox:
    """A page below its heading; no formulas are read in it."""
    return boxed("page tex2jax_ignore mathjax_ignore", heading(title, 2), *children)


def there(widget: w.Widget, shown: bool) -> None:
    """Show a widget, or hide it; what it holds stays."""
    widget.layout.display = "" if shown else "none"


def over(control: Any, width: str = "100%") -> Any:
    """A control with its label above it."""
    control.add_class("over")
    control.layout.width, control.layout.margin = width, "1px 0"
    return control


def columns(*children: w.Widget, narrow: str = "13rem") -> w.GridBox:
    """Widgets in as many columns as there is room for."""
    layout = w.Layout(grid_template_columns=f"repeat(auto-fit, minmax({narrow}, 1fr))", grid_gap="2px 14px",
                      width="100%", align_items="flex-start")  # fmt: skip
    return w.GridBox(list(children), layout=layout)


def sides(left: Sequence[w.Widget], right: Sequence[w.Widget]) -> w.HBox:
    """A narrow column and a wide one, below each other where there is no room."""
    both = [w.VBox(list(left), layout=w.Layout(flex="0 1 20rem", min_width="15rem")),
            w.VBox(list(right), layout=w.Layout(flex="1 1 30rem", min_width="0"))]  # fmt: skip
    return w.HBox(
        both, layout=w.Layout(flex_flow="row wrap", grid_gap="0 16px", width="100%")
    )


def area(name: str, value: str = "", rows: int = 3, **look: Any) -> w.Textarea:
    """A field of several lines beside its name."""
    look |= {
        "style": {"description_width": "5rem"},
        "layout": w.Layout(width="100%", max_width="54rem"),
    }
    return w.Textarea(value=value, rows=rows, description=name, **look)


class Field:
    """A control with its label above, and below it words on what does not fit."""

    def __init__(self, control: Any, width: str = "auto") -> None:
        self.control, self.trouble = (
            over(control),
            w.HTML(layout=w.Layout(display="none", margin="0 2px")),
        )
        self.view = w.VBox([control, self.trouble], layout=w.Layout(width=width))

    @property
    def given(self) -> Any:
        """What stands in it; a text without blanks around it."""
        value = self.control.value
        return value.strip() if isinstance(value, str) else value

    def say(self, text: str) -> None:
        """Show what does not fit; "" for nothing."""
        self.trouble.value = beside(text)
        there(self.trouble, bool(text))


class Spec(NamedTuple):
    """A field of a form."""

    label: str
    example: str = ""  # that stands in it
    kind: Literal["text", "lines", "day", "number", "share", "choice"] = "text"
    rest: Any = None  # first text; rows of several lines; least, most and first of a number; options of a choice
    most: int = 0  # characters that may be typed

    def control(self) -> Any:
        """The control of the field."""
        match self.kind:
            case "text":
                return w.Text(
                    self.rest or "", description=self.label, placeholder=self.example
                )
            case "lines":
                return w.Textarea(
                    description=self.label,
                    placeholder=self.example,
                    rows=self.rest or 3,
                )
            case "day":
                return w.DatePicker(description=self.label)
            case "number":
                low, high, first = self.rest
                return w.BoundedIntText(
                    value=first, min=low, max=high, description=self.label
                )
            case "share":
                return w.BoundedFloatText(
                    min=0, max=1, step=0.1, description=self.label
                )
            case "choice":
                return w.Dropdown(options=self.rest, description=self.label)


def fields_of(specs: Mapping[str, Spec]) -> dict[str, Field]:
    """The fields of a form."""
    return {name: Field(spec.control()) for name, spec in specs.items()}


def watch(controls: Iterable[Any], act: Callable[[], Any]) -> None:
    """Do something whenever one of these has another value."""
    for control in controls:
        control.observe(lambda _: act(), "value")


NOTHING = "nothing is typed"


def text_fault(
    text: str, most: int, empty: str = NOTHING, allowed: str | None = ""
) -> str:
    """What is wrong with a text, "" for nothing; of characters that no screen shows only those `allowed`, None: any."""
    if not text or len(text) > most:
        return (
            f"{len(text)} characters are typed; at most {most} are possible"
            if text
            else empty
        )
    hidden = allowed is not None and first_hidden(text, allowed)
    return (
        "there is a character in it that no screen shows; type it anew"
        if hidden
        else ""
    )


def tell(
    fields: Mapping[str, Field], faults: Mapping[str, str], shown: bool
) -> list[str]:
    """Say beside each field what does not fit, if that is to be shown; all of it, with the fields' labels."""
    for name, field in fields.items():
        field.say(faults.get(name, "") if shown else "")
    named = {name: field.control.description for name, field in fields.items()}
    return [f"{named.get(name, name)}: {text}" for name, text in faults.items() if text]


class Twice:
    """A button whose first press asks, and whose second one, on another button, does it.

    `sure` gives what the second one says; "" where there is nothing to be done, and nothing is asked.
    """

    def __init__(
        self, name: str, sure: Callable[[], str], act: Callable[[], Any], press: Press
    ) -> None:
        self.first, self.no, self.yes = wide(name), wide("No, leave it"), wide("Yes")
        self.yes.add_class("danger")
        self.view = row(self.first, self.no, self.yes)
        self.first.on_click(lambda _: self._ask(sure()))
        self.no.on_click(lambda _: self.rest())
        press.button(self.yes, act)
        self.rest()

    def rest(self) -> None:
        """Take the question back."""
        self._ask("")

    def _ask(self, sure: str) -> None:
        self.yes.description = sure
        for button in (self.no, self.yes):
            there(button, bool(sure))


Entry = dict[str, Any]


class Entries:
    """A list, and the fields of one entry of it; what is typed is kept whether it fits or not.

    Another entry is shown only when the fields stand still (browsers send the last letters behind the press that leaves
    a field). `titled` says an entry in a few words, `faults` of every entry what does not fit by the names of its
    fields. With `new`, an entry with nothing typed, they may become more and fewer, `most` at most.
    """

    def __init__(
        self,
        thing: str,
        fields: Mapping[str, Field],
        titled: Callable[[Entry], str],
        faults: Callable[[Sequence[Entry]], list[dict[str, str]]],
        changed: Callable[[], None],
        *,
        rows: int = 12,
        new: Mapping[str, Any] | None = None,
        most: int = 0,
    ) -> None:
        self.thing, self.fields, self.titled, self.faults, self.changed = (
            thing,
            fields,
            titled,
            faults,
            changed,
        )
        self.new, self.most = new, most
        self._gone: tuple[int, Entry] | None = None
        self.entries: list[Entry] = []
        self.at, self.strict, self._quiet = 0, False, False
        self.list = over(w.Select(options=[], rows=rows, description=thing))
        self.error = w.HTML()
        self.press = Press(
            lambda: (self.list.index, *(f.control.value for f in fields.values())),
            self.error,
        )
        self.add_button = self.press.new("Add", lambda: self.add([self.new or {}]))
        self.remove_button = self.press.new("Remove", self.remove)
        self.back_button = self.press.new("Put back", self.put_back)
        buttons = (
            [row(self.add_button, self.remove_button, self.back_button)] if new else []
        )
        self.left = [self.list, *buttons, self.error]
        self.list.observe(
            lambda _: None if self._quiet else self.press.start(self._turn), "index"
        )
        for name, field in fields.items():
            field.control.observe(
                lambda change, name=name: self._typed(name, change["new"]), "value"
            )

    def set(self, entries: Sequence[Entry], at: int = 0) -> None:
        """Have other entries, and show one of them; what was removed before cannot be put back."""
        self.entries, self._gone = [dict(entry) for entry in entries], None
        self._relist(at)

    def add(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Add entries at the end, and show the first of them; none is added where there would be too many."""
        if (many := len(self.entries) + len(entries)) > self.most:
            raise InvalidInput(
                f"{self.thing}: {many} given; expected {self.most} at most. Remove some first."
            )
        first = len(self.entries)
        self.entries.extend(dict(entry) for entry in entries)
        self._relist(first)

    def remove(self) -> None:
        """Remove the entry that is shown; `put_back` undoes it."""
        if self.entries:
            self._gone = self.at, self.entries.pop(self.at)
            self._relist(self.at)

    def put_back(self) -> None:
        """Have again what was removed last."""
        if self._gone:
            (at, entry), self._gone = self._gone, None
            self.entries.insert(at, entry)
            self._relist(at)

    def show(self, at: int) -> None:
        """Show one entry in the fields."""
        self.at = max(0, min(at, len(self.entries) - 1))
        self._quiet = True
        for name, field in self.fields.items():
            field.control.disabled = not self.entries
            if self.entries:
                field.control.value = self.entries[self.at][name]
        self._quiet = False
        self._look()

    def check(self, shown: bool = True) -> list[str]:
        """What does not fit in any entry; beside the fields for the one that they show."""
        self.strict = shown
        found = self.faults(self.entries)
        self._label(found)
        told = [tell(self.fields, faults, shown) for faults in found]
        tell(self.fields, found[self.at] if found else {}, shown)
        named = [
            self._short(entry) or f"{self.thing} {i}"
            for i, entry in enumerate(self.entries, start=1)
        ]
        return [
            f"{name}, {text}"
            for name, texts in zip(named, told, strict=True)
            for text in texts
        ]

    def _short(self, entry: Entry) -> str:
        return self.titled(entry).split(" · ")[0]

    def _typed(self, name: str, value: Any) -> None:
        if not self._quiet and self.entries:
            self.entries[self.at][name] = value
            self._look()

    def _turn(self) -> None:
        if self.list.index is not None and self.list.index != self.at:
            self.show(self.list.index)

    def _look(self) -> None:
        self.check(self.strict)
        self.changed()

    def _label(self, found: Sequence[Mapping[str, str]]) -> None:
        signs = ["▲ " if self.strict and faults else "" for faults in found]
        titles = [
            self.titled(entry) or f"({self.thing}, nothing typed yet)"
            for entry in self.entries
        ]
        labels = [
            f"{i}. {sign}{title}"
            for i, (sign, title) in enumerate(zip(signs, titles, strict=True), start=1)
        ]
        if [label for label, _ in self.list.options] != labels:
            self._quiet = True
            at = (
                self.list.index
                if self.list.index is not None and self.list.index < len(labels)
                else self.at
            )
            self.list.options = [(label, i) for i, label in enumerate(labels)]
            self.list.index = at if labels else None
            self._quiet = False

    def _relist(self, at: int) -> None:
        self._quiet = True
        self.list.options, self.list.index = [], None
        self.show(at)
        self._quiet = True
        self.list.index = self.at if self.entries else None
        self._quiet = False
        self.remove_button.disabled = not self.entries
        there(self.back_button, self._gone is not None)
        if self._gone:
            self.back_button.description = (
                f"Put back {self._short(self._gone[1]) or self.thing}"
            )
