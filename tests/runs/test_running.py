"""A run: shared by processes, held to a budget, ended without loss."""

import asyncio
import dataclasses
import json
import re
import subprocess
import sys
import traceback
from contextlib import closing

import pytest

from support.data import partial
from support.errors import BudgetExceeded, CallFailed, ModelUnavailable
from support.models import money
from support.models.calls import Call, note
from support.models.model import ChatModel
from support.models.money import Budget
from support.models.profiles import Price, Profile
from support.models.replies import Cache
from support.models.request import Completion, Transport
from support.models.stand_ins import scripted, stand_in
from support.presence import Presence
from support.runs.sweep import Sweep
from support.runs.workers import Claims


class Dear(Transport):
    """A model whose every call takes ten tokens, a cent."""

    model, endpoint = "m", "somewhere"

    def __init__(self, fail=(), seconds=0.001):
        self.sent, self.fail, self.seconds = 0, fail, seconds

    async def complete(self, request):
        await asyncio.sleep(self.seconds)
        self.sent += 1
        if any(word in request.messages[-1][1] for word in self.fail):
            raise CallFailed("it failed")
        return Completion(
            f"to {request.messages[-1][1]}", prompt_tokens=4, completion_tokens=6
        )


async def ask(rng, number, model):
    said = [await model.reply(f"{number}, {turn}", max_tokens=6) for turn in range(2)]
    return {"texts": [reply.text for reply in said]}


PRICED = Profile(name="m", price=Price(input=1000.0, output=1000.0))


def sweep(n=10, study=ask):
    return Sweep("s", study, {"number": list(range(n))}, 1, 7)


def play(store, study, grid, repetitions=1, **options):
    """A sweep that asks no priced model, and what became of it."""
    what = Sweep("s", study, grid, repetitions, 7)
    return what, asyncio.run(what.run(store, progress=False, **options))


def run(store, what=None, transport=None, prices=PRICED, cached=False, **options):
    cache = Cache(store.path) if cached else None
    model = ChatModel(transport or Dear(), profile=prices, cache=cache)
    options = {"progress": False, "concurrency": 3, **options}
    return asyncio.run((what or sweep()).run(store, model=model, **options))


# -- money -----------------------------------------------------------------------------


def test_a_budget_ends_a_run_counts_what_earlier_runs_spent_and_a_larger_one_goes_on(
    store,
):
    sent, said = [], r"is partial: \d of 10 units are finished.*larger budget_usd="
    # The second has a cent more, and its worst case is dearer than that.
    for limit in (0.45, 0.46, 0.45):
        with pytest.raises(BudgetExceeded, match=said):
            run(store, transport=(dear := Dear()), budget_usd=limit)
        sent.append(dear.sent)
    kept = len(list(sweep().records(store)))
    assert 0 < kept < 10 and sent[0] <= 45 and sent[-1] == 0
    assert sweep().missing(store) == 10 - kept
    count = run(store, budget_usd=10)
    assert (count.done, count.skipped, count.missing) == (10 - kept, kept, 0)


def test_an_empty_purse_of_all_studies_ends_a_run_and_is_the_one_to_fill(
    store, tmp_path, monkeypatch
):
    path = tmp_path / "purse.sqlite"
    with (
        Presence(path) as presence,
        closing(Budget(0.45, path, "ours", presence, purse=True)) as purse,
    ):
        monkeypatch.setattr(money, "_purse", purse)
        for budget in ({}, {"budget_usd": 10}):
            said = r"\$0\.\d+ was spent by then.* with a larger BUDGET \("
            with pytest.raises(BudgetExceeded, match=said):
                run(store, **budget)


def test_a_budget_asks_for_a_price_before_anything_is_sent(store):
    dear = Dear()
    with pytest.raises(ModelUnavailable, match="no price is known of 'm' at somewhere"):
        run(store, transport=dear, prices=Profile(name="m"), budget_usd=1.0)
    assert dear.sent == 0 and not store.select("SELECT * FROM sweeps")


def test_kept_replies_cost_nothing_as_whoever_listens_is_told(store):
    seen = []
    again = Sweep("t", ask, sweep().grid, 1, 7)
    for what, limit, sent in ((sweep(), 10, 20), (again, 0.0, 0)):
        told = {"budget_usd": limit, "progress": seen.append}
        run(store, what, cached=True, **told)
        last = seen[-1]
        assert (last.done, last.calls, last.cached) == (10, 20, 20 - sent)
        assert last.tokens == 10 * sent and last.spent == pytest.approx(sent / 100)


# -- what is noted ---------------------------------------------------------------------


