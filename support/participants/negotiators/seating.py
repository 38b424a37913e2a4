"""Who takes a seat: builds the negotiators of a discussion from the names of their kinds."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.exchange_economy import ExchangeEconomy
from support.errors import InvalidInput
from support.participants.negotiators.protocol import Negotiator
from support.participants.negotiators.rule_based import KINDS, RuleBased

if TYPE_CHECKING:
    from support.llm import ChatModel

Seats = str | Sequence[str | Negotiator] | Mapping[str, str | Negotiator]
Maker = Callable[[str, np.random.Generator], Negotiator]
"""Makes the participant of an agent, which gets a random stream of its own."""

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
    check_settings(noise, temperature)
    makers: dict[str, Maker] = {kind: partial(_rule_based, cls, economy, noise) for kind, cls in KINDS.items()}
    options = {"temperature": temperature, "repetition": repetition}
    return fill(economy.agents, kinds, rng, {**makers, MODEL: partial(speaker, economy, model, options)}, MIXTURE)


def fill(
    agents: tuple[str, ...], kinds: Seats, rng: np.random.Generator, makers: Mapping[str, Maker], mixture: Sequence[str]
) -> dict[str, Negotiator]:
    """Fill each agent's seat, by its kind's maker and with a stream of its own, or by the participant itself.

    Parameters
    ----------
    kinds : str, sequence or mapping
        As in `seat_all`.
    makers : mapping of kind to callable
        Called with the agent and its stream.
    mixture : sequence of str
        The kinds that "mixed" draws from.

    Raises
    ------
    InvalidInput
        On an unknown kind, a wrong number of kinds, or a participant without the methods of a `Negotiator`.
    """
    streams = rng.spawn(len(agents))
    return {
        agent: _seat(kind, agent, stream, makers, mixture)
        for (agent, kind), stream in zip(_by_agent(kinds, agents).items(), streams, strict=True)
    }


def check_settings(noise: float, temperature: float) -> None:
    """Refuse a noise or a temperature out of its range."""
    _within("noise", noise, 0.0, math.inf)
    _within("temperature", temperature, 0.0, 2.0)


def speaker(
    matter: Any, model: ChatModel | None, options: Mapping[str, Any], agent: str, rng: np.random.Generator
) -> Negotiator:
    """A seat for a language model; `options` are its temperature and repetition."""
    if model is None:
        raise InvalidInput(f"model: none given for the seat of {agent}; pass model=connect(...)")
    from support.participants.negotiators.language_model import LanguageModel

    seed = int(rng.integers(2**31)) if options["temperature"] else 0
    return LanguageModel(matter, agent, model, seed=seed, **options)


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
    agent: str,
    rng: np.random.Generator,
    makers: Mapping[str, Maker],
    mixture: Sequence[str],
) -> Negotiator:
    if not isinstance(kind, str):
        return _checked(kind, agent)
    if kind == MIXED:
        kind = str(mixture[int(rng.integers(len(mixture)))])
    if kind not in makers:
        known = [name for name in makers if name != MODEL]
        raise InvalidInput(f"seats: {kind!r} given for {agent}; expected one of {', '.join(known)}, {MIXED}, {MODEL}")
    return makers[kind](agent, rng)


def _rule_based(
    cls: type[RuleBased], economy: ExchangeEconomy, noise: float, agent: str, rng: np.random.Generator
) -> Negotiator:
    return cls(economy.background(agent), rng, noise)
