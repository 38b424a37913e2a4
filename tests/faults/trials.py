"""A sweep with faults, one with a budget: each is tried, and what became of it is counted."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import debate
from faulty_server import Faulty
from killing import Killing, killed
from looking import exported, kept, reading, results

from support.errors import BudgetExceeded
from support.runs.study import Store

PATIENT = {"repairs": 4, "max_retries": 8, "timeout": 1.5}
HURRY = {"timeout": 1.5}  # the defaults, but for a stall that would take two minutes
FORMS = ("no JSON reply", "off the schema")
AS_MET = {  # how the client calls what the server did
    "429, seconds": "429",
    "429, date": "429",
    "cut before the answer": "broken connection",
    "cut within the answer": "broken connection",
    "stall": "time-out",
    "no JSON body": "no completion",
}


# -- faults ----------------------------------------------------------------------------------------------------------


def made(server: Faulty, run: str) -> Counter[str]:
    """The faults that the server made, as the client calls them; "" are the answers without."""
    kinds = Counter(line["kind"] for line in server.lines(run) if line["event"] == "asked")
    return sum((Counter({AS_MET.get(kind, kind): n}) for kind, n in kinds.items()), Counter())


def met(path: Path, units: int) -> tuple[Counter[str], Counter[str]]:
    """The faults that units met, in those that were done and in those that failed."""
    survived: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    replies = {key: text for key, (_, text) in kept(path).items()}
    with closing(Store(path)) as store:
        for unit in debate.sweep(units).units():
            where = survived if store.status(unit) == "done" else lost
            for call in store.calls(unit):
                where.update(fault.kind for fault in call.faults)
                if not call.error and (form := _wrong(replies[call.key])):
                    where[form] += 1
    return survived, lost


def _wrong(reply: str) -> str:
    return "off the schema" if '"many"' in reply else "" if reply.startswith("{") else "no JSON reply"


# -- budgets ---------------------------------------------------------------------------------------------------------


def charged(server: Faulty, run: str) -> float:
    """US dollars that the server charges for a run, by its own count of tokens."""
    total = 0.0
    for line in server.lines(run):
        if line["event"] == "asked" and (count := line["charge"]):
            cached = count["prompt_tokens_details"]["cached_tokens"]
            total += (count["prompt_tokens"] - cached) * debate.PRICE["input"] + cached * debate.PRICE["cached_input"]
            total += count["completion_tokens"] * debate.PRICE["output"]
    return total / 1e6


def account(path: Path) -> float:
    """US dollars that the study's file has as spent."""
    with reading(path) as db:
        return sum(db.execute("SELECT spent, uncertain FROM accounts").fetchone()) / 1e9


@dataclass(frozen=True)
class Spending:
    """One sweep under a budget, and its end under a larger one. US dollars."""

    budget: float
    charged: float
    spent: float
    raised: bool
    missing: int
    kept: bool
    same: bool


def budgeted(
    server: Faulty, run: str, path: Path, units: int, budget: float, whole: dict[str, bytes],
    *, url: str, **options: Any,
) -> Spending:  # fmt: skip
    """A sweep under a budget; then the rest of it under one that is large enough."""
    prices = debate.priced(path.parent)
    try:
        debate.run(path, url, units, prices=prices, budget_usd=budget, **options)
        raised = False
    except BudgetExceeded:
        raised = True
    cost, spent, before = charged(server, run), account(path), results(path, units)
    debate.run(path, url, units, prices=prices, budget_usd=budget + 10, **options)
    after = results(path, units)
    stayed = all(after[unit] == record for unit, record in before.items())
    return Spending(budget, cost, spent, raised, units - len(before), stayed, exported(path) == whole)


def budget_killed(
    server: Faulty, run: str, path: Path, units: int, budget: float, whole: dict[str, bytes], draw: random.Random,
    *, url: str, **options: Any,
) -> tuple[Killing, Spending]:  # fmt: skip
    """Two processes share a budget and are killed; what both took counts, and a larger budget ends it."""
    given = {"prices": debate.priced(path.parent), "budget_usd": budget, **options}
    seen = killed(server, run, path, units, 0.3, draw, processes=2, most=draw.randint(2, 4), url=url, **given)
    cost, spent, before = charged(server, run), account(path), results(path, units)
    debate.run(path, url, units, **{**given, "budget_usd": budget + 10})
    after = results(path, units)
    stayed = all(after[unit] == record for unit, record in before.items())
    same = exported(path) == whole
    return seen, Spending(budget, cost, spent, seen.partial, units - len(before), stayed, same)
