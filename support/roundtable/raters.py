"""Rule-based raters: each reads one table about a user or a film, and together they predict one rating.

Each holds an opinion, a number of stars, that starts from its own table. Once a round, when all have spoken, it pools
what the tables say, its own and the others' as stated, and goes a share of the way there. The kinds differ in how they
weigh the tables and in that share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from support.english import say
from support.roundtable.evidence import Estimate, pool, priors_error, read, within
from support.roundtable.movielens import HIGHEST, LOWEST, RaterBackground
from support.roundtable.negotiators import claims, filled, next_offer, recipients
from support.roundtable.records import Ballot, Choice, Message, Proposal, View

STRICT, LENIENT = (
    0.1,
    0.6,
)  # stars; how far from the own opinion a vote may go in the first and in the last round
FULL_MARKS = 0.1  # stars; a candidate this close is rated 5
MARK = 0.3  # stars; each further step costs one mark
STEADY = 0.05  # stars; an opinion that moved by less is defended
ASIDE = (
    0.25  # how often a message has one sentence more: a check, a question or a summary
)
VALUE, ERROR = "estimate", "error"  # names in a claim; every other name in it is a fact


@dataclass
class RuleBasedRater:
    """Common ground of the rule-based kinds.

    `noise` is the standard deviation, in stars, of what it proposes (a trembling hand) and of the distances that it
    perceives when it votes (random utility, McFadden 1974); `opinion` is what it would answer now, `before` what before
    it last reconsidered, in stars. `pace` is the share of the way to the pooled estimate that the opinion goes in a
    round, `own_weight` how many times its own table counts, `doubt` how many times its true error it states; one that
    is not `candid` claims nothing in numbers.
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

    pace, own_weight, doubt, candid = 1.0, 1.0, 1.0, True

    def __post_init__(self) -> None:
        self.evidence = read(self.background)
        self.voice = self.rng.spawn(1)[
            0
        ]  # of its own: how a thing is said changes nothing that is decided
        self.opinion = self.before = self.own_estimate({}).value

    def own_estimate(self, heard: dict[str, float]) -> Estimate:
        """What its own table says, read with the facts heard, and what the recommender says if it may ask it."""
        parts = [self.evidence.estimate(heard)]
        if self.background.consultation is not None:
            parts.append(
                Estimate(
                    self.background.consultation,
                    self.background.consultation_error or parts[0].error,
                )
            )
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
        return pool(
            [self.own_estimate(facts(view)), *others],
            [self.own_weight] + [1.0] * len(others),
        ).value

    def tolerance(self, view: View) -> float:
        """How far from its opinion it goes with the others, in stars: farther in equal steps.

        Early there is time to convince them, late any decision near the own opinion is better than none.
        """
        return STRICT + (LENIENT - STRICT) * (view.round - 1) / max(view.rounds - 1, 1)

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
        return Proposal(
            self.background.me,
            round(within(plan + self.noise * self.rng.standard_normal()), 1),
        )

    async def vote(self, view: View) -> Ballot:
        """Fill in the ballot that the rule asks for, by perceived closeness to the opinion."""
        if not view.candidates:
            return Ballot(self.background.me, None)
        values = np.array([c.value for c in view.candidates], dtype=float)
        distances = np.abs(
            values - self.opinion + self.noise * self.rng.standard_normal(len(values))
        )
        return Ballot(self.background.me, self.choice(distances, view))

    def choice(self, distances: np.ndarray, view: View) -> Choice:
        """The ballot in its form: 5 for what is within `FULL_MARKS`, one less for each further `MARK` begun."""
        return filled(
            view,
            -distances,
            5 - np.ceil((distances - FULL_MARKS) / MARK - 1e-9),
            self.one_vote,
        )

    def one_vote(self, worth: np.ndarray, view: View) -> int | None:
        """Of the candidates within the tolerance the one nearest to the middle of the proposals, or an abstention.

        Who votes for the closest of all votes for oneself, and then no two of the group ever agree.
        """
        acceptable = np.flatnonzero(-worth <= self.tolerance(view))
        if not len(acceptable):
            return None
        values = np.array([c.value for c in view.candidates], dtype=float)
        middle = (
            median([value for _, value in view.latest]) if view.latest else self.opinion
        )
        off = np.abs(values[acceptable] - middle)
        return int(acceptable[np.lexsort((-worth[acceptable], off.round(6)))[0]])


