"""What every table's seating shares: kinds spread over seats, a stream for each seat, refusals in the same words."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from support.errors import InvalidInput
from support.models.profiles import MODEL, is_model

if TYPE_CHECKING:
    from support.models.model import ChatModel

P = TypeVar("P")
MakerOf = Callable[[str, np.random.Generator], P]
"""Makes the participant of a name, which gets a random stream of its own."""
SeatsOf = str | MakerOf[P] | Sequence[str | MakerOf[P] | P] | Mapping[str, str | MakerOf[P] | P]
"""One kind for all, one per seat in order, or {name: kind}; in the place of a kind, a participant itself, or a class or
a function that makes it."""
SpeakerOf = Callable[["ChatModel", str, np.random.Generator], P]
"""Makes the participant of a name whom a language model speaks for."""

MIXED = "mixed"


def fill(
    names: Sequence[str],
    seats: SeatsOf[P],
    rng: np.random.Generator,
    makers: Mapping[str, MakerOf[P]],
    mixture: Sequence[str],
    *,
    speaker: SpeakerOf[P],
    model: ChatModel | str | None,
    each: str,
    check: Callable[[Any, str], P],
) -> dict[str, P]:
    """Fill each seat, by its kind's maker and with a stream of its own, or by the participant itself.

    "mixed" draws from the `mixture`; `speaker` seats language models, of which `model` is the one without a name.
    `each` is what an error calls one of the names ("agent"), and `check` returns a participant of the user's own, or
    refuses it. InvalidInput on an unknown kind, or seats that are not one per name.
    """

    def made(kind: Any, name: str, own: np.random.Generator) -> P:
        if is_maker(kind):
            return check(_called(kind, name, own), name)
        if not isinstance(kind, str):
            return check(kind, name)
        if kind == MIXED:
            kind = str(mixture[int(own.integers(len(mixture)))])
        check_kind("seats", kind, (*makers, MIXED, MODEL), f" for {name}")
        if is_model(kind):
            return speaker(given_model(kind, model, f"the seat of {name}"), name, own)
        return makers[kind](name, own)

    kinds = _by_name(seats, names, each)
    streams = rng.spawn(len(kinds))
    return {name: made(kind, name, own) for (name, kind), own in zip(kinds.items(), streams, strict=True)}


def is_maker(kind: Any) -> bool:
    """Whether it is a class or a function, which makes a participant and is none."""
    return inspect.isclass(kind) or inspect.isroutine(kind) or isinstance(kind, partial)


def _called(maker: Any, name: str, rng: np.random.Generator) -> Any:
    try:
        inspect.signature(maker).bind(name, rng)
    except TypeError as error:
        what = "a class or a function is called with the name of the seat and its random generator"
        raise InvalidInput(f"seats: {maker!r} given for {name}, but {what} ({error})") from None
    return maker(name, rng)


def _by_name(seats: Any, names: Sequence[str], each: str) -> dict[str, Any]:
    if isinstance(seats, str) or is_maker(seats):
        return dict.fromkeys(names, seats)
    if not isinstance(seats, Mapping):
        if len(seats) != len(names):
            raise InvalidInput(f"seats: {list(seats)!r} given; expected {len(names)} kinds, one for each {each}")
        seats = dict(zip(names, seats, strict=True))
    if set(seats) != set(names):
        raise InvalidInput(f"seats: {sorted(seats)} given; expected a kind for each of {list(names)}")
    return {name: seats[name] for name in names}


def check_kind(role: str, kind: Any, known: Collection[str], place: str = "") -> None:
    """Refuse a kind of participant that there is not; where "model" is one, so is every model's name."""
    if not isinstance(kind, str) or not (kind in known or (MODEL in known and is_model(kind))):
        named = f" (or {MODEL}:NAME)" if MODEL in known else ""
        raise InvalidInput(f"{role}: {kind!r} given{place}; expected one of {', '.join(known)}{named}")


def check_own(participant: Any, name: str, methods: Sequence[str], seen: str, protocol: str) -> None:
    """Refuse a participant of the user's own that lacks what it will be asked for.

    Parameters
    ----------
    methods : sequence of str
        The coroutines it needs; each takes one argument, called `seen` in the error.
    protocol : str
        The module that says more.

    Raises
    ------
    InvalidInput
        When a method or the text `kind` is missing.
    """
    for method in methods:
        if isinstance(participant, type) or not inspect.iscoroutinefunction(getattr(participant, method, None)):
            raise InvalidInput(
                f"seats: {participant!r} given for {name}; expected the name of a kind, or an object with "
                f"`async def {method}(self, {seen})` (see {protocol})"
            )
    if not isinstance(getattr(participant, "kind", None), str):
        raise InvalidInput(
            f"seats: {participant!r} given for {name} has no text `kind`, which says in records who sat there"
        )


def given_model(kind: str, model: ChatModel | str | None, who: str) -> ChatModel:
    """The language model of a kind: "model:NAME" has its own, "model" stands for the one that is given, or named."""
    if model is None and kind == MODEL:
        raise InvalidInput(f"model: none given for {who}; name one ({MODEL}:gpt-4o-mini), or pass model=connect(...)")
    if kind == MODEL and not isinstance(model, str | None):
        return model
    from support.models import named

    return named(kind, model)


def drawn_seed(rng: np.random.Generator, temperature: float) -> int:
    """The seed of a language model's seat, out of its stream; nothing is drawn at temperature 0."""
    return int(rng.integers(2**31)) if temperature else 0


def check_settings(noise: float, temperature: float) -> None:
    """Refuse a noise or a temperature out of its range."""
    _within("noise", noise, 0.0, math.inf)
    _within("temperature", temperature, 0.0, 2.0)


def _within(field: str, value: Any, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInput(f"{field}: {value!r} given; expected a number of at least {low:g} and at most {high:g}")
