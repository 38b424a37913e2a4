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

TOKENS = {"prompt_tokens": 100, "completion_tokens": 20}
WAITS = (Fault("429", "wait", 1.5), Fault("500", "ill", 0.5), Fault("learnt", "so"))
PAID = Call("k1", "m", "there", **TOKENS, usd=0.25, thinking_tokens=5)
CACHED = Call("k2", "m", "there", **TOKENS, usd=0.0, cached=True)
UNPRICED = Call("k3", "own", "there", prompt_tokens=7, completion_tokens=3)
SLOW = Call("k4", "m", "there", repair=1, prompt_tokens=15, usd=0.5, faults=WAITS)
LOST = Call("k5", "m", "there", faults=WAITS[:1], error="Filtered: no")
SAID = (Message("Ana", ("Ben",), "Hi", ("accept",)), Message("Ben", ("Ana",), "Ho"))
ENTRY = Round(1, SAID, (), (), (), None, (), "", None)
RECORD = Transcript({}, "a", {}, (ENTRY,))


async def study(rng, rule, model="m", draw=0):
    return RECORD


def sweep(repetitions=2, **grid):
    return Sweep("s", study, grid or {"rule": ["a", "b"]}, repetitions, 7)


@pytest.fixture
def played(store):
    """Of four units two are done, one has failed, one is missing."""
    every = list(sweep().units())
    store.add(every[3], RECORD, 9.0, [CACHED, UNPRICED])
    store.add(every[0], RECORD, 4.0, [PAID, SLOW])
    store.add(every[1], ValueError("broken"), 1.0, [LOST])
    return store


def test_a_row_for_every_unit_of_the_grid_the_missing_ones_included(played):
    frame = units_frame(sweep(), played)
    expected = {
        "status": ["done", "failed", "missing", "done"],
        "error": ["", "ValueError: broken", "", ""],
        "seconds": [4, 1, "", 9],
        "calls": [2, 1, 0, 2],
        "cached": [0, 0, 0, 1],
        "repairs": [1, 0, 0, 0],
        "faults": [2, 1, 0, 0],  # what was learnt is none
        "unanswered": [0, 1, 0, 0],
        "filtered": [0, 1, 0, 0],
        "tokens": [135, 0, 0, 10],  # what was cached was not sent
        "thinking_tokens": [5, 0, 0, 0],
        "dollars": [0.75, "", "", 0],
    }
    for name, column in expected.items():
        assert frame[name].astype(object).fillna("").tolist() == column, name
    assert list(frame.filter(like="format_errors")) == ["format_errors"]


def test_units_of_another_grid_and_of_other_code_are_left_out(played):
    other = sweep(1, rule=["a"])
    assert len(units_frame(other, played)) == 1
    assert len(calls_frame(other, played)) == 2
    with closing(Store(played.path, "another mark")) as other:
        assert (units_frame(sweep(), other)["status"] == "missing").all()
        assert calls_frame(sweep(), other).empty


def test_a_row_for_every_call_with_its_faults(played):
    frame = calls_frame(sweep(), played)
    assert frame["rule"].tolist() == ["b", "b", "a", "a", "a"]
    assert frame["number"].tolist() == [0, 1, 0, 1, 0]
    assert frame["waited"].tolist() == [0, 0, 0, 2.0, 1.5]
    assert frame["faults"].tolist() == ["", "", "", "429; 500; learnt", "429"]
    assert frame["error"].tolist()[-1] == "Filtered: no"


def test_a_setting_that_is_named_like_a_column_is_set_apart(played):
    two = sweep(1, rule=["a"], model=["x"], draw=[5])
    played.add(next(two.units()), RECORD, 1.0, [PAID])
    [call] = calls_frame(two, played).to_dict("records")
    assert (call["model (setting)"], call["model"]) == ("x", "m")
    [unit] = units_frame(two, played).to_dict("records")
    assert (unit["draw (setting)"], unit["draw"]) == (5, 0)


def test_a_row_for_each_message_behind_settings_repetition_and_round(played):
    frame = messages_frame(sweep(), played)
    front = ["rule", "repetition", "round", "sender", "recipients", "text"]
    assert list(frame.columns[:6]) == front
    assert frame["text"].tolist() == ["Hi", "Ho"] * 2
    assert frame["acts"][0] == '["accept"]'


async def talk(rng, topic, heat=0.0, repetition=0, model=None):
    settings = {"temperature": heat, "repetition": repetition if heat else 0}
    said = [await model.reply(f"{topic} {i}", **settings) for i in "ab"]
    return {"said": said[-1].text, "score": math.nan if repetition else 0.5}


def test_units_that_asked_the_very_same_are_one_draw(store):
    model = scripted(
        lambda messages: f"re {messages[-1]['content']}", cache=Cache(store.path)
    )
    what = Sweep("t", talk, {"topic": ["x", "y"], "heat": [0.0, 0.7]}, 3, 1)
    asyncio.run(what.run(store, model=model, progress=False))
    frame = units_frame(what, store)
    drawn = frame.groupby(["topic", "heat"])["draw"].nunique()
    assert drawn.tolist() == [1, 3, 1, 3] and frame["draw"].nunique() == 8
    assert frame["score"].isna().sum() == 8 and "score (record)" not in frame
    asked = calls_frame(what, store)
    assert asked["prompt"][0] == "user: x a" and asked["reply"][0] == "re x a"
    assert len(asked) == 24


@dataclass(frozen=True)
class Outcome:
    share: float
    plan: tuple[int, ...] = (1, 2)
    rounds: int = 3


def test_a_frame_has_settings_status_and_the_fields_of_the_record(store):
    async def study(rng, rule, size=1):
        if rule == "b":
            raise ValueError("no")
        plain = {"share": 0.1, "rule": rule, "size": 9}
        return Outcome(size / 2) if size > 1 else plain

    what = Sweep("s", study, {"rule": ["a", "b"], "size": [1, 2]}, 2, 7)
    asyncio.run(what.run(store, progress=False))
    frame = units_frame(replace(what, repetitions=3), store)
    done, failed = ["done"] * 2 + ["missing"], ["failed"] * 2 + ["missing"]
    assert frame["status"].tolist() == done * 2 + failed * 2
    assert frame["draw"].dropna().tolist() == [0, 1, 2, 3]  # they asked nobody
    assert frame["share"].dropna().tolist() == [0.1, 0.1, 1.0, 1.0]
    assert frame["plan"][3] == "[1, 2]"
    assert frame["size (record)"].dropna().tolist() == [9, 9]


GRIDS = {
    roundtable_exchange: {"rule": ["ranked"], "seats": ["mixed"], "rounds": [2]},
    fair_decisions: {"rounds": [2]},
    meeting_coordination: {"members": [3], "options": [2]},
    seminar: {"until": [3]},
}


@pytest.mark.parametrize("study", GRIDS, ids=lambda study: study.__name__)
def test_two_runs_are_exported_to_the_same_bytes(study, tmp_path):
    files, sweep = [], Sweep("s", study, GRIDS[study], 2, seed=5)
    metrics = pd.DataFrame({"auc@10": [0.5]})
    for run, concurrency in (("one", 1), ("two", 8)):
        store, found = Store(tmp_path / f"{run}.sqlite"), {}
        asyncio.run(sweep.run(store, concurrency=concurrency, progress=False))
        for kind in ("csv", "parquet"):
            paths = export(sweep, store, tmp_path / run, kind, metrics=metrics)
            found |= {path.name: path.read_bytes() for path in paths}
        files.append(found)
    assert files[0] == files[1] and len(files[0]) == 5
    assert b"auc_10" in files[0]["metrics.csv"]
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
