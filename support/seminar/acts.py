"""Who takes part, as tables: organiser, detector, reader, person at the desk, speakers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from support.seats import Role, Seats, Spoken
from support.seminar.data import Persona, Scenario
from support.seminar.detection import NoDetector, StatedDetector
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.review import Automatic
from support.seminar.speakers import KINDS, RuleBasedSpeaker

ORGANIZER = Role(
    "organizer",
    acts={},
    asked=("progress", "select", "plan", "act", "draft", "describe", "close"),
    kinds={"rule-based": lambda me, rng, own: RuleBasedOrganizer(rng)},
)
DETECTOR = Role(
    "detector",
    acts={},
    asked=("check",),
    kinds={
        "stated": lambda me, rng, own: StatedDetector(),
        "none": lambda me, rng, own: NoDetector(),
    },
)
REVIEWER = Role(
    "reviewer",
    acts={},
    asked=("review", "decide", "read"),
    kinds={"automatic": lambda me, rng, own: Automatic(own)},
)


def _speaker(kind: str, me: str, rng: np.random.Generator, own: Any) -> Any:
    persona, scenario = own
    label = kind if kind == "rule-based" else f"rule-based {kind}"
    return RuleBasedSpeaker(KINDS[kind](persona), scenario, rng, label)


SPEAKER = Role(
    "speaker",
    acts={},
    asked=("answer",),
    kinds={kind: partial(_speaker, kind) for kind in KINDS},
    mixture=tuple(KINDS),
)


def seat_organizer(kind: Any, rng: np.random.Generator, spoken: Spoken) -> Any:
    """The organiser."""
    return ORGANIZER.seat(kind, rng, None, spoken)


def seat_reader(kind: Any, spoken: Spoken) -> Any:
    """The reader; None where replies state what they say."""
    return None


def seat_speakers(
    scenario: Scenario, kinds: Seats, rng: np.random.Generator, spoken: Spoken
) -> dict[str, Any]:
    """A participant for each of a scenario's people."""

    def own(name: str) -> tuple[Persona, Scenario]:
        return scenario.by_name[name], scenario

    return SPEAKER.fill(list(scenario.by_name), kinds, rng, own, spoken)
