"""A run to look into: its units as a table to choose from, and what the chosen one asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ipywidgets as w

from support.errors import ConveneError
from support.labs.base import fill
from support.models.money import dollars
from support.person import warning
from support.runs.frames import calls_frame, units_frame

if TYPE_CHECKING:
    from support.runs.study import Store
    from support.runs.sweep import Sweep

PAGE = 100  # units in the table at a time: a browser takes long over thousands
STATUS = {
    "all": "status != ''",
    "done": "status == 'done'",
    "failed": "status == 'failed'",
    "missing": "status == 'missing'",
    "met faults": "faults > 0 or unanswered > 0",
    "off the form": "repairs > 0 or format_errors > 0",
}
COUNTS = ["calls", "cached", "faults", "repairs", "tokens", "dollars", "seconds"]
BLANK = "\u00a0"  # a browser's list draws other blanks together, and columns with them


class RunViewer:
    """The units of a sweep, and the calls of the one that is chosen. Display `view`.

    A run may be going on, here or elsewhere: "Refresh" reads its file again. Works by
    keyboard alone: Tab moves on, arrow keys choose a unit. Calls are stored, and shown,
    once their unit has ended.
    """

    def __init__(self, sweep: Sweep, store: Store) -> None:
        self.sweep = sweep
        self.store = store
        self.units = units_frame(sweep, store)
        self.status = w.Dropdown(options=list(STATUS), description="status")
        self.settings = {}
        for name in sweep.grid:
            values = self.units[name].map(str).unique()
            if len(values) > 1:
                options = ["all", *values]
                self.settings[name] = w.Dropdown(options=options, description=name)
        self.page = w.BoundedIntText(
            1,
            min=1,
            max=1,
            description="page",
        )
        self.refresh_button = w.Button(description="Refresh")
        self.list = w.Select(rows=12)
        self.told = w.HTML()
        self.unit = w.HTML()
        choices = [self.status, *self.settings.values(), self.page]
        above = w.HBox([*choices, self.refresh_button])
        self.view = w.VBox([above, self.told, self.list, self.unit])
        self.view.add_class("convene-runs")
        for choice in choices:
            choice.observe(self._draw, "value")
        self.refresh_button.on_click(self.refresh)
        self.list.observe(self._show, "value")
        self._draw()

    def refresh(self, _: object = None) -> None:
        """Read the file again; the unit that was chosen stays chosen."""
        try:
            self.units = units_frame(self.sweep, self.store)
        except ConveneError as error:
            self.told.value = warning(str(error))
        else:
            self._draw()

    def _draw(self, _: object = None) -> None:
        """List a page of the units that the choices let through."""
        listed = self.units.query(STATUS[self.status.value])
        for name, choice in self.settings.items():
            if choice.value != "all":
                listed = listed[listed[name].map(str) == choice.value]
        self.page.max = -(-len(listed) // PAGE) or 1
        shown = listed[PAGE * (self.page.value - 1) :][:PAGE]
        table = shown[[*self.settings, "repetition", "status", *COUNTS]]
        text = table.to_string(
            index=False,
            na_rep="–",
            max_colwidth=30,
            float_format="{:,.5g}".format,
        )
        head, *lines = text.replace(" ", BLANK).split("\n")
        counts = self.units["status"].value_counts()
        paid = dollars(self.units["dollars"].sum())
        self.told.value = fill("units", counts, paid, len(listed), head)
        chosen = self.list.value
        self.list.unobserve(self._show, "value")
        self.list.options = list(zip(lines[: len(shown)], shown.index, strict=True))
        if len(shown):
            self.list.value = chosen if chosen in shown.index else shown.index[0]
        self.list.observe(self._show, "value")
        self._show()

    def _show(self, _: object = None) -> None:
        """What the chosen unit came to, and its calls."""
        number = self.list.value
        self.unit.value = ""
        if number is not None:
            unit = list(self.sweep.units())[number]
            calls = calls_frame(self.sweep, self.store, unit=unit).astype(object)
            rows = calls.fillna("").to_dict("records")
            told = self.units.loc[number].dropna()
            self.unit.value = fill("unit", told, rows, dollars)
