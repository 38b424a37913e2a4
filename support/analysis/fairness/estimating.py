"""What words are worth in the end: whether gains that were estimated from them order plans as the true gains do.

Rule-based participants speak of five random plans (the rounds of 003), an estimator hears them, and its totals of other
random plans are held against the true ones. Beside the estimators stands "told exactly": whoever knew the true gain of
every option that was proposed, and expected the mean of all others; no estimator of words is to be held to more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from support.analysis.fairness.reading import NOISES, SIZES, once, spearman
from support.fair_decisions.deciders import STYLES
from support.fair_decisions.estimators import averaged
from support.fair_decisions.instances import instance
from support.fair_decisions.problem import SCORES, WORDS, FairDecisions, Heard, Table, table_of
from support.fair_decisions.search import ROUNDS
from support.fair_decisions.seats import BAYESIAN, ESTIMATOR, LEXICAL, seat_deciders

OTHERS = 200
"""Random plans on which estimated totals are held against the true ones."""

EXACTLY = "told exactly"


async def estimates(
    rng: np.random.Generator,
    styles: Iterable[str] = tuple(STYLES),
    noises: Iterable[float] = NOISES,
    *,
    estimators: Sequence[str] = (LEXICAL, BAYESIAN),
    decisions: Iterable[int] = SIZES,
    options: int = 3,
    instances: int = 10,
    rounds: int = ROUNDS,
    preferences: str = SCORES,
    seed: int = 0,
) -> pd.DataFrame:
    """Spearman's correlation of estimated with true totals over `OTHERS` random plans, the mean of three participants.

    Parameters
    ----------
    styles : of `deciders.STYLES`; all participants speak in the same one
    estimators : kinds of `seats.ESTIMATOR` that need no model
    decisions : n, one after the other
    instances : of each n; the same ones, and the same plans, in every style and noise
    seed : of the instances and plans; wordings and noise are drawn from `rng`

    Returns
    -------
    DataFrame
        estimator, style, noise, decisions, instance, spearman. Where estimates do not tell plans apart it is 0: they
        order nothing.
    """
    noises, decisions = tuple(noises), tuple(decisions)
    rows = []
    for style in styles:
        for noise in noises:
            for n in decisions:
                for number in range(instances):
                    problem = instance(preferences, n, options, number, seed)
                    plans = np.random.default_rng([seed, n, number]).integers(options, size=(rounds + OTHERS, n))
                    history = await _played(problem, preferences, style, noise, plans[:rounds], rng)
                    seated = {name: ESTIMATOR.seat(name, rng) for name in estimators}
                    guesses = await _guessed(problem, table_of(problem, preferences), history, seated)
                    head = {"style": style, "noise": noise, "decisions": n, "instance": number}
                    rows += [
                        {"estimator": name, **head, "spearman": likeness(problem, gains, plans[rounds:])}
                        for name, gains in guesses.items()
                    ]
    return pd.DataFrame(rows)


async def _played(
    problem: FairDecisions, preferences: str, style: str, noise: float, plans: np.ndarray, rng: np.random.Generator
) -> list[Heard]:
    people = seat_deciders(problem, preferences, style, rng, noise=noise)
    return [
        Heard((plan,), tuple([await people[name].judge([plan], WORDS) for name in problem.participants]))
        for plan in map(tuple, plans.tolist())
    ]


async def _guessed(
    problem: FairDecisions, table: Table, history: Sequence[Heard], seated: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Gains by estimator, each of shape (participants, decisions, options)."""
    guesses = {name: await who.estimate(table, WORDS, history) for name, who in seated.items()}
    return guesses | {EXACTLY: _exactly(problem, table, history)}


def _exactly(problem: FairDecisions, table: Table, history: Sequence[Heard]) -> np.ndarray:
    pairs = {pair for entry in history for pair in enumerate(entry.plans[0])}
    told = [{pair: [float(own[pair])] for pair in pairs} for own in problem.gains]
    return averaged(table, told)


def likeness(problem: FairDecisions, gains: np.ndarray, plans: np.ndarray) -> float:
    """Spearman's correlation of estimated with true totals over plans, shape (plans, decisions); mean of participants.

    0 for a participant whose estimated totals are all the same.

    >>> problem = FairDecisions(np.array([[[1, 0], [2, 0]]]))
    >>> plans = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> round(likeness(problem, np.array([[[9.0, 8.0], [9.0, 7.0]]]), plans), 6)
    1.0
    """
    guessed = gains[:, np.arange(gains.shape[1]), plans].sum(axis=2).round(6)  # sums differ in their last digits
    each = [np.column_stack(pair) for pair in zip(guessed, problem.totals_of(plans).T, strict=True)]
    return float(np.mean([np.nan_to_num(spearman(pairs, once(pairs))[0]) for pairs in each]))
