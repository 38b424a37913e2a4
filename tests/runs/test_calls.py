"""What a sweep came to: by call, by unit, by fault and in all, read from what the store keeps."""

import asyncio
import math
from contextlib import closing

import pytest

from support.models.calls import Call, Fault
from support.models.money import Budget
from support.presence import Presence
from support.roundtable.records import Transcript
from support.runs.calls import MISFIT, calls_of, faults_of, totals, units_of
from support.runs.study import Store
from support.runs.sweep import Sweep

RECORD = Transcript({}, "a", {}, ())
PAID = Call(
    "k1",
    "m",
    "somewhere",
    prompt_tokens=100,
    cached_prompt_tokens=40,
    completion_tokens=20,
    usd=0.25,
)
CACHED = Call(
    "k2",
    "m",
    "somewhere",
    prompt_tokens=100,
    completion_tokens=20,
    usd=0.0,
    cached=True,
)
UNPRICED = Call(
    "k3", "own", "http://127.0.0.1:1/v1", prompt_tokens=7, completion_tokens=3
)
SLOW = Call("k4", "m", "somewhere", repair=1, prompt_tokens=10, completion_tokens=5, usd=0.5,
            faults=(Fault("429", "wait", 1.5), Fault("500", "ill", 0.5)), cut="20 rows")  # fmt: skip
LOST = Call(
    "k5",
    "m",
    "somewhere",
    faults=(Fault("429", "wait", 1.0), Fault("429", "wait")),
    error="CallFailed: no",
)


async def study(rng, rule, model="m"):
    return RECORD


def sweep(repetitions=2, **grid):
    return Sweep("s", study, grid or {"rule": ["a", "b"]}, repetitions, 7)


@pytest.fixture
def played(store):
    """Of four units two are done, one has failed, one is missing; the last one ended first."""
    units = list(sweep().units())
    store.add(units[3], RECORD, 9.0, [CACHED, UNPRICED])
    store.add(units[0], RECORD, 4.0, [PAID, SLOW])
    store.fail(units[1], ValueError("broken"), 1.0, [LOST])
    return store


def test_a_row_for_every_call_in_the_order_in_which_units_ended(played):
    frame = calls_of(sweep(), played)
    assert frame["rule"].tolist() == ["b", "b", "a", "a", "a"] and frame[
        "number"
    ].tolist() == [0, 1, 0, 1, 0]
    assert frame["retries"].tolist() == [0, 0, 0, 2, 1], (
        "the last fault of a lost call was followed by none"
    )
    assert (
        frame["waited"].tolist() == [0, 0, 0, 2.0, 1.0]
        and frame["error"].tolist()[-1] == "CallFailed: no"
    )
    assert (
        frame["usd"].fillna(-1).tolist() == [0.0, -1, 0.25, 0.5, -1]
        and frame["cached"].sum() == 1
    )
    assert (
        frame["cached_prompt_tokens"].sum() == 40
        and frame["endpoint"][1] == UNPRICED.endpoint
    )


def test_a_row_for_every_unit_of_the_grid_the_missing_ones_included(played):
    frame = units_of(sweep(), played)
    assert frame["cut"].tolist() == [1, 0, 0, 0]
    assert frame["status"].tolist() == ["done", "failed", "missing", "done"]
    assert frame["calls"].tolist() == [2, 1, 0, 2] and frame["cached"].tolist() == [
        0,
        0,
        0,
        1,
    ]
    assert frame["retries"].tolist() == [2, 1, 0, 0] and frame["repairs"].tolist() == [
        1,
        0,
        0,
        0,
    ]
    assert frame["usd"].fillna(-1).tolist() == [0.75, -1, -1, 0.0] and frame[
        "unpriced"
    ].tolist() == [0, 0, 0, 1]
    assert frame["prompt_tokens"].tolist() == [110, 0, 0, 107] and frame[
        "sent_tokens"
    ].tolist() == [135, 0, 0, 10]
    assert frame["error"].tolist() == ["", "ValueError: broken", "", ""] and math.isnan(
        frame["seconds"][2]
    )


def test_faults_are_survived_where_the_call_was_answered_and_lost_where_it_was_not(
    played,
):
    frame = faults_of(sweep(), played).set_index("kind")
    assert frame.loc["429"].tolist() == [3, 1, 2, 2.5] and frame.index[0] == "429"
    assert frame.loc["500"].tolist() == [1, 1, 0, 0.5]
    assert frame.loc[MISFIT].tolist() == [1, 1, 0, 0.0]


def test_totals_say_what_was_spent_and_what_has_no_price(played):
    frame = totals(sweep(), played).set_index("what")
    assert frame["amount"].to_dict() == {
        "units": 4, "calls": 5, "retries": 3, "repairs": 1, "tokens": 145, "cost (USD)": 0.75,
    }  # fmt: skip
    assert (
        frame["note"]["units"] == "2 done, 1 failed, 1 missing"
        and "4 sent, 1 cached" in frame["note"]["calls"]
    )
    assert frame["note"]["cost (USD)"].endswith(
        "; 1 sent call has no price, and is not in it"
    )


def test_totals_tell_of_the_account_where_the_sweep_had_a_budget(played):
    with (
        Presence(played.path) as presence,
        closing(Budget(3.0, played.path, "s", presence)) as budget,
    ):
        lost = asyncio.run(budget.reserve(1.0, "a call"))
        asyncio.run(budget.reserve(0.5, "another"))
        budget.settle(lost, None)
        frame = totals(sweep(), played).set_index("what")["amount"]
        assert [
            frame[f"account: {part} (USD)"]
            for part in ("spent", "uncertain", "reserved")
        ] == [1.0, 1.0, 0.5]
        assert "account: spent (USD)" not in set(
            totals(Sweep("t", study, {"rule": ["a"]}, 1, 7), played)["what"]
        )


def test_units_of_another_grid_and_of_other_code_are_left_out(played):
    small = sweep(1, rule=["a"])
    assert len(units_of(small, played)) == 1 and calls_of(small, played)[
        "number"
    ].tolist() == [0, 1]
    assert (
        "429" in set(faults_of(small, played)["kind"])
        and faults_of(small, played)["lost"].sum() == 0
    )
    with closing(Store(played.path, "another mark")) as other:
        assert (units_of(sweep(), other)["status"] == "missing").all() and calls_of(
            sweep(), other
        ).empty
    two = sweep(1, rule=["a"], model=["x"])
    played.add(next(two.units()), RECORD, 1.0, [PAID])
    frame = calls_of(two, played)
    assert (frame["model (setting)"][0], frame["model"][0]) == ("x", "m"), (
        "a setting that is named like a column"
    )
