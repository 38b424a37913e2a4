import asyncio
import math

import numpy as np
import pytest
from pydantic import BaseModel

from support.calls import metered
from support.errors import CallFailed, InvalidInput, MalformedReply
from support.llm import Cache, ChatModel, Usage, scripted
from support.llm.scripted import Scripted
from support.money import Meter


class Vote(BaseModel):
    candidate: str
    points: int


def ask(model, messages="Who?", **settings):
    return asyncio.run(model.reply(messages, **settings))


def test_free_text_has_no_value():
    reply = ask(scripted(["Good morning."]))
    assert (reply.text, reply.value, reply.cached, reply.attempts) == ("Good morning.", None, False, 1)
    assert reply.usage == Usage(0, 0)
    assert reply.finish_reason == "stop"
    assert reply.model == "scripted"


def test_a_reply_with_a_schema_is_validated():
    assert ask(scripted([{"candidate": "P1", "points": 3}]), schema=Vote).value == Vote(candidate="P1", points=3)


def test_an_invalid_reply_is_asked_again_with_the_error():
    seen = []

    def script(messages):
        seen.append(messages)
        return "P1!" if len(seen) == 1 else {"candidate": "P1", "points": 1}

    model = scripted(script)
    reply = ask(model, schema=Vote)
    assert reply.attempts == 2
    assert (model.calls, model.live_calls) == (1, 2)
    assert [turn["role"] for turn in seen[1]] == ["user", "assistant", "user"]
    assert seen[1][1]["content"] == "P1!"
    assert "Invalid JSON" in seen[1][2]["content"]


def test_a_reply_that_stays_invalid_is_malformed_after_two_repairs():
    model = scripted(["no", '{"candidate": "P1"}', "", {"candidate": "P1", "points": 1}])
    with pytest.raises(MalformedReply, match=r"Vote in 3 attempts.*max_tokens"):
        ask(model, schema=Vote)
    assert model.live_calls == 3


def test_a_repair_conversation_replays_from_the_cache(tmp_path):
    def study(replies):
        model = scripted(replies, cache=tmp_path / "s.sqlite")
        return ask(model, schema=Vote), model

    live, _ = study(["no", {"candidate": "P1", "points": 1}])
    again, model = study([])
    assert again.value == live.value
    assert (again.cached, again.attempts, again.latency) == (True, 2, 0.0)
    assert (model.calls, model.live_calls) == (1, 0)


def test_a_repair_after_a_cached_attempt_is_not_cached(tmp_path):
    with pytest.raises(InvalidInput):
        ask(scripted(["no"], cache=tmp_path / "s.sqlite"), schema=Vote)
    reply = ask(scripted([{"candidate": "P1", "points": 1}], cache=tmp_path / "s.sqlite"), schema=Vote)
    assert (reply.cached, reply.attempts) == (False, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"temperature": 0.5},
        {"seed": 1},
        {"repetition": 1},
        {"max_tokens": 5},
        {"schema": Vote},
        {"messages": "Whom?"},
        {"messages": [{"role": "system", "content": "Who?"}]},
    ],
)
def test_every_part_of_a_request_tells_it_apart_in_the_cache(tmp_path, change):
    answer = {"candidate": "P1", "points": 1}
    model = scripted([answer, answer], cache=tmp_path / "s.sqlite")
    ask(model)
    ask(model, **change)
    assert model.live_calls == 2


def test_equal_requests_written_differently_are_one(tmp_path):
    model = scripted(["a"], cache=tmp_path / "s.sqlite")
    ask(model, "Who?", temperature=0, seed=np.int64(3))
    assert ask(model, [{"content": "Who?", "role": "user"}], temperature=-0.0, seed=3).cached


def test_the_same_request_in_flight_is_called_once(tmp_path):
    async def slow(messages):
        await asyncio.sleep(0.02)
        return "one"

    async def both(model):
        return await asyncio.gather(*(model.reply("Who?") for _ in range(5)))

    model = scripted(slow, cache=tmp_path / "s.sqlite")
    replies = asyncio.run(both(model))
    assert model.live_calls == 1
    assert {reply.text for reply in replies} == {"one"}
    assert sum(reply.cached for reply in replies) == 4


