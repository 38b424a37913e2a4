"""Social choice: what a group decides when every agent has filled in a ballot (RoundTable, section 3.2), exactly.

>>> result = tally("majority", {"1": "Apple", "2": "Apple", "3": "Banana"}, ["Apple", "Banana", "Carrot"])
>>> result.winner, result.why
('Apple', 'Apple wins with 2 votes (2 of 3 needed).')
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

from support.errors import InvalidBallot, InvalidInput

if TYPE_CHECKING:
    from numpy.random import Generator

Candidate = Hashable
Form = Literal["vote", "ratings", "ranking", "points"]
TieBreak = Literal["defer", "status_quo", "lottery"]
SCALE = range(1, 6)
"""The five points of the Likert scale, 1 the lowest."""


class Rule:
    """How ballots of one form become scores, and which score is enough to be elected.

    A rule is a name, the form of its ballots ("vote": one candidate; "ratings": {candidate: 1..5}; "ranking": all
    candidates, best first; "points": {candidate: points} that sum to the number of candidates), an explanation for
    those who vote, and whatever of the four methods differs from the usual. `unit` is what a score counts, in the
    singular, and empty when scores mean nothing to a reader.

    >>> class Borda(Rule):
    ...     name, form = "borda", "ranking"
    ...     explanation = "Order all proposals; each place is worth the number of proposals below it."
    ...     def weights(self, places):
    ...         return [Fraction(places - place) for place in range(1, places + 1)]
    >>> tally(Borda(), {"Ann": ["x", "y", "z"], "Ben": ["y", "z", "x"]}, ["x", "y", "z"]).why
    'y wins with 3 points.'
    """

    name: str
    form: Form
    explanation: str
    unit: str = "point"

    def weights(self, places: int) -> Sequence[Fraction]:
        """What each place of a ranking is worth, first place first."""
        raise NotImplementedError(f"{type(self).__name__} ranks candidates: give it `weights` or `score_ballot`")

    def score_ballot(self, ballot: Any, candidates: Sequence[Candidate]) -> Mapping[Candidate, Fraction]:
        """What one checked ballot gives to each candidate; those left out get nothing."""
        if self.form == "vote":
            return {ballot: Fraction(1)}
        if self.form == "ranking":
            return dict(zip(ballot, self.weights(len(candidates)), strict=True))
        return {candidate: Fraction(number) for candidate, number in ballot.items()}

    def scores(self, ballots: Sequence[Any], candidates: Sequence[Candidate]) -> Mapping[Candidate, Fraction]:
        """The exact totals over the ballots that were cast; abstentions are not among them."""
        totals = dict.fromkeys(candidates, Fraction(0))
        for ballot in ballots:
            for candidate, score in self.score_ballot(ballot, candidates).items():
                totals[candidate] += score
        return totals

    def needed(self, agents: int) -> int | None:
        """The score without which nobody is elected by a group of `agents`, abstainers included; None: any will do."""
        return None

    def __repr__(self) -> str:
        return f"<Rule {self.name}>"


class Plurality(Rule):
    """The most votes win (Arrow, 2012)."""

    name: str = "plurality"
    form: Form = "vote"
    unit: str = "vote"
    explanation: str = (
        "Each agent may back a single proposal. The one with more backers than any other is accepted, "
        "and if several share the lead nothing is accepted."
    )


class Majority(Plurality):
    """More than half of all agents, whether they vote or not."""

    name = "majority"
    explanation = (
        "Each agent may back a single proposal. To be accepted it needs over half of the whole group behind it, "
        "and an agent who abstains still counts as part of the group."
    )

    def needed(self, agents: int) -> int:
        """The smallest number of votes above half of the group."""
        return agents // 2 + 1


class Unanimous(Plurality):
    """All agents: one abstention is enough to defer."""

    name = "unanimous"
    explanation = (
        "Each agent may back a single proposal. It is accepted only if the whole group backs the same one; "
        "one other vote or one abstention is enough to prevent that."
    )

    def needed(self, agents: int) -> int:
        """Everybody's vote."""
        return agents


class Rated(Rule):
    """The highest sum of ratings from 1 to 5 (Baujard et al., 2018)."""

    name, form = "rated", "ratings"
    explanation = (
        "Each agent grades every proposal with a whole number, 1 for the worst to 5 for the best. "
        "The grades of a proposal are added up, and the largest sum is accepted."
    )


