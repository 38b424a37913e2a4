"""From the ballots of one group to its decision, exactly."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from support.choice.ballots import check_ballot, merge, show
from support.choice.rules import Candidate, Rule, as_rule
from support.choice.ties import TieBreak, break_tie, check_tie_break
from support.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.random import Generator

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tally:
    """The outcome of one vote.

    Attributes
    ----------
    rule : str
        Name of the rule.
    winner : candidate or None
        None when the decision is deferred.
    scores : mapping of candidate to Fraction
        Exact totals, read-only, in the order of the candidates.
    tied : tuple of candidates
        Those who share the top score, when somebody voted and they are more than one; passing or not.
    why : str
        One sentence: who won and with how much, or why the decision is deferred; names a tie-break that decided.
    """

    rule: str
    winner: Candidate | None
    scores: Mapping[Candidate, Fraction]
    tied: tuple[Candidate, ...]
    why: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", MappingProxyType(dict(self.scores)))

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only view cannot be pickled, and tallies travel between processes.
        return Tally, (self.rule, self.winner, dict(self.scores), self.tied, self.why)


def tally(
    rule: str | Rule,
    ballots: Mapping[Any, Any],
    candidates: Iterable[Candidate],
    *,
    tie_break: TieBreak = "defer",
    standing: Candidate | None = None,
    rng: Generator | None = None,
) -> Tally:
    """Decide by one rule (RoundTable, section 3.2); defer when nobody passes or several share the top.

    Parameters
    ----------
    rule : str or Rule
        A name in `RULES`, or a rule of your own.
    ballots : mapping of agent to ballot
        Every agent, abstainers (None) included: majority and unanimity count heads, not votes.
        See `check_ballot` for the form of a ballot.
    candidates : iterable of hashables
        Identical ones are merged.
    tie_break : {"defer", "status_quo", "lottery"}
        What to do with a tie of candidates that pass. "status_quo" elects `standing` if it is one
        of them and defers otherwise; "lottery" draws one of them from `rng`.

    Raises
    ------
    InvalidBallot
        When a ballot does not follow the form of the rule.
    InvalidInput
        For an unknown rule or tie-break, and for a lottery without a generator.

    Examples
    --------
    >>> tally("ranked", {"Ann": ["x", "y"], "Ben": ["y", "x"], "Cas": None}, ["x", "y"]).why
    'Deferred: x and y tie with 3/2 points.'
    """
    rule, listed = as_rule(rule), merge(candidates)
    check_tie_break(tie_break, rng)
    cast = _cast(rule, ballots, listed)
    if not listed or not cast:
        reason = "nobody voted" if listed else "there are no candidates"
        return Tally(rule.name, None, dict.fromkeys(listed, Fraction(0)), (), f"Deferred: {reason}.")
    totals = rule.scores(cast, listed)
    scores = {candidate: Fraction(totals.get(candidate, 0)) for candidate in listed}
    top = max(scores.values())
    leaders = tuple(candidate for candidate in listed if scores[candidate] == top)
    tied = leaders if len(leaders) > 1 else ()
    if not rule.passes(top, len(ballots)):
        winner, why = None, _nobody_passes(rule, top, leaders, len(ballots))
    elif tied:
        winner, how = break_tie(tied, tie_break, standing, rng)
        why = _tie(rule, top, tied, winner, how)
    else:
        winner, why = leaders[0], _win(rule, top, leaders[0], len(ballots))
    return Tally(rule.name, winner, scores, tied, why)


def _cast(rule: Rule, ballots: Mapping[Any, Any], candidates: Sequence[Candidate]) -> list[Any]:
    if not isinstance(ballots, Mapping):
        raise InvalidInput(
            f"ballots: got {show(ballots)}, expected a mapping of every agent to its ballot. "
            "Give {agent: ballot}, with None for an agent who abstains."
        )
    checked = [check_ballot(rule, ballot, candidates, str(agent)) for agent, ballot in ballots.items()]
    return [ballot for ballot in checked if ballot is not None]


def _nobody_passes(rule: Rule, top: Fraction, leaders: Sequence[Candidate], agents: int) -> str:
    if not rule.unit:
        return f"Deferred: {rule.name} elects nobody."
    needed = rule.needed(agents)
    enough = "enough" if needed is None else f"the {needed} of {agents}"
    return f"Deferred: nobody has {enough} {rule.unit}s needed, the most is {_amount(rule, top)} ({_names(leaders)})."


def _tie(rule: Rule, top: Fraction, tied: Sequence[Candidate], winner: Candidate | None, how: str) -> str:
    tie = f"{_names(tied)} tie{_with(rule, top)}"
    if winner is None:
        return f"Deferred: {tie}" + (f", and {how}." if how else ".")
    why = f"{_names([winner])} wins, {how}, after {tie}."
    log.info("%s: %s", rule.name, why)
    return why


def _win(rule: Rule, top: Fraction, winner: Candidate, agents: int) -> str:
    needed = rule.needed(agents) if rule.unit else None
    threshold = "" if needed is None else f" ({needed} of {agents} needed)"
    return f"{winner} wins{_with(rule, top)}{threshold}."


def _with(rule: Rule, score: Fraction) -> str:
    return f" with {_amount(rule, score)}" if rule.unit else ""


def _amount(rule: Rule, score: Fraction) -> str:
    return f"{score} {rule.unit}" + ("" if score == 1 else "s")


def _names(candidates: Sequence[Candidate]) -> str:
    names = [str(candidate) for candidate in candidates]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