class Weighing(RuleBasedRater):
    """Takes over at once what all tables say together, each by its precision (Winkler 1968)."""

    kind = "weighing"


class Averaging(RuleBasedRater):
    """Goes half the way each round to the plain mean of what the tables say, whoever is surer (DeGroot 1974)."""

    kind, pace = "averaging", 0.5

    def target(self, view: View) -> float:
        """The plain mean of all estimates."""
        others = stated(view, priors_error(self.background.priors)).values()
        estimates = [self.own_estimate(facts(view)).value, *(e.value for e in others)]
        return sum(estimates) / len(estimates)


class Stubborn(RuleBasedRater):
    """Counts its own table four times and goes a quarter of the way each round (Friedkin and Johnsen 1990)."""

    kind, pace, own_weight = "stubborn", 0.25, 4.0


class Overconfident(RuleBasedRater):
    """Believes and says that its error is half of what it is (overprecision, Moore and Healy 2008)."""

    kind, doubt = "overconfident", 0.5


class Random(RuleBasedRater):
    """Zero intelligence, the control (Gode and Sunder 1993): a number at random each round, a ballot at random.

    It tells nobody what its table says. Chance is its whole behaviour, so `noise` plays no part in it.
    """

    kind, candid = "random", False

    def own_estimate(self, heard: dict[str, float]) -> Estimate:
        """The number of the moment; in the first round nobody has asked for one yet, and it makes one up."""
        return Estimate(self._whim() if math.isnan(self.opinion) else self.opinion, 1.0)

    def reconsider(self, view: View) -> None:
        """A new number, every tenth of a star as likely as any other."""
        if view.round > self._round:
            self._round, self.before, self.opinion = (
                view.round,
                self.opinion,
                self._whim(),
            )

    def _whim(self) -> float:
        return (
            float(self.rng.integers(round(10 * LOWEST), round(10 * HIGHEST) + 1)) / 10
        )

    async def propose(self, view: View) -> Proposal | None:
        """The number of this round."""
        self.reconsider(view)
        return Proposal(self.background.me, self.opinion)

    async def vote(self, view: View) -> Ballot:
        """A random ballot; a single vote may go to any candidate."""
        if not view.candidates:
            return Ballot(self.background.me, None)
        whims = self.rng.random(len(view.candidates))
        return Ballot(self.background.me, self.choice(whims, view))

    def one_vote(self, worth: np.ndarray, view: View) -> int | None:
        """Any of them."""
        return int(worth.argmax())


KINDS: dict[str, type[RuleBasedRater]] = {
    cls.kind: cls for cls in (Random, Weighing, Averaging, Stubborn, Overconfident)
}


# ---- what was heard --------------------------------------------------------------------------------------------------


def facts(view: View) -> dict[str, float]:
    """All facts that the others have told, by name."""
    told = [claim for agent, claim in claims(view).items() if agent != view.me]
    return {
        name: x
        for claim in told
        for name, x in claim.items()
        if name not in (VALUE, ERROR)
    }


def stated(view: View, error: float) -> dict[str, Estimate]:
    """What each of the others makes of its own table, by agent: its latest claim.

    Of an agent that makes none (a model, a person) its latest proposal is taken, with the given standard error. A claim
    states what the sender's own table says, read with the facts that others gave, and never the pooled opinion: after
    round 1 two claims may rest on the same fact. Pooled as if they were independent, they make the pool too sure.
    """
    heard = {
        agent: Estimate(float(value), error)
        for agent, value in view.latest
        if isinstance(value, int | float)
    }
    for agent, claim in claims(view).items():
        if VALUE in claim and claim.get(ERROR, 0) > 0:
            heard[agent] = Estimate(claim[VALUE], claim[ERROR])
    heard.pop(view.me, None)
    return heard


