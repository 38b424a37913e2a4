"""Who takes a participant's seat in a group decision."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.fair_decisions.problem import FairDecisions
from support.environments.fair_decisions.views import Table, table_of
from support.errors import InvalidInput
from support.participants.deciders.protocol import Decider
from support.participants.deciders.rule_based import STYLES, RuleBasedDecider
from support.participants.seating import MakerOf, SeatsOf, check_own, check_settings, drawn_seed, fill

if TYPE_CHECKING:
    from support.models.model import ChatModel

Seats = SeatsOf[Decider]
Maker = MakerOf[Decider]


def seat_deciders(
    problem: FairDecisions,
    preferences: str,
    seats: Seats,
    rng: np.random.Generator,
    *,
    model: ChatModel | str | None = None,
    noise: float = 0.0,
    temperature: float = 0.0,
    repetition: int = 0,
) -> dict[str, Decider]:
    """Seat one decider for each participant; each is given its own gains and no one else's.

    Parameters
    ----------
    preferences : a name of `views.PREFERENCES`
        What kind of numbers the gains are: what a participant says of an option depends on it.
    seats : str, sequence or mapping
        One kind for all, one per participant in order, or {participant: kind}. A kind is a key of `rule_based.STYLES`,
        "mixed" (a style drawn for the seat), "model:NAME" or "model"; in the place of a kind, a `HumanDecider` or a
        participant of your own takes the seat itself, and a class or a function is called with the name and stream.
    rng : numpy.random.Generator
        Each seat gets a stream of its own, spawned from it.
    model : ChatModel or str, optional
        The language model of every seat of kind "model" without a name.
    noise : float
        Of rule-based participants; see `RuleBasedDecider`.
    temperature, repetition
        Of the language model. Above 0, each seat draws a seed from its stream.

    Raises
    ------
    InvalidInput
        On unknown preferences or kinds, seats that are not one per participant, a negative noise, or a model's seat
        without a model.
    """
    check_settings(noise, temperature)
    table = table_of(problem, preferences)
    gains = dict(zip(problem.participants, problem.gains, strict=True))
    makers: dict[str, Maker] = {style: partial(_rule_based, table, gains, style, noise) for style in STYLES}
    speaker = partial(_speaker, table, gains, {"temperature": temperature, "repetition": repetition})
    told: dict[str, Any] = {"speaker": speaker, "model": model, "each": "participant", "check": _checked}
    return fill(problem.participants, seats, rng, makers, tuple(STYLES), **told)


def _rule_based(
    table: Table, gains: Mapping[str, np.ndarray], style: str, noise: float, name: str, rng: np.random.Generator
) -> Decider:
    return RuleBasedDecider(name, table, gains[name], rng, style, noise)


def _speaker(
    table: Table,
    gains: Mapping[str, np.ndarray],
    settings: Mapping[str, Any],
    model: ChatModel,
    name: str,
    rng: np.random.Generator,
) -> Decider:
    from support.participants.deciders.language_model import LanguageModelDecider

    seed = drawn_seed(rng, settings["temperature"])
    return LanguageModelDecider(name, table, gains[name], model, seed=seed, **settings)


def _checked(decider: Any, name: str) -> Decider:
    """A participant of the user's own, if it has what the rounds will ask of it."""
    check_own(decider, name, ("judge",), "plans, feedback", "support.participants.deciders.protocol")
    if getattr(decider, "name", name) != name:
        raise InvalidInput(f"seats: a {decider.kind} seat made for {decider.name} given for {name}; make it for {name}")
    return decider
