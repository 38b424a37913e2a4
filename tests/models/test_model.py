import asyncio
from contextlib import closing
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field

from support.errors import CallFailed, MalformedReply, ModelUnavailable
from support.models.calls import Call, Fault, Meter, collected, metered
from support.models.model import ChatModel
from support.models.money import Budget
from support.models.profiles import Price, Profile
from support.models.request import Completion, strict_schema
from support.models.stand_ins import Fake, scripted
from support.presence import Presence


class Part(BaseModel):
    vote: Literal["P1", "P2"]
    default: int = 3
    note: str | None = Field(default=None, max_length=20)


class Whole(BaseModel):
    parts: list[Part] = Field(max_length=3)
    best: Part = Field(description="the best of them")


GOOD = {"vote": "P1", "default": 1, "note": None}


def ask(model, messages="Who?", **settings):
    return asyncio.run(model.reply(messages, **settings))


def test_a_strict_schema_is_closed_complete_and_in_order_without_defaults_and_neighbours_of_references():
    schema = strict_schema(Whole)
    best, fields = schema["properties"]["best"], ["vote", "default", "note"]
    assert schema["required"] == ["parts", "best"]
    assert schema["additionalProperties"] is False
    assert best["description"] == "the best of them" and "$ref" not in best
    for part in (best, schema["$defs"]["Part"]):
        note = part["properties"]["note"]
        assert part["required"] == list(part["properties"]) == fields
        assert {"type": "null"} in note["anyOf"] and "default" not in note


class A(BaseModel):
    a: int


def test_repairs_ask_in_the_same_bytes_as_ever_are_kept(tmp_path):
    seen, said = [], iter(["P9!", '{"vote": "P9"}', GOOD])
    model = scripted(
        lambda messages: seen.append(messages) or next(said),
        cache=tmp_path / "s.sqlite",
    )
    assert ask(model, schema=Part).attempts == 3
    end = "Answer again with the corrected JSON only."
    asked = (
        "Your reply does not have the required form. Invalid JSON: expected value at line 1 column 1. "
        + end
    )
    again = (
        "Your reply does not have the required form. vote: Input should be 'P1' or 'P2'. "
        + end
    )
    contents = ["Who?", "P9!", asked, '{"vote": "P9"}', again]
    assert seen[2] == [
        {"role": ("user", "assistant")[n % 2], "content": text}
        for n, text in enumerate(contents)
    ]
    kept = ask(model, schema=Part)
    assert (kept.value, kept.cached, kept.attempts, model.live_calls) == (
        Part(**GOOD),
        True,
        3,
        3,
    )


def test_a_call_tells_who_was_asked_who_answered_and_whether_it_fitted():
    made = [
        Completion("no", 9, 5, "length", model="m-2", fingerprint="f1"),
        Completion('{"a": 1}', 9, 8, thinking_tokens=6, model="org/m-2026-01-02"),
    ]

    async def answer(request):
        return made.pop(0)

    model = ChatModel(Fake("m", "here", answer))
    with collected() as calls:
        reply = ask(model, schema=A, by="Ana", phase="vote", repetition=4, seed=1)
    first = model.request("Who?", A, repetition=4, seed=1)
    asked = Call(first.key, "m", "here", draw=replace(first, repetition=0).key)
    asked = replace(asked, by="Ana", phase="vote", prompt_tokens=9, usd=0.0)
    said = {"finish": "length", "answered_by": "m-2", "fingerprint": "f1"}
    misfit, fit = (replace(call, question="", reply="") for call in calls)
    assert misfit == replace(asked, **said, completion_tokens=5, misfit=True)
    fitting = replace(asked, completion_tokens=8, thinking_tokens=6, repair=1)
    assert fit == replace(fitting, key=fit.key, draw=fit.draw)
    assert reply.tokens == 31


def test_a_model_whose_first_ten_replies_are_all_off_form_ends_the_run_and_one_that_kept_it_does_not():
    replies = iter(["hello"] * 30)
    model = scripted(lambda messages: next(replies))
    for _ in range(9):
        with pytest.raises(MalformedReply):
            ask(model, schema=A)
    assert ask(scripted(["hello"])).text == "hello"  # free text has no form
    with pytest.raises(ModelUnavailable, match=r"none of its first 10 replies.*hello"):
        ask(model, schema=A)
    replies = iter(['{"a": 1}'] + ["hello"] * 60)
    kept = scripted(lambda messages: next(replies))
    assert ask(kept, schema=A).value == A(a=1)
    for _ in range(12):
        with pytest.raises(MalformedReply):
            ask(kept, schema=A)


