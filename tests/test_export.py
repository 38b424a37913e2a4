"""Tables and files of a sweep, equal byte for byte however often the sweep was killed."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import support
from support.errors import InvalidInput
from support.export import TABLES, export, flatten, tables, write_jsonl
from support.records import Ballot, Candidate, Decision, FormatError, Message, Proposal, Round, Transcript
from support.store import Store, Unit, from_json
from support.studies import roundtable_exchange
from support.sweep import Sweep

KILL_SEED = 20_241  # of the three moments at which the sweep is killed
SWEEP = Sweep(
    "killed", roundtable_exchange, {"rule": ["majority", "ranked", "cumulative"], "seats": ["mixed"]}, 20, 11, ["rule"]
)
PROGRAM = """
import asyncio, sys
from support.store import Store
from support.studies import roundtable_exchange
from support.sweep import Sweep
grid = {"rule": ["majority", "ranked", "cumulative"], "seats": ["mixed"]}
asyncio.run(Sweep("killed", roundtable_exchange, grid, 20, 11, ["rule"]).run(Store(sys.argv[1]), progress=False))
"""
VALUE = ((60.0, 40.0), (40.0, 60.0))
ENTRY = Round(
    1,
    (Message("Ana", ("Ben",), 'she said "yes", twice\n', ("accept",)),),
    (Proposal("Ana", VALUE, "private"),),
    (Candidate("P1", VALUE, ("Ana",)),),
    (Ballot("Ana", "P1"), Ballot("Ben", None), Ballot("Cleo", (("P1", 2.0),))),
    "P1",
    (("P1", "3/2"),),
    "P1 wins.",
    Decision("P1", VALUE, 1),
    (FormatError("Ben", "vote", "no form"),),
    replies=2,
)
RECORD = Transcript({}, "a", {"Ana": "linear"}, (ENTRY,))


def unit(repetition=0, **settings):
    return Unit("s", json.dumps(settings or {"rule": "a", "seats": ["x", "y"]}, sort_keys=True), repetition)


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def exported(store, sweep, folder):
    """The bytes of all files of an export, in both formats."""
    for kind in ("parquet", "csv"):
        export(store, sweep, folder, format=kind)
    return files(folder)


# -- tables ---------------------------------------------------------------------------------------------------------


def test_every_row_starts_with_the_settings_the_repetition_and_the_round():
    for name, frame in flatten([(unit(4), RECORD)]).items():
        assert list(frame.columns[:4]) == ["rule", "seats", "repetition", "round"], name
        assert frame.iloc[0, :4].tolist() == ["a", '["x", "y"]', 4, 1]


def test_there_is_one_row_for_each_thing_that_happened():
    found = flatten([(unit(0), RECORD), (unit(1), RECORD)])
    assert {name: len(frame) for name, frame in found.items()} == {
        "rounds": 2, "messages": 2, "proposals": 2, "candidates": 2, "ballots": 6, "format_errors": 2
    }  # fmt: skip
    assert list(found) == list(TABLES["Transcript"])


def test_cells_hold_what_happened():
    found = flatten([(unit(), RECORD)])
    entry, message, proposal = (found[name].iloc[0] for name in ("rounds", "messages", "proposals"))
    assert (entry["winner"], entry["decision"], entry["decided_in"], entry["replies"]) == ("P1", "P1", 1, 2)
    assert json.loads(entry["scores"]) == {"P1": "3/2"}
    assert (message["sender"], json.loads(message["recipients"]), json.loads(message["acts"])) == (
        "Ana", ["Ben"], ["accept"]
    )  # fmt: skip
    assert json.loads(proposal["value"]) == [[60.0, 40.0], [40.0, 60.0]]
    choices = found["ballots"]["choice"].tolist()
    assert choices[0] == "P1"
    assert pd.isna(choices[1])
    assert json.loads(choices[2]) == [["P1", 2.0]]
    assert found["format_errors"].loc[0, ["agent", "phase", "detail"]].tolist() == ["Ben", "vote", "no form"]


def test_tables_can_be_asked_for_by_setting(store):
    for rule in ("a", "b"):
        store.add(unit(rule=rule), RECORD)
    assert tables(store, "s", rule="b")["rounds"]["rule"].tolist() == ["b"]


# -- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "read"), [("parquet", pd.read_parquet), ("csv", pd.read_csv)])
def test_files_hold_the_tables(store, tmp_path, kind, read):
    store.add(unit(), RECORD)
    paths = export(store, "s", tmp_path / "out", format=kind)
    assert [p.name for p in paths] == [*(f"{n}.{kind}" for n in ("units", *TABLES["Transcript"])), "transcripts.jsonl"]
    for name, frame in tables(store, "s").items():
        stored = read(tmp_path / "out" / f"{name}.{kind}")
        stored, made = (f.astype(object).where(f.notna(), "") for f in (stored, frame))  # CSV knows no None
        pd.testing.assert_frame_equal(stored, made)


def test_transcripts_as_json_lines_can_be_read_back(store, tmp_path):
    store.add(unit(0), RECORD)
    store.add(unit(1), RECORD)
    lines = write_jsonl(store, "s", tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    heads = [json.loads(line) for line in lines]
    assert [(h["settings"], h["repetition"]) for h in heads] == [
        ({"rule": "a", "seats": ["x", "y"]}, r) for r in (0, 1)
    ]
    assert [from_json("Transcript", json.dumps(h["record"])) for h in heads] == [RECORD, RECORD]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_sweep_of_failures_only_is_exported_with_its_errors(store, tmp_path, kind):
    store.fail(unit(), ValueError("too hot"))
    export(store, "s", tmp_path / "out", format=kind)
    units = (pd.read_csv if kind == "csv" else pd.read_parquet)(tmp_path / "out" / f"units.{kind}")
    assert units["error"].tolist() == ["ValueError: too hot"]
    assert (tmp_path / "out" / "transcripts.jsonl").read_bytes() == b""


def test_seconds_are_written_on_request_only(store, tmp_path):
    store.add(unit(), RECORD, seconds=2.5)
    assert "seconds" not in pd.read_parquet(export(store, "s", tmp_path)[0])
    assert pd.read_parquet(export(store, "s", tmp_path, timing=True)[0])["seconds"].tolist() == [2.5]


def test_an_unknown_format_or_sweep_is_refused(store, tmp_path):
    with pytest.raises(InvalidInput, match="format: 'xlsx' given; expected 'parquet' or 'csv'"):
        export(store, "s", tmp_path, format="xlsx")
    with pytest.raises(InvalidInput, match="sweep: 's' is not in"):
        export(store, "s", tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_how_long_a_unit_took_and_when_it_was_done_do_not_show(tmp_path):
    found = []
    for order in ([0, 1, 2], [2, 0, 1]):
        opened = Store(tmp_path / f"{order[0]}.sqlite")
        for repetition in order:
            opened.add(unit(repetition), RECORD, seconds=repetition + order[0])
        found.append(exported(opened, "s", tmp_path / f"out {order[0]}"))
        opened.close()
    assert found[0] == found[1]


# -- killed and resumed ----------------------------------------------------------------------------------------------


def units_done(path):
    """How many units a file holds, read while another process writes."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as reading:
            return reading.execute("SELECT count(*) FROM units").fetchone()[0]
    except sqlite3.OperationalError:  # not there yet
        return 0


