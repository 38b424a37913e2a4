"""Who organises, by the name of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from support.errors import InvalidInput
from support.participants.organizers.protocol import Organizer
from support.participants.organizers.rule_based import RuleBasedOrganizer
from support.participants.seating import MODEL, check_kind, check_own, check_settings, drawn_seed, given_model, is_model

if TYPE_CHECKING:
    from support.models.model import ChatModel

RULE_BASED = "rule-based"
ORGANIZERS = {RULE_BASED: "follows the policies literally, and writes by templates", MODEL: "a language model"}
"""What each name stands for; an organiser of your own is seated itself."""

METHODS = ("read", "progress", "select", "plan", "act", "draft", "describe", "close")


def seat_organizer(
    kind: str | Organizer = RULE_BASED,
    *,
    model: ChatModel | str | None = None,
    temperature: float = 0.0,
    repetition: int = 0,
    rng: np.random.Generator | None = None,
) -> Organizer:
    """Seat the organiser.

    Parameters
    ----------
    kind : a key of `ORGANIZERS`, "model:NAME", or the organiser itself
    model, temperature, repetition
        Of a language model; `model` is the one without a name.
    rng : numpy.random.Generator, optional
        Breaks ties of the rule-based one, and gives the model its seed above temperature 0.

    Raises
    ------
    InvalidInput
        On an unknown kind, a model's seat without a model, or a temperature above 0 without a generator.
    """
    check_settings(0.0, temperature)
    if not isinstance(kind, str):
        for method in METHODS:
            check_own(kind, "the organiser", (method,), "desk, ...", "support.participants.organizers.protocol")
        return kind
    check_kind("organizer", kind, ORGANIZERS)
    if not is_model(kind):
        return RuleBasedOrganizer(rng)
    return _model(given_model(kind, model, "the seat of the organiser"), temperature, repetition, rng)


def _model(model: ChatModel, temperature: float, repetition: int, rng: np.random.Generator | None) -> Organizer:
    from support.participants.organizers.language_model import LanguageModelOrganizer

    if temperature and rng is None:
        raise InvalidInput(f"rng: none given with temperature {temperature:g}; expected a numpy Generator for the seed")
    seed = drawn_seed(rng, temperature) if rng is not None else 0
    organizer: Organizer = LanguageModelOrganizer(model, temperature=temperature, seed=seed, repetition=repetition)
    return organizer
