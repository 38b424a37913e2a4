"""Semaphores and HTTP sessions belong to the event loop that made them; a notebook and a test have many loops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """One object for each running event loop, made on first use; those of closed loops are dropped."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[asyncio.AbstractEventLoop, T] = {}
        self._lock = threading.Lock()

    def get(self) -> T:
        """The object of the running loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._made:
                self._made = {old: thing for old, thing in self._made.items() if not old.is_closed()}
                self._made[loop] = self._make()
            return self._made[loop]

    def pop(self) -> T | None:
        """Take out the object of the running loop, None when there is none."""
        with self._lock:
            return self._made.pop(asyncio.get_running_loop(), None)
