"""Rule-based negotiators: agents whose whole behaviour is stated here and cited.

All vote and propose by their own utility as a share of their best (1.0 = all goods for oneself). They differ in one
thing, their *aspiration*: the share that they ask for and accept at a given time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.english import say
from support.roundtable.economy import Allocation, Background, largest_remainder, whole_units
from support.roundtable.records import Ballot, Choice, Message, Proposal, View
from support.roundtable.talk import next_offer, recipients
from support.solvers.welfare import cobb_douglas, equilibrium_allocation, utilitarian_allocation

INCOMES = np.linspace(0.0, 1.0, 201)

STEADY = 0.02  # a claim that moves by less than this share of the best is defended, not compromised


@dataclass
class RuleBased:
    """Common ground of the rule-based kinds.

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
        """The share of its best that the agent asks for now, from 0 to 1."""
        raise NotImplementedError

    def plan(self, view: View) -> np.ndarray:
        """The allocation that the agent would propose now with a steady hand, shape (agents, goods)."""
        raise NotImplementedError

    def claim(self, view: View) -> Allocation:
        """The plan in whole units: what the agent says that it will ask for."""
        return whole_units(self.plan(view), self.background.endowment)

    def share(self, value: Allocation) -> float:
        """Own utility of an allocation as a share of having everything."""
        return self.background.share(value[self.background.index])

    async def message(self, view: View) -> Message | None:
        """Speak by template about weights, the table and the own claim; the acts performed are known."""
        return compose(self, view)

    async def propose(self, view: View) -> Proposal | None:
        """Propose the current plan, or nothing when the plan has not changed since the last time."""
        plan = self.claim(view)
        if plan == self._plan:
            return None
        self._plan = plan
        return Proposal(self.background.me, self.tremble(plan))

    def tremble(self, plan: Allocation) -> Allocation:
        """What the agent's hand makes of its plan."""
        amounts = np.asarray(plan) * np.exp(self.noise * self.rng.standard_normal((len(plan), len(plan[0]))))
        amounts *= self.background.endowment / amounts.sum(axis=0)
        return whole_units(amounts, self.background.endowment)

    async def vote(self, view: View) -> Ballot:
        """Fill in the ballot that the rule asks for, from perceived utilities and the aspiration."""
        if not view.candidates:
            return Ballot(self.background.me, None)
        perceived = np.array([self.share(c.value) for c in view.candidates])
        perceived = perceived + self.noise * self.rng.standard_normal(len(perceived))
        return Ballot(self.background.me, self._choice(perceived, view, self.aspiration(view)))

    def _choice(self, perceived: np.ndarray, view: View, full_marks: float) -> Choice:
        ids = [c.id for c in view.candidates]
        if view.form == "vote":
            return self.one_vote(ids, perceived, view)
        if view.form == "ranking":
            return tuple(ids[i] for i in np.argsort(-perceived, kind="stable"))
        if view.form == "ratings":
            return tuple(zip(ids, ratings(perceived, full_marks), strict=True))
        return tuple(zip(ids, points(perceived), strict=True))

    def one_vote(self, ids: list[str], perceived: np.ndarray, view: View) -> str | None:
        """The single vote: for the candidate that the agent itself likes best."""
        return ids[int(perceived.argmax())]


class ZeroIntelligence(RuleBased):
    """Zero-intelligence with a budget constraint, ZI-C (Gode and Sunder 1993): random, but never at a loss.

    It proposes allocations drawn uniformly (Dirichlet per good) among those that do not leave it worse off
    than the standing decision, and votes at random among the candidates that do not. Chance is its whole
    behaviour, so `noise` plays no part in it.
    """

    kind = "zero-intelligence"

    def aspiration(self, view: View) -> float:
        """What the standing decision gives it: all that it refuses to lose."""
        return self.share(view.decision.value) if view.decision else 0.0

    def plan(self, view: View) -> np.ndarray:
        """A random allocation that is no loss; the last one again when twenty draws bring none."""
        floor = self.aspiration(view)
        agents, goods = len(self.background.agents), len(self.background.goods)
        draws = self.rng.dirichlet(np.ones(agents), size=(20, goods)).transpose(0, 2, 1) * self.background.endowment
        rounded = (whole_units(draw, self.background.endowment) for draw in draws)
        fine = next((plan for plan in rounded if self.share(plan) >= floor - 1e-9), self._plan)
        return np.asarray(fine if fine is not None else whole_units(draws[0], self.background.endowment))

    def tremble(self, plan: Allocation) -> Allocation:
        """The plan as it is."""
        return plan

    async def vote(self, view: View) -> Ballot:
        """A random ballot over the candidates that are no loss, the others last."""
        shares = np.array([self.share(c.value) for c in view.candidates])
        fine = shares >= self.aspiration(view) - 1e-9
        whims = fine + self.rng.random(len(shares))
        if not len(shares) or not fine.any():
            return Ballot(self.background.me, None)
        return Ballot(self.background.me, self._choice(whims / 2, view, full_marks=1.0))


