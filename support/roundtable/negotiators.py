"""Rule-based negotiators of the exchange economy: agents whose whole behaviour is stated here and cited.

All vote and propose by their own utility as a share of their best (1.0 = all goods for oneself). They differ in their
aspiration: the share that they ask for and accept at a given time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    others,
)
from support.solvers.welfare import (
    cobb_douglas,
    equilibrium_allocation,
    utilitarian_allocation,
)

INCOMES = np.linspace(0.0, 1.0, 201)
STEADY = 0.02  # a claim that moves by less than this share of the best is defended, not compromised
ASIDE = (
    0.25  # how often a message has one sentence more: a check, a question or a summary
)


@dataclass
class RuleBased(RuleAgent):
    """Common ground of the kinds.

    `noise` is the standard deviation of the log amounts that it proposes and of the utilities, as a share of its best,
    that it perceives when it votes.
    """

    background: Background

    wordings = "roundtable/negotiators"

    def aspiration(self, view: View) -> float:
        """The share of its best that the agent asks for now: what its own plan gives it."""
        return self.share(self.plan(view))

    def share(self, value: Allocation) -> float:
        """Own utility of an allocation as a share of having everything."""
        return self.background.share(value[self.background.index])

    def tremble(self, plan: Allocation) -> Allocation:
        """The plan with noisy amounts."""
        b = self.background
        amounts = np.asarray(plan)
        amounts = amounts * np.exp(self.noise * self.rng.standard_normal(amounts.shape))
        return whole_units(
            amounts * b.endowment / amounts.sum(axis=0),
            b.endowment,
        )

    def worth(self, view: View) -> np.ndarray | None:
        """Perceived utilities."""
        shares = np.array([self.share(c.value) for c in view.candidates])
        return shares + self.noise * self.rng.standard_normal(len(shares))

    def marks(self, worth: np.ndarray, view: View) -> np.ndarray:
        """5 for what reaches the aspiration, in equal steps below."""
        return np.floor(5 * worth / max(self.aspiration(view), 1e-9))

    async def message(self, view: View) -> Message:
        """First the exponents, also as a claim; later a judgement, a plan, a question."""
        b = self.background
        first = view.round == 1
        offer = _offer(view)
        acts = ["inform", "request"] if first else self._reply(view, offer)
        if self.rng.random() < ASIDE and not first:
            acts.append(self.drawn(ASIDES))
        other = offer[0] if offer else self.drawn(others(view))
        best = int(np.argmax(b.weights))
        slots = {
            "favourite": f"good {b.goods[best]}",
            "weight": round(100 * b.weights[best] / sum(b.weights)),
            "mine": _amounts(self.plan(view)[b.index], b),
            "offer": "nothing is offered yet",
            "standing": "nothing is decided yet",
            "share": 0,
        }
        if offer:
            slots["offer"] = f"I get {_amounts(offer[1][b.index], b)}"
            slots["share"] = round(100 * self.share(offer[1]))
        if view.decision:
            slots["standing"] = "the group has decided once"
        claim = zip(b.goods, b.weights, strict=True) if first else ()
        return self.speak(view, acts, other, claim, **slots)

    def _reply(self, view: View, offer: tuple[str, Any] | None) -> list[str]:
        """Judge what is offered; unless it is accepted, propose, defend the own claim, or compromise."""
        acts = []
        aspiration = self.aspiration(view)
        if offer:
            fine = self.share(offer[1]) >= aspiration
            acts = [
                "evaluate",
                "accept" if fine else "decline",
            ]
            if fine:
                return acts
        before = dict(view.latest).get(view.me)
        fall = -1.0 if before is None else self.share(before) - aspiration
        if before is not None and abs(fall) < STEADY:
            return [*acts, "defend"]
        return [
            *acts,
            "compromise" if fall > 0 else "propose",
        ]


class ZeroIntelligence(RuleBased):
    """Zero intelligence with a budget constraint, ZI-C (Gode and Sunder 1993): random, but never at a loss against the
    standing decision. Chance is its whole behaviour, so `noise` plays no part in it."""

    kind = "zero-intelligence"
    tremble = RuleAgent.tremble
    marks = RuleAgent.marks

    def aspiration(self, view: View) -> float:
        """All that it refuses to lose."""
        return self.share(view.decision.value) if view.decision else 0.0

    def plan(self, view: View) -> Allocation:
        """A random allocation (Dirichlet per good) that is no loss; the last one again when twenty draws bring none."""
        b = self.background
        floor = self.aspiration(view)
        parts = self.rng.dirichlet(np.ones(len(b.agents)), size=(20, len(b.goods)))
        draws = parts.transpose(0, 2, 1) * b.endowment
        plans = [whole_units(draw, b.endowment) for draw in draws]
        fine = (plan for plan in plans if self.share(plan) >= floor - 1e-9)
        return next(fine, self._plan) or plans[0]

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
        if view.decision:
            floor = max(floor, self.share(view.decision.value))
        return 1.0 - (1.0 - floor) * time ** (1.0 / self.beta)

    def plan(self, view: View) -> Allocation:
        """The competitive equilibrium with the smallest own income that meets the aspiration."""
        b, n = self.background, len(self.background.agents)
        incomes = np.repeat(((1 - INCOMES) / (n - 1))[:, None], n, axis=1)
        incomes[:, b.index] = INCOMES
        options = equilibrium_allocation(beliefs(view, b), incomes, b.endowment)
        own = b.utility(options[:, b.index])
        enough = np.searchsorted(own, self.aspiration(view) * own[-1])
        place = min(int(enough), len(INCOMES) - 1)
        return whole_units(options[place], b.endowment)

    def one_vote(self, worth: np.ndarray, view: View) -> int | None:
        """The acceptable candidate that leaves the worst-off agent best off, or an abstention."""
        fine = np.flatnonzero(worth >= self.aspiration(view) - 1e-9)
        if not len(fine):
            return None
        values = np.asarray([view.candidates[i].value for i in fine])
        worst_off = cobb_douglas(values, beliefs(view, self.background)).min(axis=-1)
        return int(fine[worst_off.argmax()])


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


KINDS: dict[str, type[RuleBased]] = {
    cls.kind: cls
    for cls in (
        ZeroIntelligence,
        Boulware,
        Linear,
        Conceder,
        Truthful,
    )
}


# ---- beliefs ---------------------------------------------------------------------------------------------------------


def beliefs(view: View, background: Background) -> np.ndarray:
    """Exponents of all agents as `background.me` believes them, shape (agents, goods).

    Own exponents are known. Another agent's are, in this order: its latest claim in a message, where it
    names all goods, scaled down if it sums to more than one; the shares of the goods
    that it asks for in its latest proposal; no preference at all.
    """
    stated = claims(view)
    latest = dict(view.latest)
    rows = []
    goods = background.goods
    for place, agent in enumerate(background.agents):
        wanted = np.ones(len(goods))
        if agent in latest:
            wanted = np.asarray(latest[agent][place], dtype=float) + 1e-3
        believed = wanted / wanted.sum()
        claim = stated.get(agent, {})
        if set(goods) <= set(claim) and max(claim[good] for good in goods) > 0:
            exponents = np.array([max(claim[good], 0.0) for good in goods])
            believed = exponents / max(exponents.sum(), 1.0)
        rows.append(believed)
    rows[background.index] = np.asarray(background.weights)
    return np.stack(rows)


# ---- talk ------------------------------------------------------------------------------------------------------------


def _offer(view: View) -> tuple[str, Any] | None:
    """The standing decision, as (who else alone proposed it, value), or else the next offer."""
    if not view.decision:
        return next_offer(view)
    accepted = view.history[view.decision.round - 1].candidates
    proposers = {candidate.id: candidate.proposers for candidate in accepted}
    theirs = {*proposers.get(view.decision.candidate, ())} - {view.me}
    alone = len(theirs) == 1
    return (
        theirs.pop() if alone else "all of you",
        view.decision.value,
    )


def _amounts(row: Any, background: Background) -> str:
    pairs = zip(background.goods, row, strict=True)
    return ", ".join(f"{x:g} of {good}" for good, x in pairs if x) or "nothing"
