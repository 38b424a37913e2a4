"""Rule-based raters: each reads one table about a user or a film, and together they predict one rating.

Each holds an opinion, a number of stars, that starts from its own table. Once a round, when all have spoken, it pools
what the tables say, its own and the others' as stated, and goes a share of the way there. The kinds differ in how much
the own table counts and in that share.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from support.roundtable.evidence import (
    Estimate,
    pool,
    priors_error,
    read,
    within,
)
from support.roundtable.movielens import (
    HIGHEST,
    LOWEST,
    MovieLens,
    RaterBackground,
)
from support.roundtable.records import Message, Proposal, View
from support.roundtable.rule_based import (
    ASIDES,
    RuleAgent,
    claims,
    next_offer,
    others,
)

STRICT = 0.1
LENIENT = 0.6
# Stars; how far from the own opinion a vote may go in the first and in the last round.
FULL_MARKS = 0.1  # stars; a candidate this close is rated 5
MARK = 0.3  # stars; each further step costs one mark
STEADY = 0.05  # stars; an opinion that moved by less is defended
ASIDE = (
    0.25  # how often a message has one sentence more: a check, a question or a summary
)
SUREST = 0.01  # stars; no claim counts as surer
VALUE, ERROR = MovieLens.claim_names  # every other name in a claim is a fact


@dataclass
class RuleBasedRater(RuleAgent):
    """Common ground of the rule-based kinds.

    `noise` is the standard deviation, in stars, of what it proposes and of the distances that it perceives when it
    votes; `opinion` is what it would answer now, `before` what before it last reconsidered, in stars. `pace` is the
    share of the way to the pooled estimate that the opinion goes in a round, `own_weight` how many times its own table
    counts.
    """

    background: RaterBackground
    opinion: float = field(default=math.nan, init=False)
    before: float = field(default=math.nan, init=False)
    _round: int = field(default=0, init=False, repr=False)
    _accepted: float | None = field(default=None, init=False, repr=False)

    wordings = "raters"
    pace = 1.0
    own_weight = 1.0

    def __post_init__(self) -> None:
        self.evidence = read(self.background)
        self._voice = self.rng.spawn(1)[0]
        self.opinion = self.before = self.own_estimate({}).value

    @property
    def voice(self) -> np.random.Generator:
        """Words have a stream of their own: how a thing is said changes nothing that is decided."""
        return self._voice

    def own_estimate(self, heard: Mapping[str, float]) -> Estimate:
        """What its own table says, read with the facts heard, and what the recommender says if it may ask it."""
        parts = [self.evidence.estimate(heard)]
        if self.background.consultation:
            parts.append(Estimate(*self.background.consultation))
        value, error = pool(parts)
        return Estimate(within(value), error)

    def reconsider(self, view: View) -> None:
        """Go a share `pace` of the way to the pooled estimate; once a round, however often it is called."""
        if view.round > self._round:
            self._round = view.round
            self.before = self.opinion
            self.opinion += self.pace * (within(self.target(view)) - self.opinion)

    def target(self, view: View) -> float:
        """The estimates of all tables, pooled by precision, in stars."""
        value, error = self.own_estimate(facts(view))
        own = Estimate(value, error / math.sqrt(self.own_weight))
        theirs = stated(view, priors_error(self.background.priors))
        return pool([own, *theirs.values()]).value

    def tolerance(self, view: View) -> float:
        """How far from its opinion it goes with the others, in stars: farther in equal steps.

        Early there is time to convince them, late any decision near the own opinion is better than none.
        """
        return STRICT + (LENIENT - STRICT) * (view.round - 1) / max(view.rounds - 1, 1)

    def plan(self, view: View) -> float:
        """The opinion in tenths."""
        self.reconsider(view)
        return round(self.opinion, 1)

    def tremble(self, plan: float) -> float:
        """The plan with noise."""
        return round(
            within(plan + self.noise * self.rng.standard_normal()),
            1,
        )

    def worth(self, view: View) -> np.ndarray:
        """Perceived closeness to the opinion."""
        values = np.array([c.value for c in view.candidates], dtype=float)
        noise = self.noise * self.rng.standard_normal(len(values))
        return -np.abs(values - self.opinion + noise)

    def marks(self, worth: np.ndarray, view: View) -> np.ndarray:
        """5 for what is within `FULL_MARKS`, one less for each further `MARK` begun."""
        return 5 - np.ceil((-worth - FULL_MARKS) / MARK - 1e-9)

    def one_vote(self, worth: np.ndarray, view: View) -> int | None:
        """Of the candidates within the tolerance the one nearest to the middle of the proposals, or an abstention.

        Who votes for the closest of all votes for oneself, and then no two of the group ever agree.
        """
        acceptable = np.flatnonzero(-worth <= self.tolerance(view))
        if not len(acceptable):
            return None
        values = np.array(
            [view.candidates[i].value for i in acceptable],
            dtype=float,
        )
        proposed = [value for _, value in view.latest]
        off = np.abs(values - (median(proposed) if proposed else self.opinion))
        return int(acceptable[np.lexsort((-worth[acceptable], off.round(6)))[0]])

    def claim(self, own: Estimate) -> dict[str, float]:
        """What it states in numbers: the own evidence, an estimate, its error, and facts that the others lack."""
        return {
            VALUE: own.value,
            ERROR: own.error,
            **self.evidence.facts,
        }

    async def message(self, view: View) -> Message:
        """First what the own table says, later a judgement of the offer and where the own opinion stands.

        What stands is judged anew only when it or the judgement has changed; else there is one check, question or
        summary.
        """
        own = self.own_estimate(facts(view))
        first = view.round == 1
        offer = next_offer(view)
        if view.decision:
            offer = "all of you", float(view.decision.value)
        acts = ["inform", "request"] if first else self._reply(view, own, offer)
        if not acts or (not first and self.voice.random() < ASIDE):
            acts.append(self.drawn(ASIDES))
        alone = offer is not None and offer[0] in others(view)
        other = offer[0] if offer and alone else self.drawn(others(view))
        slots = {
            "source": self.evidence.source,
            "own": _stars(own.value),
            "error": f"{own.error:.1f}",
            "mine": _stars(self.opinion),
            "offer": "no number yet",
            "gap": "0.0",
            "standing": "nothing is decided yet",
        }
        if offer:
            slots["offer"] = _stars(offer[1])
            slots["gap"] = f"{abs(offer[1] - self.opinion):.1f}"
        if view.decision:
            slots["standing"] = f"the group stands at {slots['offer']}"
        return self.speak(
            view,
            acts,
            other,
            self.claim(own).items(),
            **slots,
        )

    def _reply(
        self,
        view: View,
        own: Estimate,
        offer: tuple[str, Any] | None,
    ) -> list[str]:
        """News of the own table, a judgement of the offer, and, unless it is accepted, where the own opinion stands."""
        last = claims(view).get(view.me, {}).get(VALUE, own.value)
        acts = ["inform"] if abs(own.value - last) >= STEADY else []
        stands = view.decision.value if view.decision else None
        if self._accepted != stands:
            self._accepted = None
        if offer:
            fine = abs(offer[1] - self.opinion) <= self.tolerance(view)
            if not fine or self._accepted is None:
                acts += [
                    "evaluate",
                    "accept" if fine else "decline",
                ]
            if fine:
                self._accepted = stands
                return acts
        return [*acts, self._stand(view)]

    def _stand(self, view: View) -> str:
        """Defend an opinion that stayed; compromise if it went towards the others' proposals; else propose it anew."""
        theirs = dict(view.latest)
        if theirs.pop(view.me, None) is None:
            return "propose"
        if abs(self.opinion - self.before) < STEADY:
            return "defend"
        middle = np.mean([*theirs.values()]) if theirs else self.before
        nearer = abs(self.opinion - middle) < abs(self.before - middle)
        return "compromise" if nearer else "propose"