class Concession(RuleBased):
    """Time-dependent concession (Faratin, Sierra and Jennings 1998).

    The aspiration falls from 1 to a reservation value over the rounds, as 1 - (1 - reservation) * t ** (1 / beta)
    with t from 0 in the first round to 1 in the last: beta < 1 holds out (Boulware), 1 is linear, > 1 gives in
    early (Conceder). The reservation is the even split, or the standing decision where that gives more.
    It proposes the efficient allocation that just meets its aspiration and shares the rest equally in value.
    Of the candidates that meet the aspiration it votes for the one that it believes leaves the worst-off agent
    best off; when none does, it abstains. Rated, ranked and cumulative ballots state its own utilities.
    """

    beta = 1.0
    kind = "linear"

    def aspiration(self, view: View) -> float:
        """The share asked for at this time."""
        time = (view.round - 1) / max(view.rounds - 1, 1)
        floor = self.reservation(view)
        return 1.0 - (1.0 - floor) * time ** (1.0 / self.beta)

    def reservation(self, view: View) -> float:
        """The share below which no agreement is better than the one at hand."""
        b = self.background
        alone = b.share([b.endowment / len(b.agents)] * len(b.goods))
        return max(alone, self.share(view.decision.value)) if view.decision else alone

    def plan(self, view: View) -> np.ndarray:
        """The competitive equilibrium with the smallest own income that meets the aspiration."""
        others = len(self.background.agents) - 1
        incomes = np.repeat(((1 - INCOMES) / others)[:, None], others + 1, axis=1)
        incomes[:, self.background.index] = INCOMES
        options = equilibrium_allocation(beliefs(view, self.background), incomes, self.background.endowment)
        own = self.background.utility(options[:, self.background.index])
        return options[min(int(np.searchsorted(own, self.aspiration(view) * own[-1])), len(INCOMES) - 1)]

    def one_vote(self, ids: list[str], perceived: np.ndarray, view: View) -> str | None:
        """The acceptable candidate that leaves the worst-off agent best off, or an abstention."""
        acceptable = np.flatnonzero(perceived >= self.aspiration(view) - 1e-9)
        if not len(acceptable):
            return None
        values = np.asarray([view.candidates[i].value for i in acceptable])
        worst_off = cobb_douglas(values, beliefs(view, self.background)).min(axis=-1)
        return ids[int(acceptable[int(worst_off.argmax())])]


class Boulware(Concession):
    """Holds out until late: concession with beta = 0.2."""

    beta = 0.2
    kind = "boulware"


class Linear(Concession):
    """Concedes the same amount every round: beta = 1."""


class Conceder(Concession):
    """Gives in early: concession with beta = 5."""

    beta = 5.0
    kind = "conceder"


class Truthful(RuleBased):
    """A truthful utility maximiser: it states its exponents, proposes what maximises the total utility of all
    stated exponents, and votes sincerely for what it likes best itself, with no eye on what can pass."""

    kind = "truthful"

    def aspiration(self, view: View) -> float:
        """What its own plan gives it."""
        return self.share(self.claim(view))

    def plan(self, view: View) -> np.ndarray:
        """The allocation of the largest total utility, as far as exponents are known."""
        stated = beliefs(view, self.background)
        return utilitarian_allocation(tuple(map(tuple, stated.tolist())), self.background.endowment)


KINDS: dict[str, type[RuleBased]] = {cls.kind: cls for cls in (ZeroIntelligence, Boulware, Linear, Conceder, Truthful)}


def ratings(perceived: np.ndarray, full_marks: float) -> list[float]:
    """Likert ratings 1..5: 5 for what reaches `full_marks`, in equal steps below."""
    steps = np.floor(5 * perceived / max(full_marks, 1e-9))
    return [int(r) for r in np.clip(steps, 1, 5)]


def points(perceived: np.ndarray) -> list[float]:
    """As many points as candidates, given in proportion to utility above the worst, in whole points."""
    total = len(perceived)
    above = perceived - perceived.min()
    quota = above * (total / above.sum()) if above.sum() > 0 else np.ones(total)
    return [int(p) for p in largest_remainder(quota, total)]


