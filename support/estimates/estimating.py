"""The estimate itself: a sample of units is played with stand-ins, and what they took is scaled up to the sweep."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from support.errors import InvalidInput
from support.estimates.assumptions import sentences
from support.estimates.extent import Estimate
from support.estimates.playing import seats, spread, stood_in
from support.estimates.taking import Place, Sample, Take, Terms, scaled, take, unpriced, wall
from support.llm import ChatModel, connect
from support.llm.address import DEFAULT, address
from support.llm.client import REPAIRS
from support.llm.stand_in import stand_in
from support.money import Prices

if TYPE_CHECKING:
    from support.store import Store, Unit
    from support.sweep import Sweep


async def estimate(
    sweep: Sweep,
    model: ChatModel | str,
    *,
    sample: int = 12,
    concurrency: int = 8,
    seconds_per_call: float | None = None,
    tokens_per_second: float = 50.0,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    prices: Prices | None = None,
    store: Store | None = None,
    base_url: str | None = None,
    fill: float = 0.25,
    chars_per_token: float | None = None,
    seed: int = 0,
    **context: Any,
) -> Estimate:
    """What a sweep will take with a model: calls, tokens, US dollars, time. Nothing is sent.

    Parameters
    ----------
    sweep : Sweep
    model : ChatModel or str
        A connected model, or the name of one: no key is needed.
    sample : int
        Units to play, spread evenly over the settings; one of each setting at three other lengths of replies as well.
        A call takes about 10 ms.
    concurrency : int
        Units that will be at work at a time.
    seconds_per_call, tokens_per_second : float
        The time of a call; by default half a second and what its reply takes to write.
    requests_per_minute, tokens_per_minute : float, optional
        Limits of the endpoint.
    prices : Prices, optional
        By default those of `data/inputs/prices`.
    store : Store, optional
        Where the sweep may have been begun: what is finished there is left out, and what it took counts for its
        settings in place of the stand-in's replies.
    base_url : str, optional
        The endpoint of a model that is given by name; by default as `connect` has it.
    fill, chars_per_token, seed
        Of the `stand_in`.
    context
        Further arguments of the study, as for `Sweep.run`; a model among them is stood in for, too.

    Raises
    ------
    InvalidInput
        When an argument does not fit; when no sampled unit can be played; when a participant holds a model of its own.

    Examples
    --------
    >>> import asyncio
    >>> from support.studies import roundtable_exchange
    >>> from support.sweep import Sweep
    >>> grid = {"rule": ["majority"], "seats": ["model"], "rounds": [1]}
    >>> first = Sweep("first", roundtable_exchange, grid, repetitions=20, seed=1)
    >>> asyncio.run(estimate(first, "gpt-4o-mini", sample=1)).calls.expected
    180.0
    """
    given = seats(sweep, model, context)
    sweep.check(given)
    models = {name: value for name, value in given.items() if isinstance(value, ChatModel)} | {"model": model}
    terms = Terms(
        prices=prices or Prices(),
        places={name: _place(value, base_url) for name, value in models.items()},
        concurrency=concurrency,
        seconds_per_call=seconds_per_call,
        tokens_per_second=tokens_per_second,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        fill=fill,
        chars_per_token=chars_per_token,
        seed=seed,
        repairs=model.repairs if isinstance(model, ChatModel) else REPAIRS,
        kept=isinstance(model, ChatModel) and model.cache is not None,
    )
    _check(sample, terms)
    finished = store.finished(sweep.name) if store is not None else set()
    todo = [unit for unit in sweep.units() if unit not in finished]
    done = [unit for unit in sweep.units() if unit in finished]
    seen = await _played(sweep, spread(todo, sample), given, terms)
    if store is not None:
        _measure(seen, store, done, terms)
    return _estimate(sweep, todo, len(done), seen, terms)


def _place(model: ChatModel | str, base_url: str | None) -> Place:
    if isinstance(model, ChatModel):
        return model.model, model.endpoint
    if not isinstance(model, str) or not model.strip():
        raise InvalidInput(f"model={model!r}: expected a connected model, or the name of one.")
    if model == "embedded":
        return _place(connect(model), None)
    return model, address(base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT).url


def _check(sample: int, terms: Terms) -> None:
    for name, whole in (("sample", sample), ("concurrency", terms.concurrency)):
        if isinstance(whole, bool) or not isinstance(whole, int) or whole < 1:
            raise InvalidInput(f"{name}={whole!r}: expected a whole number from 1 up.")
    for name in ("seconds_per_call", "tokens_per_second", "requests_per_minute", "tokens_per_minute"):
        value = getattr(terms, name)
        if value is None and name != "tokens_per_second":
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            raise InvalidInput(f"{name}={value!r}: expected a number above 0.")


async def _played(sweep: Sweep, units: Sequence[Unit], context: Mapping[str, Any], terms: Terms) -> Sample:
    """The units with stand-ins, their texts as long as is expected.

    One unit of each setting is also played with texts half and twice as long, and as long as they may be. What ends a
    discussion is chosen half of the time where it can be; in the longer plays seldom, and never.
    """
    seen, one_each = Sample(), list({unit.settings: unit for unit in reversed(units)}.values())
    plays: tuple[tuple[float, float, dict[str, list[Take]], Sequence[Unit]], ...] = (
        (terms.fill, 0.5, seen.usual, units),
        (terms.fill / 2, 0.5, seen.other, one_each),
        (min(1.0, 2 * terms.fill), 0.1, seen.other, one_each),
        (1.0, 0.0, seen.worst, one_each),
    )
    for fill, ends, into, played in plays:
        seated = {n: stand_in(terms.seed, fill, terms.chars_per_token, ends=ends, name=n) for n in terms.places}
        arguments = {**context, **{name: seated[name] for name in seated if name in context}}
        for unit in played:
            calls, error = await stood_in(sweep, unit, **arguments)
            into.setdefault(unit.settings, []).append(take(calls, terms, worst=into is seen.worst))
            if into is seen.usual:
                seen.errors.extend([error] if error else [])
                seen.count.update(sampled=1, asked=len(calls), repairs=sum(call.repair > 0 for call in calls))
    if units and len(seen.errors) == len(units) and not seen.count["asked"]:
        raise InvalidInput(f"estimate: no unit of {sweep.name!r} can be played. {seen.errors[0]}") from seen.errors[0]
    return seen


def _measure(seen: Sample, store: Store, finished: Iterable[Unit], terms: Terms) -> None:
    """Take what finished units asked these models."""
    for unit in finished:
        calls = store.calls(unit) if store.status(unit) == "done" else []
        if calls and all((call.model, call.endpoint) in terms.places.values() for call in calls):
            seen.measured.setdefault(unit.settings, []).append(take(calls, terms))
            seen.count["measured"] += 1


def _estimate(sweep: Sweep, todo: Sequence[Unit], finished: int, seen: Sample, terms: Terms) -> Estimate:
    model, endpoint = terms.places["model"]
    calls, prompts, replies = (scaled(todo, seen, n) for n in ("calls", "prompt_tokens", "completion_tokens"))
    no_price = unpriced(seen)
    return Estimate(
        sweep=sweep.name,
        model=model,
        endpoint=endpoint,
        units=len(todo),
        finished=finished,
        sampled=seen.count["sampled"],
        measured=seen.count["measured"],
        calls=calls,
        prompt_tokens=prompts,
        completion_tokens=replies,
        usd=None if no_price else scaled(todo, seen, "usd"),
        seconds=wall(todo, seen, terms, calls, prompts, replies),
        repairs=seen.count["repairs"],
        assumptions=sentences(todo, seen, terms, no_price),
    )
