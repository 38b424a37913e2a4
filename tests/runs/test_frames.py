"""Tidy frames: a row a unit, a call, a message; and files of them."""

import asyncio
import math
from contextlib import closing
from dataclasses import dataclass, replace

import pandas as pd
import pytest

from support.fair_decisions.study import fair_decisions
from support.meetings.study import meeting_coordination
from support.models.calls import Call, Fault
from support.models.replies import Cache
from support.models.stand_ins import scripted
from support.roundtable.records import Message, Round, Transcript
from support.roundtable.study import roundtable_exchange
from support.runs.frames import (
    calls_frame,
    export,
    messages_frame,
    units_frame,
)
from support.runs.study import Store
from support.runs.sweep import Sweep
from support.seminar.study import seminar

PAID = Call("k1", "m", "somewhere", prompt_tokens=100, completion_tokens=20, usd=0.25)
CACHED = Call(
    "k2",
    "m",
    "somewhere",
    prompt_tokens=100,
    completion_tokens=20,
    usd=0.0,
    cached=True,
)
UNPRICED = Call("k3", "own", "there", prompt_tokens=7, completion_tokens=3)
SLOW = Call("k4", "m", "somewhere", repair=1, prompt_tokens=10, completion_tokens=5, usd=0.5,
            faults=(Fault("429", "wait", 1.5), Fault("500", "ill", 0.5)), cut="20 rows")  # fmt: skip
LOST = Call(
    "k5",
    "m",
    "somewhere",
    faults=(Fault("429", "wait", 1.0), Fault("429", "wait")),
    error="CallFailed: no",
)
ENTRY = Round(
    1,
    (Message("Ana", ("Ben",), "Hi", ("accept",)), Message("Ben", ("Ana",), "Ho")),
    (),
    (),
    (),
    None,
    (),
    "",
    None,
)
RECORD = Transcript({}, "a", {}, (ENTRY,))


async def study(rng, rule, model="m"):
    return RECORD


def sweep(repetitions=2, **grid):
    return Sweep("s", study, grid or {"rule": ["a", "b"]}, repetitions, 7)


@pytest.fixture
def played(store):
    """Of four units two are done, one has failed, one is missing; the last one ended first."""
    every = list(sweep().units())
    store.add(every[3], RECORD, 9.0, [CACHED, UNPRICED])
    store.add(every[0], RECORD, 4.0, [PAID, SLOW])
    store.add(every[1], ValueError("broken"), 1.0, [LOST])
    return store


def test_a_row_for_every_unit_of_the_grid_the_missing_ones_included(played):
    frame = units_frame(sweep(), played)
    assert frame["status"].tolist() == ["done", "failed", "missing", "done"]
    assert frame["calls"].tolist() == [2, 1, 0, 2] and frame["cached"].tolist() == [
        0,
        0,
        0,
        1,
    ]
    assert frame["repairs"].tolist() == [1, 0, 0, 0] and frame[
        "unanswered"
    ].tolist() == [0, 1, 0, 0]
    assert frame["dollars"].fillna(-1).tolist() == [0.75, -1, -1, 0.0]
    assert frame["tokens"].tolist() == [135, 0, 0, 10], "what was cached was not sent"
    assert frame["error"].fillna("").tolist() == [
        "",
        "ValueError: broken",
        "",
        "",
    ] and math.isnan(frame["seconds"][2])
    assert frame["rule (record)"].fillna("").tolist() == ["a", "", "", "a"]


def test_units_of_another_grid_and_of_other_code_are_left_out(played):
    assert (
        len(units_frame(sweep(1, rule=["a"]), played)) == 1
        and len(calls_frame(sweep(1, rule=["a"]), played)) == 2
    )
    with closing(Store(played.path, "another mark")) as other:
        assert (
            units_frame(sweep(), other)["status"] == "missing"
        ).all() and calls_frame(sweep(), other).empty


def test_a_row_for_every_call_with_its_faults_and_a_setting_named_like_a_column_set_apart(
    played,
):
    frame = calls_frame(sweep(), played)
    assert frame["rule"].tolist() == ["b", "b", "a", "a", "a"] and frame[
        "number"
    ].tolist() == [0, 1, 0, 1, 0]
    assert (
        frame["waited"].tolist() == [0, 0, 0, 2.0, 1.0]
        and frame["error"].tolist()[-1] == "CallFailed: no"
    )
    assert frame["faults"].str.split().explode().value_counts().to_dict() == {
        "429": 3,
        "500": 1,
    }
    two = sweep(1, rule=["a"], model=["x"])
    played.add(next(two.units()), RECORD, 1.0, [PAID])
    frame = calls_frame(two, played)
    assert (frame["model (setting)"][0], frame["model"][0]) == ("x", "m")


def test_a_row_for_each_message_behind_settings_repetition_and_round(played):
    frame = messages_frame(sweep(), played)
    assert list(frame.columns[:6]) == [
        "rule",
        "repetition",
        "round",
        "sender",
        "recipients",
        "text",
    ]
    assert (
        frame["text"].tolist() == ["Hi", "Ho"] * 2 and frame["acts"][0] == '["accept"]'
    )


