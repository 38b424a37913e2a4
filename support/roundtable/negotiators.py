"""Rule-based negotiators of the exchange economy: agents whose whole behaviour is stated here and cited.

All vote and propose by their own utility as a share of their best (1.0 = all goods for oneself). They differ in their
aspiration: the share that they ask for and accept at a given time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.english import say
from support.roundtable.economy import (
    Allocation,
    Background,
    largest_remainder,
    whole_units,
)
from support.roundtable.records import Ballot, Choice, Message, Proposal, View
from support.solvers.welfare import (
    cobb_douglas,
    equilibrium_allocation,
    utilitarian_allocation,
)

INCOMES = np.linspace(0.0, 1.0, 201)
STEADY = 0.02  # a claim that moves by less than this share of the best is defended, not compromised


@dataclass
class RuleBased:
    """Common ground of the kinds.

    `noise` is the standard deviation of the log amounts that it proposes (a trembling hand) and of the utilities, as a
    share of its best, that it perceives when it votes (random utility, McFadden 1974). `held_out_wordings` has it speak
    the sentences kept apart for testing annotators.
    """

    background: Background
    rng: np.random.Generator
    noise: float = 0.05
    held_out_wordings: bool = False
    kind: str = field(default="rule-based", init=False)
    _plan: Allocation | None = field(default=None, init=False, repr=False)

    def aspiration(self, view: View) -> float:
        """The share of its best that the agent asks for now."""
        raise NotImplementedError

    def plan(self, view: View) -> np.ndarray:
        """The allocation that it would propose now with a steady hand, shape (agents, goods)."""
        raise NotImplementedError

    def claim(self, view: View) -> Allocation:
        """The plan in whole units."""
        return whole_units(self.plan(view), self.background.endowment)

    def share(self, value: Allocation) -> float:
        """Own utility of an allocation as a share of having everything."""
        return self.background.share(value[self.background.index])

    async def message(self, view: View) -> Message | None:
        """Speak by template; the acts performed are known."""
        return compose(self, view)

    async def propose(self, view: View) -> Proposal | None:
        """Propose the plan, or nothing when it has not changed since the last time."""
        plan = self.claim(view)
        if plan == self._plan:
            return None
        self._plan = plan
        return Proposal(self.background.me, self.tremble(plan))

    def tremble(self, plan: Allocation) -> Allocation:
        """What the agent's hand makes of its plan."""
        amounts = np.asarray(plan) * np.exp(
            self.noise * self.rng.standard_normal((len(plan), len(plan[0])))
        )
        return whole_units(
            amounts * self.background.endowment / amounts.sum(axis=0),
            self.background.endowment,
        )

    async def vote(self, view: View) -> Ballot:
        """Fill in the ballot that the rule asks for, from perceived utilities and the aspiration."""
        if not view.candidates:
            return Ballot(self.background.me, None)
        perceived = np.array([self.share(c.value) for c in view.candidates])
        perceived = perceived + self.noise * self.rng.standard_normal(len(perceived))
        return Ballot(
            self.background.me, self.choice(perceived, view, self.aspiration(view))
        )

    def choice(self, perceived: np.ndarray, view: View, full_marks: float) -> Choice:
        """The ballot in its form: 5 for what reaches `full_marks`, in equal steps below."""
        return filled(
            view,
            perceived,
            np.floor(5 * perceived / max(full_marks, 1e-9)),
            self.one_vote,
        )

    def one_vote(self, perceived: np.ndarray, view: View) -> int | None:
        """The place of the candidate that gets the single vote: the one that the agent itself likes best."""
        return int(perceived.argmax())


class ZeroIntelligence(RuleBased):
    """Zero intelligence with a budget constraint, ZI-C (Gode and Sunder 1993): random, but never at a loss against the
    standing decision. Chance is its whole behaviour, so `noise` plays no part in it."""

    kind = "zero-intelligence"

    def aspiration(self, view: View) -> float:
        """All that it refuses to lose."""
        return self.share(view.decision.value) if view.decision else 0.0

    def plan(self, view: View) -> np.ndarray:
        """A random allocation (Dirichlet per good) that is no loss; the last one again when twenty draws bring none."""
        b, floor = self.background, self.aspiration(view)
        draws = (
            self.rng.dirichlet(
                np.ones(len(b.agents)), size=(20, len(b.goods))
            ).transpose(0, 2, 1)
            * b.endowment
        )
        fine = (
            p
            for p in (whole_units(draw, b.endowment) for draw in draws)
            if self.share(p) >= floor - 1e-9
        )
        return np.asarray(next(fine, self._plan) or whole_units(draws[0], b.endowment))

    def tremble(self, plan: Allocation) -> Allocation:
        """The plan as it is."""
        return plan

    async def vote(self, view: View) -> Ballot:
        """A random ballot over the candidates that are no loss, the others last."""
        fine = (
            np.array([self.share(c.value) for c in view.candidates])
            >= self.aspiration(view) - 1e-9
        )
        whims = fine + self.rng.random(len(fine))
        return Ballot(
            self.background.me,
            self.choice(whims / 2, view, 1.0) if fine.any() else None,
        )


