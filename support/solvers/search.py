"""Search for the best plan of a black box: tree search, and what it has to beat.

Whoever is asked may be a function, a model or a person: a searcher proposes a plan
(`descend`), learns what it is worth (`learn`, larger is better; any plan, also one that
was not asked for), leaves out what is closed (`close`) while others are left, and keeps
the best plan learnt so far, the earlier of equals, and its value (`best`).

>>> tree = Tree(decisions=3, options=2, rng=np.random.default_rng(0))
>>> for _ in range(8):
...     plan = tree.descend()
...     tree.learn(plan, value=sum(plan))
>>> tree.best
((1, 1, 1), 3.0)
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, product

import numpy as np

from support.errors import InvalidInput

Plan = tuple[int, ...]
"""The option chosen for each decision, counted from 0."""


WORDS = {
    "unvisited": ("zero", "parent"),
    "ties": ("first", "random"),
    "root": ("visits", "score"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How the tree is searched.

    Numbers are those of appendix B.3 of 003, choices what works best (notebook 30).

    c : weight of exploration, c_puct.
    noise, alpha : share epsilon of Dirichlet(alpha) noise in the priors of the root.
    redraw : noise anew in each iteration, as Algorithm 1 can be read, or once, as
        appendix B.2 and AlphaZero have it.
    temperature, top_k : of the sampling at the root, see `root`.
    unvisited : Q where there is no value: "zero", as programs usually start (better
        than any plan while values are minus divergences), or the node's mean, "parent".
    ties : which of equal scores is taken. In a new node all are equal: with "first",
        every branch begins with 0, 0, ....
    root : what is sampled at the root: of the K most visited options, one in proportion
        to (1 + N)^(1/temperature), AlphaZero's rule for its move (1 is added, or the
        option tried first would be the only one ever); or of the K best PUCT scores,
        one in proportion to exp(score/temperature).
    again : whether a known plan may be proposed. Without, exhausted branches are left
        out while others are left: a value that is certain need not be asked for twice.
    """

    c: float = 1.5
    noise: float = 0.25
    alpha: float = 0.3
    redraw: bool = False
    temperature: float = 1.0
    top_k: int = 2
    unvisited: str = "parent"
    ties: str = "random"
    root: str = "score"
    again: bool = False

    def __post_init__(self) -> None:
        for name, words in WORDS.items():
            given = getattr(self, name)
            if given not in words:
                raise InvalidInput(
                    f"{name}: {given!r} given; expected one of {', '.join(words)}"
                )


PRINTED = Settings(
    redraw=True,
    unvisited="zero",
    ties="first",
    root="visits",
    again=True,
)
"""Algorithm 1 read literally; where it says nothing, what a plain program does."""


class Node:
    """The options of one decision after those before it: P, N and W of each.

    An option is closed where all plans below are known.
    """

    __slots__ = ("closed", "prior", "visits", "worth")

    def __init__(self, prior: Sequence[float]) -> None:
        self.prior = prior
        self.visits = [0] * len(prior)
        self.worth = [0.0] * len(prior)
        self.closed = [False] * len(prior)


