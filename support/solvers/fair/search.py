"""The searches that any clever one has to beat at equal evaluations: uniform random, and local search.

Both ask and tell like `support.solvers.mcts.Tree`, and neither asks twice about a plan while another is left:

>>> search = LocalSearch(decisions=2, options=2, rng=np.random.default_rng(0))
>>> len({plan for plan in follow(search, sum, evaluations=4).plans[:, 0].tolist()})
2
"""

from __future__ import annotations

from itertools import product

import numpy as np

from support.solvers.ask_tell import Plan, Trace, Value, check, follow, whole


def uniform(rng: np.random.Generator, decisions: int, options: int) -> Plan:
    """A plan of which every option is drawn uniformly."""
    return tuple(rng.integers(options, size=decisions).tolist())


def random_search(value_of: Value, decisions: int, options: int, evaluations: int, rng: np.random.Generator) -> Trace:
    """Uniform random plans, without replacement while some are left."""
    return follow(RandomSearch(decisions, options, rng), value_of, evaluations)


def local_search(value_of: Value, decisions: int, options: int, evaluations: int, rng: np.random.Generator) -> Trace:
    """Climb by changing one decision at a time; see `LocalSearch`."""
    return follow(LocalSearch(decisions, options, rng), value_of, evaluations)


class RandomSearch:
    """Uniform random plans without replacement; a `Search`. When all plans are known, any.

    Parameters
    ----------
    decisions, options : int
        n decisions of m options each.
    rng : numpy Generator
    """

    def __init__(self, decisions: int, options: int, rng: np.random.Generator) -> None:
        self.decisions, self.options, self.rng = whole("decisions", decisions), whole("options", options), rng
        self.known: set[Plan] = set()
        self.best: tuple[Plan, float] | None = None
        self._rest: list[Plan] | None = None

    def descend(self) -> Plan:
        """A plan that is not known."""
        space = self.options**self.decisions
        if len(self.known) >= space:
            return uniform(self.rng, self.decisions, self.options)
        if 2 * len(self.known) >= space:
            return self._left()
        while (plan := uniform(self.rng, self.decisions, self.options)) in self.known:
            pass  # fewer than half are known: two draws on average
        return plan

    def learn(self, plan: Plan, value: float) -> None:
        """Take in what a plan is worth.

        Raises
        ------
        InvalidInput
            On a plan that there is not, or a value that is not a number.
        """
        check(plan, value, self.decisions, self.options)
        self.known.add(plan)
        if self.best is None or value > self.best[1]:
            self.best = (plan, float(value))

    def close(self, plan: Plan) -> None:
        """Leave a plan out from now on."""
        self.known.add(plan)

    def _left(self) -> Plan:
        """The last of a shuffled list of what was unknown when half was known."""
        if self._rest is None:
            rest = [plan for plan in product(range(self.options), repeat=self.decisions) if plan not in self.known]
            self._rest = [rest[k] for k in self.rng.permutation(len(rest))]
        while self._rest[-1] in self.known:
            self._rest.pop()
        return self._rest[-1]


class LocalSearch:
    """Hill climbing with restarts; a `Search`.

    It starts at a random plan and asks about its neighbours (one decision changed) in random order; the first that is
    better is where it goes on. When no unknown neighbour is left, it starts again at a random unknown plan.

    Parameters
    ----------
    decisions, options : int
        n decisions of m options each.
    rng : numpy Generator
    """

    def __init__(self, decisions: int, options: int, rng: np.random.Generator) -> None:
        self._random, self.rng = RandomSearch(decisions, options, rng), rng
        self.here: tuple[Plan, float] | None = None
        self._neighbours: list[Plan] = []

    @property
    def best(self) -> tuple[Plan, float] | None:
        """The best plan learnt so far, the earlier of equals, and its value."""
        return self._random.best

    def descend(self) -> Plan:
        """An unknown neighbour of the plan where the search is; a random unknown plan where there is none."""
        while self._neighbours:
            if self._neighbours[-1] not in self._random.known:
                return self._neighbours[-1]
            self._neighbours.pop()
        self.here = None
        return self._random.descend()

    def learn(self, plan: Plan, value: float) -> None:
        """Take in what a plan is worth, and go there if that is better.

        Raises
        ------
        InvalidInput
            On a plan that there is not, or a value that is not a number.
        """
        self._random.learn(plan, value)
        if self.here is None or value > self.here[1]:
            self.here = (plan, float(value))
            around = neighbours(plan, self._random.options)
            self._neighbours = [around[k] for k in self.rng.permutation(len(around))]

    def close(self, plan: Plan) -> None:
        """Leave a plan out from now on."""
        self._random.close(plan)


def neighbours(plan: Plan, options: int) -> list[Plan]:
    """All plans that differ in one decision.

    >>> neighbours((0, 1), options=2)
    [(1, 1), (0, 0)]
    """
    return [
        (*plan[:place], option, *plan[place + 1 :])
        for place, taken in enumerate(plan)
        for option in range(options)
        if option != taken
    ]
