"""A study to be disturbed: four structured calls a unit, each but the first two built on those before it."""

import asyncio
import os
from contextlib import closing

from pydantic import BaseModel, Field

from support.errors import BudgetExceeded
from support.models import connect
from support.models.replies import Cache
from support.runs.study import Store
from support.runs.sweep import Sweep

CALLS = 4  # by each unit
PARTIAL = 3  # exit status of a process whose budget is used up
# US dollars for a million tokens.
PRICE = {"input": 2.0, "cached_input": 0.5, "output": 8.0}


class Turn(BaseModel):
    word: str = Field(max_length=20)
    number: int = Field(ge=0, le=99)


async def debate(rng, topic, model, repetition=0):
    """Two open at once, a third answers both, the first closes."""
    about = f"{topic} ({repetition}), draw {rng.integers(10**9)}"
    opening = [_said(model, f"{name} opens on {about}.") for name in ("Ana", "Ben")]
    opened = await asyncio.gather(*opening)
    answered = await _said(model, f"Cem answers {' and '.join(opened)} on {about}.")
    closed = await _said(model, f"Ana closes on {about} after {answered}.")
    return {"topic": topic, "said": [*opened, answered, closed]}


async def _said(model, question):
    value = (await model.reply(question, Turn, max_tokens=40)).value
    return f"{value.word} {value.number}"


def sweep(units):
    return Sweep("debate", debate, {"topic": ["roads", "schools"]}, units // 2, 7)


def priced(folder):
    """A models.toml with the price of "m"."""
    path = folder / "models.toml"
    price = ", ".join(f"{k} = {v}" for k, v in PRICE.items())
    path.write_text(f"[models.m]\nprice = {{ {price} }}\n")
    return path


def run(
    path,
    url,
    units,
    *,
    prices=None,
    concurrency=4,
    budget_usd=None,
    retry_failed=None,
    **options,
):
    """Do what is left of the sweep; the counts of `Sweep.run`."""
    if prices:
        os.environ["CONVENE_MODELS"] = str(prices)
    options = {"api_key": "none", "concurrency": concurrency, **options}
    with closing(Store(path)) as store, closing(Cache(path)) as cache:
        going = sweep(units).run(
            store,
            model=connect("m", base_url=url, cache=cache, **options),
            progress=False,
            concurrency=concurrency,
            budget_usd=budget_usd,
            retry_failed=retry_failed,
        )
        return asyncio.run(going)


def process(ready, path, url, units, options):
    """The same in a process to be killed, which says when it begins and ends with a status."""
    ready.set()
    try:
        run(path, url, units, **options)
    except BudgetExceeded:
        raise SystemExit(PARTIAL) from None
