"""What became of every call to a model, unit by unit: the record that a run viewer reads and money is counted from.

`Sweep` opens a list for each unit, whoever calls a model notes what happened, and the store keeps the list with the
unit. Neither knows the other: they meet in a context variable, which the tasks that a unit starts inherit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.money.meter import Meter


@dataclass(frozen=True, slots=True)
class Fault:
    """One attempt that failed: in a word ("429", "time-out"), as it was said, and the seconds waited before the next.

    `waited` is 0 after the last attempt of a call.
    """

    kind: str
    said: str
    waited: float = 0.0


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a model, and what became of it.

    `key` names the question and its reply in the cache; where no cache keeps them, `question` (JSON) and `reply` do.
    `repair` is 0 for the first question, 1 and 2 for those that ask a model to mend its form. `usd` is None where
    the model has no price; `cached` says that nothing was sent. `error` is "" when a reply came.
    """

    key: str
    model: str
    endpoint: str
    repair: int = 0
    prompt_tokens: int = 0
    cached_prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None
    cached: bool = False
    seconds: float = 0.0
    faults: tuple[Fault, ...] = ()
    error: str = ""
    question: str = ""
    reply: str = ""

    def to_json(self) -> str:
        """The call as JSON, without what has its default value."""
        changed = {name: value for name, value in asdict(self).items() if value != _DEFAULTS.get(name, ...)}
        return json.dumps(changed, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Call:
        """The call that `to_json` wrote."""
        given = json.loads(text)
        return cls(**{**given, "faults": tuple(Fault(**fault) for fault in given.get("faults", ()))})


_DEFAULTS = {**asdict(Call("", "", "")), "faults": ()}
for _needed in ("key", "model", "endpoint"):
    del _DEFAULTS[_needed]

_unit: ContextVar[list[Call] | None] = ContextVar("the calls of the unit at work", default=None)
_meter: ContextVar[Meter | None] = ContextVar("the meter of the run at work", default=None)


@contextmanager
def collected() -> Iterator[list[Call]]:
    """A list that fills with the calls made within, in the order in which they ended.

    >>> with collected() as calls:
    ...     note(Call("k", "m", "scripted"))
    >>> len(calls)
    1
    """
    calls: list[Call] = []
    token = _unit.set(calls)
    try:
        yield calls
    finally:
        _unit.reset(token)


@contextmanager
def metered(meter: Meter) -> Iterator[Meter]:
    """Have a meter count the calls made within, and hold them to its budget."""
    token = _meter.set(meter)
    try:
        yield meter
    finally:
        _meter.reset(token)


def note(call: Call) -> None:
    """Put a call into the list of its unit, where one is open."""
    if (calls := _unit.get()) is not None:
        calls.append(call)


def watched() -> bool:
    """Whether anybody wants to know of calls: a unit, or a meter."""
    return _unit.get() is not None or _meter.get() is not None


def meter() -> Meter | None:
    """The meter of the run at work, None outside of one."""
    return _meter.get()
