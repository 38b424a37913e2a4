"""Rule-based raters: agents whose whole behaviour is stated here and cited.

Each holds an opinion, a number of stars, that starts from its own table. Once a round, when all have spoken, it
pools what the tables say, its own and the others' as stated, and goes a share of the way there. The kinds differ in
how they weigh the tables and in that share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from support.participants.negotiators.rule_based import points
from support.participants.raters.evidence import HIGHEST, LOWEST, Estimate, mean, pool, priors_error, read, within
from support.participants.raters.hearing import facts, stated
from support.participants.raters.talk import compose
from support.records import Ballot, Choice, Message, Proposal, View

if TYPE_CHECKING:
    from support.environments.movielens import RaterBackground

STRICT, LENIENT = 0.1, 0.6  # stars; how far from the own opinion a vote may go in the first and in the last round
FULL_MARKS = 0.1  # stars; a candidate this close is rated 5
MARK = 0.3  # stars; each further step costs one mark


@dataclass
class RuleBasedRater:
    """Common ground of the rule-based kinds.

    Parameters
    ----------
    background : RaterBackground
        The agent's own table and what anybody knows.
    rng : numpy.random.Generator
        Its own stream; the same stream gives the same behaviour.
    noise : float
        Standard deviation, in stars, of what it proposes (a trembling hand) and of the distances that it perceives
        when it votes (random utility, McFadden 1974).
    held_out_wordings : bool
        Speak the sentences kept apart for testing annotators.

    Attributes
    ----------
    opinion, before : float
        What it would answer now, and what before it last reconsidered, in stars.
    """

    background: RaterBackground
    rng: np.random.Generator
    noise: float = 0.05
    held_out_wordings: bool = False
    kind: str = field(default="rule-based", init=False)
    opinion: float = field(default=float("nan"), init=False)
    before: float = field(default=float("nan"), init=False)
    _plan: float | None = field(default=None, init=False, repr=False)
    _round: int = field(default=0, init=False, repr=False)

    pace = 1.0
    """Share of the way to the pooled estimate that the opinion goes in a round."""
    own_weight = 1.0
    """How many times its own table counts."""
    doubt = 1.0
    """Times its true error that it believes and states its error to be."""
    candid = True
    """Whether its messages claim in numbers what its table says."""

    def __post_init__(self) -> None:
        self.evidence = read(self.background)
        self.voice = self.rng.spawn(1)[0]  # of its own: how a thing is said changes nothing that is decided
        self.opinion = self.before = self.own_estimate({}).value

    def own_estimate(self, heard: dict[str, float]) -> Estimate:
        """What its own table says, read with the facts heard, and what the recommender says if it may ask it."""
        parts = [self.evidence.estimate(heard)]
        if self.background.consultation is not None:
            parts.append(Estimate(self.background.consultation, self.background.consultation_error or parts[0].error))
        value, error = pool(parts)
        return Estimate(within(value), error * self.doubt)

    def reconsider(self, view: View) -> None:
        """Go a share `pace` of the way to the pooled estimate; once a round, however often it is called."""
        if view.round > self._round:
            self._round, self.before = view.round, self.opinion
            self.opinion += self.pace * (within(self.target(view)) - self.opinion)

    def target(self, view: View) -> float:
        """The estimates of all tables, pooled by precision, in stars."""
        others = list(stated(view, priors_error(self.background.priors)).values())
        own = self.own_estimate(facts(view))
        return pool([own, *others], [self.own_weight] + [1.0] * len(others)).value

    def tolerance(self, view: View) -> float:
        """How far from its opinion it goes with the others, in stars.

        It widens in equal steps: early there is time to convince them, late any decision near the own opinion is
        better than none.
        """
        time = (view.round - 1) / max(view.rounds - 1, 1)
        return STRICT + (LENIENT - STRICT) * time

    async def message(self, view: View) -> Message | None:
        """Speak by template about the own evidence and the table; the acts performed are known."""
        return compose(self, view)

    async def propose(self, view: View) -> Proposal | None:
        """Propose the opinion with a trembling hand, or nothing when it has not changed by a tenth of a star."""
        self.reconsider(view)
        plan = round(self.opinion, 1)
        if plan == self._plan:
            return None
        self._plan = plan
        return Proposal(self.background.me, round(within(plan + self.noise * self.rng.standard_normal()), 1))

    async def vote(self, view: View) -> Ballot:
        """Fill in the ballot that the rule asks for, by perceived closeness to the opinion."""
        if not view.candidates:
            return Ballot(self.background.me, None)
        values = np.array([c.value for c in view.candidates], dtype=float)
        distances = np.abs(values - self.opinion + self.noise * self.rng.standard_normal(len(values)))
        return Ballot(self.background.me, self._choice(distances, values, view))

    def _choice(self, distances: np.ndarray, values: np.ndarray, view: View) -> Choice:
        ids = [c.id for c in view.candidates]
        if view.form == "vote":
            return self.one_vote(ids, distances, values, view)
        if view.form == "ranking":
            return tuple(ids[i] for i in np.argsort(distances, kind="stable"))
        if view.form == "ratings":
            return tuple(zip(ids, marks(distances), strict=True))
        return tuple(zip(ids, points(-distances), strict=True))

    def one_vote(self, ids: list[str], distances: np.ndarray, values: np.ndarray, view: View) -> str | None:
        """The single vote: of the candidates within the tolerance the one nearest to the middle of the proposals.

        Without any within it, an abstention. Voting for the closest of all would be voting for oneself, and then
        no two of the group ever agree.
        """
        acceptable = np.flatnonzero(distances <= self.tolerance(view))
        if not len(acceptable):
            return None
        middle = median([value for _, value in view.latest]) if view.latest else self.opinion
        off = np.abs(values[acceptable] - middle)
        return ids[int(acceptable[np.lexsort((distances[acceptable], off.round(6)))[0]])]


class Weighing(RuleBasedRater):
    """Takes over at once what all tables say together, each by its precision (Winkler 1968)."""

    kind = "weighing"


class Averaging(RuleBasedRater):
    """Goes half the way each round to the plain mean of what the tables say, whoever is surer (DeGroot 1974)."""

    kind = "averaging"
    pace = 0.5

    def target(self, view: View) -> float:
        """The plain mean of all estimates."""
        others = stated(view, priors_error(self.background.priors)).values()
        return mean([self.own_estimate(facts(view)).value, *(e.value for e in others)])


class Stubborn(RuleBasedRater):
    """Counts its own table four times and goes a quarter of the way each round (Friedkin and Johnsen 1990)."""

    kind = "stubborn"
    pace, own_weight = 0.25, 4.0


class Overconfident(RuleBasedRater):
    """Believes and says that its error is half of what it is (overprecision, Moore and Healy 2008)."""

    kind = "overconfident"
    doubt = 0.5


class Random(RuleBasedRater):
    """Zero intelligence, the control (Gode and Sunder 1993): a number at random each round, a ballot at random.

    It tells nobody what its table says. Chance is its whole behaviour, so `noise` plays no part in it.
    """

    kind = "random"
    candid = False

    def own_estimate(self, heard: dict[str, float]) -> Estimate:
        """The number of the moment; in the first round nobody has asked for one yet, and it makes one up."""
        return Estimate(self._whim() if math.isnan(self.opinion) else self.opinion, 1.0)

    def reconsider(self, view: View) -> None:
        """A new number, every tenth of a star as likely as any other."""
        if view.round > self._round:
            self._round, self.before, self.opinion = view.round, self.opinion, self._whim()

    def _whim(self) -> float:
        return float(self.rng.integers(round(10 * LOWEST), round(10 * HIGHEST) + 1)) / 10

    async def propose(self, view: View) -> Proposal | None:
        """The number of this round."""
        self.reconsider(view)
        return Proposal(self.background.me, self.opinion)

    async def vote(self, view: View) -> Ballot:
        """A random ballot; a single vote may go to any candidate."""
        if not view.candidates:
            return Ballot(self.background.me, None)
        whims = self.rng.random(len(view.candidates))
        return Ballot(self.background.me, self._choice(whims, whims, view))

    def one_vote(self, ids: list[str], distances: np.ndarray, values: np.ndarray, view: View) -> str | None:
        """Any of them."""
        return ids[int(distances.argmin())]


KINDS: dict[str, type[RuleBasedRater]] = {
    cls.kind: cls for cls in (Random, Weighing, Averaging, Stubborn, Overconfident)
}


def marks(distances: np.ndarray) -> list[float]:
    """Likert ratings 1..5: 5 for what is within `FULL_MARKS`, one less for each further `MARK` begun."""
    steps = np.ceil((distances - FULL_MARKS) / MARK - 1e-9)
    return [int(mark) for mark in np.clip(5 - steps, 1, 5)]
