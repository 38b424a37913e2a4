"""Counting arrays of ballots: each form is checked and summed to scores of shape (candidates, profiles)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.choice.ballots import SCALE
from support.choice.rules import Form
from support.errors import InvalidBallot

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_any, _all = np.logical_or.reduce, np.logical_and.reduce


def _votes(votes: Ints, count: int, weights: Ints) -> tuple[Ints, Bools]:
    _check_range(votes, -1, count - 1, "vote", f"a candidate's index below {count}, or -1 to abstain")
    small = small_type(votes.shape[1], count)
    scores, ids = np.zeros((count, len(votes)), dtype=small), np.arange(count, dtype=small)[:, None]
    for cast in votes.T.astype(small, order="C"):
        scores += cast == ids
    return scores.astype(np.int64), _any(scores, axis=0)


def _ratings(ratings: Ints, count: int, weights: Ints) -> tuple[Ints, Bools]:
    low, high = SCALE[0], SCALE[-1]
    if ratings.size and low <= ratings.min() and ratings.max() <= high:
        return _sums(ratings), np.ones(len(ratings), dtype=bool)
    abstains = _all(ratings == 0, axis=2)
    outside = ((ratings < low) | (ratings > high)) & ~abstains[:, :, None]
    _refuse(outside, ratings, "ratings", f"a rating from {low} to {high}, or a row of 0 to abstain")
    return _sums(ratings), ~_all(abstains, axis=1)


def _points(points: Ints, count: int, weights: Ints) -> tuple[Ints, Bools]:
    _check_range(points, 0, count, "points", f"points from 0 to {count}, the number of candidates")
    spent = sum((points[:, :, candidate] for candidate in range(count)), np.zeros(points.shape[:2], dtype=np.int64))
    wrong = (spent != count) & (spent != 0)
    _refuse(wrong, points, "points", f"a sum of {count}, the number of candidates, or a row of 0 to abstain")
    return _sums(points), _any(spent, axis=1)


def _sums(numbers: Ints) -> Ints:
    scores = np.zeros((numbers.shape[2], len(numbers)), dtype=np.int64)
    for agent in range(numbers.shape[1]):
        scores += numbers[:, agent].T
    return scores


def _rankings(rankings: Ints, count: int, weights: Ints) -> tuple[Ints, Bools]:
    """Who stands on which place how often, then one product with the weights of the places."""
    profiles, agents, places = rankings.shape
    small = small_type(agents, count)
    ids = np.arange(count, dtype=small)[:, None]
    often = np.zeros((places, count, profiles), dtype=small)
    voted = np.zeros(profiles, dtype=bool)
    # Clipped, an index out of range is still nobody's, and fits the small type; `_complete` refuses it.
    for agent, ranking in enumerate(rankings.clip(-1, count).transpose(1, 2, 0).astype(small, order="C")):
        ranked = np.zeros((count, profiles), dtype=bool)
        for place, cast in enumerate(ranking):
            stands = cast == ids
            often[place] += stands
            ranked |= stands
        voted |= _complete(ranked, rankings, agent)
    return np.einsum("p,pcn->cn", weights, often), voted


def _complete(ranked: Bools, rankings: Ints, agent: int) -> Bools:
    """Which profiles have a whole ranking of this agent: all candidates on as many places leave no room for repeats."""
    whole: Bools = _all(ranked, axis=0)
    if not whole.all():
        wrong = np.zeros(rankings.shape[:2], dtype=bool)
        wrong[:, agent] = ~whole & _any(rankings[:, agent] != -1, axis=1)
        _refuse(wrong, rankings, "ranking", "each candidate's index once, or a row of -1 to abstain")
    return whole


def small_type(agents: int, count: int) -> np.dtype[Any]:
    """The smallest signed type that holds both an index and a count of agents: numpy is faster on it."""
    return np.min_scalar_type(-max(agents, count) - 1)


def _check_range(values: Ints, low: int, high: int, field: str, expected: str) -> None:
    if values.size and (values.min() < low or values.max() > high):
        _refuse((values < low) | (values > high), values, field, expected)


def _refuse(wrong: Bools, values: Ints, field: str, expected: str) -> None:
    """Raise for the first ballot marked wrong, if there is one."""
    if wrong.any():
        profile, agent = np.argwhere(wrong)[0][:2]
        value = values[profile, agent].tolist()
        raise InvalidBallot(
            f"ballot of profile {profile}, agent {agent}, field {field}: got {value}, expected {expected}. "
            "Correct that entry of the array."
        )


COUNTS: dict[Form, Callable[[Ints, int, Ints], tuple[Ints, Bools]]] = {
    "vote": _votes,
    "ratings": _ratings,
    "ranking": _rankings,
    "points": _points,
}
"""Per form: ballots, number of candidates and weights of places in; scores, and which profiles have a voter, out."""
