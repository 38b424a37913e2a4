"""What mechanisms share: everybody is asked at once, and what does not fit its form is recorded, not raised."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from support.errors import InvalidBallot, InvalidInput, InvalidProposal, MalformedReply
from support.within import within

Name = TypeVar("Name")

AMISS = (MalformedReply, InvalidInput, InvalidProposal, InvalidBallot)
"""What a participant gets wrong; any other failure is raised."""


@dataclass(frozen=True, slots=True)
class FormatError:
    """A reply that did not fit its form, taken as silence, as no proposal or as an abstention."""

    agent: str
    phase: str
    detail: str


async def together(calls: Mapping[Name, Awaitable[Any]]) -> dict[Name, Any]:
    """Await all at once; when one fails, the others do not go on asking models."""
    tasks = {name: asyncio.ensure_future(call) for name, call in calls.items()}
    try:
        answers = await asyncio.gather(*tasks.values())
    finally:
        for task in tasks.values():
            task.cancel()
    return dict(zip(tasks, answers, strict=True))


async def asked(
    names: Iterable[str],
    ask: Callable[[str], Awaitable[Any]],
    amiss: Callable[[str, str], Any],
    errors: tuple[type[Exception], ...] = AMISS,
) -> dict[str, Any]:
    """The answers of everybody, asked at once; one that does not fit its form is None, and `amiss` is told the reason.

    Reasons are told in the order of `names`, whoever was first. An error that is none of `errors` is raised.
    """
    wrong: dict[str, str] = {}

    async def one(name: str) -> Any:
        """One answer, or None."""
        try:
            return await ask(name)
        except errors as error:
            wrong[name] = str(error)
            return None

    answers = await together({name: one(name) for name in names})
    for name in answers:
        if name in wrong:
            amiss(name, wrong[name])
    return answers


def counted(seats: Iterable[Any], what: str = "replies") -> int:
    """Replies (or tokens) that some participants took so far; who is no model takes none."""
    return sum(getattr(seat, what, 0) for seat in seats)


def check_number(
    name: str, value: Any, low: float = 0.0, high: float = math.inf
) -> None:
    """Refuse a setting that is no number in its range."""
    fits = isinstance(value, int | float) and not isinstance(value, bool)
    if not fits or not low <= value <= high:
        raise InvalidInput(
            f"{name}: {value!r} given; expected a number of at least {low:g} and at most {high:g}"
        )


def check_one(what: str, given: Any, known: Iterable[Any]) -> None:
    """Refuse what is none of the known names."""
    if given not in known:
        expected = f"expected one of {', '.join(map(str, known))}"
        raise InvalidInput(f"{what}: {given!r} given; {expected}")


# ---- between the rounds of a study -----------------------------------------------------

Hold = Callable[[Any], Awaitable[None]]
"""Given the record so far between two rounds; the next one waits until it returns."""
_holding: ContextVar[Hold | None] = ContextVar("holding", default=None)


def held(hold: Hold) -> AbstractContextManager[Hold]:
    """Within it, every study that plays rounds is held between them."""
    return within(_holding, hold)


async def between(record: Callable[..., Any], *of: Any, **settings: Any) -> None:
    """What a study awaits between two rounds; `record` makes the record so far."""
    hold = _holding.get()
    if hold is not None:
        await hold(record(*of, **settings))


class _Enough(Exception):
    """So many rounds were asked for, and no more."""

    def __init__(self, record: Any) -> None:
        self.record = record


async def after(rounds: int, play: Awaitable[Any]) -> Any:
    """The record of a play after so many rounds, as a lab has it when it stops there.

    >>> import numpy as np
    >>> from support.roundtable.study import roundtable_exchange
    >>> play = roundtable_exchange(np.random.default_rng(1), "majority")
    >>> len(asyncio.run(after(3, play)).rounds)
    3
    """

    async def hold(record: Any) -> None:
        """Break off where there are enough."""
        if len(record.rounds) == rounds:
            raise _Enough(record)

    with held(hold):
        try:
            return await play
        except _Enough as enough:
            return enough.record