class Weighing(RuleBasedRater):
    """Takes over at once what all tables say together, each by its precision (Winkler 1968)."""

    kind = "weighing"


class Stubborn(RuleBasedRater):
    """Counts its own table four times and goes a quarter of the way each round (Friedkin and Johnsen 1990)."""

    kind = "stubborn"
    pace = 0.25
    own_weight = 4.0


class Random(RuleBasedRater):
    """Zero intelligence, the control (Gode and Sunder 1993): a number at random each round, a ballot at random.

    It tells nobody what its table says. Chance is its whole behaviour, so `noise` plays no part in it.
    """

    kind = "random"
    one_vote = RuleAgent.one_vote

    def own_estimate(self, heard: Mapping[str, float]) -> Estimate:
        """The number of the moment; in the first round nobody has asked for one yet, and it makes one up."""
        made_up = math.isnan(self.opinion)
        return Estimate(self._whim() if made_up else self.opinion, 1.0)

    def reconsider(self, view: View) -> None:
        """A new number, every tenth of a star as likely as any other."""
        if view.round > self._round:
            self._round = view.round
            self.before = self.opinion
            self.opinion = self._whim()

    def _whim(self) -> float:
        tenths = round(10 * LOWEST), round(10 * HIGHEST) + 1
        return float(self.rng.integers(*tenths)) / 10

    async def propose(self, view: View) -> Proposal:
        """The number of this round."""
        self.reconsider(view)
        return Proposal(view.me, self.opinion)

    def worth(self, view: View) -> np.ndarray:
        """Any."""
        return -self.rng.random(len(view.candidates))

    def claim(self, own: Estimate) -> dict[str, float]:
        """Nothing."""
        return {}


KINDS: dict[str, type[RuleBasedRater]] = {
    cls.kind: cls for cls in (Random, Weighing, Stubborn)
}


# ---- what was heard --------------------------------------------------------------------------------------------------


def facts(view: View) -> dict[str, float]:
    """What the others have claimed, facts by name among it."""
    heard = {}
    for agent, claim in claims(view).items():
        if agent != view.me:
            heard.update(claim)
    return heard


def stated(view: View, error: float) -> dict[str, Estimate]:
    """What each of the others makes of its own table, by agent: its latest claim.

    Of an agent that makes none its latest proposal is taken, and where no error is stated, the given standard error. A
    claim states what the sender's own table says, read with the facts that others gave, and never the pooled opinion:
    after round 1 two claims may rest on the same fact. Pooled as if they were independent, they make the pool too sure.
    """
    heard = {agent: Estimate(float(value), error) for agent, value in view.latest}
    for agent, claim in claims(view).items():
        if LOWEST <= claim.get(VALUE, math.nan) <= HIGHEST:
            theirs = claim.get(ERROR, 0.0)
            surest = max(theirs, SUREST) if theirs > 0 else error
            heard[agent] = Estimate(claim[VALUE], surest)
    heard.pop(view.me, None)
    return heard


def _stars(value: float) -> str:
    return f"{value:.1f} stars"