def test_every_unit_keeps_its_calls_and_failures_of_this_grid_are_told_again(
    store, capsys
):
    run(store, transport=Dear(fail=["3, 1"]))
    calls = {unit.settings["number"]: store.calls(unit) for unit in sweep().units()}
    assert [call.completion_tokens for call in calls[2]] == [6, 6]
    good, bad = calls[3]
    assert (good.error, bad.error) == ("", "CallFailed: it failed")
    assert bad.faults[0].said == "it failed" and "3, 1" in bad.question
    capsys.readouterr()
    run(store)
    said = "1 of 10 units have failed. The first said: CallFailed: it failed"
    assert said in capsys.readouterr().out
    run(store, sweep(3))
    assert not capsys.readouterr().out


# -- several processes -----------------------------------------------------------------

SHARED = """
import asyncio, sys
from support.runs.study import Store
from support.runs.sweep import Sweep

async def slow(rng, number):
    with open(sys.argv[2], "a") as file:
        file.write(f"{number}\\n")
    await asyncio.sleep(0.02)
    return {"draw": rng.random()}

sweep = Sweep("s", slow, {"number": list(range(16))}, 1, 7)
ended = asyncio.run(sweep.run(Store(sys.argv[1]), progress=False, concurrency=4))
print([ended.done, ended.elsewhere, ended.skipped])
"""


