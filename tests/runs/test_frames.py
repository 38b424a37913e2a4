"""Tidy frames: a row a unit, a call, a message; and files of them."""

import asyncio
from contextlib import closing

import pandas as pd
import pytest

from support.errors import InvalidInput
from support.fair_decisions.study import fair_decisions
from support.meetings.study import meeting_coordination
from support.models.calls import Call, Fault
from support.roundtable.records import Message, Round, Transcript
from support.roundtable.study import roundtable_exchange
from support.runs.frames import (
    calls_frame,
    export,
    units_frame,
)
from support.runs.study import Store
from support.runs.sweep import Sweep
from support.seminar.study import seminar

WAITS = [Fault("429", "wait", 1.5), Fault("500", "ill", 0.5), Fault("learnt", "so")]
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


def test_a_row_for_every_call_with_its_faults(played):
    frame = calls_frame(sweep(), played)
    assert frame["rule"].tolist() == ["b", "b", "a", "a", "a"]
    assert frame["number"].tolist() == [0, 1, 0, 1, 0]
    assert frame["waited"].tolist() == [0, 0, 0, 2.0, 1.5]
    assert frame["faults"].tolist()[-2:] == ["429; 500; learnt", "429"]
    assert frame["error"].tolist()[-1] == "Filtered: no"


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


def test_a_format_or_a_place_that_there_is_not_is_named_with_those_that_there_are(
    tmp_path,
):
    what = Sweep("s", roundtable_exchange, {"rule": ["majority"]}, 1, seed=5)
    with closing(Store(tmp_path / "study.sqlite")) as opened:
        with pytest.raises(InvalidInput, match=r"xlsx.*csv, parquet"):
            export(what, opened, tmp_path, "xlsx")
        with pytest.raises(InvalidInput, match=r"on: 3 given.*dask"):
            run(what, opened, on=3)
