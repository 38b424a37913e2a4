"""Social choice: what a group decides when every agent has filled in a ballot (RoundTable, section 3.2), exactly.

>>> result = tally("majority", {"1": "Apple", "2": "Apple", "3": "Banana"}, ["Apple", "Banana", "Carrot"])
>>> result.winner, result.why
('Apple', 'Apple wins with 2 votes (2 of 3 needed).')
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

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
    singular, and empty when scores mean nothing to a reader. A study takes an instance, `rule=[Borda(), "ranked"]`;
    `RULES["borda"] = Borda()` puts the name into menus and forks, too.

    >>> class Borda(Rule):
    ...     name, form = "borda", "ranking"
    ...     explanation = "Order all proposals; each place is worth the number of proposals below it."
    ...     def weights(self, places):
    ...         return [places - place for place in range(1, places + 1)]
    >>> tally(Borda(), {"Ann": ["x", "y", "z"], "Ben": ["y", "z", "x"]}, ["x", "y", "z"]).why
    'y wins with 3 points.'
    """

    name: str = ""
    form: str = ""
    explanation: str = ""
    unit: str = "point"

    def weights(self, places: int) -> Sequence[Fraction]:
        """What each place of a ranking is worth, first place first: 1, 1/2, 1/3, and so on (the Dowdall system);
        places beyond the list are worth nothing."""
        return [Fraction(1, place) for place in range(1, places + 1)]

    def scores(
        self, ballots: Sequence[Any], candidates: Sequence[Candidate]
    ) -> Mapping[Candidate, Fraction]:
        """The exact totals over the checked ballots that were cast; abstentions are not among them."""
        totals = dict.fromkeys(candidates, Fraction())
        for ballot in ballots:
            if self.form == "vote":
                ballot = {ballot: 1}
            elif self.form == "ranking":
                ballot = dict(zip(ballot, self.weights(len(candidates)), strict=False))
            for candidate, score in ballot.items():
                totals[candidate] += Fraction(score)
        return totals

    def needed(self, agents: int) -> int:
        """The score without which nobody is elected by a group of `agents`, abstainers
        included; 0: any will do."""
        return 0

    def __repr__(self) -> str:
        return f"<Rule {self.name}>"


_SINGLE = "Each agent may back a single proposal."


@dataclass(eq=False, repr=False)
class Printed(Rule):
    """A rule of the paper; `votes` says how many a group of some size needs."""

    name: str
    form: str
    explanation: str
    unit: str = "point"
    votes: Callable[[int], int] = lambda agents: 0

    def needed(self, agents: int) -> int:
        """As the paper says."""
        return self.votes(agents)


_PAPER = (
    Printed(
        "unanimous",
        "vote",
        f"{_SINGLE} It is accepted only if the whole group backs the same one; one "
        "other vote or one abstention is enough to prevent that.",
        "vote",
        lambda agents: agents,
    ),
    Printed(
        "majority",
        "vote",
        f"{_SINGLE} To be accepted it needs over half of the whole group behind it, "
        "and an agent who abstains still counts as part of the group.",
        "vote",
        lambda agents: agents // 2 + 1,
    ),
    Printed(
        "plurality",
        "vote",
        f"{_SINGLE} The one with more backers than any other is accepted.",
        "vote",
    ),
    Printed(
        "rated",
        "ratings",
        "Each agent grades every proposal with a whole number, 1 for the worst to 5 "
        "for the best. The grades of a proposal are added up, and the largest sum is "
        "accepted.",
    ),
    Printed(
        "ranked",
        "ranking",
        "Each agent puts all proposals in order, the best one first. A first place is "
        "worth 1 point, a second 1/2, a third 1/3 and so forth, and the proposal that "
        "gathers the most points is accepted.",
    ),
    Printed(
        "cumulative",
        "points",
        "Each agent has as many points as there are proposals and must spend them "
        "all, on one proposal or on several. The proposal that gathers the most "
        "points is accepted.",
    ),
)
RULES: dict[str, Rule] = {rule.name: rule for rule in _PAPER}
"""The rules of the paper, in the order of its tables: Arrow (2012) for votes, Baujard
et al. (2018) for grades, harmonic weights for rankings, Black et al. (1958) for points."""

