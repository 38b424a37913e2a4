"""Social choice: what a group decides when every agent has filled in a ballot (RoundTable, section 3.2), exactly.

>>> result = tally("majority", {"1": "Apple", "2": "Apple", "3": "Banana"}, ["Apple", "Banana", "Carrot"])
>>> result.winner, result.why
('Apple', 'Apple wins with 2 votes (2 of 3 needed).')
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, get_args

from support.errors import InvalidBallot, InvalidInput

if TYPE_CHECKING:
    from numpy.random import Generator

Candidate = Hashable
TieBreak = Literal["defer", "status_quo", "lottery"]


class Rule:
    """How ballots of one form become scores, and which score is enough to be elected.

    A rule is a name, the form of its ballots ("vote": one candidate; "ratings": {candidate: 1..5}; "ranking": all
    candidates, best first; "points": {candidate: points} that sum to the number of candidates), an explanation for
    those who vote, and whatever of the three methods differs from the usual. `unit` is what a score counts, in the
    singular, and empty when scores mean nothing to a reader.

    >>> class Borda(Rule):
    ...     name, form = "borda", "ranking"
    ...     explanation = "Order all proposals; each place is worth the number of proposals below it."
    ...     def weights(self, places):
    ...         return [places - place for place in range(1, places + 1)]
    >>> tally(Borda(), {"Ann": ["x", "y", "z"], "Ben": ["y", "z", "x"]}, ["x", "y", "z"]).why
    'y wins with 3 points.'
    """

    name: str
    form: str
    explanation: str
    unit: str = "point"

    def weights(self, places: int) -> Sequence[Fraction]:
        """What each place of a ranking is worth, first place first: 1, 1/2, 1/3, and so on (the Dowdall system)."""
        return [Fraction(1, place) for place in range(1, places + 1)]

    def scores(
        self, ballots: Sequence[Any], candidates: Sequence[Candidate]
    ) -> Mapping[Candidate, Fraction]:
        """The exact totals over the checked ballots that were cast; abstentions are not among them."""
        totals = dict.fromkeys(candidates, Fraction(0))
        for ballot in ballots:
            if self.form == "vote":
                ballot = {ballot: 1}
            elif self.form == "ranking":
                ballot = dict(zip(ballot, self.weights(len(candidates)), strict=True))
            for candidate, score in ballot.items():
                totals[candidate] += Fraction(score)
        return totals

    def needed(self, agents: int) -> int | None:
        """The score without which nobody is elected by a group of `agents`, abstainers included; None: any will do."""
        return None

    def __repr__(self) -> str:
        return f"<Rule {self.name}>"


class _Printed(Rule):
    """A rule of the paper: nothing but data."""

    def __init__(
        self,
        name: str,
        form: str,
        explanation: str,
        needed: Callable[[int], int | None] = lambda agents: None,
    ) -> None:
        self.name, self.form, self.explanation, self._needed = (
            name,
            form,
            explanation,
            needed,
        )
        self.unit = "vote" if form == "vote" else "point"

    def needed(self, agents: int) -> int | None:
        """As the paper says."""
        return self._needed(agents)


_SINGLE = "Each agent may back a single proposal."
_PAPER = (
    _Printed(
        "unanimous",
        "vote",
        f"{_SINGLE} It is accepted only if the whole group backs the same one; "
        "one other vote or one abstention is enough to prevent that.",
        lambda agents: agents,
    ),
    _Printed(
        "majority",
        "vote",
        f"{_SINGLE} To be accepted it needs over half of the whole group behind it, "
        "and an agent who abstains still counts as part of the group.",
        lambda agents: agents // 2 + 1,
    ),
    _Printed(
        "plurality",
        "vote",
        f"{_SINGLE} The one with more backers than any other is accepted, "
        "and if several share the lead nothing is accepted.",
    ),
    _Printed(
        "rated",
        "ratings",
        "Each agent grades every proposal with a whole number, 1 for the worst to 5 for the best. "
        "The grades of a proposal are added up, and the largest sum is accepted.",
    ),
    _Printed(
        "ranked",
        "ranking",
        "Each agent puts all proposals in order, the best one first. A first place is worth 1 point, a second 1/2, "
        "a third 1/3 and so forth, and the proposal that gathers the most points is accepted.",
    ),
    _Printed(
        "cumulative",
        "points",
        "Each agent has as many points as there are proposals and must spend them all, on one proposal or on several. "
        "The proposal that gathers the most points is accepted.",
    ),
)
RULES: dict[str, Rule] = {rule.name: rule for rule in _PAPER}
"""The rules of the paper, in the order of its tables: Arrow (2012) for votes, Baujard et al. (2018) for grades,
harmonic weights for rankings, Black et al. (1958) for points."""


def as_rule(rule: str | Rule) -> Rule:
    """The rule of that name, or the rule itself."""
    if isinstance(rule, Rule):
        return rule
    if isinstance(rule, str) and rule in RULES:
        return RULES[rule]
    raise InvalidInput(
        f"rule: got {rule!r}, expected one of {', '.join(RULES)}, or an instance of a Rule. "
        "Choose one of these names, or pass your own rule object, such as MyRule()."
    )


def explained(rule: Rule, tie_break: TieBreak) -> str:
    """How a rule decides, in words."""
    return rule.explanation


@dataclass(frozen=True)
class Tally:
    """The outcome of one vote.

    `winner` is None when the decision is deferred; `scores` are exact, in the order of the candidates; `tied` are those
    who share the top score when they are more than one, passing or not; `why` is one sentence, which names a tie-break
    that decided.
    """

    rule: str
    winner: Candidate | None
    scores: Mapping[Candidate, Fraction]
    tied: tuple[Candidate, ...]
    why: str


def tally(
    rule: str | Rule,
    ballots: Mapping[Any, Any],
    candidates: Iterable[Candidate],
    *,
    tie_break: TieBreak = "defer",
    standing: Candidate | None = None,
    rng: Generator | None = None,
) -> Tally:
    """Count the ballots of all agents by one rule.

    `ballots` holds every agent, those who abstain (None) included: majority and unanimity count heads, not votes.
    Identical candidates are one (appendix A.2). A tie of candidates that pass is deferred, won by `standing`
    ("status_quo"), or drawn by the place in the list of candidates ("lottery"), so that the order of ballots cannot
    change it.

    >>> tally("ranked", {"Ann": ["x", "y"], "Ben": ["y", "x"], "Cas": None}, ["x", "y"]).why
    'Deferred: x and y tie with 3/2 points.'
    """
    rule, listed = as_rule(rule), tuple(dict.fromkeys(candidates))
    check_tie_break(tie_break, rng)
    checked = [
        check_ballot(rule, ballot, listed, str(agent))
        for agent, ballot in ballots.items()
    ]
    cast = [ballot for ballot in checked if ballot is not None]
    if not listed or not cast:
        reason = "nobody voted" if listed else "there are no candidates"
        return Tally(
            rule.name,
            None,
            dict.fromkeys(listed, Fraction(0)),
            (),
            f"Deferred: {reason}.",
        )
    totals = rule.scores(cast, listed)
    scores = {candidate: Fraction(totals.get(candidate, 0)) for candidate in listed}
    top, needed = max(scores.values()), rule.needed(len(ballots))
    leaders = tuple(candidate for candidate in listed if scores[candidate] == top)
    names = " and ".join(
        filter(None, [", ".join(map(str, leaders[:-1])), str(leaders[-1])])
    )
    amount = f"{top} {rule.unit}" + ("" if top == 1 else "s")
    has = f" with {amount}" if rule.unit else ""
    winner: Candidate | None = leaders[0]
    if needed is not None and top < needed:
        winner, why = None, f"Deferred: {rule.name} elects nobody."
        if rule.unit:
            most = f"the most is {amount} ({names})"
            why = f"Deferred: nobody has the {needed} of {len(ballots)} {rule.unit}s needed, {most}."
    elif len(leaders) == 1:
        threshold = (
            f" ({needed} of {len(ballots)} needed)"
            if rule.unit and needed is not None
            else ""
        )
        why = f"{names} wins{has}{threshold}."
    else:
        winner, how = _break_tie(leaders, tie_break, standing, rng)
        why = f"{winner} wins, {how}, after {names} tie{has}."
        if winner is None:
            why = f"Deferred: {names} tie{has}" + (f", and {how}." if how else ".")
    return Tally(rule.name, winner, scores, leaders if len(leaders) > 1 else (), why)


def check_tie_break(tie_break: str, rng: Generator | None) -> None:
    """Refuse an unknown tie-break, and a lottery without a generator, before anything is counted."""
    if tie_break not in get_args(TieBreak):
        raise InvalidInput(
            f"tie_break: got {tie_break!r}, expected one of {', '.join(get_args(TieBreak))}."
        )
    if tie_break == "lottery" and not hasattr(rng, "integers"):
        raise InvalidInput(
            f"rng: got {rng!r}, expected a numpy Generator, which the lottery draws from. "
            "Pass rng=numpy.random.default_rng(seed)."
        )


def _break_tie(
    tied: Sequence[Candidate],
    tie_break: TieBreak,
    standing: Candidate | None,
    rng: Generator | None,
) -> tuple[Candidate | None, str]:
    """Who wins the tie, None when it is deferred, and the words that say how."""
    if tie_break == "lottery" and rng is not None:
        return tied[
            int(rng.integers(len(tied)))
        ], "drawn by lottery (tie-break lottery)"
    if tie_break == "status_quo" and standing in tied:
        return standing, "kept as the status quo (tie-break status_quo)"
    return (
        None,
        "no status quo is among them (tie-break status_quo)"
        if tie_break == "status_quo"
        else "",
    )


_EXPECTED = {
    "vote": "one of the candidates",
    "ratings": "a whole number from 1 to 5 for every candidate",
    "ranking": "a list of all candidates, each once, the best first",
    "points": "points of 0 or more that sum to the number of candidates; those left out get 0",
}


def check_ballot(
    rule: str | Rule,
    ballot: Any,
    candidates: Iterable[Candidate],
    agent: str = "an agent",
) -> Any:
    """The ballot in its canonical form: the candidate, a dict of ints, a tuple, or a dict of fractions over all.

    None, an abstention, stays None. An InvalidBallot names the agent, the ballot and what was expected.

    >>> check_ballot("cumulative", {"A": 1.9, "B": 0.1}, ["A", "B"])
    {'A': Fraction(19, 10), 'B': Fraction(1, 10)}
    """
    form, known = as_rule(rule).form, list(dict.fromkeys(candidates))
    try:
        if ballot is None or (form == "vote" and ballot in known):
            return ballot
        if form == "ranking" and isinstance(ballot, list | tuple):
            if sorted(map(known.index, ballot)) == [*range(len(known))]:
                return tuple(ballot)
        elif form in ("ratings", "points") and set(ballot) <= set(known):
            given = {
                c: _exact(ballot[c] if form == "ratings" else ballot.get(c, 0))
                for c in known
            }
            if form == "ratings" and set(given.values()) <= {1, 2, 3, 4, 5}:
                return {candidate: int(mark) for candidate, mark in given.items()}
            if (
                form == "points"
                and min(given.values(), default=0) >= 0
                and sum(given.values()) == len(known)
            ):
                return given
    except (TypeError, ValueError, LookupError, AttributeError):
        pass  # a ballot of another shape
    shown = repr(ballot) if len(repr(ballot)) <= 100 else f"{repr(ballot)[:97]}..."
    raise InvalidBallot(
        f"ballot of {agent}: got {shown}, expected {_EXPECTED[form]}, or None to abstain. "
        f"The candidates: {', '.join(map(repr, known)) or 'none at all'}."
    )


def _exact(number: Any) -> Fraction:
    """What the voter wrote: 0.1 is one tenth, not the nearest binary number."""
    if not isinstance(number, Real) or isinstance(number, bool):
        raise TypeError(f"{number!r} is no number")
    return Fraction(str(number))


class PrefVoting(Rule):
    """Any voting method or social welfare function of `pref_voting` (Holliday and Pacuit) as a rule.

    Several winners are a tie, none defers, abstainers are left out; a score only says 1 for a winner. Fix a method's
    options with `functools.partial`, and give a name. `form` is what the method reads: "ranking" mostly, "ratings" for
    those on grades (`majority_judgement`), "points" for those on utilities (`nash`; points become floats).

    >>> from pref_voting.c1_methods import copeland
    >>> ballots = {"Ann": ["x", "y", "z"], "Ben": ["y", "x", "z"], "Cas": ["x", "z", "y"]}
    >>> tally(PrefVoting(copeland), ballots, ["x", "y", "z"]).why
    'x wins.'
    """

    unit = ""
    asks: Mapping[str, str] = {
        "ranking": "Each agent puts all proposals in order, the best one first.",
        "ratings": "Each agent grades every proposal with a whole number, 1 for the worst to 5 for the best.",
        "points": "Each agent spreads as many points as there are proposals over them.",
    }

    def __init__(
        self,
        method: Callable[[Any], Any],
        name: str | None = None,
        form: str = "ranking",
    ) -> None:
        if not callable(method) or form not in self.asks:
            expected = f"expected a voting method of pref_voting, and one of {', '.join(self.asks)}"
            raise InvalidInput(
                f"method, form: got {method!r} and {form!r}, {expected}."
            )
        self.method, self.form = method, form
        self.name = str(
            name
            or getattr(method, "name", None)
            or getattr(method, "__name__", "method")
        )
        self.explanation = f"{self.asks[form]} The method known as {self.name} then picks what is accepted."

    def needed(self, agents: int) -> int:
        """A winner's score: a method that elects nobody defers."""
        return 1

    def scores(
        self, ballots: Sequence[Any], candidates: Sequence[Candidate]
    ) -> Mapping[Candidate, Fraction]:
        """1 for each winner, 0 for the others."""
        try:
            result = self.method(self._profile(ballots, candidates))
            if isinstance(result, Mapping):
                raise TypeError(
                    "it returns probabilities; pass its method `support`, which lists those who may win"
                )
            winners = {
                int(index)
                for index in (result.first() if hasattr(result, "first") else result)
            }
        except Exception as error:
            raise InvalidInput(
                f"rule {self.name}: pref_voting could not tally ballots of the form {self.form} with it "
                f"({type(error).__name__}: {error}). Choose the form that the method reads, or another method."
            ) from error
        return {
            candidate: Fraction(index in winners)
            for index, candidate in enumerate(candidates)
        }

    def _profile(self, ballots: Sequence[Any], candidates: Sequence[Candidate]) -> Any:
        from pref_voting.grade_profiles import GradeProfile
        from pref_voting.profiles import Profile
        from pref_voting.utility_profiles import UtilityProfile

        number = {candidate: index for index, candidate in enumerate(candidates)}
        if self.form == "ranking":
            profile = Profile(
                [[number[candidate] for candidate in ballot] for ballot in ballots]
            )
            reads = {
                kind.value for kind in getattr(self.method, "input_types", None) or ()
            }
            strict = not reads or reads & {"Profile", "MarginGraph", "MajorityGraph"}
            return profile if strict else profile.to_profile_with_ties()
        if self.form == "points":
            worth = [
                {number[candidate]: float(value) for candidate, value in ballot.items()}
                for ballot in ballots
            ]
            return UtilityProfile(worth, domain=[*number.values()])
        grades = [
            {number[candidate]: value for candidate, value in ballot.items()}
            for ballot in ballots
        ]
        return GradeProfile(grades, [1, 2, 3, 4, 5], candidates=[*number.values()])
