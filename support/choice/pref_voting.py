"""Any rule of the library `pref_voting` (Holliday and Pacuit) as a rule of ours."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from support.choice.rules import Candidate, Form, Rule
from support.errors import InvalidInput


def from_pref_voting(method: Callable[[Any], Any], name: str | None = None, form: Form = "ranking") -> Rule:
    """A rule that asks `method` of `pref_voting` who wins.

    Several winners are a tie, and go to the tie-break; none defers the decision. Abstainers are left
    out. Not every method has scores, so a score only says 1 for a winner and 0 for the others.

    Parameters
    ----------
    method : callable
        A voting method or a social welfare function of `pref_voting`. Fix its options with
        `functools.partial`, for instance `partial(stv_meek, num_seats=1)`, and give a name.
    name : str, optional
        By default the method's own.
    form : {"ranking", "ratings", "points"}
        Ballots that the method reads: rankings for most; ratings for those on grades, such as
        `majority_judgement`; points for those on utilities, such as `nash` (points become floats).

    Raises
    ------
    InvalidInput
        For something that cannot be called, a form without a profile in `pref_voting`, and, when
        tallying, a method that fails on the profile or returns something else than winners.

    Examples
    --------
    >>> from pref_voting.c1_methods import copeland
    >>> from support.choice import tally
    >>> ballots = {"Ann": ["x", "y", "z"], "Ben": ["y", "x", "z"], "Cas": ["x", "z", "y"]}
    >>> tally(from_pref_voting(copeland), ballots, ["x", "y", "z"]).why
    'x wins.'
    """
    if not callable(method):
        raise InvalidInput(f"method: got {method!r}, expected a voting method of pref_voting. Pass the method itself.")
    if form not in _PROFILES:
        raise InvalidInput(f"form: got {form!r}, expected one of {', '.join(_PROFILES)}, the profiles of pref_voting.")
    label = name or getattr(method, "name", None) or getattr(method, "__name__", None)
    if not label:
        raise InvalidInput(f"name: got {name!r} for {method!r}, which has no name of its own. Pass a name.")
    return PrefVotingRule(method, str(label), form)


class PrefVotingRule(Rule):
    """See `from_pref_voting`, which makes it."""

    unit = ""

    def __init__(self, method: Callable[[Any], Any], name: str, form: Form) -> None:
        self.method = method
        self.name = name
        self.form = form
        self.explanation = f"{_ASKS[form]} The method known as {name} then picks what is accepted."

    def scores(self, ballots: Sequence[Any], candidates: Sequence[Candidate]) -> Mapping[Candidate, Fraction]:
        """1 for each winner, 0 for the others."""
        number = {candidate: index for index, candidate in enumerate(candidates)}
        winners = self._winners(_PROFILES[self.form](self.method, ballots, number))
        return {candidate: Fraction(index in winners) for candidate, index in number.items()}

    def needed(self, agents: int) -> int:
        """A winner's score: a method that elects nobody defers."""
        return 1

    def _winners(self, profile: Any) -> set[int]:
        try:
            result = self.method(profile)
            return {int(index) for index in (result.first() if hasattr(result, "first") else _listed(result))}
        except Exception as error:
            raise InvalidInput(
                f"rule {self.name}: pref_voting could not tally ballots of the form {self.form} with it "
                f"({type(error).__name__}: {error}). Choose the form that the method reads, or another method."
            ) from error


def _listed(result: Any) -> Any:
    if isinstance(result, Mapping):
        raise TypeError("it returns probabilities; pass its method `support`, which lists those who may win")
    return result


def _rankings(method: Any, ballots: Sequence[Any], number: Mapping[Hashable, int]) -> Any:
    from pref_voting.profiles import Profile

    profile = Profile([[number[candidate] for candidate in ballot] for ballot in ballots])
    reads = {kind.value for kind in getattr(method, "input_types", None) or ()}
    strict = not reads or reads & {"Profile", "MarginGraph", "MajorityGraph"}
    return profile if strict else profile.to_profile_with_ties()


def _grades(method: Any, ballots: Sequence[Any], number: Mapping[Hashable, int]) -> Any:
    from pref_voting.grade_profiles import GradeProfile

    return GradeProfile(_numbered(ballots, number), [1, 2, 3, 4, 5], candidates=list(number.values()))


def _utilities(method: Any, ballots: Sequence[Any], number: Mapping[Hashable, int]) -> Any:
    from pref_voting.utility_profiles import UtilityProfile

    return UtilityProfile(_numbered(ballots, number, float), domain=list(number.values()))


def _numbered(ballots: Sequence[Any], number: Mapping[Hashable, int], kind: type = int) -> list[dict[int, Any]]:
    return [{number[candidate]: kind(value) for candidate, value in ballot.items()} for ballot in ballots]


_PROFILES = {"ranking": _rankings, "ratings": _grades, "points": _utilities}

_ASKS = {
    "ranking": "Each agent puts all proposals in order, the best one first.",
    "ratings": "Each agent grades every proposal with a whole number, 1 for the worst to 5 for the best.",
    "points": "Each agent spreads as many points as there are proposals over them.",
}