def start_and_kill(path, after, pause):
    """Run the sweep in a process of its own; SIGKILL it `pause` seconds after it has stored `after` units."""
    root = str(Path(support.__file__).parent.parent)
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(path)], env={**os.environ, "PYTHONPATH": root})
    try:
        deadline = time.monotonic() + 60
        while units_done(path) < after and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(pause)
    finally:
        process.kill()
    return process.wait()


def test_a_sweep_killed_three_times_exports_the_bytes_of_one_that_was_not(tmp_path):
    whole, killed = tmp_path / "whole.sqlite", tmp_path / "killed.sqlite"
    rng = np.random.default_rng(KILL_SEED)
    moments = [low + int(rng.integers(0, 10)) for low in (3, 18, 35)]
    for after in moments:
        assert start_and_kill(killed, after, pause=rng.uniform(0, 0.02)) == -9
        assert after <= units_done(killed) < 60
    found = {}
    for path in (whole, killed):
        opened = Store(path)
        count = asyncio.run(SWEEP.run(opened, progress=False))
        assert count["done"] + count["skipped"] == 60
        assert (count["skipped"] >= moments[-1]) == (path == killed)
        found[path] = exported(opened, "killed", tmp_path / path.stem)
        opened.close()
    assert len(found[whole]) == 2 * 7 + 1
    assert found[killed] == found[whole]
