"""What a sweep's calls to models came to, as tidy frames: by call, by unit, by kind of fault, and in one short table.

All of it is read from the study's file, while a run may be going on in another process. Calls are stored with their
unit when it ends, so calls of units at work, or of units that a kill or an empty budget cut off, are not among them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from support.calls import Call
from support.money.budget import UNIT
from support.store import flat

if TYPE_CHECKING:
    from support.store import Store
    from support.sweep import Sweep

MISFIT = "reply off its form"
CALL = ["model", "endpoint", "repair", "prompt_tokens", "cached_prompt_tokens", "completion_tokens", "usd", "cached",
        "seconds"]  # fmt: skip
SUMS = {  # of a unit's calls, in SQL: a study may hold hundreds of thousands
    "calls": "count(*)",
    "cached": "sum(coalesce(call ->> 'cached', 0))",
    "repairs": "sum(coalesce(call ->> 'repair', 0) > 0)",
    "retries": "sum(coalesce(json_array_length(call, '$.faults') - (call ->> 'error' IS NOT NULL), 0))",
    "prompt_tokens": "sum(coalesce(call ->> 'prompt_tokens', 0))",
    "completion_tokens": "sum(coalesce(call ->> 'completion_tokens', 0))",
    "sent_tokens": "sum(iif(coalesce(call ->> 'cached', 0), 0, coalesce(call ->> 'prompt_tokens', 0) "
    "+ coalesce(call ->> 'completion_tokens', 0)))",
    "usd": "sum(call ->> 'usd')",
    "unpriced": "sum(call ->> 'usd' IS NULL AND call ->> 'error' IS NULL)",
    "unanswered": "sum(call ->> 'error' IS NOT NULL)",
}
ENDED = ["status", "replies", "format_errors", "seconds", "error"]
_DEFAULTS = {f.name: f.default for f in fields(Call) if f.default is not MISSING}


def calls_of(sweep: Sweep, store: Store) -> pd.DataFrame:
    """One row per call of a sweep's stored units, in the order in which these ended.

    Returns
    -------
    DataFrame
        The settings, repetition, number (from 0, within the unit), model, endpoint, repair (0 for a first ask),
        prompt_tokens, cached_prompt_tokens (of them, found by the provider), completion_tokens, usd (NaN without a
        price, and where no answer came), cached, seconds, retries (attempts after the first), waited (seconds between
        attempts), error ("" where an answer came). A setting with the name of one of these has " (setting)" behind it.
    """
    grid = _grid(sweep)
    rows = _query(sweep, store, "SELECT settings, repetition, number, call FROM calls WHERE sweep = ? ORDER BY rowid")
    found = [(settings, repetition, number, call) for settings, repetition, number, call in rows if settings in grid
             and repetition < sweep.repetitions]  # fmt: skip
    calls = json.loads("[" + ",".join(row[3] for row in found) + "]")  # far quicker than one by one
    places = pd.DataFrame({"repetition": [row[1] for row in found], "number": [row[2] for row in found]}, dtype=int)
    told = pd.DataFrame([_call(call) for call in calls], columns=[*CALL, "retries", "waited", "error"])
    return _with_settings(
        [grid[row[0]] for row in found], sweep, pd.concat([places, told.astype({"usd": float})], axis=1)
    )


def units_of(sweep: Sweep, store: Store) -> pd.DataFrame:
    """One row per unit of a sweep's grid, in its order, those that are missing included.

    Returns
    -------
    DataFrame
        The settings, repetition, status ("done", "failed", "missing"), calls, cached, repairs (asked again for a
        misfit), retries, replies, format_errors, prompt_tokens and completion_tokens (of all calls), sent_tokens (of
        those that were not cached), usd (NaN where no call has a price; 0 for cached ones), unpriced (answered calls
        without a price), unanswered, seconds, error.
    """
    grid = _grid(sweep)
    columns = ", ".join(f"{sql} AS {name}" for name, sql in SUMS.items())
    counted = {(s, r): rest for s, r, *rest in _query(
        sweep, store, f"SELECT settings, repetition, {columns} FROM calls WHERE sweep = ? GROUP BY settings, repetition"
    )}  # fmt: skip
    ended = {(s, r): rest for s, r, *rest in _query(
        sweep, store, f"SELECT settings, repetition, {', '.join(ENDED)} FROM units WHERE sweep = ?"
    )}  # fmt: skip
    none, missing = [0] * 7 + [None, 0, 0], ["missing", 0, 0, None, None]
    places = [(unit.settings, unit.repetition) for unit in sweep.units()]
    rows = [[place[1], *counted.get(place, none), *ended.get(place, missing)] for place in places]
    frame = pd.DataFrame(rows, columns=["repetition", *SUMS, *ENDED]).astype({"usd": float, "seconds": float})
    order = ["repetition", "status", "calls", "cached", "repairs", "retries", "replies", "format_errors"]
    order += ["prompt_tokens", "completion_tokens", "sent_tokens", "usd", "unpriced", "unanswered", "seconds", "error"]
    return _with_settings([grid[settings] for settings, _ in places], sweep, frame.fillna({"error": ""})[order])


def faults_of(sweep: Sweep, store: Store) -> pd.DataFrame:
    """One row per kind of fault that a sweep's calls met, the most frequent first.

    Returns
    -------
    DataFrame
        kind ("429", "time-out", …), met, survived (the call was answered in the end), lost (it was not), waited
        (seconds before the next attempts). Of `MISFIT`, replies that did not have the form that was asked for, each
        conversation counts once, however often it was repaired; lost are those that participants or the unit gave up.
    """
    query = (
        "SELECT fault.value ->> 'kind', settings, repetition, call ->> 'error' IS NOT NULL, fault.value ->> 'waited' "
        "FROM calls, json_each(call, '$.faults') AS fault WHERE sweep = ? AND instr(call, 'faults')"  # most have none
    )
    grid, columns = _grid(sweep), ["kind", "met", "survived", "lost", "waited"]
    kept = [(kind, 1, 1 - lost, lost, waited or 0.0) for kind, settings, repetition, lost, waited
            in _query(sweep, store, query) if settings in grid and repetition < sweep.repetitions]  # fmt: skip
    frame = pd.DataFrame([*kept, *_misfits(sweep, store)], columns=columns)
    summed = frame.groupby("kind", sort=True).sum().reset_index().sort_values("met", ascending=False, kind="stable")
    return summed.astype({"met": int, "survived": int, "lost": int, "waited": float}).reset_index(drop=True)


def totals(sweep: Sweep, store: Store, units: pd.DataFrame | None = None) -> pd.DataFrame:
    """What a sweep came to, in one short table: what, amount, note.

    Parameters
    ----------
    units : frame, optional
        What `units_of` gave just now, where it is at hand.

    Returns
    -------
    DataFrame
        Units, calls, tokens and the cost of stored units in US dollars; of the budget's account, where the sweep ever
        had one, what is spent, of it uncertain, and reserved at this moment.
    """
    frame = units_of(sweep, store) if units is None else units
    sums = frame[[name for name in (*SUMS, "format_errors") if name in frame]].sum()
    status = frame["status"].value_counts()
    sent = int(sums["calls"] - sums["cached"])
    rows: list[tuple[str, float, str]] = [
        ("units", len(frame), ", ".join(f"{status.get(name, 0)} {name}" for name in ("done", "failed", "missing"))),
        ("calls", int(sums["calls"]), f"of units that ended: {sent} sent, {int(sums['cached'])} cached"),
        ("retries", int(sums["retries"]), f"attempts after a fault; {int(sums['unanswered'])} calls got no answer"),
        ("repairs", int(sums["repairs"]), f"replies asked again; {int(sums['format_errors'])} never had their form"),
        ("tokens", int(sums["sent_tokens"]), "of calls that were sent, prompts and replies"),
        ("cost (USD)", float(sums["usd"]), _cost_note(int(sums["unpriced"]))),
        *_account(sweep, store),
    ]
    return pd.DataFrame(rows, columns=["what", "amount", "note"], dtype=object)  # counts stay whole numbers


def _cost_note(unpriced: int) -> str:
    have = "sent call has no price, and is" if unpriced == 1 else "sent calls have no price, and are"
    missing = f"; {unpriced} {have} not in it" if unpriced else ""
    return f"of these calls; cached replies cost nothing{missing}"


def _account(sweep: Sweep, store: Store) -> Iterator[tuple[str, float, str]]:
    """What the budget's account says, where there is one: it knows of calls whose units never ended as well."""
    tables = {name for (name,) in store.select("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "accounts" not in tables:
        return
    rows = store.select("SELECT spent, uncertain FROM accounts WHERE name = ?", (sweep.name,))
    if not rows:
        return
    [(spent, uncertain)] = rows
    yield "account: spent (USD)", (spent + uncertain) / UNIT, "under a budget, calls of units that never ended included"
    yield "account: uncertain (USD)", uncertain / UNIT, "of it, calls that broke off, at their worst case"
    query = "SELECT coalesce(sum(amount), 0), count(*) FROM reservations WHERE name = ?"
    [(reserved, calls)] = store.select(query, (sweep.name,))
    yield "account: reserved (USD)", reserved / UNIT, f"set aside for {calls} calls, at their worst case"


def _misfits(sweep: Sweep, store: Store) -> Iterator[tuple[str, int, int, int, float]]:
    grid = _grid(sweep)
    query = "SELECT settings, repetition FROM calls WHERE sweep = ? AND instr(call, 'repair') AND call ->> 'repair' = 1"
    asked_again = sum(s in grid and r < sweep.repetitions for s, r in _query(sweep, store, query))
    given_up = "format_errors + coalesce(error LIKE 'MalformedReply:%', 0)"
    query = f"SELECT settings, repetition, {given_up} FROM units WHERE sweep = ?"
    lost = sum(n for s, r, n in _query(sweep, store, query) if s in grid and r < sweep.repetitions)
    if met := max(asked_again, lost):
        yield MISFIT, met, met - lost, lost, 0.0


def _query(sweep: Sweep, store: Store, query: str) -> list[tuple]:
    """Rows of the study's file; the one `?` stands for the sweep's name there."""
    return store.select(query, (store.name_in_file(sweep.name),))


def _grid(sweep: Sweep) -> dict[str, dict[str, Any]]:
    """The settings of a sweep, by the JSON that the store knows them by."""
    return {unit.settings: flat(json.loads(unit.settings)) for unit in replace(sweep, repetitions=1).units()}


def _call(given: Mapping[str, Any]) -> list[Any]:
    call = {**_DEFAULTS, **given}
    retries = max(0, len(call["faults"]) - bool(call["error"]))
    return [*(call[name] for name in CALL), retries, sum(f.get("waited", 0.0) for f in call["faults"]), call["error"]]


def _with_settings(rows: list[dict[str, Any]], sweep: Sweep, frame: pd.DataFrame) -> pd.DataFrame:
    settings = pd.DataFrame(rows, columns=list(sweep.grid), index=frame.index)
    taken = {name: f"{name} (setting)" for name in settings if name in frame}
    return pd.concat([settings.rename(columns=taken), frame], axis=1)