def beliefs(view: View, background: Background) -> np.ndarray:
    """Exponents of all agents as `background.me` believes them, shape (agents, goods).

    Own exponents are known. Another agent's are, in this order: its latest claim in a message, scaled down where
    it sums to more than one; the shares of the goods that it asks for in its latest proposal; no preference at all.
    """
    claims = _claims(view)
    latest = dict(view.latest)
    rows = [
        np.asarray(background.weights)
        if agent == background.me
        else _believed(claims.get(agent), latest.get(agent), row, background)
        for row, agent in enumerate(background.agents)
    ]
    return np.stack(rows)


def _claims(view: View) -> dict[str, dict[str, float]]:
    said: list[Message] = [m for past in view.history for m in past.messages if m.claim]
    return {m.sender: dict(m.claim) for m in (*said, *view.messages) if m.claim}


def _believed(claim: dict[str, float] | None, proposal: tuple | None, row: int, background: Background) -> np.ndarray:
    if claim is not None and any(weight > 0 for weight in claim.values()):
        stated = np.array([max(claim.get(good, 0.0), 0.0) for good in background.goods])
        return stated / max(stated.sum(), 1.0)
    wanted = np.ones(len(background.goods)) if proposal is None else np.asarray(proposal[row], dtype=float) + 1e-3
    return wanted / wanted.sum()


def compose(agent: RuleBased, view: View) -> Message:
    """One message: an opening in the first round, later a judgement, a claim and sometimes a question.

    The first message states the sender's exponents as its claim. Each sentence performs one act, so the
    message's acts are those of its sentences.
    """
    acts = ["inform", "request"] if view.round == 1 else _reply(agent, view)
    if agent.rng.random() < 0.25 and view.round > 1:
        acts.append(("confirm", "request", "summarize")[agent.rng.integers(3)])
    slots = _slots(agent, view)
    sentences = [say("roundtable/negotiators", act, agent.rng, agent.held_out_wordings, **slots) for act in acts]
    claim = tuple(zip(agent.background.goods, agent.background.weights, strict=True)) if view.round == 1 else ()
    return Message(view.me, recipients(acts, slots["other"], view), " ".join(sentences), tuple(acts), claim)


def _reply(agent: RuleBased, view: View) -> list[str]:
    offer = _offer(view)
    acts = []
    if offer is not None:
        good_enough = agent.share(offer[1]) >= agent.aspiration(view)
        acts += ["evaluate", "accept" if good_enough else "decline"]
    if "accept" not in acts:
        acts.append(_claim_act(agent, view))
    return acts


def _claim_act(agent: RuleBased, view: View) -> str:
    """Propose when nothing was claimed before or more is claimed now; defend a claim that stays; else compromise."""
    before = dict(view.latest).get(view.me)
    if before is None:
        return "propose"
    fall = agent.share(before) - agent.aspiration(view)
    if abs(fall) < STEADY:
        return "defend"
    return "compromise" if fall > 0 else "propose"


def _offer(view: View) -> tuple[str, Any] | None:
    """The standing decision, or else the latest proposal of the next agent who made one, as (whose, value)."""
    if view.decision:
        return (_author(view), view.decision.value)
    return next_offer(view)


def _author(view: View) -> str:
    """Who else proposed the standing decision; all of them when nobody else did, or several."""
    assert view.decision is not None
    accepted = view.history[view.decision.round - 1].candidates
    who = next((c.proposers for c in accepted if c.id == view.decision.candidate), ())
    others = [name for name in who if name != view.me]
    return others[0] if len(others) == 1 else "all of you"


def _slots(agent: RuleBased, view: View) -> dict[str, Any]:
    background = agent.background
    best = max(range(len(background.goods)), key=background.weights.__getitem__)
    offer = _offer(view)
    others = [a for a in view.agents if a != view.me]
    other = offer[0] if offer and offer[0] else others[agent.rng.integers(len(others))]
    return {
        "me": view.me,
        "other": other,
        "favourite": f"good {background.goods[best]}",
        "weight": round(100 * background.weights[best] / sum(background.weights)),
        "mine": _amounts(agent.claim(view)[background.index], background),
        "offer": f"I get {_amounts(offer[1][background.index], background)}" if offer else "nothing is offered yet",
        "standing": "the group has decided once" if view.decision else "nothing is decided yet",
        "share": round(100 * agent.share(offer[1])) if offer else 0,
    }


def _amounts(row: Any, background: Background) -> str:
    parts = [f"{amount:g} of {good}" for good, amount in zip(background.goods, row, strict=True) if amount]
    return ", ".join(parts) or "nothing"
