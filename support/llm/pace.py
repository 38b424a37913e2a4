"""Limits on requests and on tokens a minute, kept over every window of a minute, however it is laid."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from support.llm.loops import PerLoop

MINUTE = 60.0
LOOK = 0.25  # seconds between looks: a call that took fewer tokens than it might have makes room early


@dataclass
class Turn:
    """One attempt's share: its tokens, at most at first and as counted afterwards, and when it was answered."""

    tokens: int
    ended: float | None = None


class Pace:
    """A sliding window over the attempts of one model.

    A bucket that refills (the usual limiter) lets twice its size pass in the minute after a rest. Here an attempt
    counts from when it is sent until a minute after it was answered: at whichever moment between the two an endpoint
    counts it, no minute holds more than the limit. Tokens count at their worst case until the answer says how many
    they were; a call that alone is larger than the limit waits for an empty window.

    Parameters
    ----------
    requests_per_minute, tokens_per_minute : int, optional
        None sets no limit.
    clock, sleep : callable
        For tests.
    """

    def __init__(
        self,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._requests, self._tokens = requests_per_minute, tokens_per_minute
        self._clock, self._sleep = clock, sleep
        self._turns: list[Turn] = []
        self._held_until = 0.0
        self._lock = threading.Lock()  # a widget may call from another thread
        self._queue = PerLoop(asyncio.Lock)  # first come, first served: a large call is not overtaken for ever

    def hold(self, seconds: float) -> None:
        """Send nothing for so long: the endpoint asked for it."""
        self._held_until = max(self._held_until, self._clock() + seconds)

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[Turn]:
        """Wait until an attempt of at most so many tokens may be sent; set `tokens` of what comes to what it took."""
        if self._requests is None and self._tokens is None and self._clock() >= self._held_until:
            yield Turn(tokens)
            return
        async with self._queue.get():
            while (turn := self._taken(tokens)) is None:
                await self._sleep(LOOK)
        try:
            yield turn
        finally:
            turn.ended = self._clock()

    def _taken(self, tokens: int) -> Turn | None:
        with self._lock:
            now = self._clock()
            self._turns = [turn for turn in self._turns if turn.ended is None or now < turn.ended + MINUTE]
            if now < self._held_until or not self._fits(tokens):
                return None
            self._turns.append(turn := Turn(tokens))
            return turn

    def _fits(self, tokens: int) -> bool:
        if self._requests is not None and len(self._turns) >= self._requests:
            return False
        taken = sum(turn.tokens for turn in self._turns)
        return self._tokens is None or not self._turns or taken + tokens <= self._tokens
