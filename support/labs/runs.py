"""A run to look into: what it came to, its units as a list to choose from, and the chosen unit's calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import numpy as np
import pandas as pd

from support.draw import BESIDE, style
from support.errors import ConveneError
from support.labs.base import ROW, Lab, blank, fill, held, warning
from support.models.money import dollars
from support.runs.calls import faults_of, totals, units_of
from support.runs.pages import totals_html, unit_html

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from support.runs.study import Store, Unit
    from support.runs.sweep import Sweep

PAGE = 100
"""Units in the list at a time: a browser takes long over thousands."""

CHOICES = 200
"""Values that a setting may have to be chosen from a list; of more, the units show the values, and go by pages."""

ALL = "all"
MARKS = {"done": "✓ done", "failed": "✗ failed", "missing": "· missing"}
SHOWN: Mapping[str, Callable[[pd.DataFrame], Any]] = {
    ALL: lambda units: units["status"] != "",
    "done": lambda units: units["status"] == "done",
    "failed": lambda units: units["status"] == "failed",
    "missing": lambda units: units["status"] == "missing",
    "met faults": lambda units: (units["retries"] > 0) | (units["unanswered"] > 0),
    "off the form": lambda units: (units["repairs"] > 0) | (units["format_errors"] > 0),
}
COLUMNS = {
    "calls": 7,
    "cached": 8,
    "retries": 9,
    "repairs": 9,
    "tokens": 11,
    "cost": 12,
    "seconds": 10,
}
UNIT = "unit #repetition"
WIDEST = 70  # characters of a unit's settings in the list
BLANK = (
    "\u00a0"  # a list drops other blanks at the front of a line, and columns with them
)


class RunViewer(Lab):
    """Controls over the stored units of a sweep. Display `viewer.view`.

    A run may be going on, here or in another process: "Refresh" reads the file again. Works by keyboard alone: Tab
    moves on, arrow keys choose a unit. `support.runs.pages.unit_html` is what a saved notebook shows beside it.
    """

    study = "runs"

    def __init__(
        self, sweep: Sweep, store: Store, *, units: str = ALL, **only: str
    ) -> None:
        super().__init__(
            "860px", {"(sweep)": held(sweep, "sweep"), "(store)": held(store, "store")}
        )
        self.sweep, self.store = sweep, store
        self._every = list(sweep.units())
        self._values = [*map(list, sweep.grid.values()), list(range(sweep.repetitions))]
        self._codes = np.unravel_index(
            np.arange(len(self._every)), [len(values) for values in self._values]
        )
        self.first = 0
        self.units, self.listed = pd.DataFrame(), np.empty(0, dtype=int)
        self.controls = {"units": _choice("units", list(SHOWN))} | {
            name: _choice(name, [ALL, *map(_short, values)])
            for name, values in sweep.grid.items()
            if 1 < len(values) <= CHOICES
        }
        for name, label in {"units": units, **only}.items():
            self.controls[name].label = label
        self.refresh_button = w.Button(
            description="Refresh", tooltip="read the study's file again"
        )
        self.back_button, self.on_button = (
            w.Button(description="Previous"),
            w.Button(description="Next"),
        )
        self.totals, self.place, self.head, self.calls, self.error = (
            w.HTML() for _ in range(5)
        )
        wide = w.Layout(width="70rem", max_width="98%")
        self.list = w.Select(
            options=[], rows=9, tooltip="units of the sweep", layout=wide
        )
        filters = w.HBox(
            [*self.controls.values(), self.refresh_button], layout=w.Layout(**ROW)
        )
        listed = [
            filters,
            self.head,
            self.list,
            w.HBox([self.back_button, self.on_button, self.place]),
        ]
        self.page = w.VBox(
            [
                self.totals,
                *listed,
                self.error,
                self.figure,
                self.status,
                self.kept,
                self.calls,
            ]
        )
        self.page.add_class("convene-runs")
        self.error.add_class("convene-error")
        for control in self.controls.values():
            control.observe(lambda _: self.filter(), "value")
        self.list.observe(lambda _: self._show(), "value")
        self.refresh_button.on_click(lambda _: self.refresh())
        self.back_button.on_click(lambda _: self._draw(self.first - PAGE))
        self.on_button.on_click(lambda _: self._draw(self.first + PAGE))
        self.refresh()

    @property
    def unit(self) -> Unit | None:
        """The unit that is chosen, None where none is listed."""
        return None if self.list.value is None else self._every[self.list.value]

    @property
    def settings(self) -> dict[str, Any]:
        """What the list is chosen by, as the controls call it."""
        return {name: control.label for name, control in self.controls.items()}

    @property
    def who(self) -> str:
        """Who sat there, as the sweep's settings say."""
        return f"participants: {json.dumps(self.sweep.grid.get('seats', 'as in the records of this sweep'))}"

    def draw(self) -> Figure:
        """How long each listed unit took, by what became of it; one that is missing stands at 0."""
        from matplotlib.ticker import MaxNLocator

        (fig, ax), listed = blank(8, 2.8), self.units.iloc[self.listed]
        for i, status in enumerate(MARKS):
            at = listed["status"] == status
            look = style(i) | {"linestyle": "", "label": f"{status} ({at.sum()})"}
            ax.plot(self.listed[at], listed.loc[at, "seconds"].fillna(0.0), **look)
        ax.margins(y=0.2)
        ax.set(
            xlabel="number of the unit",
            ylabel="seconds",
            title=self.sweep.name,
            ylim=(0, None),
        )
        ax.set_xlim(-0.5, len(self._every) - 0.5)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.legend(**BESIDE)
        return fig

    def refresh(self) -> None:
        """Read the file again; the unit that was chosen stays chosen."""
        self.error.value = ""
        try:
            self.units = units_of(self.sweep, self.store)
            sums = totals(self.sweep, self.store, self.units)
            self.totals.value = fill("runs_style") + totals_html(
                sums, faults_of(self.sweep, self.store)
            )
        except ConveneError as error:
            self.error.value = warning(str(error))
        else:
            self.filter()

    def filter(self) -> None:
        """List the units that the controls let through, and the page with the one that was chosen before."""
        kept = SHOWN[self.controls["units"].label](self.units).to_numpy(dtype=bool)
        for axis, name in enumerate(self.sweep.grid):
            if name in self.controls and self.controls[name].value:
                kept = kept & (self._codes[axis] == self.controls[name].value - 1)
        self.listed = np.flatnonzero(kept)
        before = self.list.value
        place = (
            int(np.searchsorted(self.listed, before))
            if before is not None and kept[before]
            else 0
        )
        self._draw(place - place % PAGE, before)
        self._redraw()

    def _draw(self, first: int, chosen: int | None = None) -> None:
        """Draw the page of the list that begins at a place."""
        self.first, shown = first, self.listed[first : first + PAGE]
        names = [self._name(number) for number in shown]
        width = max(map(len, [*names, UNIT]))
        rows = self.units.iloc[shown].to_dict("records")
        self._at_rest = False  # new options move the value: show once, at the end
        lines = [
            _line(name.ljust(width), row) for name, row in zip(names, rows, strict=True)
        ]
        self.list.options = list(zip(lines, shown.tolist(), strict=True))
        if len(shown):
            self.list.value = chosen if chosen in shown else int(shown[0])
        self._at_rest = True
        head = (
            UNIT.ljust(width)
            + " " * 11
            + "".join(name.rjust(space) for name, space in COLUMNS.items())
        )
        self.head.value = fill("heads", head.replace(" ", BLANK))
        many, every = len(self.listed), len(self._every)
        more = "" if many == every else f", chosen from {every:,}"
        said = f"{first + 1:,} to {first + len(shown):,} of {many:,} units{more}"
        self.place.value = (
            said if many else f"None of the {every:,} units is like that."
        )
        self.back_button.disabled, self.on_button.disabled = (
            not first,
            first + PAGE >= len(self.listed),
        )
        self._show()

    def _name(self, number: int) -> str:
        """The settings that vary, and the repetition."""
        values = {name: _short(self._values[axis][self._codes[axis][number]])
                  for axis, name in enumerate(self.sweep.grid) if len(self._values[axis]) > 1}  # fmt: skip
        said = ", ".join(f"{name} {value}" for name, value in values.items())
        return f"{said[:WIDEST]} #{self._every[number].repetition}".strip()

    def _show(self) -> None:
        """The calls of the chosen unit."""
        if not self._at_rest:
            return
        try:
            self.calls.value = (
                "" if self.unit is None else unit_html(self.store, self.unit)
            )
        except ConveneError as error:
            self.calls.value = ""
            self.error.value = warning(str(error))


