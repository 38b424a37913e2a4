"""Tables and files of a sweep: tidy, equal byte for byte, and read back by pandas."""

import asyncio
import json
from dataclasses import dataclass, replace

import pandas as pd
import pytest
from pydantic import BaseModel

from support.errors import InvalidInput
from support.fair_decisions.study import fair_decisions
from support.meetings.study import meeting_coordination
from support.play import FormatError
from support.roundtable.records import (
    Ballot,
    Candidate,
    Decision,
    Message,
    Proposal,
    Round,
    Transcript,
)
from support.roundtable.study import roundtable_exchange
from support.runs.export import TABLES, export, flatten, tables
from support.runs.study import Store, Unit, from_json
from support.runs.sweep import Sweep
from support.seminar.study import seminar

READ = {"parquet": pd.read_parquet, "csv": pd.read_csv}
VALUE = ((60.0, 40.0), (40.0, 60.0))
ENTRY = Round(
    1, (Message("Ana", ("Ben",), 'she said "yes", twice\n', ("accept",)),), (Proposal("Ana", VALUE, "private"),),
    (Candidate("P1", VALUE, ("Ana",)),), (Ballot("Ana", "P1"), Ballot("Ben", None), Ballot("Cleo", (("P1", 2.0),))),
    "P1", (("P1", "3/2"),), "P1 wins.", Decision("P1", VALUE, 1), (FormatError("Ben", "vote", "no form"),), replies=2,
)  # fmt: skip
RECORD = Transcript({}, "a", {"Ana": "linear"}, (ENTRY,))


def unit(repetition=0, **settings):
    return Unit("s", json.dumps(settings, sort_keys=True), repetition)


def test_a_row_for_each_thing_that_happened_behind_settings_repetition_and_round():
    found = flatten(
        [(unit(number, rule="a", seats=["x", "y"]), RECORD) for number in (3, 4)]
    )
    assert [len(found[name]) for name in TABLES["Transcript"]] == [2, 2, 2, 2, 6, 2]
    for frame in found.values():
        assert list(frame.columns[:4]) == ["rule", "seats", "repetition", "round"]
        assert frame.iloc[-1, :4].tolist() == ["a", '["x", "y"]', 4, 1]
    entry, choices = found["rounds"].iloc[0], found["ballots"]["choice"].tolist()
    assert (entry["decision"], entry["decided_in"], json.loads(entry["scores"])) == (
        "P1",
        1,
        {"P1": "3/2"},
    )
    assert (
        choices[0] == "P1"
        and pd.isna(choices[1])
        and json.loads(choices[2]) == [["P1", 2.0]]
    )


@pytest.mark.parametrize("kind", READ)
def test_files_hold_the_tables_and_an_empty_one_has_its_columns(store, tmp_path, kind):
    store.add(unit(rule="a"), RECORD)
    store.add(
        unit(rule="b"), replace(RECORD, rounds=(replace(ENTRY, format_errors=()),))
    )
    export(store, "s", tmp_path, format=kind)
    for name, frame in tables(store, "s").items():
        stored, made = (
            f.astype(object).where(f.notna(), "")
            for f in (READ[kind](tmp_path / f"{name}.{kind}"), frame)
        )
        pd.testing.assert_frame_equal(stored, made)  # CSV knows no None
    empty = tables(store, "s", rule="b")["format_errors"]
    assert len(empty) == 0 and empty.columns.tolist() == [
        "rule",
        "repetition",
        "round",
        "agent",
        "phase",
        "detail",
    ]
    store.fail(Unit("failed", "{}", 0), ValueError("too hot"))
    *paths, lines = export(store, "failed", tmp_path, format=kind)
    units, *others = (READ[kind](path) for path in paths)
    assert units["error"].tolist() == ["ValueError: too hot"] and not lines.read_bytes()
    assert all(len(frame) == 0 and len(frame.columns) > 2 for frame in others)


@dataclass(frozen=True)
class Vote:
    rule: str
    ranks: tuple[int, ...]


class Ballots(BaseModel):
    rule: str
    ranks: list[int]


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize(
    "made",
    [
        {"rule": "b", "ranks": [1, 2]},
        Vote("b", (1, 2)),
        Ballots(rule="b", ranks=[1, 2]),
    ],
)
def test_any_other_record_is_a_row_and_columns_of_frames_of_one_s_own_take_formulas(
    made, store, tmp_path, kind
):
    store.add(unit(rule="a"), made, seconds=1.0)
    paths = export(
        store, "s", tmp_path, format=kind, metrics=pd.DataFrame({"auc@10": [0.5]})
    )
    assert [path.stem for path in paths] == [
        "units",
        "records",
        "metrics",
        "transcripts",
    ]
    units, records, metrics = (READ[kind](path) for path in paths[:-1])
    assert records.to_dict("records") == [
        {"rule": "a", "repetition": 0, "rule (record)": "b", "ranks": "[1, 2]"}
    ]
    assert metrics.columns.tolist() == ["auc_10"] and "seconds" not in units


GRIDS = {
    roundtable_exchange: {"rule": ["ranked"], "seats": ["mixed"], "rounds": [2]}, fair_decisions: {"rounds": [2]},
    meeting_coordination: {"members": [3], "options": [2]}, seminar: {"until": [3]},
}  # fmt: skip


@pytest.mark.parametrize("study", GRIDS, ids=lambda study: study.__name__)
def test_two_runs_are_exported_to_the_same_bytes_and_read_back(study, tmp_path):
    files, sweep = [], Sweep("s", study, GRIDS[study], 2, seed=5)
    for run, concurrency in (("one", 1), ("two", 8)):
        store = Store(tmp_path / f"{run}.sqlite")
        asyncio.run(sweep.run(store, concurrency=concurrency, progress=False))
        paths = [
            path
            for kind in READ
            for path in export(store, "s", tmp_path / run, format=kind)
        ]
        files.append({path.name: path.read_bytes() for path in paths})
    [(kind,)] = store.select("SELECT DISTINCT kind FROM units")
    assert files[0] == files[1] and len(files[0]) == 2 * (1 + len(TABLES[kind])) + 1
    lines = files[0]["transcripts.jsonl"].decode().splitlines()
    for line, (_, made) in zip(lines, sweep.records(store), strict=True):
        assert from_json(kind, json.dumps(json.loads(line)["record"])) == made


def test_an_unknown_format_or_sweep_is_refused_and_nothing_is_written(store, tmp_path):
    for more in ({}, {"format": "xlsx"}):
        with pytest.raises(
            InvalidInput,
            match=r"'s' is not in|format: 'xlsx' given; expected 'parquet' or 'csv'",
        ):
            export(store, "s", tmp_path / "nothing", **more)
    assert not (tmp_path / "nothing").exists()