# ---- talk ------------------------------------------------------------------------------------------------------------


def compose(agent: RuleBasedRater, view: View) -> Message:
    """One message: first what the own table says, later a judgement of the offer and where the own opinion stands.

    What stands is judged anew only when it or the judgement has changed; else there is one check, question or summary.
    The claim is the sender's own evidence: an estimate, its error, and facts that the others lack.
    """
    own, voice = agent.own_estimate(facts(view)), agent.voice
    offer = (
        ("all of you", float(view.decision.value))
        if view.decision
        else next_offer(view)
    )
    acts = ["inform", "request"] if view.round == 1 else _reply(agent, view, own, offer)
    if not acts or (view.round > 1 and voice.random() < ASIDE):
        acts.append(("confirm", "request", "summarize")[voice.integers(3)])
    others = [a for a in view.agents if a != view.me]
    slots = {
        "me": view.me,
        "other": offer[0]
        if offer and offer[0] in others
        else others[voice.integers(len(others))],
        "source": agent.evidence.source,
        "own": _stars(own.value),
        "error": f"{own.error:.1f}",
        "mine": _stars(agent.opinion),
        "offer": _stars(offer[1]) if offer else "no number yet",
        "gap": f"{abs(offer[1] - agent.opinion):.1f}" if offer else "0.0",
        "standing": f"the group stands at {_stars(offer[1])}"
        if view.decision and offer
        else "nothing is decided yet",
    }
    text = " ".join(
        say("roundtable/raters", act, voice, agent.held_out_wordings, **slots)
        for act in acts
    )
    claim = (
        ((VALUE, own.value), (ERROR, own.error), *agent.evidence.facts.items())
        if agent.candid
        else ()
    )
    return Message(
        view.me, recipients(acts, slots["other"], view), text, tuple(acts), claim
    )


def _reply(
    agent: RuleBasedRater, view: View, own: Estimate, offer: tuple[str, Any] | None
) -> list[str]:
    """News of the own table, a judgement of the offer, and, unless it is accepted, where the own opinion stands."""
    said = [
        dict(m.claim)[VALUE]
        for past in view.history
        for m in past.messages
        if m.sender == view.me and m.claim
    ]
    acts = ["inform"] if said and abs(own.value - said[-1]) >= STEADY else []
    if offer is not None:
        good_enough = abs(offer[1] - agent.opinion) <= agent.tolerance(view)
        if good_enough and _accepted(view):
            return acts
        acts += ["evaluate", "accept" if good_enough else "decline"]
    return acts if "accept" in acts else [*acts, _claim_act(agent, view)]


def _accepted(view: View) -> bool:
    """Whether the sender has said since the standing decision came up that it accepts it."""
    for before, entry in zip(
        reversed(view.history[:-1]), reversed(view.history), strict=False
    ):
        if (
            view.decision is None
            or before.decision is None
            or before.decision.value != view.decision.value
        ):
            return False
        if any(m.sender == view.me and "accept" in m.acts for m in entry.messages):
            return True
    return False


def _claim_act(agent: RuleBasedRater, view: View) -> str:
    """Defend an opinion that stayed; compromise if it went towards the others' proposals; else propose it anew."""
    if view.me not in dict(view.latest):
        return "propose"
    if abs(agent.opinion - agent.before) < STEADY:
        return "defend"
    others = [value for who, value in view.latest if who != view.me]
    middle = sum(others) / len(others) if others else agent.before
    return (
        "compromise"
        if abs(agent.opinion - middle) < abs(agent.before - middle)
        else "propose"
    )


def _stars(value: float) -> str:
    return f"{value:.1f} stars"
