"""What a round table asks after each round: whether to stop there."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable

from support.errors import InvalidInput
from support.records import Round

Stop = Callable[[tuple[Round, ...]], bool | Awaitable[bool]]
"""A stopping rule, given the public record so far; True ends the discussion. Its `name` goes into the settings."""


class Heard:
    """A stopping rule, or None, and what it said last."""

    def __init__(self, stop: Stop | None) -> None:
        if stop is not None and not callable(stop):
            raise InvalidInput(
                f"stop: {stop!r} given; expected a function of the finished rounds, such as live(fitted)"
            )
        self.stop, self.said = stop, False

    async def __call__(self, rounds: tuple[Round, ...]) -> bool:
        """Ask, and remember the answer."""
        self.said = self.stop is not None and await says(self.stop, rounds)
        return self.said

    @property
    def settings(self) -> dict[str, str | None]:
        """What the transcript records: which rule listened, and which one stopped the discussion (None: its end)."""
        if self.stop is None:
            return {}
        name = str(getattr(self.stop, "name", None) or getattr(self.stop, "__name__", type(self.stop).__name__))
        return {"stop": name, "stopped": name if self.said else None}


async def says(stop: Stop, rounds: tuple[Round, ...]) -> bool:
    """The rule's answer, awaited where it has to be."""
    answer = stop(rounds)
    return bool(await answer if inspect.isawaitable(answer) else answer)
