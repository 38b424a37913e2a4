"""Coordinators that search: MCTS (section 5.2 and appendix B of 003), uniform random and local search.

They see nothing but the totals of plans that were proposed, as the group knows or estimates them, one plan a round.
Under complete information they would be free to evaluate plans on the gains by themselves: they do not, so that after
as many rounds every kind of coordinator has had as many plans evaluated (the paper compares at five).
"""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

from support.environments.fair_decisions.measures import value
from support.environments.fair_decisions.views import Brief, Move
from support.participants.planners.known import new_move, unknown
from support.records.planning import Plan
from support.solvers.ask_tell import Search

TRIES = 30
"""How often a searcher is asked again when it comes up with a known plan, before a plan is drawn."""


class SearchPlanner:
    """Proposes what a searcher asks for, and lets it learn what the participants answered.

    Parameters
    ----------
    kind : str
        For records: "mcts", "random", "local".
    searcher : support.solvers.ask_tell.Search
    rng : numpy.random.Generator
        Draws a plan where the searcher comes up with known ones only.

    Notes
    -----
    A known plan is not proposed again: a searcher that comes back to one (MCTS as it is printed) is told once more what
    it is worth, for which nobody is asked, and asked for another. A solver's suggestion that is new goes first. Totals
    that are estimated are learnt as they were estimated in the round of their plan; a plan of which nothing is known is
    left out of the search.
    """

    def __init__(self, kind: str, searcher: Search, rng: np.random.Generator) -> None:
        self.kind, self.searcher, self.rng = kind, searcher, rng
        self._worth: dict[Plan, float] = {}
        self._rounds = 0

    async def propose(self, brief: Brief) -> Move:
        """The next plan, or the best known one and the next; a stop where every plan is known."""
        self._learn(brief)
        return new_move(brief, lambda known: self._fresh(brief, known), f"the next plan of the {self.kind} search")

    def _learn(self, brief: Brief) -> None:
        for heard in brief.history[self._rounds :]:
            for plan, totals in zip_longest(heard.plans, heard.totals):
                if totals is None:
                    self.searcher.close(plan)
                else:
                    self._worth[plan] = float(value(brief.objective, np.array(totals)))
                    self.searcher.learn(plan, self._worth[plan])
        self._rounds = len(brief.history)

    def _fresh(self, brief: Brief, known: set[Plan]) -> Plan | None:
        if brief.suggestion is not None and brief.suggestion not in known:
            return brief.suggestion
        _, n, m = brief.table.shape
        for _ in range(TRIES if len(known) < m**n else 0):
            plan = self.searcher.descend()
            if plan not in known:
                return plan
            if plan in self._worth:
                self.searcher.learn(plan, self._worth[plan])
        return unknown(self.rng, n, m, known)
