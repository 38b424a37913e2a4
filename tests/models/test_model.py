import asyncio
import json
from typing import Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field

from support.errors import CallFailed, MalformedReply
from support.models.calls import Call, Fault, Meter, collected, metered
from support.models.model import extract_json
from support.models.request import strict_schema
from support.models.stand_ins import scripted


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


def test_json_is_found_in_a_fence_or_a_sentence_and_what_holds_none_stays():
    for text in (
        '```json\n{"a": "x"}\n```',
        'Sure! {"a": {"b": 1}} Else?',
        '{"a": "```x```}"}',
        '```\n{"a": 1}\n```.',
    ):
        assert "a" in json.loads(extract_json(text))
    assert [extract_json(text) for text in ("", "}{", "[1, 2]", '{"a": 1')] == [
        "",
        "}{",
        "[1, 2]",
        '{"a": 1',
    ]


def test_repairs_ask_in_the_same_bytes_as_ever_are_kept_and_come_to_an_end(
    tmp_path, server, at
):
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
    server.answer = lambda body: "no"
    with pytest.raises(
        MalformedReply, match=r"Part in 4 attempts.*max_tokens"
    ) as caught:
        ask(at(repairs=3), schema=Part)
    assert (len(server.bodies), caught.value.tokens) == (4, 40)


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
