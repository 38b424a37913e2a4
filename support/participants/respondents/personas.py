"""Personas: a few traits that survey research knows to move answers on a scale, drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Persona:
    """Who answers.

    Attributes
    ----------
    leniency : float
        Points of the scale by which all ratings are raised or lowered: about -1 to 1.
    acquiescence : float
        Points by which agreement is raised whatever the statement says, from 0 up (yea-saying).
    attention : float
        The chance, 0 to 1, that an item is read; otherwise the answer comes from the middle of the scale.
    best : float
        How options are judged, 0 to 1: by their mean (0) or by the best of them alone (1).
    """

    leniency: float = 0.0
    acquiescence: float = 0.0
    attention: float = 1.0
    best: float = 0.5


def draw_persona(rng: np.random.Generator) -> Persona:
    """A persona: leniency normal (sd 0.6), acquiescence half-normal (0.5), attention beta(8, 2), best uniform.

    Our choice, for a control group with plausible spread; none of it was fitted to people.
    """
    return Persona(
        leniency=float(rng.normal(0.0, 0.6)),
        acquiescence=float(abs(rng.normal(0.0, 0.5))),
        attention=float(rng.beta(8.0, 2.0)),
        best=float(rng.uniform()),
    )
