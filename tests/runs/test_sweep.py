"""A sweep: what is run, in which streams, and what happens when it is interrupted, extended or fails."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput, ModelUnavailable
from support.records import Transcript
from support.runs.study import Store
from support.runs.sweep import Sweep
from support.studies import roundtable_exchange

DONE = []


@pytest.fixture(autouse=True)
def _nothing_done():
    DONE.clear()


async def draw(rng, rule="a", size=1, repetition=0, pause=0.0):
    """A study: two draws, taken with a pause between them."""
    first = rng.random()
    await asyncio.sleep(pause * first)
    DONE.append((rule, size, repetition))
    return Transcript({"draws": [first, rng.random()]}, rule, {}, (), {"size": size, "repetition": repetition})


async def fragile(rng, rule, broken=frozenset()):
    if rule in broken:
        raise ZeroDivisionError(f"{rule} is broken")
    return Transcript({"draw": rng.random()}, rule, {}, ())


class Door:
    """What a unit depends on and has no say in."""

    works = True


async def keyless(rng, number, door):
    await asyncio.sleep(0.001 * number)
    if number >= 3 and not door.works:
        raise ModelUnavailable("the key is wrong")
    return Transcript({"draw": rng.random()}, "a", {}, (), {"number": number})


def sweep(study=draw, repetitions=3, seed=7, paired=(), **grid):
    return Sweep("s", study, grid or {"rule": ["a", "b"], "size": [1, 2]}, repetitions, seed, paired)


def run(what, where, **options):
    return asyncio.run(what.run(where, progress=False, **options))


def results(where):
    return {(u.text, u.repetition): record for u, record in where.records("s")}


def test_paired_settings_share_their_streams():
    paired = sweep(paired=["rule"])
    by_unit = {(u.text, u.repetition): paired.rng(u).random() for u in paired.units()}
    a, b = ([d for (s, r), d in by_unit.items() if json.loads(s)["rule"] == rule] for rule in ("a", "b"))
    assert a == b
    assert len(set(a)) == 6


def test_the_order_of_settings_and_of_values_does_not_change_a_stream():
    forward = sweep()
    backward = sweep(size=[2, 1], rule=["b", "a"])
    assert {u: forward.rng(u).random() for u in forward.units()} == {
        u: backward.rng(u).random() for u in backward.units()
    }


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 12))
def test_property_concurrency_does_not_change_a_result(tmp_path_factory, concurrency):
    found = []
    for at_once in (1, concurrency):
        opened = Store(tmp_path_factory.mktemp("s") / "study.sqlite")
        run(sweep(), opened, concurrency=at_once, pause=0.002)
        found.append(results(opened))
        opened.close()
    assert found[0] == found[1]
    assert len(found[0]) == 12


@settings(max_examples=10, deadline=None)
@given(st.sets(st.integers(0, 11)))
def test_property_a_resumed_sweep_does_only_what_is_missing_and_ends_alike(tmp_path_factory, lost):
    opened = Store(tmp_path_factory.mktemp("s") / "study.sqlite")
    run(sweep(), opened)
    whole = results(opened)
    units = list(sweep().units())
    with opened._db:
        opened._db.executemany(
            "DELETE FROM units WHERE settings = ? AND repetition = ?",
            [(units[i].text, units[i].repetition) for i in lost],
        )
    DONE.clear()
    assert run(sweep(), opened)["done"] == len(lost) == len(DONE)
    assert results(opened) == whole
    opened.close()


def test_an_extended_grid_keeps_the_results_that_it_has(store):
    run(sweep(rule=["a"], size=[1]), store)
    before = results(store)
    count = run(sweep(rule=["a", "b"], size=[2, 1], repetitions=5), store)
    assert (count["done"], count["skipped"]) == (17, 3)
    assert {k: v for k, v in results(store).items() if k in before} == before
    assert DONE.count(("a", 1, 0)) == 1


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"seed": 8}, "seed 7 where 8 is asked for"),
        ({"paired": ["rule"]}, r"paired \[\] where \['rule'\] is asked for"),
        ({"study": fragile, "rule": ["a"]}, "study '.*draw' where '.*fragile' is asked for"),
        ({"rule": ["a"]}, r"settings \['rule', 'size'\] where \['rule'\] is asked for"),
    ],
)
def test_the_name_of_another_sweep_is_refused_and_nothing_is_done(store, other, said):
    run(sweep(), store)
    DONE.clear()
    with pytest.raises(InvalidInput, match=said):
        run(sweep(**other), store)
    assert DONE == []
    assert len(results(store)) == 12


def test_a_cancelled_run_keeps_what_was_finished(store):
    async def interrupted():
        task = asyncio.create_task(sweep().run(store, progress=False, concurrency=2, pause=0.02))
        while len(DONE) < 4:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())
    kept = results(store)
    assert 4 <= len(kept) < 12
    assert not (store.units("s")["status"] == "failed").any()
    assert run(sweep(), store, pause=0.02)["done"] == 12 - len(kept)


def test_failed_units_are_done_again_only_on_request(store):
    what = sweep(fragile, rule=["a", "b"])
    run(what, store, broken=frozenset("b"))
    assert run(what, store)["skipped"] == 6
    retried = run(what, store, retry_failed=True)
    assert (retried["done"], retried["skipped"]) == (3, 3)
    healthy = {u: what.rng(u).random() for u in what.units()}
    assert {u: r.environment["draw"] for u, r in store.records("s")} == healthy


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_model_that_cannot_be_reached_stops_the_run_and_keeps_what_was_finished(store, concurrency):
    what, door = sweep(keyless, repetitions=1, number=list(range(8))), Door()
    door.works = False
    with pytest.raises(ModelUnavailable, match="the key is wrong"):
        run(what, store, concurrency=concurrency, door=door)
    kept = results(store)
    assert len(kept) == 3
    # Nothing is wrong with the other units: with a good key the next run does them, without being told to retry.
    door.works = True
    assert run(what, store, door=door)["done"] == 5
    assert len(results(store)) == 8
    assert not (store.units("s")["status"] == "failed").any()


def test_a_unit_can_be_played_again_from_its_seed_and_settings(store):
    what = Sweep("s", roundtable_exchange, {"rule": ["ranked"], "rounds": [3], "seats": [["mixed"] * 3]}, 2, 5)
    run(what, store)
    for unit, record in store.records("s"):
        assert asyncio.run(roundtable_exchange(what.rng(unit), **unit.settings)) == record


def test_a_name_under_which_nothing_was_finished_is_free_again(store):
    class Wrong:
        model, endpoint = "wrong", "there"

    class Right:
        model, endpoint = "right", "there"

    async def asks(rng, rule, model):
        if model.model == "wrong":
            raise ZeroDivisionError
        return Transcript({}, rule, {}, ())

    what = sweep(asks, 1, rule=["a", "b"])
    assert run(what, store, model=Wrong())["failed"] == 2
    assert run(what, store, model=Right()) == {"done": 2, "skipped": 0, "replies": 0, "format_errors": 0}
    with pytest.raises(InvalidInput, match="give the new sweep another name"):
        run(what, store, model=Wrong())


# -- what is refused before anything runs -----------------------------------------------------------------------------

BAD = [
    (lambda s: sweep(rules=[1]), "grid: 'rules' is no setting of draw; it takes rule, size, pause"),
    (lambda s: sweep(paired=["rng"]), "paired: 'rng' is no setting"),
    (lambda s: sweep(rule=[]), "expected a list with at least one value"),
    (lambda s: sweep(rule="majority"), "rule='majority' given; expected a list"),
    (lambda s: sweep(rule=["a", "a"]), "expected each value once"),
    (lambda s: sweep(repetitions=0), "repetitions: 0 given; expected a whole number of at least 1"),
    (lambda s: sweep(seed=True), "seed: True given"),
    (lambda s: Sweep("s", lambda rule: rule, {"rule": ["a"]}, 1, 1), "expected rng among them"),
    (lambda s: run(sweep(keyless, number=[1]), s), "grid: door missing; keyless needs a value"),
    (lambda s: run(sweep(rule=["a"]), s, rule="b"), "rule: draw does not take it here; it takes size, pause"),
    (lambda s: run(sweep(), "study.sqlite"), "store: 'study.sqlite' given; expected Store"),
    (lambda s: run(sweep(), s, concurrency=0), "concurrency: 0 given"),
]


@pytest.mark.parametrize(("bad", "said"), BAD)
def test_what_does_not_fit_is_refused_before_anything_runs(store, bad, said):
    with pytest.raises(InvalidInput, match=said):
        bad(store)
    assert store.sweeps() == [] and not DONE


async def told(rng, rule, model="model:standard"):
    return {"model": model if isinstance(model, str) else model.model}


def test_a_model_is_told_by_its_name_or_its_endpoint_and_another_one_is_refused(store):
    run(sweep(told, rule=["a", "model:b"]), store, model="small")
    assert sweep(told, rule=["a", ["model:b", "c"]]).models == ["model:b", "model:standard"]
    with pytest.raises(InvalidInput, match=r"context .*small.* where .*large.* is asked for"):
        run(sweep(told, rule=["a"]), store, model="large")
