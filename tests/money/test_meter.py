import asyncio
from contextlib import closing

import pytest

from support.calls import Call, Fault, metered
from support.errors import CallFailed, InvalidInput
from support.llm import scripted
from support.money import Budget, Meter, Prices
from support.presence import Presence


def call(**more):
    return Call("k", "m", "e", **more)


def test_calls_tokens_and_money_are_counted():
    meter = Meter()
    meter.count(call(prompt_tokens=10, completion_tokens=3, usd=0.25))
    meter.count(call(prompt_tokens=5, completion_tokens=2, usd=0.5, repair=1))
    assert (meter.counts["calls"], meter.counts["prompt_tokens"], meter.counts["completion_tokens"]) == (2, 15, 5)
    assert (meter.usd, meter.unpriced) == (0.75, 0)


def test_what_came_from_the_cache_costs_nothing_and_took_no_tokens():
    meter = Meter()
    meter.count(call(prompt_tokens=10, completion_tokens=3, usd=0.0, cached=True))
    assert (meter.counts["calls"], meter.counts["cached"], meter.counts["prompt_tokens"], meter.usd) == (1, 1, 0, 0.0)


def test_answered_calls_without_a_price_are_counted_as_such():
    meter = Meter()
    meter.count(call(prompt_tokens=1))
    meter.count(call(error="CallFailed: no"))
    assert meter.unpriced == 1


def test_retries_are_attempts_that_were_followed_by_another():
    met = (Fault("429", "slow down", 0.5), Fault("500", "oops", 1.0), Fault("500", "oops"))
    meter = Meter()
    meter.count(call(faults=met[:2]))
    meter.count(call(faults=met, error="CallFailed: oops"))
    assert (meter.counts["retries"], meter.counts["errors"]) == (4, 1)
    assert meter.faults == {"429": 2, "500": 3}


def test_a_call_is_in_flight_until_it_ends_however_it_ends():
    meter = Meter()
    with meter.flight(), meter.flight():
        assert meter.in_flight == 2
    with pytest.raises(ZeroDivisionError), meter.flight():
        1 / 0  # noqa: B018
    assert meter.in_flight == 0


def test_whoever_watches_hears_of_every_change():
    heard = []
    meter = Meter()
    meter.watch(lambda: heard.append(meter.in_flight))
    with meter.flight():
        meter.count(call())
    assert heard == [1, 1]


def test_a_watcher_that_fails_loses_no_reply_and_leaves_no_call_in_flight(tmp_path):
    meter, model = Meter(), scripted(["a"], cache=tmp_path / "s.sqlite")

    def study():
        with metered(meter):
            return asyncio.run(model.reply("1"))

    meter.watch(lambda: 1 / meter.in_flight)  # it fails where no call is in flight
    with pytest.raises(ZeroDivisionError):
        study()
    meter.watch(lambda: None)
    assert study().cached
    meter.watch(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError), meter.flight():
        pass
    assert meter.in_flight == 0


def test_the_calls_of_a_model_are_counted_with_repairs_and_errors():
    meter, model = Meter(), scripted(["a", "b", CallFailed("no")])

    async def study():
        with metered(meter):
            await asyncio.gather(model.reply("1"), model.reply("2"))
            await model.reply("3")

    with pytest.raises(CallFailed):
        asyncio.run(study())
    assert (meter.counts["calls"], meter.counts["errors"], meter.usd, meter.in_flight) == (3, 1, 0.0, 0)
    assert meter.unpriced == 0


PRICED = '[[models]]\nname = "*"\nendpoint = "scripted"\ninput = 1.0\noutput = 1.0\n'


def test_a_run_keeps_the_prices_that_it_began_with(tmp_path, monkeypatch):
    own = tmp_path / "own.toml"
    own.write_text("date = 2026-11-22\n" + PRICED)
    monkeypatch.setenv("CONVENE_PRICES", str(own))
    meter, model = Meter(), scripted(["a", "b"])

    async def study():
        with metered(meter):
            await model.reply("1")
            own.write_text("date = 2026-11-2")  # somebody is just saving the file
            await model.reply("2")

    asyncio.run(study())
    assert meter.counts["calls"] == 2
    with pytest.raises(InvalidInput):
        Prices()


def test_the_prices_of_a_budget_are_those_of_its_meter(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("date = 2026-11-22\n" + PRICED)
    prices = Prices(own)
    path = tmp_path / "s.sqlite"
    with Presence(path) as presence, closing(Budget(1.0, path, "s", presence, prices)) as budget:
        assert Meter(budget).prices is prices
