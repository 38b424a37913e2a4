"""What a sweep's calls to models came to, as tidy frames: by call, by unit, by kind of fault, and in one short table.

All of it is read from the study's file, while a run may be going on in another process. Calls are stored with their
unit when it ends, so calls of units at work, or of units that a kill or an empty budget cut off, are not among them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from support.models.calls import Call
from support.models.money import UNIT
from support.runs.study import flat

if TYPE_CHECKING:
    from support.runs.study import Store
    from support.runs.sweep import Sweep

MISFIT = "reply off its form"
CALL = ["model", "endpoint", "repair", "prompt_tokens", "cached_prompt_tokens", "completion_tokens", "usd", "cached",
        "seconds", "cut"]  # fmt: skip
SUMS = {  # of a unit's calls, in SQL: a study may hold hundreds of thousands
    "calls": "count(*)",
    "cached": "sum(coalesce(call ->> 'cached', 0))",
    "repairs": "sum(coalesce(call ->> 'repair', 0) > 0)",
    "retries": "sum(coalesce(json_array_length(call, '$.faults') - (call ->> 'error' IS NOT NULL), 0))",
    "cut": "sum(call ->> 'cut' IS NOT NULL)",
    "prompt_tokens": "sum(coalesce(call ->> 'prompt_tokens', 0))",
    "completion_tokens": "sum(coalesce(call ->> 'completion_tokens', 0))",
    "sent_tokens": "sum(iif(coalesce(call ->> 'cached', 0), 0, coalesce(call ->> 'prompt_tokens', 0) "
    "+ coalesce(call ->> 'completion_tokens', 0)))",
    "usd": "sum(call ->> 'usd')",
    "unpriced": "sum(call ->> 'usd' IS NULL AND call ->> 'error' IS NULL)",
    "unanswered": "sum(call ->> 'error' IS NOT NULL)",
}
ENDED = ["status", "replies", "format_errors", "seconds", "error"]


def calls_of(sweep: Sweep, store: Store) -> pd.DataFrame:
    """One row per call of a sweep's stored units, in the order in which these ended.

    usd is NaN without a price or an answer, retries are attempts after the first, waited seconds between them. A
    setting with the name of a column has " (setting)" behind it.
    """
    grid, found = (
        _grid(sweep),
        list(_rows(sweep, store, "number, call", "calls", "ORDER BY rowid")),
    )
    calls = json.loads(
        "[" + ",".join(row[3] for row in found) + "]"
    )  # far quicker than one by one
    places = pd.DataFrame(
        [row[1:3] for row in found], columns=["repetition", "number"]
    ).astype(int)
    told = pd.DataFrame(
        [_call(call) for call in calls], columns=[*CALL, "retries", "waited", "error"]
    )
    frame = pd.concat([places, told.astype({"usd": float})], axis=1)
    return _with_settings([grid[row[0]] for row in found], sweep, frame)


def units_of(sweep: Sweep, store: Store) -> pd.DataFrame:
    """One row per unit of a sweep's grid, in its order, those that are missing included.

    Of its calls: repairs (asked again for a misfit), retries, cut (prompts that had to be), `sent_tokens` (of calls
    that were not cached), usd (NaN where none has a price), unpriced (answered calls without one), unanswered.
    """
    grid, columns = (
        _grid(sweep),
        ", ".join(f"{sql} AS {name}" for name, sql in SUMS.items()),
    )
    counted = {
        row[:2]: row[2:]
        for row in _rows(
            sweep, store, columns, "calls", "GROUP BY settings, repetition"
        )
    }
    ended = {row[:2]: row[2:] for row in _rows(sweep, store, ", ".join(ENDED), "units")}
    none, missing = (
        [None if name == "usd" else 0 for name in SUMS],
        ["missing", 0, 0, None, None],
    )
    places = [(unit.text, unit.repetition) for unit in sweep.units()]
    rows = [
        [place[1], *counted.get(place, none), *ended.get(place, missing)]
        for place in places
    ]
    frame = pd.DataFrame(rows, columns=["repetition", *SUMS, *ENDED]).astype(
        {"usd": float, "seconds": float}
    )
    return _with_settings(
        [grid[text] for text, _ in places], sweep, frame.fillna({"error": ""})
    )


def faults_of(sweep: Sweep, store: Store) -> pd.DataFrame:
    """One row per kind of fault that a sweep's calls met, the most frequent first: met, survived, lost, waited.

    Survived is a call that was answered in the end. Of `MISFIT` each conversation counts once, however often it was
    repaired; lost are those that participants or the unit gave up.
    """
    what = (
        "fault.value ->> 'kind', call ->> 'error' IS NOT NULL, fault.value ->> 'waited'"
    )
    faults = _rows(
        sweep,
        store,
        what,
        "calls, json_each(call, '$.faults') AS fault",
        "AND instr(call, 'faults')",
    )
    kept: list[tuple] = [
        (kind, 1, 1 - lost, lost, waited or 0.0) for _, _, kind, lost, waited in faults
    ]
    again = len(
        list(
            _rows(
                sweep,
                store,
                "1",
                "calls",
                "AND instr(call, 'repair') AND call ->> 'repair' = 1",
            )
        )
    )
    given_up = "format_errors + coalesce(error LIKE 'MalformedReply:%', 0)"
    lost = sum(row[2] for row in _rows(sweep, store, given_up, "units"))
    if met := max(again, lost):
        kept.append((MISFIT, met, met - lost, lost, 0.0))
    frame = pd.DataFrame(kept, columns=["kind", "met", "survived", "lost", "waited"])
    summed = (
        frame.astype({"met": int, "survived": int, "lost": int, "waited": float})
        .groupby("kind")
        .sum()
    )
    return summed.reset_index().sort_values(
        "met", ascending=False, ignore_index=True, kind="stable"
    )


def totals(
    sweep: Sweep, store: Store, units: pd.DataFrame | None = None
) -> pd.DataFrame:
    """What a sweep came to: what, amount, note; of its budget's account as well, where it ever had one."""
    frame = units_of(sweep, store) if units is None else units
    sums, status = frame[[*SUMS, "format_errors"]].sum(), frame["status"]
    have = (
        "sent call has no price, and is"
        if sums["unpriced"] == 1
        else "sent calls have no price, and are"
    )
    unpriced = f"; {sums['unpriced']:.0f} {have} not in it" if sums["unpriced"] else ""
    rows: list[tuple[str, float, str]] = [
        ("units", len(frame), ", ".join(f"{sum(status == name)} {name}" for name in ("done", "failed", "missing"))),
        ("calls", int(sums["calls"]), f"of units that ended: {sums['calls'] - sums['cached']:.0f} sent, "
         f"{sums['cached']:.0f} cached"),
        ("retries", int(sums["retries"]), f"attempts after a fault; {sums['unanswered']:.0f} calls got no answer"),
        ("repairs", int(sums["repairs"]), f"replies asked again; {sums['format_errors']:.0f} never had their form"),
        ("tokens", int(sums["sent_tokens"]), "of calls that were sent, prompts and replies"),
        ("cost (USD)", float(sums["usd"]), f"of these calls; cached replies cost nothing{unpriced}"),
        *_account(sweep, store),
    ]  # fmt: skip
    return pd.DataFrame(
        rows, columns=["what", "amount", "note"], dtype=object
    )  # counts stay whole numbers


