"""Tidy frames: a row a unit, a call, a message; and files of them."""

import asyncio
import math
from contextlib import closing
from dataclasses import dataclass

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
    things_frame,
    units_frame,
)
from support.runs.study import Store
from support.runs.sweep import Sweep
from support.seminar.study import seminar

WAITS = (Fault("429", "wait", 1.5), Fault("500", "ill", 0.5), Fault("learnt", "so"))
PAID = Call("k1", "m", "there", 0, 100, 0, 20, usd=0.25, thinking_tokens=5)
CACHED = Call("k2", "m", "there", prompt_tokens=100, usd=0.0, cached=True)
UNPRICED = Call("k3", "own", "there", prompt_tokens=7, completion_tokens=3)
SLOW = Call("k4", "m", "there", repair=1, prompt_tokens=15, usd=0.5, faults=WAITS)
LOST = Call("k5", "m", "there", faults=WAITS[:1], error="Filtered: no")
HI = Message("Ana", ("Ben",), "Hi", ("accept",))
HO = Message("Ben", ("Ana",), "Ho")
ENTRY = Round(1, (HI, HO), (), (), (), None, (), "", None)
RECORD = Transcript({}, "a", {}, (ENTRY,))


async def study(rng, rule, model="m", draw=0):
    return RECORD


def sweep(repetitions=2, **grid):
    return Sweep("s", study, grid or {"rule": ["a", "b"]}, repetitions, 7)


def run(what, store, **options):
    asyncio.run(what.run(store, progress=False, **options))


@pytest.fixture
def played(store):
    """Of four units two are done, one has failed, one is missing."""
    first, second, _, last = sweep().units()
    store.add(last, RECORD, 9.0, [CACHED, UNPRICED])
    store.add(first, RECORD, 4.0, [PAID, SLOW])
    store.add(second, ValueError("broken"), 1.0, [LOST])
    return store


EXPECTED = """\
rule,repetition,status,error,seconds,replies,format_errors,calls,cached,repairs,misfits,\
faults,unanswered,filtered,tokens,thinking_tokens,dollars,answered_by,draw
a,0,done,,4.0,0,0,2,0,1,0,2,0,0,135,5,0.75,m,0
a,1,failed,ValueError: broken,1.0,0,0,1,0,0,0,1,1,1,0,0,,m,
b,0,missing,,,0,0,0,0,0,0,0,0,0,0,0,,,
b,1,done,,9.0,0,0,2,1,0,0,0,0,0,10,0,0.0,"m,own",1
"""  # what was learnt is no fault, and what was cached was not sent


def test_a_row_for_every_unit_of_the_grid_the_missing_ones_included(played):
    columns = EXPECTED.partition("\n")[0].split(",")
    frame = units_frame(sweep(), played)
    assert frame[columns].to_csv(index=False) == EXPECTED


def test_units_of_another_grid_are_left_out(played):
    other = sweep(1, rule=["a"])
    assert len(units_frame(other, played)) == 1
    assert len(calls_frame(other, played)) == 2


def test_a_row_for_every_call_with_its_faults(played):
    frame = calls_frame(sweep(), played)
    assert frame["rule"].tolist() == ["b", "b", "a", "a", "a"]
    assert frame["number"].tolist() == [0, 1, 0, 1, 0]
    assert frame["waited"].tolist() == [0, 0, 0, 2.0, 1.5]
    assert frame["faults"].tolist()[-2:] == ["429; 500; learnt", "429"]
    assert frame["error"].tolist()[-1] == "Filtered: no"


def test_a_setting_that_is_named_like_a_column_is_set_apart(played):
    named = sweep(1, rule=["a"], model=["x"], draw=[5])
    played.add(next(named.units()), RECORD, 1.0, [PAID])
    [call] = calls_frame(named, played).to_dict("records")
    assert (call["model (setting)"], call["model"]) == ("x", "m")
    [unit] = units_frame(named, played).to_dict("records")
    assert (unit["draw (setting)"], unit["draw"]) == (5, 0)


def test_a_row_for_each_message_behind_settings_repetition_and_round(played):
    frame = messages_frame(sweep(), played)
    front = ["rule", "repetition", "round", "sender", "recipients", "text"]
    assert list(frame.columns[:6]) == front
    assert frame["text"].tolist() == ["Hi", "Ho"] * 2
    assert frame["acts"][0] == '["accept"]'


def test_things_of_a_round_have_a_row_each_behind_settings_and_round(store):
    coordination = Sweep("c", meeting_coordination, GRIDS[meeting_coordination], 1, 5)
    run(coordination, store)
    [(_, record)] = coordination.records(store)
    options = things_frame(coordination, store, "options")
    told = [(e.number, o.slot) for e in record.rounds for o in e.options]
    assert [*zip(options["round"], options["slot"], strict=True)] == told


