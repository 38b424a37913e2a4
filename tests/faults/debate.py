"""A study to be disturbed: four structured calls a unit, each but the first two built on those before it."""

from __future__ import annotations

import asyncio
import os
from functools import cache
from pathlib import Path
from typing import Any

from support.errors import BudgetExceeded
from support.models import connect
from support.models.model import ChatModel
from support.models.replies import Cache
from support.roundtable.records import Message, Round, Transcript
from support.runs.study import Store
from support.runs.sweep import Sweep

NAME, CALLS = "debate", 4
PARTIAL = 3  # exit status of a process whose budget is used up
PRICE = {
    "input": 2.0,
    "cached_input": 0.5,
    "output": 8.0,
}  # US dollars for a million tokens


@cache
def form() -> Any:
    from pydantic import Field, create_model

    return create_model(
        "Turn", word=(str, Field(max_length=20)), number=(int, Field(ge=0, le=99))
    )


async def debate(
    rng: Any, topic: str, model: ChatModel, repetition: int = 0
) -> Transcript:
    """Two open at once, a third answers both, the first closes."""
    about = f"{topic} ({repetition}), draw {rng.integers(10**9)}"
    opened = await asyncio.gather(
        *(_said(model, f"{name} opens on {about}.") for name in ("Ana", "Ben"))
    )
    answered = await _said(model, f"Cem answers {' and '.join(opened)} on {about}.")
    closed = await _said(model, f"Ana closes on {about} after {answered}.")
    spoken = zip(("Ana", "Ben", "Cem", "Ana"), (*opened, answered, closed), strict=True)
    messages = tuple(Message(name, ("all",), text) for name, text in spoken)
    made = Round(1, messages, (), (), (), None, (), "", None, replies=CALLS)
    return Transcript(
        {"topic": topic}, "debate", {}, (made,), {"repetition": repetition}
    )


async def _said(model: ChatModel, question: str) -> str:
    value = (await model.reply(question, form(), max_tokens=40)).value
    return f"{value.word} {value.number}"


def sweep(units: int) -> Sweep:
    return Sweep(NAME, debate, {"topic": ["roads", "schools"]}, units // 2, 7)


def priced(folder: Path) -> Path:
    """A models.toml with the price of "m"."""
    path = folder / "models.toml"
    price = ", ".join(f"{k} = {v}" for k, v in PRICE.items())
    path.write_text(f"[models.m]\nprice = {{ {price} }}\n")
    return path


def run(
    path: Path, url: str, units: int, *, prices: Path | None = None, **options: Any
) -> Any:
    """Do what is left of the sweep; the counts of `Sweep.run`."""
    running = {
        name: options.pop(name)
        for name in ("budget_usd", "retry_failed")
        if name in options
    }
    concurrency = options.pop("concurrency", 4)
    if prices:
        os.environ["CONVENE_MODELS"] = str(prices)
    store, cache_ = Store(path), Cache(path)
    model = connect(
        "m",
        base_url=url,
        cache=cache_,
        concurrency=concurrency,
        **{"api_key": "none", **options},
    )
    try:
        given = {**running, "concurrency": concurrency}
        return asyncio.run(
            sweep(units).run(store, model=model, progress=False, **given)
        )
    finally:
        cache_.close()
        store.close()


def process(
    ready: Any, path: Path, url: str, units: int, options: dict[str, Any]
) -> None:
    """The same in a process to be killed, which says when it begins and ends with a status."""
    form()
    ready.set()
    try:
        run(path, url, units, **options)
    except BudgetExceeded:
        raise SystemExit(PARTIAL) from None
