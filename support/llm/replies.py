"""What comes of a call: the reply, its tokens and its cost, over all the attempts that it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from support.llm.transport import Completion


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a reply took, over all its attempts, whether they were called for or found in the cache."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_prompt_tokens: int = 0

    @property
    def total(self) -> int:
        """Prompts and replies together; the tokens that a provider found in its cache are among the prompts'."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied.

    `value` is the validated pydantic object, None without a schema. `latency` is in seconds and counts calls only;
    `cached` says that no call was made at all. `attempts` is 1 plus the repairs. `cost` is in US dollars, by the
    prices of `data/inputs/prices`: 0 for what was cached, None where a call was made and has no price.
    """

    text: str
    value: Any
    usage: Usage
    latency: float
    cached: bool
    attempts: int
    model: str
    finish_reason: str
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Had:
    """One completion on the way to a reply, whether it was called for, and what it cost."""

    completion: Completion
    cached: bool
    usd: float | None


def total_usage(had: Sequence[Had]) -> Usage:
    """The tokens of all completions together."""
    all_of = [h.completion for h in had]
    return Usage(
        sum(c.prompt_tokens for c in all_of),
        sum(c.completion_tokens for c in all_of),
        sum(c.cached_prompt_tokens for c in all_of),
    )


def total_cost(had: Sequence[Had]) -> float | None:
    """All completions together; None when one was called for and has no price."""
    known = [h.usd for h in had if h.usd is not None]
    return sum(known) if len(known) == len(had) else None
