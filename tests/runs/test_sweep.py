"""A sweep: what is run, in which streams, and what happens when it is interrupted,
extended or fails."""

import asyncio
from contextlib import closing
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import errors
from support.errors import InvalidInput, PromptError
from support.runs.study import Store
from support.runs.sweep import Sweep

DONE = []


@pytest.fixture(autouse=True)
def _nothing_done():
    DONE.clear()


async def draw(rng, rule="a", size=1, repetition=0, pause=0.0):
    """A study: two draws, taken with a pause between them."""
    first = rng.random()
    await asyncio.sleep(pause * first)
    DONE.append((rule, size, repetition))
    return {"draws": [first, rng.random()], "size": size, "repetition": repetition}


async def fragile(rng, rule, broken=frozenset()):
    if rule in broken:
        raise ZeroDivisionError(f"{rule} is broken")
    return {"draw": rng.random()}


async def locked(rng, number, door):
    await asyncio.sleep(0.001 * number)
    if number >= 3 and door.shut:
        raise door.shut("to be mended")
    return {"draw": rng.random(), "number": number}


GRID = {"rule": ["a", "b"], "size": [1, 2]}


def sweep(study=draw, repetitions=3, seed=7, paired=(), **grid):
    return Sweep("s", study, grid or GRID, repetitions, seed, paired)


def run(what, where, **options):
    return asyncio.run(what.run(where, progress=False, **options))


def results(where):
    return {(u.text, u.repetition): record for u, record in where.records("s")}


def test_paired_settings_share_their_streams():
    paired, streams = sweep(paired=["rule"]), {"a": [], "b": []}
    for unit in paired.units():
        streams[unit.settings["rule"]].append(paired.rng(unit).random())
    assert streams["a"] == streams["b"] and len(set(streams["a"])) == 6


def test_the_order_of_settings_and_values_changes_no_stream():
    other = sweep(size=[2, 1], rule=["b", "a"])
    drawn = {unit: sweep().rng(unit).random() for unit in sweep().units()}
    assert drawn == {unit: other.rng(unit).random() for unit in other.units()}


@settings(max_examples=6)
@given(st.sets(st.integers(0, 11)))
def test_property_a_resumed_sweep_does_only_what_is_missing_and_ends_alike(
    tmp_path_factory, lost
):
    with closing(Store(tmp_path_factory.mktemp("s") / "study.sqlite")) as opened:
        run(sweep(), opened)
        whole, units = results(opened), list(sweep().units())
        with opened._db as db:
            gone = [(units[i].text, units[i].repetition) for i in lost]
            db.executemany(
                "DELETE FROM units WHERE settings = ? AND repetition = ?", gone
            )
        DONE.clear()
        assert run(sweep(), opened).done == len(lost) == len(DONE)
        assert results(opened) == whole


def test_an_extended_grid_keeps_the_results_that_it_has(store):
    run(sweep(rule=["a"], size=[1]), store)
    before = results(store)
    count = run(sweep(rule=["a", "b"], size=[2, 1], repetitions=5), store)
    assert (count.done, count.skipped) == (17, 3)
    assert before.items() <= results(store).items()


def test_the_name_of_another_sweep_is_refused_and_nothing_is_done(store):
    run(sweep(), store)
    DONE.clear()
    others = {
        "seed 7": {"seed": 8},
        "paired": {"paired": ["rule"]},
        "settings": {"rule": ["a"]},
        "study '.*draw' where '.*fragile'": {"study": fragile, "rule": ["a"]},
    }
    for said, other in others.items():
        with pytest.raises(InvalidInput, match=said + ".* is asked for"):
            run(sweep(**other), store)
    assert DONE == [] and len(results(store)) == 12


def test_a_cancelled_run_keeps_what_was_finished(store):
    async def interrupted():
        task = asyncio.create_task(
            sweep().run(store, progress=False, concurrency=2, pause=0.02)
        )
        while len(DONE) < 4:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())
    kept = len(results(store))
    assert 4 <= kept < 12 and len(store.units("s")) == kept
    assert run(sweep(), store, pause=0.02).done == 12 - kept


def test_failed_units_are_done_again_only_on_request(store):
    what = sweep(fragile, rule=["a", "b"])
    run(what, store, broken=frozenset("b"))
    assert run(what, store).skipped == 6
    retried = run(what, store, retry_failed=True)
    assert (retried.done, retried.skipped) == (3, 3)
    for unit, record in store.records("s"):
        assert record["draw"] == what.rng(unit).random()


# -- what is refused before anything runs ----------------------------------------------

BAD = {
    "unexpected keyword argument 'rules'; the study takes rng, rule": {"rules": [1]},
    "unexpected keyword argument 'role'": {"paired": ["role"]},
    "expected a list with at least one value": {"rule": []},
    "rule='majority' given; expected a list": {"rule": "majority"},
    "repetitions=0: expected a whole number from 1": {"repetitions": 0},
    "seed=True": {"seed": True},
    "missing a required .*: 'door'": {"study": locked, "number": [1]},
}
WRONG = {
    "rule: it is in the grid already": {"rule": "b"},
    "concurrency=0": {"concurrency": 0},
    "put it into the grid": {"prompts": "here"},
}


def test_what_does_not_fit_is_refused_before_anything_runs(store):
    for said, bad in BAD.items():
        with pytest.raises(InvalidInput, match=said):
            run(sweep(**bad), store)
    for said, bad in WRONG.items():
        with pytest.raises(InvalidInput, match=said):
            run(sweep(), store, **bad)
    assert not store.units("s") and not DONE


async def prompted(rng, prompts=None):
    return {"read": (prompts / "a.md.j2").read_text()}


def test_a_set_of_prompts_that_there_is_not_is_told():
    with pytest.raises(PromptError, match="'plane' given; expected plain, guided, or"):
        Sweep("p", prompted, {"prompts": ["plane"]}, 1, 1)


def test_a_folder_of_prompts_is_a_setting_with_a_digest_of_its_files(store, tmp_path):
    file = tmp_path / "warm" / "a.md.j2"
    file.parent.mkdir()
    read = []
    for text in ("Dear", "Dear", "Dearest"):
        file.write_text(text)
        made = Sweep("p", prompted, {"prompts": [file.parent]}, 1, 1)
        read.append(run(made, store).done)
        [(unit, record)] = made.records(store)
        assert unit.settings["prompts"]["name"] == "warm"
        assert record == {"read": text}
    assert read == [1, 0, 1]


STOPS = ["ModelUnavailable", "CacheMiss", "MissingData", "DiskFull", "FileInUse"]


@pytest.mark.parametrize("name", STOPS)
def test_what_has_to_be_mended_outside_stops_the_run_and_fails_no_unit(store, name):
    door = SimpleNamespace(shut=getattr(errors, name))
    what = sweep(locked, repetitions=1, number=list(range(8)))
    with pytest.raises(door.shut, match="to be mended"):
        run(what, store, concurrency=1 if name == "CacheMiss" else 4, door=door)
    assert len(results(store)) == 3
    door.shut = None
    assert run(what, store, door=door).done == 5