def test_processes_share_a_sweep_and_no_unit_is_done_twice(tmp_path):
    study, log = tmp_path / "study.sqlite", tmp_path / "log.txt"
    code = [sys.executable, "-c", SHARED, str(study), str(log)]
    both = [subprocess.Popen(code, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    counts = [eval(process.communicate(timeout=60)[0]) for process in both]
    assert sorted(map(int, log.read_text().split())) == list(range(16))
    assert sum(c[0] for c in counts) == 16
    assert all(sum(c) == 16 for c in counts)  # both return when all is done


def test_a_unit_is_claimed_once_and_again_when_it_was_given_back(tmp_path):
    path, (unit, other) = tmp_path / "study.sqlite", list(sweep(2).units())
    with (
        Presence(path) as one,
        Presence(path) as two,
        closing(Claims(path, two)) as theirs,
    ):
        ours = Claims(path, one)
        assert ours.take(unit) and ours.take(unit) and theirs.take(other)
        assert not theirs.take(unit)
        ours.free(unit)
        theirs.free(other)
        assert theirs.take(unit) and ours.take(other) and not theirs.take(other)
        ours.close()  # a run that has ended has nothing
        assert theirs.take(other)


def test_a_unit_that_another_run_has_is_waited_for_and_done_when_that_run_ends(store):
    unit = next(sweep().units())

    async def both():
        with (
            Presence(store.path) as presence,
            closing(Claims(store.path, presence)) as other,
        ):
            assert other.take(unit)
            task = asyncio.create_task(
                sweep().run(store, progress=False, model=ChatModel(Dear()))
            )
            while len(store.units("s")) < 9:
                await asyncio.sleep(0.01)
            assert not task.done()
        return await task

    assert asyncio.run(both()).done == 10


async def ask_two(rng, number, model):
    """A group that is asked at once: one error does not stop the others."""
    asked = (model.reply(text, max_tokens=6) for text in ("short", "long " * 2000))
    return {"texts": [reply.text for reply in await asyncio.gather(*asked)]}


def test_what_is_on_its_way_when_the_money_ends_is_settled_and_kept(store):
    slow = Dear(seconds=0.2)
    with pytest.raises(BudgetExceeded):
        run(store, sweep(1, ask_two), slow, cached=True, budget_usd=1.0)
    assert slow.sent == 1 and store.select("SELECT count(*) FROM replies") == [(1,)]
    assert store.select("SELECT spent, uncertain FROM accounts") == [(10_000_000, 0)]
    assert not store.select("SELECT * FROM reservations")


# -- what a run ends with --------------------------------------------------------------


def careless(number):
    raise LookupError(f"no number {number}")


async def mistaken(rng, number):
    return {"x": careless(number) if number > 2 else number}


def test_an_error_of_ones_own_code_keeps_its_traceback(store, capsys):
    _, ended = play(store, mistaken, {"number": [1, 3, 4]})
    assert (ended.done, ended.failed, ended.missing, ended.draws) == (1, 2, 2, 1)
    assert ended.error == "LookupError: no number 3"
    assert "in careless" in ended.traceback and "number 3" in ended.traceback
    for row in list(store.units("s").values())[1:]:
        assert "in careless" in row["traceback"]
    assert "2 of 3 units have failed." in capsys.readouterr().out


class Fussy(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


async def fussy(rng, number):
    raise Fussy("this", "that")


@pytest.mark.parametrize(
    ("on", "study", "kind", "where"),
    [
        (None, mistaken, LookupError, "in careless"),
        ("local", mistaken, LookupError, "in careless"),
        ("local", fussy, RuntimeError, "Fussy: this and that"),  # it cannot travel
    ],
)
def test_an_error_of_ones_own_code_is_raised_at_once_on_request(
    store, on, study, kind, where
):
    with pytest.raises(kind) as raised:
        play(store, study, {"number": [3]}, on=on, on_error="raise")
    assert where in "".join(traceback.format_exception(raised.value))


def test_each_end_of_a_run_is_a_line_for_whoever_listens(store, tmp_path, monkeypatch):
    file = tmp_path / "ended.jsonl"
    monkeypatch.setenv("CONVENE_ENDED", str(file))
    with pytest.raises(BudgetExceeded) as partly:
        run(store, budget_usd=0.45)
    whole = run(store, budget_usd=10)
    store.forget("s")
    with pytest.raises(LookupError):
        play(store, mistaken, {"number": [3]}, on_error="raise")
    first, second, last = map(json.loads, file.read_text().splitlines())
    assert first == dataclasses.asdict(partly.value.ended)
    assert "budget" in first["stopped"] and 0 < first["missing"] < 10
    assert second == dataclasses.asdict(whole) and not second["stopped"]
    assert last["stopped"] == "LookupError: no number 3"


async def chat(rng, temperature=0.0, drawn=False, kind="a", repetition=0, model=None):
    seed = int(rng.integers(2**31)) if temperature else 0
    topic = rng.integers(9**9) if drawn else "x"
    how = {"temperature": temperature, "seed": seed, "repetition": repetition}
    return {"said": (await model.reply(f"about {topic}", **how)).text}


@pytest.mark.parametrize(
    ("grid", "draws", "units"),
    [
        ({}, 1, 4),
        ({"kind": ["a", "b"]}, 2, 8),  # settings are draws of their own
        ({"temperature": [0.7]}, 4, 4),
        ({"drawn": [True]}, 4, 4),
    ],
)
def test_repetitions_that_ask_the_very_same_are_told_before_and_are_one_draw(
    store, capsys, grid, draws, units
):
    asked = []
    model = scripted(lambda messages: asked.append(capsys.readouterr().out) or "yes")
    what, ended = play(store, chat, grid, 4, model=model)
    assert ("are one question" in asked[0]) == (draws < units) and len(asked) == units
    assert ended.draws == len(list(what.records(store))) == draws
    assert len(list(store.records("s"))) == units
    alike = f"s: {draws} draws in {units} units (the others asked the very same)."
    assert partial() == (alike if draws < units else "")


async def seated(rng, calls):
    for call in calls:
        note(Call(**call))
    return {}


@pytest.mark.parametrize(
    ("kept", "failed"),
    [([False], 0), ([True, False], 0), ([True, True], 1), ([False, True], 0)],
)
def test_a_unit_fails_where_a_seat_kept_its_form_in_no_reply(store, kept, failed):
    about = {"key": "k", "model": "m", "endpoint": "there", "by": "Ana"}
    calls = [{**about, "misfit": off, "reply": "Well"} for off in kept]
    calls.append({**about, "by": "Ben"})
    _, ended = play(store, seated, {"calls": [calls]})
    assert ended.failed == failed
    said = r"OffForm: Ana \(m\) kept its form in no reply.*Well"
    assert bool(re.match(said, ended.error)) == bool(failed)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([{}, {"fingerprint": "f1"}], ""),
        ([{}, {"answered_by": "other"}], "m was asked; m,other answered"),
        (
            [{"fingerprint": "f1"}, {"fingerprint": "f2"}],
            "m answered (fingerprints f1,f2)",
        ),
    ],
)
def test_a_run_says_where_somebody_else_answered(store, capsys, answers, said):
    about = {"key": "k", "model": "m", "endpoint": "there"}
    calls = [{**about, **more} for more in answers]
    what, _ = play(store, seated, {"calls": [calls]})
    out = capsys.readouterr().out
    assert said in out and bool(out) == bool(said)
    names = what.frame(store)["answered_by"][0].split(",")
    assert set(names) == {more.get("answered_by", "m") for more in answers}


def test_an_estimate_plays_two_repetitions_and_writes_what_all_will_take(
    store, tmp_path, monkeypatch
):
    file = tmp_path / "estimate.jsonl"
    monkeypatch.setenv("CONVENE_ESTIMATE", str(file))
    _, ended = play(store, chat, {"drawn": [True, False]}, 10, model=stand_in(name="m"))
    assert (ended.units, ended.done) == (4, 4)
    [line] = map(json.loads, file.read_text().splitlines())
    assert (line["sweep"], line["model"], line["calls"]) == ("s", "m", 20)
    assert (line["units"], line["draws"]) == (20, 11)