async def talk(rng, topic, heat=0.0, repetition=0, model=None):
    settings = {"temperature": heat, "repetition": repetition if heat else 0}
    for part in "ab":
        said = await model.reply(f"{topic} {part}", **settings)
    return {"said": said.text, "score": math.nan if repetition else 0.5}


def test_units_that_asked_the_very_same_are_one_draw(store):
    def answer(messages):
        return f"re {messages[-1]['content']}"

    what = Sweep("t", talk, {"topic": ["x", "y"], "heat": [0.0, 0.7]}, 3, 1)
    run(what, store, model=scripted(answer, cache=Cache(store.path)))
    frame = units_frame(what, store)
    drawn = frame.groupby(["topic", "heat"])["draw"].nunique()
    assert drawn.tolist() == [1, 3, 1, 3] and frame["draw"].nunique() == 8
    assert frame["score"].isna().sum() == 8 and "score (record)" not in frame
    asked = calls_frame(what, store)
    assert len(asked) == 24
    assert asked["prompt"][0] == "user: x a" and asked["reply"][0] == "re x a"


@dataclass(frozen=True)
class Outcome:
    share: float
    plan: tuple[int, ...] = (1, 2)
    rounds: int = 3


async def shared(rng, rule, size=1):
    if rule == "b":
        raise ValueError("no")
    if size > 1:
        return Outcome(size / 2)
    return {"share": 0.1, "rule": rule, "size": 9}


def test_a_frame_has_the_fields_of_the_record_and_marks_those_that_are_taken(store):
    what = Sweep("s", shared, {"rule": ["a", "b"], "size": [1, 2]}, 2, 7)
    run(what, store)
    frame = units_frame(what, store)
    assert frame["status"].tolist() == ["done"] * 4 + ["failed"] * 4
    assert frame["draw"].dropna().tolist() == [0, 1, 2, 3]  # they asked nobody
    assert frame["share"].dropna().tolist() == [0.1, 0.1, 1.0, 1.0]
    assert frame["plan"][2] == "[1, 2]"
    assert frame["size (record)"].dropna().tolist() == [9, 9]
    assert "rule (record)" not in frame


GRIDS = {
    roundtable_exchange: {"rule": ["ranked"], "seats": ["mixed"], "rounds": [2]},
    fair_decisions: {"rounds": [2]},
    meeting_coordination: {"members": [3], "options": [2]},
    seminar: {"until": [3]},
}


@pytest.mark.parametrize("study", GRIDS, ids=lambda study: study.__name__)
def test_two_runs_are_exported_to_the_same_bytes(study, tmp_path):
    what = Sweep("s", study, GRIDS[study], 2, seed=5)
    metrics = pd.DataFrame({"auc@10": [0.5]})
    found = []
    for at_once in (1, 8):
        folder, files = tmp_path / str(at_once), {}
        with closing(Store(folder / "study.sqlite")) as opened:
            run(what, opened, concurrency=at_once)
            for kind in ("csv", "parquet"):
                for path in export(what, opened, folder, kind, metrics=metrics):
                    files[path.name] = path.read_bytes()
        found.append(files)
    assert found[0] == found[1] and len(found[0]) == 5
    assert b"auc_10" in found[0]["metrics.csv"]
    assert len(found[0]["records.jsonl"].splitlines()) == 2


class Judge:
    name = "strict"


async def judged(rng, judge, prompts=None, model=None):
    said = await model.reply(f"{rng.integers(9**9)}")
    return {"said": said.text, "score": math.nan}


def test_labels_are_names_and_prompts_are_exported_with_who_was_asked(store, tmp_path):
    (tmp_path / "curt").mkdir()
    grid = {"judge": [Judge], "prompts": [None, tmp_path / "curt"]}
    what = Sweep("t", judged, grid, 1, 1)
    run(what, store, model=scripted(lambda _: "yes", cache=Cache(store.path)))
    frame = what.frame(store)
    assert frame["prompts"].tolist() == ["default", "curt"]
    assert set(frame["judge"]) == {"Judge"} and frame["judge source"].nunique() == 1
    assert list(frame.filter(like="score")) == ["score"]
    for kind in ("jsonl", "csv", "parquet"):
        export(what, store, tmp_path / kind, kind, prompts=True)
    rows = pd.read_json(tmp_path / "jsonl" / "calls.jsonl", lines=True)
    assert rows["reply"].tolist() == ["yes", "yes"]
    assert rows["prompt"].str.startswith("user: ").all()
