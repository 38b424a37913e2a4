"""Rule-based raters: each reads one table about a user or a film, and together they predict one rating.

Each holds an opinion, a number of stars, that starts from its own table. Once a round, when all have spoken, it pools
what the tables say, its own and the others' as stated, and goes a share of the way there. The kinds differ in how much
the own table counts and in that share.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from support.roundtable.evidence import Estimate, expected, pool, read, within
from support.roundtable.movielens import HIGHEST, LOWEST, MovieLens, RaterBackground
from support.roundtable.records import Message, View
from support.roundtable.rule_based import (
    ASIDES,
    RuleAgent,
    claims,
    next_offer,
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
SUREST = 0.01  # stars; no claim of a smaller error is believed
Claims = dict[str, dict[str, float]]  # by agent and name
VALUE, ERROR = MovieLens.claim_names  # every other name in a claim is a fact


@dataclass
class RuleBasedRater(RuleAgent):
    """Common ground of the rule-based kinds.

    `noise` is the standard deviation, in stars, of what it proposes and of the distances that it perceives when it
    votes; `opinion` is what it would answer now, `before` what before it last reconsidered, in stars. `pace` is the
    share of the way to the pooled estimate that the opinion goes in a round, `own_weight` how many times its own table
    counts. Who `tells` states its estimate and its facts as a claim.
    """

    background: RaterBackground
    opinion: float = field(init=False)
    before: float = field(init=False)
    _accepted: float | None = field(default=None, init=False)

    wordings = "raters"
    pace = 1.0
    own_weight = 1
    tells = True

    def __post_init__(self) -> None:
        self.evidence = read(self.background)
        self.opinion = self.before = self.own_estimate({}).value

    @cached_property
    def voice(self) -> np.random.Generator:
        """Words have a stream of their own: how a thing is said changes nothing that is decided."""
        return self.rng.spawn(1)[0]

    def own_estimate(self, heard: Claims) -> Estimate:
        """What its own table says, read with the facts that were claimed, and what the recommender says if it may ask
        it."""
        facts = ChainMap(
            self.evidence.facts,
            *heard.values(),
        )
        own = self.evidence.fixed or expected(
            self.background.priors,
            facts,
        )
        consulted = self.background.consultation
        return pool([own, Estimate(*consulted)]) if consulted else own

    def target(self, view: View) -> float:
        """The estimates of all tables, pooled by precision, in stars."""
        own = self.own_estimate(claims(view))
        unsure = expected(self.background.priors, {}).error
        theirs = stated(view, unsure).values()
        parts = [own] * self.own_weight + [*theirs]
        return pool(parts).value

    def tolerance(self, view: View) -> float:
        """How far from its opinion it goes with the others, in stars: farther in equal steps.

        Early there is time to convince them, late any decision near the own opinion is better than none.
        """
        late = (view.round - 1) / max(view.rounds - 1, 1)
        return STRICT + (LENIENT - STRICT) * late

    def plan(self, view: View) -> float:
        """The opinion in tenths, once it has gone its share of the way to the pooled estimate."""
        self.before = self.opinion
        way = self.target(view) - self.opinion
        self.opinion += self.pace * way
        return round(self.opinion, 1)

    def tremble(self, plan: float) -> float:
        """The plan with noise."""
        slip = self.noise * self.rng.standard_normal()
        return round(within(plan + slip), 1)

    def worth(self, view: View) -> np.ndarray:
        """Perceived closeness to the opinion."""
        slips = self.noise * self.rng.standard_normal(len(view.candidates))
        values = [candidate.value for candidate in view.candidates]
        return -np.abs(np.array(values) - self.opinion + slips)

    def marks(self, worth: np.ndarray, view: View) -> np.ndarray:
        """5 for what is within `FULL_MARKS`, one less for each further `MARK` begun."""
        beyond = -worth - FULL_MARKS
        return 5 - np.ceil(beyond / MARK - 1e-9)

    def one_vote(self, worth: np.ndarray, view: View) -> int | None:
        """Of the candidates within the tolerance the one nearest to the middle of the proposals, or an abstention.

        Who votes for the closest of all votes for oneself, and then no two of the group ever agree.
        """
        proposed = [value for _, value in view.latest]
        middle = np.median(proposed or [self.opinion])
        off = [round(abs(c.value - middle), 6) for c in view.candidates]
        near = np.flatnonzero(-worth <= self.tolerance(view))
        return min(
            near.tolist(),
            key=lambda place: (off[place], -worth[place]),
            default=None,
        )

    async def message(self, view: View) -> Message:
        """First what the own table says, later a judgement of the offer and where the own opinion stands.

        An offer that was accepted is judged anew only when it or the judgement has changed; else there is one check,
        question or summary.
        """
        own = self.own_estimate(claims(view))
        claim = {
            VALUE: own.value,
            ERROR: own.error,
            **self.evidence.facts,
        }
        whose, offer = next_offer(view) or ("", None)
        if view.decision:
            whose = ""
            offer = view.decision.value
        if view.round == 1:
            acts = ["inform", "request"]
        else:
            acts = self._reply(view, own, offer)
            if not acts or self.voice.random() < ASIDE:
                acts.append(self.drawn(ASIDES))
        number = self.opinion if offer is None else offer
        return self.speak(
            view,
            acts,
            whose or self.drawn(view.others),
            claim.items() if self.tells else (),
            source=self.evidence.source,
            own=own.value,
            error=own.error,
            mine=self.opinion,
            offer=number,
            gap=abs(number - self.opinion),
        )

    def _reply(
        self,
        view: View,
        own: Estimate,
        offer: float | None,
    ) -> list[str]:
        """News of the own table, a judgement of the offer, and, unless it is accepted, where the own opinion stands."""
        last = claims(view).get(view.me, {}).get(VALUE, own.value)
        news = abs(own.value - last) >= STEADY
        acts = ["inform"] if news else []
        if offer is None:
            return [*acts, self._stand(view)]
        fine = abs(offer - self.opinion) <= self.tolerance(view)
        if not fine or offer != self._accepted:
            acts.append("evaluate")
            acts.append("accept" if fine else "decline")
        self._accepted = offer if fine else None
        return acts if fine else [*acts, self._stand(view)]

    def _stand(self, view: View) -> str:
        """Defend an opinion that stayed; compromise if it went towards the others' proposals; else propose it anew."""
        latest = dict(view.latest)
        moved = self.opinion - self.before
        if view.me not in latest:
            return "propose"
        if abs(moved) < STEADY:
            return "defend"
        apart = np.mean([*latest.values()]) - self.before
        return "compromise" if moved * apart > 0 else "propose"


