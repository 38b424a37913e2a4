"""What holds within a block, for all that runs there: a value of a context variable."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def within(variable: ContextVar[Any], value: T) -> Iterator[T]:
    """Set a variable for the length of a block, and give its value to it."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
