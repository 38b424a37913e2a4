"""Rule-based negotiators: agents whose whole behaviour is stated here and cited.

All vote and propose by their own utility as a share of their best (1.0 = all goods for oneself). They differ
in one thing, their *aspiration*: the share that they ask for and accept at a given time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from support.environments.exchange_economy import Allocation, Background
from support.participants.negotiators.beliefs import beliefs
from support.participants.negotiators.talk import compose
from support.records import Ballot, Choice, Message, Proposal, View
from support.solvers.welfare import cobb_douglas, equilibrium_allocation, utilitarian_allocation

INCOMES = np.linspace(0.0, 1.0, 201)


@dataclass
class RuleBased:
    """Common ground of the rule-based kinds.

    Parameters
    ----------
    background : Background
        What the agent knows of itself and the table.
    rng : numpy.random.Generator
        Its own stream; the same stream gives the same behaviour.
    noise : float
        Standard deviation of the log amounts it proposes (a trembling hand) and of the utilities, as a share
        of its best, that it perceives when it votes (random utility, McFadden 1974).
    held_out_wordings : bool
        Speak the sentences kept apart for testing annotators.
    """

    background: Background
    rng: np.random.Generator
    noise: float = 0.05
    held_out_wordings: bool = False
    kind: str = field(default="rule-based", init=False)
    _plan: Allocation | None = field(default=None, init=False, repr=False)

    def aspiration(self, view: View) -> float:
        """The share of its best that the agent asks for now, from 0 to 1."""
        raise NotImplementedError(f"{type(self).__name__} says no aspiration; write the method")

    def plan(self, view: View) -> np.ndarray:
        """The allocation that the agent would propose now with a steady hand, shape (agents, goods)."""
        raise NotImplementedError(f"{type(self).__name__} says no plan; write the method")

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


def whole_units(amounts: np.ndarray, endowment: float) -> Allocation:
    """An allocation in whole units that still meets the endowment (largest remainders, good by good)."""
    columns = [largest_remainder(column, round(endowment)) for column in np.asarray(amounts, dtype=float).T]
    return tuple(tuple(float(x) for x in row) for row in zip(*columns, strict=True))


def largest_remainder(quota: np.ndarray, total: int) -> np.ndarray:
    """Whole numbers near `quota` that sum to `total` (Hamilton's method); ties go to the first."""
    whole = np.floor(quota + 1e-9)
    short = round(float(total - whole.sum()))
    if short > 0:
        whole[np.argsort(-(quota - whole), kind="stable")[:short]] += 1
    return whole