class Ranked(Rule):
    """Harmonic weights 1, 1/2, 1/3, … (the Dowdall system), kept as fractions."""

    name, form = "ranked", "ranking"
    explanation = (
        "Each agent puts all proposals in order, the best one first. A first place is worth 1 point, a second 1/2, "
        "a third 1/3 and so forth, and the proposal that gathers the most points is accepted."
    )

    def weights(self, places: int) -> Sequence[Fraction]:
        """1, 1/2, 1/3, and so on."""
        return [Fraction(1, place) for place in range(1, places + 1)]


class Cumulative(Rule):
    """As many points as there are candidates, spread at will (Black et al., 1958)."""

    name, form = "cumulative", "points"
    explanation = (
        "Each agent has as many points as there are proposals and must spend them all, on one proposal or on several. "
        "The proposal that gathers the most points is accepted."
    )


RULES: dict[str, Rule] = {
    rule.name: rule for rule in (Unanimous(), Majority(), Plurality(), Rated(), Ranked(), Cumulative())
}
"""The rules of the paper, in the order of its tables."""


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
    checked = [check_ballot(rule, ballot, listed, str(agent)) for agent, ballot in ballots.items()]
    cast = [ballot for ballot in checked if ballot is not None]
    if not listed or not cast:
        reason = "nobody voted" if listed else "there are no candidates"
        return Tally(rule.name, None, dict.fromkeys(listed, Fraction(0)), (), f"Deferred: {reason}.")
    totals = rule.scores(cast, listed)
    scores = {candidate: Fraction(totals.get(candidate, 0)) for candidate in listed}
    top, needed = max(scores.values()), rule.needed(len(ballots))
    leaders = tuple(candidate for candidate in listed if scores[candidate] == top)
    names = " and ".join(filter(None, [", ".join(map(str, leaders[:-1])), str(leaders[-1])]))
    amount = f"{top} {rule.unit}" + ("" if top == 1 else "s")
    has = f" with {amount}" if rule.unit else ""
    winner: Candidate | None = leaders[0]
    if needed is not None and top < needed:
        winner, why = None, f"Deferred: {rule.name} elects nobody."
        if rule.unit:
            most = f"the most is {amount} ({names})"
            why = f"Deferred: nobody has the {needed} of {len(ballots)} {rule.unit}s needed, {most}."
    elif len(leaders) == 1:
        threshold = f" ({needed} of {len(ballots)} needed)" if rule.unit and needed is not None else ""
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
        raise InvalidInput(f"tie_break: got {tie_break!r}, expected one of {', '.join(get_args(TieBreak))}.")
    if tie_break == "lottery" and not hasattr(rng, "integers"):
        raise InvalidInput(
            f"rng: got {rng!r}, expected a numpy Generator, which the lottery draws from. "
            "Pass rng=numpy.random.default_rng(seed)."
        )


def _break_tie(
    tied: Sequence[Candidate], tie_break: TieBreak, standing: Candidate | None, rng: Generator | None
) -> tuple[Candidate | None, str]:
    """Who wins the tie, None when it is deferred, and the words that say how."""
    if tie_break == "lottery" and rng is not None:
        return tied[int(rng.integers(len(tied)))], "drawn by lottery (tie-break lottery)"
    if tie_break == "status_quo" and standing in tied:
        return standing, "kept as the status quo (tie-break status_quo)"
    return None, "no status quo is among them (tie-break status_quo)" if tie_break == "status_quo" else ""


WAYS_OUT = {
    "vote": "Vote for one candidate",
    "ratings": "Rate every candidate from 1 to 5",
    "ranking": "Rank every candidate once, the best first",
    "points": "Spend as many points as there are candidates; those left out get 0",
}


