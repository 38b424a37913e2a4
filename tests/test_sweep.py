"""A sweep: what is run, in which streams, and what happens when it is interrupted, extended or fails."""

import asyncio
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.errors import InvalidInput, ModelUnavailable
from support.records import Transcript
from support.store import Store
from support.studies import roundtable_exchange
from support.sweep import Sweep

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


async def needy(rng, rule, model):
    return Transcript({"model": model}, rule, {}, ())


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
    return {(u.settings, u.repetition): record for u, record in where.records("s")}


# -- the grid --------------------------------------------------------------------------------------------------------


def test_every_combination_of_settings_is_repeated():
    units = list(sweep().units())
    assert len(units) == len(set(units)) == 12
    assert Counter(u.settings for u in units) == {json.dumps({"rule": r, "size": s}): 3 for r in "ab" for s in (1, 2)}


@pytest.mark.parametrize("name", ["rules", "rng", "repetition"])
def test_a_setting_that_the_study_does_not_take_is_refused_with_those_that_it_takes(name):
    with pytest.raises(InvalidInput, match=f"grid: '{name}' is no setting of draw; it takes rule, size, pause"):
        sweep(**{name: [1]})
    with pytest.raises(InvalidInput, match=f"paired: '{name}' is no setting of draw"):
        sweep(paired=[name], rule=["a"])


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ({"rule": []}, "rule=.* expected a list with at least one value"),
        ({"rule": "majority"}, "rule='majority' given; expected a list"),
        ({"rule": 3}, "rule=3 given; expected a list"),
        ({"rule": ["a", "b", "a"]}, r"rule=\['a', 'b', 'a'\] given; expected each value once"),
        ({"rule": ["a", {1, 2}]}, r"rule=\{1, 2\} given; expected text, a number or a list"),
    ],
)
def test_values_have_to_be_a_list_of_plain_data_without_repeats(grid, said):
    with pytest.raises(InvalidInput, match=said):
        sweep(**grid)


@pytest.mark.parametrize("wrong", [0, -1, 2.0, True, "3", None])
def test_repetitions_and_seeds_are_whole_numbers(wrong):
    with pytest.raises(InvalidInput, match=r"repetitions: .* whole number of at least 1"):
        sweep(repetitions=wrong)
    if wrong != 0:
        with pytest.raises(InvalidInput, match=r"seed: .* whole number of at least 0"):
            sweep(seed=wrong)


def test_an_argument_that_is_missing_is_named_before_anything_runs(store):
    with pytest.raises(InvalidInput, match="grid: model missing; needy needs a value"):
        run(sweep(needy, rule=["a"]), store)
    assert store.sweeps() == []
    assert run(sweep(needy, rule=["a"]), store, model=["m"])["done"] == 3


@pytest.mark.parametrize("context", [{"rule": "b"}, {"colour": "red"}])
def test_a_context_that_is_a_setting_or_unknown_is_refused(store, context):
    (name,) = context
    with pytest.raises(InvalidInput, match=f"{name}: draw does not take it here; it takes size, pause"):
        run(sweep(rule=["a"]), store, **context)


# -- random streams --------------------------------------------------------------------------------------------------


def test_every_unit_has_a_stream_of_its_own():
    draws = [sweep().rng(u).random() for u in sweep().units()]
    assert len(set(draws)) == 12


def test_paired_settings_share_their_streams():
    paired = sweep(paired=["rule"])
    by_unit = {(u.settings, u.repetition): paired.rng(u).random() for u in paired.units()}
    a, b = ([d for (s, r), d in by_unit.items() if json.loads(s)["rule"] == rule] for rule in ("a", "b"))
    assert a == b
    assert len(set(a)) == 6


def test_the_seed_changes_every_stream():
    one, two = ([s.rng(u).random() for u in s.units()] for s in (sweep(seed=1), sweep(seed=2)))
    assert not set(one) & set(two)


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


# -- resuming --------------------------------------------------------------------------------------------------------


def test_a_sweep_that_is_done_does_nothing_again(store):
    assert run(sweep(), store) == Counter(done=12, skipped=0, replies=0, format_errors=0)
    DONE.clear()
    again = run(sweep(), store)
    assert (again["done"], again["skipped"], DONE) == (0, 12, [])


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
            [(units[i].settings, units[i].repetition) for i in lost],
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


# -- failing ---------------------------------------------------------------------------------------------------------


def test_a_failing_unit_is_recorded_with_its_error_and_the_others_go_on(store):
    count = run(sweep(fragile, rule=["a", "b", "c"]), store, broken=frozenset("b"))
    assert (count["done"], count["failed"]) == (6, 3)
    units = store.units("s")
    assert units.groupby("rule")["status"].unique().map(list).to_dict() == {
        "a": ["done"],
        "b": ["failed"],
        "c": ["done"],
    }
    assert units.loc[units["rule"] == "b", "error"].tolist() == ["ZeroDivisionError: b is broken"] * 3


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


