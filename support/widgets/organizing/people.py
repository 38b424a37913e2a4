"""Two panels of a rehearsal: who plays each of the people, and what the organiser may do without asking."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import ipywidgets as w

from support.labs.base import HUMAN
from support.models.profiles import MODEL
from support.seats import MIXED
from support.seminar.checkpoints import ALWAYS, DELEGATED, LEVELS
from support.seminar.data import Scenario
from support.seminar.speakers import RULE_BASED, VARIATIONS

FEW = 6
"""People whose seats are shown unfolded."""

VARIOUS = "various"
KINDS = (
    "<b>rule-based</b>: as their persona says, some late, some vague; <b>prompt</b>: at once and always; "
    "<b>slow</b>: three working days later, and reminded; <b>vague</b>: most dates vaguely; <b>mixed</b>: one of "
    "these, drawn; <b>human</b>: you, in a form that shows their mail."
)
TOLD = (
    "<b>always ask</b>: you are shown it first; <b>ask when flagged</b>: only on a day when a reply of the person (for "
    "the plan: of anybody) raised a question; <b>automatic</b>: it is done. An action’s mail goes with it. This counts "
    "when <i>at the desk</i> is human; the automatic desk approves all."
)


class PeoplePanel:
    """Who plays whom.

    Parameters
    ----------
    seats : Box
        Takes one Dropdown for each person.
    model : bool
        Whether a language model is connected.
    changed : callable
        Called when somebody is played by another.
    """

    def __init__(self, seats: w.Box, model: bool, changed: Callable[[], None]) -> None:
        self.seats, self.changed, self._all = seats, changed, False
        self.kinds = [*VARIATIONS, MIXED, *([MODEL] if model else []), HUMAN]
        self.everybody = w.Dropdown(
            options=[VARIOUS, *self.kinds],
            value=RULE_BASED,
            description="everybody",
            style={"description_width": "6rem"},
        )
        self.unfold = w.ToggleButton(description="Show each person", layout=w.Layout(width="auto"))
        seats.layout = w.Layout(display="grid", grid_template_columns="repeat(auto-fill, 23rem)", grid_gap="0 1rem")
        self.view = w.VBox([w.HTML(KINDS), w.HBox([self.everybody, self.unfold]), seats])
        self.everybody.observe(lambda _: self._set_all(), "value")
        self.unfold.observe(lambda _: self._fold(), "value")

    def offer(self, scenario: Scenario) -> None:
        """A choice for each person; who was chosen for everybody before stays."""
        kind = self.everybody.value if self.everybody.value != VARIOUS else RULE_BASED
        self.seats.children = tuple(self._seat(person.name, kind) for person in scenario.people)
        self.everybody.value = kind
        few = len(scenario.people) <= FEW
        self.unfold.value, self.unfold.layout.display = few, "none" if few else ""
        self.unfold.description = f"Show each of the {len(scenario.people)} people"
        self._fold()

    def _seat(self, name: str, kind: str) -> w.Dropdown:
        look = {"style": {"description_width": "12rem"}, "layout": w.Layout(width="22.5rem")}
        seat = w.Dropdown(options=self.kinds, value=kind, description=name, **look)
        seat.observe(lambda _: self._one(), "value")
        return seat

    def _fold(self) -> None:
        self.seats.layout.display = "grid" if self.unfold.value else "none"

    def _set_all(self) -> None:
        if self._all or self.everybody.value == VARIOUS:
            return
        self._all = True
        for seat in self.seats.children:
            seat.value = self.everybody.value
        self._all = False
        self.changed()

    def _one(self) -> None:
        """One choice was changed: everybody is of its kind now, or they are various."""
        if self._all:
            return
        self._all = True
        found = {seat.value for seat in self.seats.children}
        self.everybody.value = found.pop() if len(found) == 1 else VARIOUS
        self._all = False
        self.changed()


class DelegationPanel:
    """What the organiser does without asking.

    Parameters
    ----------
    changed : callable
        Called when something is delegated otherwise.
    level : str
        Of everything, at first.
    """

    def __init__(self, changed: Callable[[], None], level: str = ALWAYS) -> None:
        self.changed, self._all = changed, False
        self.everything = _level("everything", [VARIOUS, *LEVELS], level)
        self.levels = {name: _level(name.replace("_", "-"), LEVELS, level) for name in DELEGATED}
        grid = w.Layout(display="grid", grid_template_columns="repeat(auto-fill, 19rem)", grid_gap="0 1rem")
        self.view = w.VBox([w.HTML(TOLD), self.everything, w.Box(list(self.levels.values()), layout=grid)])
        self.everything.observe(lambda _: self._set_all(), "value")
        for control in self.levels.values():
            control.observe(lambda _: self._one(), "value")

    @property
    def value(self) -> dict[str, str]:
        """The level of the plan and of each kind of action."""
        return {name: control.value for name, control in self.levels.items()}

    def _set_all(self) -> None:
        if self._all or self.everything.value == VARIOUS:
            return
        self._all = True
        for control in self.levels.values():
            control.value = self.everything.value
        self._all = False
        self.changed()

    def _one(self) -> None:
        if self._all:
            return
        self._all = True
        found = set(self.value.values())
        self.everything.value = found.pop() if len(found) == 1 else VARIOUS
        self._all = False
        self.changed()


def _level(name: str, options: Iterable[str], value: str) -> w.Dropdown:
    look = {"style": {"description_width": "6rem"}, "layout": w.Layout(width="18rem")}
    return w.Dropdown(options=list(options), value=value, description=name, **look)
