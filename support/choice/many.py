"""The same rules over arrays of ballots, thousands of profiles at once, in exact whole numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from support.choice.ballots import merge
from support.choice.counting import COUNTS, Bools, Ints, small_type
from support.choice.rules import Candidate, Form, Rule, as_rule
from support.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Tallies:
    """The outcomes of many votes under one rule.

    Attributes
    ----------
    rule : str
        Name of the rule.
    winner : int array, shape (profiles,)
        Index of the winning candidate, -1 when the decision is deferred.
    scores : int array, shape (profiles, candidates)
        Exact totals, multiplied by `scale`.
    tied : bool array, shape (profiles, candidates)
        Those who share the top score, when somebody voted and they are more than one; passing or not.
    scale : int
        What scores are multiplied by to be whole: lcm(1..m) for ranked voting over m candidates, 1 otherwise.
    """

    rule: str
    winner: Ints
    scores: Ints
    tied: Bools
    scale: int

    def __post_init__(self) -> None:
        for array in (self.winner, self.scores, self.tied):
            array.flags.writeable = False


def tally_many(rule: str | Rule, ballots: Any, candidates: Sequence[Candidate] | int) -> Tallies:
    """Tally every profile of an array; ties are deferred.

    Parameters
    ----------
    rule : str or Rule
        A name in `RULES`, or a rule that keeps the usual `score_ballot`, `scores` and `passes`.
    ballots : int array
        "vote": (profiles, agents), the index of a candidate, -1 for an abstention.
        "ratings": (profiles, agents, candidates), a row of 0 for an abstention.
        "ranking": (profiles, agents, candidates), indices best first, a row of -1 for an abstention.
        "points": (profiles, agents, candidates), a row of 0 for an abstention.
    candidates : sequence or int
        The candidates that the indices refer to, or how many they are.

    Raises
    ------
    InvalidBallot
        For the first ballot that does not follow its form, with profile, agent and value.
    InvalidInput
        For an array of another shape or type, a rule with scores of its own, scores beyond 64 bits.

    Examples
    --------
    >>> tally_many("ranked", [[[0, 1, 2], [2, 0, 1], [1, 0, 2]]], 3).scores
    array([[12, 11, 10]])
    """
    rule, count = _positional(rule), _count(candidates)
    cast = _array(ballots, rule.form, count)
    weights, scale = _whole_weights(rule, count, cast.shape[1])
    scores, voted = COUNTS[rule.form](cast, count, weights)
    return _decide(rule, scores, voted, cast.shape[1], scale)


def _decide(rule: Rule, scores: Ints, voted: Bools, agents: int, scale: int) -> Tallies:
    """Winner and ties from scores of shape (candidates, profiles): one candidate a row is what numpy does fast."""
    if not len(scores):
        return Tallies(rule.name, np.full(scores.shape[1], -1), scores.T, np.zeros(scores.T.shape, dtype=bool), scale)
    top, small = scores.max(axis=0), small_type(0, len(scores))
    leads = (scores == top) & voted
    alone = leads.sum(axis=0, dtype=small) == 1
    needed = rule.needed(agents)
    elected = alone if needed is None else alone & (top >= needed * scale)
    leader = np.einsum("c,cn->n", np.arange(len(scores), dtype=small), leads)  # argmax is slow along a short axis
    winner = np.where(elected, leader, small.type(-1)).astype(np.int64)
    return Tallies(rule.name, winner, scores.T, (leads & ~alone).T, scale)


def _positional(rule: str | Rule) -> Rule:
    found = as_rule(rule)
    if any(getattr(type(found), name) is not getattr(Rule, name) for name in ("score_ballot", "scores", "passes")):
        raise InvalidInput(
            f"rule: got {found.name}, which scores in a way of its own, expected a rule that changes only "
            "`weights` or `needed`. Call tally once for each profile."
        )
    return found


def _count(candidates: Sequence[Candidate] | int) -> int:
    if isinstance(candidates, int):
        return candidates
    if len(merge(candidates)) != len(candidates):
        raise InvalidInput(f"candidates: got {candidates!r}, expected each once, as ballots name them by their place.")
    return len(candidates)


def _array(ballots: Any, form: Form, count: int) -> Ints:
    cast = np.asarray(ballots)
    shape = "(profiles, agents)" if form == "vote" else f"(profiles, agents, {count})"
    fits = cast.ndim == 2 if form == "vote" else cast.ndim == 3 and cast.shape[2] == count
    if not fits or cast.dtype.kind not in "iu":
        raise InvalidInput(
            f"ballots: got an array of {cast.dtype} with shape {cast.shape}, expected whole numbers of shape {shape} "
            f"for the form {form!r}. Reshape it; ballots that are not whole numbers go to tally."
        )
    return cast.astype(np.int64, copy=False)


def _whole_weights(rule: Rule, count: int, agents: int) -> tuple[Ints, int]:
    if rule.form != "ranking":
        return np.ones(1, dtype=np.int64), 1
    weights = [Fraction(weight) for weight in rule.weights(count)]
    scale = math.lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * scale) for weight in weights]
    if agents * max(map(abs, whole), default=0) > np.iinfo(np.int64).max:
        raise InvalidInput(
            f"candidates: got {count} with {agents} agents under {rule.name}, whose exact scores need more than "
            "64 bits, expected fewer of them. Call tally once for each profile."
        )
    return np.array(whole, dtype=np.int64), scale
