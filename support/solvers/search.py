"""Searching for the best plan of a black box by asking and telling: tree search, and what it has to beat.

Whoever is asked may be a function, a model or a person: a searcher proposes a plan (`descend`), learns what it is worth
(`learn`, larger is better; any plan, also one that was not asked for), leaves out what is closed (`close`) while others
are left, and keeps the best plan learnt so far, the earlier of equals, and its value (`best`).

>>> tree = Tree(decisions=3, options=2, rng=np.random.default_rng(0))
>>> for _ in range(8):
...     plan = tree.descend()
...     tree.learn(plan, value=sum(plan))
>>> tree.best
((1, 1, 1), 3.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, product

import numpy as np

from support.errors import InvalidInput

Plan = tuple[int, ...]
"""The option chosen for each decision, counted from 0."""


WORDS = {
    "scale": ("printed", "unit"), "unvisited": ("zero", "parent"), "ties": ("first", "random"),
    "root": ("visits", "score"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """How the tree is searched; numbers as in appendix B.3 of 003, choices as they work best here (see notebook 30).

    c : weight of exploration, c_puct.
    noise, alpha : share epsilon of Dirichlet(alpha) noise in the priors of the root.
    redraw : noise anew in each iteration, as Algorithm 1 can be read, or once, as appendix B.2 and AlphaZero have it.
    temperature, top_k : of the sampling at the root, see `root`.
    scale : Q is the mean of the values, "printed" (beside values near -100 an exploration term of about 1 is next to
        nothing); or that mean moved to [0, 1] by the smallest and the largest value seen so far, "unit".
    unvisited : Q where there is no value: "zero", as programs usually start (better than any plan while values are
        minus divergences); or the mean of the node, "parent".
    ties : which of equal scores is taken. In a new node all are equal: with "first", every branch begins with 0, 0 ....
    root : what is sampled at the root: of the K most visited options, one in proportion to (1 + N)^(1/temperature),
        AlphaZero's rule for its move (1 is added, or the option tried first would be the only one ever); or of the K
        best PUCT scores, one in proportion to exp(score/temperature).
    again : whether a known plan may be proposed. Without, exhausted branches are left out while others are left: a
        value that is certain need not be asked for twice.
    """

    c: float = 1.5
    noise: float = 0.25
    alpha: float = 0.3
    redraw: bool = False
    temperature: float = 1.0
    top_k: int = 2
    scale: str = "printed"
    unvisited: str = "parent"
    ties: str = "random"
    root: str = "score"
    again: bool = False

    def __post_init__(self) -> None:
        for name, words in WORDS.items():
            if getattr(self, name) not in words:
                raise InvalidInput(
                    f"{name}: {getattr(self, name)!r} given; expected one of {', '.join(words)}"
                )


PRINTED = Settings(
    redraw=True,
    scale="printed",
    unvisited="zero",
    ties="first",
    root="visits",
    again=True,
)
"""The literal reading of Algorithm 1, with what a plain program does where it says nothing."""


class Node:
    """The options of one decision after those before it: P, N and W of each, and whether all plans below are known."""

    __slots__ = ("closed", "prior", "visits", "worth")

    def __init__(self, prior: Sequence[float]) -> None:
        self.prior = prior
        self.visits, self.worth = [0] * len(prior), [0.0] * len(prior)
        self.closed = [False] * len(prior)


class Tree:
    """Monte Carlo tree search, Algorithm 1 of 003 (section 5.2, appendix B).

    A level of the tree is a decision, an edge one of its options, a path down to a leaf a complete plan. There are no
    rollouts: each iteration descends to a plan by PUCT, asks once what it is worth, and backs that up along the path.
    `rng` draws ties, the samples at the root and the seed of the noise.
    """

    def __init__(
        self,
        decisions: int,
        options: int,
        rng: np.random.Generator,
        settings: Settings | None = None,
    ):
        self.decisions, self.options = decisions, options
        self.rng, self.settings = rng, settings or Settings()
        self._noise = np.random.default_rng(rng.integers(2**63))
        self.nodes: dict[Plan, Node] = {}
        self.low, self.high = math.inf, -math.inf
        self.best: tuple[Plan, float] | None = None
        self._expanded(())

    def descend(self) -> Plan:
        """Steps 1 and 2: from the root down by PUCT, new states being expanded, to a complete plan."""
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
        self.low, self.high = min(self.low, value), max(self.high, value)
        if self.best is None or value > self.best[1]:
            self.best = (plan, float(value))
        if not self.settings.again:
            self.close(plan)

    def close(self, plan: Plan) -> None:
        """Leave a plan out from now on, and every branch below which none is left."""
        for depth in range(len(plan) - 1, -1, -1):
            node = self._expanded(plan[:depth])
            node.closed[plan[depth]] = True
            if not all(node.closed):
                return

    def _expanded(self, state: Plan) -> Node:
        if state not in self.nodes:
            self.nodes[state] = Node(
                [1 / self.options] * self.options if state else self._root_priors()
            )
        return self.nodes[state]

    def _root_priors(self) -> list[float]:
        """P'(b | s0) = (1 - epsilon) P(b | s0) + epsilon eta_b, eta ~ Dir(alpha)."""
        eta = self._noise.dirichlet([self.settings.alpha] * self.options)
        return (
            (1 - self.settings.noise) / self.options + self.settings.noise * eta
        ).tolist()

    def _scores(self, node: Node) -> list[float]:
        """Q(s, b) + c P(b | s) sqrt(sum N(s, .)) / (1 + N(s, b)); minus infinity for what is closed."""
        root, instead = math.sqrt(sum(node.visits)), 0.0
        if root and self.settings.unvisited == "parent":
            instead = self._scaled(sum(node.worth) / sum(node.visits))
        everything = all(
            node.closed
        )  # when all plans are known, known ones are all that is left
        return [
            (self._scaled(worth / visits) if visits else instead)
            + self.settings.c * prior * root / (1 + visits)
            if everything or not closed
            else -math.inf
            for prior, visits, worth, closed in zip(
                node.prior, node.visits, node.worth, node.closed, strict=True
            )
        ]

    def _scaled(self, value: float) -> float:
        if self.settings.scale == "printed":
            return value
        return (
            (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        )

    def _largest(self, scores: Sequence[float]) -> int:
        most = max(scores)
        tied = [option for option, score in enumerate(scores) if score == most]
        if len(tied) == 1 or self.settings.ties == "first":
            return tied[0]
        return tied[int(self.rng.random() * len(tied))]

    def _sample(self, node: Node, scores: Sequence[float]) -> int:
        """Top-K, then by temperature."""
        by_visits, temperature = (
            self.settings.root == "visits",
            self.settings.temperature,
        )
        keys = list(scores)
        if by_visits:
            keys = [
                n if score > -math.inf else score
                for n, score in zip(node.visits, scores, strict=True)
            ]
        kept: list[int] = []
        while len(kept) < self.settings.top_k and max(keys) > -math.inf:
            kept.append(self._largest(keys))
            keys[kept[-1]] = -math.inf
        first = kept[0]
        if by_visits:
            weights = [
                ((1 + node.visits[option]) / (1 + node.visits[first]))
                ** (1 / temperature)
                for option in kept
            ]
        else:
            weights = [
                math.exp((scores[option] - scores[first]) / temperature)
                for option in kept
            ]
        edges = list(accumulate(weights))
        drawn = self.rng.random() * edges[-1]
        return next(
            (option for option, edge in zip(kept, edges, strict=True) if drawn < edge),
            kept[-1],
        )


class RandomSearch:
    """Uniform random plans without replacement. When all plans are known, any."""

    def __init__(self, decisions: int, options: int, rng: np.random.Generator) -> None:
        self.decisions, self.options, self.rng = decisions, options, rng
        self.known: set[Plan] = set()
        self.best: tuple[Plan, float] | None = None
        self._rest: list[Plan] | None = None

    def descend(self) -> Plan:
        """A plan that is not known."""
        space = self.options**self.decisions
        if space > len(self.known) >= space / 2:
            return self._left()
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

    def _left(self) -> Plan:
        """The last of a shuffled list of what was unknown when half was known."""
        if self._rest is None:
            rest = [
                plan
                for plan in product(range(self.options), repeat=self.decisions)
                if plan not in self.known
            ]
            self._rest = [rest[k] for k in self.rng.permutation(len(rest))]
        while self._rest[-1] in self.known:
            self._rest.pop()
        return self._rest[-1]


class LocalSearch(RandomSearch):
    """Hill climbing with restarts.

    It starts at a random plan and asks about its neighbours (one decision changed) in random order; the first that is
    better is where it goes on. When no unknown neighbour is left, it starts again at a random unknown plan.
    """

    here: float | None = None
    """What the plan is worth where the search is."""

    def __init__(self, decisions: int, options: int, rng: np.random.Generator) -> None:
        super().__init__(decisions, options, rng)
        self._neighbours: list[Plan] = []

    def descend(self) -> Plan:
        """An unknown neighbour of the plan where the search is; a random unknown plan where there is none."""
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
            around = [
                (*plan[:place], option, *plan[place + 1 :])
                for place, taken in enumerate(plan)
                for option in range(self.options)
                if option != taken
            ]
            self._neighbours = [around[k] for k in self.rng.permutation(len(around))]


Search = Tree | RandomSearch


def follow(
    search: Search, value_of: Callable[[Plan], float], evaluations: int
) -> tuple[Plan, float]:
    """Ask and tell so many times; the best plan, the earlier of equals, and what it is worth."""
    for _ in range(evaluations):
        plan = search.descend()
        search.learn(plan, float(value_of(plan)))
    assert search.best is not None
    return search.best
