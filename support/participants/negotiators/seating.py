"""Who takes a seat: builds the negotiators of a discussion from the names of their kinds."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.exchange_economy import ExchangeEconomy
from support.errors import InvalidInput
from support.participants.negotiators.protocol import Negotiator
from support.participants.negotiators.rule_based import KINDS

if TYPE_CHECKING:
    from support.llm import ChatModel

Seats = str | Sequence[str | Negotiator] | Mapping[str, str | Negotiator]
MODEL = "model"
MIXED = "mixed"
MIXTURE = ("boulware", "linear", "conceder")


def seat_all(
    economy: ExchangeEconomy,
    kinds: Seats,
    rng: np.random.Generator,
    *,
    model: ChatModel | None = None,
    noise: float = 0.05,
    temperature: float = 0.0,
    repetition: int = 0,
) -> dict[str, Negotiator]:
    """Seat one participant per agent of an exchange economy.

    Parameters
    ----------
    kinds : str, sequence or mapping
        One kind for all, one per agent in order, or {agent: kind}. A kind is a key of `KINDS`
        (zero-intelligence, boulware, linear, conceder, truthful), "mixed" (one of boulware, linear and
        conceder, drawn for the seat) or "model"; in the place of a kind, a negotiator of your own or a
        `HumanSeat` takes the seat itself.
    rng : numpy.random.Generator
        Each seat gets a stream of its own, spawned from it.
    model : ChatModel, optional
        The language model of every seat of kind "model".
    noise : float
        Of the rule-based kinds.
    temperature : float
        Of the language model; 0 in the paper. Above 0, each seat draws a seed from its stream.
    repetition : int
        Makes a language model's replies distinct between repetitions of one setting.

    Raises
    ------
    InvalidInput
        On an unknown kind, a wrong number of kinds, or a model's seat without a model.
    """
    _within("noise", noise, 0.0, math.inf)
    _within("temperature", temperature, 0.0, 2.0)
    streams = rng.spawn(len(economy.agents))
    return {
        agent: _seat(kind, economy, agent, stream, model, noise, temperature, repetition)
        for (agent, kind), stream in zip(_by_agent(kinds, economy.agents).items(), streams, strict=True)
    }


def _checked(negotiator: Any, agent: str) -> Negotiator:
    """A negotiator of the user's own, if it has what the table will ask of it."""
    for method in ("message", "propose", "vote"):
        if isinstance(negotiator, type) or not inspect.iscoroutinefunction(getattr(negotiator, method, None)):
            raise InvalidInput(
                f"seats: {negotiator!r} given for {agent}; expected the name of a kind, or an object with "
                f"`async def {method}(self, view)` (see support.participants.negotiators.protocol)"
            )
    if not isinstance(getattr(negotiator, "kind", None), str):
        raise InvalidInput(
            f"seats: {negotiator!r} given for {agent} has no text `kind`, which says in records who sat there"
        )
    return negotiator


def _within(field: str, value: Any, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInput(f"{field}: {value!r} given; expected a number of at least {low:g} and at most {high:g}")


def _by_agent(kinds: Seats, agents: tuple[str, ...]) -> dict[str, str | Negotiator]:
    if isinstance(kinds, str):
        return dict.fromkeys(agents, kinds)
    if not isinstance(kinds, Mapping):
        if len(kinds) != len(agents):
            raise InvalidInput(f"seats: {list(kinds)!r} given; expected {len(agents)} kinds, one for each agent")
        kinds = dict(zip(agents, kinds, strict=True))
    if set(kinds) != set(agents):
        raise InvalidInput(f"seats: {sorted(kinds)} given; expected a kind for each of {list(agents)}")
    return {agent: kinds[agent] for agent in agents}


def _seat(
    kind: str | Negotiator,
    economy: ExchangeEconomy,
    agent: str,
    rng: np.random.Generator,
    model: Any,
    noise: float,
    temperature: float,
    repetition: int,
) -> Negotiator:
    if not isinstance(kind, str):
        return _checked(kind, agent)
    if kind == MIXED:
        kind = MIXTURE[rng.integers(len(MIXTURE))]
    if kind in KINDS:
        return KINDS[kind](economy.background(agent), rng, noise)
    if kind == MODEL and model is not None:
        from support.participants.negotiators.language_model import LanguageModel

        seed = int(rng.integers(2**31)) if temperature else 0
        return LanguageModel(economy, agent, model, temperature=temperature, seed=seed, repetition=repetition)
    if kind == MODEL:
        raise InvalidInput(f"model: none given for the seat of {agent}; pass model=connect(...)")
    raise InvalidInput(f"seats: {kind!r} given for {agent}; expected one of {', '.join(KINDS)}, {MIXED}, {MODEL}")
