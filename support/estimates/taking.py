"""What a unit took, and what a sweep takes whose units are like those that were looked at."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from support.calls import Call
from support.estimates.extent import LEVELS, Range
from support.llm.stand_in import ENDPOINT, tokens
from support.money import Prices

if TYPE_CHECKING:
    from support.store import Unit

FIRST_TOKEN = 0.5  # seconds until a reply begins, where no other time is given
COMPLAINT = 60  # tokens that ask a model to mend its reply
Place = tuple[str, str]  # a model and its endpoint


@dataclass(frozen=True)
class Terms:
    """What an estimate is asked under; `places` says which model each stand-in takes the place of."""

    prices: Prices
    places: Mapping[str, Place]
    concurrency: int
    seconds_per_call: float | None
    tokens_per_second: float
    requests_per_minute: float | None
    tokens_per_minute: float | None
    fill: float
    chars_per_token: float | None
    seed: int
    repairs: int
    kept: bool


@dataclass(frozen=True)
class Take:
    """What one unit took; `usd` is None where a model has no price."""

    calls: float = 0
    prompt_tokens: float = 0
    completion_tokens: float = 0
    usd: float | None = 0.0
    seconds: float = 0.0


@dataclass
class Sample:
    """What was looked at, by setting: plays at the expected length, at others, at the worst; and finished units."""

    usual: dict[str, list[Take]] = field(default_factory=dict)
    other: dict[str, list[Take]] = field(default_factory=dict)
    worst: dict[str, list[Take]] = field(default_factory=dict)
    measured: dict[str, list[Take]] = field(default_factory=dict)
    count: Counter[str] = field(default_factory=Counter)
    errors: list[Exception] = field(default_factory=list)


def take(calls: Iterable[Call], terms: Terms, worst: bool = False) -> Take:
    """What a unit's calls took; a question that is asked twice costs once where a cache keeps the reply."""
    once = {call.key if terms.kept else number: call for number, call in enumerate(calls)}.values()
    parts = [_part(call, terms, worst) for call in once if not (worst and call.repair)]
    usd = [part.usd for part in parts]
    return Take(
        sum(part.calls for part in parts),
        sum(part.prompt_tokens for part in parts),
        sum(part.completion_tokens for part in parts),
        None if None in usd else sum(known for known in usd if known is not None),
        sum(part.seconds for part in parts),
    )


def _part(call: Call, terms: Terms, worst: bool) -> Take:
    """One call, or at the worst one with all its repairs, each of which repeats what was said before."""
    place = terms.places.get(call.model, stood) if (stood := (call.model, call.endpoint))[1] == ENDPOINT else stood
    asked = json.loads(call.question) if call.question else {}
    schema = asked.get("schema") or ""
    prompt, written, times = call.prompt_tokens, call.completion_tokens, 1
    if schema and call.endpoint == ENDPOINT and place[1] != "embedded":  # whose grammar holds it, not its prompt
        prompt += tokens(schema, terms.chars_per_token)
    if worst:
        times, written = (1 + terms.repairs if schema else 1), asked.get("max_tokens", written)
    read = times * prompt + times * (times - 1) // 2 * (written + COMPLAINT)
    price = terms.prices.find(*place)
    seconds = terms.seconds_per_call or call.seconds or FIRST_TOKEN + written / terms.tokens_per_second
    return Take(times, read, times * written, price.cost(read, times * written) if price else None, times * seconds)


def unpriced(seen: Sample) -> bool:
    """Whether something was looked at that has no price."""
    looked_at = (seen.usual, seen.other, seen.worst, seen.measured)
    return any(one.usd is None for part in looked_at for takes in part.values() for one in takes)


def scaled(todo: Sequence[Unit], seen: Sample, name: str) -> Range:
    """A number over all units to do, each taken as the units of its setting that were looked at, or as all of those."""
    seen_at_all = {s: seen.usual.get(s, []) + seen.other.get(s, []) for s in seen.usual}
    usual, around = seen.usual | seen.measured, seen_at_all | seen.measured
    worst = {s: around.get(s, []) + seen.worst.get(s, []) for s in around}
    to_do = Counter(unit.settings for unit in todo)

    def total(takes: Mapping[str, Sequence[Take]], of: Callable[[list[float]], float]) -> float:
        every = [one for some in takes.values() for one in some]
        return sum(n * of([getattr(one, name) for one in takes.get(s) or every]) for s, n in to_do.items())

    return Range(total(around, min), total(usual, lambda v: sum(v) / len(v)), total(around, max), total(worst, max))


def wall(todo: Sequence[Unit], seen: Sample, terms: Terms, calls: Range, prompts: Range, replies: Range) -> Range:
    """Seconds: what calls take one after another, or what the endpoint's limits take, whichever is longer."""
    at_once, serial = min(terms.concurrency, max(1, len(todo))), scaled(todo, seen, "seconds")

    def longest(level: str) -> float:
        asked, read, written = (float(getattr(known, level)) for known in (calls, prompts, replies))
        limits = ((asked, terms.requests_per_minute), (read + written, terms.tokens_per_minute))
        return max(getattr(serial, level) / at_once, *(60 * much / most if most else 0.0 for much, most in limits))

    return Range(*(longest(level) for level in LEVELS))