def _choice(name: str, labels: Sequence[str]) -> w.Dropdown:
    """A list of choices; its value is the number of the one chosen, for two values may look alike."""
    style, layout = {"description_width": "initial"}, w.Layout(width="auto")
    options = [(label, number) for number, label in enumerate(labels)]
    return w.Dropdown(
        options=options, value=0, description=name, style=style, layout=layout
    )


def _line(name: str, row: Mapping[Any, Any]) -> str:
    """One unit in the list: cells under the names of `COLUMNS`."""
    cells = dict.fromkeys(COLUMNS, "–")
    if row["status"] != "missing":
        cells = {
            cell: f"{row[cell]:,}" for cell in ("calls", "cached", "retries", "repairs")
        }
        cells["tokens"] = f"{row['prompt_tokens'] + row['completion_tokens']:,}"
        cells["cost"] = (
            dollars(row["usd"])
            if row["usd"] == row["usd"]
            else "no price"
            if row["unpriced"]
            else "–"
        )
        cells["seconds"] = f"{row['seconds']:,.1f}"
    line = f"{name} {MARKS[row['status']]:<10}" + "".join(
        cells[cell].rjust(space) for cell, space in COLUMNS.items()
    )
    return line.replace(" ", BLANK)


def _short(value: Any) -> str:
    """A setting's value as a few letters; lists as JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 24 else f"{text[:23]}…"
