"""A run: shared by processes, held to a budget, ended without loss."""

import asyncio
import dataclasses
import json
import re
import subprocess
import sys
import traceback

import pytest

from support.errors import BudgetExceeded, CallFailed, ModelUnavailable
from support.models.calls import Call, note
from support.models.model import ChatModel
from support.models.profiles import Price, Profile
from support.models.replies import Cache
from support.models.request import Completion, Transport
from support.models.stand_ins import scripted
from support.runs.sweep import Sweep


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


def test_a_budget_asks_for_a_price_before_anything_is_sent(store):
    dear = Dear()
    with pytest.raises(ModelUnavailable, match="no price is known of 'm' at somewhere"):
        run(store, transport=dear, prices=Profile(name="m"), budget_usd=1.0)
    assert dear.sent == 0 and not store.select("SELECT * FROM sweeps")


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


async def chat(rng, temperature=0.0, drawn=False, kind="a", repetition=0, model=None):
    seed = int(rng.integers(2**31)) if temperature else 0
    topic = rng.integers(9**9) if drawn else "x"
    how = {"temperature": temperature, "seed": seed, "repetition": repetition}
    return {"said": (await model.reply(f"about {topic}", **how)).text}


async def seated(rng, calls):
    for call in calls:
        note(Call(**call))
    return {}


@pytest.mark.parametrize("on", [None, "local"])
def test_an_error_of_ones_own_code_keeps_its_traceback_or_is_raised_on_request(
    store, on
):
    _, ended = play(store, mistaken, {"number": [1, 3]}, on=on)
    assert (ended.done, ended.failed, ended.missing) == (1, 1, 1)
    assert ended.error == "LookupError: no number 3"
    assert "in careless" in ended.traceback
    with pytest.raises(LookupError) as raised:
        play(
            store, mistaken, {"number": [3]}, on=on, on_error="raise", retry_failed=True
        )
    assert "in careless" in "".join(traceback.format_exception(raised.value))


def test_each_end_of_a_run_is_a_line_for_whoever_listens(store, tmp_path, monkeypatch):
    file = tmp_path / "ended.jsonl"
    monkeypatch.setenv("CONVENE_ENDED", str(file))
    with pytest.raises(BudgetExceeded) as partly:
        run(store, budget_usd=0.45)
    whole = run(store, budget_usd=10)
    first, second = map(json.loads, file.read_text().splitlines())
    assert first == dataclasses.asdict(partly.value.ended)
    assert "budget" in first["stopped"] and 0 < first["missing"] < 10
    assert second == dataclasses.asdict(whole) and not second["stopped"]


@pytest.mark.parametrize(
    ("temperature", "draws"),
    [(0.0, 1), (0.7, 4)],
)
def test_repetitions_that_ask_the_very_same_are_told_before_and_are_one_draw(
    store, capsys, temperature, draws
):
    asked = []
    model = scripted(lambda messages: asked.append(capsys.readouterr().out) or "yes")
    what, ended = play(store, chat, {"temperature": [temperature]}, 4, model=model)
    assert ("are one question" in asked[0]) == (draws < 4)
    assert ended.draws == len(list(what.records(store))) == draws
    assert (len(asked), len(list(store.records("s")))) == (4, 4)


ABOUT = {"key": "k", "model": "m", "endpoint": "there", "by": "Ana"}


@pytest.mark.parametrize("kept", [[False], [True, False], [True, True]])
def test_a_unit_fails_where_a_seat_kept_its_form_in_no_reply(store, kept):
    calls = [{**ABOUT, "misfit": off, "reply": "Well"} for off in kept]
    _, ended = play(store, seated, {"calls": [calls]})
    assert ended.failed == all(kept)
    said = r"OffForm: Ana \(m\) kept its form in no reply.*Well"
    assert bool(re.match(said, ended.error)) == all(kept)


def test_a_run_says_where_somebody_else_answered(store, capsys):
    play(store, seated, {"calls": [[ABOUT, {**ABOUT, "answered_by": "other"}]]})
    assert "m was asked; m,other answered" in capsys.readouterr().out
