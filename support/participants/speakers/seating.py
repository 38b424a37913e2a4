"""Who takes the seat of each of the people on an organiser's list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.seminar.personas import Persona
from support.environments.seminar.scenario import Scenario
from support.errors import InvalidInput
from support.participants.seating import MakerOf, SeatsOf, check_own, check_settings, drawn_seed, fill
from support.participants.speakers.protocol import Speaker
from support.participants.speakers.rule_based import RuleBasedSpeaker
from support.participants.speakers.truth import Truth

if TYPE_CHECKING:
    from support.models.model import ChatModel

Seats = SeatsOf[Speaker]
Maker = MakerOf[Speaker]

RULE_BASED, PROMPT, SLOW, VAGUE = "rule-based", "prompt", "slow", "vague"
VARIATIONS: Mapping[str, Callable[[Persona], Persona]] = {
    RULE_BASED: lambda persona: persona,
    PROMPT: lambda persona: replace(persona, days=0, needs=1, forgets=0.0),
    SLOW: lambda persona: replace(persona, days=persona.days + 3, needs=max(persona.needs, 2)),
    VAGUE: lambda persona: replace(persona, vague=max(persona.vague, 0.7)),
}
"""Rule-based people: as their personas say; at once and always; three working days later, reminded; mostly vague."""


def seat_speakers(
    scenario: Scenario,
    kinds: Seats,
    rng: np.random.Generator,
    *,
    model: ChatModel | str | None = None,
    temperature: float = 0.0,
    repetition: int = 0,
) -> dict[str, Speaker]:
    """Seat one participant for each of a scenario's people.

    Parameters
    ----------
    kinds : str, sequence or mapping
        One kind for all, one per person in order, or {name: kind}. A kind is a key of `VARIATIONS`, "mixed" (one of
        them drawn for the seat), "model:NAME" or "model"; in the place of a kind, a `HumanSpeaker` or a speaker of your
        own takes it, and a class or a function is called with the person's name and stream.
    rng : numpy.random.Generator
        Each seat gets a stream of its own, spawned from it: who sits beside does not change what is true of somebody.
    model : ChatModel or str, optional
        The language model of every seat of kind "model" without a name; the dates that suit its people are drawn as for
        the others.
    temperature, repetition
        Of the language model. Above 0, each seat draws a seed from its stream.

    Raises
    ------
    InvalidInput
        On an unknown kind, seats that are not one per person, or a model's seat without a model.
    """
    check_settings(0.0, temperature)
    makers: dict[str, Maker] = {kind: partial(_rule_based, scenario, kind) for kind in VARIATIONS}
    speaker = partial(_model, scenario, {"temperature": temperature, "repetition": repetition})
    names = [person.name for person in scenario.people]
    told: dict[str, Any] = {"speaker": speaker, "model": model, "each": "person", "check": _checked}
    return fill(names, kinds, rng, makers, tuple(VARIATIONS), **told)


def _rule_based(scenario: Scenario, kind: str, name: str, rng: np.random.Generator) -> Speaker:
    label = kind if kind == RULE_BASED else f"{RULE_BASED} {kind}"
    return RuleBasedSpeaker(VARIATIONS[kind](scenario.person(name)), scenario, rng, kind=label)


def _model(
    scenario: Scenario, settings: Mapping[str, Any], model: ChatModel, name: str, rng: np.random.Generator
) -> Speaker:
    from support.participants.speakers.language_model import LanguageModelSpeaker

    persona, facts = scenario.person(name), rng.spawn(1)[0]
    suits = sorted(Truth(persona, scenario.slots, facts).suiting(scenario.slots))
    seed = drawn_seed(rng, settings["temperature"])
    made: Speaker = LanguageModelSpeaker(model, persona, suits=suits, seed=seed, **settings)
    return made


def _checked(speaker: Any, name: str) -> Speaker:
    """A speaker of the user's own, if it has what it will be asked for."""
    check_own(speaker, name, ("answer",), "letter", "support.participants.speakers.protocol")
    if getattr(speaker, "me", name) != name:
        raise InvalidInput(f"seats: a {speaker.kind} seat made for {speaker.me} given for {name}; make it for {name}")
    made: Speaker = speaker
    return made