class Tree:
    """Monte Carlo tree search, Algorithm 1 of 003 (section 5.2, appendix B).

    A level of the tree is a decision, an edge one of its options, a path down to a leaf
    a complete plan. There are no rollouts: each iteration descends to a plan by PUCT,
    asks once what it is worth, and backs that up along the path. `rng` draws ties, the
    samples at the root and the seed of the noise.
    """

    def __init__(
        self,
        decisions: int,
        options: int,
        rng: np.random.Generator,
        settings: Settings | None = None,
    ):
        self.decisions = decisions
        self.options = options
        self.rng = rng
        self.settings = settings or Settings()
        self._noise = np.random.default_rng(rng.integers(2**63))
        self.nodes: dict[Plan, Node] = {}
        self.best: tuple[Plan, float] | None = None
        self._expanded(())

    def descend(self) -> Plan:
        """Steps 1 and 2: from the root down by PUCT, expanding new states, to a plan."""
        if self.settings.redraw:
            self.nodes[()].prior = self._root_priors()
        state: Plan = ()
        while len(state) < self.decisions:
            node = self._expanded(state)
            scores = self._scores(node)
            state += (self._largest(scores) if state else self._sample(node, scores),)
        return state

    def learn(self, plan: Plan, value: float) -> None:
        """Step 4: back the value up along the path (N, W), and keep the best plan."""
        for depth, option in enumerate(plan):
            node = self._expanded(plan[:depth])
            node.visits[option] += 1
            node.worth[option] += value
        if self.best is None or value > self.best[1]:
            self.best = (plan, float(value))
        if not self.settings.again:
            self.close(plan)

    def close(self, plan: Plan) -> None:
        """Leave a plan out from now on, and every branch below which none is left."""
        for depth in reversed(range(len(plan))):
            node = self._expanded(plan[:depth])
            node.closed[plan[depth]] = True
            if not all(node.closed):
                return

    def _expanded(self, state: Plan) -> Node:
        if state not in self.nodes:
            uniform = [1 / self.options] * self.options
            self.nodes[state] = Node(uniform if state else self._root_priors())
        return self.nodes[state]

    def _root_priors(self) -> list[float]:
        """P'(b | s0) = (1 - epsilon) P(b | s0) + epsilon eta_b, eta ~ Dir(alpha)."""
        noise = self.settings.noise
        eta = self._noise.dirichlet([self.settings.alpha] * self.options)
        return ((1 - noise) / self.options + noise * eta).tolist()

    def _scores(self, node: Node) -> list[float]:
        """Q(s, b) + c P(b | s) sqrt(sum N(s, .)) / (1 + N(s, b)); closed: -infinity."""
        tried = sum(node.visits)
        unvisited = 0.0
        if tried and self.settings.unvisited == "parent":
            unvisited = sum(node.worth) / tried
        known = all(node.closed)  # then known plans are all that is left
        scores = [-math.inf] * self.options
        for k, visits in enumerate(node.visits):
            if known or not node.closed[k]:
                mean = node.worth[k] / visits if visits else unvisited
                explore = node.prior[k] * math.sqrt(tried) / (1 + visits)
                scores[k] = mean + self.settings.c * explore
        return scores

    def _largest(self, scores: Sequence[float]) -> int:
        most = max(scores)
        tied = [option for option, score in enumerate(scores) if score == most]
        if len(tied) == 1 or self.settings.ties == "first":
            return tied[0]
        return tied[int(self.rng.random() * len(tied))]

    def _sample(self, node: Node, scores: Sequence[float]) -> int:
        """Top-K, then by temperature."""
        keys = list(scores)
        if self.settings.root == "visits":
            for k, visits in enumerate(node.visits):
                if keys[k] > -math.inf:
                    keys[k] = math.log(1 + visits)
        left = list(keys)
        kept = list[int]()
        while len(kept) < self.settings.top_k and max(left) > -math.inf:
            kept.append(self._largest(left))
            left[kept[-1]] = -math.inf
        first = keys[kept[0]]
        temperature = self.settings.temperature
        weights = [math.exp((keys[option] - first) / temperature) for option in kept]
        edges = list(accumulate(weights))
        return kept[bisect(edges, self.rng.random() * edges[-1], hi=len(kept) - 1)]


class RandomSearch:
    """Uniform random plans without replacement. When all plans are known, any."""

    def __init__(
        self,
        decisions: int,
        options: int,
        rng: np.random.Generator,
    ) -> None:
        self.decisions = decisions
        self.options = options
        self.rng = rng
        self.known: set[Plan] = set()
        self.best: tuple[Plan, float] | None = None

    def descend(self) -> Plan:
        """A plan that is not known."""
        space = self.options**self.decisions
        if len(self.known) < space <= 2 * len(self.known):
            plans = product(range(self.options), repeat=self.decisions)
            left = [plan for plan in plans if plan not in self.known]
            return left[self.rng.integers(len(left))]
        while True:
            plan = tuple(self.rng.integers(self.options, size=self.decisions).tolist())
            if plan not in self.known or len(self.known) >= space:
                return plan  # fewer than half are known: two draws on average

    def learn(self, plan: Plan, value: float) -> None:
        """Take in what a plan is worth."""
        self.known.add(plan)
        if self.best is None or value > self.best[1]:
            self.best = (plan, float(value))

    def close(self, plan: Plan) -> None:
        """Leave a plan out from now on."""
        self.known.add(plan)


class LocalSearch(RandomSearch):
    """Hill climbing with restarts.

    It starts at a random plan and asks about its neighbours (one decision changed) in
    random order; the first that is better is where it goes on. When no unknown
    neighbour is left, it starts again at a random unknown plan.
    """

    here: float | None = None
    """What the plan is worth where the search is."""

    def __init__(
        self,
        decisions: int,
        options: int,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(decisions, options, rng)
        self._neighbours: list[Plan] = []

    def descend(self) -> Plan:
        """An unknown neighbour of where the search is; where there is none, any."""
        while self._neighbours:
            if self._neighbours[-1] not in self.known:
                return self._neighbours[-1]
            self._neighbours.pop()
        self.here = None
        return super().descend()

    def learn(self, plan: Plan, value: float) -> None:
        """Take in what a plan is worth, and go there if that is better."""
        super().learn(plan, value)
        if self.here is None or value > self.here:
            self.here = value
            around = list[Plan]()
            for j, k in np.ndindex(self.decisions, self.options):
                if k != plan[j]:
                    around.append((*plan[:j], k, *plan[j + 1 :]))
            self._neighbours = [around[k] for k in self.rng.permutation(len(around))]


Search = Tree | RandomSearch


def follow(
    search: Search,
    value_of: Callable[[Plan], float],
    evaluations: int,
) -> tuple[Plan, float]:
    """Ask and tell so often; the best plan, the earlier of equals, and its worth."""
    for _ in range(evaluations):
        plan = search.descend()
        search.learn(plan, float(value_of(plan)))
    assert search.best is not None
    return search.best