async def talk(rng, topic, heat=0.0, repetition=0, model=None):
    said = [
        (
            await model.reply(
                f"{topic} {i}", temperature=heat, repetition=repetition if heat else 0
            )
        ).text
        for i in "ab"
    ]
    return {"said": said[-1], "score": math.nan if repetition else 0.5}


def test_units_that_asked_the_very_same_are_one_draw_and_prompts_and_replies_are_told(
    store,
):
    model = scripted(
        lambda messages: f"re {messages[-1]['content']}", cache=Cache(store.path)
    )
    what = Sweep("t", talk, {"topic": ["x", "y"], "heat": [0.0, 0.7]}, 3, 1)
    asyncio.run(what.run(store, model=model, progress=False))
    frame = units_frame(what, store)
    drawn = frame.groupby(["topic", "heat"])["draw"].nunique().to_dict()
    assert (
        drawn == {("x", 0.0): 1, ("x", 0.7): 3, ("y", 0.0): 1, ("y", 0.7): 3}
        and frame["draw"].nunique() == 8
    )
    assert frame["score"].isna().sum() == 8 and "score (record)" not in frame
    asked = calls_frame(what, store)
    assert (
        asked["prompt"][0] == "user: x a"
        and asked["reply"][0] == "re x a"
        and len(asked) == 24
    )


def test_a_unit_that_asks_nobody_is_a_draw_of_its_own(store):
    async def plain(rng, rule):
        return {"draw it": rng.random()}

    what = Sweep("u", plain, {"rule": ["a", "b"]}, 2, 1)
    asyncio.run(what.run(store, progress=False))
    assert units_frame(what, store)["draw"].tolist() == [0, 1, 2, 3]


@dataclass(frozen=True)
class Outcome:
    share: float
    plan: tuple[int, ...] = (1, 2)
    rounds: int = 3


def test_a_frame_has_settings_status_and_the_fields_of_the_record(store):
    async def study(rng, rule, size=1):
        if rule == "b":
            raise ValueError("no")
        return (
            Outcome(size / 2) if size > 1 else {"share": 0.1, "rule": rule, "size": 9}
        )

    what = Sweep("s", study, {"rule": ["a", "b"], "size": [1, 2]}, 2, 7)
    asyncio.run(what.run(store, progress=False))
    frame = units_frame(replace(what, repetitions=3), store)
    assert (
        frame["status"].tolist()
        == (["done"] * 2 + ["missing"]) * 2 + (["failed"] * 2 + ["missing"]) * 2
    )
    assert (
        frame["share"].dropna().tolist() == [0.1, 0.1, 1.0, 1.0]
        and frame["plan"][3] == "[1, 2]"
    )
    assert (
        frame["size (record)"].dropna().tolist() == [9, 9] and what.missing(store) == 4
    )


GRIDS = {
    roundtable_exchange: {"rule": ["ranked"], "seats": ["mixed"], "rounds": [2]}, fair_decisions: {"rounds": [2]},
    meeting_coordination: {"members": [3], "options": [2]}, seminar: {"until": [3]},
}  # fmt: skip


@pytest.mark.parametrize("study", GRIDS, ids=lambda study: study.__name__)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_two_runs_are_exported_to_the_same_bytes_and_read_back(study, tmp_path, kind):
    files, sweep = [], Sweep("s", study, GRIDS[study], 2, seed=5)
    for run, concurrency in (("one", 1), ("two", 8)):
        store = Store(tmp_path / f"{run}.sqlite")
        asyncio.run(sweep.run(store, concurrency=concurrency, progress=False))
        paths = export(
            sweep, store, tmp_path / run, kind, metrics=pd.DataFrame({"auc@10": [0.5]})
        )
        files.append({path.name: path.read_bytes() for path in paths})
    assert files[0] == files[1] and set(files[0]) == {
        f"units.{kind}",
        f"metrics.{kind}",
        "records.jsonl",
    }
    assert len(files[0]["records.jsonl"].splitlines()) == 2


class Judge:
    name = "strict"


async def judged(rng, judge, prompts=None, model=None):
    said = await model.reply(f"{rng.integers(9**9)}")
    return {"said": said.text, "score": math.nan}


def test_labels_are_names_and_prompts_are_exported_with_who_was_asked(store, tmp_path):
    (tmp_path / "curt").mkdir()
    grid = {"judge": [Judge], "prompts": [None, tmp_path / "curt"]}
    what = Sweep("t", judged, grid, 1, 1)
    model = scripted(lambda messages: "yes", cache=Cache(store.path))
    asyncio.run(what.run(store, model=model, progress=False))
    frame = what.frame(store)
    assert frame["prompts"].tolist() == ["default", "curt"]
    assert set(frame["judge"]) == {"Judge"} and frame["judge source"].nunique() == 1
    assert list(frame.filter(like="score")) == ["score"]
    for kind in ("jsonl", "csv", "parquet"):
        export(what, store, tmp_path / kind, kind, prompts=True)
    rows = pd.read_json(tmp_path / "jsonl" / "calls.jsonl", lines=True)
    assert rows["reply"].tolist() == ["yes", "yes"]
    assert rows["prompt"].str.startswith("user: ").all()
