"""What every table's seating shares: kinds spread over seats, a stream for each seat, refusals in the same words."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from support.errors import InvalidInput

if TYPE_CHECKING:
    from support.llm import ChatModel

P = TypeVar("P")
SeatsOf = str | Sequence[str | P] | Mapping[str, str | P]
"""One kind for all, one per seat in order, or {name: kind}; in the place of a kind, a participant itself."""
MakerOf = Callable[[str, np.random.Generator], P]
"""Makes the participant of a name, which gets a random stream of its own."""

MODEL = "model"
MIXED = "mixed"


def fill(
    names: Sequence[str],
    seats: SeatsOf[P],
    rng: np.random.Generator,
    makers: Mapping[str, MakerOf[P]],
    mixture: Sequence[str],
    *,
    each: str,
    check: Callable[[Any, str], P],
) -> dict[str, P]:
    """Fill each seat, by its kind's maker and with a stream of its own, or by the participant itself.

    Parameters
    ----------
    names : sequence of str
        Whose seats they are.
    makers : mapping of kind to callable
        Called with the name and its stream.
    mixture : sequence of str
        The kinds that "mixed" draws from.
    each : str
        What an error calls one of the names: "agent", "member".
    check : callable
        Returns a participant that takes the seat of a name itself, or refuses it.

    Raises
    ------
    InvalidInput
        On an unknown kind, seats that are not one per name, or a participant that `check` refuses.
    """
    kinds = _by_name(seats, names, each)
    streams = rng.spawn(len(kinds))
    return {
        name: _made(kind, name, own, makers, mixture) if isinstance(kind, str) else check(kind, name)
        for (name, kind), own in zip(kinds.items(), streams, strict=True)
    }


def _by_name(seats: SeatsOf[P], names: Sequence[str], each: str) -> dict[str, str | P]:
    if isinstance(seats, str):
        return dict.fromkeys(names, seats)
    if not isinstance(seats, Mapping):
        if len(seats) != len(names):
            raise InvalidInput(f"seats: {list(seats)!r} given; expected {len(names)} kinds, one for each {each}")
        seats = dict(zip(names, seats, strict=True))
    if set(seats) != set(names):
        raise InvalidInput(f"seats: {sorted(seats)} given; expected a kind for each of {list(names)}")
    return {name: seats[name] for name in names}


def _made(
    kind: str, name: str, rng: np.random.Generator, makers: Mapping[str, MakerOf[P]], mixture: Sequence[str]
) -> P:
    if kind == MIXED:
        kind = str(mixture[int(rng.integers(len(mixture)))])
    if kind not in makers:
        known = [style for style in makers if style != MODEL]
        raise InvalidInput(f"seats: {kind!r} given for {name}; expected one of {', '.join(known)}, {MIXED}, {MODEL}")
    return makers[kind](name, rng)


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


def given_model(model: ChatModel | None, name: str) -> ChatModel:
    """The language model for the seat of a name, which cannot be filled without one."""
    if model is None:
        raise InvalidInput(f"model: none given for the seat of {name}; pass model=connect(...)")
    return model


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