class Weighing(RuleBasedRater):
    """Takes over at once what all tables say together, each by its precision (Winkler 1968)."""

    kind = "weighing"


class Stubborn(RuleBasedRater):
    """Counts its own table four times and goes a quarter of the way each round (Friedkin and Johnsen 1990)."""

    kind = "stubborn"
    pace = 0.25
    own_weight = 4


class Random(RuleBasedRater):
    """Zero intelligence, the control (Gode and Sunder 1993): a number at random each round, a ballot at random.

    It tells nobody what its table says.
    """

    kind = "random"
    tells = False
    one_vote = RuleAgent.one_vote

    def own_estimate(self, heard: Claims) -> Estimate:
        """A new number whenever it is asked, every tenth of a star as likely as any other."""
        return Estimate(self.rng.integers(10, 51) / 10, 1.0)

    def target(self, view: View) -> float:
        """Such a number."""
        return self.own_estimate({}).value

    def worth(self, view: View) -> np.ndarray:
        """Any."""
        return -self.rng.random(len(view.candidates))


KINDS = {cls.kind: cls for cls in (Random, Weighing, Stubborn)}


# ---- what was heard --------------------------------------------------------------------------------------------------


def stated(view: View, error: float) -> dict[str, Estimate]:
    """What each of the others makes of its own table, by agent: its latest claim.

    Of an agent that makes none its latest proposal is taken, and where no error is stated, the given standard error. A
    claim states what the sender's own table says, read with the facts that others gave, and never the pooled opinion:
    after round 1 two claims may rest on the same fact. Pooled as if they were independent, they make the pool too sure.
    """
    heard = {agent: Estimate(float(value), error) for agent, value in view.latest}
    for agent, claim in claims(view).items():
        value = claim.get(VALUE, 0.0)
        theirs = claim.get(ERROR, 0.0)
        if LOWEST <= value <= HIGHEST:
            believed = theirs if theirs >= SUREST else error
            heard[agent] = Estimate(value, believed)
    heard.pop(view.me, None)
    return heard