def test_a_reply_that_fits_in_no_attempt_is_paid_by_what_was_used_not_at_the_worst(
    tmp_path, held
):
    async def answer(request):
        return Completion("hello", 10, 2)

    priced = Profile(name="m", price=Price(input=1.0, output=1.0))
    model = ChatModel(Fake("m", "here", answer), profile=priced)
    path = tmp_path / "s.sqlite"
    with Presence(path) as run, closing(Budget(1.0, path, "s", run)) as budget:
        said = pytest.raises(MalformedReply, match=r"an? A in 3 attempts.*max_tokens")
        with metered(Meter(budget)), said as caught:
            ask(model, schema=A)
        used = caught.value.tokens / 1e6
        assert held(budget) == pytest.approx([used, 0.0, 0.0])
        assert caught.value.tokens == 36


CHANGES = [
    {"temperature": 0.5},
    {"seed": 1},
    {"repetition": 1},
    {"max_tokens": 5},
    {"schema": Part},
    {"messages": "W"},
]


def test_every_part_of_a_request_tells_it_apart_and_equal_ones_are_one(tmp_path):
    model = scripted([GOOD] * 9, cache=tmp_path / "s.sqlite")
    for change in ({}, *CHANGES):
        assert not ask(model, **change).cached and ask(model, **change).cached
    alike = ask(
        model, [{"content": "Who?", "role": "user"}], temperature=-0.0, seed=np.int64(1)
    )
    assert (
        alike.cached
        and model.cache.get(model.request("Who?", seed=1)).text == alike.text
    )


@pytest.mark.parametrize("how", ["answered", "cancelled", "failed"])
def test_the_same_request_in_flight_is_called_once_and_asked_anew_where_that_was_given_up(
    tmp_path, how
):
    calls = []

    async def script(messages):
        calls.append(messages)
        await asyncio.sleep(0.02)
        return CallFailed("no") if how == "failed" and len(calls) == 1 else "late"

    async def study(model):
        first, *others = (asyncio.create_task(model.reply("Who?")) for _ in range(4))
        await asyncio.sleep(0.01)
        if how == "cancelled":
            first.cancel()
        await asyncio.wait([first])
        return {reply.text for reply in await asyncio.gather(*others)}

    assert asyncio.run(study(scripted(script, cache=tmp_path / "s.sqlite"))) == {"late"}
    assert len(calls) == (1 if how == "answered" else 2)


def test_calls_are_noted_with_their_unit_through_its_tasks_and_counted_by_the_run(
    tmp_path,
):
    def script(messages):
        return CallFailed("dead") if "!" in messages[-1]["content"] else "yes"

    model, running = scripted(script, cache=tmp_path / "s.sqlite"), Meter()

    async def unit(name):
        with collected() as calls:
            await asyncio.gather(*(model.reply(f"{name}{i}", cut=name) for i in (1, 2)))
            again = model.reply(f"{name}1"), model.reply(f"{name}!")
            await asyncio.gather(*again, return_exceptions=True)
        return [
            (one.cached, one.usd, one.question, one.cut, one.error) for one in calls
        ]

    async def sweep():
        with metered(running):
            return await asyncio.gather(unit("a"), unit("b"))

    for name, calls in zip("ab", asyncio.run(sweep()), strict=True):
        new, kept = (False, 0.0, "", name, ""), (True, 0.0, "", "", "")
        asked = model.request(f"{name}!").to_json()
        assert calls == [new, new, kept, (False, None, asked, "", "CallFailed: dead")]
    counted = {"calls": 8, "cached": 2, "errors": 2}
    assert counted.items() <= running.counts.items()


def test_what_was_paid_for_is_kept_though_whoever_listens_fails(tmp_path):
    model, running = scripted(["yes"], cache=tmp_path / "s.sqlite"), Meter()
    running.changed = lambda: 1 / running.in_flight
    with metered(running), pytest.raises(ZeroDivisionError):
        ask(model)
    assert ask(model).cached and running.in_flight == 0


def test_a_call_is_read_from_what_it_wrote():
    faults = [Fault("429", "slow", 0.5), Fault("500", "oops")]
    call = Call("k", "m", "", 2, usd=0.25, faults=faults, reply="\u2028")
    assert Call.from_json(call.to_json()) == call