def test_without_a_cache_the_same_request_is_called_each_time():
    async def both(model):
        return await asyncio.gather(model.reply("Who?"), model.reply("Who?"))

    assert {reply.text for reply in asyncio.run(both(scripted(["a", "b"])))} == {"a", "b"}


@pytest.mark.parametrize("how", ["cancelled", "failed"])
def test_who_waited_for_a_call_that_was_given_up_asks_itself(tmp_path, how):
    calls = []

    async def script(messages):
        calls.append(messages)
        await asyncio.sleep(0.02)
        if how == "failed" and len(calls) == 1:
            raise CallFailed("no")
        return "late"

    async def study(model):
        first, second = (asyncio.create_task(model.reply("Who?")) for _ in range(2))
        await asyncio.sleep(0.01)
        if how == "cancelled":
            first.cancel()
        await asyncio.wait([first])
        return await second

    assert asyncio.run(study(scripted(script, cache=tmp_path / "s.sqlite"))).text == "late"
    assert len(calls) == 2


def test_no_more_calls_are_in_flight_than_allowed():
    now = most = 0

    async def script(messages):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.005)
        now -= 1
        return "ok"

    async def crowd(model):
        await asyncio.gather(*(model.reply(f"{i}") for i in range(12)))

    model = scripted(script, concurrency=3)
    for _ in range(2):  # the second time in another event loop
        asyncio.run(crowd(model))
    assert most == 3


@pytest.mark.parametrize(
    "messages",
    [
        "",
        "  ",
        [],
        None,
        3,
        [{"role": "boss", "content": "x"}],
        [{"role": "user"}],
        ["x"],
        [{"role": "user", "content": 3}],
        [{"role": "user", "content": "x", "name": "y"}],
        "half \ud800",
    ],
)
def test_messages_that_do_not_fit_are_input_errors(messages):
    with pytest.raises(InvalidInput, match="messages"):
        ask(scripted(["x"]), messages)


@pytest.mark.parametrize(
    "setting",
    [
        {"temperature": -0.1},
        {"temperature": 2.1},
        {"temperature": math.nan},
        {"temperature": "0"},
        {"temperature": None},
        {"seed": -1},
        {"seed": 2**32 - 1},
        {"seed": 1.0},
        {"seed": True},
        {"repetition": -1},
        {"repetition": None},
        {"max_tokens": 0},
        {"max_tokens": 5.5},
    ],
)
def test_settings_that_do_not_fit_are_input_errors_and_no_calls(setting):
    model = scripted(["x"])
    with pytest.raises(InvalidInput, match=next(iter(setting))):
        ask(model, **setting)
    assert (model.calls, model.live_calls) == (0, 0)


def test_a_cache_may_be_shared_by_models(tmp_path):
    cache = Cache(tmp_path / "s.sqlite")
    ask(scripted(["a"], name="one", cache=cache))
    assert not ask(scripted(["b"], name="two", cache=cache)).cached
    assert cache.models() == {("one", "scripted"): 1, ("two", "scripted"): 1}


def test_a_scripted_reply_costs_nothing():
    assert ask(scripted(["hello"])).cost == 0.0


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_a_reply_is_repaired_as_often_as_is_allowed(repairs):
    model = ChatModel(Scripted(["no"] * 9, "scripted"), repairs=repairs)
    with pytest.raises(MalformedReply, match=f"in {repairs + 1} attempts"):
        ask(model, schema=Vote)
    assert model.live_calls == repairs + 1


def test_the_request_that_a_reply_would_make_finds_it_in_the_cache(tmp_path):
    model = scripted(["hello"], cache=tmp_path / "s.sqlite")
    request = model.request("Who?", seed=3)
    assert model.cache.get(request) is None
    ask(model, seed=3)
    assert model.cache.get(request).text == "hello"


def test_a_reply_is_kept_before_anybody_hears_of_it(tmp_path):
    """Whoever listens may fail; what was paid for is not lost."""
    model = scripted(["hello"], cache=tmp_path / "s.sqlite")

    def heard(call):
        raise KeyError(len(model.cache))

    meter = Meter()
    meter.count = heard
    with metered(meter), pytest.raises(KeyError, match="1"):
        ask(model)
    assert ask(model).cached
