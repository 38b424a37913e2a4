"""A run's meter: calls, tokens and money as they pass, for whoever watches, and for the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from support.calls import Call
from support.money.budget import Budget
from support.money.prices import Prices


class Meter:
    """Counts the calls of a run.

    Attributes
    ----------
    counts : Counter
        "calls", "cached", "prompt_tokens", "completion_tokens", "retries", "errors".
    faults : Counter
        Attempts that failed, by what happened.
    in_flight : int
        Calls on their way: sent and not answered yet, or waiting for their turn or for the budget.
    usd : float
        Spent in this run by calls with a price; `unpriced` counts answered calls without one.
    prices : Prices
        Those of the budget, else those given, else the present ones: an edit of the file is for the next run.
    """

    def __init__(self, budget: Budget | None = None, prices: Prices | None = None) -> None:
        self.budget = budget
        self.prices = budget.prices if budget else prices or Prices()
        self.counts: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.in_flight = 0
        self.usd = 0.0
        self.unpriced = 0
        self._changed: Callable[[], None] = lambda: None

    def watch(self, changed: Callable[[], None]) -> None:
        """Have a function called whenever something is counted."""
        self._changed = changed

    @contextmanager
    def flight(self) -> Iterator[None]:
        """One call on its way."""
        self.in_flight += 1
        try:
            self._changed()
            yield
        finally:
            self.in_flight -= 1

    def count(self, call: Call) -> None:
        """Take a finished call into account."""
        retries = sum(fault.waited > 0 for fault in call.faults)
        self.counts.update(calls=1, cached=call.cached, errors=bool(call.error), retries=retries)
        self.faults.update(fault.kind for fault in call.faults)
        if not call.cached:
            self.counts.update(prompt_tokens=call.prompt_tokens, completion_tokens=call.completion_tokens)
            self.usd += call.usd or 0.0
            self.unpriced += call.usd is None and not call.error
        self._changed()