# -- the study itself ------------------------------------------------------------------------------------------------


def test_the_study_of_the_exchange_economy_runs_in_a_sweep(store):
    what = Sweep(
        "s", roundtable_exchange, {"rule": ["majority", "rated"], "rounds": [2], "seats": ["linear"]}, 2, 1, ["rule"]
    )
    assert run(what, store)["done"] == 4
    records = list(store.records("s"))
    assert [r.rule for _, r in records] == ["majority", "majority", "rated", "rated"]
    opening = {(u.repetition, r.rounds[0].messages) for u, r in records}
    assert len(opening) == 2  # paired rules hear the same opening words


def test_a_unit_can_be_played_again_from_its_seed_and_settings(store):
    what = Sweep("s", roundtable_exchange, {"rule": ["ranked"], "rounds": [3], "seats": [["mixed"] * 3]}, 2, 5)
    run(what, store)
    for unit, record in store.records("s"):
        assert asyncio.run(roundtable_exchange(what.rng(unit), **json.loads(unit.settings))) == record


def test_streams_are_numpy_generators_that_differ_by_repetition():
    first, second = list(sweep(rule=["a"]).units())[:2]
    assert isinstance(sweep().rng(first), np.random.Generator)
    assert sweep().rng(first).random() != sweep().rng(second).random()


# -- what is read back ---------------------------------------------------------------------------------------------


def test_a_sweep_reads_its_own_units_in_the_order_of_its_grid(store):
    run(sweep(repetitions=3, rule=["b", "a"]), store)
    own = [
        (json.loads(u.settings)["rule"], u.repetition) for u, _ in sweep(repetitions=2, rule=["b", "a"]).records(store)
    ]
    assert own == [("b", 0), ("b", 1), ("a", 0), ("a", 1)]


def test_another_model_under_the_same_name_is_refused(store):
    from support.llm import scripted

    small, large = scripted([], name="small"), scripted([], name="large")
    run(sweep(told, rule=["a"]), store, model=small)
    with pytest.raises(InvalidInput, match=r"context .*small.* where .*large.* is asked for"):
        run(sweep(told, rule=["a"]), store, model=large)


def test_other_plain_context_under_the_same_name_is_refused(store):
    run(sweep(repetitions=1, rule=["a"]), store, pause=0.0)
    with pytest.raises(InvalidInput, match=r"context .*0\.0.* where .*0\.5.* is asked for"):
        run(sweep(repetitions=1, rule=["a"]), store, pause=0.5)


def test_what_made_units_fail_is_said_at_the_end_with_the_way_out(store, capsys):
    run(sweep(fragile, repetitions=1, rule=["a", "b"]), store, broken=frozenset("b"))
    said = capsys.readouterr().out
    assert "The first said: ZeroDivisionError: b is broken" in said and "retry_failed=True" in said


def test_the_parameters_of_a_sweep_hold_the_defaults_of_its_study():
    given = Sweep("s", roundtable_exchange, {"rule": ["majority"]}, 2, 7).parameters
    assert given["rule"] == ["majority"] and given["preferences"] == "asymmetric" and given["noise"] == 0.05
    assert given["seed"] == 7 and given["repetitions"] == 2 and "model" not in given


async def told(rng, rule, model):
    return Transcript({"model": model.model}, rule, {}, ())


def test_seconds_stand_in_the_order_of_the_records(store):
    what = sweep()
    run(what, store)
    for number, unit in enumerate(what.units()):
        store.add(unit, store.record(unit), seconds=float(number))
    assert what.seconds(store) == [float(number) for number in range(12)]
    assert [unit for unit, _ in what.records(store)] == list(what.units())


# -- what is refused before anything runs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"concurrency": 0}, "concurrency=0: expected a whole number from 1 up"),
        ({"concurrency": "8"}, "concurrency='8'"),
        ({"progress": "yes"}, "progress='yes': expected True, False, or a function"),
        ({"prices": "x"}, r"prices='x': expected Prices\(path\)"),
    ],
    ids=["none", "text", "yes", "prices"],
)
def test_an_option_of_a_run_that_does_not_fit_is_refused(store, options, said):
    with pytest.raises(InvalidInput, match=said):
        asyncio.run(sweep().run(store, **{"progress": False, **options}))


def test_a_path_is_no_store_and_a_name_is_no_model(store):
    with pytest.raises(InvalidInput, match=r"store: 'study.sqlite' given; expected Store\(path\)"):
        run(sweep(), "study.sqlite")
    with pytest.raises(InvalidInput, match=r"model='mine-7b': expected a connected model: connect\('mine-7b'"):
        run(sweep(needy, rule=["a"]), store, model="mine-7b")


def test_a_study_has_to_take_its_random_stream():
    async def study(rule):
        return None

    with pytest.raises(InvalidInput, match="expected rng among them"):
        Sweep("s", study, {"rule": ["a"]}, 1, 1)


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