def check_ballot(rule: str | Rule, ballot: Any, candidates: Iterable[Candidate], agent: str = "an agent") -> Any:
    """The ballot in its canonical form: the candidate, a dict of ints, a tuple, or a dict of fractions over all.

    None, an abstention, stays None. An InvalidBallot names the agent, the field, its value, what was expected and the
    way out: a model is asked again with that sentence.

    >>> check_ballot("cumulative", {"A": 1.9, "B": 0.1}, ["A", "B"])
    {'A': Fraction(19, 10), 'B': Fraction(1, 10)}
    """
    form, known = as_rule(rule).form, dict.fromkeys(candidates)

    def refuse(field: str, value: Any, expected: str) -> NoReturn:
        message = f"ballot of {agent}, field {field}: got {_show(value)}, expected {expected}."
        raise InvalidBallot(f"{message} {WAYS_OUT[form]}, or abstain with None.")

    def listed(value: Any, field: str) -> Candidate:
        if not isinstance(value, Hashable) or value not in known:
            refuse(field, value, f"one of the candidates: {', '.join(map(_show, known)) or 'none at all'}")
        return value

    def number(value: Any, candidate: Candidate, allowed: Callable[[Any], bool], expected: str) -> Fraction:
        if not isinstance(value, Real) or isinstance(value, bool) or not allowed(value):
            refuse(f"{form}[{_show(candidate)}]", value, expected)
        if isinstance(value, Rational):
            return Fraction(int(value.numerator), int(value.denominator))
        return Fraction(str(value))  # what the voter wrote: 0.1 is one tenth, not the nearest binary number

    if ballot is None or form == "vote":
        return None if ballot is None else listed(ballot, "vote")
    if form == "ranking":
        if isinstance(ballot, (str, bytes)) or not isinstance(ballot, Sequence):
            refuse(form, ballot, "a list of all candidates, the best first")
        for place, value in enumerate(ballot):
            if listed(value, f"ranking[{place}]") in ballot[:place]:
                refuse(f"ranking[{place}]", value, "each candidate only once")
        for candidate in known:
            if candidate not in ballot:
                refuse(form, ballot, f"all candidates, also {_show(candidate)}")
        return tuple(ballot)
    if not isinstance(ballot, Mapping):
        refuse(form, ballot, f"a mapping of candidates to {form}")
    given = {listed(candidate, form): value for candidate, value in ballot.items()}
    if form == "ratings":
        for candidate in known:
            if candidate not in given:
                refuse(form, ballot, f"a rating of every candidate, also of {_show(candidate)}")
        whole = "a whole number from 1 to 5"
        return {candidate: int(number(given[candidate], candidate, SCALE.__contains__, whole)) for candidate in known}
    finite = "a finite number, 0 or more"
    points = {c: number(given.get(c, 0), c, lambda value: 0 <= value < math.inf, finite) for c in known}
    if sum(points.values()) != len(known):
        told = f"points that sum to the number of candidates, {len(known)}, not to {sum(points.values())}"
        refuse(form, ballot, told)
    return points


def _show(value: object) -> str:
    """A value for a message, cut when it is long."""
    text = repr(value)
    return text if len(text) <= 100 else text[:97] + "..."


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

    def __init__(self, method: Callable[[Any], Any], name: str | None = None, form: Form = "ranking") -> None:
        if form not in self.asks:
            raise InvalidInput(f"form: got {form!r}, expected one of {', '.join(self.asks)}, which pref_voting reads.")
        label = name or getattr(method, "name", None) or getattr(method, "__name__", None)
        if not callable(method) or not label:
            raise InvalidInput(f"method: got {method!r}, expected a voting method of pref_voting with a name.")
        self.method, self.name, self.form = method, str(label), form
        self.explanation = f"{self.asks[form]} The method known as {label} then picks what is accepted."

    def needed(self, agents: int) -> int:
        """A winner's score: a method that elects nobody defers."""
        return 1

    def scores(self, ballots: Sequence[Any], candidates: Sequence[Candidate]) -> Mapping[Candidate, Fraction]:
        """1 for each winner, 0 for the others."""
        number = {candidate: index for index, candidate in enumerate(candidates)}
        profile = self._profile(ballots, number)
        try:
            result = self.method(profile)
            if isinstance(result, Mapping):
                raise TypeError("it returns probabilities; pass its method `support`, which lists those who may win")
            winners = {int(index) for index in (result.first() if hasattr(result, "first") else result)}
        except Exception as error:
            raise InvalidInput(
                f"rule {self.name}: pref_voting could not tally ballots of the form {self.form} with it "
                f"({type(error).__name__}: {error}). Choose the form that the method reads, or another method."
            ) from error
        return {candidate: Fraction(index in winners) for candidate, index in number.items()}

    def _profile(self, ballots: Sequence[Any], number: Mapping[Candidate, int]) -> Any:
        from pref_voting.grade_profiles import GradeProfile
        from pref_voting.profiles import Profile
        from pref_voting.utility_profiles import UtilityProfile

        if self.form == "ranking":
            profile = Profile([[number[candidate] for candidate in ballot] for ballot in ballots])
            reads = {kind.value for kind in getattr(self.method, "input_types", None) or ()}
            strict = not reads or reads & {"Profile", "MarginGraph", "MajorityGraph"}
            return profile if strict else profile.to_profile_with_ties()
        kind, listed = float if self.form == "points" else int, list(number.values())
        numbered = [{number[candidate]: kind(value) for candidate, value in ballot.items()} for ballot in ballots]
        if self.form == "points":
            return UtilityProfile(numbered, domain=listed)
        return GradeProfile(numbered, [*SCALE], candidates=listed)
