"""Rule-based negotiators of the exchange economy: agents whose whole behaviour is stated here and cited.

All vote and propose by their own utility as a share of their best (1.0 = all goods for oneself). They differ in their
aspiration: the share that they ask for and accept at a given time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from support.roundtable.economy import (
    Allocation,
    Background,
    whole_units,
)
from support.roundtable.records import Message, View
from support.roundtable.rule_based import (
    ASIDES,
    RuleAgent,
    claims,
    next_offer,
)
from support.solvers.welfare import (
    cobb_douglas,
    equilibrium_allocation,
    utilitarian_allocation,
)

INCOMES = np.linspace(0.0, 1.0, 201)
STEADY = 0.02  # a claim that moves by less than this share of the best is defended, not compromised


@dataclass
class RuleBased(RuleAgent):
    """Common ground of the kinds.

    `noise` is the standard deviation of the log amounts that it proposes and of the utilities, as a share of its best,
    that it perceives when it votes.
    """

    background: Background

    wordings = "negotiators"

    def aspiration(self, view: View) -> float:
        """The share of its best that the agent asks for now: what its own plan gives it."""
        return self.share(self.plan(view))

    def share(self, value: Allocation) -> float:
        """Own utility of an allocation as a share of having everything."""
        return self.background.share(value[self.background.index])

    def held(self, view: View) -> float:
        """The share that the standing decision gives it."""
        return self.share(view.decision.value) if view.decision else 0.0

    def tremble(self, plan: Allocation) -> Allocation:
        """The plan with noisy amounts."""
        endowment = self.background.endowment
        amounts = self.rng.lognormal(0, self.noise, np.shape(plan)) * plan
        return whole_units(amounts * endowment / amounts.sum(axis=0), endowment)

    def worth(self, view: View) -> np.ndarray | None:
        """Perceived utilities."""
        shares = [self.share(c.value) for c in view.candidates]
        return self.rng.normal(shares, self.noise)

    def marks(self, worth: np.ndarray, view: View) -> np.ndarray:
        """5 for what reaches the aspiration, in equal steps below."""
        return np.floor(5 * worth / max(self.aspiration(view), 1e-9))

    async def message(self, view: View) -> Message:
        """First the exponents, also as a claim; later a judgement, a plan, a question.

        One later message in four has a sentence more: a check, a question or a summary.
        """
        b = self.background
        best = max(b.weights)
        first = view.round == 1
        whose, offer = _offer(view) or ("", ())
        acts = ["inform", "request"] if first else self._reply(view, offer)
        if self.rng.random() < 0.25 and not first:
            acts.append(self.drawn(ASIDES))
        return self.speak(
            view,
            acts,
            whose or self.drawn(view.others),
            zip(b.goods, b.weights, strict=True) if first else (),
            favourite=f"good {b.goods[b.weights.index(best)]}",
            weight=100 * best / sum(b.weights),
            mine=self._amounts(self.plan(view)),
            offer=f"I get {self._amounts(offer)}"
            if offer
            else "nothing is offered yet",
            share=100 * self.share(offer) if offer else 0,
            standing="the group has decided once"
            if view.decision
            else "nothing is decided yet",
        )

    def _reply(self, view: View, offer: Allocation) -> list[str]:
        """Judge what is offered; unless it is accepted, propose, defend the own claim, or compromise."""
        aspiration = self.aspiration(view)
        if offer and self.share(offer) >= aspiration:
            return ["evaluate", "accept"]
        acts = ["evaluate", "decline"] if offer else []
        before = dict(view.latest).get(view.me)
        fall = self.share(before) - aspiration if before else -1.0
        moved = "compromise" if fall > 0 else "propose"
        return [
            *acts,
            "defend" if abs(fall) < STEADY else moved,
        ]

    def _amounts(self, value: Allocation) -> str:
        """What it gets for itself."""
        b = self.background
        row = zip(value[b.index], b.goods, strict=True)
        return ", ".join(f"{x:g} of {good}" for x, good in row if x) or "nothing"


class ZeroIntelligence(RuleBased):
    """Zero intelligence with a budget constraint, ZI-C (Gode and Sunder 1993): random, but never at a loss against the
    standing decision. Chance is its whole behaviour, so `noise` plays no part in it."""

    kind = "zero-intelligence"
    tremble = RuleAgent.tremble
    marks = RuleAgent.marks
    aspiration = RuleBased.held

    def plan(self, view: View) -> Allocation:
        """A random allocation (Dirichlet per good) that is no loss; the last one again when twenty draws bring none."""
        b = self.background
        for draw in self.rng.dirichlet(np.ones(len(b.agents)), (20, len(b.goods))):
            plan = whole_units(draw.T * b.endowment, b.endowment)
            if self.share(plan) >= self.aspiration(view) - 1e-9:
                return plan
        return self._plan or plan

    def worth(self, view: View) -> np.ndarray | None:
        """At random over the candidates that are no loss, the others last."""
        shares = np.array([self.share(c.value) for c in view.candidates])
        fine = shares >= self.aspiration(view) - 1e-9
        whims = fine + self.rng.random(len(fine))
        return whims / 2 if fine.any() else None


class Linear(RuleBased):
    """Time-dependent concession (Faratin, Sierra and Jennings 1998).

    The aspiration falls from 1 to a reservation over the rounds, as 1 - (1 - reservation) * t ** (1 / beta) with t from
    0 in the first round to 1 in the last: beta < 1 holds out (Boulware), > 1 gives in early (Conceder). The reservation
    is the even split, or the standing decision where that gives more. It proposes the efficient allocation that just
    meets its aspiration and shares the rest equally in value. Of the candidates that meet the aspiration it votes for
    the one that it believes leaves the worst-off agent best off, and abstains when none does; rated, ranked and
    cumulative ballots state its own utilities.
    """

    kind = "linear"
    beta = 1.0

    def aspiration(self, view: View) -> float:
        """The share asked for at this time."""
        b = self.background
        time = (view.round - 1) / max(view.rounds - 1, 1)
        floor = b.share([b.endowment / len(b.agents)] * len(b.goods))
        floor = max(floor, self.held(view))
        return 1.0 - (1.0 - floor) * time ** (1.0 / self.beta)

    def plan(self, view: View) -> Allocation:
        """The competitive equilibrium with the smallest own income that meets the aspiration."""
        b = self.background
        n = len(view.agents)
        incomes = np.column_stack([(1 - INCOMES) / (n - 1)] * n)
        incomes[:, b.index] = INCOMES
        options = equilibrium_allocation(beliefs(view, b), incomes, b.endowment)
        *own, best = cobb_douglas(options[:, b.index], np.array(b.weights))
        place = np.searchsorted(own, self.aspiration(view) * best)
        return whole_units(options[place], b.endowment)

    def one_vote(self, worth: np.ndarray, view: View) -> int | None:
        """The acceptable candidate that leaves the worst-off agent best off, or an abstention."""
        fine = worth >= self.aspiration(view) - 1e-9
        values = np.array([c.value for c in view.candidates])
        worst_off = cobb_douglas(values, beliefs(view, self.background)).min(axis=-1)
        return int(np.where(fine, worst_off, -1).argmax()) if fine.any() else None


class Boulware(Linear):
    """Holds out until late: beta = 0.2."""

    kind = "boulware"
    beta = 0.2


class Conceder(Linear):
    """Gives in early: beta = 5."""

    kind = "conceder"
    beta = 5.0


class Truthful(RuleBased):
    """A truthful utility maximiser: it states its exponents, proposes what maximises the total utility of all stated
    exponents, and votes sincerely for what it likes best itself, with no eye on what can pass."""

    kind = "truthful"

    def plan(self, view: View) -> Allocation:
        """The allocation of the largest total utility, as far as exponents are known."""
        b = self.background
        stated = tuple(map(tuple, beliefs(view, b).tolist()))
        return whole_units(
            utilitarian_allocation(stated, b.endowment),
            b.endowment,
        )


OURS = ZeroIntelligence, Boulware, Linear, Conceder, Truthful
KINDS = {cls.kind: cls for cls in OURS}
MIXTURE = ("boulware", "linear", "conceder")


def beliefs(view: View, background: Background) -> np.ndarray:
    """Exponents of all agents as `background.me` believes them, shape (agents, goods).

    Own exponents are known. Another agent's are, in this order: what it claimed in messages, where that
    covers all goods, scaled down if it sums to more than one; the shares of the goods that it asks for in its latest
    proposal; no preference at all.
    """
    stated = claims(view)
    latest = dict(view.latest)
    rows = []
    for place, agent in enumerate(background.agents):
        claim = stated[agent]
        row = np.array([claim.get(good, np.nan) for good in background.goods]).clip(0)
        least = 1.0
        if not row.max() > 0:  # nor where a good is missing
            asked = latest[agent][place] if agent in latest else [1.0] * len(row)
            row = np.add(asked, 1e-3)
            least = 0.0
        rows.append(row / max(row.sum(), least))
    rows[background.index] = np.array(background.weights)
    return np.array(rows)


def _offer(view: View) -> tuple[str, Allocation] | None:
    """The standing decision, as (who else alone proposed it, value), or else the next offer."""
    decision = view.decision
    if not decision:
        return next_offer(view)
    accepted = view.history[decision.round - 1].candidates
    proposers = {candidate.id: candidate.proposers for candidate in accepted}
    theirs = {*proposers[decision.candidate]} - {view.me}
    return theirs.pop() if len(theirs) == 1 else "all of you", decision.value
