"""Units played for their calls: with stand-ins in the seats of models, so that nothing is sent and nothing paid."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from support.calls import Call, collected, metered
from support.errors import CacheMiss, DamagedFile, InvalidInput, MissingData, ModelUnavailable
from support.llm.stand_in import ENDPOINT
from support.money import Meter

if TYPE_CHECKING:
    from support.store import Unit
    from support.sweep import Sweep

STOPS = (ModelUnavailable, CacheMiss, MissingData, DamagedFile)


async def calls_of(sweep: Sweep, unit: Unit, **context: Any) -> tuple[list[Call], Exception | None]:
    """Play one unit for its calls; its record is not kept.

    Returns
    -------
    (list of Call, Exception or None)
        The calls, and what ended the unit before its time, if anything did.

    Raises
    ------
    ModelUnavailable, CacheMiss, MissingData, DamagedFile
        What would stop a run as well.
    """
    with collected() as calls:
        try:
            await sweep.study(**sweep.arguments(unit, context))
        except STOPS:
            raise
        except Exception as error:  # it is handed back, and said with the estimate
            return calls, error
    return calls, None


async def stood_in(sweep: Sweep, unit: Unit, **context: Any) -> tuple[list[Call], Exception | None]:
    """`calls_of` a unit in which nobody but stand-ins may be asked.

    Raises
    ------
    InvalidInput
        When the unit asks a model that is hidden in one of its participants; nothing is sent to it.
    """
    with _stand_ins_only() as met:
        played = await calls_of(sweep, unit, **context)
    if met:
        raise InvalidInput(
            f"estimate: a participant of {sweep.study.__name__} asks {met[0]} on its own; nothing was sent. Give the "
            "model as an argument of the study, such as model=, so that a stand-in can take its place."
        )
    return played


def spread(units: Sequence[Unit], sample: int) -> list[Unit]:
    """So many units at most, spread evenly over their settings, and over the repetitions of each.

    >>> from support.store import Unit
    >>> [(u.settings, u.repetition) for u in spread([Unit("s", s, r) for s in "ab" for r in range(5)], 4)]
    [('a', 0), ('a', 4), ('b', 0), ('b', 4)]
    """
    settings: dict[str, list[Unit]] = {}
    for unit in units:
        settings.setdefault(unit.settings, []).append(unit)
    groups = _evenly(list(settings.values()), sample)
    shares = [sample // len(groups) + (k < sample % len(groups)) for k in range(len(groups))] if groups else []
    if max(shares, default=0) == 1:  # another repetition each, since each may be another case
        return [group[k % len(group)] for k, group in enumerate(groups)]
    return [unit for group, share in zip(groups, shares, strict=True) for unit in _evenly(group, share)]


def _evenly(things: list[Any], count: int) -> list[Any]:
    """So many of the things at most, the first and the last among them."""
    if count >= len(things):
        return things
    return [things[round(k * (len(things) - 1) / max(1, count - 1))] for k in range(count)]


class _Shut:
    """In the place of a budget and its prices: a stand-in needs no money, and nobody else gets any."""

    def __init__(self) -> None:
        self.met: list[str] = []

    @property
    def prices(self) -> _Shut:
        return self

    def needed(self, model: str, endpoint: str) -> None:
        """Nothing is to be set aside for a stand-in; for others, this is where a call ends before it is sent."""
        if endpoint != ENDPOINT:
            self.met.append(f"{model} at {endpoint}")
            raise InvalidInput(f"{model} at {endpoint} is not asked during an estimate")


@contextmanager
def _stand_ins_only() -> Iterator[Sequence[str]]:
    """Refuse every call to another model, before it is sent; the list fills with those."""
    shut = _Shut()
    with metered(Meter(shut)):  # type: ignore[arg-type]
        yield shut.met


def seats(sweep: Sweep, model: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """The context of the study with the model in it, where the study takes one and the grid does not set it."""
    takes = "model" in inspect.signature(sweep.study).parameters and "model" not in sweep.grid
    return {**context, "model": model} if takes else dict(context)