class Linear(RuleBased):
    """Time-dependent concession (Faratin, Sierra and Jennings 1998).

    The aspiration falls from 1 to a reservation over the rounds, as 1 - (1 - reservation) * t ** (1 / beta) with t from
    0 in the first round to 1 in the last: beta < 1 holds out (Boulware), > 1 gives in early (Conceder). The reservation
    is the even split, or the standing decision where that gives more. It proposes the efficient allocation that just
    meets its aspiration and shares the rest equally in value. Of the candidates that meet the aspiration it votes for
    the one that it believes leaves the worst-off agent best off, and abstains when none does; rated, ranked and
    cumulative ballots state its own utilities.
    """

    kind, beta = "linear", 1.0

    def aspiration(self, view: View) -> float:
        """The share asked for at this time."""
        b, time = self.background, (view.round - 1) / max(view.rounds - 1, 1)
        alone = b.share([b.endowment / len(b.agents)] * len(b.goods))
        floor = max(alone, self.share(view.decision.value)) if view.decision else alone
        return 1.0 - (1.0 - floor) * time ** (1.0 / self.beta)

    def plan(self, view: View) -> np.ndarray:
        """The competitive equilibrium with the smallest own income that meets the aspiration."""
        b, others = self.background, len(self.background.agents) - 1
        incomes = np.repeat(((1 - INCOMES) / others)[:, None], others + 1, axis=1)
        incomes[:, b.index] = INCOMES
        options = equilibrium_allocation(beliefs(view, b), incomes, b.endowment)
        own = b.utility(options[:, b.index])
        return options[
            min(
                int(np.searchsorted(own, self.aspiration(view) * own[-1])),
                len(INCOMES) - 1,
            )
        ]

    def one_vote(self, perceived: np.ndarray, view: View) -> int | None:
        """The acceptable candidate that leaves the worst-off agent best off, or an abstention."""
        fine = np.flatnonzero(perceived >= self.aspiration(view) - 1e-9)
        if not len(fine):
            return None
        values = np.asarray([view.candidates[i].value for i in fine])
        return int(
            fine[
                int(
                    cobb_douglas(values, beliefs(view, self.background))
                    .min(axis=-1)
                    .argmax()
                )
            ]
        )


class Boulware(Linear):
    """Holds out until late: beta = 0.2."""

    kind, beta = "boulware", 0.2


class Conceder(Linear):
    """Gives in early: beta = 5."""

    kind, beta = "conceder", 5.0


class Truthful(RuleBased):
    """A truthful utility maximiser: it states its exponents, proposes what maximises the total utility of all stated
    exponents, and votes sincerely for what it likes best itself, with no eye on what can pass."""

    kind = "truthful"

    def aspiration(self, view: View) -> float:
        """What its own plan gives it."""
        return self.share(self.claim(view))

    def plan(self, view: View) -> np.ndarray:
        """The allocation of the largest total utility, as far as exponents are known."""
        stated = beliefs(view, self.background).tolist()
        return utilitarian_allocation(
            tuple(map(tuple, stated)), self.background.endowment
        )


KINDS: dict[str, type[RuleBased]] = {
    cls.kind: cls for cls in (ZeroIntelligence, Boulware, Linear, Conceder, Truthful)
}


# ---- beliefs ---------------------------------------------------------------------------------------------------------


def beliefs(view: View, background: Background) -> np.ndarray:
    """Exponents of all agents as `background.me` believes them, shape (agents, goods).

    Own exponents are known. Another agent's are, in this order: its latest claim in a message, scaled down where
    it sums to more than one; the shares of the goods that it asks for in its latest proposal; no preference at all.
    """
    claimed, latest = claims(view), dict(view.latest)

    def believed(row: int, agent: str) -> np.ndarray:
        if agent == background.me:
            return np.asarray(background.weights)
        stated = np.array(
            [
                max(claimed.get(agent, {}).get(good, 0.0), 0.0)
                for good in background.goods
            ]
        )
        if any(weight > 0 for weight in claimed.get(agent, {}).values()):
            return stated / max(stated.sum(), 1.0)
        wanted = (
            np.asarray(latest[agent][row], dtype=float) + 1e-3
            if agent in latest
            else np.ones(len(stated))
        )
        return wanted / wanted.sum()

    return np.stack(
        [believed(row, agent) for row, agent in enumerate(background.agents)]
    )


def claims(view: View) -> dict[str, dict[str, float]]:
    """Each agent's latest claim in a message, by agent; those who never made one are absent."""
    said = [*(m for past in view.history for m in past.messages), *view.messages]
    return {m.sender: dict(m.claim) for m in said if m.claim}