def _account(sweep: Sweep, store: Store) -> Iterator[tuple[str, float, str]]:
    """What the budget's account says, where there is one: it knows of calls whose units never ended as well."""
    if not store.select("SELECT 1 FROM sqlite_master WHERE name = 'accounts'"):
        return
    for spent, uncertain in store.select(
        "SELECT spent, uncertain FROM accounts WHERE name = ?", (sweep.name,)
    ):
        said = "under a budget, calls of units that never ended included"
        yield "account: spent (USD)", (spent + uncertain) / UNIT, said
        yield (
            "account: uncertain (USD)",
            uncertain / UNIT,
            "of it, calls that broke off, at their worst case",
        )
        query = (
            "SELECT coalesce(sum(amount), 0), count(*) FROM reservations WHERE name = ?"
        )
        [(reserved, calls)] = store.select(query, (sweep.name,))
        yield (
            "account: reserved (USD)",
            reserved / UNIT,
            f"set aside for {calls} calls, at their worst case",
        )


def _rows(
    sweep: Sweep, store: Store, what: str, table: str, rest: str = ""
) -> Iterator[tuple]:
    """Settings, repetition, and what is asked for, of the sweep's own units in the study's file."""
    query, grid = (
        f"SELECT settings, repetition, {what} FROM {table} WHERE sweep = ? {rest}",
        _grid(sweep),
    )
    rows = store.select(query, (store.name_in_file(sweep.name),))
    return (row for row in rows if row[0] in grid and row[1] < sweep.repetitions)


def _grid(sweep: Sweep) -> dict[str, dict[str, Any]]:
    return {
        unit.text: flat(unit.settings) for unit in replace(sweep, repetitions=1).units()
    }


def _call(given: Mapping[str, Any]) -> list[Any]:
    faults, error = given.get("faults", ()), given.get("error", "")
    fields = [given.get(name, getattr(_NONE, name)) for name in CALL]
    return [
        *fields,
        max(0, len(faults) - bool(error)),
        sum(f.get("waited", 0.0) for f in faults),
        error,
    ]


def _with_settings(
    rows: list[dict[str, Any]], sweep: Sweep, frame: pd.DataFrame
) -> pd.DataFrame:
    settings = pd.DataFrame(rows, columns=list(sweep.grid), index=frame.index)
    taken = {name: f"{name} (setting)" for name in settings if name in frame}
    return pd.concat([settings.rename(columns=taken), frame], axis=1)


_NONE = Call("", "", "")
