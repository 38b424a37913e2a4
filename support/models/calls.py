"""What became of every call to a model, and the meter of a run, which has its budget.

Whoever calls a model notes it; sweep and store read it. They meet in context variables,
which a unit's tasks inherit.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from support.within import within

if TYPE_CHECKING:
    from support.models.money import Budget
    from support.models.request import Request

TOKENS = "prompt_tokens", "completion_tokens"
ESTIMATE = "CONVENE_ESTIMATE"  # a file of rows, while a run is estimated


@dataclass(frozen=True, slots=True)
class Fault:
    """One attempt that failed, or was cut off, or was refused and taught how to ask."""

    kind: str  # in a word: "429", "time-out", "learnt"
    said: str
    waited: float = 0.0  # seconds before the next attempt; 0 where there was none


@dataclass(slots=True)
class Call:
    """One question to a model, and what became of it."""

    key: str  # names the question and its reply in the cache
    model: str
    endpoint: str
    repair: int = 0  # 1 and 2 for questions that ask a model to mend its form
    prompt_tokens: int = 0
    cached_prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None  # None where the model has no price
    cached: bool = False  # nothing was sent
    seconds: float = 0.0
    faults: list[Fault] = field(default_factory=list)
    error: str = ""  # "" when a reply came
    question: str = ""  # JSON; where no cache keeps them, question and reply stand here
    reply: str = ""
    cut: str = ""  # what of the prompt was left out, since the model could not read it
    by: str = ""  # who was asked: the name of a seat, "" where no seat asked
    phase: str = ""  # which of the seat's acts
    draw: str = ""  # the key in the first repetition, "" where it is `key` itself
    misfit: bool = False  # a reply came, and did not fit its form
    finish: str = ""  # why the reply ended, "" for "stop"
    answered_by: str = ""  # the model, as the provider names it; "" where it is `model`
    fingerprint: str = ""  # of the provider's configuration
    thinking_tokens: int = 0  # of the completion's, as far as the provider says

    def to_json(self) -> str:
        """The call as JSON, without what has its default value."""
        return _adapter().dump_json(self, exclude_defaults=True).decode()

    @classmethod
    def from_json(cls, text: str) -> Call:
        """The call that `to_json` wrote."""
        return _adapter().validate_json(text)


@cache
def _adapter() -> TypeAdapter[Call]:
    return TypeAdapter(Call)


class Meter:
    """Counts the calls of a run: for whoever watches, and for the budget."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget
        self.in_flight = 0  # calls on their way
        self.usd, self.unpriced = 0.0, 0  # what calls cost, and how many had no price
        self.counts = Counter[str]()  # calls, cached, retries, errors, and tokens
        self.changed: Callable[[], None] = lambda: None  # for whoever watches

    @contextmanager
    def flight(self, request: Request | None = None) -> Iterator[None]:
        """One call on its way; a meter may refuse what is asked."""
        self.in_flight += 1
        try:
            self.changed()
            yield
        finally:
            self.in_flight -= 1

    def count(self, call: Call) -> None:
        """Take a finished call into account."""
        retries = sum(fault.waited > 0 for fault in call.faults)
        failed = call.error != ""
        self.counts.update(calls=1, cached=call.cached, errors=failed, retries=retries)
        if not call.cached:
            for name in TOKENS:
                self.counts[name] += getattr(call, name)
            self.usd += call.usd or 0.0
            self.unpriced += call.usd is None and not failed
        self.changed()


_unit = ContextVar[list[Call] | None]("the unit at work", default=None)
_meter = ContextVar[Meter | None]("the meter of the run at work", default=None)


def collected() -> AbstractContextManager[list[Call]]:
    """A list that fills with the calls made within, in the order in which they ended."""
    return within(_unit, [])


def metered(meter: Meter) -> AbstractContextManager[Meter]:
    """Have a meter count the calls made within, and hold them to its budget."""
    return within(_meter, meter)


def note(call: Call) -> None:
    """Put a call into the list of its unit, where one is open, and on the run's meter."""
    calls = _unit.get()
    running = _meter.get()
    if calls is not None:
        calls.append(call)
    if running is not None:
        running.count(call)
    elif call.endpoint == "stand-in" and ESTIMATE in os.environ:
        _estimated(call)


def _estimated(call: Call) -> None:
    """What is asked outside of sweeps, as a row of `make estimate`."""
    row = asdict(call) | {"sweep": "asked directly", "calls": 1, "dollars": call.usd}
    row |= {"most": call.usd, "seconds": call.completion_tokens / 50}
    with open(os.environ[ESTIMATE], "a", encoding="utf-8") as rows:
        print(json.dumps(row), file=rows)


def meter() -> Meter | None:
    """The meter of the run at work, None outside of one."""
    return _meter.get()