TIES: Mapping[str, str] = {
    "defer": "If several share the lead, nothing is accepted, and what stood before "
    "stays.",
    "status_quo": "If several share the lead, the standing decision wins if it is "
    "among them; otherwise nothing is accepted, and what stood before stays.",
    "lottery": "If several share the lead, one of them is drawn by lot.",
}
"""What a tie-break does, in the words that those who vote read."""

IDENTICAL = "Identical proposals stand on the list once: nobody gains by repeating one."


def explained(rule: str | Rule, tie_break: TieBreak = "defer") -> str:
    """How a rule decides, also at a tie, and what becomes of identical proposals.

    Where a single vote has to win over half of the group, two cannot tie above the
    threshold, and nothing is said of ties.

    >>> explained("plurality", "lottery").split(". ")[2]
    'If several share the lead, one of them is drawn by lot'
    """
    rule = as_rule(rule)
    over_half = rule.form == "vote" and 2 * rule.needed(100) > 100
    ties = [] if over_half else [TIES[tie_break]]
    return " ".join([rule.explanation, *ties, IDENTICAL])


def as_rule(rule: str | Rule) -> Rule:
    """The rule of that name, or the rule itself."""
    if isinstance(rule, Rule) and rule.form in _EXPECTED:
        return rule
    if rule in RULES:
        return RULES[rule]
    raise InvalidInput(
        f"rule: got {rule!r}, expected one of {', '.join(RULES)}, or your own rule object, such as MyRule(), "
        f"whose form is one of {', '.join(_EXPECTED)}."
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
    rule = as_rule(rule)
    listed = tuple(dict.fromkeys(candidates))
    check_tie_break(tie_break, rng)
    checked = [
        check_ballot(rule, ballot, listed, str(agent))
        for agent, ballot in ballots.items()
    ]
    cast = [ballot for ballot in checked if ballot is not None]
    if not listed or not cast:
        why = "nobody voted" if listed else "there are no candidates"
        none = dict.fromkeys(listed, Fraction())
        return Tally(rule.name, None, none, (), f"Deferred: {why}.")
    totals = rule.scores(cast, listed)
    scores = {one: Fraction(totals.get(one, 0)) for one in listed}
    top = max(scores.values())
    needed = rule.needed(len(ballots))
    leaders = tuple(one for one in listed if scores[one] == top)
    tied = leaders if len(leaders) > 1 else ()
    *others, last = map(str, leaders)
    names = f"{', '.join(others)} and {last}" if others else last
    amount = f"{top} {rule.unit}{'s' * (top != 1)}"
    tie = f"{names} tie with {amount}" if rule.unit else f"{names} tie"
    threshold = f"{needed} of {len(ballots)}"
    winner: Candidate | None = None
    why = f"Deferred: {tie}."
    if top < needed:
        why = f"Deferred: {rule.name} elects nobody."
        if rule.unit:
            lacking = f"nobody has the {threshold} {rule.unit}s needed"
            why = f"Deferred: {lacking}, the most is {amount} ({names})."
    elif not tied:
        winner = leaders[0]
        why = f"{names} wins."
        if rule.unit:
            passed = f" ({threshold} needed)" if needed else ""
            why = f"{names} wins with {amount}{passed}."
    elif tie_break == "lottery" and rng:
        winner = tied[int(rng.integers(len(tied)))]
        why = f"{winner} wins, drawn by lottery (tie-break lottery), after {tie}."
    elif tie_break == "status_quo" and standing in tied:
        winner = standing
        why = f"{winner} wins, kept as the status quo (tie-break status_quo), after {tie}."
    elif tie_break == "status_quo":
        why = f"Deferred: {tie}, and the standing decision is not among them."
    return Tally(rule.name, winner, scores, tied, why)


def check_tie_break(tie_break: str, rng: Generator | None) -> None:
    """Refuse an unknown tie-break, and a lottery without a generator, before anything is counted."""
    if tie_break not in TIES:
        raise InvalidInput(
            f"tie_break: got {tie_break!r}, expected one of {', '.join(TIES)}."
        )
    if tie_break == "lottery" and not hasattr(rng, "integers"):
        raise InvalidInput(
            f"rng: got {rng!r}, expected a numpy Generator, which the lottery draws from. "
            "Pass rng=numpy.random.default_rng(seed)."
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
    """The ballot in its canonical form: the candidate, a tuple, or a dict of fractions over all.

    None, an abstention, stays None. An InvalidBallot names the agent, the ballot and what was expected.

    >>> check_ballot("cumulative", {"A": 1.9, "B": 0.1}, ["A", "B"])
    {'A': Fraction(19, 10), 'B': Fraction(1, 10)}
    """
    form = as_rule(rule).form
    listed = list(dict.fromkeys(candidates))
    try:
        return None if ballot is None else _canonical(form, ballot, listed)
    except (TypeError, ValueError, LookupError, AttributeError):
        names = ", ".join(map(repr, listed))
        raise InvalidBallot(
            f"ballot of {agent}: got {reprlib.repr(ballot)}, expected "
            f"{_EXPECTED[form]}, or None to abstain. The candidates: {names}."
        ) from None


def _canonical(form: str, ballot: Any, listed: list[Candidate]) -> Any:
    """A ballot in its one shape; any error says that it is none."""
    if form == "vote":
        return listed[listed.index(ballot)]
    canonical: Any = tuple(ballot)
    fits = sorted(ballot, key=listed.index) == listed  # refuses strangers
    if form != "ranking":
        # As text, 0.1 is one tenth, as the voter wrote, not the nearest binary number.
        canonical = {one: Fraction(str(+ballot.get(one, 0))) for one in listed}
        numbers = canonical.values()
        fits = set(numbers) <= {1, 2, 3, 4, 5}
        if form == "points":
            fits = sum(numbers) == len(listed) and min(numbers, default=0) >= 0
    if not fits:
        raise ValueError
    return canonical


class PrefVoting(Rule):
    """A voting method of `pref_voting` (Holliday and Pacuit) that reads rankings.

    Several winners are a tie, none defers, abstainers are left out; a score only says 1
    for a winner. Fix a method's options with `functools.partial`, and give a name.

    >>> from pref_voting.c1_methods import copeland
    >>> ballots = {"Ann": ["x", "y"], "Ben": ["y", "x"], "Cas": ["x", "y"]}
    >>> tally(PrefVoting(copeland), ballots, ["x", "y"]).why
    'x wins.'
    """

    form = "ranking"
    unit = ""

    def __init__(self, method: Any, name: str | None = None) -> None:
        self.method = method
        self.name = name or method.name
        self.explanation = (
            "Each agent puts all proposals in order, the best one first. The method "
            f"known as {self.name} then picks what is accepted."
        )

    def needed(self, agents: int) -> int:
        """A winner's score: a method that elects nobody defers."""
        return 1

    def scores(
        self, ballots: Sequence[Any], candidates: Sequence[Candidate]
    ) -> Mapping[Candidate, Fraction]:
        """1 for each winner, 0 for the others."""
        from pref_voting.profiles import Profile

        places = [list(map(candidates.index, ballot)) for ballot in ballots]
        winners = self.method(Profile(places))
        if not isinstance(winners, list):
            raise InvalidInput(
                f"rule {self.name}: {reprlib.repr(winners)} returned; expected a list "
                "of winners, as most voting methods of pref_voting give it."
            )
        return {one: Fraction(i in winners) for i, one in enumerate(candidates)}
