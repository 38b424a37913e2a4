import asyncio
from contextlib import closing
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field

from support.errors import CallFailed, Filtered, MalformedReply, ModelUnavailable
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
    best = schema["properties"]["best"]
    assert (
        schema["required"] == ["parts", "best"]
        and schema["additionalProperties"] is False
    )
    assert (best["type"], best["description"], "$ref" in best) == (
        "object",
        "the best of them",
        False,
    )
    for part in (best, schema["$defs"]["Part"]):
        assert (
            part["required"] == list(part["properties"]) == ["vote", "default", "note"]
        )
        assert {"type": "null"} in part["properties"]["note"][
            "anyOf"
        ] and "default" not in part["properties"]["note"]


class A(BaseModel):
    a: int


BRACES = [
    'Of {these} first. {"a": 0} or rather {"a": 1} I {hope}.',
    '```json\n{"a": 0}\n```\n\nFinal:\n{"a": 1}',
    'First {"a": 0}, no: {"a": 1}. It is not {"b": 3} nor {"a": "x"}',
    '{"Form": {"a": 1}}',
    '[{"a": 1}]',
    '[note] {"a": 1}',
    '{"a": 1,}',
]


@pytest.mark.parametrize("text", BRACES)
def test_12_the_last_object_that_fits_is_found_at_once_among_braces(text):
    reply = ask(scripted([text]), schema=A)
    assert (reply.value, reply.attempts) == (A(a=1), 1)


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
    misfit, fit = calls
    assert [(call.by, call.phase, call.repair) for call in calls] == [
        ("Ana", "vote", 0),
        ("Ana", "vote", 1),
    ]
    assert (misfit.misfit, misfit.finish, misfit.answered_by, misfit.fingerprint) == (
        True,
        "length",
        "m-2",
        "f1",
    )
    assert (fit.misfit, fit.finish, fit.answered_by, fit.thinking_tokens) == (
        False,
        "",
        "",
        6,
    )
    assert (misfit.key, misfit.draw) == (first.key, replace(first, repetition=0).key)
    assert (reply.usage.thinking_tokens, reply.usage.total) == (6, 31)
    with collected() as calls:
        ask(scripted(["hello"]))
    assert (calls[0].draw, calls[0].by, calls[0].misfit) == ("", "", False)


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


def test_a_filter_s_refusal_passes_through_and_is_noted_as_what_it_is():
    model = scripted([Filtered("not let pass"), '{"a": 1}'])
    with collected() as calls, pytest.raises(Filtered):
        ask(model, schema=A)
    assert calls[0].error == "Filtered: not let pass" and not calls[0].misfit
    assert ask(model, schema=A).value == A(a=1)


def test_a_reply_that_fits_in_no_attempt_is_paid_by_what_was_used_not_at_the_worst(
    tmp_path,
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
        assert (budget.spent, budget.uncertain) == (pytest.approx(used), 0.0)
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


def test_calls_are_noted_with_their_unit_through_its_tasks_counted_by_the_run_and_kept_before(
    tmp_path,
):
    script = lambda messages: (
        CallFailed("dead") if "!" in messages[-1]["content"] else "yes"
    )
    model, running = scripted(script, cache=tmp_path / "s.sqlite"), Meter()

    async def unit(name):
        with collected() as calls:
            await asyncio.gather(*(model.reply(f"{name}{i}", cut=name) for i in (1, 2)))
            await asyncio.gather(
                model.reply(f"{name}1"), model.reply(f"{name}!"), return_exceptions=True
            )
        return [
            (call.cached, call.usd, call.question != "", call.cut, call.error)
            for call in calls
        ]

    async def sweep():
        with metered(running):
            return await asyncio.gather(unit("a"), unit("b"))

    for name, calls in zip("ab", asyncio.run(sweep()), strict=True):
        new, known, failed = (
            (False, 0.0, False, name, ""),
            (True, 0.0, False, "", ""),
            "CallFailed: dead",
        )
        assert calls == [new, new, known, (False, None, True, "", failed)]
    assert [running.counts[name] for name in ("calls", "cached", "errors")] == [8, 2, 2]
    running.watch(
        lambda: 1 / running.in_flight
    )  # whoever listens may fail; what was paid for is not lost
    with metered(running), pytest.raises(ZeroDivisionError):
        ask(model, "c")
    assert ask(model, "c").cached and running.in_flight == 0
    call = Call(
        "k",
        "m",
        "e",
        2,
        usd=0.25,
        faults=(Fault("429", "slow", 0.5), Fault("500", "oops")),
        reply="\u2028",
    )
    assert Call.from_json(call.to_json()) == call
