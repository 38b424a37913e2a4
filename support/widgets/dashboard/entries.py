"""A list of things of one kind beside the fields of the one that is being edited: people, mails, templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets as w

from support.errors import InvalidInput
from support.widgets.dashboard.parts import Field, over, tell
from support.widgets.organizing.fields import Press, row, wide

Entry = dict[str, Any]
Faults = Callable[[Sequence[Entry]], list[dict[str, str]]]
"""Of every entry, what does not fit by the names of its fields."""


class Entries:
    """A list, and the fields of one entry of it; what is typed is kept whether it fits or not.

    The browser may send the last letters of a field behind the press that leaves it: another entry is shown only when
    the fields stand still, so that nothing is written into the wrong one.

    Parameters
    ----------
    thing : str
        What one entry is called.
    fields : mapping of name to Field
        Entries may hold more than these; it stays as it is.
    titled : callable
        An entry in a few words, for the list.
    faults : callable
    changed : callable
        Called when something is another.
    rows : int
        Of the list.
    """

    def __init__(
        self,
        thing: str,
        fields: Mapping[str, Field],
        titled: Callable[[Entry], str],
        faults: Faults,
        changed: Callable[[], None],
        *,
        rows: int = 12,
    ) -> None:
        self.thing, self.fields, self.titled, self.faults, self.changed = thing, fields, titled, faults, changed
        self.entries: list[Entry] = []
        self.at, self.strict, self._quiet = 0, False, False
        self.list = over(w.Select(options=[], rows=rows, description=thing))
        self.error = w.HTML()
        self.press = Press(lambda: (self.list.index, *(f.control.value for f in fields.values())), self.error)
        self.list.observe(lambda _: self._chosen(), "index")
        for name, field in fields.items():
            field.control.observe(lambda change, name=name: self._typed(name, change["new"]), "value")

    def set(self, entries: Sequence[Entry], at: int = 0) -> None:
        """Have other entries, and show one of them."""
        self.entries = [dict(entry) for entry in entries]
        self.show(at)

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
        tell(self.fields, found[self.at] if found else {}, shown)
        return [
            f"{self.titled(self.entries[i]).split(' · ')[0] or f'{self.thing} {i + 1}'}, {self._called(name)}: {text}"
            for i, faults in enumerate(found)
            for name, text in faults.items()
        ]

    def _called(self, name: str) -> str:
        return self.fields[name].label if name in self.fields else name

    def _typed(self, name: str, value: Any) -> None:
        if not self._quiet and self.entries:
            self.entries[self.at][name] = value
            self._look()

    def _chosen(self) -> None:
        if not self._quiet:
            self.press.start(self._turn)

    def _turn(self) -> None:
        """Show the entry that was chosen in the list."""
        if self.list.index is not None and self.list.index != self.at:
            self.show(self.list.index)

    def _look(self) -> None:
        self.check(self.strict)
        self.changed()

    def _label(self, found: Sequence[Mapping[str, str]]) -> None:
        marks = ["▲ " if self.strict and faults else "" for faults in found]
        labels = [
            f"{i + 1}. {mark}{self.titled(entry) or f'({self.thing}, nothing typed yet)'}"
            for i, (mark, entry) in enumerate(zip(marks, self.entries, strict=True))
        ]
        self._quiet = True
        if [label for label, _ in self.list.options] != labels:
            at = self.list.index if self.list.index is not None and self.list.index < len(labels) else self.at
            self.list.options = [(label, i) for i, label in enumerate(labels)]
            self.list.index = at if labels else None
        self._quiet = False


class Growing(Entries):
    """Entries that may become more or fewer.

    Parameters
    ----------
    new : mapping
        An entry with nothing typed.
    most : int
        How many there may be.
    """

    def __init__(self, *args: Any, new: Mapping[str, Any], most: int, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.new, self.most = new, most
        self._gone: tuple[int, Entry] | None = None
        self.add_button, self.remove_button = wide("Add"), wide("Remove")
        self.back_button = wide("Put back")
        self.buttons = row(self.add_button, self.remove_button, self.back_button)
        self.press.button(self.add_button, lambda: self.add([self.new]))
        self.press.button(self.remove_button, self.remove)
        self.press.button(self.back_button, self.put_back)
        self._offer()

    def set(self, entries: Sequence[Entry], at: int = 0) -> None:
        """Have other entries, and show one of them; what was removed before cannot be put back."""
        self._gone = None
        super().set(entries, at)
        self._offer()

    def add(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Add entries at the end, and show the first of them.

        Raises
        ------
        InvalidInput
            When there would be too many; none is added.
        """
        if (many := len(self.entries) + len(entries)) > self.most:
            raise InvalidInput(f"{self.thing}: {many} given; expected {self.most} at most. Remove some first.")
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

    def _relist(self, at: int) -> None:
        self._quiet = True
        self.list.options, self.list.index = [], None
        self._quiet = False
        self.show(at)
        self._quiet = True
        self.list.index = self.at if self.entries else None
        self._quiet = False
        self._offer()

    def _offer(self) -> None:
        self.remove_button.disabled = not self.entries
        self.back_button.layout.display = "" if self._gone else "none"
        if self._gone:
            self.back_button.description = f"Put back {self.titled(self._gone[1]).split(' · ')[0] or self.thing}"
