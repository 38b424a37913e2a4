"""Who takes a member's seat in a meeting to be coordinated."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.meetings.company import COLLABORATOR, TEAMMATE
from support.errors import InvalidInput
from support.participants.members.protocol import Member
from support.participants.members.rule_based import STYLES, RuleBasedMember
from support.participants.seating import MakerOf, SeatsOf, check_own, check_settings, drawn_seed, fill

if TYPE_CHECKING:
    from support.environments.meetings.scenario import Scenario
    from support.models.model import ChatModel

Seats = SeatsOf[Member]
Maker = MakerOf[Member]


def seat_members(
    scenario: Scenario,
    seats: Seats,
    rng: np.random.Generator,
    *,
    model: ChatModel | str | None = None,
    paraphrase: int = 0,
    temperature: float = 0.0,
    repetition: int = 0,
) -> dict[str, Member]:
    """Seat one participant per member of a meeting; each is given its own private preferences and no one else's.

    Parameters
    ----------
    seats : str, sequence or mapping
        One kind for all, one per member in order, or {member: kind}. A kind is a key of `rule_based.STYLES` (plain,
        terse, vague, chatty, stubborn, changing), "mixed" (a style drawn for the seat), "model:NAME" or "model";
        in the place of a kind, a `HumanMember` or a member of your own takes the seat itself, and a class or a function
        is called with the member's name and stream.
    rng : numpy.random.Generator
        Each seat gets a stream of its own, spawned from it.
    model : ChatModel or str, optional
        The language model of every seat of kind "model" without a name.
    paraphrase : int
        Which text of its preferences a language model is given: 0, or 1 and 2 for their paraphrases.
    temperature, repetition
        Of the language model. Above 0, each seat draws a seed from its stream.

    Raises
    ------
    InvalidInput
        On an unknown kind, seats that are not one per member, or a model's seat without a model.
    """
    check_settings(0.0, temperature)
    makers: dict[str, Maker] = {style: partial(_rule_based, scenario, style) for style in STYLES}
    speaker = partial(_speaker, scenario, paraphrase, {"temperature": temperature, "repetition": repetition})
    told: dict[str, Any] = {"speaker": speaker, "model": model, "each": "member", "check": _checked}
    return fill(scenario.meeting.members, seats, rng, makers, tuple(STYLES), **told)


def _rule_based(scenario: Scenario, style: str, me: str, rng: np.random.Generator) -> Member:
    zone = scenario.company.by_name[me].zone
    return RuleBasedMember(me, scenario.private[me].preferences, zone, partial(scenario.situation, me), rng, style)


def _speaker(
    scenario: Scenario,
    paraphrase: int,
    settings: Mapping[str, Any],
    model: ChatModel,
    me: str,
    rng: np.random.Generator,
) -> Member:
    from support.participants.members.language_model import LanguageModelMember

    texts, company = scenario.private[me].texts, scenario.company
    if not 0 <= paraphrase < len(texts):
        raise InvalidInput(f"paraphrase: {paraphrase!r} given for {me}; expected 0 to {len(texts) - 1}")
    relations = {TEAMMATE: company.teammates(me), COLLABORATOR: company.collaborators(me)}
    seed = drawn_seed(rng, settings["temperature"])
    return LanguageModelMember(company.by_name[me], texts[paraphrase], relations, model, seed=seed, **settings)


def _checked(member: Any, me: str) -> Member:
    """A member of the user's own, if it has what the conversation will ask of it."""
    check_own(member, me, ("answer",), "chat", "support.participants.members.protocol")
    if getattr(member, "me", me) != me:
        raise InvalidInput(f"seats: a {member.kind} seat made for {member.me} given for {me}; make it for {me}")
    return member
