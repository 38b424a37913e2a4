"""Ballots as agents hand them in, and the check that each follows the form of its rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, NoReturn

from support.choice.rules import Candidate, Form, Rule, as_rule
from support.errors import InvalidBallot, InvalidInput

SCALE = range(1, 6)
"""The five points of the Likert scale, 1 the lowest."""

Known = Mapping[Any, Candidate]


def check_ballot(rule: str | Rule, ballot: Any, candidates: Iterable[Candidate], agent: str = "an agent") -> Any:
    """The ballot in its canonical form; None, an abstention, stays None.

    Parameters
    ----------
    rule : str or Rule
        Its `form` says what a ballot looks like.
    ballot : object
        A candidate ("vote"), {candidate: 1..5} ("ratings"), all candidates best first ("ranking"),
        or {candidate: points} with points that sum to the number of candidates ("points").
    candidates : iterable of hashables
        Identical ones are merged, and count once.
    agent : str
        Who voted, for the message.

    Returns
    -------
    object
        The candidate; a dict of ints; a tuple; a dict of fractions over all candidates.

    Raises
    ------
    InvalidBallot
        With the agent, the field, its value, what was expected and the way out.

    Examples
    --------
    >>> check_ballot("cumulative", {"A": 1.9, "B": 0.1}, ["A", "B"])
    {'A': Fraction(19, 10), 'B': Fraction(1, 10)}
    """
    known = {candidate: candidate for candidate in merge(candidates)}
    return None if ballot is None else _CHECKS[as_rule(rule).form](ballot, known, agent)


def merge(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The candidates in their order, identical ones once (appendix A.2: the same proposal of several agents is one)."""
    if isinstance(candidates, (str, bytes)):
        raise InvalidInput(f"candidates: got {show(candidates)}, expected a list of candidates. Put it in a list.")
    try:
        merged = tuple(dict.fromkeys(candidates))
    except TypeError as error:
        raise InvalidInput(
            f"candidates: got {show(candidates)}, expected a list of hashable candidates ({error}). "
            "Give each candidate an id, such as 'P1'."
        ) from error
    if None in merged:
        raise InvalidInput("candidates: got None among them, but None is an abstention. Give that candidate an id.")
    return merged


def show(value: object) -> str:
    """A value for a message, cut when it is long."""
    text = repr(value)
    return text if len(text) <= 100 else text[:97] + "..."


def _check_vote(ballot: Any, known: Known, agent: str) -> Candidate:
    return _candidate(ballot, "vote", known, agent)


def _check_ratings(ballot: Any, known: Known, agent: str) -> dict[Candidate, int]:
    given = _mapping(ballot, "ratings", known, agent)
    for candidate in known:
        if candidate not in given:
            _refuse(agent, "ratings", ballot, "ratings", f"a rating of every candidate, also of {show(candidate)}")
    return {candidate: _rating(given[candidate], candidate, agent) for candidate in known}


def _rating(value: Any, candidate: Candidate, agent: str) -> int:
    if not _is_number(value) or value not in SCALE:
        _refuse(agent, f"ratings[{show(candidate)}]", value, "ratings", "a whole number from 1 to 5")
    return int(value)


def _check_ranking(ballot: Any, known: Known, agent: str) -> tuple[Candidate, ...]:
    if isinstance(ballot, (str, bytes)) or not isinstance(ballot, Sequence):
        _refuse(agent, "ranking", ballot, "ranking", "a list of all candidates, the best first")
    ranking: dict[Candidate, None] = {}
    for place, value in enumerate(ballot):
        candidate = _candidate(value, f"ranking[{place}]", known, agent)
        if candidate in ranking:
            _refuse(agent, f"ranking[{place}]", value, "ranking", "each candidate only once")
        ranking[candidate] = None
    for candidate in known:
        if candidate not in ranking:
            _refuse(agent, "ranking", ballot, "ranking", f"all candidates, also {show(candidate)}")
    return tuple(ranking)


def _check_points(ballot: Any, known: Known, agent: str) -> dict[Candidate, Fraction]:
    given = _mapping(ballot, "points", known, agent)
    points = {candidate: _points(given.get(candidate, 0), candidate, agent) for candidate in known}
    if sum(points.values()) != len(known):
        expected = f"points that sum to the number of candidates, {len(known)}, not to {sum(points.values())}"
        _refuse(agent, "points", ballot, "points", expected)
    return points


def _points(value: Any, candidate: Candidate, agent: str) -> Fraction:
    if not _is_number(value) or not 0 <= value < math.inf:
        _refuse(agent, f"points[{show(candidate)}]", value, "points", "a finite number, 0 or more")
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(str(value))  # what the voter wrote: 0.1 is one tenth, not the nearest binary number


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _mapping(ballot: Any, form: Form, known: Known, agent: str) -> dict[Candidate, Any]:
    if not isinstance(ballot, Mapping):
        _refuse(agent, form, ballot, form, f"a mapping of candidates to {form}")
    return {_candidate(key, form, known, agent): value for key, value in ballot.items()}


def _candidate(value: Any, field: str, known: Known, agent: str) -> Candidate:
    try:
        return known[value]
    except (KeyError, TypeError):  # TypeError: a list or another value that no candidate can be
        listed = ", ".join(map(show, known)) or "none at all"
        return _refuse(agent, field, value, field.partition("[")[0], f"one of the candidates: {listed}")


_CHECKS: Mapping[Form, Callable[[Any, Known, str], Any]] = {
    "vote": _check_vote,
    "ratings": _check_ratings,
    "ranking": _check_ranking,
    "points": _check_points,
}

_WAYS_OUT = {
    "vote": "Vote for one candidate",
    "ratings": "Rate every candidate from 1 to 5",
    "ranking": "Rank every candidate once, the best first",
    "points": "Spend as many points as there are candidates; those left out get 0",
}


def _refuse(agent: str, field: str, value: Any, form: str, expected: str) -> NoReturn:
    message = f"ballot of {agent}, field {field}: got {show(value)}, expected {expected}."
    raise InvalidBallot(f"{message} {_WAYS_OUT[form]}, or abstain with None.")
