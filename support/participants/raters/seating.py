"""Who takes a seat at a table that predicts a rating."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from support.participants.negotiators.protocol import Negotiator
from support.participants.negotiators.seating import Maker, Seats, fill, speaker
from support.participants.raters.rule_based import KINDS, RuleBasedRater
from support.participants.seating import check_settings

if TYPE_CHECKING:
    from support.environments.movielens import MovieLens
    from support.models.model import ChatModel

MIXTURE = ("weighing", "averaging", "stubborn")


def seat_raters(
    environment: MovieLens,
    kinds: Seats,
    rng: np.random.Generator,
    *,
    model: ChatModel | str | None = None,
    noise: float = 0.05,
    temperature: float = 0.0,
    repetition: int = 0,
) -> dict[str, Negotiator]:
    """Seat one participant per table of the rating task; the counterpart of `negotiators.seating.seat_all`.

    Parameters
    ----------
    kinds : str, sequence or mapping
        One kind for all, one per agent in order, or {agent: kind}. A kind is a key of `raters.rule_based.KINDS`
        (random, weighing, averaging, stubborn, overconfident), "mixed" (one of weighing, averaging and stubborn,
        drawn for the seat), "model:NAME" or "model"; in the place of a kind, a participant of your own, or what makes
        one, as for `seat_all`.
    rng : numpy.random.Generator
        Each seat gets a stream of its own, spawned from it.
    noise : float
        Of the rule-based kinds, in stars.
    model, temperature, repetition
        As in `seat_all`.

    Raises
    ------
    InvalidInput
        On an unknown kind, a wrong number of kinds, or a model's seat without a model.
    """
    check_settings(noise, temperature)
    makers: dict[str, Maker] = {kind: partial(_rule_based, cls, environment, noise) for kind, cls in KINDS.items()}
    speaks = partial(_speaker, environment, {"temperature": temperature, "repetition": repetition})
    return fill(environment.agents, kinds, rng, makers, MIXTURE, speaks, model)


def _rule_based(
    cls: type[RuleBasedRater], environment: MovieLens, noise: float, agent: str, rng: np.random.Generator
) -> Negotiator:
    return cls(environment.background(agent), rng, noise)


def _speaker(
    environment: MovieLens, options: dict[str, float], model: ChatModel, agent: str, rng: np.random.Generator
) -> Negotiator:
    from support.participants.raters.language_model import RatingMatter

    return speaker(RatingMatter(environment), options, model, agent, rng)
