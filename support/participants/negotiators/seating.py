"""Who takes a seat: builds the negotiators of a discussion from the names of their kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.exchange_economy import ExchangeEconomy
from support.participants import seating
from support.participants.negotiators.protocol import Negotiator
from support.participants.negotiators.rule_based import KINDS, RuleBased
from support.participants.seating import MakerOf, SeatsOf, SpeakerOf, check_own, check_settings, drawn_seed

if TYPE_CHECKING:
    from support.models.model import ChatModel

Seats = SeatsOf[Negotiator]
Maker = MakerOf[Negotiator]

MIXTURE = ("boulware", "linear", "conceder")


def seat_all(
    economy: ExchangeEconomy,
    kinds: Seats,
    rng: np.random.Generator,
    *,
    model: ChatModel | str | None = None,
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
        conceder, drawn for the seat), "model:NAME" or "model"; in the place of a kind, a negotiator of your own
        or a `HumanSeat` takes the seat itself, and a class or a function is called with the agent and its stream.
    rng : numpy.random.Generator
        Each seat gets a stream of its own, spawned from it.
    model : ChatModel or str, optional
        The language model of every seat of kind "model" without a name.
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
    speaks = partial(speaker, economy, {"temperature": temperature, "repetition": repetition})
    return fill(economy.agents, kinds, rng, makers, MIXTURE, speaks, model)


def fill(
    agents: tuple[str, ...],
    kinds: Seats,
    rng: np.random.Generator,
    makers: Mapping[str, Maker],
    mixture: Sequence[str],
    speaks: SpeakerOf[Negotiator],
    model: ChatModel | str | None,
) -> dict[str, Negotiator]:
    """Fill each agent's seat with a negotiator, as `support.participants.seating.fill` does."""
    told: dict[str, Any] = {"speaker": speaks, "model": model, "each": "agent", "check": _checked}
    return seating.fill(agents, kinds, rng, makers, mixture, **told)


def speaker(
    matter: Any, options: Mapping[str, Any], model: ChatModel, agent: str, rng: np.random.Generator
) -> Negotiator:
    """A seat for a language model; `options` are its temperature and repetition."""
    from support.participants.negotiators.language_model import LanguageModel

    return LanguageModel(matter, agent, model, seed=drawn_seed(rng, options["temperature"]), **options)


def _checked(negotiator: Any, agent: str) -> Negotiator:
    """A negotiator of the user's own, if it has what the table will ask of it."""
    check_own(negotiator, agent, ("message", "propose", "vote"), "view", "support.participants.negotiators.protocol")
    return negotiator


def _rule_based(
    cls: type[RuleBased], economy: ExchangeEconomy, noise: float, agent: str, rng: np.random.Generator
) -> Negotiator:
    return cls(economy.background(agent), rng, noise)
