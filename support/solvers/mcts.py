"""Monte Carlo tree search for the best plan of a black box, Algorithm 1 of 003 (section 5.2, appendix B).

A level of the tree is a decision, an edge one of its options, a path down to a leaf a complete plan. There are no
rollouts: each iteration descends to a plan by PUCT, asks once what it is worth, and backs that up along the path. The
searcher asks and tells, so that people or models can be the ones who are asked:

>>> tree = Tree(decisions=3, options=2, rng=np.random.default_rng(0))
>>> for _ in range(8):
...     plan = tree.descend()
...     tree.learn(plan, value=sum(plan))
>>> tree.best
((1, 1, 1), 3.0)

`support.solvers.mcts_compiled` does the same with the same random numbers, faster. What the paper leaves open is a
field of `Settings`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from support.solvers.ask_tell import Plan, Search, Trace, Value, check, follow, whole
from support.solvers.mcts_settings import PRINTED, Settings, noisy_priors

__all__ = ["PRINTED", "Plan", "Search", "Settings", "Trace", "Tree", "run"]


def run(
    value_of: Value,
    decisions: int,
    options: int,
    iterations: int,
    rng: np.random.Generator,
    settings: Settings | None = None,
) -> Trace:
    """Search for so many iterations, one evaluation each; `value_of` is the reward r, minus the divergence in 003."""
    return follow(Tree(decisions, options, rng, settings), value_of, iterations)


class Node:
    """The options of one decision after those before it: P, N and W of each, and whether all plans below are known."""

    __slots__ = ("closed", "prior", "visits", "worth")

    def __init__(self, prior: Sequence[float]) -> None:
        self.prior = prior
        self.visits, self.worth = [0] * len(prior), [0.0] * len(prior)
        self.closed = [False] * len(prior)


class Tree:
    """The search tree; a `Search`.

    Parameters
    ----------
    decisions, options : int
        n levels of m options each.
    rng : numpy Generator
        Draws ties, the samples at the root and the seed of the noise.
    settings : Settings
    """

    def __init__(self, decisions: int, options: int, rng: np.random.Generator, settings: Settings | None = None):
        self.decisions, self.options = whole("decisions", decisions), whole("options", options)
        self.rng, self.settings = rng, settings or Settings()
        self._noise = np.random.default_rng(rng.integers(2**63))  # a stream of its own: a compiled twin draws it apart
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
            sampled = not state and self.settings.root != "off"
            state += (self._sample(node, scores) if sampled else self._largest(scores),)
        return state

    def learn(self, plan: Plan, value: float) -> None:
        """Step 4: back the value up along the path (N, W), and keep the best plan.

        Raises
        ------
        InvalidInput
            On a plan that is not in the tree, or a value that is not a number.
        """
        check(plan, value, self.decisions, self.options)
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
            self.nodes[state] = Node([1 / self.options] * self.options if state else self._root_priors())
        return self.nodes[state]

    def _root_priors(self) -> list[float]:
        """P'(b | s0) = (1 - epsilon) P(b | s0) + epsilon eta_b, eta ~ Dir(alpha)."""
        return noisy_priors(self._noise, self.options, self.settings, 1)[0].tolist()

    def _scores(self, node: Node) -> list[float]:
        """Q(s, b) + c P(b | s) sqrt(sum N(s, .)) / (1 + N(s, b)); minus infinity for what is closed."""
        root = math.sqrt(sum(node.visits))
        instead = self._unvisited(node, root)
        everything = all(node.closed)  # when all plans are known, known ones are all that is left
        return [
            (self._scaled(worth / visits) if visits else instead) + self.settings.c * prior * root / (1 + visits)
            if everything or not closed
            else -math.inf
            for prior, visits, worth, closed in zip(node.prior, node.visits, node.worth, node.closed, strict=True)
        ]

    def _unvisited(self, node: Node, root: float) -> float:
        kind = self.settings.unvisited
        if kind == "zero" or self.best is None:
            return 0.0
        if kind == "parent":
            return self._scaled(sum(node.worth) / sum(node.visits)) if root else 0.0
        if kind == "worst":
            return self._scaled(self.low)
        # No exploration term exceeds c root, so this is above every score of a visited option.
        return self._scaled(self.high) + (self.settings.c * root + 1 if kind == "first" else 0.0)

    def _scaled(self, value: float) -> float:
        if self.settings.scale == "printed":
            return value
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0

    def _largest(self, scores: Sequence[float]) -> int:
        most = max(scores)
        tied = [option for option, score in enumerate(scores) if score == most]
        if len(tied) == 1 or self.settings.ties == "first":
            return tied[0]
        return tied[int(self.rng.random() * len(tied))]

    def _sample(self, node: Node, scores: Sequence[float]) -> int:
        """Top-K, then by temperature."""
        by_visits, temperature = self.settings.root == "visits", self.settings.temperature
        keys = list(scores)
        if by_visits:
            keys = [n if score > -math.inf else score for n, score in zip(node.visits, scores, strict=True)]
        kept: list[int] = []
        while len(kept) < self.settings.top_k and max(keys) > -math.inf:
            kept.append(self._largest(keys))
            keys[kept[-1]] = -math.inf
        first = kept[0]
        if by_visits:
            weights = [((1 + node.visits[option]) / (1 + node.visits[first])) ** (1 / temperature) for option in kept]
        else:
            weights = [math.exp((scores[option] - scores[first]) / temperature) for option in kept]
        edges = list(accumulate(weights))
        drawn = self.rng.random() * edges[-1]
        return next((option for option, edge in zip(kept, edges, strict=True) if drawn < edge), kept[-1])