# ---- talk ------------------------------------------------------------------------------------------------------------


def compose(agent: RuleBased, view: View) -> Message:
    """One message, an act a sentence: first the exponents, also as its claim; later a judgement, a plan, a question."""
    b, offer = agent.background, _offer(view)
    acts = ["inform", "request"] if view.round == 1 else _reply(agent, view, offer)
    if agent.rng.random() < 0.25 and view.round > 1:
        acts.append(("confirm", "request", "summarize")[agent.rng.integers(3)])
    others = [a for a in view.agents if a != view.me]
    other = offer[0] if offer and offer[0] else others[agent.rng.integers(len(others))]
    best = max(range(len(b.goods)), key=b.weights.__getitem__)
    slots = {
        "me": view.me,
        "other": other,
        "favourite": f"good {b.goods[best]}",
        "weight": round(100 * b.weights[best] / sum(b.weights)),
        "mine": _amounts(agent.claim(view)[b.index], b),
        "offer": f"I get {_amounts(offer[1][b.index], b)}"
        if offer
        else "nothing is offered yet",
        "standing": "the group has decided once"
        if view.decision
        else "nothing is decided yet",
        "share": round(100 * agent.share(offer[1])) if offer else 0,
    }
    text = " ".join(
        say("roundtable/negotiators", act, agent.rng, agent.held_out_wordings, **slots)
        for act in acts
    )
    claim = tuple(zip(b.goods, b.weights, strict=True)) if view.round == 1 else ()
    return Message(
        view.me, recipients(acts, str(other), view), text, tuple(acts), claim
    )


def recipients(acts: list[str], other: str, view: View) -> tuple[str, ...]:
    """A refusal or an acceptance of one agent's offer goes to that agent, all else to everybody."""
    if not view.decision and {"accept", "decline"} & set(acts):
        return (other,)
    return tuple(agent for agent in view.agents if agent != view.me)


def _reply(agent: RuleBased, view: View, offer: tuple[str, Any] | None) -> list[str]:
    """Judge what is offered; unless it is accepted, propose, defend the own claim, or compromise."""
    acts = []
    if offer is not None:
        acts = [
            "evaluate",
            "accept" if agent.share(offer[1]) >= agent.aspiration(view) else "decline",
        ]
    if "accept" in acts:
        return acts
    before = dict(view.latest).get(view.me)
    if before is None:
        return [*acts, "propose"]
    fall = agent.share(before) - agent.aspiration(view)
    return [
        *acts,
        "defend" if abs(fall) < STEADY else "compromise" if fall > 0 else "propose",
    ]


def _offer(view: View) -> tuple[str, Any] | None:
    """The standing decision, as (who else alone proposed it, value), or else the next offer."""
    if not view.decision:
        return next_offer(view)
    accepted = view.history[view.decision.round - 1].candidates
    who = next((c.proposers for c in accepted if c.id == view.decision.candidate), ())
    others = [name for name in who if name != view.me]
    return others[0] if len(others) == 1 else "all of you", view.decision.value


def next_offer(view: View) -> tuple[str, Any] | None:
    """The latest proposal of the next agent who made one, as (whose, value)."""
    me, latest = view.agents.index(view.me), dict(view.latest)
    return next(
        (
            (a, latest[a])
            for a in view.agents[me + 1 :] + view.agents[:me]
            if a in latest
        ),
        None,
    )


def _amounts(row: Any, background: Background) -> str:
    return (
        ", ".join(
            f"{x:g} of {good}"
            for good, x in zip(background.goods, row, strict=True)
            if x
        )
        or "nothing"
    )


# ---- ballots, of raters too ------------------------------------------------------------------------------------------


def filled(
    view: View,
    worth: np.ndarray,
    marks: np.ndarray,
    one_vote: Callable[..., int | None],
) -> Choice:
    """A ballot in the form that the rule asks for.

    Candidates are ranked by `worth`, and have points in proportion to it above the worst; `marks` are held to 1 to 5;
    `one_vote` says from worth and view whose place gets the single vote, None for an abstention.
    """
    ids = [candidate.id for candidate in view.candidates]
    if view.form == "vote":
        place = one_vote(worth, view)
        return None if place is None else ids[place]
    if view.form == "ranking":
        return tuple(ids[i] for i in np.argsort(-worth, kind="stable"))
    numbers = points(worth) if view.form == "points" else map(int, np.clip(marks, 1, 5))
    return tuple(zip(ids, numbers, strict=True))


def points(perceived: np.ndarray) -> list[int]:
    """As many points as candidates, given in proportion to utility above the worst, in whole points."""
    above = perceived - perceived.min()
    quota = (
        above * (len(above) / above.sum()) if above.sum() > 0 else np.ones(len(above))
    )
    return [int(p) for p in largest_remainder(quota, len(above))]
