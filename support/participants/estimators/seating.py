"""Who estimates the gains in a group decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from support.errors import InvalidInput
from support.participants.estimators.bayes import COMPARISON_NOISE, SCORE_NOISE, WORD_NOISE, BayesianEstimator
from support.participants.estimators.language_model import LanguageModelEstimator
from support.participants.estimators.lexical import LexicalEstimator
from support.participants.estimators.protocol import Estimator
from support.participants.seating import MODEL, check_kind, check_own, check_settings, drawn_seed, given_model, is_model

if TYPE_CHECKING:
    from support.models.model import ChatModel

NONE, LEXICAL, BAYESIAN = "none", "lexical", "bayesian"
KINDS = (NONE, LEXICAL, BAYESIAN, MODEL)


def seat_estimator(
    kind: str | Estimator,
    rng: np.random.Generator | None = None,
    *,
    model: ChatModel | str | None = None,
    temperature: float = 0.0,
    repetition: int = 0,
    score_noise: float = SCORE_NOISE,
    word_noise: float = WORD_NOISE,
    comparison_noise: float = COMPARISON_NOISE,
) -> Estimator | None:
    """The estimator of a kind; None for "none".

    Parameters
    ----------
    kind : str or Estimator
        One of `KINDS` (none, lexical, bayesian, model), "model:NAME", or an estimator of your own.
    rng : numpy.random.Generator, optional
        A language model above temperature 0 draws its seed from it; no other kind draws.
    model, temperature, repetition
        Of the language model; see `Asker`.
    score_noise, word_noise, comparison_noise
        Of the Bayesian one; see `BayesianEstimator`.

    Raises
    ------
    InvalidInput
        On an unknown kind, settings out of range, a model's seat without a model, or one above temperature 0 without
        a generator.
    """
    if not isinstance(kind, str):
        check_own(kind, "estimator", ["estimate"], "table, feedback, history", "participants/estimators/protocol.py")
        return kind
    check_kind("estimator", kind, KINDS)
    check_settings(0.0, temperature)
    if kind == BAYESIAN:
        return BayesianEstimator(score_noise=score_noise, word_noise=word_noise, comparison_noise=comparison_noise)
    if is_model(kind):
        seed, given = _seed(rng, temperature), given_model(kind, model, "the seat of the estimator")
        return LanguageModelEstimator(given, temperature=temperature, seed=seed, repetition=repetition)
    return LexicalEstimator() if kind == LEXICAL else None


def _seed(rng: np.random.Generator | None, temperature: float) -> int:
    if rng is None and temperature:
        raise InvalidInput("rng: none given; a language model above temperature 0 draws its seed: pass a Generator")
    return drawn_seed(rng, temperature) if rng is not None else 0
