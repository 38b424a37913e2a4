"""The people of a seminar that runs: where things are with each, who may be written to, and a way off the list."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import ipywidgets as w

from support.boards.pieces import chip, said, scrolled
from support.boards.standing import standing
from support.mail.addresses import same
from support.seminar.data import Persona
from support.seminars.setup import LIVE
from support.widgets.dashboard.cards import boarded
from support.widgets.dashboard.holding import on_list
from support.widgets.dashboard.parts import Twice, hint, page, there
from support.widgets.organizing.fields import Press, row

if TYPE_CHECKING:
    from support.seminars.seminar import Seminar

OFF = (
    "Whoever is taken off the list gets no more mail, and what they write is held on the page Mail. A date that they "
    "had is free again. This cannot be undone in this seminar."
)


class PeoplePage:
    """Shows who is on the list. Display `.view`.

    Parameters
    ----------
    seminar : callable
        Gives the seminar that is open, or None.
    changed : callable
        Called when somebody was taken off.
    """

    def __init__(self, seminar: Callable[[], Seminar | None], changed: Callable[[], None] = lambda: None) -> None:
        self.seminar, self.changed = seminar, changed
        self.table, self.error, self.status = w.HTML(), w.HTML(), w.HTML()
        look = {"style": {"description_width": "3.4rem"}, "layout": w.Layout(width="20rem")}
        self.whom = w.Dropdown(options=[("choose …", "")], value="", description="person", **look)
        self.off = Twice("Take off the list", self._sure, self._remove)
        self.press = Press(lambda: self.whom.value, self.error)
        self.press.button(self.off.yes, self._remove)
        self.whom.observe(lambda _: self.off.rest(), "value")
        self.box = w.VBox([row(self.whom, self.off.view), hint(OFF), self.error])
        self.view = page("People", self.box, self.status, self.table)
        self.refresh()

    def refresh(self) -> None:
        """Show how it stands now."""
        seminar = self.seminar()
        there(self.box, seminar is not None)
        if seminar is None:
            self.table.value = boarded("<p>No seminar is open.</p>")
            return
        self.table.value = listed_to_html(seminar)
        options = [("choose …", ""), *((name, name) for name in on_list(seminar))]
        if tuple(options) != tuple(self.whom.options):
            chosen = self.whom.value
            self.whom.options = options
            self.whom.value = chosen if chosen in on_list(seminar) else ""

    def _sure(self) -> str:
        return f"Yes, take {self.whom.value} off the list" if self.whom.value else ""

    def _remove(self) -> None:
        seminar, name = self.seminar(), self.whom.value
        self.off.rest()
        if seminar is None or not name:
            return
        seminar.remove(name)
        self.status.value = boarded(f'<p role="status">{said(name)} is off the list.</p>')
        self.refresh()
        self.changed()


def listed_to_html(seminar: Seminar) -> str:
    """Everybody of a seminar in a table, those off the list at the end."""
    people, gone = seminar.setup.scenario.people, seminar.workplace.removed
    rows = [_row(seminar, person) for person in sorted(people, key=lambda person: person.name in gone)]
    live = seminar.setup.mode == LIVE
    heads = ["name", "role", "field, affiliation", "address", *(["may be written to"] if live else []), "how it stands"]
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    caption = f"<caption>{len(people) - len(gone)} on the list{f', {len(gone)} taken off' if gone else ''}</caption>"
    table = (
        f'<table style="table-layout:auto">{caption}<thead><tr>{top}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )
    return boarded(scrolled(table, "the list of people"))


def _row(seminar: Seminar, person: Persona) -> str:
    gone = person.name in seminar.workplace.removed
    about = ", ".join(part for part in (person.field, person.affiliation) if part)
    cells = [said(person.role), said(about), said(person.email)]
    if seminar.setup.mode == LIVE:
        yes = any(same(person.email, address) for address in seminar.setup.allowed)
        cells.append(chip("good", "✓", "allowed") if yes else chip("quiet", "✕", "not allowed"))
    cells.append(chip("amiss", "✕", "off the list") if gone else _standing(seminar, person.name))
    return f'<tr><th scope="row">{said(person.name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _standing(seminar: Seminar, name: str) -> str:
    """Where things are with somebody; nothing before the seminar was opened."""
    if not hasattr(seminar, "run"):
        return ""
    found = standing(seminar.desk.state, name)
    return chip(found.tone, found.glyph, said(found.words))
