"""Who takes a member's seat in a meeting to be coordinated."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.meetings.company import COLLABORATOR, TEAMMATE
from support.errors import InvalidInput
from support.participants.members.protocol import Member
from support.participants.members.rule_based import STYLES, RuleBasedMember
from support.participants.negotiators.seating import MIXED, MODEL, check_settings

if TYPE_CHECKING:
    from support.environments.meetings.scenario import Scenario
    from support.llm import ChatModel

Seats = str | Sequence[str | Member] | Mapping[str, str | Member]
Maker = Callable[[str, np.random.Generator], Member]
"""Makes the participant of a member, which gets a random stream of its own."""


def seat_members(
    scenario: Scenario,
    seats: Seats,
    rng: np.random.Generator,
    *,
    model: ChatModel | None = None,
    paraphrase: int = 0,
    temperature: float = 0.0,
    repetition: int = 0,
) -> dict[str, Member]:
    """Seat one participant per member of a meeting; each is given its own private preferences and no one else's.

    Parameters
    ----------
    seats : str, sequence or mapping
        One kind for all, one per member in order, or {member: kind}. A kind is a key of `rule_based.STYLES` (plain,
        terse, vague, chatty, stubborn, changing), "mixed" (a style drawn for the seat) or "model"; in the place of a
        kind, a `HumanMember` or a member of your own takes the seat itself.
    rng : numpy.random.Generator
        Each seat gets a stream of its own, spawned from it.
    model : ChatModel, optional
        The language model of every seat of kind "model".
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
    kinds = _by_member(seats, scenario.meeting.members)
    makers: dict[str, Maker] = {style: partial(_rule_based, scenario, style) for style in STYLES}
    settings = {"temperature": temperature, "repetition": repetition}
    makers[MODEL] = partial(_speaker, scenario, model, paraphrase, settings)
    streams = rng.spawn(len(kinds))
    return {me: _seated(kind, me, own, makers) for (me, kind), own in zip(kinds.items(), streams, strict=True)}


def _by_member(seats: Seats, members: Sequence[str]) -> dict[str, str | Member]:
    if isinstance(seats, str):
        return dict.fromkeys(members, seats)
    if not isinstance(seats, Mapping):
        if len(seats) != len(members):
            raise InvalidInput(f"seats: {list(seats)!r} given; expected {len(members)} kinds, one for each member")
        seats = dict(zip(members, seats, strict=True))
    if set(seats) != set(members):
        raise InvalidInput(f"seats: {sorted(seats)} given; expected a kind for each of {list(members)}")
    return {member: seats[member] for member in members}


def _seated(kind: str | Member, me: str, rng: np.random.Generator, makers: Mapping[str, Maker]) -> Member:
    if not isinstance(kind, str):
        return _checked(kind, me)
    if kind == MIXED:
        kind = str(tuple(STYLES)[int(rng.integers(len(STYLES)))])
    if kind not in makers:
        raise InvalidInput(f"seats: {kind!r} given for {me}; expected one of {', '.join(STYLES)}, {MIXED}, {MODEL}")
    return makers[kind](me, rng)


def _rule_based(scenario: Scenario, style: str, me: str, rng: np.random.Generator) -> Member:
    zone = scenario.company.by_name[me].zone
    return RuleBasedMember(me, scenario.private[me].preferences, zone, partial(scenario.situation, me), rng, style)


def _speaker(
    scenario: Scenario,
    model: ChatModel | None,
    paraphrase: int,
    settings: Mapping[str, Any],
    me: str,
    rng: np.random.Generator,
) -> Member:
    if model is None:
        raise InvalidInput(f"model: none given for the seat of {me}; pass model=connect(...)")
    from support.participants.members.language_model import LanguageModelMember

    texts, company = scenario.private[me].texts, scenario.company
    if not 0 <= paraphrase < len(texts):
        raise InvalidInput(f"paraphrase: {paraphrase!r} given for {me}; expected 0 to {len(texts) - 1}")
    relations = {TEAMMATE: company.teammates(me), COLLABORATOR: company.collaborators(me)}
    seed = int(rng.integers(2**31)) if settings["temperature"] else 0
    return LanguageModelMember(company.by_name[me], texts[paraphrase], relations, model, seed=seed, **settings)


def _checked(member: Any, me: str) -> Member:
    """A member of the user's own, if it has what the conversation will ask of it."""
    if isinstance(member, type) or not inspect.iscoroutinefunction(getattr(member, "answer", None)):
        raise InvalidInput(
            f"seats: {member!r} given for {me}; expected the name of a kind, or an object with "
            "`async def answer(self, chat)` (see support.participants.members.protocol)"
        )
    if not isinstance(getattr(member, "kind", None), str):
        raise InvalidInput(f"seats: {member!r} given for {me} has no text `kind`, which says in records who sat there")
    if getattr(member, "me", me) != me:
        raise InvalidInput(f"seats: a {member.kind} seat made for {member.me} given for {me}; make it for {me}")
    return member
