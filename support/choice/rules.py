"""The six social choice rules of RoundTable (section 3.2), and the base class of any other."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal

from support.errors import InvalidInput

Candidate = Hashable
Form = Literal["vote", "ratings", "ranking", "points"]


class Rule:
    """How ballots of one form become scores, and which score is enough to be elected.

    A rule is a name, the form of its ballots, an explanation for those who vote, and whatever of
    the four methods differs from the usual. A rule that leaves `score_ballot` and `scores` alone is
    understood by `tally_many` as well.

    Attributes
    ----------
    name : str
        What the rule is called in settings and tallies.
    form : {"vote", "ratings", "ranking", "points"}
        One candidate; {candidate: 1..5}; all candidates, best first; {candidate: points}.
    explanation : str
        One or two sentences, shown to language models and to people before they vote.
    unit : str
        What a score counts, in the singular; empty when the scores mean nothing to a reader.

    Examples
    --------
    A new rule is one small class:

    >>> class Borda(Rule):
    ...     name, form = "borda", "ranking"
    ...     explanation = "Order all proposals; each place is worth the number of proposals below it."
    ...     def weights(self, places):
    ...         return [Fraction(places - place) for place in range(1, places + 1)]
    >>> from support.choice import tally
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
        """The score without which nobody is elected by a group of `agents`, None when any will do."""
        return None

    def passes(self, score: Fraction, agents: int) -> bool:
        """Whether a score is enough to be elected by a group of `agents`, abstainers included."""
        needed = self.needed(agents)
        return needed is None or score >= needed

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


RULES: Mapping[str, Rule] = MappingProxyType(
    {rule.name: rule for rule in (Unanimous(), Majority(), Plurality(), Rated(), Ranked(), Cumulative())}
)
"""The rules of the paper, in the order of its tables."""


def as_rule(rule: str | Rule) -> Rule:
    """The rule of that name, or the rule itself.

    Raises
    ------
    InvalidInput
        When there is no such rule.
    """
    if isinstance(rule, Rule):
        return rule
    if isinstance(rule, str) and rule in RULES:
        return RULES[rule]
    raise InvalidInput(
        f"rule: got {rule!r}, expected one of {', '.join(RULES)}, or an instance of a Rule. "
        "Choose one of these names, or pass your own rule object, such as MyRule()."
    )
