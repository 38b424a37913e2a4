"""Who does what at a seminar: organiser, who raises flags, who plays the people, what is done without asking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import ipywidgets as w

from support.models.profiles import MODEL
from support.seats import MIXED
from support.seminar.checkpoints import levels
from support.seminar.seats import DETECTORS, ORGANIZERS
from support.seminar.speakers import RULE_BASED, VARIATIONS
from support.widgets.dashboard.parts import Field, grid, heading, hint, there
from support.widgets.organizing.people import DelegationPanel

KINDS = (
    "Played by: rule-based: as their persona says, some late, some vague; prompt: at once and always; slow: three "
    "working days later, and reminded; vague: most dates vaguely; mixed: one of these, drawn; model: a language model. "
    "Somebody may be played by another than all: see People."
)
ASKED = (
    "always ask: you are shown it first; ask when flagged: only on a day when a reply of the person (for the plan: of "
    "anybody) raised a question; automatic: it is done. An action’s mail goes with it; a live mail is always shown."
)
NO_MODEL = "No language model is connected: what it could do is done by rules."


class RolesForm:
    """Takes who does what.

    Parameters
    ----------
    changed : callable
        Called when something is another.
    model : bool
        Whether a language model is connected.
    """

    def __init__(self, changed: Callable[[], None], model: bool) -> None:
        self.changed = changed
        self.organizer = _choice("organiser", _known(ORGANIZERS, model), RULE_BASED)
        self.detector = _choice("flags raised by", _known(DETECTORS, model), next(iter(DETECTORS)))
        kinds = {**VARIATIONS, MIXED: "", **({MODEL: ""} if model else {})}
        self.everybody = _choice("people played by", [(kind, kind) for kind in kinds], RULE_BASED)
        self.seed = w.BoundedIntText(value=1, min=0, max=2**31 - 1, description="seed (of chance in a rehearsal)")
        self.delegation = DelegationPanel(changed)
        self.played = w.VBox([grid(*(Field(c).view for c in (self.everybody, self.seed))), hint(KINDS)])
        chosen = grid(*(Field(c).view for c in (self.organizer, self.detector)), narrow="24rem")
        said = [] if model else [hint(NO_MODEL)]
        _, *levels_shown = self.delegation.view.children  # its own words are about a lab's automatic desk
        asked = [heading("What is done without asking you"), hint(ASKED), *levels_shown]
        self.view = w.VBox([chosen, *said, self.played, *asked])
        for control in (self.organizer, self.detector, self.everybody, self.seed):
            control.observe(lambda _: self.changed(), "value")

    @property
    def value(self) -> dict[str, Any]:
        """The fields of a `SeminarSetup`, but for who plays the people."""
        chosen = {"organizer": self.organizer.value, "detector": self.detector.value, "seed": self.seed.value}
        return chosen | {"delegation": self.delegation.value}

    def rehearsed(self, shown: bool) -> None:
        """Whether people are played at all."""
        there(self.played, shown)

    def fill(self, organizer: str, detector: str, people: str | Mapping[str, str], seed: int, delegation: Any) -> None:
        """Show who does what; what is not to be had here stays as it is."""
        everybody = people if isinstance(people, str) else most_common(people.values())
        for control, kind in ((self.organizer, organizer), (self.detector, detector), (self.everybody, everybody)):
            if kind in [value for _, value in control.options]:
                control.value = kind
        self.seed.value = seed
        for name, level in levels(delegation).items():
            self.delegation.levels[name].value = level


def most_common(kinds: Iterable[str]) -> str:
    """The kind that most are of.

    >>> most_common(["slow", "prompt", "slow"])
    'slow'
    """
    return Counter(kinds).most_common(1)[0][0]


def _known(kinds: Mapping[str, str], model: bool) -> list[tuple[str, str]]:
    return [(f"{kind}: {words}", kind) for kind, words in kinds.items() if model or kind != MODEL]


def _choice(label: str, options: list[tuple[str, str]], value: str) -> w.Dropdown:
    return w.Dropdown(options=options, value=value, description=label)
