"""What is chosen before a rehearsal: the scenario, who sits at the desk, policies, people, delegation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ipywidgets as w

from support.labs.base import offered
from support.seminar.data import Scenario
from support.seminar.data import scenario as load_scenario
from support.seminar.seats import DETECTORS, ORGANIZERS, REVIEWERS
from support.widgets.organizing.fields import row
from support.widgets.organizing.people import DelegationPanel, PeoplePanel
from support.widgets.organizing.policies import PoliciesPanel

if TYPE_CHECKING:
    from support.models.model import ChatModel

SCENARIOS = {"four": "four people, four dates", "panel": "a panel of 6 from 18", "series": "23 people, ten dates"}
WIDTHS = {"scenario": (4.5, 17), "organizer": (5, 13.5), "detector": (6.5, 14.5), "reviewer": (5.5, 13.5),
          "rounds": (6.5, 10.5), "seed": (3, 8)}  # fmt: skip
"""The controls on top by the names of their settings: rem of label and of the whole."""


class Setup:
    """All controls over a rehearsal.

    Parameters
    ----------
    seats : Box
        Takes a choice for each person.
    model : ChatModel or str, optional
        Offered as a kind where it is given.
    changed : callable
        Called when a setting is another one.
    scenario, seed, organizer, detector, reviewer, delegation, rounds
        As in `RehearsalLab`.
    """

    def __init__(
        self,
        seats: w.Box,
        model: ChatModel | str | None,
        changed: Callable[[], None],
        *,
        scenario: str,
        seed: int,
        organizer: str,
        detector: str,
        reviewer: str,
        delegation: str,
        rounds: int | None,
    ) -> None:
        self._tell_changed, self._quiet = changed, True
        self.scenario = _dropdown("scenario", [(words, name) for name, words in SCENARIOS.items()], scenario)
        self.seed = w.BoundedIntText(value=seed, min=0, max=2**31 - 1, description="seed")
        self.organizer = _dropdown("organiser", offered(ORGANIZERS, model, organizer), organizer)
        self.detector = _dropdown("flags raised by", offered(DETECTORS, model, detector), detector)
        self.reviewer = _dropdown("at the desk", list(REVIEWERS), reviewer)
        self.rounds = w.BoundedIntText(value=1, min=1, max=999, description="days at most")
        self.policies = PoliciesPanel(self._changed)
        self.people = PeoplePanel(seats, model is not None, self._changed)
        self.delegation = DelegationPanel(self._changed, delegation)
        self.view = self._arranged()
        self._programme(rounds)
        self.scenario.observe(lambda _: self._programme(), "value")
        for control in self.controls.values():
            control.observe(lambda _: self._changed(), "value")
        self._quiet = False

    @property
    def controls(self) -> dict[str, Any]:
        """The controls on top, by the names of the settings that they show."""
        return {name: getattr(self, name) for name in WIDTHS}

    @property
    def programme(self) -> Scenario:
        """The scenario that is chosen."""
        return load_scenario(self.scenario.value)

    @property
    def settings(self) -> dict[str, Any]:
        """What the controls show, but for who plays whom."""
        shown = {name: control.value for name, control in self.controls.items() if name != "rounds"}
        until = None if self.rounds.value == self.rounds.max else self.rounds.value
        return shown | {"until": until, "policies": self.policies.ids, "delegation": self.delegation.value}

    def choose(self, scenario: str) -> None:
        """Choose a scenario without a word about it."""
        self._quiet = True
        self.scenario.value = scenario
        self._quiet = False

    def _arranged(self) -> w.HBox:
        for name, (label, width) in WIDTHS.items():
            control = self.controls[name]
            control.layout.width, control.style.description_width = f"{width}rem", f"{label}rem"
        return row(*self.controls.values())

    def _programme(self, rounds: int | None = None) -> None:
        """Another scenario: its days, and its people."""
        before, self._quiet = self._quiet, True
        found = self.programme
        self.rounds.max = (found.deadline - found.start).days + 1
        self.rounds.value = rounds or self.rounds.max
        self.people.offer(found)
        self._quiet = before

    def _changed(self) -> None:
        if not self._quiet:
            self._tell_changed()


def _dropdown(name: str, options: Any, value: str) -> w.Dropdown:
    return w.Dropdown(options=options, value=value, description=name)
